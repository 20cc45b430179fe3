import { orderSample, returnSample } from '../../open/samples.ts'
import { sampleId } from '../../sampleid.ts'
import type { AdminReturn, returnOperationRows } from '../returns.ts'
import type { AdminExamples } from '../row.ts'

const idempotencyKey = '5b7e0c53-2f53-4f0e-a6b1-0f3c1f2d9c11'
const { id: returnId, orderId } = returnSample
const { currency } = orderSample
const [item] = returnSample.items
const items = item ? [{ skuId: item.skuId, quantity: 1 }] : []

const requested: AdminReturn = {
  ...returnSample,
  currency,
  note: 'The stems were broken.',
  refunds: [],
  refunded: 0,
  openExchange: null,
  allowed: ['approveAdminReturn', 'refuseAdminReturn'],
  changes: [],
}
const instructions = 'Bloom, Returns, Hauptstr. 1, 10115 Berlin'
const approved: AdminReturn = {
  ...requested,
  version: 2,
  status: 'approved',
  answer: instructions,
  allowed: ['receiveAdminReturn', 'refundAdminReturn', 'exchangeAdminReturn', 'closeAdminReturn'],
}
const received: AdminReturn = {
  ...approved,
  version: 3,
  status: 'received',
  items: returnSample.items.map((line) => ({ ...line, received: 1, restocked: 0 })),
  allowed: ['refundAdminReturn', 'exchangeAdminReturn', 'closeAdminReturn'],
}
const refused: AdminReturn = { ...requested, version: 2, status: 'refused', answer: 'It was worn.', allowed: [] }
const closed: AdminReturn = { ...received, version: 4, status: 'closed', allowed: [] }

export const returnExamples: AdminExamples<typeof returnOperationRows> = {
  listAdminReturns: {
    path: {},
    query: { open: true },
    body: undefined,
    reply: { data: [{ ...returnSample, currency }], meta: { count: 1, next: null } },
  },
  getAdminReturn: { path: { returnId }, body: undefined, reply: { data: requested } },
  createAdminReturn: {
    path: { orderId },
    body: { idempotencyKey, items, reason: 'damaged', instructions },
    reply: { data: { ...approved, version: 1, openedBy: 'merchant', note: null } },
  },
  approveAdminReturn: { path: { returnId }, body: { idempotencyKey, instructions }, reply: { data: approved } },
  refuseAdminReturn: { path: { returnId }, body: { idempotencyKey, text: 'It was worn.' }, reply: { data: refused } },
  receiveAdminReturn: {
    path: { returnId },
    body: { idempotencyKey, items: items.map((line) => ({ ...line, restock: false })) },
    reply: { data: received },
  },
  refundAdminReturn: {
    path: { returnId },
    body: { idempotencyKey, dryRun: true },
    reply: {
      data: {
        amount: 3150,
        items: items.map((line) => ({ ...line, amount: 3150, tax: 503 })),
        shipping: 0,
        deduction: 0,
        capped: 0,
        refund: null,
        return: received,
      },
    },
  },
  exchangeAdminReturn: {
    path: { returnId },
    body: { idempotencyKey, newItems: items, dryRun: true },
    reply: {
      data: {
        credit: 3150,
        items: items.map((line) => ({ ...line, amount: 3150, tax: 503 })),
        deduction: 0,
        capped: 0,
        newItems: returnSample.items.map(({ skuId, code, name, options }) => ({
          ...{ skuId, code, name, options },
          quantity: 1,
          unitPrice: 3150,
          total: 3150,
        })),
        totals: { subtotal: 3150, discount: 0, shipping: 0, tax: 503, taxIncluded: true, total: 3150 },
        moneyBack: 0,
        difference: 0,
        order: null,
        draftId: null,
        refund: null,
        return: received,
      },
    },
  },
  closeAdminReturn: { path: { returnId: sampleId('return') }, body: { idempotencyKey }, reply: { data: closed } },
}
