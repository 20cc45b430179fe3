import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrderStatusView } from '../../domain/checkout/port.ts'
import { speakerFor } from '../languages/language.ts'
import { orderPage } from './order.ts'

const order: OrderStatusView = {
  merchant: {
    slug: 'bloom',
    name: 'Bloom',
    country: 'DE',
    timeZone: 'UTC',
    supportEmail: null,
    logo: null,
    color: null,
    look: null,
    links: {},
    offersWithdrawal: false,
    showsGuarantee: false,
    textKinds: [],
    guaranteeNotices: {},
  },
  number: '1084',
  mode: 'live',
  status: 'completed',
  paymentStatus: 'paid',
  fulfillmentStatus: 'fulfilled',
  currency: 'EUR',
  locale: 'en',
  items: [
    {
      skuId: 'sku_1',
      name: 'Shirt',
      options: [],
      imageUrl: null,
      quantity: 1,
      fulfilled: 1,
      returnable: 0,
      unitPrice: 1_000,
      measure: null,
      withdrawalExempt: null,
      subtotal: 5_145,
    },
  ],
  returns: [],
  totals: {
    subtotal: 5_145,
    discount: 772,
    shipping: 0,
    tax: 0,
    taxIncluded: true,
    total: 4_373,
    refunded: 0,
    refundPending: 0,
  },
  shippingLabel: null,
  addressSummary: null,
  awaited: null,
  fulfillments: [
    {
      carrier: 'UPS',
      trackingNumber: '1Z1',
      trackingUrl: 'https://ups.example/?a=1&b=2',
      at: '2026-06-01T12:00:00.000Z',
    },
  ],
  timeline: [],
  isOverdue: false,
  placedAt: '2026-06-01T12:00:00.000Z',
}
const shown = (view: OrderStatusView) => orderPage(speakerFor('en', undefined), view, '/o/secret', false)
const heading = (page: string) => /<h1>([^<]*)<\/h1>/.exec(page)?.[1]

test('lines show their amounts before the discount, and the discounted total is shown only once', () => {
  const page = shown(order)
  assert.match(page, /item-amount">€51\.45</)
  assert.deepEqual(page.match(/€43\.73/g)?.length, 1)
})

test('an order is shown as being prepared, on its way after it was shipped, or complete if it has no shipment', () => {
  assert.equal(heading(shown(order)), 'Your order is on its way')
  assert.equal(heading(shown({ ...order, fulfillments: [] })), 'Your order is complete')
  assert.equal(heading(shown({ ...order, status: 'processing' })), 'Your order is being prepared')
})

test('a shipment has its tracking link, which sends no referrer', () => {
  assert.match(
    shown(order),
    /<a href="https:\/\/ups\.example\/\?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">Track the parcel<\/a>/,
  )
})
