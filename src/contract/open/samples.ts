// The resources from which the examples of the reference are made: one small flower shop. Every value fits its schema.

import { limits } from '../limits.ts'
import { sampleId } from '../sampleid.ts'
import type { Address, Cart } from './carts.ts'
import type { Category, Product, ProductSummary } from './catalog.ts'
import type { CheckoutSession } from './checkout.ts'
import type { Credential } from './identity.ts'
import type { Order, OrderCancellation, OrderSummary } from './orders.ts'
import type { Return } from './returns.ts'
import type { WebhookDelivery, WebhookEndpoint } from './webhooks.ts'

const createdAt = '2026-03-02T09:15:00.000Z'
const updatedAt = '2026-03-02T09:20:31.250Z'
const eur = (amount: number) => ({ amount, currency: 'EUR' })

export const credentialSample: Credential = {
  type: 'api_key',
  id: sampleId('credential'),
  name: 'Storefront',
  prefix: 'cwk_test_4kT9wQz7Lm2X',
  last4: 'f0Qa',
  scopes: ['catalog:read', 'checkout:quote'],
  status: 'active',
  createdAt,
  expiresAt: null,
  lastUsedAt: updatedAt,
}

export const identitySample = {
  credential: credentialSample,
  installation: {
    id: sampleId('installation'),
    name: 'Web shop',
    mode: 'test' as const,
    status: 'active' as const,
    createdAt,
  },
  app: null,
  merchant: { id: sampleId('merchant'), slug: 'bloom', name: 'Bloom', currency: 'EUR', country: 'DE' },
  limits: {
    requestsPerSecond: 100,
    burst: 200,
    bodyBytesMax: limits.bodyBytesMax,
    cartLinesMax: limits.cartLinesMax,
    quantityMax: limits.quantityMax,
  },
}

export const categorySample: Category = {
  id: sampleId('category'),
  slug: 'bouquets',
  name: 'Bouquets',
  description: '',
  parentId: null,
  path: ['bouquets'],
  position: 1,
  productCount: 12,
  imageUrl: null,
  updatedAt,
}

export const productSummarySample: ProductSummary = {
  id: sampleId('product'),
  slug: 'red-roses',
  name: 'Red roses',
  brand: 'Rosenhof',
  summary: 'Long-stemmed roses, tied by hand.',
  categories: ['bouquets'],
  imageUrl: 'https://shop.bloom.test/media/red-roses.jpg',
  imageAlt: 'A bouquet of red roses',
  priceRange: { min: eur(3500), max: eur(5900) },
  priorPrice: null,
  availability: 'in_stock',
  skuCount: 2,
  tags: ['gift'],
  publishedAt: createdAt,
  updatedAt,
}

const sku = {
  id: sampleId('sku'),
  code: 'ROSE-12',
  name: '12 stems',
  options: [{ name: 'Size', value: '12' }],
  price: eur(3500),
  compareAtPrice: null,
  priorPrice: null,
  measure: null,
  availability: 'in_stock' as const,
  availableQuantity: 40,
  maxPerOrder: 10,
  requiresShipping: true,
  weightGrams: 900,
  imageUrl: null,
}

export const productSample: Product = {
  ...productSummarySample,
  description: 'Twelve or twenty-four roses from the region.',
  merchant: { slug: 'bloom', name: 'Bloom' },
  media: [
    { url: 'https://shop.bloom.test/media/red-roses.jpg', alt: 'A bouquet of red roses', width: 1200, height: 900 },
  ],
  options: [{ name: 'Size', values: ['12', '24'] }],
  skus: [
    { ...sku, measure: { amount: 12, unit: 'piece', per: 'piece', price: eur(292) } },
    {
      ...sku,
      id: sampleId('sku', 2),
      code: 'ROSE-24',
      name: '24 stems',
      options: [{ name: 'Size', value: '24' }],
      price: eur(5900),
      compareAtPrice: eur(6500),
      priorPrice: eur(6200),
      availability: 'low_stock',
      availableQuantity: 3,
      weightGrams: 1700,
    },
  ],
  metadata: { season: 'spring' },
}

export const cartSample: Cart = {
  id: sampleId('cart'),
  version: 7,
  status: 'open',
  currency: 'EUR',
  items: [
    {
      skuId: sampleId('sku'),
      code: 'ROSE-12',
      productSlug: 'red-roses',
      name: 'Red roses',
      options: [{ name: 'Size', value: '12' }],
      imageUrl: 'https://shop.bloom.test/media/red-roses.jpg',
      quantity: 2,
      unitPrice: 3500,
      subtotal: 7000,
      discount: 700,
      tax: 1006,
      total: 6300,
      availability: 'in_stock',
      availableQuantity: 40,
      maxQuantity: 10,
    },
  ],
  itemCount: 2,
  promotion: { state: 'applied', code: 'WELCOME10', amount: 700 },
  address: { token: sampleId('address'), summary: 'Berlin, DE', expiresAt: '2026-04-01T09:20:31.250Z' },
  shipping: { optionId: 'standard', options: [{ id: 'standard', label: 'Standard', amount: 490 }] },
  totals: { subtotal: 7000, discount: 700, shipping: 490, tax: 1084, taxIncluded: true, total: 6790 },
  messages: [],
  checkoutSessionId: null,
  orderId: null,
  metadata: {},
  createdAt,
  updatedAt,
  expiresAt: '2026-04-01T09:20:31.250Z',
}

export const addressSample: Address = {
  name: 'Ada Example',
  line1: 'Lindenstraße 7',
  city: 'Berlin',
  postalCode: '10969',
  country: 'DE',
}

export const sessionSample: CheckoutSession = {
  id: sampleId('checkoutSession'),
  version: 1,
  status: 'open',
  paymentStatus: 'unpaid',
  url: 'https://shop.bloom.test/c/Qm9fZ0s3d1JxV2xhT2VJY1p0bXl4dUhqNnNQa0VtTnE',
  cartId: cartSample.id,
  orderId: null,
  statusUrl: null,
  withdrawalUrl: null,
  mode: 'test',
  currency: cartSample.currency,
  locale: 'auto',
  items: cartSample.items,
  totals: cartSample.totals,
  promotion: cartSample.promotion,
  shipping: cartSample.shipping,
  customer: { emailMasked: 'a***@example.com' },
  address: cartSample.address,
  hold: { status: 'held', expiresAt: '2026-03-02T09:35:31.250Z' },
  messages: [],
  successUrl: 'https://shop.bloom.test/thanks',
  cancelUrl: null,
  clientReferenceId: 'visit-8841',
  metadata: {},
  cancellation: null,
  lastPaymentError: null,
  createdAt: updatedAt,
  updatedAt,
  expiresAt: '2026-03-02T09:50:31.250Z',
  completedAt: null,
  cancelledAt: null,
}

const placedAt = '2026-03-02T09:24:10.004Z'

export const orderSummarySample: OrderSummary = {
  id: sampleId('order'),
  number: 'T-1042',
  mode: 'test',
  status: 'placed',
  paymentStatus: 'paid',
  fulfillmentStatus: 'unfulfilled',
  currency: 'EUR',
  total: 6790,
  itemCount: 2,
  checkoutSessionId: sessionSample.id,
  cartId: cartSample.id,
  clientReferenceId: 'visit-8841',
  customer: { emailMasked: 'a***@example.com' },
  version: 1,
  placedAt,
  updatedAt: placedAt,
}

export const orderSample: Order = {
  ...orderSummarySample,
  items: [
    {
      skuId: sampleId('sku'),
      code: 'ROSE-12',
      productSlug: 'red-roses',
      name: 'Red roses',
      options: [{ name: 'Size', value: '12' }],
      quantity: 2,
      fulfilled: 0,
      unitPrice: 3500,
      subtotal: 7000,
      discount: 700,
      tax: 1006,
      total: 6300,
    },
  ],
  totals: { ...cartSample.totals, refunded: 0, refundPending: 0 },
  promotion: { code: 'WELCOME10', name: 'Welcome', type: 'percentage', amount: 700 },
  shippingAddress: { token: sampleId('address'), summary: 'Berlin, DE' },
  shipping: { optionId: 'standard', label: 'Standard', amount: 490 },
  payments: [
    {
      id: sampleId('payment'),
      provider: 'sandbox',
      method: 'card',
      brand: 'visa',
      last4: '4242',
      amount: 6790,
      status: 'succeeded',
      createdAt: placedAt,
    },
  ],
  paymentDueAt: null,
  refunds: [],
  fulfillments: [],
  cancellation: null,
  timeline: [
    { at: placedAt, type: 'placed', cancelledBy: null },
    { at: placedAt, type: 'paid', cancelledBy: null },
  ],
  cancellable: true,
  metadata: {},
  statusUrl: null,
  withdrawalUrl: null,
}

export const cancellationSample: OrderCancellation = {
  id: sampleId('cancellation'),
  orderId: orderSample.id,
  status: 'refund_pending',
  reason: 'customer_request',
  note: null,
  restocked: [{ skuId: sampleId('sku'), quantity: 2 }],
  refund: { id: sampleId('refund'), amount: 6790, currency: 'EUR', status: 'pending' },
  createdAt: '2026-03-02T11:02:45.118Z',
}

export const deliverySample: WebhookDelivery = {
  id: sampleId('webhookDelivery'),
  eventId: sampleId('event'),
  eventType: 'order.placed',
  status: 'failed',
  attempts: 12,
  lastStatusCode: 503,
  lastError: 'The receiver answered 503.',
  nextAttemptAt: null,
  createdAt: placedAt,
}

export const endpointSample: WebhookEndpoint = {
  id: sampleId('webhookEndpoint'),
  url: 'https://shop.bloom.test/hooks',
  description: 'Orders to the warehouse',
  status: 'enabled',
  events: ['order.*'],
  secretHint: '…q8Zs',
  secretRotation: { active: false, previousExpiresAt: null },
  health: { lastSuccessAt: updatedAt, lastFailureAt: placedAt, consecutiveFailures: 1, pending: 0 },
  recentDeliveries: [deliverySample],
  createdAt,
  updatedAt,
}

export const returnSample: Return = {
  id: sampleId('return'),
  number: `${orderSample.number}-R1`,
  orderId: orderSample.id,
  orderNumber: orderSample.number,
  mode: orderSample.mode,
  version: 1,
  status: 'requested',
  reason: 'damaged',
  wish: 'refund',
  openedBy: 'shopper',
  items: orderSample.items.map(({ skuId, code, name, options }) => ({
    ...{ skuId, code, name, options },
    quantity: 1,
    received: 0,
    restocked: 0,
  })),
  exchanges: [],
  answer: null,
  labelUrl: null,
  requestedAt: '2026-03-09T17:40:00.000Z',
  updatedAt: '2026-03-09T17:40:00.000Z',
}
