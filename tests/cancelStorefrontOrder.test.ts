import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf } from '../harness/carts.ts'
import { assertError, type House } from '../harness/house.ts'
import { openOrderHouse, orderWorld, refusingCard } from '../harness/orders.ts'
import { answerOf } from '../harness/refused.ts'
import { eachEngine } from '../harness/storage.ts'
import { fulfilOrder, refundOrder } from '../src/domain/orders/operator.ts'
import { chargesOf } from '../src/domain/payments/providers/sandbox/provider.ts'

const all = { carrier: null, trackingNumber: null, items: null }

function moment(house: House) {
  return { now: house.clock.now, cause: null }
}

eachEngine('cancelStorefrontOrder', (given) => {
  test('200 a paid order: stock, promotion use, owed money, event and answer at once; then the money', async () => {
    const house = await openOrderHouse(given)
    const { orderId, quote } = await house.orders.place({ code: 'ONCE' })
    const { total } = quote.totals
    assert.deepEqual(await orderWorld(house, orderId), {
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
    house.clock.now += 1_000
    const answer = await house.orders.cancel(orderId, {
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
    assert.deepEqual(await orderWorld(house, orderId), cancelled)
    const [, , told] = await eventsOf(house, orderId)
    const read = (await house.orders.read(orderId)).body.data
    assert.deepEqual(told?.body.data.order, { ...read, statusUrl: null })
    assert.deepEqual(told?.body.cause.operationId, 'cancelStorefrontOrder')
    assert.deepEqual(read.timeline[2], { at: '2026-06-01T12:00:01.000Z', type: 'cancelled', cancelledBy: 'api' })
    assert.deepEqual(
      [read.cancellation, read.cancellable, read.totals.refunded, read.totals.refundPending, read.refunds.length],
      [cancellation, false, 0, total, 1],
    )

    house.clock.now += 1_000
    assert.deepEqual(await house.orders.pay(), ['succeeded'])
    assert.deepEqual(await house.orders.pay(), [])
    assert.deepEqual(await orderWorld(house, orderId), {
      ...cancelled,
      paymentStatus: 'refunded',
      version: 4,
      events: [...cancelled.events, ['order.refunded', 4]],
      timeline: [...cancelled.timeline, 'refunded'],
      refunds: [['refund', total, 'succeeded']],
    })
    const after = (await house.orders.read(orderId)).body.data
    assert.deepEqual(after.cancellation, {
      ...cancellation,
      status: 'completed',
      refund: { ...cancellation.refund, status: 'succeeded' },
    })
    assert.deepEqual((await eventsOf(house, orderId)).at(-1)?.body.data.order, { ...after, statusUrl: null })
    assert.deepEqual(
      (await chargesOf(house.storage)).map(({ refunded }) => refunded),
      [total],
    )
  })

  test('200 a manual payment is voided, and nothing goes back', async () => {
    const house = await openOrderHouse(given)
    const { orderId, quote } = await house.orders.place({ isManual: true })
    const { data } = (await house.orders.cancel(orderId)).body
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
    assert.deepEqual(await orderWorld(house, orderId), voided)
    assert.deepEqual((await house.orders.read(orderId)).body.data.refunds, [])
    assert.deepEqual(await house.orders.pay(), ['succeeded'])
    assert.deepEqual(await orderWorld(house, orderId), {
      ...voided,
      refunds: [['void', quote.totals.total, 'succeeded']],
      payments: ['voided'],
    })
  })

  test('200 an order of nothing owes nothing, and gives its use back', async () => {
    const house = await openOrderHouse(given)
    const { orderId } = await house.orders.place({ items: { COURSE: 2 }, code: 'GIFT', isSent: false })
    assert.equal((await orderWorld(house, orderId)).used, 1)
    const { data } = (await house.orders.cancel(orderId)).body
    assert.deepEqual([data.cancellation.status, data.cancellation.refund], ['completed', null])
    assert.deepEqual(await orderWorld(house, orderId), {
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
    assert.deepEqual(await house.orders.pay(), [])
  })

  test('200 without restocking; and what was owed on backorder does not come back', async () => {
    const house = await openOrderHouse(given)
    const kept = await house.orders.place()
    const answer = await house.orders.cancel(kept.orderId, { restock: false, reason: 'out_of_stock' })
    assert.deepEqual(answer.body.data.cancellation.restocked, [])
    assert.deepEqual((await orderWorld(house, kept.orderId)).onHand, { CARD: 997, 'ROSE-12': 38 })
    const owed = await house.orders.place({ items: { PEONY: 4 } })
    assert.deepEqual((await house.orders.cancel(owed.orderId)).body.data.cancellation.restocked, [])
    assert.deepEqual((await orderWorld(house, owed.orderId)).onHand, { PEONY: 0 })
  })

  test('200 owes only what has not gone back before', async () => {
    const house = await openOrderHouse(given)
    const { orderId, quote } = await house.orders.place()
    const { installationId } = house
    const part = { amount: 1_000, reason: null }
    await house.storage.write((tx) => refundOrder(tx, { installationId, orderId }, part, moment(house)))
    await house.orders.pay()
    assert.equal((await orderWorld(house, orderId)).paymentStatus, 'partially_refunded')
    const { cancellation } = (await house.orders.cancel(orderId)).body.data
    assert.equal(cancellation.refund.amount, quote.totals.total - 1_000)
    await house.orders.pay()
    const world = await orderWorld(house, orderId)
    assert.deepEqual([world.paymentStatus, world.refunded], ['refunded', quote.totals.total])

    // All of it is on its way already: the cancellation waits for that.
    const second = await house.orders.place()
    const key = { installationId, orderId: second.orderId }
    await house.storage.write((tx) => refundOrder(tx, key, { amount: null, reason: null }, moment(house)))
    const waiting = (await house.orders.cancel(second.orderId)).body.data.cancellation
    assert.deepEqual([waiting.status, waiting.refund.amount], ['refund_pending', second.quote.totals.total])
    await house.orders.pay()
    assert.equal((await house.orders.read(second.orderId)).body.data.cancellation.status, 'completed')
  })

  test('a refund that fails is shown as such, and the operator can pay again', async () => {
    const house = await openOrderHouse(given)
    const { orderId, quote } = await house.orders.place({ card: refusingCard })
    await house.orders.cancel(orderId)
    const { total } = quote.totals
    for (let tries = 1; tries < 8; tries++) {
      assert.deepEqual(await house.orders.pay(), ['later'])
      house.clock.now += 6 * 3_600_000
    }
    assert.deepEqual(await house.orders.pay(), ['failed'])
    const { data } = (await house.orders.read(orderId)).body
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
    const key = { installationId: house.installationId, orderId }
    const input = { amount: null, reason: 'by hand' }
    const again = await house.storage.write((tx) => refundOrder(tx, key, input, moment(house)))
    // The customer has another card now.
    await house.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'given'`)
    assert.deepEqual(await house.orders.pay(), ['succeeded'])
    const after = (await house.orders.read(orderId)).body.data
    assert.deepEqual(
      [after.paymentStatus, after.totals.refunded, after.cancellation.status, after.cancellation.refund.status],
      ['refunded', total, 'completed', 'succeeded'],
    )
    assert.equal(after.cancellation.refund.id, again.refund.id)
  })

  test('a cancellation is not complete while its refund failed, whatever else went back', async () => {
    const house = await openOrderHouse(given)
    const { orderId } = await house.orders.place()
    const key = { installationId: house.installationId, orderId }
    await house.storage.write((tx) => refundOrder(tx, key, { amount: 100, reason: null }, moment(house)))
    // The provider takes the small one, once the large one was refused for good.
    await house.storage.write((tx) => tx.sql`update refunds set try_at = try_at + ${30 * 86_400_000}`)
    await house.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'refused'`)
    await house.orders.cancel(orderId)
    for (let tries = 1; tries <= 8; tries++) {
      await house.orders.pay()
      house.clock.now += 6 * 3_600_000
    }
    await house.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'given'`)
    house.clock.now += 86_400_000 * 30
    assert.deepEqual(await house.orders.pay(), ['succeeded'])
    const { data } = (await house.orders.read(orderId)).body
    assert.deepEqual(
      [data.paymentStatus, data.totals.refunded, data.cancellation.status, data.cancellation.refund.status],
      ['partially_refunded', 100, 'refund_failed', 'failed'],
    )
    await house.storage.write((tx) => refundOrder(tx, key, { amount: null, reason: null }, moment(house)))
    assert.deepEqual(await house.orders.pay(), ['succeeded'])
    assert.equal((await house.orders.read(orderId)).body.data.cancellation.status, 'completed')
  })

  test('409 for an order that cannot be cancelled, with the reason, and the world stays untouched', async () => {
    const house = await openOrderHouse(given)
    const { installationId } = house
    const cancelled = await house.orders.place()
    await house.orders.cancel(cancelled.orderId)
    const completed = await house.orders.place()
    const sent = await house.orders.place()
    const items = new Map([['CARD', 1]])
    await house.storage.write(async (tx) => {
      await fulfilOrder(tx, { installationId, orderId: completed.orderId }, all, moment(house))
      await fulfilOrder(tx, { installationId, orderId: sent.orderId }, { ...all, items }, moment(house))
    })
    const started = await house.orders.place()
    await house.storage.write((tx) => tx.sql`update orders set status = 'processing' where id = ${started.orderId}`)
    for (const [{ orderId }, status, version, reason] of [
      [cancelled, 'cancelled', 3, 'already_cancelled'],
      [completed, 'completed', 5, 'already_completed'],
      [sent, 'processing', 3, 'already_fulfilled'],
      [started, 'processing', 2, 'already_processing'],
    ] as const) {
      const before = await orderWorld(house, orderId)
      const answer = await house.orders.cancel(orderId)
      assertError(answer, 'order_not_cancellable')
      assert.deepEqual(answer.body.error.current, { status, version, reason })
      assert.deepEqual(await orderWorld(house, orderId), before)
      assert.equal((await house.orders.read(orderId)).body.data.cancellable, false)
    }
  })

  test('409 to a stale version, with the present one', async () => {
    const house = await openOrderHouse(given)
    const { orderId } = await house.orders.place()
    const before = await orderWorld(house, orderId)
    const answer = await house.orders.cancel(orderId, { expectedVersion: 1 })
    assertError(answer, 'version_conflict')
    assert.equal(answer.body.error.message, 'The order is at version 2; the request expected 1.')
    assert.deepEqual(answer.body.error.current, { status: 'placed', version: 2 })
    assert.deepEqual(await orderWorld(house, orderId), before)
  })

  test('404 byte for byte the same for a missing one, nonsense and another installation’s', async () => {
    const house = await openOrderHouse(given)
    const { orderId } = await house.orders.place()
    const before = await orderWorld(house, orderId)
    const bodies = new Set<string>()
    for (const [path, key] of [
      [orderId, house.keys.rival],
      ['ord_01h455vb4pex5vsknk084sn02q', house.keys.full],
      ['nonsense', house.keys.full],
    ] as const) {
      const body = { idempotencyKey: 'x' }
      const answer = await house.ask('cancelStorefrontOrder', { path: { orderId: path }, key, body })
      assertError(answer, 'order_not_found')
      bodies.add(answer.text.replace(answer.body.error.requestId, ''))
    }
    assert.equal(bodies.size, 1)
    assert.deepEqual(await orderWorld(house, orderId), before)
  })

  test('400 for what is no reason, no note and no switch', async () => {
    const house = await openOrderHouse(given)
    const { orderId } = await house.orders.place()
    for (const more of [{ reason: 'bored' }, { note: '' }, { restock: 'no' }, { expectedVersion: 0 }, { refund: true }])
      assert.equal((await house.orders.cancel(orderId, more)).status, 400)
  })

  test('the same key again is the same answer, byte for byte, also when many come at once', async () => {
    const house = await openOrderHouse(given)
    const { orderId } = await house.orders.place()
    const answers = await Promise.all(Array.from({ length: 10 }, () => house.orders.cancel(orderId, {}, 'one-key')))
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
    assert.equal(answers[0]?.status, 200)
    await house.orders.pay()
    const later = await house.orders.cancel(orderId, {}, 'one-key')
    assert.equal(later.text, answers[0]?.text)
    assert.equal(later.headers.get('idempotency-replayed'), 'true')
    assertError(await house.orders.cancel(orderId, { note: 'x' }, 'one-key'), 'idempotency_key_reused')
    assert.equal((await orderWorld(house, orderId)).refunds.length, 1)
  })

  test('20 at once: one wins, one event, stock once, use once, one refund', async () => {
    const house = await openOrderHouse(given)
    const { orderId, quote } = await house.orders.place({ code: 'ONCE' })
    const answers = await Promise.all(Array.from({ length: 20 }, () => house.orders.cancel(orderId)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(409)])
    await Promise.all([house.orders.pay(), house.orders.pay(), house.orders.pay()])
    assert.deepEqual(await orderWorld(house, orderId), {
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

  test('many orders of the same things, cancelled while others are placed: the stock comes out right', async () => {
    const house = await openOrderHouse(given)
    const quote = await house.orders.quote({ items: { CARD: 2, BOOK: 1 } })
    const placed = await Promise.all(Array.from({ length: 20 }, () => house.orders.place({ quote })))
    const [answers] = await Promise.all([
      Promise.all(placed.map(({ orderId }) => house.orders.cancel(orderId))),
      Promise.all(Array.from({ length: 10 }, () => house.orders.place({ quote }))),
    ])
    assert.ok(answers.every(({ status }) => status === 200))
    const [first] = placed
    assert.deepEqual((await orderWorld(house, first?.orderId ?? '')).onHand, { BOOK: 90, CARD: 980 })
  })

  test('against a parcel that is sent at the same time, one of both happens', async () => {
    const house = await openOrderHouse(given)
    for (let round = 0; round < 10; round++) {
      const { orderId } = await house.orders.place({ items: { CARD: 1 } })
      const key = { installationId: house.installationId, orderId }
      const [answer, done] = await Promise.all([
        house.orders.cancel(orderId),
        answerOf(house.storage.write((tx) => fulfilOrder(tx, key, all, moment(house)))),
      ])
      const { status, events, refunds, onHand } = await orderWorld(house, orderId)
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
