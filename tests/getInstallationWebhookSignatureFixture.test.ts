import assert from 'node:assert/strict'
import { before, type TestContext, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import {
  assertTellsNoSecret,
  rivalInstallationId,
  type Webhooks,
  webhooksOf,
  webhookWorld,
} from '../harness/webhooks.ts'
import { eventSchemas } from '../src/contract/open/events.ts'
import type { WebhookSignatureFixture } from '../src/contract/open/webhooks.ts'
import { compileSchema } from '../src/contract/validator.ts'
import { pauseEndpoint, removeEndpoint, rotateSecret } from '../src/domain/webhooks/endpoints.ts'

interface Received {
  headers: Record<string, string>
  body: string
}

// The published library, as a receiver uses it, at a time that we choose.
function isTaken(context: TestContext, secret: string, { headers, body }: Received, seconds: number): boolean {
  context.mock.timers.enable({ apis: ['Date'], now: seconds * 1000 })
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  } finally {
    context.mock.timers.reset()
  }
}

eachEngine('getInstallationWebhookSignatureFixture', (given) => {
  let testServer: TestServer
  let webhooks: Webhooks
  before(async () => {
    testServer = await openTestServer(given)
    webhooks = webhooksOf(testServer)
  })

  test('200 with vectors that the published library accepts and rejects as expected, and a fresh call that it accepts for five minutes', async (context) => {
    const { endpoint } = await webhooks.add()
    const answer = await webhooks.fixture(endpoint.id)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const fixture: WebhookSignatureFixture = answer.body.data
    const { vectors, fresh, liveCheck, secret, ...rest } = fixture
    assert.deepEqual(rest, {
      kind: 'webhook_signature_fixture',
      endpointId: endpoint.id,
      spec: 'standard-webhooks/1.0.0',
      algorithm: 'hmac-sha256',
      headers: { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' },
      signedContent: '{webhook-id}.{webhook-timestamp}.{body}',
      toleranceSeconds: 300,
    })
    assert.ok(vectors.length >= 24)
    for (const vector of vectors) {
      const bytes = { ...vector, body: Buffer.from(vector.bodyBase64, 'base64').toString() }
      assert.equal(isTaken(context, secret, bytes, vector.now), vector.expect === 'accept', vector.name)
    }
    const now = testServer.clock.now / 1000
    assert.equal(fresh.expiresAt, '2026-06-01T12:05:00.000Z')
    assert.ok(isTaken(context, secret, fresh, now))
    assert.ok(isTaken(context, secret, fresh, now + 300))
    assert.ok(!isTaken(context, secret, fresh, now + 301))
    const schema = eventSchemas.get('webhook.fixture')
    assert.ok(schema)
    for (const { body } of [fresh, liveCheck]) assert.deepEqual(compileSchema(schema)(JSON.parse(body)), [])
  })

  test('200 with a live check that is signed with the endpoint’s secret, and during a rotation with both secrets', async (context) => {
    const { endpoint, secret: first } = await webhooks.add()
    const check = async (): Promise<Received> => (await webhooks.fixture(endpoint.id)).body.data.liveCheck
    const alone = await check()
    const then = Number(alone.headers['webhook-timestamp'])
    assert.ok(isTaken(context, first, alone, then))
    assert.ok(!isTaken(context, first, alone, testServer.clock.now / 1000), 'nobody can use it as a call')
    const second = (
      await testServer.storage.write((tx) =>
        rotateSecret(tx, testServer.installationId, endpoint.id, testSecret, testServer.clock.now),
      )
    )?.secret
    assert.ok(second)
    const during = await check()
    assert.deepEqual([isTaken(context, second, during, then), isTaken(context, first, during, then)], [true, true])
    testServer.clock.now += 24 * 3_600_000
    const after = await check()
    assert.deepEqual([isTaken(context, second, after, then), isTaken(context, first, after, then)], [true, false])
  })

  test('200 contains no live, former or root secret, and the fixture secret stays the same', async () => {
    const { endpoint, secret: first } = await webhooks.add()
    const earlier = await webhooks.fixture(endpoint.id)
    const rotated = await testServer.storage.write((tx) =>
      rotateSecret(tx, testServer.installationId, endpoint.id, testSecret, testServer.clock.now),
    )
    testServer.clock.now += 60_000
    const answer = await webhooks.fixture(endpoint.id)
    assert.equal(answer.body.data.secret, earlier.body.data.secret)
    assert.deepEqual(answer.body.data.vectors, earlier.body.data.vectors)
    assert.notDeepEqual(answer.body.data.fresh, earlier.body.data.fresh)
    assertTellsNoSecret(earlier.text + answer.text + JSON.stringify(testServer.lines()), [first, rotated?.secret ?? ''])
    const fixtureSecret: string = answer.body.data.secret
    assert.ok(!JSON.stringify(testServer.lines()).includes(fixtureSecret.slice(6)))
    const other = await webhooks.fixture((await webhooks.add()).endpoint.id)
    assert.notEqual(other.body.data.secret, fixtureSecret)
  })

  test('200 for a paused endpoint', async () => {
    const { endpoint } = await webhooks.add()
    await testServer.storage.write((tx) =>
      pauseEndpoint(tx, testServer.installationId, endpoint.id, testServer.clock.now),
    )
    assert.equal((await webhooks.fixture(endpoint.id)).status, 200)
  })

  test('404 with the same bytes for a missing, malformed, removed and another installation’s endpoint', async () => {
    const { endpoint } = await webhooks.add()
    const removed = await webhooks.add()
    const theirs = await webhooks.add({}, await rivalInstallationId(testServer))
    const deliveryId = await webhooks.ping(endpoint.id)
    await testServer.storage.write((tx) =>
      removeEndpoint(tx, testServer.installationId, removed.endpoint.id, testServer.clock.now),
    )
    const earlier = await webhookWorld(testServer)
    const bodies = new Set<string>()
    for (const [id, key] of [
      [endpoint.id, testServer.keys.rival],
      [theirs.endpoint.id, testServer.keys.full],
      [removed.endpoint.id, testServer.keys.full],
      ['whe_01h455vb4pex5vsknk084sn02q', testServer.keys.full],
      [endpoint.id.toUpperCase(), testServer.keys.full],
      [`${endpoint.id} `, testServer.keys.full],
      [deliveryId, testServer.keys.full],
      ['nonsense', testServer.keys.full],
      ["x' or 1=1 --", testServer.keys.full],
    ] as const) {
      const answer = await webhooks.fixture(id, key)
      assertError(answer, 'webhook_endpoint_not_found')
      bodies.add(answer.text.replace(answer.body.error.requestId, ''))
    }
    assert.equal(bodies.size, 1)
    assert.deepEqual(await webhookWorld(testServer), earlier)
  })

  test('400 for a query, 401 without a key, 403 without the scope; reading changes nothing', async () => {
    const { endpoint } = await webhooks.add()
    const earlier = await webhookWorld(testServer)
    const path = { id: endpoint.id }
    const id = 'getInstallationWebhookSignatureFixture'
    assertError(await testServer.ask(id, { path, query: '?secret=1' }), 'invalid_request')
    assertError(await testServer.ask(id, { path, key: null }), 'unauthenticated')
    assertError(await webhooks.fixture(endpoint.id, testServer.keys.catalog), 'scope_missing')
    assertError(await webhooks.fixture(endpoint.id, (await testServer.newKey(['webhooks:write'])).key), 'scope_missing')
    assert.equal((await webhooks.fixture(endpoint.id, (await testServer.newKey(['webhooks:read'])).key)).status, 200)
    assert.deepEqual(await webhookWorld(testServer), earlier)
  })
})
