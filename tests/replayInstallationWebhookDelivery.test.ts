import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { eachEngine } from '../harness/storage.ts'
import { type Answer, assertError, openTestServer, type TestServer } from '../harness/testServer.ts'
import { rivalInstallationId, type StoredStatus, type Webhooks, webhooksOf, webhookWorld } from '../harness/webhooks.ts'
import type { RefusalCode } from '../src/contract/refusals.ts'
import { deliveryStatuses } from '../src/contract/words.ts'
import { disableEndpoint, enableEndpoint, pauseEndpoint, removeEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { findDelivery, insertReplay, lockEndpoint } from '../src/domain/webhooks/store.ts'

const day = 86_400_000

async function rowOf(testServer: TestServer, id: string) {
  const [row] = await testServer.storage.read(
    (db) => db.sql<Record<string, unknown>>`select * from webhook_deliveries where id = ${id}`,
  )
  return row
}

// As they are shown: what waits for an endpoint that is paused is held.
async function replaysOf(testServer: TestServer, id: string): Promise<(string | undefined)[]> {
  return testServer.storage.read(async (db) => {
    const rows = await db.sql<{ id: string }>`select id from webhook_deliveries where replay_of = ${id} order by id`
    const replays = await Promise.all(rows.map((row) => findDelivery(db, testServer.installationId, row.id)))
    return replays.map((replay) => replay?.status)
  })
}

async function disable(testServer: TestServer, endpointId: string): Promise<void> {
  await testServer.storage.write(async (tx) => {
    const endpoint = await lockEndpoint(tx, testServer.installationId, endpointId)
    assert.ok(endpoint)
    await disableEndpoint(tx, endpoint, 'gone', null, testServer.clock.now)
  })
}

function pause(testServer: TestServer, endpointId: string) {
  return testServer.storage.write((tx) =>
    pauseEndpoint(tx, testServer.installationId, endpointId, testServer.clock.now),
  )
}

async function assertRefused(
  testServer: TestServer,
  ask: () => Promise<Answer>,
  code: RefusalCode,
  current?: object,
): Promise<void> {
  const before = await webhookWorld(testServer)
  const answer = await ask()
  assertError(answer, code)
  if (current) assert.deepEqual(answer.body.error.current, current)
  assert.deepEqual(await webhookWorld(testServer), before)
}

eachEngine('replayInstallationWebhookDelivery', (given) => {
  let testServer: TestServer
  let webhooks: Webhooks
  before(async () => {
    testServer = await openTestServer(given)
    webhooks = webhooksOf(testServer)
  })

  async function shownEndpoint(endpointId: string) {
    return (await webhooks.list()).body.data.endpoints.find(({ id }: { id: string }) => id === endpointId)
  }

  test('200 creates a new delivery of the same event; event, original and endpoint stay unchanged', {
    timeout: 60_000,
  }, async () => {
    const { endpoint } = await webhooks.add()
    const deliveryId = await webhooks.ping(endpoint.id)
    await webhooks.set(deliveryId, 'failed', { attempts: 12, lastStatusCode: 500, lastError: 'status 500' })
    const earlier = await webhookWorld(testServer)
    testServer.clock.now += 5_000
    const heard = new Promise<void>((resolve) => {
      const stop = testServer.storage.listen('deliveries', () => {
        stop()
        resolve()
      })
    })
    const answer = await webhooks.replay(deliveryId, { idempotencyKey: 'once', reason: 'The warehouse was closed.' })
    await heard
    const original = await rowOf(testServer, deliveryId)
    const { id } = answer.body.data.delivery
    assert.deepEqual(answer.body, {
      data: {
        kind: 'webhook_replay',
        delivery: {
          id,
          replayOf: deliveryId,
          endpointId: endpoint.id,
          eventId: original?.event_id,
          eventType: 'webhook.ping',
          status: 'pending',
          attempts: 0,
          nextAttemptAt: new Date(testServer.clock.now).toISOString(),
        },
      },
    })
    assert.match(id, /^whd_/)
    const after = await webhookWorld(testServer)
    assert.deepEqual(
      { ...after, deliveries: after.deliveries.filter((row) => row.id !== id), keys: [] },
      { ...earlier, keys: [] },
    )
    assert.equal(after.keys.length, earlier.keys.length + 1)
    assert.deepEqual(await rowOf(testServer, id), {
      ...original,
      id,
      status: 'pending',
      attempts: 0,
      due_at: testServer.clock.now,
      replay_of: deliveryId,
      replay_reason: 'The warehouse was closed.',
      last_status_code: null,
      last_error: null,
      created_at: testServer.clock.now,
      finished_at: null,
    })
    const shown = await shownEndpoint(endpoint.id)
    assert.deepEqual(
      shown.recentDeliveries.map((known: { id: string; status: string }) => [known.id, known.status]),
      [
        [id, 'pending'],
        [deliveryId, 'failed'],
      ],
    )
  })

  test('200 or 409 for each status of the original, with and without allowSucceeded', async () => {
    const { endpoint } = await webhooks.add()
    const wanted: Record<StoredStatus, readonly [usual: RefusalCode | 200, allowed: RefusalCode | 200]> = {
      pending: ['delivery_not_final', 'delivery_not_final'],
      sending: ['delivery_not_final', 'delivery_not_final'],
      retrying: ['delivery_not_final', 'delivery_not_final'],
      succeeded: ['delivery_already_succeeded', 200],
      failed: [200, 200],
      blocked: [200, 200],
      discarded: [200, 200],
    }
    for (const status of deliveryStatuses.filter((known) => known !== 'held')) {
      for (const [index, expected] of wanted[status].entries()) {
        // What is open stands alone at its endpoint: nothing is sent while an earlier one waits.
        const isOpen = ['pending', 'sending', 'retrying'].includes(status)
        const { deliveryId } = await webhooks.given(status, isOpen ? undefined : endpoint.id)
        const more = index === 0 ? {} : { allowSucceeded: true }
        if (expected === 200) {
          assert.equal((await webhooks.replay(deliveryId, more)).status, 200, status)
          assert.equal((await rowOf(testServer, deliveryId))?.status, status)
        } else await assertRefused(testServer, () => webhooks.replay(deliveryId, more), expected, { status })
      }
    }
    const held = await webhooks.given('retrying')
    await testServer.storage.write((tx) =>
      pauseEndpoint(tx, testServer.installationId, held.endpointId, testServer.clock.now),
    )
    await assertRefused(testServer, () => webhooks.replay(held.deliveryId), 'delivery_not_final', { status: 'held' })
    const { deliveryId } = await webhooks.given('succeeded', endpoint.id)
    assertError(await webhooks.replay(deliveryId, { allowSucceeded: false }), 'delivery_already_succeeded')
  })

  test('409 while a replay is in progress, in each of its statuses; afterwards the original can be replayed again', async () => {
    const { deliveryId } = await webhooks.given('failed')
    let replayId: string = (await webhooks.replay(deliveryId)).body.data.delivery.id
    for (const status of ['pending', 'sending', 'retrying'] as const) {
      await webhooks.set(replayId, status)
      await assertRefused(testServer, () => webhooks.replay(deliveryId), 'replay_in_progress', { status: 'failed' })
    }
    for (const status of ['failed', 'succeeded', 'blocked', 'discarded'] as const) {
      await webhooks.set(replayId, status)
      const again = await webhooks.replay(deliveryId)
      assert.equal(again.status, 200, status)
      replayId = again.body.data.delivery.id
    }
    assert.deepEqual(await replaysOf(testServer, deliveryId), [
      'failed',
      'succeeded',
      'blocked',
      'discarded',
      'pending',
    ])
  })

  test('200 for the replay of a replay, which has that replay as its original', async () => {
    const { deliveryId } = await webhooks.given('failed')
    const first: string = (await webhooks.replay(deliveryId)).body.data.delivery.id
    await assertRefused(testServer, () => webhooks.replay(first), 'delivery_not_final', { status: 'pending' })
    await webhooks.set(first, 'failed')
    const second = (await webhooks.replay(first)).body.data.delivery
    assert.equal(second.replayOf, first)
    assert.equal(second.eventId, (await rowOf(testServer, deliveryId))?.event_id)
    assert.deepEqual(
      [await replaysOf(testServer, deliveryId), await replaysOf(testServer, first)],
      [['failed'], ['pending']],
    )
  })

  test('409 for an endpoint that is paused, disabled or removed, with the reason', async () => {
    const { installationId, clock } = testServer
    const { deliveryId, endpointId } = await webhooks.given('failed')
    const refused = (reason: string) =>
      assertRefused(testServer, () => webhooks.replay(deliveryId), 'endpoint_disabled', { status: 'failed', reason })
    await pause(testServer, endpointId)
    await refused('endpoint_paused')
    await disable(testServer, endpointId)
    await refused('endpoint_disabled')
    await testServer.storage.write((tx) => enableEndpoint(tx, installationId, endpointId, clock.now))
    assert.equal((await webhooks.replay(deliveryId)).status, 200)
    await testServer.storage.write((tx) => removeEndpoint(tx, installationId, endpointId, clock.now))
    assert.deepEqual(await replaysOf(testServer, deliveryId), ['discarded'])
    await refused('endpoint_removed')
  })

  test('409 if the body of the event is thirty days old or deleted', async () => {
    const { deliveryId } = await webhooks.given('failed')
    testServer.clock.now += 30 * day - 1
    const replayId: string = (await webhooks.replay(deliveryId)).body.data.delivery.id
    await webhooks.set(replayId, 'failed')
    testServer.clock.now += 1
    // A replay is young, but what it tells is not.
    for (const id of [deliveryId, replayId])
      await assertRefused(testServer, () => webhooks.replay(id), 'payload_expired', { status: 'failed' })
    const { deliveryId: younger } = await webhooks.given('failed')
    await testServer.storage.write(
      (tx) => tx.sql`
        update events set body = '' where id in (select event_id from webhook_deliveries where id = ${younger})`,
    )
    await assertRefused(testServer, () => webhooks.replay(younger), 'payload_expired', { status: 'failed' })
  })

  test('409 names only the first reason if there are several', async () => {
    const open = await webhooks.given('sending')
    const twice = await webhooks.given('succeeded')
    assert.equal((await webhooks.replay(twice.deliveryId, { allowSucceeded: true })).status, 200)
    const succeeded = await webhooks.given('succeeded')
    const failed = await webhooks.given('failed')
    const expired = await webhooks.given('failed')
    for (const { endpointId } of [open, twice, succeeded, failed]) await disable(testServer, endpointId)
    testServer.clock.now += 31 * day
    for (const [{ deliveryId }, code] of [
      [open, 'delivery_not_final'],
      [twice, 'replay_in_progress'],
      [succeeded, 'delivery_already_succeeded'],
      [failed, 'endpoint_disabled'],
      [expired, 'payload_expired'],
    ] as const)
      await assertRefused(testServer, () => webhooks.replay(deliveryId), code)
  })

  test('404 with the same bytes for missing, malformed and foreign deliveries', async () => {
    const { deliveryId, endpointId } = await webhooks.given('failed')
    const rivalId = await rivalInstallationId(testServer)
    const theirs = await webhooks.ping((await webhooks.add({}, rivalId)).endpoint.id, rivalId)
    const earlier = await webhookWorld(testServer)
    const bodies = new Set<string>()
    for (const [id, key] of [
      [deliveryId, testServer.keys.rival],
      [theirs, testServer.keys.full],
      ['whd_01h455vb4pex5vsknk084sn02q', testServer.keys.full],
      [endpointId, testServer.keys.full],
      [deliveryId.toUpperCase(), testServer.keys.full],
      ['nonsense', testServer.keys.full],
      ["x' or 1=1 --", testServer.keys.full],
    ] as const) {
      const answer = await webhooks.replay(id, { allowSucceeded: true }, key)
      assertError(answer, 'webhook_delivery_not_found')
      bodies.add(answer.text.replace(answer.body.error.requestId, ''))
    }
    assert.equal(bodies.size, 1)
    assert.deepEqual(await webhookWorld(testServer), earlier)
  })

  test('400, 401 and 403 change nothing', async () => {
    const { deliveryId } = await webhooks.given('failed')
    for (const more of [
      { allowSucceeded: 'yes' },
      { allowSucceeded: null },
      { reason: '' },
      { reason: 'x'.repeat(501) },
      { reason: 7 },
      { url: 'https://example.com' },
    ])
      await assertRefused(testServer, () => webhooks.replay(deliveryId, more), 'invalid_request')
    const id = 'replayInstallationWebhookDelivery'
    const path = { id: deliveryId }
    await assertRefused(testServer, () => testServer.ask(id, { path, body: {} }), 'idempotency_key_required')
    const body = { idempotencyKey: 'x' }
    await assertRefused(testServer, () => testServer.ask(id, { path, body, key: null }), 'unauthenticated')
    await assertRefused(testServer, () => webhooks.replay(deliveryId, {}, testServer.keys.catalog), 'scope_missing')
    const reader = await testServer.newKey(['webhooks:read'])
    await assertRefused(testServer, () => webhooks.replay(deliveryId, {}, reader.key), 'scope_missing')
    const writer = await testServer.newKey(['webhooks:write'])
    assert.equal((await webhooks.replay(deliveryId, {}, writer.key)).status, 200)
  })

  test('of 64 concurrent requests with different keys one makes a replay, and the others get replay_in_progress', async () => {
    const { deliveryId } = await webhooks.given('failed')
    const kept = (await webhookWorld(testServer)).keys.length
    const answers = await Promise.all(Array.from({ length: 64 }, () => webhooks.replay(deliveryId)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 63)
    for (const answer of refused) {
      assertError(answer, 'replay_in_progress')
      assert.deepEqual(answer.body.error.current, { status: 'failed' })
    }
    assert.deepEqual(await replaysOf(testServer, deliveryId), ['pending'])
    assert.equal((await webhookWorld(testServer)).keys.length - kept, 1, 'a refusal keeps no key')
  })

  test('of 64 concurrent requests with one key one makes a replay, and all get its response, also after the replay has ended', async () => {
    const { deliveryId } = await webhooks.given('failed')
    const idempotencyKey = randomUUID()
    const answers = await Promise.all(Array.from({ length: 64 }, () => webhooks.replay(deliveryId, { idempotencyKey })))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
    assert.deepEqual(await replaysOf(testServer, deliveryId), ['pending'])
    await webhooks.set(answers[0]?.body.data.delivery.id, 'succeeded')
    testServer.clock.now += 3_600_000
    const later = await webhooks.replay(deliveryId, { idempotencyKey })
    assert.equal(later.text, answers[0]?.text)
    assert.equal(later.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual(await replaysOf(testServer, deliveryId), ['succeeded'])
    assertError(await webhooks.replay(deliveryId, { idempotencyKey, reason: 'x' }), 'idempotency_key_reused')
  })

  test('64 deliveries are replayed concurrently', async () => {
    const { endpoint } = await webhooks.add()
    const ids: string[] = []
    for (let i = 0; i < 64; i += 1) ids.push((await webhooks.given('failed', endpoint.id)).deliveryId)
    const answers = await Promise.all(ids.map((id) => webhooks.replay(id)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.deepEqual(
      answers.map(({ body }) => body.data.delivery.replayOf),
      ids,
    )
    assert.equal((await shownEndpoint(endpoint.id)).health.pending, 64)
    assert.equal(new Set(answers.map(({ body }) => body.data.delivery.id)).size, 64)
    assert.deepEqual(await replaysOf(testServer, ids[0] ?? ''), ['pending'])
  })

  test('a concurrent pause or removal of the endpoint leaves no delivery that is due for it', async () => {
    const statuses = new Set<number>()
    for (let round = 0; round < 24; round += 1) {
      const { deliveryId, endpointId } = await webhooks.given('failed')
      const isPaused = round % 2 === 0
      const leave = (): Promise<unknown> =>
        isPaused
          ? pause(testServer, endpointId)
          : testServer.storage.write((tx) =>
              removeEndpoint(tx, testServer.installationId, endpointId, testServer.clock.now),
            )
      // Surely first in the first two rounds, a little later in each, and surely last in the last two.
      if (round < 2) await leave()
      const asked = webhooks.replay(deliveryId)
      for (let turn = 0; turn < Math.floor(round / 2); turn += 1) await new Promise(setImmediate)
      if (round >= 22) await asked
      const [answer] = await Promise.all([asked, round < 2 ? undefined : leave()])
      if (answer.status !== 200) assertError(answer, 'endpoint_disabled')
      statuses.add(answer.status)
      assert.deepEqual(
        await replaysOf(testServer, deliveryId),
        answer.status === 200 ? [isPaused ? 'held' : 'discarded'] : [],
      )
    }
    assert.deepEqual([...statuses].sort(), [200, 409])
  })

  test('the unique index rejects a second open replay without an error', async () => {
    const { deliveryId } = await webhooks.given('failed')
    const original = await testServer.storage.read((db) => findDelivery(db, testServer.installationId, deliveryId))
    assert.ok(original)
    const at = testServer.clock.now
    const twin = { ...original, status: 'pending' as const, dueAt: at, replayOf: deliveryId, finishedAt: null }
    const written = await testServer.storage.write(async (tx) => [
      await insertReplay(tx, { ...twin, id: 'whd_one' }, null),
      await insertReplay(tx, { ...twin, id: 'whd_two' }, null),
    ])
    assert.deepEqual(written, [true, false])
    assert.deepEqual(await replaysOf(testServer, deliveryId), ['pending'])
    assertError(await webhooks.replay(deliveryId), 'replay_in_progress')
  })
})
