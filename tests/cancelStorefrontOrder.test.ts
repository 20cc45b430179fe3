import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf } from '../harness/carts.ts'
import { openOrderTestServer, orderWorld, refusingCard } from '../harness/orders.ts'
import { answerOf } from '../harness/refused.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, type TestServer } from '../harness/testServer.ts'
import { fulfilOrder, refundOrder } from '../src/domain/orders/operator.ts'
import { listTestCharges } from '../src/domain/payments/providers/sandbox/provider.ts'

const all = { carrier: null, trackingNumber: null, items: null }

function moment(testServer: TestServer) {
  return { now: testServer.clock.now, cause: null }
}

eachEngine('cancelStorefrontOrder', (given) => {
  test('200 for a paid order restocks the items, releases the promotion use and queues the refund, which is paid afterwards', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, quote } = await testServer.orders.place({ code: 'ONCE' })
    const { total } = quote.totals
    assert.deepEqual(await orderWorld(testServer, orderId), {
      status: 'placed',
      paymentStatus: 'paid',
      version: 2,
      refunded: 0,
      events: [
        ['order.placed', 1],
        ['order.paid', 2],
      ],
      timeline: ['placed', 'paid'],
      refunds: [],
      payments: ['succeeded'],
      onHand: { CARD: 997, 'ROSE-12': 38 },
      used: 1,
    })
    testServer.clock.now += 1_000
    const answer = await testServer.orders.cancel(orderId, {
      expectedVersion: 2,
      reason: 'customer_request',
      note: 'by phone',
    })
    assert.equal(answer.status, 200, answer.text)
    const { cancellation, order } = answer.body.data
    const bySku = (one: { skuId: string }, other: { skuId: string }) => (one.skuId < other.skuId ? -1 : 1)
    assert.deepEqual(cancellation, {
      id: cancellation.id,
      orderId,
      status: 'refund_pending',
      reason: 'customer_request',
      note: 'by phone',
      restocked: quote.lines.map(({ skuId, quantity }) => ({ skuId, quantity })).sort(bySku),
      refund: { id: cancellation.refund.id, amount: total, currency: 'EUR', status: 'pending' },
      createdAt: '2026-06-01T12:00:01.000Z',
    })
    assert.match(cancellation.id, /^can_/)
    assert.deepEqual(
      [order.status, order.paymentStatus, order.version, order.updatedAt],
      ['cancelled', 'refunding', 3, '2026-06-01T12:00:01.000Z'],
    )
    const cancelled = {
      status: 'cancelled',
      paymentStatus: 'refunding',
      version: 3,
      refunded: total,
      events: [
        ['order.placed', 1],
        ['order.paid', 2],
        ['order.cancelled', 3],
      ] as [string, number][],
      timeline: ['placed', 'paid', 'cancelled', 'refund_started'],
      refunds: [['refund', total, 'pending']],
      payments: ['succeeded'],
      onHand: { CARD: 1000, 'ROSE-12': 40 },
      used: 0,
    }
    assert.deepEqual(await orderWorld(testServer, orderId), cancelled)
    const [, , told] = await eventsOf(testServer, orderId)
    const read = (await testServer.orders.read(orderId)).body.data
    assert.deepEqual(told?.body.data.order, { ...read, statusUrl: null, withdrawalUrl: null })
    assert.deepEqual(told?.body.cause.operationId, 'cancelStorefrontOrder')
    assert.deepEqual(read.timeline[2], { at: '2026-06-01T12:00:01.000Z', type: 'cancelled', cancelledBy: 'api' })
    assert.deepEqual(
      [read.cancellation, read.cancellable, read.totals.refunded, read.totals.refundPending, read.refunds.length],
      [cancellation, false, 0, total, 1],
    )

    testServer.clock.now += 1_000
    assert.deepEqual(await testServer.orders.pay(), ['succeeded'])
    assert.deepEqual(await testServer.orders.pay(), [])
    assert.deepEqual(await orderWorld(testServer, orderId), {
      ...cancelled,
      paymentStatus: 'refunded',
      version: 4,
      events: [...cancelled.events, ['order.refunded', 4]],
      timeline: [...cancelled.timeline, 'refunded'],
      refunds: [['refund', total, 'succeeded']],
    })
    const after = (await testServer.orders.read(orderId)).body.data
    assert.deepEqual(after.cancellation, {
      ...cancellation,
      status: 'completed',
      refund: { ...cancellation.refund, status: 'succeeded' },
    })
    assert.deepEqual((await eventsOf(testServer, orderId)).at(-1)?.body.data.order, {
      ...after,
      statusUrl: null,
      withdrawalUrl: null,
    })
    assert.deepEqual(
      (await listTestCharges(testServer.storage)).map(({ refunded }) => refunded),
      [total],
    )
  })

  test('200 for an order with a manual payment voids the payment, and refunds nothing', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, quote } = await testServer.orders.place({ isManual: true })
    const { data } = (await testServer.orders.cancel(orderId)).body
    assert.deepEqual(
      [data.cancellation.status, data.cancellation.refund, data.cancellation.reason, data.cancellation.note],
      ['completed', null, null, null],
    )
    const voided = {
      status: 'cancelled',
      paymentStatus: 'voided',
      version: 2,
      refunded: 0,
      events: [
        ['order.placed', 1],
        ['order.cancelled', 2],
      ] as [string, number][],
      timeline: ['placed', 'cancelled', 'voided'],
      refunds: [['void', quote.totals.total, 'pending']],
      payments: ['pending'],
      onHand: { CARD: 1000, 'ROSE-12': 40 },
      used: null,
    }
    assert.deepEqual(await orderWorld(testServer, orderId), voided)
    assert.deepEqual((await testServer.orders.read(orderId)).body.data.refunds, [])
    assert.deepEqual(await testServer.orders.pay(), ['succeeded'])
    assert.deepEqual(await orderWorld(testServer, orderId), {
      ...voided,
      refunds: [['void', quote.totals.total, 'succeeded']],
      payments: ['voided'],
    })
  })

  test('200 for a free order releases the promotion use, and refunds nothing', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place({ items: { COURSE: 2 }, code: 'GIFT', isSent: false })
    assert.equal((await orderWorld(testServer, orderId)).used, 1)
    const { data } = (await testServer.orders.cancel(orderId)).body
    assert.deepEqual([data.cancellation.status, data.cancellation.refund], ['completed', null])
    assert.deepEqual(await orderWorld(testServer, orderId), {
      status: 'cancelled',
      paymentStatus: 'paid',
      version: 3,
      refunded: 0,
      events: [
        ['order.placed', 1],
        ['order.paid', 2],
        ['order.cancelled', 3],
      ],
      timeline: ['placed', 'paid', 'cancelled'],
      refunds: [],
      payments: [],
      onHand: { COURSE: 50 },
      used: 0,
    })
    assert.deepEqual(await testServer.orders.pay(), [])
  })

  test('200 with restock false restocks nothing, and a backordered quantity is never restocked', async () => {
    const testServer = await openOrderTestServer(given)
    const kept = await testServer.orders.place()
    const answer = await testServer.orders.cancel(kept.orderId, { restock: false, reason: 'out_of_stock' })
    assert.deepEqual(answer.body.data.cancellation.restocked, [])
    assert.deepEqual((await orderWorld(testServer, kept.orderId)).onHand, { CARD: 997, 'ROSE-12': 38 })
    const owed = await testServer.orders.place({ items: { PEONY: 4 } })
    assert.deepEqual((await testServer.orders.cancel(owed.orderId)).body.data.cancellation.restocked, [])
    assert.deepEqual((await orderWorld(testServer, owed.orderId)).onHand, { PEONY: 0 })
  })

  test('200 refunds only what was not refunded before', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, quote } = await testServer.orders.place()
    const { installationId } = testServer
    const part = { amount: 1_000, reason: null }
    await testServer.storage.write((tx) => refundOrder(tx, { installationId, orderId }, part, moment(testServer)))
    await testServer.orders.pay()
    assert.equal((await orderWorld(testServer, orderId)).paymentStatus, 'partially_refunded')
    const { cancellation } = (await testServer.orders.cancel(orderId)).body.data
    assert.equal(cancellation.refund.amount, quote.totals.total - 1_000)
    await testServer.orders.pay()
    const world = await orderWorld(testServer, orderId)
    assert.deepEqual([world.paymentStatus, world.refunded], ['refunded', quote.totals.total])

    // All of it is on its way already: the cancellation waits for that.
    const second = await testServer.orders.place()
    const key = { installationId, orderId: second.orderId }
    await testServer.storage.write((tx) => refundOrder(tx, key, { amount: null, reason: null }, moment(testServer)))
    const waiting = (await testServer.orders.cancel(second.orderId)).body.data.cancellation
    assert.deepEqual([waiting.status, waiting.refund.amount], ['refund_pending', second.quote.totals.total])
    await testServer.orders.pay()
    assert.equal((await testServer.orders.read(second.orderId)).body.data.cancellation.status, 'completed')
  })

  test('a failed refund is shown as failed, and the operator can refund again', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, quote } = await testServer.orders.place({ card: refusingCard })
    await testServer.orders.cancel(orderId)
    const { total } = quote.totals
    for (let tries = 1; tries < 8; tries++) {
      assert.deepEqual(await testServer.orders.pay(), ['later'])
      testServer.clock.now += 6 * 3_600_000
    }
    assert.deepEqual(await testServer.orders.pay(), ['failed'])
    const { data } = (await testServer.orders.read(orderId)).body
    assert.deepEqual(
      [
        data.paymentStatus,
        data.totals.refunded,
        data.cancellation.status,
        data.cancellation.refund.status,
        data.version,
      ],
      ['paid', 0, 'refund_failed', 'failed', 4],
    )
    const key = { installationId: testServer.installationId, orderId }
    const input = { amount: null, reason: 'by hand' }
    const again = await testServer.storage.write((tx) => refundOrder(tx, key, input, moment(testServer)))
    // The customer has another card now.
    await testServer.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'given'`)
    assert.deepEqual(await testServer.orders.pay(), ['succeeded'])
    const after = (await testServer.orders.read(orderId)).body.data
    assert.deepEqual(
      [after.paymentStatus, after.totals.refunded, after.cancellation.status, after.cancellation.refund.status],
      ['refunded', total, 'completed', 'succeeded'],
    )
    assert.equal(after.cancellation.refund.id, again.refund.id)
  })

  test('a cancellation stays incomplete while its refund has failed, even if another refund succeeded', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    const key = { installationId: testServer.installationId, orderId }
    await testServer.storage.write((tx) => refundOrder(tx, key, { amount: 100, reason: null }, moment(testServer)))
    // The provider takes the small one, once the large one was refused for good.
    await testServer.storage.write((tx) => tx.sql`update refunds set try_at = try_at + ${30 * 86_400_000}`)
    await testServer.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'refused'`)
    await testServer.orders.cancel(orderId)
    for (let tries = 1; tries <= 8; tries++) {
      await testServer.orders.pay()
      testServer.clock.now += 6 * 3_600_000
    }
    await testServer.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'given'`)
    testServer.clock.now += 86_400_000 * 30
    assert.deepEqual(await testServer.orders.pay(), ['succeeded'])
    const { data } = (await testServer.orders.read(orderId)).body
    assert.deepEqual(
      [data.paymentStatus, data.totals.refunded, data.cancellation.status, data.cancellation.refund.status],
      ['partially_refunded', 100, 'refund_failed', 'failed'],
    )
    await testServer.storage.write((tx) => refundOrder(tx, key, { amount: null, reason: null }, moment(testServer)))
    assert.deepEqual(await testServer.orders.pay(), ['succeeded'])
    assert.equal((await testServer.orders.read(orderId)).body.data.cancellation.status, 'completed')
  })

  test('409 with the reason for an order that cannot be cancelled, and nothing changes', async () => {
    const testServer = await openOrderTestServer(given)
    const { installationId } = testServer
    const cancelled = await testServer.orders.place()
    await testServer.orders.cancel(cancelled.orderId)
    const completed = await testServer.orders.place()
    const sent = await testServer.orders.place()
    const items = new Map([['CARD', 1]])
    await testServer.storage.write(async (tx) => {
      await fulfilOrder(tx, { installationId, orderId: completed.orderId }, all, moment(testServer))
      await fulfilOrder(tx, { installationId, orderId: sent.orderId }, { ...all, items }, moment(testServer))
    })
    const started = await testServer.orders.place()
    await testServer.storage.write(
      (tx) => tx.sql`update orders set status = 'processing' where id = ${started.orderId}`,
    )
    for (const [{ orderId }, status, version, reason] of [
      [cancelled, 'cancelled', 3, 'already_cancelled'],
      [completed, 'completed', 5, 'already_completed'],
      [sent, 'processing', 3, 'already_fulfilled'],
      [started, 'processing', 2, 'already_processing'],
    ] as const) {
      const before = await orderWorld(testServer, orderId)
      const answer = await testServer.orders.cancel(orderId)
      assertError(answer, 'order_not_cancellable')
      assert.deepEqual(answer.body.error.current, { status, version, reason })
      assert.deepEqual(await orderWorld(testServer, orderId), before)
      assert.equal((await testServer.orders.read(orderId)).body.data.cancellable, false)
    }
  })

  test('409 for an outdated version, with the current one', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    const before = await orderWorld(testServer, orderId)
    const answer = await testServer.orders.cancel(orderId, { expectedVersion: 1 })
    assertError(answer, 'version_conflict')
    assert.equal(answer.body.error.message, 'The order is at version 2; the request expected 1.')
    assert.deepEqual(answer.body.error.current, { status: 'placed', version: 2 })
    assert.deepEqual(await orderWorld(testServer, orderId), before)
  })

  test('404 with the same bytes for a missing order, a malformed id and an order of another installation', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    const before = await orderWorld(testServer, orderId)
    const bodies = new Set<string>()
    for (const [path, key] of [
      [orderId, testServer.keys.rival],
      ['ord_01h455vb4pex5vsknk084sn02q', testServer.keys.full],
      ['nonsense', testServer.keys.full],
    ] as const) {
      const body = { idempotencyKey: 'x' }
      const answer = await testServer.ask('cancelStorefrontOrder', { path: { orderId: path }, key, body })
      assertError(answer, 'order_not_found')
      bodies.add(answer.text.replace(answer.body.error.requestId, ''))
    }
    assert.equal(bodies.size, 1)
    assert.deepEqual(await orderWorld(testServer, orderId), before)
  })

  test('400 for an unknown reason, an empty note and an invalid value of restock', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    for (const more of [{ reason: 'bored' }, { note: '' }, { restock: 'no' }, { expectedVersion: 0 }, { refund: true }])
      assert.equal((await testServer.orders.cancel(orderId, more)).status, 400)
  })

  test('the same idempotency key returns the same response, byte for byte, also in concurrent requests', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => testServer.orders.cancel(orderId, {}, 'one-key')),
    )
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
    assert.equal(answers[0]?.status, 200)
    await testServer.orders.pay()
    const later = await testServer.orders.cancel(orderId, {}, 'one-key')
    assert.equal(later.text, answers[0]?.text)
    assert.equal(later.headers.get('idempotency-replayed'), 'true')
    assertError(await testServer.orders.cancel(orderId, { note: 'x' }, 'one-key'), 'idempotency_key_reused')
    assert.equal((await orderWorld(testServer, orderId)).refunds.length, 1)
  })

  test('of 20 concurrent cancellations one succeeds, with one event, one restocking and one refund', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, quote } = await testServer.orders.place({ code: 'ONCE' })
    const answers = await Promise.all(Array.from({ length: 20 }, () => testServer.orders.cancel(orderId)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(409)])
    await Promise.all([testServer.orders.pay(), testServer.orders.pay(), testServer.orders.pay()])
    assert.deepEqual(await orderWorld(testServer, orderId), {
      status: 'cancelled',
      paymentStatus: 'refunded',
      version: 4,
      refunded: quote.totals.total,
      events: [
        ['order.placed', 1],
        ['order.paid', 2],
        ['order.cancelled', 3],
        ['order.refunded', 4],
      ],
      timeline: ['placed', 'paid', 'cancelled', 'refund_started', 'refunded'],
      refunds: [['refund', quote.totals.total, 'succeeded']],
      payments: ['succeeded'],
      onHand: { CARD: 1000, 'ROSE-12': 40 },
      used: 0,
    })
  })

  test('the stock is right after many orders were cancelled while other orders were placed', async () => {
    const testServer = await openOrderTestServer(given)
    const quote = await testServer.orders.quote({ items: { CARD: 2, BOOK: 1 } })
    const placed = await Promise.all(Array.from({ length: 20 }, () => testServer.orders.place({ quote })))
    const [answers] = await Promise.all([
      Promise.all(placed.map(({ orderId }) => testServer.orders.cancel(orderId))),
      Promise.all(Array.from({ length: 10 }, () => testServer.orders.place({ quote }))),
    ])
    assert.ok(answers.every(({ status }) => status === 200))
    const [first] = placed
    assert.deepEqual((await orderWorld(testServer, first?.orderId ?? '')).onHand, { BOOK: 90, CARD: 980 })
  })

  test('of a concurrent cancellation and fulfillment exactly one succeeds', async () => {
    const testServer = await openOrderTestServer(given)
    for (let round = 0; round < 10; round++) {
      const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
      const key = { installationId: testServer.installationId, orderId }
      const [answer, done] = await Promise.all([
        testServer.orders.cancel(orderId),
        answerOf(testServer.storage.write((tx) => fulfilOrder(tx, key, all, moment(testServer)))),
      ])
      const { status, events, refunds, onHand } = await orderWorld(testServer, orderId)
      const kinds = events.map(([kind]) => kind).slice(2)
      if ('done' in done) {
        assertError(answer, 'order_not_cancellable')
        assert.deepEqual([status, refunds], ['completed', []])
        assert.deepEqual(kinds, ['order.processing', 'order.fulfilled', 'order.completed'])
      } else {
        assert.equal(answer.status, 200)
        assert.equal(done.code, 'order_not_fulfillable')
        assert.deepEqual([status, kinds, refunds.length], ['cancelled', ['order.cancelled'], 1])
      }
      assert.ok((onHand.CARD ?? 0) > 980)
    }
  })
})
