// From an event to its receiver: every call verified by the standard's own library, each event once and in order, and what
// happens when the receiver does not want to.

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { answer, openReceiver, type Received } from '../harness/receiver.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'
import { releaseLeases } from '../src/domain/webhooks/claim.ts'
import {
  addEndpoint,
  changeEndpoint,
  disableEndpoint,
  type EndpointInput,
  type EndpointWithSecret,
  enableEndpoint,
  pauseEndpoint,
  pingEndpoint,
  removeEndpoint,
  rotateSecret,
} from '../src/domain/webhooks/endpoints.ts'
import { deliveryWaitsMs } from '../src/domain/webhooks/schedule.ts'
import {
  countDueDeliveries,
  type Delivery,
  listAttempts,
  listNewestDeliveries,
  lockEndpoint,
} from '../src/domain/webhooks/store.ts'
import { sweepWebhooks } from '../src/domain/webhooks/sweep.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { announce } from '../src/platform/outbox/announce.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

function add(testServer: TestServer, input: Partial<EndpointInput> & { url: string }): Promise<EndpointWithSecret> {
  const whole = { description: '', events: ['*'], ...input }
  const tools = { rootSecret: testSecret, allowPrivate: true }
  return testServer.storage.write((tx) =>
    addEndpoint(tx, testServer.installationId, whole, tools, testServer.clock.now),
  )
}

// Oldest first.
async function deliveriesOf(testServer: TestServer, { endpoint }: EndpointWithSecret): Promise<Delivery[]> {
  return (await testServer.storage.read((db) => listNewestDeliveries(db, endpoint, 1_000))).toReversed()
}

async function endpointOf(testServer: TestServer, { endpoint }: EndpointWithSecret) {
  const found = await testServer.storage.write((tx) => lockEndpoint(tx, testServer.installationId, endpoint.id))
  assert.ok(found)
  return found
}

// Events as a cart makes them, without the cart.
async function happen(testServer: TestServer, count: number, subject: () => string): Promise<void> {
  await testServer.storage.write(async (tx) => {
    for (let sequence = 1; sequence <= count; sequence += 1)
      await announce(tx, {
        installationId: testServer.installationId,
        mode: 'test',
        kind: 'cart.created',
        subject: { type: 'cart', id: subject() },
        sequence,
        dataText: '{}',
        cause: null,
        now: testServer.clock.now,
      })
  })
}

function ping(testServer: TestServer, { endpoint }: EndpointWithSecret) {
  return testServer.storage.write((tx) =>
    pingEndpoint(tx, testServer.installationId, endpoint.id, testServer.clock.now),
  )
}

// Moves the clock to the instant the only open delivery is due, and lets it be sent.
async function nextAttempt(testServer: TestServer, made: EndpointWithSecret): Promise<Delivery> {
  const waiting = (await deliveriesOf(testServer, made)).find(({ dueAt }) => dueAt !== null)
  testServer.clock.now = Math.max(
    testServer.clock.now,
    waiting?.dueAt ?? 0,
    (await endpointOf(testServer, made)).restingUntil ?? 0,
  )
  await testServer.app.dispatcher.dispatchDue()
  const [row] = (await deliveriesOf(testServer, made)).filter(({ id }) => id === waiting?.id)
  assert.ok(row)
  return row
}

function bySubject(received: readonly Received[]): Map<string, number[]> {
  const sequences = new Map<string, number[]>()
  for (const { event } of received) {
    const known = sequences.get(event.subject.id) ?? []
    sequences.set(event.subject.id, [...known, event.sequence])
  }
  return sequences
}

eachEngine('webhooks', (given) => {
  test('the Standard Webhooks library accepts every call of a purchase and its cancellation, each event once and in order', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    testServer.clock.now = Date.now()
    const everything = await openReceiver(given)
    const orders = await openReceiver(given)
    const all = await add(testServer, { url: everything.url })
    const some = await add(testServer, { url: orders.url, events: ['order.*', 'cart.converted'] })
    const { ready, pay } = await checkoutOf(testServer)
    const { secret, view } = await ready({ 'ROSE-12': 2 }, { customer: { email: 'ada@example.com' } })
    const paid = await pay(secret, view)
    const orderId = paid.view.session.orderId as string
    await testServer.ask('cancelStorefrontOrder', { path: { orderId }, body: { idempotencyKey: 'cancel' } })
    await payRefunds({ ...testServer.app.payTools, onPaid: recordRefundEnd }, testServer.clock.now)
    await testServer.app.dispatcher.dispatchDue()

    const written = await testServer.storage.read(
      (db) => db.sql<{ id: string; type: string; body: string }>`select id, type, body from events order by id`,
    )
    assert.deepEqual(everything.received.map(({ id }) => id).sort(), written.map(({ id }) => id).sort())
    const wanted = written.filter(({ type }) => type.startsWith('order.') || type === 'cart.converted')
    assert.deepEqual(orders.received.map(({ id }) => id).sort(), wanted.map(({ id }) => id).sort())
    assert.deepEqual(
      orders.received.map(({ event }) => event.type).filter((type: string) => type.startsWith('order.')),
      ['order.placed', 'order.paid', 'order.cancelled', 'order.refunded'],
    )
    for (const [receiver, { secret: key }] of [
      [everything, all],
      [orders, some],
    ] as const) {
      const judge = new Webhook(key)
      for (const { headers, body, id } of receiver.received) {
        assert.deepEqual(judge.verify(body, headers as Record<string, string>), JSON.parse(body))
        assert.equal(body, written.find((event) => event.id === id)?.body, 'byte for byte as it was written')
        assert.equal(headers['webhook-attempt'], '1')
        assert.match(String(headers['webhook-delivery-id']), /^whd_/)
        assert.match(String(headers['user-agent']), /^Cartwright-Webhooks\//)
        assert.ok(!body.includes('ada@example.com'))
      }
      for (const [subject, sequences] of bySubject(receiver.received))
        assert.deepEqual(
          sequences,
          sequences.toSorted((one, other) => one - other),
          subject,
        )
    }
    assert.ok(
      (await deliveriesOf(testServer, all)).every(({ status, attempts }) => status === 'succeeded' && attempts === 1),
    )
    assert.throws(() => new Webhook(some.secret).verify(all.endpoint.id, {}), 'a judge that can say no')
  })

  test('a failed call is made twelve times by the schedule, then abandoned; a failed ping is not reported to other endpoints', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const other = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['webhook.ping'] })
    const listening = await add(testServer, { url: other.url, events: ['webhook.*'] })
    receiver.behave(answer(500, {}, 'no thanks'))
    await ping(testServer, made)
    const waits: number[] = []
    await testServer.app.dispatcher.dispatchDue()
    let row = (await deliveriesOf(testServer, made))[0] as Delivery
    while (row.dueAt !== null) {
      assert.deepEqual([row.status, row.attempts, row.lastStatusCode], ['retrying', waits.length + 1, 500])
      waits.push(row.dueAt - testServer.clock.now)
      testServer.clock.now = row.dueAt - 1
      await testServer.app.dispatcher.dispatchDue()
      assert.equal(receiver.received.length, waits.length, 'not a millisecond early')
      row = await nextAttempt(testServer, made)
    }
    assert.equal(receiver.received.length, 12)
    for (const [index, wait] of waits.entries()) {
      const base = deliveryWaitsMs[index + 1] as number
      assert.ok(wait >= base && wait <= base * 1.2, `wait ${index + 1} is ${wait}, the table says ${base}`)
    }
    assert.deepEqual([row.status, row.attempts, row.lastStatusCode, row.lastError], ['failed', 12, 500, 'status 500'])
    assert.equal(new Set(receiver.received.map(({ body, id }) => body + id)).size, 1)
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers['webhook-attempt']),
      waits.map((_, index) => String(index + 1)).concat('12'),
    )
    const attempts = await testServer.storage.read((db) => listAttempts(db, testServer.installationId, row.id))
    assert.equal(attempts.length, 12)
    assert.deepEqual([attempts[0]?.statusCode, attempts[0]?.answer, attempts[0]?.attempt], [500, 'no thanks', 1])
    // A ping is about webhooks, so its failure is told to nobody.
    assert.deepEqual(await deliveriesOf(testServer, listening), [])
  })

  test('the failure of an event is reported to the other endpoints, never to its own, and causes no further events', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const other = await openReceiver(given)
    const failing = await add(testServer, { url: receiver.url, events: ['cart.created', 'webhook.*'] })
    const deaf = await add(testServer, { url: other.url, events: ['webhook.*'] })
    receiver.behave(answer(500))
    other.behave(answer(500))
    await testServer.ask('createPublicCart', { body: { idempotencyKey: 'a' } })
    await testServer.app.dispatcher.dispatchDue()
    for (let attempt = 2; attempt <= 12; attempt += 1) await nextAttempt(testServer, failing)
    assert.deepEqual(
      (await deliveriesOf(testServer, failing)).map(({ eventType, status }) => [eventType, status]),
      [['cart.created', 'failed']],
    )
    const told = await deliveriesOf(testServer, deaf)
    assert.deepEqual(
      told.map(({ eventType, status }) => [eventType, status]),
      [['webhook.delivery_failed', 'retrying']],
    )
    for (let attempt = 2; attempt <= 12; attempt += 1) await nextAttempt(testServer, deaf)
    assert.deepEqual(
      (await testServer.storage.read((db) => db.sql<{ type: string }>`select type from events order by id`)).map(
        ({ type }) => type,
      ),
      ['cart.created', 'webhook.delivery_failed'],
    )
  })

  test('later events of a subject wait for the earlier one, and events of other subjects do not', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['cart.*'] })
    const { carts } = await checkoutOf(testServer)
    const stuck = (await testServer.ask('createPublicCart', { body: { idempotencyKey: 'stuck' } })).body.data.id
    receiver.behave((call, response) =>
      response.writeHead(call.event.subject.id === stuck && call.headers['webhook-attempt'] !== '3' ? 500 : 204).end(),
    )
    await testServer.app.dispatcher.dispatchDue()
    for (const quantity of [1, 2, 3])
      await testServer.ask('putPublicCartItem', {
        path: { cartId: stuck, skuId: carts.sku('ROSE-12') },
        body: { idempotencyKey: `q${quantity}`, quantity },
      })
    await testServer.ask('createPublicCart', { body: { idempotencyKey: 'free' } })
    await testServer.app.dispatcher.dispatchDue()
    assert.deepEqual(
      receiver.received.map(({ event }) => [event.subject.id === stuck, event.sequence]),
      [
        [true, 1],
        [false, 1],
      ],
    )
    await nextAttempt(testServer, made)
    await nextAttempt(testServer, made)
    assert.deepEqual(
      receiver.received.filter(({ event }) => event.subject.id === stuck).map(({ event }) => event.sequence),
      [1, 1, 1, 2],
      'the third attempt of the first was taken, and the next one came at once',
    )
    receiver.behave(answer(200))
    await nextAttempt(testServer, made)
    assert.deepEqual(
      receiver.received.filter(({ event }) => event.subject.id === stuck).map(({ event }) => event.sequence),
      [1, 1, 1, 2, 2, 3, 4],
    )
  })

  test('ten failures in a row open the circuit breaker, which uses up no attempts; a successful probe closes it', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['cart.created'] })
    receiver.behave(answer(503))
    for (let cart = 0; cart < 30; cart += 1)
      await testServer.ask('createPublicCart', { body: { idempotencyKey: `cart-${cart}` } })
    await testServer.app.dispatcher.dispatchDue()
    const failed = receiver.received.length
    assert.ok(failed >= 10 && failed <= 17, `${failed} calls until the breaker was open`)
    const opened = await endpointOf(testServer, made)
    assert.equal(opened.consecutiveFailures, failed)
    assert.ok((opened.restingUntil ?? 0) >= testServer.clock.now + 30_000)
    testServer.clock.now = (opened.restingUntil ?? 0) - 1
    await testServer.app.dispatcher.dispatchDue()
    assert.equal(receiver.received.length, failed, 'nothing is sent while it is open')
    testServer.clock.now += 1
    await testServer.app.dispatcher.dispatchDue()
    assert.equal(receiver.received.length, failed + 1, 'one probe')
    const probed = await endpointOf(testServer, made)
    const restMs = (probed.restingUntil ?? 0) - testServer.clock.now
    assert.ok(restMs > 30_000 && restMs <= 15 * minute)
    assert.equal(
      (await deliveriesOf(testServer, made)).reduce((sum, { attempts }) => sum + attempts, 0),
      failed + 1,
    )
    receiver.behave(answer(200))
    testServer.clock.now = probed.restingUntil ?? 0
    await testServer.app.dispatcher.dispatchDue()
    const closed = await endpointOf(testServer, made)
    assert.deepEqual([closed.consecutiveFailures, closed.failingSince, closed.restingUntil], [0, null, null])
    assert.ok((await deliveriesOf(testServer, made)).every(({ status }) => status === 'succeeded'))
  })

  test('the Retry-After of a receiver is respected, up to an hour', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['webhook.ping'] })
    receiver.behave(answer(429, { 'retry-after': '120' }))
    await ping(testServer, made)
    await testServer.app.dispatcher.dispatchDue()
    const [row] = await deliveriesOf(testServer, made)
    assert.equal(row?.dueAt, testServer.clock.now + 120_000)
    assert.equal((await endpointOf(testServer, made)).restingUntil, testServer.clock.now + 120_000)
    receiver.behave(answer(503, { 'retry-after': '999999' }))
    const second = await nextAttempt(testServer, made)
    assert.equal(second.dueAt, testServer.clock.now + hour)
    receiver.behave(answer(503, { 'retry-after': 'soon' }))
    const third = await nextAttempt(testServer, made)
    assert.ok((third.dueAt ?? 0) <= testServer.clock.now + 2 * minute * 1.2)
  })

  test('410 disables the endpoint, which is reported to the others; nothing is lost, and enabling it sends everything in order', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const other = await openReceiver(given)
    const gone = await add(testServer, { url: receiver.url, events: ['cart.*', 'webhook.*'] })
    await add(testServer, { url: other.url, events: ['webhook.*'] })
    const { carts } = await checkoutOf(testServer)
    receiver.behave(answer(410))
    const cartId = (await testServer.ask('createPublicCart', { body: { idempotencyKey: 'a' } })).body.data.id
    await testServer.app.dispatcher.dispatchDue()
    const disabled = await endpointOf(testServer, gone)
    assert.deepEqual([disabled.status, disabled.disabledReason], ['disabled', 'gone'])
    assert.deepEqual(
      other.received.map(({ event }) => [event.type, event.data.endpoint.id, event.data.reason]),
      [['webhook.endpoint_disabled', gone.endpoint.id, 'gone']],
    )
    for (const quantity of [1, 2])
      await testServer.ask('putPublicCartItem', {
        path: { cartId, skuId: carts.sku('ROSE-12') },
        body: { idempotencyKey: `q${quantity}`, quantity },
      })
    await testServer.app.dispatcher.dispatchDue()
    assert.deepEqual(
      (await deliveriesOf(testServer, gone)).map(({ status }) => status),
      ['held', 'held', 'held'],
    )
    receiver.behave(answer(200))
    receiver.received.length = 0
    testServer.clock.now += 20 * day
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    const enabled = await testServer.storage.write((tx) =>
      enableEndpoint(tx, testServer.installationId, gone.endpoint.id, testServer.clock.now),
    )
    assert.equal(enabled?.resumed, 3)
    await testServer.app.dispatcher.dispatchDue()
    assert.deepEqual(
      receiver.received.map(({ event }) => event.sequence),
      [1, 2, 3],
    )
  })

  test('an endpoint that fails for five days is disabled, even if the circuit breaker allowed few calls', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['cart.created'] })
    await receiver.close()
    for (let cart = 0; cart < 20; cart += 1)
      await testServer.ask('createPublicCart', { body: { idempotencyKey: `cart-${cart}` } })
    const startedAt = testServer.clock.now
    for (let days = 0; days < 5; days += 1) {
      await testServer.app.dispatcher.dispatchDue()
      assert.equal((await endpointOf(testServer, made)).status, 'enabled')
      testServer.clock.now += day
    }
    assert.ok(testServer.clock.now - startedAt >= 5 * day)
    await testServer.app.dispatcher.dispatchDue()
    const disabled = await endpointOf(testServer, made)
    assert.deepEqual([disabled.status, disabled.disabledReason], ['disabled', 'failing'])
    assert.ok((await deliveriesOf(testServer, made)).every(({ status }) => status === 'held'))
  })

  test('a paused endpoint gets no calls, and a removed one loses its pending deliveries', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['cart.*'] })
    await testServer.ask('createPublicCart', { body: { idempotencyKey: 'a' } })
    const due = () => testServer.storage.read((db) => countDueDeliveries(db, testServer.clock.now + 9_000))
    assert.deepEqual(await due(), { count: 1, since: testServer.clock.now })
    await testServer.storage.write((tx) =>
      pauseEndpoint(tx, testServer.installationId, made.endpoint.id, testServer.clock.now),
    )
    await testServer.ask('createPublicCart', { body: { idempotencyKey: 'b' } })
    assert.deepEqual(await due(), { count: 0, since: null })
    await testServer.app.dispatcher.dispatchDue()
    assert.deepEqual([receiver.received.length, (await deliveriesOf(testServer, made)).length], [0, 2])
    await testServer.storage.write((tx) =>
      removeEndpoint(tx, testServer.installationId, made.endpoint.id, testServer.clock.now),
    )
    assert.deepEqual(
      (await deliveriesOf(testServer, made)).map(({ status }) => status),
      ['discarded', 'discarded'],
    )
    await testServer.ask('createPublicCart', { body: { idempotencyKey: 'c' } })
    await testServer.app.dispatcher.dispatchDue()
    assert.deepEqual([receiver.received.length, (await deliveriesOf(testServer, made)).length], [0, 2])
    const again = await add(testServer, { url: receiver.url, events: ['cart.*'] })
    assert.equal(again.endpoint.slot, made.endpoint.slot, 'its slot is free again')
  })

  test('during the rotation of a secret both secrets sign, and after a day only the new one', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    testServer.clock.now = Date.now()
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['webhook.ping'] })
    const rotated = await testServer.storage.write((tx) =>
      rotateSecret(tx, testServer.installationId, made.endpoint.id, testSecret, testServer.clock.now),
    )
    assert.ok(rotated)
    await ping(testServer, made)
    await testServer.app.dispatcher.dispatchDue()
    const both = receiver.received[0] as Received
    for (const secret of [made.secret, rotated.secret])
      new Webhook(secret).verify(both.body, both.headers as Record<string, string>)
    assert.equal(String(both.headers['webhook-signature']).split(' ').length, 2)
    testServer.clock.now += day
    await ping(testServer, made)
    await testServer.app.dispatcher.dispatchDue()
    const later = receiver.received[1] as Received
    assert.equal(String(later.headers['webhook-signature']).split(' ').length, 1)
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    assert.equal((await endpointOf(testServer, made)).previousSealed, null)
  })

  test('a delivery is sent unchanged to the new address of its endpoint', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const former = await openReceiver(given)
    const latter = await openReceiver(given)
    const made = await add(testServer, { url: former.url, events: ['webhook.ping'] })
    former.behave(answer(302, { location: latter.url }))
    await ping(testServer, made)
    await testServer.app.dispatcher.dispatchDue()
    assert.deepEqual([former.received.length, latter.received.length], [1, 0], 'a redirect is not followed')
    const input = { url: latter.url, description: 'moved', events: ['webhook.ping'] }
    await testServer.storage.write((tx) =>
      changeEndpoint(
        tx,
        testServer.installationId,
        made.endpoint.id,
        input,
        { allowPrivate: true },
        testServer.clock.now,
      ),
    )
    const row = await nextAttempt(testServer, made)
    assert.deepEqual([row.status, row.attempts], ['succeeded', 2])
    assert.equal(latter.received[0]?.body, former.received[0]?.body)
  })

  test('a delivery that was claimed but not finished is taken over after its lease, without an attempt, and its late result is ignored', async () => {
    const testServer = await openTestServer(given, { shops: [market], webhookBounds: { leaseMs: 1_000 } })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['webhook.ping'] })
    let release: () => void = () => {}
    const arrived = new Promise<void>((resolve) => {
      receiver.behave((_, response) => {
        release = () => response.writeHead(500).end()
        resolve()
      })
    })
    await ping(testServer, made)
    const sleeper = testServer.app.dispatcher.dispatchDue()
    await arrived
    assert.equal((await deliveriesOf(testServer, made))[0]?.status, 'sending')
    testServer.clock.now += 999
    assert.equal(await releaseLeases(testServer.storage, testServer.clock.now, { all: false }), 0)
    testServer.clock.now += 1
    assert.equal(await releaseLeases(testServer.storage, testServer.clock.now, { all: false }), 1)
    // Somebody else has delivered it meanwhile.
    await testServer.storage.write(
      (tx) => tx.sql`
        update webhook_deliveries set status = 'succeeded', attempts = 1, due_at = null, finished_at = ${testServer.clock.now}
        where endpoint_id = ${made.endpoint.id}`,
    )
    release()
    await sleeper
    const [row] = await deliveriesOf(testServer, made)
    assert.deepEqual([row?.status, row?.attempts], ['succeeded', 1])
  })

  test('event bodies, deliveries and events are deleted after their time, also those that are held for an endpoint', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const sent = await add(testServer, { url: receiver.url, events: ['cart.created'] })
    const pending = await add(testServer, { url: receiver.url, events: ['cart.updated'], status: 'paused' })
    const { carts } = await checkoutOf(testServer)
    const cartId = (await testServer.ask('createPublicCart', { body: { idempotencyKey: 'a' } })).body.data.id
    await testServer.ask('putPublicCartItem', {
      path: { cartId, skuId: carts.sku('ROSE-12') },
      body: { idempotencyKey: 'q', quantity: 1 },
    })
    await testServer.app.dispatcher.dispatchDue()
    const texts = () =>
      testServer.storage.read(
        (db) => db.sql<{ type: string; kept: number }>`
          select type, case when body = '' then 0 else 1 end as "kept" from events order by id`,
      )
    testServer.clock.now += 30 * day - 1
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    assert.ok((await texts()).every(({ kept }) => kept === 1))
    assert.equal((await deliveriesOf(testServer, pending))[0]?.status, 'held')
    testServer.clock.now += 1
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    assert.deepEqual(await texts(), [
      { type: 'cart.created', kept: 0 },
      { type: 'cart.updated', kept: 0 },
    ])
    const [discarded] = await deliveriesOf(testServer, pending)
    assert.deepEqual([discarded?.status, discarded?.lastError], ['discarded', 'it was due for too long'])
    await testServer.storage.write((tx) =>
      enableEndpoint(tx, testServer.installationId, pending.endpoint.id, testServer.clock.now),
    )
    receiver.received.length = 0
    await testServer.app.dispatcher.dispatchDue()
    assert.deepEqual(receiver.received, [], 'it is not sent any more')
    testServer.clock.now += 60 * day
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    assert.deepEqual(await deliveriesOf(testServer, sent), [])
    assert.deepEqual(await texts(), [{ type: 'cart.updated', kept: 0 }], 'the log of a delivery keeps its event')
    testServer.clock.now += 30 * day
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    assert.deepEqual(await deliveriesOf(testServer, pending), [])
    assert.deepEqual(await texts(), [])
    // The cart is still there, and may have been told of before.
    assert.deepEqual(await testServer.storage.read(findViolations), [])
  })

  test('an event that was written while its endpoint was paused is sent once the endpoint is enabled', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['cart.created'], status: 'paused' })
    await testServer.ask('createPublicCart', { body: { idempotencyKey: 'a' } })
    assert.equal((await deliveriesOf(testServer, made))[0]?.status, 'held')
    // On PostgreSQL an order may have read the endpoint as paused and commit after it was enabled: what it wrote must not
    // hang on what it read.
    await testServer.storage.write((tx) =>
      enableEndpoint(tx, testServer.installationId, made.endpoint.id, testServer.clock.now),
    )
    assert.equal((await deliveriesOf(testServer, made))[0]?.status, 'pending')
    await testServer.app.dispatcher.dispatchDue()
    assert.equal(receiver.received.length, 1)
  })

  test('an endpoint with many deliveries does not delay another one', async () => {
    const testServer = await openTestServer(given, { shops: [market], webhookBounds: { pollMs: 3_600_000 } })
    const busy = await openReceiver(given)
    const idle = await openReceiver(given)
    await add(testServer, { url: busy.url, events: ['cart.created'] })
    const quiet = await add(testServer, { url: idle.url, events: ['webhook.ping'] })
    await happen(testServer, 200, () => newId('cart'))
    let isPinged = false
    let busyBefore = 0
    const waiting: ServerResponse[] = []
    const heard = new Promise<number>((resolve) => {
      idle.behave((_, response) => {
        response.writeHead(200).end()
        resolve(busy.received.length)
      })
    })
    busy.behave((_, response) => {
      // While the ping is being written nothing goes on, however long that takes.
      if (isPinged && busyBefore === 0) return void waiting.push(response)
      response.writeHead(200).end()
      if (isPinged || busy.received.length < 20) return
      isPinged = true
      void ping(testServer, quiet).then(() => {
        busyBefore = busy.received.length
        for (const held of waiting) held.writeHead(200).end()
      })
    })
    testServer.app.dispatcher.start()
    const busyWhenHeard = await heard
    assert.ok(busyBefore < 200 && busyWhenHeard < 200, `${busyWhenHeard} of 200 were sent before it`)
    await testServer.app.dispatcher.dispatchDue()
    assert.equal(busy.received.length, 200)
  })

  test('the limit of concurrent calls is divided among the endpoints', async () => {
    const testServer = await openTestServer(given, { shops: [market], webhookBounds: { callsMax: 4 } })
    const receivers = await Promise.all([1, 2, 3].map(() => openReceiver(given)))
    for (const { url } of receivers) await add(testServer, { url, events: ['cart.created'] })
    for (let cart = 0; cart < 8; cart += 1)
      await testServer.ask('createPublicCart', { body: { idempotencyKey: `cart-${cart}` } })
    const waiting: (() => void)[] = []
    const everybodyAsked = new Promise<void>((resolve) => {
      for (const receiver of receivers)
        receiver.behave((_, response) => {
          waiting.push(() => response.writeHead(204).end())
          if (receivers.every(({ received }) => received.length > 0)) resolve()
        })
    })
    const settled = testServer.app.dispatcher.dispatchDue()
    await everybodyAsked
    for (const receiver of receivers) receiver.behave(answer(204))
    for (const finish of waiting) finish()
    await settled
    assert.deepEqual(
      receivers.map(({ received }) => received.length),
      [8, 8, 8],
    )
  })

  test('many events of one subject wait for its first one without being read repeatedly', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['cart.*'] })
    receiver.behave(answer(500))
    const cartId = newId('cart')
    await happen(testServer, 150, () => cartId)
    await testServer.app.dispatcher.dispatchDue()
    const rows = await deliveriesOf(testServer, made)
    const [first, ...others] = rows
    assert.equal(receiver.received.length, 1)
    assert.ok(others.length >= 140)
    assert.ok(
      others.every(({ dueAt }) => (dueAt ?? 0) >= (first?.dueAt ?? 0)),
      'they are due with it, or later',
    )
    receiver.behave(answer(200))
    testServer.clock.now = first?.dueAt ?? 0
    await testServer.app.dispatcher.dispatchDue()
    assert.equal(receiver.received.length, rows.length + 1, 'one after the other, at once')
    const sequences = receiver.received.map(({ event }) => event.sequence)
    assert.deepEqual(
      sequences,
      sequences.toSorted((one, other) => one - other),
    )
  })

  test('the wait of a Retry-After is not shortened by a call in progress that succeeds', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['cart.created'] })
    const waiting: ((status: number, headers?: Record<string, string>) => void)[] = []
    const bothAsked = new Promise<void>((resolve) => {
      receiver.behave((_, response) => {
        waiting.push((status, headers = {}) => response.writeHead(status, headers).end())
        if (waiting.length === 2) resolve()
      })
    })
    for (const key of ['a', 'b']) await testServer.ask('createPublicCart', { body: { idempotencyKey: key } })
    const settled = testServer.app.dispatcher.dispatchDue()
    await bothAsked
    testServer.clock.now += 1_000
    waiting[0]?.(429, { 'retry-after': '600' })
    const askedAt = testServer.clock.now
    while ((await endpointOf(testServer, made)).restingUntil === null)
      await new Promise((resolve) => setImmediate(resolve))
    waiting[1]?.(200)
    await settled
    const rested = await endpointOf(testServer, made)
    assert.equal(rested.restingUntil, askedAt + 600_000)
    assert.equal(rested.consecutiveFailures, 1)
  })

  for (const late of [410, 200])
    test(`a late ${late} whose lease was lost does not change its endpoint`, async () => {
      const testServer = await openTestServer(given, { shops: [market], webhookBounds: { leaseMs: 1_000 } })
      const receiver = await openReceiver(given)
      const made = await add(testServer, { url: receiver.url, events: ['webhook.ping'] })
      await testServer.storage.write(
        (tx) => tx.sql`update webhook_endpoints set consecutive_failures = 3 where id = ${made.endpoint.id}`,
      )
      let release: () => void = () => {}
      const arrived = new Promise<void>((resolve) => {
        receiver.behave((_, response) => {
          release = () => response.writeHead(late).end()
          resolve()
        })
      })
      await ping(testServer, made)
      const sleeper = testServer.app.dispatcher.dispatchDue()
      await arrived
      testServer.clock.now += 1_000
      await releaseLeases(testServer.storage, testServer.clock.now, { all: false })
      await testServer.storage.write(
        (tx) => tx.sql`
        update webhook_deliveries set status = 'succeeded', attempts = 1, due_at = null, finished_at = ${testServer.clock.now}
        where endpoint_id = ${made.endpoint.id}`,
      )
      release()
      await sleeper
      const endpoint = await endpointOf(testServer, made)
      assert.deepEqual([endpoint.status, endpoint.consecutiveFailures, endpoint.lastSuccessAt], ['enabled', 3, null])
    })

  test('the event body of an accepted replay is stored as long as the replay is held', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['webhook.ping'] })
    await ping(testServer, made)
    await testServer.app.dispatcher.dispatchDue()
    const [original] = await deliveriesOf(testServer, made)
    testServer.clock.now += 29 * day
    const path = { id: original?.id ?? '' }
    const body = { idempotencyKey: 'once-more', allowSucceeded: true }
    assert.equal((await testServer.ask('replayInstallationWebhookDelivery', { path, body })).status, 200)
    await testServer.storage.write((tx) =>
      pauseEndpoint(tx, testServer.installationId, made.endpoint.id, testServer.clock.now),
    )
    testServer.clock.now += 7 * day
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    await testServer.storage.write((tx) =>
      enableEndpoint(tx, testServer.installationId, made.endpoint.id, testServer.clock.now),
    )
    await testServer.app.dispatcher.dispatchDue()
    assert.equal(receiver.received.length, 2)
    assert.equal(receiver.received[0]?.body, receiver.received[1]?.body)
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    const again = await testServer.ask('replayInstallationWebhookDelivery', {
      path,
      body: { ...body, idempotencyKey: 'late' },
    })
    assert.equal(again.body.error.code, 'payload_expired')
  })

  test('pausing, enabling and removing an endpoint with many deliveries immediately applies to all of them', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['cart.created'] })
    await happen(testServer, 600, () => newId('cart'))
    const { installationId } = testServer
    const { id } = made.endpoint
    await testServer.storage.write((tx) => pauseEndpoint(tx, installationId, id, testServer.clock.now))
    assert.ok((await deliveriesOf(testServer, made)).every(({ status }) => status === 'held'))
    await testServer.storage.write((tx) => enableEndpoint(tx, installationId, id, testServer.clock.now))
    assert.ok((await deliveriesOf(testServer, made)).every(({ status }) => status === 'pending'))
    await testServer.storage.write((tx) => removeEndpoint(tx, installationId, id, testServer.clock.now))
    assert.ok((await deliveriesOf(testServer, made)).every(({ status }) => status === 'discarded'))
    await testServer.app.dispatcher.dispatchDue()
    assert.equal(receiver.received.length, 0)
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ open: number }>`select count(*) as "open" from webhook_deliveries where finished_at is null`,
    )
    assert.equal(row?.open, 0)
  })

  test('the operator can disable an endpoint, which is reported to the others once', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const other = await openReceiver(given)
    const made = await add(testServer, { url: other.url, events: ['cart.*'] })
    await add(testServer, { url: other.url, events: ['webhook.endpoint_disabled'] })
    for (let time = 0; time < 2; time += 1)
      await testServer.storage.write(async (tx) => {
        const endpoint = await lockEndpoint(tx, testServer.installationId, made.endpoint.id)
        if (endpoint) await disableEndpoint(tx, endpoint, 'operator', null, testServer.clock.now)
      })
    await testServer.app.dispatcher.dispatchDue()
    assert.deepEqual(
      other.received.map(({ event }) => [event.type, event.data.reason]),
      [['webhook.endpoint_disabled', 'operator']],
    )
  })

  test('a started dispatcher is notified of an event immediately, and draining waits for calls in progress', async () => {
    const testServer = await openTestServer(given, { shops: [market], webhookBounds: { pollMs: 3_600_000 } })
    const receiver = await openReceiver(given)
    const made = await add(testServer, { url: receiver.url, events: ['cart.created'] })
    testServer.app.dispatcher.start()
    const arrived = new Promise<() => void>((resolve) => {
      receiver.behave((_, response) => resolve(() => response.writeHead(200).end()))
    })
    await testServer.ask('createPublicCart', { body: { idempotencyKey: 'a' } })
    const finish = await arrived
    const drained = testServer.app.dispatcher.drain()
    await testServer.ask('createPublicCart', { body: { idempotencyKey: 'b' } })
    finish()
    await drained
    assert.deepEqual(
      (await deliveriesOf(testServer, made)).map(({ status }) => status),
      ['succeeded', 'pending'],
    )
  })
})
