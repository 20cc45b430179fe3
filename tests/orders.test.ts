// What happens to orders after they are placed: by the operator, by the loop that pays, and by the command line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eventsOf } from '../harness/carts.ts'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { openOrderTestServer, orderMarket, orderWorld, refusingCard } from '../harness/orders.ts'
import { answerOf } from '../harness/refused.ts'
import { assertFound, type Break } from '../harness/sabotage.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { settingsOf } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { listCasesForAttention } from '../src/domain/health/attention.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import {
  findOrderNamed,
  fulfilOrder,
  recordOrderPaid,
  refundOrder,
  returnUndeliveredOrder,
} from '../src/domain/orders/operator.ts'

async function openCheckout(given: Given) {
  const testServer = await openOrderTestServer(given)
  const { storage, installationId } = testServer
  const key = (orderId: string) => ({ installationId, orderId })
  const moment = () => ({ now: testServer.clock.now, cause: null })
  return {
    ...testServer,
    pay: (orderId: string) => answerOf(storage.write((tx) => recordOrderPaid(tx, key(orderId), moment()))),
    send(
      orderId: string,
      items: Record<string, number> | null = null,
      carrier: string | null = null,
      { anyway = false } = {},
    ) {
      const parcel = { carrier, trackingNumber: null, items: items && new Map(Object.entries(items)), anyway }
      return answerOf(storage.write((tx) => fulfilOrder(tx, key(orderId), parcel, moment())))
    },
    comeBack: (orderId: string, isRestocked = false) =>
      answerOf(storage.write((tx) => returnUndeliveredOrder(tx, key(orderId), { isRestocked }, moment()))),
    giveBack: (orderId: string, amount: number | null = null) =>
      answerOf(storage.write((tx) => refundOrder(tx, key(orderId), { amount, reason: null }, moment()))),
  }
}

eachEngine('an order', (given) => {
  test('is marked as paid by hand only once', async () => {
    const testServer = await openCheckout(given)
    const { orderId, paymentId } = await testServer.orders.place({ isManual: true })
    testServer.clock.now += 1_000
    const done = await Promise.all(Array.from({ length: 5 }, () => testServer.pay(orderId)))
    assert.equal(done.filter((one) => 'done' in one).length, 1)
    assert.ok(done.some((one) => 'code' in one && one.code === 'payment_not_awaited'))
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
      used: null,
    })
    const { data } = (await testServer.orders.read(orderId)).body
    assert.equal(data.payments[0].id, paymentId)
    const told = (await eventsOf(testServer, orderId)).at(-1)?.body
    assert.deepEqual(told.data.order, { ...data, statusUrl: null, withdrawalUrl: null })
    assert.equal(told.cause, null)
    // And can be given back from then on.
    await testServer.orders.cancel(orderId)
    assert.deepEqual(await testServer.orders.pay(), ['succeeded'])
    assert.equal((await orderWorld(testServer, orderId)).paymentStatus, 'refunded')
  })

  test('cannot be marked as paid by hand if it awaits no transfer', async () => {
    const testServer = await openCheckout(given)
    const paid = await testServer.orders.place()
    const free = await testServer.orders.place({ code: 'GIFT', isSent: false })
    for (const [orderId, code, message] of [
      [paid.orderId, 'payment_not_awaited', 'Order T-1001 is not waiting for a payment: its payment status is paid.'],
      [free.orderId, 'payment_not_awaited', 'Order T-1002 is not waiting for a payment: its payment status is paid.'],
      ['ord_01h455vb4pex5vsknk084sn02q', 'order_not_found', 'There is no such order.'],
    ] as const)
      assert.deepEqual(await testServer.pay(orderId), { code, message })
  })

  for (const isVoided of [false, true])
    test(`that was cancelled records a transfer that arrives ${isVoided ? 'after' : 'before'} its payment was voided as money to be refunded`, async () => {
      const testServer = await openCheckout(given)
      const { orderId, number, quote } = await testServer.orders.place({ isManual: true, code: 'ONCE' })
      const { total } = quote.totals
      await testServer.orders.cancel(orderId)
      if (isVoided) assert.deepEqual(await testServer.orders.pay(), ['succeeded'])
      const owed = async () =>
        (
          await testServer.storage.read((db) =>
            listCasesForAttention(db, { now: testServer.clock.now, providers: ['test', 'manual'] }),
          )
        ).map(({ name, sentence, subjects }) => ({ name, sentence, subjects }))
      assert.deepEqual(await owed(), [])

      const done = await Promise.all(Array.from({ length: 3 }, () => testServer.pay(orderId)))
      assert.equal(done.filter((one) => 'done' in one).length, 1, 'it is recorded once')
      assert.ok(
        done.some(
          (one) =>
            'code' in one &&
            one.message === `Order ${number} is not waiting for a payment: its payment status is paid.`,
        ),
      )
      if (!isVoided) assert.deepEqual(await testServer.orders.pay(), ['succeeded'])
      const came = await orderWorld(testServer, orderId)
      assert.deepEqual(came, {
        status: 'cancelled',
        paymentStatus: 'paid',
        version: 3,
        refunded: 0,
        events: [
          ['order.placed', 1],
          ['order.cancelled', 2],
          ['order.paid', 3],
        ],
        timeline: ['placed', 'cancelled', 'voided', 'paid'],
        refunds: [['void', total, 'succeeded']],
        payments: ['voided', 'succeeded'],
        onHand: { CARD: 1000, 'ROSE-12': 40 },
        used: 0,
      })
      const { data } = (await testServer.orders.read(orderId)).body
      assert.deepEqual(
        [data.status, data.paymentStatus, data.cancellation.status, data.cancellation.refund, data.cancellable],
        ['cancelled', 'paid', 'refund_pending', null, false],
      )
      assert.deepEqual(
        data.payments.map(({ provider, method, amount, status }: Record<string, unknown>) => [
          provider,
          method,
          amount,
          status,
        ]),
        [
          ['manual', 'bank_transfer', total, 'voided'],
          ['manual', 'bank_transfer', total, 'succeeded'],
        ],
      )
      assert.deepEqual((await eventsOf(testServer, orderId)).at(-1)?.body.data.order.paymentStatus, 'paid')
      const [named, ...others] = await owed()
      assert.deepEqual([named?.name, named?.subjects, others], ['cancelled_not_refunded', [`${orderId} (test)`], []])
      assert.match(named?.sentence ?? '', /`orders refund ORDER_ID`/)
      assert.deepEqual(await testServer.send(orderId, null, null, { anyway: true }), {
        code: 'order_not_fulfillable',
        message: `Order ${number} is cancelled, so nothing can be sent.`,
      })

      assert.ok('done' in (await testServer.giveBack(orderId)))
      assert.deepEqual(await testServer.orders.pay(), ['succeeded'])
      const back = await orderWorld(testServer, orderId)
      assert.deepEqual([back.status, back.paymentStatus, back.refunded], ['cancelled', 'refunded', total])
      assert.deepEqual(back.events.at(-1), ['order.refunded', 4])
      const { cancellation } = (await testServer.orders.read(orderId)).body.data
      assert.deepEqual([cancellation.status, cancellation.refund.status], ['completed', 'succeeded'])
      assert.deepEqual(await owed(), [])
      assert.ok('code' in (await testServer.pay(orderId)))
      assert.deepEqual(await testServer.storage.read(findViolations), [])
    })

  test('that is sent completely becomes processing, fulfilled and completed, each with its own event', async () => {
    const testServer = await openCheckout(given)
    const { orderId, quote } = await testServer.orders.place()
    testServer.clock.now += 60_000
    assert.ok('done' in (await testServer.send(orderId, null, 'Post')))
    const world = await orderWorld(testServer, orderId)
    assert.deepEqual([world.status, world.version], ['completed', 5])
    assert.deepEqual(world.events.slice(2), [
      ['order.processing', 3],
      ['order.fulfilled', 4],
      ['order.completed', 5],
    ])
    assert.deepEqual(world.timeline, ['placed', 'paid', 'processing', 'fulfilled', 'completed'])
    const events = (await eventsOf(testServer, orderId)).map(({ body }) => body.data.order)
    assert.deepEqual(
      events.map((order) => [order.version, order.status, order.fulfillmentStatus, order.fulfillments.length]),
      [
        [1, 'placed', 'unfulfilled', 0],
        [2, 'placed', 'unfulfilled', 0],
        [3, 'processing', 'unfulfilled', 0],
        [4, 'processing', 'fulfilled', 1],
        [5, 'completed', 'fulfilled', 1],
      ],
    )
    const { data } = (await testServer.orders.read(orderId)).body
    assert.deepEqual(events.at(-1), { ...data, statusUrl: null, withdrawalUrl: null })
    assert.deepEqual(data.fulfillments, [
      {
        carrier: 'Post',
        trackingNumber: null,
        trackingUrl: null,
        items: quote.lines.map(({ skuId, quantity }) => ({ skuId, quantity })),
        at: '2026-06-01T12:01:00.000Z',
      },
    ])
    assert.deepEqual(
      data.items.map((item: { quantity: number; fulfilled: number }) => item.quantity - item.fulfilled),
      [0, 0],
    )
    assert.deepEqual(await testServer.send(orderId), {
      code: 'order_not_fulfillable',
      message: 'Order T-1001 is completed, so nothing can be sent.',
    })
  })

  test('is sent in parts, and never more than was ordered', async () => {
    const testServer = await openCheckout(given)
    const { orderId } = await testServer.orders.place({ items: { 'ROSE-12': 2, CARD: 3 } })
    assert.ok('done' in (await testServer.send(orderId, { CARD: 2 })))
    const before = await orderWorld(testServer, orderId)
    for (const [items, message] of [
      [{ CARD: 2 }, 'The order has 1 of CARD left to send, but the request sends 2.'],
      [{ 'ROSE-12': 3 }, 'The order has 2 of ROSE-12 left to send, but the request sends 3.'],
      [{ BOOK: 1 }, 'The order has no item BOOK.'],
      [{}, 'The order has no items left to send.'],
    ] as const)
      assert.deepEqual(await testServer.send(orderId, items), { code: 'fulfillment_not_possible', message })
    assert.deepEqual(await orderWorld(testServer, orderId), before)
    assert.ok('done' in (await testServer.send(orderId, { 'ROSE-12': 1 })))
    assert.ok('done' in (await testServer.send(orderId)))
    const { status, version, events, timeline } = await orderWorld(testServer, orderId)
    assert.deepEqual([status, version], ['completed', 6])
    assert.deepEqual(events.map(([kind]) => kind).slice(2), [
      'order.processing',
      'order.processing',
      'order.fulfilled',
      'order.completed',
    ])
    assert.deepEqual(timeline.slice(2), [
      'processing',
      'partially_fulfilled',
      'partially_fulfilled',
      'fulfilled',
      'completed',
    ])
    const { data } = (await testServer.orders.read(orderId)).body
    assert.deepEqual(
      data.fulfillments.map(({ items }: { items: { quantity: number }[] }) => items.map(({ quantity }) => quantity)),
      [[2], [1], [1, 1]],
    )
  })

  test('that is unpaid or refunded is sent only if the operator confirms that it should be', async () => {
    const testServer = await openCheckout(given)
    const awaited = await testServer.orders.place({ isManual: true })
    const returned = await testServer.orders.place()
    await testServer.giveBack(returned.orderId)
    const before = [await orderWorld(testServer, awaited.orderId), await orderWorld(testServer, returned.orderId)]
    assert.deepEqual(await testServer.send(awaited.orderId), {
      code: 'order_not_paid',
      message: 'Order T-1001 is pending: the bank_transfer has not arrived.',
    })
    assert.deepEqual(await testServer.send(returned.orderId), {
      code: 'order_not_paid',
      message: 'Order T-1002 is refunding.',
    })
    assert.deepEqual(
      [await orderWorld(testServer, awaited.orderId), await orderWorld(testServer, returned.orderId)],
      before,
    )
    await testServer.orders.pay()
    assert.deepEqual(await testServer.send(returned.orderId), {
      code: 'order_not_paid',
      message: 'Order T-1002 is refunded.',
    })
    for (const { orderId } of [awaited, returned]) {
      assert.ok('done' in (await testServer.send(orderId, null, null, { anyway: true })))
      assert.equal((await orderWorld(testServer, orderId)).status, 'completed')
    }
    // A part that went back is no reason to keep the rest.
    const partly = await testServer.orders.place()
    await testServer.giveBack(partly.orderId, 100)
    await testServer.orders.pay()
    assert.ok('done' in (await testServer.send(partly.orderId)))
  })

  test('with cash on delivery can be sent before it is paid', async () => {
    const testServer = await openCheckout(given)
    const { orderId } = await testServer.orders.place({ isManual: true, method: 'cash_on_delivery' })
    assert.ok('done' in (await testServer.send(orderId)))
    assert.ok('done' in (await testServer.pay(orderId)))
    const { status, paymentStatus } = await orderWorld(testServer, orderId)
    assert.deepEqual([status, paymentStatus], ['completed', 'paid'])
  })

  for (const isRestocked of [false, true])
    test(`that was refused at the door is returned unpaid, ${isRestocked ? 'and restocked' : 'and not restocked'}`, async () => {
      const testServer = await openCheckout(given)
      const cash = { isManual: true, method: 'cash_on_delivery', code: 'ONCE' } as const
      const { orderId, number, quote } = await testServer.orders.place(cash)
      const { total } = quote.totals
      assert.ok('done' in (await testServer.send(orderId)))
      const done = await Promise.all(Array.from({ length: 3 }, () => testServer.comeBack(orderId, isRestocked)))
      assert.equal(done.filter((one) => 'done' in one).length, 1, 'once')
      assert.ok(
        done.some(
          (one) =>
            'code' in one &&
            one.message === `Order ${number} is not waiting for a payment: its payment status is voided.`,
        ),
      )
      assert.deepEqual(await testServer.orders.pay(), ['succeeded'])
      assert.deepEqual(await orderWorld(testServer, orderId), {
        status: 'completed',
        paymentStatus: 'voided',
        version: 5,
        refunded: 0,
        events: [
          ['order.placed', 1],
          ['order.processing', 2],
          ['order.fulfilled', 3],
          ['order.completed', 4],
          ['order.returned', 5],
        ],
        timeline: ['placed', 'processing', 'fulfilled', 'completed', 'voided'],
        refunds: [['void', total, 'succeeded']],
        payments: ['voided'],
        onHand: isRestocked ? { CARD: 1000, 'ROSE-12': 40 } : { CARD: 997, 'ROSE-12': 38 },
        used: 1,
      })
      const { data } = (await testServer.orders.read(orderId)).body
      assert.deepEqual([data.totals.refunded, data.cancellation], [0, null])
      assert.deepEqual((await eventsOf(testServer, orderId)).at(-1)?.body.data.order, {
        ...data,
        statusUrl: null,
        withdrawalUrl: null,
        payments: [{ ...data.payments[0], status: 'pending' }],
      })
      assert.ok('code' in (await testServer.giveBack(orderId)))
      assert.deepEqual(await testServer.storage.read(findViolations), [])
    })

  for (const isRestocked of [false, true])
    test(`is cancelled if the part of it that was sent was refused at the door, restocking ${isRestocked ? 'all units' : 'only unsent units'}`, async () => {
      const testServer = await openCheckout(given)
      const cash = { isManual: true, method: 'cash_on_delivery', code: 'ONCE' } as const
      const { orderId } = await testServer.orders.place(cash)
      assert.ok('done' in (await testServer.send(orderId, { CARD: 2 })))
      assert.ok('done' in (await testServer.comeBack(orderId, isRestocked)))
      assert.deepEqual(await testServer.orders.pay(), ['succeeded'])
      const { status, paymentStatus, events, timeline, payments, onHand, used } = await orderWorld(testServer, orderId)
      assert.deepEqual([status, paymentStatus, payments, used], ['cancelled', 'voided', ['voided'], 0])
      assert.deepEqual(events.at(-1), ['order.cancelled', 3])
      assert.deepEqual(timeline, ['placed', 'processing', 'partially_fulfilled', 'cancelled', 'voided'])
      assert.deepEqual(onHand, { CARD: isRestocked ? 1000 : 998, 'ROSE-12': 40 })
      const { data } = (await testServer.orders.read(orderId)).body
      assert.deepEqual([data.cancellation.status, data.timeline.at(-2).cancelledBy], ['completed', 'operator'])
      assert.deepEqual(await testServer.storage.read(findViolations), [])
    })

  test('that is returned unpaid does not restock backordered units, which were never in stock', async () => {
    const testServer = await openCheckout(given)
    const products = orderMarket.products?.map((product) =>
      product.slug === 'peonies' ? { ...product, skus: product.skus.map((sku) => ({ ...sku, stock: 3 })) } : product,
    )
    await testServer.apply({ ...orderMarket, products: products ?? [] }, { stock: true })
    const cash = { isManual: true, method: 'cash_on_delivery', items: { PEONY: 5 } } as const
    const { orderId } = await testServer.orders.place(cash)
    assert.ok('done' in (await testServer.send(orderId, { PEONY: 3 })))
    assert.ok('done' in (await testServer.comeBack(orderId, false)))
    const { onHand } = await orderWorld(testServer, orderId)
    assert.deepEqual(onHand, { PEONY: 0 })
    assert.deepEqual((await testServer.orders.read(orderId)).body.data.cancellation.restocked, [])
  })

  test('of a SKU without a stock count can contain any number of units, and does not change the stock', async () => {
    const testServer = await openCheckout(given)
    const products = orderMarket.products?.map((product) =>
      product.slug === 'peonies'
        ? { ...product, skus: product.skus.map((sku) => ({ ...sku, stock: 3, backorder: false, counted: false })) }
        : product,
    )
    await testServer.apply({ ...orderMarket, products: products ?? [] }, { stock: true })
    const cash = { isManual: true, method: 'cash_on_delivery', items: { PEONY: 5 } } as const
    const events = () => testServer.storage.read((db) => db.sql`select id from events where type like 'inventory.%'`)
    const before = await events()
    const { orderId } = await testServer.orders.place(cash)
    assert.deepEqual((await orderWorld(testServer, orderId)).onHand, { PEONY: 3 })
    assert.deepEqual(await events(), before)
    await testServer.orders.cancel(orderId)
    assert.deepEqual((await orderWorld(testServer, orderId)).onHand, { PEONY: 3 })
    assert.deepEqual(await testServer.storage.read(findViolations), [])
  })

  test('that was paid, not yet sent, or cancelled cannot be returned unpaid', async () => {
    const testServer = await openCheckout(given)
    const cash = { isManual: true, method: 'cash_on_delivery' } as const
    const [unsent, paid, cancelled] = [
      await testServer.orders.place(cash),
      await testServer.orders.place(cash),
      await testServer.orders.place(cash),
    ]
    await testServer.send(paid.orderId)
    await testServer.pay(paid.orderId)
    await testServer.orders.cancel(cancelled.orderId)
    for (const [{ orderId }, code, message] of [
      [unsent, 'order_not_sent', 'Order T-1001 cannot be returned, because it was not sent.'],
      [paid, 'payment_not_awaited', 'Order T-1002 is not waiting for a payment: its payment status is paid.'],
      [cancelled, 'payment_not_awaited', 'Order T-1003 is not waiting for a payment: its payment status is voided.'],
    ] as const) {
      const before = await orderWorld(testServer, orderId)
      assert.deepEqual(await testServer.comeBack(orderId, true), { code, message })
      assert.deepEqual(await orderWorld(testServer, orderId), before)
    }
  })

  test('that was cancelled cannot be sent, even if the operator confirms it', async () => {
    const testServer = await openCheckout(given)
    const { orderId } = await testServer.orders.place()
    await testServer.orders.cancel(orderId)
    for (const anyway of [false, true])
      assert.deepEqual(await testServer.send(orderId, null, null, { anyway }), {
        code: 'order_not_fulfillable',
        message: 'Order T-1001 is cancelled, so nothing can be sent.',
      })
  })

  test('never ships more than was ordered, however many requests are concurrent', async () => {
    const testServer = await openCheckout(given)
    const { orderId } = await testServer.orders.place({ items: { CARD: 3 } })
    const done = await Promise.all(Array.from({ length: 6 }, () => testServer.send(orderId, { CARD: 1 })))
    assert.equal(done.filter((one) => 'done' in one).length, 3)
    const { data } = (await testServer.orders.read(orderId)).body
    assert.deepEqual([data.items[0].fulfilled, data.fulfillments.length, data.status], [3, 3, 'completed'])
  })

  test('is refunded in parts and then in full, and each refund counts as done when the provider has paid it', async () => {
    const testServer = await openCheckout(given)
    const { orderId, quote } = await testServer.orders.place()
    const { total } = quote.totals
    await testServer.giveBack(orderId, 100)
    await testServer.giveBack(orderId, 200)
    const owed = await orderWorld(testServer, orderId)
    assert.deepEqual([owed.paymentStatus, owed.refunded, owed.version], ['refunding', 300, 2])
    assert.deepEqual(await testServer.orders.pay(), ['succeeded', 'succeeded'])
    const part = await orderWorld(testServer, orderId)
    assert.deepEqual([part.status, part.paymentStatus, part.version], ['placed', 'partially_refunded', 4])
    assert.deepEqual(part.events.slice(2), [
      ['order.refunded', 3],
      ['order.refunded', 4],
    ])
    await testServer.giveBack(orderId)
    await testServer.orders.pay()
    const all = await orderWorld(testServer, orderId)
    assert.deepEqual([all.paymentStatus, all.refunded, all.version], ['refunded', total, 5])
    assert.deepEqual(all.refunds, [
      ['refund', 100, 'succeeded'],
      ['refund', 200, 'succeeded'],
      ['refund', total - 300, 'succeeded'],
    ])
    assert.deepEqual(all.timeline.slice(2), [
      'refund_started',
      'refund_started',
      'partially_refunded',
      'partially_refunded',
      'refund_started',
      'refunded',
    ])
    assert.deepEqual(await testServer.giveBack(orderId), {
      code: 'nothing_to_refund',
      message: 'Order T-1001 is refunded: there is nothing to refund.',
    })
  })

  test('is never refunded more than was paid, even with concurrent refunds and payment loops', async () => {
    const testServer = await openCheckout(given)
    const { orderId, quote } = await testServer.orders.place()
    const { total } = quote.totals
    const amount = Math.floor(total / 7)
    const [done] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, () => testServer.giveBack(orderId, amount))),
      Promise.all(Array.from({ length: 5 }, () => testServer.orders.pay())),
    ])
    assert.equal(done.filter((one) => 'done' in one).length, Math.floor(total / amount))
    const left = total - amount * Math.floor(total / amount)
    assert.ok(done.some((one) => 'code' in one && ['refund_amount_too_high', 'nothing_to_refund'].includes(one.code)))
    while ((await testServer.orders.pay()).length > 0);
    if (left > 0) {
      await testServer.giveBack(orderId)
      await testServer.orders.pay()
    }
    const world = await orderWorld(testServer, orderId)
    assert.deepEqual([world.paymentStatus, world.refunded], ['refunded', total])
    assert.equal(
      world.refunds.reduce((sum, [, back]) => sum + back, 0),
      total,
    )
    assert.ok(world.refunds.every(([, , status]) => status === 'succeeded'))
  })

  test('for which nothing was paid cannot be refunded, nor can any order be refunded more than was paid', async () => {
    const testServer = await openCheckout(given)
    const manual = await testServer.orders.place({ isManual: true })
    assert.deepEqual(await testServer.giveBack(manual.orderId), {
      code: 'nothing_to_refund',
      message: 'Order T-1001 is pending: there is nothing to refund.',
    })
    const nothing = await testServer.orders.place({ items: { COURSE: 1 }, code: 'GIFT', isSent: false })
    assert.deepEqual(await testServer.giveBack(nothing.orderId), {
      code: 'nothing_to_refund',
      message: 'Order T-1002 has no amount left to refund.',
    })
    const paid = await testServer.orders.place()
    const { total } = paid.quote.totals
    assert.deepEqual(await testServer.giveBack(paid.orderId, total + 1), {
      code: 'refund_amount_too_high',
      message: `${total} minor units of order T-1003 are left to refund, but the request refunds ${total + 1}.`,
    })
    assert.deepEqual((await orderWorld(testServer, paid.orderId)).refunds, [])
  })

  test('is found by number and id, and only by its own merchant', async () => {
    const testServer = await openCheckout(given)
    const { orderId, number } = await testServer.orders.place()
    const { installationId, merchantId, storage } = testServer
    const [foreign] = await storage.read(
      (db) => db.sql<{ id: string }>`select id from merchants where id <> ${merchantId}`,
    )
    const theirs = await storage.read((db) => listInstallations(db, foreign?.id ?? ''))
    const own = { merchantId, installationIds: [installationId] }
    const other = { merchantId: foreign?.id ?? '', installationIds: theirs.map(({ id }) => id) }
    const find = (who: typeof own, name: string) => storage.read((db) => findOrderNamed(db, who, name))
    const found = { installationId, orderId, number, mode: 'test' }
    assert.deepEqual(await find(own, orderId), found)
    assert.deepEqual(await find(own, number), found)
    assert.equal(await find(own, '9999'), undefined)
    assert.equal(await find(other, orderId), undefined)
    assert.equal(await find(other, number), undefined)
    assert.equal(await find({ merchantId, installationIds: [] }, orderId), undefined)
  })

  test('violates no invariant after any sequence of operations', async () => {
    const testServer = await openCheckout(given)
    const deed = fc.oneof(
      fc.constant({ do: 'pay' } as const),
      fc.constant({ do: 'cancel' } as const),
      fc.constant({ do: 'loop' } as const),
      fc.record({ do: fc.constant('come back' as const), isRestocked: fc.boolean() }),
      fc.record({ do: fc.constant('send' as const), cards: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ do: fc.constant('give back' as const), amount: fc.constantFrom(1, 500, 1_000, null) }),
    )
    const inputs = fc.record({
      isManual: fc.boolean(),
      card: fc.constantFrom(undefined, refusingCard),
      code: fc.constantFrom(undefined, 'WELCOME10', 'GIFT', 'SHIPFREE'),
    })
    await fc.assert(
      fc.asyncProperty(
        inputs,
        fc.array(deed, { minLength: 1, maxLength: 8 }),
        async ({ card, code, isManual }, deeds) => {
          const items = { CARD: 3, BOOK: 1 }
          const method = 'cash_on_delivery' as const
          const input = { items, isManual, method, ...(card ? { card } : {}), ...(code ? { code } : {}) }
          const { orderId } = await testServer.orders.place(input)
          let version = (await orderWorld(testServer, orderId)).version
          for (const one of deeds) {
            testServer.clock.now += 6 * 3_600_000
            if (one.do === 'pay') await testServer.pay(orderId)
            if (one.do === 'cancel') await testServer.orders.cancel(orderId)
            if (one.do === 'loop') await testServer.orders.pay()
            if (one.do === 'come back') await testServer.comeBack(orderId, one.isRestocked)
            if (one.do === 'send') await testServer.send(orderId, one.cards > 0 ? { CARD: one.cards } : null)
            if (one.do === 'give back') await testServer.giveBack(orderId, one.amount)
            const world = await orderWorld(testServer, orderId)
            assert.ok(world.version >= version)
            version = world.version
            // The last event is what is read, but for money on its way.
            assert.equal((await testServer.orders.read(orderId)).body.data.version, version)
            assert.deepEqual(await testServer.storage.read(findViolations), [])
          }
        },
      ),
      { numRuns: 12 },
    )
  })

  // A rule that cannot fail guards nothing.
  test('that is inconsistent is reported with the invariant that it violates', async () => {
    const testServer = await openCheckout(given)
    const { orderId } = await testServer.orders.place({ code: 'WELCOME10' })
    await testServer.giveBack(orderId, 100)
    const breaks: readonly Break[] = [
      ['order_is_told', (tx) => tx.sql`update orders set version = 3 where id = ${orderId}`],
      [
        'order_is_told',
        (tx) => tx.sql`update events set type = 'order.paid' where subject_id = ${orderId} and sequence = 1`,
      ],
      ['order_is_told', (tx) => tx.sql`delete from events where subject_id = ${orderId} and sequence = 1`],
      ['order_took_stock', (tx) => tx.sql`update order_lines set quantity = quantity + 1 where code = 'CARD'`],
      ['order_sums_agree', (tx) => tx.sql`update order_lines set tax = tax + 1 where code = 'CARD'`],
      ['order_sums_agree', (tx) => tx.sql`update orders set total = total + 1 where id = ${orderId}`],
      [
        'order_sums_agree',
        (tx) => tx.sql`update orders set discount = discount + 491, total = total - 491 where id = ${orderId}`,
      ],
      ['paid_order_has_payment', (tx) => tx.sql`update payments set status = 'pending' where order_id = ${orderId}`],
      ['refunded_is_refunds', (tx) => tx.sql`update orders set refunded = 99 where id = ${orderId}`],
      ['refunded_is_refunds', (tx) => tx.sql`update refunds set status = 'failed' where order_id = ${orderId}`],
      ['refunding_while_pending', (tx) => tx.sql`update orders set payment_status = 'paid' where id = ${orderId}`],
      ['cancelled_says_how', (tx) => tx.sql`update orders set status = 'cancelled' where id = ${orderId}`],
      ['promotion_used_is_uses', (tx) => tx.sql`update promotions set test_used = 2 where code = 'WELCOME10'`],
      ['promotion_used_is_uses', (tx) => tx.sql`update promotion_uses set given_back_at = 1`],
    ]
    await assertFound(testServer.storage, breaks)
  })
})

eachEngine('the orders commands', (given) => {
  test('list, show, mark as paid, fulfil and refund orders beside a running server', async () => {
    const testServer = await openOrderTestServer(given)
    const settings = settingsOf(testServer)
    const server = await serveHere(settings, ['--no-demo'])
    const run = (...args: string[]) => cartwright(['orders', ...args, '--merchant', 'bloom'], settings)
    async function json(...args: string[]) {
      const outcome = await run(...args, '--json')
      assert.deepEqual([outcome.code, outcome.err], [0, ''])
      return JSON.parse(outcome.out)
    }
    assert.deepEqual(await json('list', '--test'), { orders: [], next: null })
    const manual = await testServer.orders.place({ isManual: true })
    testServer.clock.now += 1_000
    const paid = await testServer.orders.place({ code: 'WELCOME10' })
    const { total } = paid.quote.totals

    const listed = await json('list', '--test')
    assert.deepEqual(
      listed.orders.map(({ number }: { number: string }) => number),
      ['T-1002', 'T-1001'],
    )
    assert.deepEqual(listed.orders, (await testServer.ask('listStorefrontOrders')).body.data.orders)
    assert.deepEqual(await json('list', '--test', '--limit', '1'), { orders: [listed.orders[0]], next: 'T-1002' })
    assert.match(
      (await run('list', '--test', '--limit', '1')).out,
      /^T-1002 .*\nTo list older orders, add --after T-1002\.\n$/,
    )
    assert.deepEqual(await json('list', '--test', '--after', 'T-1002'), { orders: [listed.orders[1]], next: null })
    assert.deepEqual((await json('list', '--test', '--after', manual.orderId)).orders, [])
    assert.match((await run('list')).out, /^There are no live orders\./)
    assert.equal((await run('list', '--status', 'placed')).out, 'The list is empty.\n')
    assert.equal((await run('list', '--after', 'T-1')).err, 'cartwright: The merchant bloom has no order T-1.\n')
    assert.deepEqual((await json('list', '--test', '--status', 'cancelled')).orders, [])
    assert.match(
      (await run('list', '--test')).out,
      /^T-1002 {4}test {2}placed +paid +unfulfilled +2026-06-01T12:00:01.000Z {2}€\d+\.\d\d\nT-1001/,
    )

    const { statusUrl: _, withdrawalUrl: __, ...order } = (await testServer.orders.read(paid.orderId)).body.data
    assert.deepEqual(await json('show', 'T-1002'), { order, disputes: [] })
    const plain = await run('show', paid.orderId)
    assert.match(plain.out, /promotion {2}WELCOME10 {2}−€8.00\n/)
    assert.match(plain.out, /goes to {4}Berlin, DE\n/)
    assert.doesNotMatch(plain.out, /Linden|Lovelace/)

    const came = await json('pay', 'T-1001')
    assert.deepEqual([came.order.id, came.order.paymentStatus, came.order.version], [manual.orderId, 'paid', 2])
    assert.deepEqual(await run('pay', 'T-1001'), {
      code: 1,
      out: '',
      err: 'cartwright: Order T-1001 is not waiting for a payment: its payment status is paid.\n',
    })

    const parcel = ['--items', 'CARD=2,ROSE-12=1', '--carrier', 'Post', '--tracking', 'RR 1']
    const sent = await json('fulfil', 'T-1001', ...parcel)
    assert.deepEqual([sent.order.status, sent.order.fulfillmentStatus], ['processing', 'partially_fulfilled'])
    assert.deepEqual([sent.order.fulfillments[0].carrier, sent.order.fulfillments[0].trackingNumber], ['Post', 'RR 1'])
    assert.match(
      (await run('fulfil', 'T-1001', '--items', 'CARD=2')).err,
      /1 of CARD left to send, but the request sends 2/,
    )
    assert.match((await run('fulfil', 'T-1001')).out, /^T-1001 +test +completed +paid +fulfilled/)

    // Whoever pays it, the server or the command, it is paid once.
    const back = await json('refund', 'T-1002', '--amount', '500', '--reason', 'a broken stem')
    assert.deepEqual([back.refund.amount, back.order.totals.refunded], [500, 500])
    const rest = await json('refund', paid.orderId)
    assert.equal(rest.order.totals.refunded, total)
    await until(async () => (await orderWorld(testServer, paid.orderId)).paymentStatus === 'refunded', 'the refund')
    assert.match((await run('refund', 'T-1002')).err, /Order T-1002 is refunded: there is nothing to refund/)
    assert.equal(await server.stop(), 0)
    for (const secret of ['Linden', 'Lovelace']) assert.ok(!server.printed().includes(secret))
  })

  test('refund without a running server, and show the address of an order only on request', async () => {
    const testServer = await openOrderTestServer(given)
    const settings = settingsOf(testServer)
    const run = (...args: string[]) => cartwright(['orders', ...args, '--merchant', 'bloom'], settings)
    // An address is kept for a day here, so the order is of this moment.
    testServer.clock.now = Date.now()
    const { orderId } = await testServer.orders.place()
    const back = JSON.parse((await run('refund', 'T-1001', '--json')).out)
    assert.deepEqual([back.refund.status, back.order.paymentStatus], ['succeeded', 'refunded'])
    assert.equal((await orderWorld(testServer, orderId)).events.at(-1)?.[0], 'order.refunded')
    const shown = JSON.parse((await run('show', 'T-1001', '--address', '--json')).out)
    assert.deepEqual([shown.address.name, shown.address.line1], ['Ada Lovelace', 'Unter den Linden 1'])
    assert.match((await run('show', 'T-1001', '--address')).out, /address {4}Unter den Linden 1\n/)
    // As after a version of the root secret was given up.
    await testServer.storage.write(async (tx) => {
      await tx.sql`update orders set customer_sealed = 'AQIAAA'`
      await tx.sql`update addresses set row_key = 'AQIAAA'`
    })
    const lost = await run('show', 'T-1001', '--address')
    assert.match(lost.out, /contact {4}\(cannot be decrypted\)\n +address {4}\(cannot be decrypted\)\n/)
    assert.deepEqual([lost.code, lost.err], [0, ''])
    assert.match((await run('fulfil', 'T-1001')).err, /Order T-1001 is refunded\. To send it anyway, add --anyway\./)
    const parcel = JSON.parse((await run('fulfil', 'T-1001', '--anyway', '--json')).out)
    assert.equal(parcel.order.status, 'completed')
  })

  test('record the return of an order that was refused at the door', async () => {
    const testServer = await openOrderTestServer(given)
    const settings = settingsOf(testServer)
    const run = (...args: string[]) => cartwright(['orders', ...args, '--merchant', 'bloom'], settings)
    await testServer.orders.place({ isManual: true, method: 'cash_on_delivery' })
    assert.match(
      (await run('return', 'T-1001')).err,
      /Order T-1001 cannot be returned, because it was not sent\. To cancel it, run `orders cancel`\.\n/,
    )
    assert.equal((await run('fulfil', 'T-1001')).code, 0)
    const back = await run('return', 'T-1001', '--restock')
    const [entry] = await testServer.storage.read(
      (db) => db.sql<{ operation: string; changes: string }>`
        select operation, changes from audit_entries order by id desc limit 1`,
    )
    assert.equal(entry?.operation, 'orders return')
    assert.match(entry?.changes ?? '', /"member":"paymentStatus","from":"\w+","to":"voided"/)
    assert.deepEqual([back.code, back.err], [0, ''])
    assert.match(back.out, /^T-1001 +test +completed +voided +fulfilled/)
    assert.match(back.out, /\n +payment +manual cash_on_delivery voided\n/)
    assert.match(
      (await run('return', 'T-1001')).err,
      /Order T-1001 is not waiting for a payment: its payment status is voided\.\n/,
    )
    assert.equal((await cartwright(['doctor'], settings)).code, 0)
  })

  test('record a late payment of a cancelled order as owed until it is refunded by hand', async () => {
    const testServer = await openOrderTestServer(given)
    const settings = settingsOf(testServer)
    const run = (...args: string[]) => cartwright(['orders', ...args, '--merchant', 'bloom'], settings)
    await testServer.orders.place({ isManual: true })
    assert.equal((await run('cancel', 'T-1001')).code, 0)
    const came = await run('pay', 'T-1001')
    assert.deepEqual([came.code, came.err], [0, ''])
    assert.match(came.out, /^T-1001 +test +cancelled +paid +unfulfilled/)
    assert.match(came.out, /\n +owed +€\d+\.\d\d must be refunded: run `orders refund T-1001`, or add --by-hand/)
    const doctor = await cartwright(['doctor'], settings)
    assert.equal(doctor.code, 0, 'of test money it is told, and nobody has to come')
    assert.match(doctor.out, /^! These orders were cancelled, .*`orders refund ORDER_ID`/m)
    const back = await run('refund', 'T-1001', '--by-hand')
    assert.equal(back.code, 0)
    assert.match(back.out, /^T-1001 +test +cancelled +refunded +unfulfilled/)
    assert.doesNotMatch(back.out, /\n +owed /)
    assert.equal((await cartwright(['doctor'], settings)).code, 0)
  })

  test('cancel by the rules of the API, also orders of an installation that has ended', async () => {
    const testServer = await openOrderTestServer(given)
    const settings = settingsOf(testServer)
    const run = (...args: string[]) => cartwright(['orders', ...args, '--merchant', 'bloom'], settings)
    const awaited = await testServer.orders.place({ isManual: true, code: 'ONCE' })
    const paid = await testServer.orders.place()
    const sent = await testServer.orders.place()
    await testServer.storage.write(
      (tx) => tx.sql`update installations set disabled_at = 1, ended_at = 1 where id = ${testServer.installationId}`,
    )
    await testServer.storage.write((tx) => tx.sql`update credentials set revoked_at = 1`)

    const cancelled = await run('cancel', 'T-1001', '--reason', 'duplicate', '--note', 'ordered twice', '--json')
    assert.deepEqual([cancelled.code, cancelled.err], [0, ''])
    const { order } = JSON.parse(cancelled.out)
    assert.deepEqual([order.id, order.status, order.paymentStatus], [awaited.orderId, 'cancelled', 'voided'])
    assert.deepEqual([order.cancellation.reason, order.cancellation.note], ['duplicate', 'ordered twice'])
    assert.deepEqual(
      order.timeline.map(({ type, cancelledBy }: { type: string; cancelledBy: string }) => [type, cancelledBy]),
      [
        ['placed', null],
        ['cancelled', 'operator'],
        ['voided', null],
      ],
    )
    const world = await orderWorld(testServer, awaited.orderId)
    assert.deepEqual([world.events.at(-1), world.used], [['order.cancelled', 2], 0])
    // Two other orders of the same are out; what is owed was paid where no server runs.
    assert.deepEqual(world.onHand, { CARD: 994, 'ROSE-12': 36 })
    assert.deepEqual(world.payments, ['voided'])

    const kept = JSON.parse((await run('cancel', paid.orderId, '--no-restock', '--json')).out).order
    assert.deepEqual([kept.cancellation.restocked, kept.cancellation.reason], [[], null])
    assert.deepEqual([kept.paymentStatus, kept.totals.refunded], ['refunded', paid.quote.totals.total])
    assert.deepEqual((await orderWorld(testServer, paid.orderId)).onHand, { CARD: 994, 'ROSE-12': 36 })

    assert.equal((await run('fulfil', 'T-1003', '--items', 'CARD=1')).code, 0)
    const before = await orderWorld(testServer, sent.orderId)
    for (const [number, reason] of [
      ['T-1001', 'already_cancelled'],
      ['T-1003', 'already_fulfilled'],
    ] as const)
      assert.deepEqual(await run('cancel', number), {
        code: 1,
        out: '',
        err: `cartwright: The order cannot be cancelled. Reason: ${reason}.\n`,
      })
    assert.deepEqual(JSON.parse((await run('cancel', 'T-1003', '--json')).out).error, {
      code: 'order_not_cancellable',
      message: 'The order cannot be cancelled. Reason: already_fulfilled.',
      current: { status: 'processing', version: 3, reason: 'already_fulfilled' },
    })
    assert.deepEqual(await orderWorld(testServer, sent.orderId), before)
    assert.match((await run('show', 'T-1001')).out, /cancelled {2}duplicate: ordered twice\n/)
  })

  test('report misuse', async () => {
    const testServer = await openOrderTestServer(given)
    const settings = settingsOf(testServer)
    for (const [args, words] of [
      [[], /orders needs a verb: list/],
      [['eat', 'T-1001'], /orders has no verb eat/],
      [['show'], /orders show needs the argument NUMBER_OR_ID/],
      [['show', '1', '2'], /orders show does not take the argument 2/],
      [['list', 'T-1001'], /list does not take the argument T-1001/],
      [['list', '--status', 'lost'], /--status must be one of placed/],
      [['list', '--limit', '0'], /--limit must be/],
      [['refund', 'T-1001', '--amount', '1.5'], /--amount must be/],
      [['refund', 'T-1001', '--amount', '0'], /--amount must be/],
      [['refund', 'T-1001', '--reason', ' '], /--reason must be one line/],
      [['cancel', 'T-1001', '--reason', 'bored'], /--reason must be one of customer_request/],
      [['cancel', 'T-1001', '--note', ' '], /--note must be one line/],
      [['fulfil', 'T-1001', '--items', 'CARD'], /--items must look like/],
      [['fulfil', 'T-1001', '--items', 'CARD=0'], /--items must look like/],
      [['fulfil', 'T-1001', '--items', 'CARD=1,CARD=2'], /--items names CARD twice/],
      [['fulfil', 'T-1001', '--carrier', 'a\nb'], /--carrier must be one line/],
      [['show', 'T-1001'], /choose one with --merchant/],
    ] as const) {
      const outcome = await cartwright(['orders', ...args], settings)
      assert.equal(outcome.code, 2, JSON.stringify(args))
      assert.match(outcome.err, words)
    }
    const missing = await cartwright(['orders', 'show', '7', '--merchant', 'rival'], settings)
    assert.deepEqual(missing, { code: 1, out: '', err: 'cartwright: The merchant rival has no order 7.\n' })
    const help = await cartwright(['orders', 'fulfil', '--help'], settings)
    assert.equal(help.code, 0)
    assert.match(help.out, /orders fulfil NUMBER_OR_ID/)
  })
})
