// Sick receivers beside well ones: who hangs, fails, asks for patience or never stops answering keeps nobody else waiting.
// The long run, with times, is `npm run proof -- receivers`.

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { answer, openReceiver, type Received, type Receiver } from '../harness/receiver.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { Dispatcher } from '../src/domain/webhooks/dispatcher.ts'
import { inFlightMax } from '../src/domain/webhooks/schedule.ts'
import type { Sender } from '../src/domain/webhooks/sender.ts'
import { findEndpoint } from '../src/domain/webhooks/store.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { createLog } from '../src/platform/log/log.ts'
import { announce } from '../src/platform/outbox/announce.ts'
import type { Storage } from '../src/platform/storage/storage.ts'

const hour = 3_600_000

// Nobody looks by itself: what is sent is sent because a commit or the end of a call said so.
const unasked = { pollMs: hour }

interface Listener {
  receiver: Receiver
  endpointId: string
}

async function listen(given: Given, testServer: TestServer): Promise<Listener> {
  const receiver = await openReceiver(given)
  const { endpoint } = await webhooksOf(testServer).add({ url: receiver.url, events: ['cart.updated'] })
  return { receiver, endpointId: endpoint.id }
}

async function listenAll(given: Given, testServer: TestServer, count: number): Promise<Listener[]> {
  const listeners: Listener[] = []
  for (let number = 0; number < count; number += 1) listeners.push(await listen(given, testServer))
  return listeners
}

// In one commit, each of a subject of its own.
function tell(testServer: TestServer, events: number): Promise<void> {
  return testServer.storage.write(async (tx) => {
    for (let number = 0; number < events; number += 1) {
      const id = newId('cart')
      await announce(tx, {
        installationId: testServer.installationId,
        mode: 'test',
        kind: 'cart.updated',
        subject: { type: 'cart', id },
        sequence: 1,
        dataText: JSON.stringify({ cart: { id } }),
        cause: null,
        now: testServer.clock.now,
      })
    }
  })
}

// Resolves when each of them has been called as often. `seen` is told of every call as it comes.
function allCalled(listeners: readonly Listener[], calls: number, seen: () => void = () => {}): Promise<void> {
  let left = listeners.length * calls
  return new Promise((resolve) => {
    for (const { receiver } of listeners)
      receiver.behave((_, response) => {
        seen()
        response.writeHead(204).end()
        left -= 1
        if (left === 0) resolve()
      })
  })
}

// Takes every call and keeps it.
function hang({ receiver }: Listener) {
  const open = new Set<ServerResponse>()
  const held = { open, openMax: 0, reached: (_calls: number): Promise<void> => Promise.resolve() }
  let notice = () => {}
  receiver.behave((_, response) => {
    open.add(response)
    held.openMax = Math.max(held.openMax, open.size)
    response.on('close', () => open.delete(response))
    notice()
  })
  held.reached = (calls) =>
    new Promise((resolve) => {
      notice = () => {
        if (receiver.received.length >= calls) resolve()
      }
      notice()
    })
  return held
}

// Answers at once, and does not stop until it is cut off. Resolves when that has happened to so many calls.
function answerWithoutEnd({ receiver }: Listener, calls: number): Promise<void> {
  const piece = 'and so on '.repeat(100)
  const allCut = Promise.withResolvers<void>()
  let left = calls
  receiver.behave((_: Received, response: ServerResponse) => {
    const more = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('error', () => {})
    response.on('close', () => {
      left -= 1
      if (left === 0) allCut.resolve()
    })
    response.on('drain', more)
    response.writeHead(200)
    more()
  })
  return allCut.promise
}

async function statusesOf(testServer: TestServer, { endpointId }: Listener): Promise<Record<string, number>> {
  const rows = await testServer.storage.read(
    (db) => db.sql<{ status: string; count: number }>`
      select status, count(*) as "count" from webhook_deliveries where endpoint_id = ${endpointId} group by status`,
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

async function endpointOf(testServer: TestServer, { endpointId }: Listener) {
  const endpoint = await testServer.storage.read((db) => findEndpoint(db, testServer.installationId, endpointId))
  assert.ok(endpoint)
  return endpoint
}

eachEngine('webhook dispatch with failing receivers', (given) => {
  test('receivers that do not respond delay no others, and failing ones are called again after their wait', async () => {
    const events = 20
    const testServer = await openTestServer(given, { shops: [market], webhookBounds: unasked })
    const { dispatcher } = testServer.app
    const sick = await listenAll(given, testServer, 4)
    const [hanging, failing, patient, endless] = sick as [Listener, Listener, Listener, Listener]
    const well = await listenAll(given, testServer, 12)
    const held = hang(hanging)
    failing.receiver.behave(answer(500))
    patient.receiver.behave(answer(429, { 'retry-after': '30' }))
    const allCut = answerWithoutEnd(endless, events)
    const told = allCalled(well, events)

    dispatcher.start()
    await tell(testServer, events)
    await told
    await held.reached(inFlightMax)
    assert.deepEqual(
      [hanging.receiver.received.length, held.open.size, held.openMax],
      [inFlightMax, inFlightMax, inFlightMax],
      'every call to the hanging one is still open',
    )

    // Whoever waited for an answer is hung up on, and from here on it fails at once.
    hanging.receiver.behave(answer(500))
    for (const response of held.open) response.destroy()
    await dispatcher.dispatchDue()
    for (const one of well) {
      assert.deepEqual(await statusesOf(testServer, one), { succeeded: events })
      assert.equal(new Set(one.receiver.received.map(({ id }) => id)).size, events)
      assert.equal(one.receiver.received.length, events)
    }

    const failed = failing.receiver.received.length
    assert.ok(failed >= 10 && failed <= 17, `${failed} calls until the breaker was open`)
    const opened = await endpointOf(testServer, failing)
    assert.deepEqual([opened.status, opened.consecutiveFailures], ['enabled', failed])
    assert.ok((opened.restingUntil ?? 0) >= testServer.clock.now + 30_000)
    assert.deepEqual(await statusesOf(testServer, failing), { pending: events - failed, retrying: failed })

    assert.deepEqual(await statusesOf(testServer, endless), { succeeded: events })
    assert.equal(endless.receiver.received.length, events)
    await allCut
    assert.equal((await endpointOf(testServer, endless)).consecutiveFailures, 0)

    const asked = patient.receiver.received.length
    assert.ok(asked >= 1 && asked <= inFlightMax, `${asked} calls before the first Retry-After was read`)
    assert.deepEqual(await statusesOf(testServer, patient), { pending: events - asked, retrying: asked })
    const calledBefore = sick.map(({ receiver }) => receiver.received.length)
    testServer.clock.now += 29_999
    await dispatcher.dispatchDue()
    assert.deepEqual(
      sick.map(({ receiver }) => receiver.received.length),
      calledBefore,
      'nobody is called before the time',
    )
    testServer.clock.now += 1
    await dispatcher.dispatchDue()
    const askedAgain = patient.receiver.received.length - asked
    assert.ok(askedAgain >= 1 && askedAgain <= inFlightMax, `${askedAgain} calls when the time had come`)
    for (const one of [hanging, failing, patient])
      assert.deepEqual(
        Object.keys(await statusesOf(testServer, one)).filter(
          (status) => status !== 'pending' && status !== 'retrying',
        ),
        [],
        'nothing is given up',
      )
  })

  test('with few concurrent calls allowed, receivers that do not respond delay no others, and the limit holds', async () => {
    const callsMax = inFlightMax + 4
    const events = 3
    const testServer = await openTestServer(given, { shops: [market], webhookBounds: { ...unasked, callsMax } })
    const { dispatcher } = testServer.app
    const hanging = await listen(given, testServer)
    const held = hang(hanging)
    dispatcher.start()
    await tell(testServer, inFlightMax)
    await held.reached(inFlightMax)

    const well = await listenAll(given, testServer, 12)
    let most = 0
    const told = allCalled(well, events, () => {
      most = Math.max(most, dispatcher.stats().inFlight)
    })
    await tell(testServer, events)
    await told
    assert.deepEqual([held.open.size, held.openMax], [inFlightMax, inFlightMax])
    assert.ok(most > inFlightMax && most <= callsMax, `${most} calls at once`)
    hanging.receiver.behave(answer(500))
    for (const response of held.open) response.destroy()
    await dispatcher.dispatchDue()
    for (const one of well) assert.deepEqual(await statusesOf(testServer, one), { succeeded: events })
  })

  test('a receiver with many pending deliveries does not delay new events of others', async () => {
    const backlog = 250
    const testServer = await openTestServer(given, { shops: [market], webhookBounds: unasked })
    const busy = await listen(given, testServer)
    await tell(testServer, backlog)
    const other = await listen(given, testServer)
    const came = new Promise<number>((resolve) => {
      other.receiver.behave((_, response) => {
        resolve(busy.receiver.received.length)
        response.writeHead(204).end()
      })
    })
    const waiting: ServerResponse[] = []
    let isHeld = false
    const started = new Promise<void>((resolve) => {
      busy.receiver.behave((_, response) => {
        if (busy.receiver.received.length === 2 * inFlightMax) {
          isHeld = true
          resolve()
        }
        if (isHeld) waiting.push(response)
        else response.writeHead(204).end()
      })
    })
    testServer.app.dispatcher.start()
    await started
    // The queue goes on when the event of now is there, however long its commit has taken.
    await tell(testServer, 1)
    isHeld = false
    for (const response of waiting) response.writeHead(204).end()
    const before = await came
    assert.ok(before < backlog / 2, `${before} of ${backlog} came before it`)
    await testServer.app.dispatcher.dispatchDue()
    assert.deepEqual(await statusesOf(testServer, busy), { succeeded: backlog + 1 })
  })

  test('deliveries claimed in advance for a failing receiver are released without a call or an attempt', async () => {
    const events = 120
    const wellFor = 40
    const testServer = await openTestServer(given, { shops: [market], webhookBounds: unasked })
    const one = await listen(given, testServer)
    await tell(testServer, events)
    let open = 0
    let openMax = 0
    one.receiver.behave((_, response) => {
      open += 1
      openMax = Math.max(openMax, open)
      response.on('close', () => {
        open -= 1
      })
      response.writeHead(one.receiver.received.length > wellFor ? 500 : 204).end()
    })
    await testServer.app.dispatcher.dispatchDue()
    assert.ok(openMax <= inFlightMax, `${openMax} calls at once`)
    const called = one.receiver.received.length
    const failed = called - wellFor
    assert.ok(failed >= 10 && failed <= 17, `${failed} calls until the breaker was open`)
    assert.deepEqual(await statusesOf(testServer, one), {
      succeeded: wellFor,
      retrying: failed,
      pending: events - called,
    })
    const rows = await testServer.storage.read(
      (db) => db.sql<{ count: number }>`
        select count(*) as "count" from webhook_deliveries
        where endpoint_id = ${one.endpointId} and status = 'pending' and (attempts > 0 or lease_id is not null)`,
    )
    assert.deepEqual(rows, [{ count: 0 }])
  })

  test('draining releases deliveries that were claimed in advance, and records calls in progress', async () => {
    const events = 150
    const testServer = await openTestServer(given, { shops: [market], webhookBounds: unasked })
    const { dispatcher } = testServer.app
    const one = await listen(given, testServer)
    await tell(testServer, events)
    const busy = new Promise<void>((resolve) => {
      one.receiver.behave((_, response) => {
        response.writeHead(204).end()
        if (one.receiver.received.length === 3 * inFlightMax) resolve()
      })
    })
    dispatcher.start()
    await busy
    await dispatcher.drain()
    const called = one.receiver.received.length
    assert.equal(new Set(one.receiver.received.map(({ id }) => id)).size, called)
    const left = events - called
    assert.deepEqual(await statusesOf(testServer, one), { succeeded: called, ...(left > 0 ? { pending: left } : {}) })
  })

  // One whose calls end when they are let, and that writes down which deliveries it was asked to call.
  function nodeOf(
    testServer: TestServer,
    storage: Storage,
    called: string[],
    isFree: (calls: number) => Promise<void>,
  ): Dispatcher {
    const sender: Sender = {
      async send({ headers }) {
        called.push(headers['webhook-delivery-id'] ?? '')
        await isFree(called.length)
        return { kind: 'answered', statusCode: 204, retryAfter: null, error: null, answer: '', tookMs: 1 }
      },
      close: async () => {},
    }
    const clock = () => new Date(testServer.clock.now)
    const log = createLog({ level: 'silent', pretty: false, write: () => true })
    return new Dispatcher({ storage, sender, rootSecret: testSecret, clock, log, version: 'test', ...unasked })
  }

  test('deliveries that are being claimed when draining begins are released too', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    await listen(given, testServer)
    await tell(testServer, 5)
    const { promise: isWritten, resolve: written } = Promise.withResolvers<void>()
    const { promise: mayBeTold, resolve: beTold } = Promise.withResolvers<void>()
    // Its commits are told late, as by a busy disk.
    const storage: Storage = {
      ...testServer.storage,
      async write(work) {
        const value = await testServer.storage.write(work)
        written()
        await mayBeTold
        return value
      },
    }
    const node = nodeOf(testServer, storage, [], async () => {})
    node.look()
    await isWritten
    const drained = node.drain()
    beTold()
    await drained
    const rows = await testServer.storage.read(
      (db) => db.sql<{ status: string }>`select status from webhook_deliveries`,
    )
    assert.deepEqual([rows.length, rows.filter(({ status }) => status === 'sending').length], [5, 0])
  })

  test('a machine that was suspended for longer than its leases makes no calls for the leased deliveries', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    await listen(given, testServer)
    await tell(testServer, 60)
    const { promise: isAwake, resolve: wake } = Promise.withResolvers<void>()
    const { promise: isFull, resolve: full } = Promise.withResolvers<void>()
    const [before, meanwhile]: [string[], string[]] = [[], []]
    const sleeper = nodeOf(testServer, testServer.storage, before, async (calls) => {
      if (calls === 2 * inFlightMax) full()
      if (calls > inFlightMax) await isAwake
    })
    sleeper.look()
    await isFull
    // Its clock that never steps back stands still meanwhile; the time of day does not.
    testServer.clock.now += hour
    await nodeOf(testServer, testServer.storage, meanwhile, async () => {}).dispatchDue()
    const begun = before.length
    wake()
    await sleeper.dispatchDue()
    await sleeper.drain()
    assert.equal(before.length, begun, 'nothing is called that somebody else has taken over')
    assert.equal(new Set([...before, ...meanwhile]).size, 60)
  })
})
