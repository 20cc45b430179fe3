// What is not part of the merchant's books goes when its time is over, and only then: nobody can ask for it any more, what it
// belonged to stays right, and the order that came of it stays whole.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { cards, checkoutOf, secretOf } from '../harness/checkout.ts'
import { orderMarket } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer, type TestServer } from '../harness/testServer.ts'
import { loopsFor } from '../src/ops/cli/loops.ts'
import { deleteDeadKeys } from '../src/platform/access/retention.ts'
import { ClockJumped } from '../src/platform/jobs/clock.ts'
import { type RetentionMs, retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import { Fragment } from '../src/platform/storage/storage.ts'

const day = 86_400_000
const minute = 60_000

// A turn of every loop that ends or deletes something.
async function sweepAll(testServer: TestServer, retentionMs: RetentionMs = retentionDefaultsMs): Promise<void> {
  const { storage, app, clock } = testServer
  const names = ['sessions', 'holds', 'carts', 'addresses', 'idempotency_keys', 'webhooks', 'retention']
  for (const loop of loopsFor({ storage, app, retentionMs, clock: () => clock.now }))
    for (let turn = 0; names.includes(loop.name) && (await loop.work(() => false)); turn += 1)
      assert.ok(turn < 10, `${loop.name} does not end`)
}

async function rowsOf(testServer: TestServer, tables: string): Promise<number> {
  const [row] = await testServer.storage.read(
    (db) => db.sql<{ rows: number }>`select count(*) as "rows" from ${new Fragment(tables)}`,
  )
  return row?.rows ?? 0
}

eachEngine('retention', (given) => {
  test('deletes the shopper’s data, then the session, then the cart of a checkout without an order', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const checkout = await checkoutOf(testServer)
    const { sessionId, secret, view } = await checkout.ready({ CARD: 1, BOOK: 2 })
    assert.notEqual((await checkout.pay(secret, view, cards.declined)).view.session.lastPaymentError, null)
    const { cartId } = (await checkout.read(sessionId)).body.data
    testServer.clock.now += day
    await sweepAll(testServer)
    const ended = (await checkout.read(sessionId)).body.data
    assert.deepEqual([ended.status, ended.customer.emailMasked], ['expired', 'a***@example.com'])

    testServer.clock.now += 7 * day - 1
    await sweepAll(testServer)
    assert.equal((await checkout.read(sessionId)).body.data.customer.emailMasked, 'a***@example.com')
    testServer.clock.now += 1
    const events = await rowsOf(testServer, 'events')
    await sweepAll(testServer)
    const erased = (await checkout.read(sessionId)).body.data
    assert.deepEqual(erased, { ...ended, customer: { emailMasked: null }, ...changing(erased) })
    assert.equal(await rowsOf(testServer, 'events'), events, 'nobody is told')
    assert.equal(
      await rowsOf(testServer, 'checkout_sessions where customer_sealed is not null or email_hash is not null'),
      0,
    )

    testServer.clock.now += 23 * day
    await sweepAll(testServer)
    assertError(await checkout.read(sessionId), 'checkout_session_not_found')
    assert.equal((await testServer.fetch(`/c/${secret}`)).status, 404)
    for (const table of ['checkout_sessions', 'payments', 'test_charges'])
      assert.equal(await rowsOf(testServer, table), 0, table)
    // The cart was changed last when its session ended, so it expired now at the earliest.
    assert.equal((await testServer.ask('getPublicCart', { path: { cartId } })).status, 200)
    testServer.clock.now += 31 * day
    await sweepAll(testServer)
    assertError(await testServer.ask('getPublicCart', { path: { cartId } }), 'cart_not_found')
    for (const table of ['carts', 'cart_lines', 'addresses']) assert.equal(await rowsOf(testServer, table), 0, table)
    testServer.clock.now += 90 * day
    await sweepAll(testServer)
    assert.equal(await rowsOf(testServer, 'events'), 0)
  })

  test('deletes everything of a checkout except its order, which stays complete', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const checkout = await checkoutOf(testServer)
    const { sessionId, secret, view } = await checkout.ready({ CARD: 2 }, { promotionCode: 'WELCOME10' })
    const tried = await checkout.pay(secret, view, cards.declined)
    assert.equal((await checkout.pay(secret, tried.view)).problem, null)
    const { cartId, orderId } = (await checkout.read(sessionId)).body.data
    const readOrder = () => testServer.ask('getStorefrontOrder', { path: { orderId } })
    const order = (await readOrder()).body.data
    const books = ['orders', 'order_lines', 'order_timeline', 'stock_movements', 'promotion_uses', 'addresses']
    const before = await Promise.all(books.map((table) => rowsOf(testServer, table)))
    testServer.clock.now += 400 * day - 1
    await sweepAll(testServer)
    assert.equal((await checkout.read(sessionId)).body.data.customer.emailMasked, 'a***@example.com')
    assert.equal((await testServer.ask('getPublicCart', { path: { cartId } })).status, 200)
    testServer.clock.now += 1
    await sweepAll(testServer)
    assertError(await checkout.read(sessionId), 'checkout_session_not_found')
    assertError(await testServer.ask('getPublicCart', { path: { cartId } }), 'cart_not_found')
    assert.equal((await testServer.fetch(`/c/${secret}`)).status, 404)
    for (const table of ['checkout_sessions', 'carts', 'cart_lines', 'events', 'idempotency_keys'])
      assert.equal(await rowsOf(testServer, table), 0, table)
    assert.deepEqual((await readOrder()).body.data, order)
    assert.equal(await rowsOf(testServer, 'payments'), 1, 'the attempt that was declined is gone')
    assert.equal(await rowsOf(testServer, 'test_charges'), 1)
    assert.deepEqual(await Promise.all(books.map((table) => rowsOf(testServer, table))), before)
  })

  test('keeps a payment that succeeded without an order', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const checkout = await checkoutOf(testServer)
    const { secret, view } = await checkout.ready({ CARD: 1 })
    await checkout.pay(secret, view, cards.declined)
    // As if it had been approved and given back.
    await testServer.storage.write(async (tx) => {
      await tx.sql`update payments set status = 'succeeded'`
      await tx.sql`update test_charges set state = 'voided'`
      await tx.sql`
        insert into refunds (installation_id, id, merchant_id, payment_id, kind, amount, currency, status, created_at,
          updated_at)
        select installation_id, 'rfd_1', merchant_id, id, 'void', amount, currency, 'succeeded', created_at, created_at
        from payments`
    })
    testServer.clock.now += day
    await sweepAll(testServer)
    testServer.clock.now += 30 * day
    await sweepAll(testServer)
    assert.equal(await rowsOf(testServer, 'checkout_sessions'), 0)
    for (const table of ['payments', 'test_charges', 'refunds']) assert.equal(await rowsOf(testServer, table), 1, table)
  })

  test('keeps everything of a payment in progress, however long that takes', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const checkout = await checkoutOf(testServer)
    const { sessionId, secret, view } = await checkout.ready({ CARD: 1 })
    await checkout.pay(secret, view, '4000000000000275')
    testServer.clock.now += 500 * day
    await sweepAll(testServer)
    const { status, customer } = (await checkout.read(sessionId)).body.data
    assert.deepEqual([status, customer.emailMasked], ['processing', 'a***@example.com'])
    assert.equal(await rowsOf(testServer, 'cart_lines'), 1)
  })

  test('keeps a cart as long as its session, even if the retention of carts is shorter', async () => {
    const retentionMs = { ...retentionDefaultsMs, carts: minute }
    const testServer = await openTestServer(given, { shops: [orderMarket], retentionMs })
    const checkout = await checkoutOf(testServer)
    const idle = await checkout.carts.create({ CARD: 1 })
    const { sessionId, secret } = await checkout.ready({ CARD: 1 })
    testServer.clock.now += 20 * minute
    await sweepAll(testServer, retentionMs)
    assert.equal((await testServer.ask('getPublicCart', { path: { cartId: idle } })).body.data.status, 'expired')
    assert.equal((await checkout.pay(secret, await checkout.look(secret))).problem, null)
    assert.equal((await checkout.read(sessionId)).body.data.status, 'completed')
    const again = await checkout.open({ CARD: 1 })
    testServer.clock.now += 30 * minute
    await sweepAll(testServer, retentionMs)
    assert.equal((await checkout.read(again.body.data.id)).body.data.status, 'expired')
    const { cartId } = again.body.data
    assert.equal((await testServer.ask('getPublicCart', { path: { cartId } })).body.data.status, 'expired')
    assert.equal((await testServer.fetch(`/c/${secretOf(again.body.data.url)}`)).status, 200)
  })

  test('deletes nothing while the clock is years ahead, so nothing is lost when it is corrected', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const checkout = await checkoutOf(testServer)
    const open = await checkout.ready({ CARD: 1 })
    const cancelled = await checkout.ready({ CARD: 1 })
    const path = { sessionId: cancelled.sessionId }
    await testServer.ask('cancelHostedCheckoutSession', { path, body: { idempotencyKey: 'cancel' } })
    const tables = ['carts', 'cart_lines', 'checkout_sessions', 'addresses', 'idempotency_keys', 'events']
    const count = () => Promise.all(tables.map((table) => rowsOf(testServer, table)))
    const { storage, app, clock } = testServer
    let counted = 0.123_456_7
    const parts = { storage, app, retentionMs: retentionDefaultsMs, clock: () => clock.now, monotonic: () => counted }
    // The one that tells of carts writes an event, whatever the clock says.
    const loops = loopsFor(parts).filter(({ name }) => name !== 'holds' && name !== 'untold_carts')
    const before = await count()
    clock.now += 13 * 365 * day
    const paused: string[] = []
    for (const { name, work } of loops)
      await work(() => false).catch((error: unknown) => {
        assert.ok(error instanceof ClockJumped, String(error))
        paused.push(name)
      })
    const ending = [
      'sessions',
      'unpaid_orders',
      'carts',
      'addresses',
      'idempotency_keys',
      'webhooks',
      'oauth',
      'staff',
      'retention',
    ]
    assert.deepEqual(paused, ending)
    assert.deepEqual(await count(), before)
    clock.now -= 13 * 365 * day
    assert.equal((await checkout.pay(open.secret, await checkout.look(open.secret))).problem, null)
    clock.now += 400 * day
    counted += 400 * day
    for (const { work } of loops) await work(() => false)
    assert.equal(await rowsOf(testServer, 'checkout_sessions'), 0)
  })

  test('deletes expired keys and keeps working ones', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const soon = await testServer.newKey(['catalog:read'], { expiresAt: testServer.clock.now + day })
    const now = testServer.clock.now + 91 * day
    const kept = await rowsOf(testServer, 'credentials')
    assert.equal(await deleteDeadKeys(testServer.storage, { endedBy: now - 90 * day - 1, now }), 0)
    assert.equal(await deleteDeadKeys(testServer.storage, { endedBy: now - 90 * day, now }), 1)
    assert.equal(await rowsOf(testServer, `credentials where id = '${soon.id}'`), 0)
    assert.equal(await rowsOf(testServer, 'credentials'), kept - 1)
    assert.equal((await testServer.ask('getInstallationCredentialIdentity')).status, 200)
  })
})

// What of a session moves with the clock and the shelf.
// biome-ignore lint/suspicious/noExplicitAny: it is an answer
function changing({ address, items, messages, promotion, shipping, totals }: any) {
  return { address, items, messages, promotion, shipping, totals }
}
