// Each fact leaves one row in the outbox of e-mails, in its own transaction, without text or address; and none where no server
// sends e-mails or the merchant has switched the kind off.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cartsOf } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { goodCard, openOrderTestServer, orderMarket, refusingCard } from '../harness/orders.ts'
import { anyEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { forgetShopper } from '../src/domain/checkout/forget.ts'
import { paySession } from '../src/domain/checkout/pay/pay.ts'
import { eraseCustomers } from '../src/domain/checkout/retention.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import { sellStock } from '../src/domain/inventory/sales.ts'
import { fulfilOrder, recordOrderPaid, refundOrder } from '../src/domain/orders/operator.ts'
import { cancelUnpaidOrders } from '../src/domain/orders/unpaid.ts'
import { createProviders, type PaymentProvider } from '../src/domain/payments/port.ts'
import { createSandboxProvider } from '../src/domain/payments/providers/sandbox/provider.ts'
import { disableEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { setMailSwitch } from '../src/platform/outbox/emails.ts'

interface Row {
  kind: string
  subjectId: string
  orderId: string | null
  facts: string
  status: string
  hash: string | null
}

function rowsOf({ storage }: TestServer): Promise<Row[]> {
  return storage.read(
    (db) => db.sql<Row>`
      select kind, subject_id as "subjectId", order_id as "orderId", facts, status, recipient_hash as "hash"
      from emails order by created_at, kind, subject_id`,
  )
}

async function kindsOf(testServer: TestServer): Promise<string[]> {
  return (await rowsOf(testServer)).map(({ kind }) => kind)
}

const switchOn = ({ storage, clock }: TestServer) => storage.write((tx) => setMailSwitch(tx, true, clock.now))

anyEngine('queued e-mails', (given) => {
  test('each event of an order queues one e-mail for each recipient, in its transaction', async () => {
    const testServer = await openOrderTestServer(given)
    const { storage, orders, clock, installationId } = testServer
    await switchOn(testServer)
    await setSupport(testServer, 'help@example.com')
    const moment = () => ({ now: ++clock.now, cause: null })

    const { orderId, paymentId } = await orders.place({ isManual: true })
    const key = { installationId, orderId }
    assert.deepEqual(
      (await rowsOf(testServer)).map(({ kind, subjectId, facts, hash, status }) => [
        kind,
        subjectId,
        facts,
        hash,
        status,
      ]),
      [
        ['order_placed', orderId, '{}', 'hash-of-ada', 'pending'],
        ['order_received', orderId, '{}', 'merchant', 'pending'],
      ],
    )
    await storage.write((tx) => recordOrderPaid(tx, key, moment()))
    const parcel = { carrier: 'DHL', trackingNumber: 'X1', items: new Map([['CARD', 1]]) }
    await storage.write((tx) => fulfilOrder(tx, key, parcel, moment()))
    await storage.write((tx) => fulfilOrder(tx, key, { ...parcel, items: null }, moment()))
    await storage.write((tx) => refundOrder(tx, key, { amount: 100, reason: null, isByHand: true }, moment()))
    const rows = (await rowsOf(testServer)).slice(2)
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

  test('the e-mail about a cancellation has the refunded amount, and a failed refund is reported to the merchant', async () => {
    const testServer = await openOrderTestServer(given)
    const { orders, clock, storage } = testServer
    await switchOn(testServer)
    await setSupport(testServer, 'help@example.com')
    const paid = await orders.place({ card: refusingCard })
    const late = await orders.place({ isManual: true, paymentDueAt: clock.now + 1 })
    clock.now += 10_000
    assert.equal((await orders.cancel(paid.orderId)).status, 200)
    assert.equal(await cancelUnpaidOrders(storage, clock.now, 10), 1)
    const cancelled = (await rowsOf(testServer)).filter(({ kind }) => kind === 'order_cancelled')
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
    assert.equal((await kindsOf(testServer)).filter((kind) => kind === 'refund_failed').length, 1)
    assert.ok(!(await kindsOf(testServer)).includes('refunded'))
  })

  test('a shopper is notified of a payment for which no order is possible', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const { storage, installationId, clock } = testServer
    await switchOn(testServer)
    const checkout = await checkoutOf(testServer)
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
    const tools = { ...testServer.app.payTools, providers: createProviders([provider]) }
    await paySession(tools, { installationId, sessionId }, input, null)
    const [found] = await storage.read(
      (db) => db.sql<{ refundId: string; locale: string }>`
        select r.id as "refundId", p.locale from refunds r
        join payments p on p.installation_id = r.installation_id and p.id = r.payment_id`,
    )
    assert.equal(found?.locale, 'de-CH')
    assert.deepEqual(
      (await rowsOf(testServer)).map(({ kind, subjectId, orderId }) => [kind, subjectId, orderId]),
      [['payment_returned', found.refundId, null]],
    )
    assert.ok((await rowsOf(testServer)).every(({ hash }) => hash !== null))
    clock.now += 48 * 3_600_000
    await expireSessions(storage, testServer.app.payTools, clock.now)
    assert.equal(await eraseCustomers(storage, { endedBy: clock.now, now: clock.now }), 1)
    assert.ok((await rowsOf(testServer)).every(({ hash }) => hash === null))
  })

  test('no e-mail is queued if no server sends e-mails or the merchant turned off its kind', async () => {
    const testServer = await openOrderTestServer(given)
    const { storage, orders, clock, merchantId } = testServer
    await orders.place()
    assert.deepEqual(await kindsOf(testServer), [])
    await switchOn(testServer)
    // Nobody to write to on the merchant's side.
    await setSupport(testServer, null)
    await orders.place()
    assert.deepEqual(await kindsOf(testServer), ['order_placed'])
    await storage.write(
      (tx) => tx.sql`
        insert into mail_settings (merchant_id, kinds_off, updated_at) values (${merchantId}, '["order_placed"]', ${clock.now})`,
    )
    await orders.place()
    assert.deepEqual(await kindsOf(testServer), ['order_placed'])
    await storage.write((tx) => setMailSwitch(tx, false, clock.now))
    await orders.place({ isManual: true })
    assert.deepEqual(await kindsOf(testServer), ['order_placed'])
  })

  test('erasing a shopper removes their address from all e-mails in the outbox', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const { storage, merchantId, installationId } = testServer
    await switchOn(testServer)
    const checkout = await checkoutOf(testServer)
    const { secret, view } = await checkout.ready({ CARD: 1 })
    await checkout.pay(secret, view)
    const shopper = { merchantId, installationIds: [installationId], email: 'ada@example.com' }
    assert.ok((await rowsOf(testServer)).some(({ hash }) => hash !== null && hash !== 'merchant'))
    await forgetShopper(storage, testSecret, shopper, { isDryRun: false, includesUnsent: true })
    assert.ok((await rowsOf(testServer)).every(({ hash }) => hash === null || hash === 'merchant'))
  })

  test('the merchant is notified of a disabled endpoint and of low live stock', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    await switchOn(testServer)
    await setSupport(testServer, 'help@example.com')
    const { storage, clock, merchantId } = testServer
    const { endpoint } = await webhooksOf(testServer).add()
    await storage.write((tx) => disableEndpoint(tx, endpoint, 'failing', null, clock.now))
    const { endpoint: other } = await webhooksOf(testServer).add()
    await storage.write((tx) => disableEndpoint(tx, other, 'operator', null, clock.now))
    assert.deepEqual(await kindsOf(testServer), ['endpoint_disabled'])

    const { sku } = await cartsOf(testServer)
    const lines = [{ skuId: sku('CARD'), quantity: 995 }]
    for (const mode of ['test', 'live'] as const) {
      const sale = { soldTo: newId('ord'), now: clock.now, cause: null }
      assert.deepEqual(await storage.write((tx) => sellStock(tx, { merchantId, mode }, newId('cks'), lines, sale)), [])
    }
    const stock = (await rowsOf(testServer)).filter(({ kind }) => kind === 'stock_low')
    assert.deepEqual(
      stock.map(({ facts }) => JSON.parse(facts)),
      [{ skuId: sku('CARD'), left: 5 }],
    )
  })
})

async function setSupport({ storage, merchantId }: TestServer, email: string | null): Promise<void> {
  await storage.write((tx) => tx.sql`update merchants set support_email = ${email} where id = ${merchantId}`)
}
