import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cartsOf } from '../harness/carts.ts'
import { planOf } from '../harness/plans.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import {
  assertTellsNoSecret,
  rivalInstallationId,
  type Webhooks,
  webhooksOf,
  webhookWorld,
} from '../harness/webhooks.ts'
import { deliveryStatuses } from '../src/contract/words.ts'
import { disableEndpoint, pauseEndpoint, removeEndpoint, rotateSecret } from '../src/domain/webhooks/endpoints.ts'
import { countOpenDeliveries, listNewestDeliveries, lockEndpoint } from '../src/domain/webhooks/store.ts'

const hour = 3_600_000

eachEngine('listInstallationWebhooks', (given) => {
  let testServer: TestServer
  let webhooks: Webhooks
  before(async () => {
    testServer = await openTestServer(given)
    webhooks = webhooksOf(testServer)
  })

  async function shownEndpoint(endpointId: string) {
    return (await webhooks.list()).body.data.endpoints.find(({ id }: { id: string }) => id === endpointId)
  }

  test('200 with no endpoints for an installation without any', async () => {
    const testServer = await openTestServer(given)
    const answer = await webhooksOf(testServer).list()
    assert.deepEqual(answer.body, { data: { kind: 'webhook_endpoints', endpoints: [] } })
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  })

  test('200 with the endpoints, oldest first, each with its health and the outcomes of its calls', async () => {
    const testServer = await openTestServer(given)
    const webhooks = webhooksOf(testServer)
    const { endpoint, secret } = await webhooks.add({
      description: 'The warehouse',
      events: ['order.*', 'cart.created'],
    })
    testServer.clock.now += hour
    const { endpoint: younger } = await webhooks.add({ description: '', events: ['*'], status: 'paused' })
    const first = await webhooks.ping(endpoint.id)
    await webhooks.set(first, 'failed', { attempts: 12, lastStatusCode: 503, lastError: 'status 503' })
    testServer.clock.now += hour
    const second = await webhooks.ping(endpoint.id)
    await testServer.storage.write(
      (tx) => tx.sql`
        update webhook_endpoints set last_success_at = ${testServer.clock.now - 2}, last_failure_at = ${testServer.clock.now - 1},
          consecutive_failures = 3 where id = ${endpoint.id}`,
    )
    const answer = await webhooks.list()
    const [shown, other] = answer.body.data.endpoints
    assert.deepEqual(shown, {
      id: endpoint.id,
      url: 'http://127.0.0.1:9099/hooks',
      description: 'The warehouse',
      status: 'enabled',
      events: ['order.*', 'cart.created'],
      secretHint: `…${secret.slice(-5, -1)}`,
      secretRotation: { active: false, previousExpiresAt: null },
      health: {
        lastSuccessAt: '2026-06-01T13:59:59.998Z',
        lastFailureAt: '2026-06-01T13:59:59.999Z',
        consecutiveFailures: 3,
        pending: 1,
      },
      recentDeliveries: [
        {
          id: second,
          eventId: shown.recentDeliveries[0].eventId,
          eventType: 'webhook.ping',
          status: 'pending',
          attempts: 0,
          lastStatusCode: null,
          lastError: null,
          nextAttemptAt: '2026-06-01T14:00:00.000Z',
          createdAt: '2026-06-01T14:00:00.000Z',
        },
        {
          id: first,
          eventId: shown.recentDeliveries[1].eventId,
          eventType: 'webhook.ping',
          status: 'failed',
          attempts: 12,
          lastStatusCode: 503,
          lastError: 'status 503',
          nextAttemptAt: null,
          createdAt: '2026-06-01T13:00:00.000Z',
        },
      ],
      createdAt: '2026-06-01T12:00:00.000Z',
      updatedAt: '2026-06-01T14:00:00.000Z',
    })
    assert.deepEqual(other, {
      id: younger.id,
      url: 'http://127.0.0.1:9099/hooks',
      description: '',
      status: 'paused',
      events: ['*'],
      secretHint: `…${younger.secretHint}`,
      secretRotation: { active: false, previousExpiresAt: null },
      health: { lastSuccessAt: null, lastFailureAt: null, consecutiveFailures: 0, pending: 0 },
      recentDeliveries: [],
      createdAt: '2026-06-01T13:00:00.000Z',
      updatedAt: '2026-06-01T13:00:00.000Z',
    })
  })

  test('200 with the twenty newest deliveries, newest first, and the number of all unfinished ones', async () => {
    const { endpoint } = await webhooks.add()
    const made: string[] = []
    for (let i = 0; i < 24; i += 1) {
      testServer.clock.now += 1000
      made.push(await webhooks.ping(endpoint.id))
    }
    // Each status in turn, four times.
    // Nothing is sent while an earlier one waits, so that none of these is being sent.
    const kept = deliveryStatuses.filter((status) => status !== 'held' && status !== 'sending')
    for (const [index, id] of made.entries()) await webhooks.set(id, kept[index % kept.length] ?? 'pending')
    const shown = await shownEndpoint(endpoint.id)
    assert.deepEqual(
      shown.recentDeliveries.map(({ id }: { id: string }) => id),
      made.toReversed().slice(0, 20),
    )
    // Of each six, two are not over.
    assert.equal(shown.health.pending, 8)
  })

  test('200 shows a secret rotation until the former secret expires', async () => {
    const { endpoint } = await webhooks.add()
    const rotated = await testServer.storage.write((tx) =>
      rotateSecret(tx, testServer.installationId, endpoint.id, testSecret, testServer.clock.now),
    )
    const during = await shownEndpoint(endpoint.id)
    assert.deepEqual(during.secretRotation, {
      active: true,
      previousExpiresAt: new Date(testServer.clock.now + 24 * hour).toISOString(),
    })
    assert.equal(during.secretHint, `…${rotated?.secret.slice(-5, -1)}`)
    testServer.clock.now += 24 * hour - 1
    assert.equal((await shownEndpoint(endpoint.id)).secretRotation.active, true)
    testServer.clock.now += 1
    const after = await shownEndpoint(endpoint.id)
    assert.deepEqual(after.secretRotation, { active: false, previousExpiresAt: null })
  })

  test('200 with endpoints of every status, except removed ones', async () => {
    const testServer = await openTestServer(given)
    const webhooks = webhooksOf(testServer)
    const { installationId, clock } = testServer
    const ids: string[] = []
    for (let i = 0; i < 4; i += 1) ids.push((await webhooks.add()).endpoint.id)
    const [kept = '', paused = '', disabled = '', removed = ''] = ids
    await testServer.storage.write(async (tx) => {
      await pauseEndpoint(tx, installationId, paused, clock.now)
      const endpoint = await lockEndpoint(tx, installationId, disabled)
      assert.ok(endpoint)
      await disableEndpoint(tx, endpoint, 'gone', null, clock.now)
      await removeEndpoint(tx, installationId, removed, clock.now)
    })
    assert.deepEqual(
      (await webhooks.list()).body.data.endpoints.map((shown: { id: string; status: string }) => [
        shown.id,
        shown.status,
      ]),
      [
        [kept, 'enabled'],
        [paused, 'paused'],
        [disabled, 'disabled'],
      ],
    )
  })

  test('200 masks possible credentials in an address, and no secret is in the response or the log', async () => {
    const testServer = await openTestServer(given)
    const webhooks = webhooksOf(testServer)
    const first = await webhooks.add({ url: 'https://hooks.example.com/in?token=hunter2&token=hunter3&plain=hunter4' })
    const second = await webhooks.add()
    // Not to be registered any more, but a row may be older than the rule.
    await testServer.storage.write(
      (tx) => tx.sql`
        update webhook_endpoints set url = 'https://ada:hunter5@hooks.example.com/in' where id = ${second.endpoint.id}`,
    )
    const rotated = await testServer.storage.write((tx) =>
      rotateSecret(tx, testServer.installationId, first.endpoint.id, testSecret, testServer.clock.now),
    )
    const answer = await webhooks.list()
    assert.deepEqual(
      answer.body.data.endpoints.map(({ url }: { url: string }) => url),
      ['https://hooks.example.com/in?***', 'https://***:***@hooks.example.com/in'],
    )
    const told = answer.text + JSON.stringify(testServer.lines())
    assert.ok(!told.includes('hunter'))
    assertTellsNoSecret(told, [first.secret, second.secret, rotated?.secret ?? ''])
    const sealed = await testServer.storage.read(
      (db) => db.sql<{ sealed: string }>`select secret_sealed as "sealed" from webhook_endpoints`,
    )
    for (const row of sealed) assert.ok(!told.includes(row.sealed))
  })

  test('200 with only the endpoints of the key’s installation', async () => {
    const testServer = await openTestServer(given)
    const webhooks = webhooksOf(testServer)
    const own = await webhooks.add()
    await webhooks.ping(own.endpoint.id)
    const theirs = await webhooks.add({}, await rivalInstallationId(testServer))
    const ids = async (key: string) =>
      (await webhooks.list(key)).body.data.endpoints.map(({ id }: { id: string }) => id)
    assert.deepEqual(await ids(testServer.keys.full), [own.endpoint.id])
    assert.deepEqual(await ids(testServer.keys.rival), [theirs.endpoint.id])
  })

  test('400 for a query, 401 without a key, 403 without the scope; reading changes nothing', async () => {
    await webhooks.given('failed')
    const earlier = await webhookWorld(testServer)
    assertError(await testServer.ask('listInstallationWebhooks', { query: '?limit=1' }), 'invalid_request')
    assertError(await testServer.ask('listInstallationWebhooks', { key: null }), 'unauthenticated')
    assertError(await webhooks.list(testServer.keys.catalog), 'scope_missing')
    const { key } = await testServer.newKey(['webhooks:write'])
    assertError(await webhooks.list(key), 'scope_missing')
    assert.equal((await webhooks.list((await testServer.newKey(['webhooks:read'])).key)).status, 200)
    assert.deepEqual(await webhookWorld(testServer), earlier)
  })

  test('200 with a hundred endpoints and many deliveries; creating another endpoint is refused', async () => {
    const testServer = await openTestServer(given)
    const webhooks = webhooksOf(testServer)
    const ids: string[] = []
    for (let i = 0; i < 100; i += 1) ids.push((await webhooks.add({ events: ['cart.*'] })).endpoint.id)
    await assert.rejects(webhooks.add(), { code: 'webhook_endpoint_limit' })
    const carts = await cartsOf(testServer)
    for (let i = 0; i < 25; i += 1) await carts.create()
    const answer = await webhooks.list()
    assert.deepEqual(
      answer.body.data.endpoints.map(({ id }: { id: string }) => id),
      ids,
    )
    for (const { recentDeliveries, health } of answer.body.data.endpoints)
      assert.deepEqual([recentDeliveries.length, health.pending], [20, 25])
    // Of each endpoint its own deliveries are read, and no others.
    const endpoint = { installationId: testServer.installationId, id: ids[50] ?? '' }
    const plans = await testServer.storage.read(async (db) => [
      await planOf(db, (tx) => listNewestDeliveries(tx, endpoint, 20)),
      await planOf(db, (tx) => countOpenDeliveries(tx, endpoint)),
    ])
    for (const plan of plans)
      if (given.engine === 'sqlite')
        assert.match(plan, /webhook_deliveries_\w+ \(installation_id=\? AND endpoint_id=\?\)/)
      else assert.doesNotMatch(plan, /Rows Removed by Filter: \d\d|Seq Scan on webhook_deliveries/, plan)
  })
})
