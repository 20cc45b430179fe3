// From a session to a paid order and back, at the service behind the page: what is charged, what is sold, what is told.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { berlin, eventsOf, market } from '../harness/carts.ts'
import { cards, checkoutOf } from '../harness/checkout.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'
import { sweepAddresses } from '../src/domain/addresses/vault.ts'
import { countGuess, findCart, setCartStatus } from '../src/domain/carts/store.ts'
import { paySession as payAt } from '../src/domain/checkout/pay/pay.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { findSession, saveSession } from '../src/domain/checkout/store.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import { findOrder, saveOrder } from '../src/domain/orders/store.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { RowMoved } from '../src/platform/storage/guard.ts'
import type { Tx } from '../src/platform/storage/storage.ts'

eachEngine('a payment', (given) => {
  test('an approved payment places one order with all amounts of the page, sells stock, uses the promotion and converts the cart', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, ready, pay, read } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready({ 'ROSE-12': 2, CARD: 3 }, { promotionCode: 'WELCOME10' })
    const { problem, view: paid } = await pay(secret, view)
    assert.equal(problem, null)
    assert.deepEqual(
      [paid.session.status, paid.session.paymentStatus, paid.session.url, paid.session.hold.status],
      ['completed', 'paid', null, 'consumed'],
    )
    assert.deepEqual(paid.session.totals, view.session.totals)
    const orderId = paid.session.orderId ?? ''
    const order = (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
    const { refunded, refundPending, ...totals } = order.totals
    assert.deepEqual([totals, refunded, refundPending], [view.session.totals, 0, 0])
    assert.equal(order.total, view.session.totals.total)
    assert.deepEqual([order.status, order.paymentStatus, order.number], ['placed', 'paid', 'T-1001'])
    assert.deepEqual(
      order.payments.map(({ provider, status, last4, amount }: Record<string, unknown>) => [
        provider,
        status,
        last4,
        amount,
      ]),
      [['test', 'succeeded', '4242', view.session.totals.total]],
    )
    const cart = (await carts.read(paid.session.cartId)).body.data
    assert.deepEqual([cart.status, cart.orderId], ['converted', orderId])
    const [sku] = await testServer.storage.read(
      (db) =>
        db.sql<{ onHand: number; held: number }>`
          select t.on_hand as "onHand", t.held from stock t join skus s on s.merchant_id = t.merchant_id and s.id = t.sku_id
          where s.code = 'ROSE-12' and t.mode = 'test'`,
    )
    assert.deepEqual(sku, { onHand: 38, held: 0 })
    const [promotion] = await testServer.storage.read(
      (db) => db.sql<{ used: number }>`select test_used as "used" from promotions where code = 'WELCOME10'`,
    )
    assert.equal(promotion?.used, 1)
    assert.deepEqual(
      (await eventsOf(testServer, orderId)).map(({ type }) => type),
      ['order.placed', 'order.paid'],
    )
    assert.equal((await eventsOf(testServer, sessionId)).at(-1)?.type, 'checkout_session.completed')
    assert.equal((await eventsOf(testServer, cart.id)).at(-1)?.type, 'cart.converted')
    assert.equal((await read(sessionId)).body.data.orderId, orderId)
    assertError(
      await testServer.ask('cancelHostedCheckoutSession', { path: { sessionId }, body: { idempotencyKey: 'late' } }),
      'checkout_session_not_open',
    )
  })

  test('the events of a purchase contain what the API returns afterwards, and the last use of a promotion is announced once', async () => {
    const promotion = { code: 'LAST', name: 'The last', type: 'percentage', percentage: 1_000, usageLimit: 1 } as const
    const testServer = await openTestServer(given, { shops: [{ ...market, promotions: [promotion] }] })
    const { carts, ready, pay, read } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready({ 'ROSE-12': 2, CARD: 3 }, { promotionCode: 'LAST' })
    const { view: paid } = await pay(secret, view)
    const { cartId } = paid.session
    const orderId = paid.session.orderId ?? ''
    const answered = {
      cart: (await carts.read(cartId)).body.data,
      checkoutSession: (await read(sessionId)).body.data,
      order: (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data,
    }
    assert.equal(answered.order.promotion.code, 'LAST')
    const told = await testServer.storage.read(
      (db) => db.sql<{ type: string; body: string }>`
        select type, body from events where installation_id = ${testServer.installationId} order by id`,
    )
    const last = told.slice(told.findIndex(({ type }) => type === 'order.placed'))
    assert.deepEqual(
      last.map(({ type }) => type),
      ['order.placed', 'promotion.exhausted', 'order.paid', 'cart.converted', 'checkout_session.completed'],
    )
    const dataOf = (kind: string) => JSON.parse(last.find(({ type }) => type === kind)?.body ?? '{}').data
    assert.deepEqual(dataOf('order.paid').order, { ...answered.order, statusUrl: null, withdrawalUrl: null })
    assert.deepEqual(dataOf('cart.converted').cart, answered.cart)
    assert.deepEqual(dataOf('checkout_session.completed').checkoutSession, {
      ...answered.checkoutSession,
      statusUrl: null,
      withdrawalUrl: null,
    })
  })

  test('a session, cart or order that has changed since it was read is not overwritten', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, pay } = await checkoutOf(testServer)
    const { installationId } = testServer
    const open = await ready({ CARD: 1 })
    const done = await ready({ CARD: 1 })
    const orderId = (await pay(done.secret, done.view)).view.session.orderId ?? ''
    const cartId = open.view.session.cartId
    const look = () =>
      testServer.storage.read((db) =>
        Promise.all([
          findSession(db, { installationId, sessionId: open.sessionId }),
          findCart(db, { installationId, cartId }),
          findOrder(db, { installationId, orderId }),
        ]),
      )
    const [session, cart, order] = await look()
    assert.ok(session && cart && order)
    const wrong: ((tx: Tx) => void)[] = [
      (tx) => saveSession(tx, { ...session, version: session.version }),
      (tx) => saveSession(tx, { ...session, version: session.version + 2 }),
      (tx) => setCartStatus(tx, { installationId, cartId }, 'unlock'),
      (tx) => saveOrder(tx, { ...order, version: 9 }, { version: order.version - 1 }),
    ]
    // Beside writes that are right, which on SQLite share a commit with them.
    const right = (tx: Tx) => countGuess(tx, cart, 3, cart.guessesSince)
    const outcomes = await Promise.allSettled(
      [...wrong, right].map((work) => testServer.storage.write(async (tx) => work(tx))),
    )
    for (const outcome of outcomes.slice(0, -1)) {
      assert.ok(outcome.status === 'rejected')
      assert.ok(outcome.reason instanceof RowMoved)
    }
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : 'written')),
      [
        `version moved: a row of checkout_sessions was expected at version ${session.version - 1}`,
        `version moved: a row of checkout_sessions was expected at version ${session.version + 1}`,
        'status moved: a row of carts was expected at status locked',
        `version moved: a row of orders was expected at version ${order.version - 1}`,
        'written',
      ],
    )
    assert.deepEqual(await look(), [session, { ...cart, guesses: 3 }, order])
  })

  test('a declined payment reopens the session with the reason, and another card can pay', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, pay } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready({ CARD: 1 })
    const { view: declined } = await pay(secret, view, cards.insufficientFunds)
    assert.deepEqual([declined.session.status, declined.session.lastPaymentError?.code], ['open', 'insufficient_funds'])
    const { view: paid } = await pay(secret, declined)
    assert.equal(paid.session.status, 'completed')
    assert.deepEqual(
      (await eventsOf(testServer, sessionId)).map(({ type }) => type),
      ['checkout_session.created', 'checkout_session.payment_failed', 'checkout_session.completed'],
    )
  })

  test('a payment form that is sent ten times concurrently, with one attempt id or several, makes one charge and one order', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, pay } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready({ CARD: 1 })
    const attempt = newId('pay')
    await Promise.all([
      ...Array.from({ length: 5 }, () => pay(secret, view, cards.approved, attempt)),
      ...Array.from({ length: 5 }, () => pay(secret, view)),
    ])
    const orders = await testServer.storage.read(
      (db) => db.sql`select id from orders where checkout_session_id = ${sessionId}`,
    )
    const charges = await testServer.storage.read((db) => db.sql`select key from test_charges`)
    assert.deepEqual([orders.length, charges.length], [1, 1])
  })

  test('a payment with a total or a version that is not the current one is refused', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, ready, pay, look } = await checkoutOf(testServer)
    const { secret, view } = await ready({ CARD: 1 })
    await carts.patch(view.session.cartId, 'CARD', 2)
    assert.equal((await pay(secret, view)).problem?.code, 'stale')
    const seen = await look(secret)
    const products = (market.products ?? []).map((product) =>
      product.slug === 'card' ? { ...product, skus: product.skus.map((sku) => ({ ...sku, price: 500 })) } : product,
    )
    await testServer.apply({ ...market, products })
    const { problem } = await pay(secret, seen)
    assert.deepEqual(problem, {
      code: 'total_changed',
      from: seen.session.totals.total,
      to: seen.session.totals.total + 2 * 167,
    })
    assert.deepEqual(await testServer.storage.read((db) => db.sql`select key from test_charges`), [])
    assert.equal((await pay(secret, await look(secret))).view.session.status, 'completed')
  })

  test('of 200 concurrent shoppers for 20 units, 20 get a session; once these have expired, 20 concurrent payments sell all units', async () => {
    const products = [
      {
        slug: 'rare',
        name: 'Rare',
        publishedAt: '2026-01-01T00:00:00.000Z',
        skus: [{ code: 'RARE', price: 1000, stock: 20, requiresShipping: false }],
      },
    ]
    const testServer = await openTestServer(given, { shops: [{ ...market, products, promotions: [] }] })
    const { open, ready, pay } = await checkoutOf(testServer)
    // Whoever is told that there is too much to do asks again, under the same key.
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const idempotencyKey = randomUUID()
        for (;;) {
          const { status } = await open({ RARE: 1 }, { idempotencyKey })
          if (status !== 503) return status
        }
      }),
    )
    assert.deepEqual(
      [outcomes.filter((status) => status === 200).length, outcomes.filter((status) => status === 409).length],
      [20, 180],
    )
    const sessions = await testServer.storage.read((db) => db.sql<{ id: string }>`select id from checkout_sessions`)
    assert.equal(sessions.length, 20)
    assert.equal((await open({ RARE: 1 })).body.error.current.available, 0)
    // The held ones run out, and the same number of buyers pays at once.
    testServer.clock.now += 31 * 60_000
    assert.equal(await expireSessions(testServer.storage, testServer.app.payTools, testServer.clock.now), 20)
    const buyers = await Promise.all(Array.from({ length: 20 }, () => ready({ RARE: 1 })))
    const paid = await Promise.all(buyers.map(({ secret, view }) => pay(secret, view)))
    assert.equal(paid.filter(({ view }) => view.session.status === 'completed').length, 20)
    const [rows] = await testServer.storage.read(
      (db) => db.sql<{ orders: number; charges: number; onHand: number }>`
      select (select count(*) from orders) as "orders", (select count(*) from test_charges) as "charges", (select on_hand from stock where mode = 'test') as "onHand"`,
    )
    assert.deepEqual(rows, { orders: 20, charges: 20, onHand: 0 })
  })

  test('a payment that is declined after the SKU was removed from sale reopens the session, without a hold', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, pay, read, look } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready({ CARD: 1 })
    assert.equal((await pay(secret, view, '4000000000000267')).view.session.status, 'processing')
    const products = (market.products ?? []).map((product) =>
      product.slug === 'card' ? { ...product, skus: [{ code: 'CARD-2', price: 333, stock: 9 }] } : product,
    )
    await testServer.apply({ ...market, products })
    testServer.clock.now += 120_000
    await recoverPayments(testServer.app.payTools)
    const { status, hold, lastPaymentError } = (await read(sessionId)).body.data
    assert.deepEqual([status, hold.status, lastPaymentError.code], ['open', 'none', 'declined'])
    assert.equal((await pay(secret, await look(secret))).problem?.code, 'item_unavailable')
  })

  test('a payment that is approved after the SKU was removed from sale completes the session with its totals', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, pay, read } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready({ CARD: 1 })
    await pay(secret, view, '4000000000000259')
    const products = (market.products ?? []).map((product) =>
      product.slug === 'card'
        ? { ...product, published: false, skus: [{ code: 'CARD-2', price: 999, stock: 9 }] }
        : product,
    )
    await testServer.apply({ ...market, products, promotions: [] })
    testServer.clock.now += 120_000
    await recoverPayments(testServer.app.payTools)
    const { status, totals } = (await read(sessionId)).body.data
    assert.deepEqual([status, totals], ['completed', view.session.totals])
  })

  test('an attempt id that another session has used makes a separate payment, so one charge never pays two orders', async () => {
    const second = { ...market, merchant: { ...market.merchant, slug: 'second', name: 'Second' } }
    const testServer = await openTestServer(given, { shops: [market, second] })
    const { ready, pay, look } = await checkoutOf(testServer)
    const attempt = newId('pay')
    const own = await ready({ COURSE: 1 })
    await pay(own.secret, own.view, cards.approved, attempt)
    const [sku] = await testServer.storage.read(
      (db) =>
        db.sql<{ id: string }>`select id from skus where code = 'COURSE' and merchant_id <> ${testServer.merchantId}`,
    )
    const { body } = await testServer.ask('createHostedCheckoutSession', {
      key: testServer.keys.rival,
      body: {
        idempotencyKey: 'x',
        items: [{ skuId: sku?.id, quantity: 2 }],
        successUrl: 'http://localhost/x',
        customer: { email: 'b@example.com' },
      },
    })
    const secret = body.data.url.split('/').at(-1)
    assert.equal((await pay(secret, await look(secret), cards.approved, attempt)).view.session.status, 'completed')
    const charges = await testServer.storage.read(
      (db) => db.sql<{ amount: number }>`select amount from test_charges order by amount`,
    )
    assert.deepEqual(charges, [{ amount: 9900 }, { amount: 19_800 }])
  })

  test('a free order is completed after its process died during the payment', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    await testServer.apply({
      ...market,
      promotions: [{ code: 'ALL', name: 'All', type: 'percentage', percentage: 10_000 }],
    })
    const { ready, read } = await checkoutOf(testServer)
    const { sessionId, view } = await ready({ COURSE: 1 }, { promotionCode: 'ALL' })
    const dying = { ...testServer.app.payTools, onStep: () => assert.fail('died') }
    const input = {
      version: view.session.version,
      expectedTotal: 0,
      provider: '',
      method: '',
      details: {},
      attempt: newId('pay'),
    }
    await assert.rejects(payAt(dying, { installationId: testServer.installationId, sessionId }, input, null))
    assert.equal((await read(sessionId)).body.data.status, 'processing')
    testServer.clock.now += 120_000
    await recoverPayments(testServer.app.payTools)
    assert.equal((await read(sessionId)).body.data.status, 'completed')
  })

  test('an order has the address of its checkout even if the address expired while the shopper paid', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, pay, look } = await checkoutOf(testServer)
    const cartId = await carts.create({ CARD: 1 })
    await carts.address(cartId, berlin)
    testServer.clock.now += 7 * 24 * 3_600_000 - 60_000
    const { body } = await testServer.ask('createHostedCheckoutSession', {
      body: { idempotencyKey: 'k', cartId, successUrl: 'http://localhost/x', customer: { email: 'b@example.com' } },
    })
    const secret = body.data.url.split('/').at(-1)
    const { view } = await pay(secret, await look(secret), '4000002500003155')
    testServer.clock.now += 120_000
    await sweepAddresses(testServer.storage, testServer.clock.now, 100)
    await testServer.app.checkout.answerChallenge(secret, view.challenge?.paymentId ?? '', 'accept')
    const [order] = await testServer.storage.read(
      (db) => db.sql<{ addressId: string | null }>`select address_id as "addressId" from orders`,
    )
    assert.match(order?.addressId ?? '', /^adr_/)
  })

  test('a promotion that each customer can use once is used once, even if two payments began together', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    await testServer.apply({
      ...market,
      promotions: [{ code: 'ONE', name: 'One', type: 'percentage', percentage: 5000, customerLimit: 1 }],
    })
    const { ready, pay } = await checkoutOf(testServer)
    const begun = []
    for (let i = 0; i < 2; i += 1) {
      const { secret, view } = await ready({ COURSE: 1 }, { promotionCode: 'ONE' })
      begun.push({ secret, challenge: (await pay(secret, view, '4000002500003155')).view.challenge })
    }
    for (const { secret, challenge } of begun)
      await testServer.app.checkout.answerChallenge(secret, challenge?.paymentId ?? '', 'accept')
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ orders: number; used: number; owed: number }>`
      select (select count(*) from orders) as "orders", (select test_used from promotions where code = 'ONE') as "used", (select count(*) from refunds) as "owed"`,
    )
    assert.deepEqual(row, { orders: 1, used: 1, owed: 1 })
  })

  test('a cart with too little stock can be reduced line by line, and an old link does not lead to a newer session', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, ready } = await checkoutOf(testServer)
    const { secret, view } = await ready({ CARD: 3, BOOK: 3 }, { expiresInSeconds: 86_400 })
    testServer.clock.now += 16 * 60_000
    const products = (market.products ?? []).map((product) => ({
      ...product,
      skus: product.skus.map((sku) => ({ ...sku, stock: 1 })),
    }))
    await testServer.apply({ ...market, products }, { stock: true })
    const { cartId } = view.session
    assertError(await carts.patch(cartId, 'CARD', 4), 'insufficient_stock')
    assert.equal((await carts.patch(cartId, 'CARD', 1)).status, 200)
    assert.equal((await carts.remove(cartId, 'BOOK')).status, 200)
    await testServer.app.checkout.cancel(secret)
    const { body } = await testServer.ask('createHostedCheckoutSession', {
      body: { idempotencyKey: 'b', cartId, clientReferenceId: 'B', successUrl: 'http://localhost/x' },
    })
    assert.deepEqual(await testServer.app.checkout.startAgain(secret), { problem: { code: 'not_open' } })
    assert.equal(
      (await testServer.ask('getHostedCheckoutSession', { path: { sessionId: body.data.id } })).body.data
        .clientReferenceId,
      'B',
    )
  })

  test('the URL of a checkout page is not stored in clear text, but a repeated request returns it again', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts } = await checkoutOf(testServer)
    const body = {
      idempotencyKey: 'sealed',
      items: [{ skuId: carts.sku('CARD'), quantity: 1 }],
      successUrl: 'http://localhost/x',
    }
    const [first, again] = [
      await testServer.ask('createHostedCheckoutSession', { body }),
      await testServer.ask('createHostedCheckoutSession', { body }),
    ]
    assert.deepEqual([again.text, again.headers.get('idempotency-replayed')], [first.text, 'true'])
    const secret = first.body.data.url.split('/').at(-1)
    const rows = await testServer.storage.read(async (db) => [
      await db.sql`select * from idempotency_keys`,
      await db.sql`select * from checkout_sessions`,
      await db.sql`select * from events`,
    ])
    assert.ok(!JSON.stringify(rows).includes(secret))
  })

  test('concurrent cancellation, payment and expiry of a session end with one final event, at most one order and no holds', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, pay } = await checkoutOf(testServer)
    for (let round = 0; round < 12; round += 1) {
      const { sessionId, secret, view } = await ready({ CARD: 2 })
      const cancel = () =>
        testServer.ask('cancelHostedCheckoutSession', {
          path: { sessionId },
          body: { idempotencyKey: `c-${round}-${sessionId}` },
        })
      const expire = () => expireSessions(testServer.storage, testServer.app.payTools, testServer.clock.now + 3_600_000)
      const races =
        [
          [() => pay(secret, view), cancel],
          [cancel, expire],
          [() => pay(secret, view), expire],
          [cancel, cancel],
        ][round % 4] ?? []
      await Promise.all(races.map((race) => race()))
      const events = (await eventsOf(testServer, sessionId)).map(({ type }) => type)
      const terminal = events.filter((type) => /completed|cancelled|expired/.test(type))
      assert.equal(terminal.length, 1, events.join(' '))
      const [charge] = await testServer.storage.read(
        (db) => db.sql`select id from orders where checkout_session_id = ${sessionId}`,
      )
      assert.equal(charge !== undefined, terminal[0] === 'checkout_session.completed')
      assert.deepEqual(
        await testServer.storage.read((db) => db.sql`select sku_id from holds where owner_id = ${sessionId}`),
        [],
      )
    }
  })
})
