import { addressSample, cancellationSample, orderSample as openOrder, orderSummarySample } from '../../open/samples.ts'
import { sampleId } from '../../sampleid.ts'
import type { AdminChange } from '../changes.ts'
import type { AdminFulfillment, AdminOrder, orderOperationRows } from '../orders.ts'
import type { AdminExamples } from '../row.ts'

const idempotencyKey = '0d2b8a34-6c1f-4a0e-9d57-3f1b7f6f2a10'
const placed = {
  city: 'Berlin',
  country: 'DE',
  installation: { id: sampleId('installation'), name: 'Web shop' },
}

const { statusUrl: _, withdrawalUrl: __, ...shown } = openOrder
const [item] = openOrder.items
const fulfillment: AdminFulfillment = {
  id: sampleId('fulfillment'),
  carrier: 'DHL',
  trackingNumber: '00340434161094042557',
  trackingUrl: 'https://www.dhl.com/global-en/home/tracking.html?submit=1&tracking-id=00340434161094042557',
  items: item ? [{ skuId: item.skuId, quantity: item.quantity }] : [],
  at: '2026-03-03T08:02:11.000Z',
}

const change: AdminChange = {
  id: sampleId('change'),
  at: fulfillment.at,
  mode: 'test',
  actor: { kind: 'key', id: sampleId('credential'), name: 'Warehouse' },
  operation: 'fulfilAdminOrder',
  requestId: sampleId('request'),
  changes: [
    {
      kind: 'change',
      subject: { type: 'order', id: openOrder.id, name: openOrder.number },
      members: [
        { member: 'status', from: 'placed', to: 'completed' },
        { member: 'fulfillmentStatus', from: 'unfulfilled', to: 'fulfilled' },
      ],
    },
  ],
  changesCount: 1,
  undoes: null,
  undoneBy: null,
}

export const trackingChange: AdminChange = {
  ...change,
  id: sampleId('change', 2),
  operation: 'updateAdminFulfillment',
  changes: [
    {
      kind: 'change',
      subject: { type: 'fulfillment', id: fulfillment.id, name: openOrder.number },
      members: [{ member: 'trackingNumber', from: '00340434161094042557', to: '00340434161094042558' }],
    },
  ],
}

export const adminOrder: AdminOrder = {
  ...shown,
  items: openOrder.items.map((line) => ({ ...line, image: null })),
  ...placed,
  customerId: sampleId('customer'),
  exchangeOf: null,
  agent: null,
  openChange: null,
  vat: null,
  payments: openOrder.payments.map((payment) => ({ ...payment, instrument: null, reference: null, providerUrl: null })),
  refunds: [],
  disputes: [],
  moneyReceived: null,
  fulfillments: [],
  notes: [],
  allowed: ['fulfilAdminOrder', 'cancelAdminOrder', 'refundAdminOrder'],
  changes: [],
}

const sent: AdminOrder = {
  ...adminOrder,
  status: 'completed',
  fulfillmentStatus: 'fulfilled',
  items: adminOrder.items.map((line) => ({ ...line, fulfilled: line.quantity })),
  fulfillments: [fulfillment],
  cancellable: false,
  allowed: ['refundAdminOrder'],
  changes: [change],
}

export const orderExamples: AdminExamples<typeof orderOperationRows> = {
  listAdminOrders: {
    path: {},
    query: { toSend: true },
    body: undefined,
    reply: { data: [{ ...orderSummarySample, ...placed, agent: null, refunded: 0 }], meta: { count: 1, next: null } },
  },
  getAdminOrder: { path: { orderId: openOrder.id }, body: undefined, reply: { data: adminOrder } },
  getAdminOrderNames: {
    path: {},
    query: { orderIds: openOrder.id },
    body: undefined,
    reply: { data: [{ orderId: openOrder.id, name: addressSample.name }] },
  },
  getAdminOrderCustomer: {
    path: { orderId: openOrder.id },
    body: undefined,
    reply: {
      data: {
        name: addressSample.name,
        email: 'ada@example.com',
        phone: null,
        vatId: null,
        address: addressSample,
        label: [
          addressSample.name,
          addressSample.line1,
          `${addressSample.postalCode} ${addressSample.city}`,
          'GERMANY',
        ],
        addressFields: [
          { name: 'country', required: true },
          { name: 'name', required: true },
          { name: 'company', required: false },
          { name: 'line1', required: true },
          { name: 'line2', required: false },
          { name: 'postalCode', required: true },
          { name: 'city', required: true },
          { name: 'phone', required: false },
        ],
      },
    },
  },
  fulfilAdminOrder: {
    path: { orderId: openOrder.id },
    body: { idempotencyKey, carrier: 'DHL', trackingNumber: '00340434161094042557' },
    reply: { data: { order: sent, fulfillment } },
  },
  updateAdminFulfillment: {
    path: { orderId: openOrder.id, fulfillmentId: fulfillment.id },
    body: { idempotencyKey, trackingNumber: '00340434161094042558' },
    reply: { data: { ...fulfillment, trackingNumber: '00340434161094042558' } },
  },
  fulfilAdminOrders: {
    path: {},
    body: { idempotencyKey, rows: [{ orderId: openOrder.id, trackingNumber: '00340434161094042557' }], dryRun: true },
    reply: {
      data: [{ id: openOrder.id, outcome: 'done', code: null, message: null, changes: change.changes }],
      meta: { done: 1, unchanged: 0, refused: 0, dryRun: true },
    },
  },
  recordAdminMoney: {
    path: { orderId: openOrder.id },
    body: { idempotencyKey, amount: 1000 },
    reply: { data: adminOrder },
  },
  returnAdminOrder: {
    path: { orderId: openOrder.id },
    body: { idempotencyKey, restock: true },
    reply: { data: adminOrder },
  },
  payAdminOrder: { path: { orderId: openOrder.id }, body: { idempotencyKey }, reply: { data: adminOrder } },
  cancelAdminOrder: {
    path: { orderId: openOrder.id },
    body: { idempotencyKey, reason: 'customer_request' },
    reply: {
      data: {
        cancellation: cancellationSample,
        order: { ...adminOrder, status: 'cancelled', cancellation: cancellationSample, allowed: [] },
      },
    },
  },
  addAdminOrderNote: {
    path: { orderId: openOrder.id },
    body: { idempotencyKey, text: 'Asked for red paper.' },
    reply: {
      data: { id: sampleId('orderNote'), text: 'Asked for red paper.', actor: change.actor, at: fulfillment.at },
    },
  },
  refundAdminOrder: {
    path: { orderId: openOrder.id },
    body: { idempotencyKey, items: item ? [{ skuId: item.skuId, quantity: 1 }] : [], restock: true, dryRun: true },
    reply: { data: { amount: 3150, refund: null, restocked: [], order: adminOrder } },
  },
}
