// An order that waits for money waits for as long as its payment term, and then gives everything back. Exactly one of those
// who pay, send, cancel and wait decides what becomes of it.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventsOf } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { serveHere } from '../harness/commandline.ts'
import { type Orders, openOrderTestServer, orderMarket, ordersOf, orderWorld } from '../harness/orders.ts'
import { poison } from '../harness/poison.ts'
import { answerOf } from '../harness/refused.ts'
import { rival } from '../harness/shops.ts'
import { anyEngine, type Given } from '../harness/storage.ts'
import { openTestServer, settingsOf, type TestServer } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { fulfilOrder, recordOrderPaid } from '../src/domain/orders/operator.ts'
import { cancelUnpaidOrders } from '../src/domain/orders/unpaid.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { RowsFailed } from '../src/platform/jobs/rows.ts'

const day = 24 * 3_600_000
const account = 'IBAN DE02 1203 0000 0000 2020 51'

function shop(payments: ShopFile['payments'] = []): ShopFile {
  return { ...orderMarket, payments }
}

// 1 for a verb that did something, 0 for one that was refused.
async function countDone(work: Promise<unknown>): Promise<number> {
  return 'done' in (await answerOf(work)) ? 1 : 0
}

// Bought on the page, the whole way.
async function openShop(given: Given, payments?: ShopFile['payments']) {
  const testServer = await openTestServer(given, { shops: [shop(payments), rival] })
  const checkout = await checkoutOf(testServer)
  const orders = await ordersOf(testServer)
  return {
    testServer,
    orders,
    async buy(method: 'bank_transfer' | 'cash_on_delivery', more: object = {}) {
      const { secret, sessionId, view } = await checkout.ready({ 'ROSE-12': 2, CARD: 3 }, more)
      const { version, totals } = view.session
      const input = { version, expectedTotal: totals.total, provider: 'manual', method, details: {} }
      const result = await testServer.app.checkout.pay(secret, { ...input, attempt: randomUUID() })
      assert.equal(result?.problem, null)
      return {
        secret,
        sessionId,
        orderId: result?.view.session.orderId ?? '',
        path: result?.view.order?.statusPath ?? '',
      }
    },
    sweep: (limit = 20) => cancelUnpaidOrders(testServer.storage, testServer.clock.now, limit),
    page: async (path: string, language = 'en') =>
      (await fetch(testServer.origin + path, { headers: { 'accept-language': language } })).text(),
  }
}

const onHandOf = async ({ storage, merchantId }: TestServer) =>
  Object.fromEntries(
    (
      await storage.read(
        (db) => db.sql<{ code: string; onHand: number }>`
          select s.code, t.on_hand as "onHand" from skus s
          join stock t on t.merchant_id = s.merchant_id and t.sku_id = s.id and t.mode = 'test'
          where s.code in ('CARD', 'ROSE-12') and s.merchant_id = ${merchantId} order by s.code`,
      )
    ).map(({ code, onHand }) => [code, onHand]),
  )

anyEngine('an order that awaits payment', (given) => {
  test('shows the date until which it must be paid in the order, in its event and on its pages', async () => {
    const scene = await openShop(given, [
      { mode: 'test', method: 'bank_transfer', instructions: account, termDays: 10 },
    ])
    const { orderId, secret, path } = await scene.buy('bank_transfer')
    const { data } = (await scene.orders.read(orderId)).body
    assert.deepEqual([data.placedAt, data.paymentDueAt], ['2026-06-01T12:00:00.000Z', '2026-06-11T12:00:00.000Z'])
    assert.deepEqual((await eventsOf(scene.testServer, orderId)).at(-1)?.body.data.order, {
      ...data,
      statusUrl: null,
      withdrawalUrl: null,
    })
    for (const page of [path, `/c/${secret}`]) {
      const text = await scene.page(page)
      assert.match(text, /Please pay by June 11, 2026\. Otherwise the order is cancelled\./)
      assert.ok(text.includes(account))
    }
    assert.match(await scene.page(path, 'de'), /Bitte zahlen Sie bis zum 11\. Juni 2026\./)
    // Another term is for other orders.
    await scene.testServer.apply(shop([{ mode: 'test', method: 'bank_transfer', termDays: 1 }]))
    assert.equal((await scene.orders.read(orderId)).body.data.paymentDueAt, data.paymentDueAt)
    const key = { installationId: scene.testServer.installationId, orderId }
    await scene.testServer.storage.write((tx) =>
      recordOrderPaid(tx, key, { now: scene.testServer.clock.now, cause: null }),
    )
    assert.equal((await scene.orders.read(orderId)).body.data.paymentDueAt, null)
    scene.testServer.clock.now += 100 * day
    assert.equal(await scene.sweep(), 0)
    assert.equal((await orderWorld(scene.testServer, orderId)).status, 'placed')
  })

  test('by default must be paid within fourteen days by transfer, and has no due date with cash on delivery', async () => {
    const scene = await openShop(given)
    const transfer = await scene.buy('bank_transfer')
    const cash = await scene.buy('cash_on_delivery')
    assert.equal((await scene.orders.read(transfer.orderId)).body.data.paymentDueAt, '2026-06-15T12:00:00.000Z')
    assert.equal((await scene.orders.read(cash.orderId)).body.data.paymentDueAt, null)
    assert.doesNotMatch(await scene.page(cash.path), /Please pay by/)
    scene.testServer.clock.now += 400 * day
    assert.equal(await scene.sweep(), 1)
    assert.equal((await orderWorld(scene.testServer, cash.orderId)).status, 'placed')
  })

  test('is cancelled once when its date has passed: stock, code and payment are released, with an event and the reason', async () => {
    const scene = await openShop(given)
    const { testServer } = scene
    const before = await onHandOf(testServer)
    const { orderId, sessionId, secret, path } = await scene.buy('bank_transfer', { promotionCode: 'ONCE' })
    testServer.clock.now += 14 * day - 1
    assert.equal(await scene.sweep(), 0)
    testServer.clock.now += 1
    assert.equal(await scene.sweep(), 1)
    assert.equal(await scene.sweep(), 0)
    assert.deepEqual(await orderWorld(testServer, orderId), {
      status: 'cancelled',
      paymentStatus: 'voided',
      version: 2,
      refunded: 0,
      events: [
        ['order.placed', 1],
        ['order.cancelled', 2],
      ],
      timeline: ['placed', 'cancelled', 'voided'],
      refunds: [['void', (await scene.orders.read(orderId)).body.data.total, 'pending']],
      payments: ['pending'],
      onHand: { CARD: 1000, 'ROSE-12': 40 },
      used: 0,
    })
    assert.deepEqual(await onHandOf(testServer), before)
    const { data } = (await scene.orders.read(orderId)).body
    assert.deepEqual(
      [data.cancellation.reason, data.cancellation.note, data.cancellation.status],
      ['other', null, 'completed'],
    )
    assert.equal(data.cancellation.restocked.length, 2)
    assert.deepEqual(data.timeline[1], { at: '2026-06-15T12:00:00.000Z', type: 'cancelled', cancelledBy: 'system' })
    assert.equal(data.paymentDueAt, null)
    const [, told] = await eventsOf(testServer, orderId)
    assert.deepEqual(
      [told?.body.data.order, told?.body.cause],
      [{ ...data, statusUrl: null, withdrawalUrl: null }, null],
    )
    assert.deepEqual(await scene.orders.pay(), ['succeeded'])
    assert.deepEqual((await orderWorld(testServer, orderId)).payments, ['voided'])

    // Nobody is told that money arrived, nor asked for it.
    const session = (await testServer.ask('getHostedCheckoutSession', { path: { sessionId } })).body.data
    assert.deepEqual([session.status, session.paymentStatus], ['completed', 'unpaid'])
    const thanks = await scene.page(`/c/${secret}`)
    assert.match(thanks, /Your order was cancelled/)
    assert.doesNotMatch(thanks, /has arrived|Please pay/)
    assert.match(await scene.page(path), /The payment did not arrive in time\. Please do not pay now\./)
    assert.match(await scene.page(path, 'ja'), /期限までにお支払いが確認できませんでした/)
    // The code can be used again.
    assert.equal((await scene.orders.place({ code: 'ONCE' })).quote.promotion?.code, 'ONCE')

    // The transfer comes after all: it is owed back, and the shopper reads that.
    const key = { installationId: testServer.installationId, orderId }
    await testServer.storage.write((tx) => recordOrderPaid(tx, key, { now: testServer.clock.now, cause: null }))
    assert.match(await scene.page(path), /Refund on its way/)
    const after = await scene.page(`/c/${secret}`)
    assert.match(after, /Your order was cancelled/)
    assert.doesNotMatch(after, /Nothing was charged|has arrived|Thank you/)
    assert.deepEqual(await onHandOf(testServer), { CARD: 997, 'ROSE-12': 38 }, 'nothing is taken for it')
    testServer.clock.now += 100 * day
    assert.equal(await scene.sweep(), 0)
  })

  test('is not cancelled once all or part of it was shipped', async () => {
    const scene = await openShop(given, [{ mode: 'test', method: 'cash_on_delivery', termDays: 3 }])
    const [sent, partly, kept] = [
      await scene.buy('cash_on_delivery'),
      await scene.buy('cash_on_delivery'),
      await scene.buy('cash_on_delivery'),
    ]
    const parcel = { carrier: null, trackingNumber: null }
    for (const [{ orderId }, items] of [
      [sent, null],
      [partly, new Map([['CARD', 1]])],
    ] as const) {
      const key = { installationId: scene.testServer.installationId, orderId }
      await scene.testServer.storage.write((tx) =>
        fulfilOrder(tx, key, { ...parcel, items }, { now: scene.testServer.clock.now, cause: null }),
      )
    }
    scene.testServer.clock.now += 4 * day
    assert.equal(await scene.sweep(), 1)
    const statuses = []
    for (const { orderId } of [sent, partly, kept]) statuses.push((await orderWorld(scene.testServer, orderId)).status)
    assert.deepEqual(statuses, ['completed', 'processing', 'cancelled'])
  })
})

anyEngine('orders past their payment term', (given) => {
  const awaited = (orders: Orders, testServer: TestServer, more: object = {}) =>
    orders.place({ isManual: true, paymentDueAt: testServer.clock.now + day, items: { CARD: 3 }, ...more })

  test('are cancelled in batches, the longest overdue first', async () => {
    const { orders, ...testServer } = await openOrderTestServer(given)
    const placed: { orderId: string }[] = []
    for (let i = 0; i < 5; i += 1) {
      placed.push(await awaited(orders, testServer))
      testServer.clock.now += 1_000
    }
    testServer.clock.now += 2 * day
    const round = () => cancelUnpaidOrders(testServer.storage, testServer.clock.now, 2)
    assert.equal(await round(), 2)
    const statuses = async () => {
      const all = []
      for (const { orderId } of placed) all.push((await orderWorld(testServer, orderId)).status)
      return all
    }
    assert.deepEqual(await statuses(), ['cancelled', 'cancelled', 'placed', 'placed', 'placed'])
    assert.deepEqual([await round(), await round(), await round()], [2, 1, 0])
  })

  test('do not block others if their row cannot be written, and are tried again', async () => {
    const { orders, ...testServer } = await openOrderTestServer(given)
    const [bad, good] = [await awaited(orders, testServer), await awaited(orders, testServer)]
    const cure = await poison(testServer.storage, 'orders', `old.id = '${bad.orderId}'`)
    const now = testServer.clock.now + 2 * day
    await assert.rejects(cancelUnpaidOrders(testServer.storage, now, 20), RowsFailed)
    assert.equal((await orderWorld(testServer, good.orderId)).status, 'cancelled')
    assert.equal(await cancelUnpaidOrders(testServer.storage, now + 1_000, 20), 0)
    await cure()
    assert.equal(await cancelUnpaidOrders(testServer.storage, now + 60_000, 20), 1)
    assert.equal((await orderWorld(testServer, bad.orderId)).status, 'cancelled')
  })

  test('that are paid, shipped and cancelled concurrently on two nodes are cancelled at most once, and never also shipped', async () => {
    const { orders, ...testServer } = await openOrderTestServer(given)
    const second = await given.open({ url: testServer.url })
    const outcomes = new Map<string, number>()
    for (let i = 0; i < 8; i += 1) {
      const { orderId } = await awaited(orders, testServer, { code: 'WELCOME10' })
      const key = { installationId: testServer.installationId, orderId }
      const now = testServer.clock.now + 2 * day
      const moment = { now, cause: null }
      const parcel = { carrier: null, trackingNumber: null, items: null, anyway: true }
      const deeds = [
        () => cancelUnpaidOrders(testServer.storage, now, 20),
        () => cancelUnpaidOrders(second, now, 20),
        () => countDone(second.write((tx) => recordOrderPaid(tx, key, moment))),
        () => countDone(testServer.storage.write((tx) => fulfilOrder(tx, key, parcel, moment))),
        () => orders.cancel(orderId).then(({ status }) => (status === 200 ? 1 : 0)),
      ]
      // Another one comes first each time.
      const turned = deeds.map((_, at) => deeds[(at + i) % deeds.length] as () => Promise<number>)
      const done = await Promise.all(turned.map((deed) => deed()))
      const [byLoop, byOther, paid, sent, byApi] = deeds.map((deed) => done[turned.indexOf(deed)] ?? 0)
      const world = await orderWorld(testServer, orderId)
      const cancellations = (byLoop ?? 0) + (byOther ?? 0) + (byApi ?? 0)
      if (world.status === 'cancelled') {
        // Whoever paid before the API cancelled is paid back, and whoever paid after a cancellation waits for a person.
        assert.equal(cancellations, 1)
        assert.equal(sent, 0)
        const isLate = world.events.at(-1)?.[0] === 'order.paid'
        assert.deepEqual(world.paymentStatus, paid === 0 ? 'voided' : isLate ? 'paid' : 'refunding')
        if (paid === 1 && !isLate) assert.equal(byApi, 1)
        assert.equal(world.onHand.CARD, 1000 - 3 * (outcomes.get('sent') ?? 0) - 3 * (outcomes.get('paid') ?? 0))
      } else assert.equal(cancellations, 0)
      const outcome = world.status === 'cancelled' ? 'cancelled' : sent === 1 ? 'sent' : 'paid'
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      assert.equal(
        world.events.filter(([kind]) => kind === 'order.cancelled').length,
        world.status === 'cancelled' ? 1 : 0,
      )
      assert.equal(world.used, (outcomes.get('sent') ?? 0) + (outcomes.get('paid') ?? 0))
    }
  })

  test('are cancelled by a running server', async () => {
    const { orders, ...testServer } = await openOrderTestServer(given)
    const { orderId } = await awaited(orders, testServer)
    await testServer.storage.write((tx) => tx.sql`update orders set payment_due_at = 1 where id = ${orderId}`)
    const server = await serveHere(settingsOf(testServer), ['--no-demo'])
    await until(async () => (await orderWorld(testServer, orderId)).status === 'cancelled', 'the cancellation')
    assert.equal(await server.stop(), 0)
  })
})
