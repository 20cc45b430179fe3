// One example for each operation and for each kind of event, typed by their schemas. The reference shows them.

import { sampleId } from '../sampleid.ts'
import type { BodyOf, PathOf, QueryOf, ReplyOf } from '../surface.ts'
import type { EventKind } from '../words.ts'
import type { Cart } from './carts.ts'
import type { CheckoutSession } from './checkout.ts'
import type { ShopperOrder } from './customers.ts'
import type { Event, EventDataOf } from './events.ts'
import type { OperationId, Operations } from './operations.ts'
import type { Order } from './orders.ts'
import type { Return } from './returns.ts'
import {
  addressSample,
  cancellationSample,
  cartSample,
  categorySample,
  credentialSample,
  deliverySample,
  endpointSample,
  identitySample,
  orderSample,
  orderSummarySample,
  productSample,
  productSummarySample,
  returnSample,
  sessionSample,
} from './samples.ts'
import type { ProductSearchResponse } from './search.ts'
import type { Site } from './site.ts'

type Examples = {
  [Id in OperationId]: {
    path: PathOf<Operations[Id]['path']>
    query?: QueryOf<Operations[Id]>
    body: BodyOf<Operations[Id]>
    reply: ReplyOf<Operations[Id]>
  }
}

const idempotencyKey = '5b0c2f1e-8f0e-4b5a-9a39-0f6f6f1d2c77'
const browserToken = 'f0yMZc0JkQb1xk1d3p9rj2nVb0mF6w8sQh4TtUe7LaE'
const sessionToken = 'Zb7Qm2xT9vK4hLr8Ny1Wc6Dg3Sf5JpA0uEoYiBtXkCw'
const savedAddressId = sampleId('customerAddress')
const { type: _, ...key } = credentialSample

const { id, number, status, paymentStatus, fulfillmentStatus, currency, total, itemCount, placedAt } =
  orderSummarySample
const customerOrder: ShopperOrder = {
  ...{ id, number, status, paymentStatus, fulfillmentStatus, currency, total, itemCount, placedAt },
  statusUrl: orderSample.statusUrl,
}

const fixtureBody = `{"id":"msg_fixture","type":"webhook.fixture","apiVersion":"v1"}`
const fixtureHeaders = {
  'webhook-id': 'msg_fixture',
  'webhook-timestamp': '1767225600',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
}

const site: Site = {
  merchant: { slug: 'bloom', name: 'Bloom', currency: 'EUR', country: 'DE' },
  mode: 'live',
  status: 'open',
  url: 'https://shop.example.com/shop',
  supportEmail: 'help@bloom.test',
  logo: null,
  color: '#2c4c3e',
  look: { font: 'classic', corners: 'round', density: 'airy', scheme: 'auto', palette: null },
  home: [
    {
      kind: 'hero',
      title: 'Cut this morning',
      bodyHtml: '<p>Delivered before noon.</p>',
      image: 'https://shop.example.com/media/3f9a1c2be07d4485a6f0c1b2d3e4f506.webp',
      imageAlt: 'A bucket of roses',
      link: { kind: 'category', target: 'bouquets', label: 'See the bouquets' },
    },
    { kind: 'products', title: 'New', source: 'newest', limit: 8 },
  ],
  menus: { head: [{ kind: 'category', target: 'bouquets', label: '' }], foot: null },
  links: { terms: 'https://bloom.test/terms' },
  legal: { name: 'Bloom GmbH', address: ['Lindenstraße 3', '10969 Berlin'] },
  pricesIncludeTax: true,
  withdrawalUrl: 'https://shop.bloom.test/w/bloom',
  pages: [{ slug: 'about', title: 'About us', menu: 'foot' }],
  shipsTo: ['AT', 'DE'],
}

const found: ProductSearchResponse = {
  data: [productSummarySample],
  meta: {
    count: 1,
    next: null,
    total: 1,
    correctedTo: null,
    leftOut: [],
    facets: {
      categories: [{ slug: categorySample.slug, name: categorySample.name, count: 1 }],
      brands: [{ name: 'Rosenhof', count: 1 }],
      options: [
        {
          name: 'Size',
          values: [
            { value: '12', count: 1 },
            { value: '24', count: 1 },
          ],
        },
      ],
      price: productSummarySample.priceRange,
      inStock: 1,
    },
  },
}

export const openInterfaceExamples: Examples = {
  listInstallationWebhooks: {
    path: {},
    body: undefined,
    reply: { data: { kind: 'webhook_endpoints', endpoints: [endpointSample] } },
  },
  getInstallationWebhookSignatureFixture: {
    path: { id: endpointSample.id },
    body: undefined,
    reply: {
      data: {
        kind: 'webhook_signature_fixture',
        endpointId: endpointSample.id,
        spec: 'standard-webhooks/1.0.0',
        algorithm: 'hmac-sha256',
        headers: { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' },
        signedContent: '{webhook-id}.{webhook-timestamp}.{body}',
        toleranceSeconds: 300,
        secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgD0xFYQs=',
        vectors: [
          {
            name: 'valid',
            expect: 'accept',
            now: 1767225601,
            headers: fixtureHeaders,
            body: fixtureBody,
            bodyBase64: btoa(fixtureBody),
          },
          {
            name: 'too old',
            expect: 'reject',
            now: 1767225901,
            headers: fixtureHeaders,
            body: fixtureBody,
            bodyBase64: btoa(fixtureBody),
          },
        ],
        fresh: { headers: fixtureHeaders, body: fixtureBody, expiresAt: '2026-01-01T00:05:00.000Z' },
        liveCheck: { headers: fixtureHeaders, body: fixtureBody },
      },
    },
  },
  replayInstallationWebhookDelivery: {
    path: { id: deliverySample.id },
    body: { idempotencyKey, reason: 'The warehouse was down.' },
    reply: {
      data: {
        kind: 'webhook_replay',
        delivery: {
          id: sampleId('webhookDelivery', 2),
          replayOf: deliverySample.id,
          endpointId: endpointSample.id,
          eventId: deliverySample.eventId,
          eventType: deliverySample.eventType,
          status: 'pending',
          attempts: 0,
          nextAttemptAt: '2026-03-04T08:00:00.000Z',
        },
      },
    },
  },
  createHostedCheckoutSession: {
    path: {},
    body: {
      idempotencyKey,
      items: [{ skuId: sampleId('sku'), quantity: 2 }],
      customer: { email: 'ada@example.com' },
      promotionCode: 'WELCOME10',
      successUrl: sessionSample.successUrl,
      clientReferenceId: 'visit-8841',
    },
    reply: { data: sessionSample },
  },
  getHostedCheckoutSession: { path: { sessionId: sessionSample.id }, body: undefined, reply: { data: sessionSample } },
  cancelHostedCheckoutSession: {
    path: { sessionId: sessionSample.id },
    body: { idempotencyKey, reason: 'customer_request' },
    reply: {
      data: {
        ...sessionSample,
        version: 2,
        status: 'cancelled',
        url: null,
        hold: { status: 'released', expiresAt: null },
        cancellation: { reason: 'customer_request', note: null, by: 'api' },
        cancelledAt: '2026-03-02T09:31:00.000Z',
      },
    },
  },
  getInstallationCredentialIdentity: { path: {}, body: undefined, reply: { data: identitySample } },
  listApiKeyCatalogCategories: {
    path: {},
    body: undefined,
    reply: { data: [categorySample], meta: { count: 1, next: null } },
  },
  listApiKeyCatalogProducts: {
    path: {},
    body: undefined,
    reply: { data: [productSummarySample], meta: { count: 1, next: null } },
  },
  getApiKeyCatalogProduct: { path: { slug: productSample.slug }, body: undefined, reply: { data: productSample } },
  getPublicMerchantProduct: {
    path: { merchantSlug: productSample.merchant.slug, productSlug: productSample.slug },
    body: undefined,
    reply: {
      data: {
        ...productSample,
        skus: productSample.skus.map((sku) => ({ ...sku, availableQuantity: null })),
        metadata: {},
      },
    },
  },
  listStorefrontOrders: { path: {}, body: undefined, reply: { data: { orders: [orderSummarySample], next: null } } },
  getStorefrontOrder: {
    path: { orderId: orderSample.id },
    body: undefined,
    reply: {
      data: {
        ...orderSample,
        statusUrl: 'https://shop.bloom.test/o/d0RrX2hTM3VqVzZxTFlfbVZ0MTNaYVBrMU5nOEVyQ2I',
        withdrawalUrl: 'https://shop.bloom.test/w/bloom?order=1001',
      },
    },
  },
  cancelStorefrontOrder: {
    path: { orderId: orderSample.id },
    body: { idempotencyKey, expectedVersion: 1, reason: 'customer_request' },
    reply: {
      data: {
        cancellation: cancellationSample,
        order: {
          ...orderSummarySample,
          status: 'cancelled',
          paymentStatus: 'refunding',
          version: 2,
          updatedAt: cancellationSample.createdAt,
        },
      },
    },
  },
  getPublicCart: { path: { cartId: cartSample.id }, body: undefined, reply: { data: cartSample } },
  updatePublicCartItemQuantity: {
    path: { cartId: cartSample.id, skuId: sampleId('sku') },
    body: { idempotencyKey, quantity: 2, expectedVersion: 6 },
    reply: { data: cartSample },
  },
  removePublicCartItem: {
    path: { cartId: cartSample.id, skuId: sampleId('sku', 2) },
    body: { idempotencyKey },
    reply: { data: cartSample },
  },
  applyPublicCartPromotion: {
    path: { cartId: cartSample.id },
    body: { idempotencyKey, code: 'WELCOME10' },
    reply: {
      data: {
        cartId: cartSample.id,
        cartVersion: 7,
        promotion: {
          state: 'applied',
          code: 'WELCOME10',
          name: 'Welcome',
          type: 'percentage',
          amount: 700,
          allocations: [{ skuId: sampleId('sku'), amount: 700 }],
          reason: null,
          conditions: {
            minimumSubtotal: null,
            startsAt: null,
            endsAt: null,
            eligibleCategories: [],
            eligibleSkuIds: [],
          },
        },
        totals: cartSample.totals,
      },
    },
  },
  setPublicCartAddress: {
    path: { cartId: cartSample.id },
    body: { idempotencyKey, address: addressSample },
    reply: {
      data: {
        cartId: cartSample.id,
        cartVersion: 7,
        addressToken: sampleId('address'),
        summary: { city: 'Berlin', region: null, country: 'DE', postalCodePrefix: '10' },
        expiresAt: cartSample.expiresAt,
        shippingOptions: cartSample.shipping.options,
        totals: cartSample.totals,
      },
    },
  },
  describeOAuthAuthorization: {
    path: {},
    body: undefined,
    reply: {
      data: {
        kind: 'oauth_authorization',
        issuer: 'https://shop.bloom.test',
        clientId: sampleId('app'),
        appName: 'Greeting cards',
        installationId: identitySample.installation.id,
        merchant: { id: identitySample.merchant.id, slug: identitySample.merchant.slug },
        scopes: ['catalog:read', 'checkout:quote'],
        grantedAt: '2026-03-02T09:15:00.000Z',
        tokenExpiresAt: '2026-03-02T09:25:00.000Z',
        endpoints: {
          authorization: 'https://shop.bloom.test/oauth/authorize',
          token: 'https://shop.bloom.test/oauth/token',
          pushedAuthorization: 'https://shop.bloom.test/oauth/par',
          revocation: 'https://shop.bloom.test/oauth/revoke',
          jwks: 'https://shop.bloom.test/oauth/jwks',
          installationKeys: 'https://shop.bloom.test/api/v1/oauth/installation-keys',
        },
        responseTypes: ['code'],
        grantTypes: ['authorization_code', 'refresh_token'],
        codeChallengeMethods: ['S256'],
        tokenEndpointAuthMethods: ['none', 'private_key_jwt'],
        dpop: {
          required: true,
          signingAlgs: ['ES256', 'EdDSA'],
          nonceRequired: true,
          jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I',
          iatWindowSeconds: 300,
        },
      },
    },
  },
  createPublicCart: {
    path: {},
    body: { idempotencyKey, items: [{ skuId: sampleId('sku'), quantity: 2 }] },
    reply: { data: cartSample },
  },
  putPublicCartItem: {
    path: { cartId: cartSample.id, skuId: sampleId('sku') },
    body: { idempotencyKey, quantity: 2 },
    reply: { data: cartSample },
  },
  setPublicCartShipping: {
    path: { cartId: cartSample.id },
    body: { idempotencyKey, optionId: 'standard' },
    reply: { data: cartSample },
  },
  estimatePublicCartShipping: {
    path: { cartId: cartSample.id },
    query: { country: 'DE' },
    body: undefined,
    reply: {
      data: {
        ...{ cartId: cartSample.id, cartVersion: cartSample.version, country: 'DE', requiresShipping: true },
        ...cartSample.shipping,
        totals: cartSample.totals,
      },
    },
  },
  createInstallationKey: {
    path: {},
    body: { idempotencyKey, name: 'Storefront', scopes: ['catalog:read', 'checkout:quote'] },
    reply: {
      data: { key: { ...key, lastUsedAt: null }, secret: `${key.prefix}9aKd03LsPwQ8xYb5Nf6RtUe1GhJvC2Zx${key.last4}` },
    },
  },
  listInstallationKeys: { path: {}, body: undefined, reply: { data: { keys: [key] } } },
  revokeInstallationKey: {
    path: { keyId: key.id },
    body: { idempotencyKey, reason: 'No longer used.' },
    reply: { data: { key: { ...key, status: 'revoked' } } },
  },
  searchCatalogProducts: { path: {}, query: { q: 'red ros', inStock: true }, body: undefined, reply: found },
  searchMerchantProducts: {
    path: { merchantSlug: productSample.merchant.slug },
    query: { q: 'red ros', inStock: true },
    body: undefined,
    reply: found,
  },
  listMerchantProducts: {
    path: { merchantSlug: productSample.merchant.slug },
    body: undefined,
    reply: { data: [productSummarySample], meta: { count: 1, next: null, total: 1 } },
  },
  listMerchantCategories: {
    path: { merchantSlug: productSample.merchant.slug },
    body: undefined,
    reply: { data: [categorySample], meta: { count: 1, next: null, total: 1 } },
  },
  listRelatedProducts: {
    path: { slug: productSample.slug },
    query: { limit: 4 },
    body: undefined,
    reply: { data: [productSummarySample], meta: { count: 1 } },
  },
  listSearchSuggestions: {
    path: {},
    query: { q: 'red ros' },
    body: undefined,
    reply: {
      data: {
        products: [productSummarySample],
        categories: [{ slug: categorySample.slug, name: categorySample.name, count: categorySample.productCount }],
        correctedTo: null,
      },
    },
  },
  getSite: { path: {}, body: undefined, reply: { data: site } },
  resolvePath: {
    path: {},
    query: { path: '/collections/bouquets' },
    body: undefined,
    reply: { data: { kind: 'moved', path: '/categories/bouquets' } },
  },
  getPage: {
    path: { slug: 'about' },
    body: undefined,
    reply: {
      data: {
        slug: 'about',
        title: 'About us',
        description: 'Who cuts the flowers.',
        bodyHtml: '<p>We cut in the morning and deliver before noon.</p>',
      },
    },
  },
  requestCustomerCode: {
    path: {},
    body: { idempotencyKey, email: 'ada@example.com', locale: 'de' },
    reply: { data: { browserToken, expiresAt: '2026-03-02T09:34:10.004Z' } },
  },
  openCustomerSession: {
    path: {},
    body: { idempotencyKey, browserToken, code: '481 205' },
    reply: { data: { session: { token: sessionToken, expiresAt: '2026-03-09T09:25:02.117Z' } } },
  },
  endCustomerSession: {
    path: {},
    body: { idempotencyKey, token: sessionToken },
    reply: { data: { ended: true } },
  },
  getCustomer: {
    path: {},
    body: undefined,
    reply: {
      data: {
        email: 'ada@example.com',
        mode: identitySample.installation.mode,
        accountUrl: 'https://shop.example.com/account/bloom/test',
      },
    },
  },
  listCustomerOrders: {
    path: {},
    body: undefined,
    reply: { data: [customerOrder], meta: { count: 1, next: null } },
  },
  listCustomerAddresses: {
    path: {},
    body: undefined,
    reply: {
      data: [
        {
          id: savedAddressId,
          address: addressSample,
          label: ['Ada Lovelace', 'Unter den Linden 1', '10117 Berlin', 'Germany'],
          isDefault: true,
        },
      ],
    },
  },
  addCustomerAddress: {
    path: {},
    body: { idempotencyKey, address: addressSample, isDefault: true },
    reply: { data: { id: savedAddressId } },
  },
  replaceCustomerAddress: {
    path: { addressId: savedAddressId },
    body: { idempotencyKey, address: addressSample },
    reply: { data: { id: savedAddressId } },
  },
  removeCustomerAddress: {
    path: { addressId: savedAddressId },
    body: { idempotencyKey },
    reply: { data: { id: savedAddressId } },
  },
  getMerchantSite: { path: { merchantSlug: site.merchant.slug }, body: undefined, reply: { data: site } },
}

const later = '2026-03-02T11:02:45.118Z'
const inEvents = { ...sessionSample, url: null }
const goneSession = { ...inEvents, version: 2, hold: { status: 'released', expiresAt: null } } as const
const { payments, items: orderItems } = orderSample
const placed: Order = {
  ...orderSample,
  paymentStatus: 'pending',
  timeline: [{ at: orderSample.placedAt, type: 'placed', cancelledBy: null }],
}
const paid: Order = { ...orderSample, version: 2 }
const edited: Order = {
  ...paid,
  version: 3,
  timeline: [...orderSample.timeline, { at: later, type: 'edited', cancelledBy: null }],
  updatedAt: later,
}
const processing: Order = {
  ...paid,
  version: 3,
  status: 'processing',
  timeline: [...orderSample.timeline, { at: later, type: 'processing', cancelledBy: null }],
  cancellable: false,
  updatedAt: later,
}
const fulfilled: Order = {
  ...processing,
  version: 4,
  fulfillmentStatus: 'fulfilled',
  items: orderItems.map((item) => ({ ...item, fulfilled: item.quantity })),
  fulfillments: [
    {
      carrier: 'DHL',
      trackingNumber: '00340434161094042557',
      trackingUrl: 'https://www.dhl.com/global-en/home/tracking.html?submit=1&tracking-id=00340434161094042557',
      items: orderItems.map(({ skuId, quantity }) => ({ skuId, quantity })),
      at: later,
    },
  ],
  timeline: [...processing.timeline, { at: later, type: 'fulfilled', cancelledBy: null }],
}
const completed: Order = {
  ...fulfilled,
  version: 5,
  status: 'completed',
  timeline: [...fulfilled.timeline, { at: later, type: 'completed', cancelledBy: null }],
}
// A completed order with cash on delivery that was never paid: its timeline contains `voided` but not `paid`.
const returned: Order = {
  ...completed,
  paymentStatus: 'voided',
  payments: payments.map((payment) => ({
    ...payment,
    provider: 'manual',
    method: 'cash_on_delivery',
    brand: null,
    last4: null,
    status: 'pending',
  })),
  timeline: [
    ...completed.timeline.filter(({ type }) => type !== 'paid'),
    { at: later, type: 'voided', cancelledBy: null },
  ],
}
const refunds: Order['refunds'] = payments.map(({ amount }) => ({
  id: sampleId('refund'),
  amount,
  currency: orderSample.currency,
  status: 'pending',
  createdAt: later,
}))
const cancelled: Order = {
  ...paid,
  version: 3,
  status: 'cancelled',
  paymentStatus: 'refunding',
  totals: { ...orderSample.totals, refundPending: orderSample.total },
  refunds,
  cancellation: cancellationSample,
  timeline: [
    ...orderSample.timeline,
    { at: later, type: 'cancelled', cancelledBy: 'api' },
    { at: later, type: 'refund_started', cancelledBy: null },
  ],
  cancellable: false,
  updatedAt: later,
}
const refunded: Order = {
  ...cancelled,
  version: 4,
  paymentStatus: 'refunded',
  totals: { ...orderSample.totals, refunded: orderSample.total },
  refunds: refunds.map((refund) => ({ ...refund, status: 'succeeded' })),
  cancellation: {
    ...cancellationSample,
    status: 'completed',
    refund: cancellationSample.refund && { ...cancellationSample.refund, status: 'succeeded' },
  },
  timeline: [...cancelled.timeline, { at: later, type: 'refunded', cancelledBy: null }],
}
const unrefunded: Order = {
  ...cancelled,
  version: 4,
  paymentStatus: 'paid',
  totals: orderSample.totals,
  refunds: refunds.map((refund) => ({ ...refund, status: 'failed' })),
  cancellation: {
    ...cancellationSample,
    status: 'refund_failed',
    refund: cancellationSample.refund && { ...cancellationSample.refund, status: 'failed' },
  },
  timeline: [...cancelled.timeline, { at: later, type: 'refund_failed', cancelledBy: null }],
}

const approvedReturn = { version: 2, status: 'approved', answer: 'Bloom, Hauptstr. 1, 10115 Berlin' } as const
const receivedReturn = {
  ...approvedReturn,
  version: 3,
  status: 'received',
  items: returnSample.items.map((item) => ({ ...item, received: 1 })),
} as const

// One example of each kind of event, as a receiver gets it. For most kinds the sequence equals the version of the resource in the data;
// events of stock and promotions have a sequence of their own.
const appFacts = {
  installation: { id: sampleId('installation', 2), name: 'Parcel Pigeon' },
  app: { id: sampleId('app'), name: 'Parcel Pigeon' },
}

export const eventExamples: Record<EventKind, Event> = {
  'cart.created': cartEvent('cart.created', { ...cartSample, version: 1 }),
  'cart.updated': cartEvent('cart.updated', cartSample),
  'cart.converted': cartEvent('cart.converted', {
    ...cartSample,
    version: 8,
    status: 'converted',
    address: null,
    checkoutSessionId: sessionSample.id,
    orderId: orderSample.id,
  }),
  'cart.expired': cartEvent('cart.expired', { ...cartSample, version: 8, status: 'expired' }),
  'checkout_session.created': sessionEvent('checkout_session.created', inEvents),
  'checkout_session.completed': sessionEvent('checkout_session.completed', {
    ...inEvents,
    version: 4,
    status: 'completed',
    paymentStatus: 'paid',
    orderId: orderSample.id,
    hold: { status: 'consumed', expiresAt: null },
    completedAt: orderSample.placedAt,
  }),
  'checkout_session.payment_failed': sessionEvent('checkout_session.payment_failed', {
    ...inEvents,
    version: 4,
    lastPaymentError: { code: 'declined', message: 'The payment was declined.', at: orderSample.placedAt },
  }),
  'checkout_session.cancelled': sessionEvent('checkout_session.cancelled', {
    ...goneSession,
    status: 'cancelled',
    cancellation: { reason: 'customer_request', note: null, by: 'api' },
    cancelledAt: orderSample.placedAt,
  }),
  'checkout_session.expired': sessionEvent('checkout_session.expired', { ...goneSession, status: 'expired' }),
  'order.placed': orderEvent('order.placed', placed),
  'order.paid': orderEvent('order.paid', paid),
  'order.processing': orderEvent('order.processing', processing),
  'order.fulfilled': orderEvent('order.fulfilled', fulfilled),
  'order.completed': orderEvent('order.completed', completed),
  'order.cancelled': orderEvent('order.cancelled', cancelled),
  'order.refunded': orderEvent('order.refunded', refunded),
  'order.refund_failed': orderEvent('order.refund_failed', unrefunded),
  'order.returned': orderEvent('order.returned', returned),
  'draft.created': draftEvent('draft.created', {}),
  'draft.updated': draftEvent('draft.updated', { version: 2, total: 7500 }),
  'draft.completed': draftEvent('draft.completed', { version: 3, status: 'paid', orderId: orderSample.id }),
  'draft.cancelled': draftEvent('draft.cancelled', { version: 2, status: 'cancelled' }),
  'draft.expired': draftEvent('draft.expired', { version: 2, status: 'expired' }),
  'order.edited': orderEvent('order.edited', edited),
  'document.issued': event('document.issued', { type: 'document', id: sampleId('document') }, 1, {
    document: {
      id: sampleId('document'),
      kind: 'invoice',
      number: '2026-000042',
      orderId: paid.id,
      day: '2026-06-01',
      currency: paid.currency,
      net: paid.totals.total - paid.totals.tax,
      tax: paid.totals.tax,
      total: paid.totals.total,
    },
  }),
  'return.requested': returnEvent('return.requested', {}),
  'return.approved': returnEvent('return.approved', approvedReturn),
  'return.refused': returnEvent('return.refused', { version: 2, status: 'refused', answer: 'It was worn.' }),
  'return.received': returnEvent('return.received', receivedReturn),
  'return.exchanged': returnEvent('return.exchanged', {
    ...receivedReturn,
    version: 4,
    exchanges: [
      { orderId: sampleId('order', 2), orderNumber: 'B-1002', credit: 3150, refunded: 0, paid: 0, at: later },
    ],
  }),
  'return.closed': returnEvent('return.closed', { ...receivedReturn, version: 4, status: 'closed' }),
  'withdrawal.received': event('withdrawal.received', { type: 'withdrawal', id: sampleId('withdrawal') }, 1, {
    withdrawal: {
      id: sampleId('withdrawal'),
      orderNumber: '1001',
      receivedAt: '2026-06-20T17:04:31.000Z',
      refundDueAt: '2026-07-04T17:04:31.000Z',
    },
  }),
  'inventory.low': stockEvent('inventory.low', 31, 5),
  'inventory.depleted': stockEvent('inventory.depleted', 32, 0),
  'inventory.replenished': stockEvent('inventory.replenished', 33, 24),
  'promotion.exhausted': event('promotion.exhausted', { type: 'promotion', id: sampleId('promotion') }, 51, {
    promotion: {
      id: sampleId('promotion'),
      code: 'WELCOME10',
      name: 'Welcome',
      type: 'percentage',
      usageLimit: 50,
      usageCount: 50,
    },
  }),
  'app.installed': event('app.installed', { type: 'installation', id: sampleId('installation', 2) }, 1, appFacts),
  'app.uninstalled': event('app.uninstalled', { type: 'installation', id: sampleId('installation', 2) }, 2, appFacts),
  'product.created': productEvent('product.created', 1),
  'product.updated': productEvent('product.updated', 2),
  'product.unpublished': productEvent('product.unpublished', 3),
  'promotion.created': promotionEvent('promotion.created', 1, 1),
  'promotion.updated': promotionEvent('promotion.updated', 19, 2),
  'shop.updated': event('shop.updated', { type: 'merchant', id: sampleId('merchant') }, 4, {
    shop: { id: sampleId('merchant'), slug: 'bloom', version: 4 },
  }),
  'webhook.endpoint_disabled': event(
    'webhook.endpoint_disabled',
    { type: 'webhook_endpoint', id: endpointSample.id },
    3,
    {
      endpoint: {
        id: endpointSample.id,
        url: endpointSample.url,
        description: endpointSample.description,
        status: 'disabled',
      },
      reason: 'failing',
    },
  ),
  'webhook.delivery_failed': event('webhook.delivery_failed', { type: 'webhook_delivery', id: deliverySample.id }, 1, {
    endpointId: endpointSample.id,
    delivery: deliverySample,
  }),
  'webhook.ping': event('webhook.ping', { type: 'webhook_endpoint', id: endpointSample.id }, 3, {
    endpointId: endpointSample.id,
    message: 'This is a test call that was asked for.',
  }),
  'webhook.fixture': {
    ...event('webhook.fixture', { type: 'webhook_endpoint', id: endpointSample.id }, 1, {
      endpointId: endpointSample.id,
      message: 'Signed with the live secret. Nothing happened.',
    }),
    // The id has another form than that of a real event, so no receiver takes the fixture for one.
    id: 'fixture_live_check',
  },
}

function cartEvent(kind: EventKind & `cart.${string}`, shown: Cart): Event {
  return event(kind, { type: 'cart', id: shown.id }, shown.version, { cart: shown })
}

function sessionEvent(kind: EventKind & `checkout_session.${string}`, shown: CheckoutSession): Event {
  return event(kind, { type: 'checkout_session', id: shown.id }, shown.version, { checkoutSession: shown })
}

function orderEvent(kind: EventKind & `order.${string}`, shown: Order): Event {
  return event(kind, { type: 'order', id: shown.id }, shown.version, { order: shown })
}

function draftEvent(
  kind: EventKind & `draft.${string}`,
  change: Partial<EventDataOf<'draft.created'>['draft']>,
): Event {
  const draft: EventDataOf<'draft.created'>['draft'] = {
    id: sampleId('draft'),
    version: 1,
    status: 'open',
    currency: orderSample.currency,
    total: 8190,
    checkoutSessionId: sessionSample.id,
    orderId: null,
    createdAt: '2026-03-02T09:24:10.004Z',
    expiresAt: '2026-03-09T09:24:10.004Z',
    ...change,
  }
  return event(kind, { type: 'draft', id: draft.id }, draft.version, { draft })
}

function returnEvent(kind: EventKind & `return.${string}`, change: Partial<Return>): Event {
  const shown = { ...returnSample, ...change }
  return event(kind, { type: 'return', id: shown.id }, shown.version, { return: shown })
}

function stockEvent(kind: EventKind & `inventory.${string}`, sequence: number, availableQuantity: number): Event {
  const sku = { id: sampleId('sku'), code: 'ROSE-12', productSlug: 'red-roses', name: 'Red roses' }
  return event(kind, { type: 'sku', id: sku.id }, sequence, { sku: { ...sku, availableQuantity, lowStockAt: 5 } })
}

function productEvent(kind: EventKind & `product.${string}`, version: number): Event {
  const id = sampleId('product')
  return event(kind, { type: 'product', id }, version, { product: { id, slug: 'red-roses', version } })
}

function promotionEvent(kind: 'promotion.created' | 'promotion.updated', sequence: number, version: number): Event {
  const id = sampleId('promotion')
  return event(kind, { type: 'promotion', id }, sequence, { promotion: { id, code: 'WELCOME10', version } })
}

function event<Kind extends EventKind>(
  type: Kind,
  subject: Event['subject'],
  sequence: number,
  data: EventDataOf<Kind>,
): Event {
  return {
    id: sampleId('event'),
    type,
    apiVersion: 'v1',
    timestamp: '2026-03-02T09:24:10.004Z',
    installationId: identitySample.installation.id,
    mode: identitySample.installation.mode,
    subject,
    sequence,
    // An event caused by a shopper's page names no operation; a webhook event names no request either.
    cause: type.startsWith('webhook.') ? null : { operationId: null, requestId: sampleId('request') },
    data,
  }
}
