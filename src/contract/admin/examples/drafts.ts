import { addressSample, orderSample } from '../../open/samples.ts'
import { sampleId } from '../../sampleid.ts'
import type { CreateDraftResponse, Draft, DraftSummary, draftOperationRows } from '../drafts.ts'
import type { AdminExamples } from '../row.ts'

const idempotencyKey = '8d0f4f0c-6a1b-4f7f-8f6e-0f2b1f6a3c55'
const draftId = sampleId('draft')
const [item] = orderSample.items
const { skuId = '', code = '', name = '' } = item ?? {}

const prices: Omit<CreateDraftResponse['data'], 'draft'> = {
  items: [{ skuId, code, name, options: [], quantity: 2, unitPrice: 4000, total: 7500 }],
  totals: { subtotal: 8000, discount: 500, shipping: 690, tax: 1308, taxIncluded: true, total: 8190 },
  shipping: { label: 'Courier', amount: 690 },
}

const summary: DraftSummary = {
  id: draftId,
  version: 1,
  mode: 'test',
  status: 'open',
  emailMasked: 'a***@example.com',
  currency: orderSample.currency,
  total: prices.totals.total,
  order: null,
  ofOrder: null,
  createdAt: '2026-03-02T10:14:31.000Z',
  expiresAt: '2026-03-09T10:14:31.000Z',
}

const draft: Draft = {
  ...summary,
  ...prices,
  terms: { discount: 500, shipping: { label: 'Courier', amount: 690 } },
  note: 'Asked by phone.',
  locale: 'auto',
  emailedAt: null,
  url: 'https://shop.example/c/cs_dGhlIGxpbmsgZm9yIHRoZSBzaG9wcGVy',
  changes: [],
}

export const draftExamples: AdminExamples<typeof draftOperationRows> = {
  listAdminDrafts: { path: {}, body: undefined, reply: { data: [summary], meta: { count: 1, next: null } } },
  getAdminDraft: { path: { draftId }, body: undefined, reply: { data: draft } },
  createAdminDraft: {
    path: {},
    body: {
      idempotencyKey,
      items: [{ skuId, quantity: 2, unitPrice: 4000 }],
      discount: 500,
      shipping: { label: 'Courier', amount: 690 },
      customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
      address: addressSample,
      note: 'Asked by phone.',
      expectedTotal: 8190,
    },
    reply: { data: { ...prices, draft } },
  },
  updateAdminDraft: {
    path: { draftId },
    body: { idempotencyKey, expectedVersion: 1, discount: 500, note: null, days: 14 },
    reply: { data: { ...prices, draft: { ...draft, version: 2, note: null } } },
  },
  sendAdminDraft: {
    path: { draftId },
    body: { idempotencyKey },
    reply: { data: { ...draft, emailedAt: '2026-03-02T10:20:00.000Z' } },
  },
  cancelAdminDraft: {
    path: { draftId },
    body: { idempotencyKey },
    reply: { data: { ...draft, status: 'cancelled', url: null } },
  },
}
