// Orders for tests: placed as a completed checkout places them, without its page. The prices are those of a real cart,
// the stock is sold, and the test provider collects the money.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eventSchemas } from '../src/contract/open/events.ts'
import type { EventKind } from '../src/contract/words.ts'
import { storeEncryptedAddress } from '../src/domain/addresses/vault.ts'
import { createPricebooks } from '../src/domain/carts/pricebook.ts'
import { type PricedLine, priceCart } from '../src/domain/carts/pricing.ts'
import { listOffers, type Offer } from '../src/domain/carts/store.ts'
import { sellStock } from '../src/domain/inventory/sales.ts'
import { type NewOrder, placeOrder } from '../src/domain/orders/place.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { assignOrderNumber } from '../src/domain/orders/store.ts'
import { createProviders, type Providers } from '../src/domain/payments/port.ts'
import { manualProvider } from '../src/domain/payments/providers/manual/provider.ts'
import { createSandboxProvider } from '../src/domain/payments/providers/sandbox/provider.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'
import { buildCharge, insertPayment, listPaymentsOfOrder, savePayment } from '../src/domain/payments/store.ts'
import { countPromotionUse, findPromotionByCode } from '../src/domain/promotions/store.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { newId } from '../src/platform/kit/ids.ts'
import type { Tx } from '../src/platform/storage/storage.ts'
import { berlin, cartsOf, market } from './carts.ts'
import { returnUrls } from './returnUrls.ts'
import { issuesOf } from './schemas.ts'
import { rival } from './shops.ts'
import type { Given } from './storage.ts'
import { type Answer, openTestServer, type TestServer, type TestServerOptions, testSecret } from './testServer.ts'

export interface OrderInput {
  items?: Readonly<Record<string, number>>
  code?: string
  // The card that pays, or a payment that is still expected. Nothing is paid if the total is zero.
  card?: string
  isManual?: boolean
  // The method of the expected payment.
  method?: 'bank_transfer' | 'cash_on_delivery'
  // When the expected payment is due (default: no limit).
  paymentDueAt?: number
  isSent?: boolean
  // An earlier quote, so many orders can share one.
  quote?: OrderQuote
  now?: number
}

// What a cart of these items costs.
export type OrderQuote = Pick<
  NewOrder,
  | 'currency'
  | 'lines'
  | 'totals'
  | 'shippingTax'
  | 'shippingTaxRateBps'
  | 'shippingTaxes'
  | 'shipping'
  | 'promotion'
  | 'addressSummaryText'
  | 'consents'
>

export interface PlacedForTest {
  orderId: string
  number: string
  statusSecret: string
  sessionId: string
  cartId: string
  paymentId: string | null
  quote: OrderQuote
}

export interface Orders {
  providers: Providers
  quote(input?: OrderInput): Promise<OrderQuote>
  place(input?: OrderInput): Promise<PlacedForTest>
  read(orderId: string): Promise<Answer>
  cancel(orderId: string, more?: object, key?: string): Promise<Answer>
  // One round of the loop that pays refunds.
  pay(now?: number): Promise<string[]>
}

export const goodCard = '4242424242424242'
export const refusingCard = '4000000000005126'

// A shop with a code that makes everything free, so orders with a total of zero can be placed.
export const orderMarket: ShopFile = {
  ...market,
  promotions: [
    ...(market.promotions ?? []),
    { code: 'GIFT', name: 'A gift', type: 'percentage', percentage: 10_000, usageLimit: 1_000 },
    { code: 'ONCE', name: 'Once', type: 'fixed_amount', amount: 500, usageLimit: 1 },
  ],
}

export async function openOrderTestServer(
  given: Given,
  options: TestServerOptions = {},
): Promise<TestServer & { orders: Orders }> {
  const testServer = await openTestServer(given, { shops: [orderMarket, rival], ...options })
  return { ...testServer, orders: await ordersOf(testServer) }
}

export async function ordersOf(testServer: TestServer): Promise<Orders> {
  const carts = await cartsOf(testServer)
  const { storage, installationId, merchantId, seller, clock } = testServer
  const { watch } = testServer.app.payTools
  const provider = createSandboxProvider({ storage, clock: () => new Date(clock.now) })
  const pricebooks = createPricebooks()
  const providers = createProviders([provider, manualProvider])

  async function quote({
    items = { 'ROSE-12': 2, CARD: 3 },
    code,
    isSent = true,
  }: OrderInput = {}): Promise<OrderQuote> {
    return storage.read(async (db) => {
      const wanted = Object.entries(items).map(([name, quantity]) => ({ skuId: carts.sku(name), quantity }))
      const ids = wanted.map(({ skuId }) => skuId)
      const offers = new Map((await listOffers(db, seller, ids, clock.now)).map((offer) => [offer.skuId, offer]))
      const lines = wanted.map(({ skuId, quantity }) => ({ offer: offers.get(skuId) as Offer, quantity }))
      const promotion = code === undefined ? undefined : await findPromotionByCode(db, seller, code)
      const { taxRates, zones } = await pricebooks.find(db, merchantId, 1)
      const priced = priceCart({
        currency: 'EUR',
        priceTax: 'included',
        merchantCountry: 'DE',
        lines: lines.map(({ offer, quantity }) => ({ ...offer, unitPrice: offer.price, quantity, categories: [] })),
        promotion: promotion ?? null,
        destination: isSent ? { country: 'DE', region: null } : null,
        taxRates,
        zones,
        shippingOptionId: null,
        now: clock.now,
      })
      const option = priced.shipping.options.find(({ id }) => id === priced.shipping.optionId)
      const { amount } = priced.promotion
      return {
        currency: 'EUR',
        lines: lines.map(({ offer, quantity }, index) => {
          const { skuId, code, productSlug, name, options, image, price: unitPrice } = offer
          const sums = priced.lines[index] as PricedLine
          const { measure, withdrawalExempt } = offer
          return {
            ...sums,
            skuId,
            code,
            productSlug,
            name,
            options,
            image,
            unitPrice,
            quantity,
            measure,
            withdrawalExempt,
          }
        }),
        totals: priced.totals,
        shippingTax: priced.shipping.tax,
        shippingTaxRateBps: priced.shipping.taxRateBps,
        shippingTaxes: priced.shipping.taxes,
        shipping: option ? { optionId: option.id, label: option.label, amount: option.amount } : null,
        promotion: promotion
          ? { id: promotion.id, code: promotion.code, name: promotion.name, type: promotion.type, amount }
          : null,
        consents: [],
        addressSummaryText: isSent ? 'Berlin, DE' : null,
      }
    })
  }

  async function collect({ totals, currency }: OrderQuote, sessionId: string, input: OrderInput): Promise<string> {
    const paymentId = newId('pay')
    const amount = totals.total
    const now = input.now ?? clock.now
    const asked = input.isManual
      ? { provider: 'manual', method: input.method ?? 'bank_transfer' }
      : { provider: 'test', method: 'card' }
    const charge = { amount, currency, mode: 'test' } as const
    const payment = { ...charge, ...asked, installationId, id: paymentId, merchantId, checkoutSessionId: sessionId }
    const kept = await storage.write(async (tx) => insertPayment(tx, { ...payment, checkAt: now + 60_000 }, now))
    const details = { number: input.card ?? goodCard, expiry: '12/40', cvc: '123', name: 'Ada Lovelace' }
    const chosen = await storage.read((db) => providers.of(db, kept))
    const request = { method: asked.method, details, returnUrls }
    const outcome = await chosen?.start(buildCharge(kept), request, new AbortController().signal)
    assert.ok(outcome?.kind === 'approved' || outcome?.kind === 'pending')
    const status = outcome.kind === 'approved' ? 'succeeded' : 'pending'
    const card = outcome.kind === 'approved' ? { brand: outcome.brand, last4: outcome.last4 } : {}
    const { reference } = outcome
    await storage.write((tx) => savePayment(tx, { ...kept, ...card, status, reference, checkAt: null }))
    return paymentId
  }

  async function place(input: OrderInput = {}): Promise<PlacedForTest> {
    const quoted = input.quote ?? (await quote(input))
    const now = input.now ?? clock.now
    const [sessionId, cartId, orderId] = [newId('cks'), newId('cart'), newId('ord')]
    const paymentId = quoted.totals.total > 0 ? await collect(quoted, sessionId, input) : null
    const placed = await storage.write(async (tx) => {
      const usedPromotion = quoted.promotion ? await countPromotionUse(tx, seller, quoted.promotion.id) : null
      assert.ok(usedPromotion !== undefined)
      const sold = quoted.lines.map(({ skuId, quantity }) => ({ skuId, quantity }))
      const shortages = await sellStock(tx, seller, sessionId, sold, { now, cause: null, soldTo: orderId })
      assert.deepEqual(shortages, [])
      const addressId = quoted.addressSummaryText && sealBerlin(tx, orderId, now)
      if (paymentId)
        await tx.sql`update payments set order_id = ${orderId} where installation_id = ${installationId} and id = ${paymentId}`
      return placeOrder(tx, {
        ...quoted,
        orderId,
        number: await assignOrderNumber(tx, seller),
        payments: await listPaymentsOfOrder(tx, installationId, orderId),
        usedPromotion,
        installationId,
        ...seller,
        session: {
          id: sessionId,
          cartId,
          clientReferenceId: 'ref-1',
          metadata: { channel: 'test' },
          locale: 'en',
          customerSealed: null,
          emailMasked: 'a***@example.com',
          emailHash: 'hash-of-ada',
        },
        addressId,
        paymentDueAt: input.paymentDueAt ?? null,
        isPaid: !(input.isManual && paymentId),
        rootSecret: testSecret,
        now,
        cause: null,
      })
    })
    const { order, statusSecret } = placed
    return { orderId, number: order.number, statusSecret, sessionId, cartId, paymentId, quote: quoted }
  }

  function sealBerlin(tx: Tx, ownerId: string, now: number): string {
    const summary = { city: 'Berlin', region: null, country: 'DE', postalCodePrefix: '10' }
    const expiresAt = now + 86_400_000
    return storeEncryptedAddress(tx, testSecret, { installationId, ownerId, address: berlin, summary, now, expiresAt })
  }

  return {
    providers,
    quote,
    place,
    read: (orderId) => testServer.ask('getStorefrontOrder', { path: { orderId } }),
    cancel: (orderId, more = {}, key = randomUUID()) =>
      testServer.ask('cancelStorefrontOrder', { path: { orderId }, body: { idempotencyKey: key, ...more } }),
    pay: async (now = clock.now) =>
      (await payRefunds({ storage, providers, watch, onPaid: recordRefundEnd }, now)).map(({ outcome, error }) => {
        assert.equal(error, null)
        return outcome
      }),
  }
}

export interface OrderWorld {
  status: string
  paymentStatus: string
  version: number
  refunded: number
  // Kind, sequence.
  events: [string, number][]
  timeline: string[]
  // Kind, amount, status.
  refunds: [string, number, string][]
  payments: string[]
  // By code.
  onHand: Record<string, number>
  // The use count of the order's promotion.
  used: number | null
}

// Everything that an order leaves in the database; each of its events is checked against its schema.
export async function orderWorld(testServer: TestServer, orderId: string): Promise<OrderWorld> {
  return testServer.storage.read(async (db) => {
    const [order] = await db.sql<OrderWorld & { promotionId: string | null }>`
      select status, payment_status as "paymentStatus", version, refunded, promotion_id as "promotionId"
      from orders where id = ${orderId}`
    assert.ok(order)
    const events = await db.sql<{ type: EventKind; sequence: number; body: string }>`
      select type, sequence, body from events where subject_id = ${orderId} order by sequence`
    for (const { type, body } of events) {
      const schema = eventSchemas.get(type)
      assert.ok(schema)
      assert.deepEqual(issuesOf(schema, JSON.parse(body)), [])
    }
    const timeline = await db.sql<{ type: string }>`
      select type from order_timeline where order_id = ${orderId} order by position`
    const refunds = await db.sql<{ kind: string; amount: number; status: string }>`
      select kind, amount, status from refunds where order_id = ${orderId} order by id`
    const payments = await db.sql<{
      status: string
    }>`select status from payments where order_id = ${orderId} order by id`
    const skus = await db.sql<{ code: string; onHand: number }>`
      select s.code, t.on_hand as "onHand" from order_lines l
      join skus s on s.merchant_id = l.merchant_id and s.id = l.sku_id
      join stock t on t.merchant_id = l.merchant_id and t.sku_id = l.sku_id and t.mode = ${testServer.seller.mode}
      where l.order_id = ${orderId} order by s.code`
    const [promotion] = await db.sql<{ used: number }>`
      select case ${testServer.seller.mode} when 'live' then used else test_used end as "used"
      from promotions where id = ${order.promotionId}`
    const { status, paymentStatus, version, refunded } = order
    return {
      status,
      paymentStatus,
      version,
      refunded,
      events: events.map(({ type, sequence }) => [type, sequence]),
      timeline: timeline.map(({ type }) => type),
      refunds: refunds.map(({ kind, amount, status }) => [kind, amount, status]),
      payments: payments.map(({ status }) => status),
      onHand: Object.fromEntries(skus.map(({ code, onHand }) => [code, onHand])),
      used: promotion?.used ?? null,
    }
  })
}
