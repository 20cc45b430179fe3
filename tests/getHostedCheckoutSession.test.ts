import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, market } from '../harness/carts.ts'
import { cards, checkoutOf, secretOf } from '../harness/checkout.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'

const minute = 60_000

eachEngine('getHostedCheckoutSession', (given) => {
  test('200 shows the session as expired from the exact time on, before and after the sweep, and the stock is available immediately', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, open, read } = await checkoutOf(testServer)
    const { id, cartId } = (await open({ 'ROSE-24': 3 }, { expiresInSeconds: 300 })).body.data
    testServer.clock.now += 300_000 - 1
    assert.equal((await read(id)).body.data.status, 'open')
    testServer.clock.now += 1
    assert.deepEqual([(await read(id)).body.data.status, (await read(id)).body.data.url], ['expired', null])
    assert.equal((await carts.put(await carts.create(), 'ROSE-24', 3)).status, 200, 'the hold is over')
    const sweeps = await Promise.all(
      [1, 2, 3].map(() => expireSessions(testServer.storage, testServer.app.payTools, testServer.clock.now)),
    )
    assert.equal(
      sweeps.reduce((sum, ended) => sum + ended, 0),
      1,
    )
    assert.deepEqual(
      (await eventsOf(testServer, id)).map(({ type }) => type),
      ['checkout_session.created', 'checkout_session.expired'],
    )
    assert.equal((await carts.read(cartId)).body.data.checkoutSessionId, null)
  })

  test('200 without the URL of the checkout page if it can no longer be decrypted; the next session has a URL', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, read, look } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready({ CARD: 1 })
    await testServer.storage.write(async (tx) => {
      await tx.sql`update checkout_sessions set secret_sealed = 'AQIAAA', customer_sealed = 'AQIAAA'`
      await tx.sql`update addresses set row_key = 'AQIAAA'`
    })
    const answer = await read(sessionId)
    assert.deepEqual([answer.status, answer.body.data.status, answer.body.data.url], [200, 'open', null])
    const seen = await look(secret)
    assert.deepEqual([seen.customer.email, seen.address], ['', null])
    const next = await testServer.ask('createHostedCheckoutSession', {
      body: { idempotencyKey: 'once-more', cartId: view.session.cartId, successUrl: 'http://localhost:9/thanks' },
    })
    assert.notEqual(next.body.data.id, sessionId)
    assert.equal((await look(secretOf(next.body.data.url))).session.status, 'open')
    assert.equal((await read(sessionId)).body.data.status, 'expired')
  })

  test('200 with the hold, which is extended by opening the page, lapses without activity, and is renewed by the next visit', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { open, read, look } = await checkoutOf(testServer)
    const { id, url } = (await open({ 'ROSE-24': 3 }, { expiresInSeconds: 3_600 })).body.data
    testServer.clock.now += 10 * minute
    await look(secretOf(url))
    assert.deepEqual((await read(id)).body.data.hold, { status: 'held', expiresAt: '2026-06-01T12:25:00.000Z' })
    testServer.clock.now += 20 * minute
    assert.equal((await read(id)).body.data.hold.status, 'lapsed')
    await look(secretOf(url))
    assert.equal((await read(id)).body.data.hold.status, 'held')
  })

  test('200 with the URL of the order page once there is an order; events and stored responses do not contain it', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, pay, read } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready({ CARD: 1 })
    assert.equal((await read(sessionId)).body.data.statusUrl, null)
    await pay(secret, view)
    const { orderId, statusUrl } = (await read(sessionId)).body.data
    const page = await testServer.fetch(new URL(statusUrl).pathname)
    assert.deepEqual([page.status, page.text.includes('T-1001')], [200, true])
    assert.equal((await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data.statusUrl, statusUrl)
    const told = [...(await eventsOf(testServer, sessionId)), ...(await eventsOf(testServer, orderId))]
    const [completed, placed] = told.slice(-3).map(({ body }) => body.data.checkoutSession ?? body.data.order)
    assert.deepEqual(
      [completed.status, completed.statusUrl, placed.id, placed.statusUrl],
      ['completed', null, orderId, null],
    )
    const orderSecret = statusUrl.split('/').at(-1)
    const answers = await testServer.storage.read((db) => db.sql`select * from idempotency_keys`)
    for (const kept of [told, answers]) assert.ok(!JSON.stringify(kept).includes(orderSecret))
  })

  test('200 with processing while the outcome is unknown, and completed or open once the loop has settled it', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, pay, read } = await checkoutOf(testServer)
    for (const [card, ends] of [
      ['4000000000000259', 'completed'],
      ['4000000000000267', 'open'],
    ] as const) {
      const { sessionId, secret, view } = await ready({ CARD: 1 })
      const { view: waiting } = await pay(secret, view, card)
      assert.deepEqual([waiting.session.status, waiting.session.paymentStatus], ['processing', 'processing'])
      const refused = await testServer.ask('cancelHostedCheckoutSession', {
        path: { sessionId },
        body: { idempotencyKey: `c-${card}` },
      })
      assert.equal(refused.body.error.code, 'payment_in_progress')
      const cart = await testServer.ask('updatePublicCartItemQuantity', {
        path: { cartId: view.session.cartId, skuId: view.session.items[0]?.skuId ?? '' },
        body: { idempotencyKey: `q-${card}`, quantity: 2 },
      })
      assert.equal(cart.body.error.code, 'cart_locked')
      testServer.clock.now += 2 * minute
      await Promise.all([recoverPayments(testServer.app.payTools), recoverPayments(testServer.app.payTools)])
      const { body } = await read(sessionId)
      assert.equal(body.data.status, ends)
      if (ends === 'open') assert.equal(body.data.lastPaymentError.code, 'declined')
    }
  })

  test('200 with completed after an accepted bank challenge, and open after a refused or abandoned one', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, pay, read } = await checkoutOf(testServer)
    for (const [answer, ends] of [
      ['accept', 'completed'],
      ['refuse', 'open'],
      [null, 'open'],
    ] as const) {
      const { sessionId, secret, view } = await ready({ CARD: 1 }, { expiresInSeconds: 86_400 })
      const { view: asked } = await pay(secret, view, '4000002500003155')
      assert.ok(asked.challenge)
      if (answer) await testServer.app.checkout.answerChallenge(secret, asked.challenge.paymentId, answer)
      else {
        for (let step = 0; step < 4; step += 1) {
          testServer.clock.now += 15 * minute
          await recoverPayments(testServer.app.payTools)
        }
      }
      const { body } = await read(sessionId)
      assert.equal(body.data.status, ends)
      if (ends === 'open') assert.equal(body.data.lastPaymentError.code, 'authentication_failed')
    }
  })

  test('200 with completed and pending for a manual payment; a free cart needs no provider', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, read } = await checkoutOf(testServer)
    const manual = await ready({ CARD: 1 })
    const input = (view: typeof manual.view, provider: string, method: string) => ({
      version: view.session.version,
      expectedTotal: view.session.totals.total,
      provider,
      method,
      details: {},
      attempt: `pay_${view.session.id.slice(4)}`,
    })
    await testServer.app.checkout.pay(manual.secret, input(manual.view, 'manual', 'bank_transfer'))
    const pending = (await read(manual.sessionId)).body.data
    assert.deepEqual([pending.status, pending.paymentStatus], ['completed', 'pending'])
    await testServer.apply({
      ...market,
      promotions: [{ code: 'ALLFREE', name: 'All', type: 'percentage', percentage: 10_000 }],
    })
    const free = await ready({ COURSE: 1 }, { promotionCode: 'ALLFREE' })
    assert.equal(free.view.session.totals.total, 0)
    await testServer.app.checkout.pay(free.secret, input(free.view, '', ''))
    assert.deepEqual(
      [
        (await read(free.sessionId)).body.data.status,
        (await testServer.storage.read((db) => db.sql`select key from test_charges`)).length,
      ],
      ['completed', 0],
    )
  })

  test('an expired session can be started again with the same items; a guessed secret and a session id open no checkout', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, pay, look } = await checkoutOf(testServer)
    const { secret, view } = await ready({ CARD: 2 })
    testServer.clock.now += 31 * minute
    assert.equal((await pay(secret, view)).problem?.code, 'not_open')
    const again = await testServer.app.checkout.startAgain(secret)
    assert.ok(again && 'secret' in again)
    const fresh = await look(again.secret)
    assert.deepEqual(
      [fresh.session.status, fresh.session.items[0]?.quantity, fresh.customer.email],
      ['open', 2, 'ada@example.com'],
    )
    assert.equal((await pay(again.secret, fresh)).view.session.status, 'completed')
    assert.equal(await testServer.app.checkout.look('A'.repeat(43)), undefined)
    assert.equal(await testServer.app.checkout.look(view.session.id), undefined)
  })

  test('of two concurrent payments for the last use of a promotion one places an order, and the other is not charged or is refunded', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    await testServer.apply({
      ...market,
      promotions: [{ code: 'LAST', name: 'Last', type: 'fixed_amount', amount: 100, usageLimit: 1 }],
    })
    const { ready, pay } = await checkoutOf(testServer)
    const [one, two] = [
      await ready({ CARD: 1 }, { promotionCode: 'LAST' }),
      await ready({ CARD: 1 }, { promotionCode: 'LAST' }),
    ]
    await Promise.all([pay(one.secret, one.view, cards.approved), pay(two.secret, two.view, cards.approved)])
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ orders: number; used: number; owed: number; charges: number }>`
      select (select count(*) from orders) as "orders", (select test_used from promotions where code = 'LAST') as "used",
        (select count(*) from refunds where status = 'pending' and kind = 'void') as "owed",
        (select count(*) from test_charges where state = 'approved') as "charges"`,
    )
    assert.equal(row?.used, 1)
    assert.equal(row.orders, 1)
    // Whoever came second was refused before the charge, or has it owed back.
    assert.equal(row.charges - row.owed, 1)
  })
})
