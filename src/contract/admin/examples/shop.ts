import { sampleId } from '../../sampleid.ts'
import type { AdminSubjectChange } from '../changes.ts'
import type { AdminExamples } from '../row.ts'
import type { AdminShop, shopOperationRows } from '../shop.ts'

const idempotencyKey = 'b2a1f2be-7f4a-4f51-8a0d-0d5a0f6d7e44'

const shop: AdminShop = {
  id: sampleId('merchant'),
  version: 3,
  shop: {
    slug: 'bloom',
    name: 'Bloom',
    currency: 'EUR',
    country: 'DE',
    pricesIncludeTax: true,
    shippingTax: null,
    customerNames: 'shown',
    lowStockAt: 5,
    supportEmail: 'help@bloom.test',
    logo: null,
    color: '#2c4c3e',
    links: { terms: 'https://bloom.test/terms' },
    synonyms: [['sofa', 'couch']],
  },
  timeZone: 'Europe/Berlin',
  taxes: [{ country: 'DE', class: 'standard', rate: 1900 }],
  shipping: [
    { zone: 'home', countries: ['DE'], options: [{ id: 'standard', label: 'Standard', amount: 490, freeFrom: 5000 }] },
  ],
  paymentMethods: [
    { provider: 'bank_transfer', enabled: true, instructions: 'DE02 1203 0000 0000 2020 51', termDays: 14 },
  ],
  paymentAccounts: [
    {
      id: sampleId('paymentAccount'),
      provider: 'stripe',
      mode: 'live',
      account: 'acct_1Bloom',
      name: 'Bloom',
      receivesNotices: true,
      problems: [],
      createdAt: '2026-06-01T12:00:00.000Z',
      endedAt: null,
    },
  ],
}

const changes: AdminSubjectChange[] = [
  {
    kind: 'change',
    subject: { type: 'taxes', id: shop.id, name: 'bloom' },
    members: [{ member: 'DE standard', from: 1600, to: 1900 }],
  },
]

export const shopExamples: AdminExamples<typeof shopOperationRows> = {
  getAdminShop: { path: {}, body: undefined, reply: { data: shop } },
  updateAdminShop: {
    path: {},
    body: { idempotencyKey, expectedVersion: 2, supportEmail: 'help@bloom.test', timeZone: 'Europe/Berlin' },
    reply: { data: shop, changes: [] },
  },
  replaceAdminTaxes: {
    path: {},
    body: { idempotencyKey, expectedVersion: 2, taxes: [{ country: 'DE', rate: 1900 }] },
    reply: { data: shop, changes },
  },
  replaceAdminShipping: {
    path: {},
    body: { idempotencyKey, expectedVersion: 2, shipping: shop.shipping, dryRun: true },
    reply: { data: shop, changes: [] },
  },
  updateAdminPaymentProvider: {
    path: { provider: 'bank_transfer' },
    body: { idempotencyKey, expectedVersion: 2, enabled: true, instructions: 'DE02 1203 0000 0000 2020 51' },
    reply: { data: shop, changes: [] },
  },
}
