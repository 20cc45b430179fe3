// Webhooks for tests: endpoints added as an operator adds them, and deliveries put into a state without any request.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { DeliveryStatus } from '../src/contract/words.ts'
import {
  addEndpoint,
  type EndpointInput,
  type EndpointWithSecret,
  pingEndpoint,
} from '../src/domain/webhooks/endpoints.ts'
import { type Answer, type TestServer, testSecret, testSecretText } from './testServer.ts'

// Being held is a state of the endpoint; it is not stored in a delivery.
export type StoredStatus = Exclude<DeliveryStatus, 'held'>

export interface DeliveryFacts {
  attempts?: number
  lastStatusCode?: number
  lastError?: string
}

export interface Webhooks {
  add(input?: Partial<EndpointInput>, installationId?: string): Promise<EndpointWithSecret>
  // Adds a test event for one endpoint; returns the id of its delivery, which is due.
  ping(endpointId: string, installationId?: string): Promise<string>
  // As if the sender had run.
  set(deliveryId: string, status: StoredStatus, facts?: DeliveryFacts): Promise<void>
  // A delivery in this state, of a new endpoint unless one is named.
  given(status: StoredStatus, endpointId?: string): Promise<{ deliveryId: string; endpointId: string }>
  list(key?: string): Promise<Answer>
  fixture(endpointId: string, key?: string): Promise<Answer>
  replay(deliveryId: string, more?: object, key?: string): Promise<Answer>
}

export function webhooksOf(testServer: TestServer): Webhooks {
  const { storage, clock } = testServer

  async function add(
    input: Partial<EndpointInput> = {},
    installationId = testServer.installationId,
  ): Promise<EndpointWithSecret> {
    const full = { url: 'http://127.0.0.1:9099/hooks', description: 'A receiver', events: ['webhook.ping'], ...input }
    const tools = { rootSecret: testSecret, allowPrivate: true }
    return storage.write((tx) => addEndpoint(tx, installationId, full, tools, clock.now))
  }

  async function ping(endpointId: string, installationId = testServer.installationId): Promise<string> {
    assert.ok(await storage.write((tx) => pingEndpoint(tx, installationId, endpointId, clock.now)))
    const [newest] = await storage.read(
      (db) => db.sql<{ id: string }>`
        select id from webhook_deliveries where endpoint_id = ${endpointId} order by id desc limit 1`,
    )
    assert.ok(newest)
    return newest.id
  }

  async function set(deliveryId: string, status: StoredStatus, facts: DeliveryFacts = {}): Promise<void> {
    const isDue = status === 'pending' || status === 'retrying'
    const isSending = status === 'sending'
    const isOver = !isDue && !isSending
    await storage.write(
      (tx) => tx.sql`
        update webhook_deliveries set status = ${status}, due_at = ${isDue ? clock.now : null},
          lease_id = ${isSending ? randomUUID() : null}, lease_expires_at = ${isSending ? clock.now + 60_000 : null},
          finished_at = ${isOver ? clock.now : null}, attempts = ${facts.attempts ?? 0},
          last_status_code = ${facts.lastStatusCode ?? null}, last_error = ${facts.lastError ?? null}
        where id = ${deliveryId}`,
    )
  }

  return {
    add,
    ping,
    set,
    async given(status, named) {
      const endpointId = named ?? (await add()).endpoint.id
      const deliveryId = await ping(endpointId)
      await set(deliveryId, status)
      return { deliveryId, endpointId }
    },
    list: (key = testServer.keys.full) => testServer.ask('listInstallationWebhooks', { key }),
    fixture: (id, key = testServer.keys.full) =>
      testServer.ask('getInstallationWebhookSignatureFixture', { path: { id }, key }),
    replay: (id, more = {}, key = testServer.keys.full) =>
      testServer.ask('replayInstallationWebhookDelivery', {
        path: { id },
        key,
        body: { idempotencyKey: randomUUID(), ...more },
      }),
  }
}

export async function rivalInstallationId(testServer: TestServer): Promise<string> {
  const [other] = await testServer.storage.read(
    (db) => db.sql<{ id: string }>`select id from installations where id <> ${testServer.installationId}`,
  )
  assert.ok(other)
  return other.id
}

// Every row that a webhook operation could have changed.
export async function webhookWorld(testServer: TestServer) {
  return testServer.storage.read(async (db) => ({
    endpoints: await db.sql<object>`select * from webhook_endpoints order by id`,
    deliveries: await db.sql<{ id: string }>`select * from webhook_deliveries order by id`,
    attempts: await db.sql<object>`select * from webhook_attempts order by delivery_id, lease_id`,
    events: await db.sql<object>`select * from events order by id`,
    keys: await db.sql<object>`select key, fingerprint from idempotency_keys order by key`,
  }))
}

// No text that leaves the server may contain one of these secrets, or the root secret, in any encoding.
export function assertTellsNoSecret(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
    assert.equal(bytes.length, 32)
    for (const spelling of ['base64', 'base64url', 'hex'] as const)
      assert.ok(!text.includes(bytes.toString(spelling).replaceAll('=', '')), `a secret is contained in ${spelling}`)
  }
  assert.ok(!text.includes(testSecretText))
}
