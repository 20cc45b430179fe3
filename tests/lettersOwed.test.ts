// Each fact leaves one row in the outbox of letters, in its own transaction, without text or address; and none where no server
// sends letters or the merchant has switched the kind off.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cartsOf } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { type House, openHouse, testSecret } from '../harness/house.ts'
import { goodCard, openOrderHouse, orderMarket, refusingCard } from '../harness/orders.ts'
import { anyEngine } from '../harness/storage.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { forgetShopper } from '../src/domain/checkout/forget.ts'
import { pay } from '../src/domain/checkout/pay/pay.ts'
import { eraseCustomers } from '../src/domain/checkout/retention.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import { sell } from '../src/domain/inventory/sales.ts'
import { fulfilOrder, payOrder, refundOrder } from '../src/domain/orders/operator.ts'
import { cancelUnpaidOrders } from '../src/domain/orders/unpaid.ts'
import { createProviders, type PaymentProvider } from '../src/domain/payments/port.ts'
import { createSandboxProvider } from '../src/domain/payments/providers/sandbox/provider.ts'
import { disableEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { setMailSwitch } from '../src/platform/outbox/letters.ts'

interface Row {
  kind: string
  subjectId: string
  orderId: string | null
  facts: string
  status: string
  hash: string | null
}

function rowsOf({ storage }: House): Promise<Row[]> {
  return storage.read(
    (db) => db.sql<Row>`
      select kind, subject_id as "subjectId", order_id as "orderId", facts, status, recipient_hash as "hash"
      from emails order by created_at, kind, subject_id`,
  )
}

async function kindsOf(house: House): Promise<string[]> {
  return (await rowsOf(house)).map(({ kind }) => kind)
}

const switchOn = ({ storage, clock }: House) => storage.write((tx) => setMailSwitch(tx, true, clock.now))

anyEngine('letters that are owed', (given) => {
  test('one for each fact of an order, in its transaction', async () => {
    const house = await openOrderHouse(given)
    const { storage, orders, clock, installationId } = house
    await switchOn(house)
    await setSupport(house, 'help@example.com')
    const moment = () => ({ now: ++clock.now, cause: null })

    const { orderId, paymentId } = await orders.place({ isManual: true })
    const key = { installationId, orderId }
    assert.deepEqual(
      (await rowsOf(house)).map(({ kind, subjectId, facts, hash, status }) => [kind, subjectId, facts, hash, status]),
      [
        ['order_placed', orderId, '{}', 'hash-of-ada', 'pending'],
        ['order_received', orderId, '{}', 'merchant', 'pending'],
      ],
    )
    await storage.write((tx) => payOrder(tx, key, moment()))
    const parcel = { carrier: 'DHL', trackingNumber: 'X1', items: new Map([['CARD', 1]]) }
    await storage.write((tx) => fulfilOrder(tx, key, parcel, moment()))
    await storage.write((tx) => fulfilOrder(tx, key, { ...parcel, items: null }, moment()))
    await storage.write((tx) => refundOrder(tx, key, { amount: 100, reason: null, isByHand: true }, moment()))
    const rows = (await rowsOf(house)).slice(2)
    assert.deepEqual(
      rows.map(({ kind, orderId: of }) => [kind, of === orderId]),
      [
        ['payment_received', true],
        ['shipped', true],
        ['shipped', true],
        ['refunded', true],
      ],
    )
    assert.equal(rows[0]?.subjectId, paymentId)
    assert.equal(new Set(rows.map(({ subjectId }) => subjectId)).size, 4)
  })

  test('a cancellation says what goes back; a refund that fails is reported to the merchant', async () => {
    const house = await openOrderHouse(given)
    const { orders, clock, storage } = house
    await switchOn(house)
    await setSupport(house, 'help@example.com')
    const paid = await orders.place({ card: refusingCard })
    const late = await orders.place({ isManual: true, paymentDueAt: clock.now + 1 })
    clock.now += 10_000
    assert.equal((await orders.cancel(paid.orderId)).status, 200)
    assert.equal(await cancelUnpaidOrders(storage, clock.now, 10), 1)
    const cancelled = (await rowsOf(house)).filter(({ kind }) => kind === 'order_cancelled')
    const { total } = paid.quote.totals
    assert.deepEqual(
      new Map(cancelled.map(({ orderId, facts }) => [orderId, JSON.parse(facts)])),
      new Map([
        [paid.orderId, { by: 'api', moneyBack: total }],
        [late.orderId, { by: 'system', moneyBack: 0 }],
      ]),
    )
    for (let round = 0; round < 12; round += 1) {
      clock.now += 6 * 3_600_000
      await orders.pay()
    }
    assert.equal((await kindsOf(house)).filter((kind) => kind === 'refund_failed').length, 1)
    assert.ok(!(await kindsOf(house)).includes('refunded'))
  })

  test('money for which no order is possible is reported to the shopper of the checkout', async () => {
    const house = await openHouse(given, { shops: [orderMarket] })
    const { storage, installationId, clock } = house
    await switchOn(house)
    const checkout = await checkoutOf(house)
    const { sessionId, view } = await checkout.ready({ CARD: 1 })
    // The card is charged, and meanwhile what is known of the customer is lost.
    const honest = createSandboxProvider({ storage, clock: () => new Date(clock.now) })
    const provider: PaymentProvider = {
      ...honest,
      async start(...asked) {
        await storage.write(
          (tx) => tx.sql`update checkout_sessions set customer_sealed = 'lost' where id = ${sessionId}`,
        )
        return honest.start(...asked)
      },
    }
    const input = {
      version: view.session.version,
      expectedTotal: view.session.totals.total,
      provider: 'test',
      method: 'card',
      details: { number: goodCard, expiry: '12 / 40', cvc: '123', name: 'Ada' },
      attempt: newId('pay'),
      locale: 'de-CH',
    }
    const tools = { ...house.app.payTools, providers: createProviders([provider]) }
    await pay(tools, { installationId, sessionId }, input, null)
    const [found] = await storage.read(
      (db) => db.sql<{ refundId: string; locale: string }>`
        select r.id as "refundId", p.locale from refunds r
        join payments p on p.installation_id = r.installation_id and p.id = r.payment_id`,
    )
    assert.equal(found?.locale, 'de-CH')
    assert.deepEqual(
      (await rowsOf(house)).map(({ kind, subjectId, orderId }) => [kind, subjectId, orderId]),
      [['payment_returned', found.refundId, null]],
    )
    assert.ok((await rowsOf(house)).every(({ hash }) => hash !== null))
    clock.now += 48 * 3_600_000
    await expireSessions(storage, house.app.payTools, clock.now)
    assert.equal(await eraseCustomers(storage, { endedBy: clock.now, now: clock.now }), 1)
    assert.ok((await rowsOf(house)).every(({ hash }) => hash === null))
  })

  test('none where no server sends letters, or the merchant has switched the kind off', async () => {
    const house = await openOrderHouse(given)
    const { storage, orders, clock, merchantId } = house
    await orders.place()
    assert.deepEqual(await kindsOf(house), [])
    await switchOn(house)
    // Nobody to write to on the merchant's side.
    await setSupport(house, null)
    await orders.place()
    assert.deepEqual(await kindsOf(house), ['order_placed'])
    await storage.write(
      (tx) => tx.sql`
        insert into mail_settings (merchant_id, kinds_off, updated_at) values (${merchantId}, '["order_placed"]', ${clock.now})`,
    )
    await orders.place()
    assert.deepEqual(await kindsOf(house), ['order_placed'])
    await storage.write((tx) => setMailSwitch(tx, false, clock.now))
    await orders.place({ isManual: true })
    assert.deepEqual(await kindsOf(house), ['order_placed'])
  })

  test('nothing is left of who it was for when a shopper is erased', async () => {
    const house = await openHouse(given, { shops: [orderMarket] })
    const { storage, merchantId, installationId } = house
    await switchOn(house)
    const checkout = await checkoutOf(house)
    const { secret, view } = await checkout.ready({ CARD: 1 })
    await checkout.pay(secret, view)
    const shopper = { merchantId, installationIds: [installationId], email: 'ada@example.com' }
    assert.ok((await rowsOf(house)).some(({ hash }) => hash !== null && hash !== 'merchant'))
    await forgetShopper(storage, testSecret, shopper, { isDryRun: false, includesUnsent: true })
    assert.ok((await rowsOf(house)).every(({ hash }) => hash === null || hash === 'merchant'))
  })

  test('an endpoint that was given up, and a live stock that runs low, are reported to the merchant', async () => {
    const house = await openHouse(given, { shops: [orderMarket] })
    await switchOn(house)
    await setSupport(house, 'help@example.com')
    const { storage, clock, merchantId } = house
    const { endpoint } = await webhooksOf(house).add()
    await storage.write((tx) => disableEndpoint(tx, endpoint, 'failing', null, clock.now))
    const { endpoint: other } = await webhooksOf(house).add()
    await storage.write((tx) => disableEndpoint(tx, other, 'operator', null, clock.now))
    assert.deepEqual(await kindsOf(house), ['endpoint_disabled'])

    const { sku } = await cartsOf(house)
    const lines = [{ skuId: sku('CARD'), quantity: 995 }]
    for (const mode of ['test', 'live'] as const) {
      const sale = { soldTo: newId('ord'), now: clock.now, cause: null }
      assert.deepEqual(await storage.write((tx) => sell(tx, { merchantId, mode }, newId('cks'), lines, sale)), [])
    }
    const stock = (await rowsOf(house)).filter(({ kind }) => kind === 'stock_low')
    assert.deepEqual(
      stock.map(({ facts }) => JSON.parse(facts)),
      [{ skuId: sku('CARD'), left: 5 }],
    )
  })
})

async function setSupport({ storage, merchantId }: House, email: string | null): Promise<void> {
  await storage.write((tx) => tx.sql`update merchants set support_email = ${email} where id = ${merchantId}`)
}
