// Every sweep catches up with tens of thousands of rows in a turn or a few, so that it is faster than the fastest writers, and
// what a long stop has left behind is gone soon after. Rows are planted by one statement for each table.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { eachEngine, isOnce } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { endsAfter } from '../harness/turns.ts'
import { loopsFor } from '../src/ops/cli/loops.ts'
import type { LoopName } from '../src/platform/jobs/names.ts'
import { retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import { Fragment, type SqlValue } from '../src/platform/storage/storage.ts'

const day = 86_400_000
// A turn of five seconds does all of it on a quiet machine. This one may be ten times as slow.
const turnsMax = 12

// Counts from 1 as `n.i`.
const upTo = (count: number) =>
  new Fragment(`recursive n (i) as (select 1 union all select n.i + 1 from n where n.i < ${count})`)
const idOf = (prefix: string) =>
  new Fragment(`'${prefix}_' || substr('00000000000000000000000000' || n.i, length('' || n.i) + 1)`)
// PostgreSQL takes a parameter among selected values for a text.
const whole = (value: number) => new Fragment('cast(? as bigint)', [value])

eachEngine('a sweep with more due rows than one round handles', (given) => {
  let testServer: TestServer
  let skuId: string
  // That it catches up does not depend on the engine: there, three batches are enough.
  const many = isOnce(given) ? 6_000 : 3_000
  // Of what is more than a row: each is a transaction of its own, with prices, stock and an event.
  const some = isOnce(given) ? 1_000 : 250

  before(async () => {
    testServer = await openTestServer(given, { shops: [market] })
    skuId = (await checkoutOf(testServer)).carts.sku('CARD')
  })

  async function run(template: TemplateStringsArray, ...parts: (SqlValue | Fragment)[]): Promise<void> {
    await testServer.storage.write((tx) => tx.sql(template, ...parts))
  }

  async function rowsOf(tables: string): Promise<number> {
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ rows: number }>`select count(*) as "rows" from ${new Fragment(tables)}`,
    )
    return row?.rows ?? 0
  }

  // As the server makes them, until there is nothing more to do.
  async function makeTurns(name: LoopName): Promise<void> {
    const { storage, app, clock } = testServer
    const loops = loopsFor({ storage, app, retentionMs: retentionDefaultsMs, clock: () => clock.now })
    const loop = loops.find((known) => known.name === name)
    assert.ok(loop)
    for (let turn = 1; await loop.work(() => false); turn += 1) assert.ok(turn < turnsMax, `${name} does not catch up`)
  }

  // Each with a line and the event of its making.
  async function plantCarts(count: number, status: 'open' | 'expired', at: number): Promise<void> {
    const { installationId, merchantId } = testServer
    await run`
      with ${upTo(count)}
      insert into carts (installation_id, id, merchant_id, version, status, currency, metadata, created_at, updated_at,
        expires_at)
      select ${installationId}, ${idOf('cart')}, ${merchantId}, 1, ${status}, 'EUR', '{}', ${whole(at)}, ${whole(at)},
        ${whole(at + 30 * day)} from n`
    await run`
      insert into cart_lines (installation_id, cart_id, sku_id, merchant_id, position, quantity, seen_price)
      select installation_id, id, ${skuId}, merchant_id, 0, 1, 333 from carts`
    await run`
      insert into events (installation_id, id, type, subject_type, subject_id, sequence, body, occurred_at)
      select installation_id, 'evt' || substr(id, 5), 'cart.created', 'cart', id, 1, '', created_at from carts`
  }

  // One for each cart, with its event.
  async function plantSessions(status: 'open' | 'expired'): Promise<void> {
    await run`
      insert into checkout_sessions (installation_id, id, merchant_id, cart_id, version, status, secret_hash, secret_sealed,
        success_url, locale, customer_sealed, email_masked, email_hash, metadata, created_at, updated_at, expires_at)
      select installation_id, 'cks' || substr(id, 5), merchant_id, id, 1, ${status}, id, '', 'https://shop.test/', 'auto',
        'sealed', 'a***@example.com', 'hash', '{}', created_at, created_at, created_at + 1800000
      from carts`
    await run`
      insert into events (installation_id, id, type, subject_type, subject_id, sequence, body, occurred_at)
      select installation_id, 'evt_s' || substr(id, 6), ${status === 'open' ? 'checkout_session.created' : 'checkout_session.expired'},
        'checkout_session', id, 1, '', created_at
      from checkout_sessions`
  }

  async function clear(): Promise<void> {
    for (const table of ['payments', 'test_charges', 'checkout_sessions', 'cart_lines', 'carts', 'events'])
      await run`delete from ${new Fragment(table)}`
  }

  test('catches up on idempotency keys', async () => {
    const { installationId, clock } = testServer
    await run`
      with ${upTo(many)}
      insert into idempotency_keys (installation_id, key, fingerprint, answer, created_at)
      select ${installationId}, 'planted ' || n.i, '', '{}', ${whole(clock.now - 7 * day)} - n.i from n`
    await makeTurns('idempotency_keys')
    assert.equal(await rowsOf('idempotency_keys'), 0)
  })

  test('catches up on addresses', async () => {
    const { installationId, clock } = testServer
    await run`
      with ${upTo(many)}
      insert into addresses (installation_id, id, owner_id, sealed, row_key, city, country, created_at, expires_at)
      select ${installationId}, ${idOf('adr')}, ${idOf('cart')}, 'sealed', 'key', 'Berlin', 'DE', 0, ${whole(clock.now)} - n.i
      from n`
    await makeTurns('addresses')
    assert.equal(await rowsOf('addresses'), 0)
  })

  test('catches up on holds', async () => {
    const { merchantId, clock } = testServer
    await run`
      with ${upTo(many)}
      insert into holds (merchant_id, mode, sku_id, owner_id, quantity, expires_at)
      select ${merchantId}, 'test', ${skuId}, ${idOf('cks')}, 1, ${whole(clock.now)} - n.i from n`
    await run`update stock set held = ${many} where sku_id = ${skuId} and mode = 'test'`
    await makeTurns('holds')
    assert.equal(await rowsOf('holds'), 0)
    assert.equal(await rowsOf('stock where held <> 0'), 0)
  })

  test('catches up on expired OAuth artifacts', async () => {
    await run`
      with ${upTo(many)}
      insert into oauth_artifacts (kind, id, sealed, expires_at, created_at)
      select 'ReplayDetection', 'planted ' || n.i, '', ${whole(testServer.clock.now)} - n.i, 0 from n`
    await makeTurns('oauth')
    assert.equal(await rowsOf('oauth_artifacts'), 0)
  })

  test('catches up on carts that were not changed for a month', async () => {
    await plantCarts(some, 'open', testServer.clock.now - 31 * day)
    await makeTurns('carts')
    assert.equal(await rowsOf("carts where status = 'expired'"), some)
    assert.equal(await rowsOf("events where type = 'cart.expired'"), some)
    await clear()
  })

  test('catches up on expired sessions', async () => {
    await plantCarts(some, 'open', testServer.clock.now - day)
    await plantSessions('open')
    await run`update carts set checkout_session_id = 'cks' || substr(id, 5)`
    await makeTurns('sessions')
    assert.equal(await rowsOf("checkout_sessions where status = 'expired'"), some)
    assert.equal(await rowsOf("events where type = 'checkout_session.expired'"), some)
    await clear()
  })

  test('catches up on personal data, checkouts and payment attempts', async () => {
    await plantCarts(many, 'expired', testServer.clock.now - 30 * day)
    await plantSessions('expired')
    await run`
      insert into payments (installation_id, id, merchant_id, checkout_session_id, provider, method, amount, currency,
        status, created_at, updated_at)
      select installation_id, 'pay' || substr(id, 4), merchant_id, id, 'test', 'card', 333, 'EUR', 'declined', created_at,
        created_at from checkout_sessions`
    await run`
      insert into test_charges (key, amount, currency, state, refund_answer, created_at, updated_at)
      select id, amount, currency, 'declined', 'given', created_at, created_at from payments`
    // Half of them are younger, and only the shopper is forgotten.
    await run`update checkout_sessions set updated_at = updated_at + ${20 * day} where cart_id > ${`cart_${String(many / 2).padStart(26, '0')}`}`
    await makeTurns('retention')
    const half = many / 2
    assert.equal(await rowsOf('checkout_sessions'), half)
    assert.equal(
      await rowsOf(
        'checkout_sessions where customer_sealed is not null or email_masked is not null or email_hash is not null',
      ),
      0,
    )
    for (const table of ['carts', 'cart_lines', 'payments', 'test_charges'])
      assert.equal(await rowsOf(table), half, table)
    await clear()
  })

  test('catches up on expired and revoked keys', async () => {
    const { installationId, merchantId, clock } = testServer
    const kept = await rowsOf('credentials')
    const endedAt = clock.now - 90 * day
    await run`
      with ${upTo(many)}
      insert into credentials (id, installation_id, merchant_id, name, mode, lookup, digest, pepper_version, prefix, last4,
        scopes, created_at, expires_at, revoked_at)
      select ${idOf('key')}, ${installationId}, ${merchantId}, 'Ended', 'test', 'planted ' || n.i, '', 1, '', '', '', 0,
        case when n.i % 2 = 0 then ${whole(endedAt)} end, case when n.i % 2 = 1 then ${whole(endedAt)} end
      from n`
    await makeTurns('retention')
    assert.equal(await rowsOf('credentials'), kept)
  })

  test('catches up on event bodies, deliveries, their attempts and events', async () => {
    const { installationId, clock } = testServer
    const at = clock.now - 91 * day
    await run`
      insert into webhook_endpoints (installation_id, id, slot, url, description, events, status, version, secret_sealed,
        secret_hint, consecutive_failures, created_at, updated_at)
      values (${installationId}, 'whe_planted', '00', 'https://shop.test/', '', '[]', 'paused', 1, '', '', 0, 0, 0)`
    await run`
      with ${upTo(many)}
      insert into events (installation_id, id, type, subject_type, subject_id, sequence, body, occurred_at)
      select ${installationId}, ${idOf('evt')}, 'webhook.ping', 'webhook_endpoint', 'whe_planted', n.i, '{}', ${whole(at)} + n.i
      from n`
    // A third each: succeeded, held, and told to nobody.
    await run`
      with ${upTo(many)}
      insert into webhook_deliveries (installation_id, id, endpoint_id, event_id, event_type, subject_id, sequence, status,
        attempts, due_at, created_at, finished_at)
      select ${installationId}, ${idOf('whd')}, 'whe_planted', ${idOf('evt')}, 'webhook.ping', 'whe_planted', n.i,
        case when n.i % 3 = 1 then 'succeeded' else 'pending' end, 1, case when n.i % 3 = 2 then ${whole(at)} + n.i end,
        ${whole(at)}, case when n.i % 3 = 1 then ${whole(at)} + n.i end
      from n where n.i % 3 > 0`
    await run`
      insert into webhook_attempts (installation_id, delivery_id, lease_id, attempt, started_at, took_ms, error)
      select installation_id, id, 'lease', 1, created_at, 0, 'refused' from webhook_deliveries`
    await makeTurns('webhooks')
    assert.equal(await rowsOf("webhook_deliveries where status <> 'discarded'"), 0)
    const discarded = await rowsOf('webhook_deliveries')
    assert.equal(discarded, Math.floor((many + 1) / 3), 'what was held has just ended')
    assert.equal(await rowsOf('events'), discarded, 'an event stays as long as a delivery tells of it')
    assert.equal(await rowsOf("events where body <> ''"), 0)
    clock.now += 90 * day
    await makeTurns('webhooks')
    for (const table of ['webhook_deliveries', 'webhook_attempts', 'events'])
      assert.equal(await rowsOf(table), 0, table)
    await run`delete from webhook_endpoints`
  })

  test('stops between two rounds when the server stops', async () => {
    const { storage, app, installationId, clock } = testServer
    await run`
      with ${upTo(many)}
      insert into idempotency_keys (installation_id, key, fingerprint, answer, created_at)
      select ${installationId}, 'planted ' || n.i, '', '{}', ${whole(clock.now - 8 * day)} from n`
    const loops = loopsFor({ storage, app, retentionMs: retentionDefaultsMs, clock: () => clock.now })
    const loop = loops.find(({ name }) => name === 'idempotency_keys')
    assert.equal(await loop?.work(endsAfter(2)), true)
    assert.equal(await rowsOf('idempotency_keys'), many - 2 * 1_000)
  })
})
