import { addressSample, orderSample } from '../../open/samples.ts'
import { sampleId } from '../../sampleid.ts'
import type { CustomerNote, CustomerSummary, customerOperationRows } from '../customers.ts'
import type { AdminExamples } from '../row.ts'

const idempotencyKey = '3f6b5c1e-9d0a-4d43-8a53-0f2c6c1d7e21'
const customerId = sampleId('customer')
const { statusUrl: _, withdrawalUrl: __, ...shown } = orderSample

const customer: CustomerSummary = {
  id: customerId,
  emailMasked: 'a…@example.com',
  city: 'Berlin',
  country: 'DE',
  currency: orderSample.currency,
  orderCount: 3,
  spent: 15_470,
  firstOrderAt: '2026-01-14T09:12:05.000Z',
  lastOrderAt: '2026-03-02T10:14:31.000Z',
  eraseAskedAt: null,
}

const note: CustomerNote = {
  id: sampleId('orderNote'),
  text: 'Prefers to be called in the afternoon.',
  actor: { kind: 'key', id: sampleId('credential'), name: 'Warehouse' },
  at: '2026-03-03T08:02:11.000Z',
}

const consent = {
  kind: 'digital_content',
  at: '2026-03-02T08:00:00.000Z',
  textVersion: '1',
  language: 'en',
  orderId: orderSample.id,
  orderNumber: orderSample.number,
} as const

export const customerExamples: AdminExamples<typeof customerOperationRows> = {
  listAdminCustomers: {
    path: {},
    query: { q: 'lovelace' },
    body: undefined,
    reply: { data: [customer], meta: { count: 1, next: null } },
  },
  getAdminCustomer: {
    path: { customerId },
    body: undefined,
    reply: { data: { ...customer, consents: [consent], notes: [note], changes: [] } },
  },
  getAdminCustomerDetails: {
    path: { customerId },
    body: undefined,
    reply: {
      data: {
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        phone: null,
        addresses: [
          {
            address: addressSample,
            label: ['Ada Lovelace', 'Unter den Linden 1', '10117 Berlin', 'GERMANY'],
            lastOrderAt: customer.lastOrderAt,
          },
        ],
      },
    },
  },
  getAdminCustomerData: {
    path: { customerId },
    body: undefined,
    reply: {
      data: {
        shop: 'Bloom',
        email: 'ada@example.com',
        createdAt: '2026-03-04T08:00:00.000Z',
        addressBook: [{ address: addressSample, isDefault: true, savedAt: '2026-03-02T08:00:00.000Z' }],
        passkeys: [{ createdAt: '2026-03-02T08:00:00.000Z', usedAt: null }],
        orders: [
          {
            ...shown,
            customer: { email: 'ada@example.com', name: 'Ada Lovelace', phone: '' },
            address: addressSample,
            returns: [],
          },
        ],
      },
    },
  },
  addAdminCustomerNote: {
    path: { customerId },
    body: { idempotencyKey, text: note.text },
    reply: { data: note },
  },
  eraseAdminCustomer: {
    path: { customerId },
    body: { idempotencyKey, dryRun: true },
    reply: { data: { orders: 2, kept: [{ id: orderSample.id, number: orderSample.number }] } },
  },
}
