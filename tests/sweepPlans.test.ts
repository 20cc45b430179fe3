// A sweep reads what it takes away, never all that there is: not what others are owed, not what is not due, and not again what
// it has passed over. On PostgreSQL also before it has gathered any statistics.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { planOf } from '../harness/plans.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { endsAfter } from '../harness/turns.ts'
import { listEndedCarts } from '../src/domain/carts/retention.ts'
import { listEndedSessions, listToErase } from '../src/domain/checkout/retention.ts'
import { discardSomeDeliveries } from '../src/domain/webhooks/store.ts'
import {
  listAnnounced,
  listFinished,
  listForgottenTexts,
  listOldEvents,
  listOldTexts,
  listOverdueEndpoints,
  listPending,
  newSweepPositions,
  sweepWebhooks,
} from '../src/domain/webhooks/sweep.ts'
import { listDeadCredentials } from '../src/platform/access/store.ts'
import { Fragment, type Reader, type Storage } from '../src/platform/storage/storage.ts'

const day = 86_400_000
const many = 3_000
const now = Date.parse('2026-06-01T12:00:00.000Z')

const upTo = (count: number) =>
  new Fragment(`recursive n (i) as (select 1 union all select n.i + 1 from n where n.i < ${count})`)
const whole = (value: number) => new Fragment('cast(? as bigint)', [value])
const numbered = (prefix: string) => new Fragment(`'${prefix}_' || (100000 + n.i)`)

async function plantEndpoint({ storage, installationId }: TestServer, id: string, status: 'enabled' | 'paused') {
  await storage.write(
    (tx) => tx.sql`
      insert into webhook_endpoints (installation_id, id, slot, url, description, events, status, version, secret_sealed,
        secret_hint, consecutive_failures, created_at, updated_at)
      values (${installationId}, ${id}, ${id.slice(-2)}, 'https://shop.test/', '', '[]', ${status}, 1, '', '', 0, 0, 0)`,
  )
}

interface Planted {
  prefix: string
  // Of the first event; each is a millisecond after the one before.
  at: number
  body: string
  count: number
}

async function plantEvents(
  { storage, installationId }: TestServer,
  { prefix, at, body, count }: Planted,
): Promise<void> {
  await storage.write(
    (tx) => tx.sql`
      with ${upTo(count)}
      insert into events (installation_id, id, type, subject_type, subject_id, sequence, body, occurred_at)
      select ${installationId}, ${numbered(`evt_${prefix}`)}, 'webhook.ping', 'webhook_endpoint', ${prefix}, n.i, ${body},
        ${whole(at)} + n.i
      from n`,
  )
}

// One for each of these events, due at this moment or succeeded at it.
async function plantDeliveries(
  { storage, installationId }: TestServer,
  { prefix, count }: Planted,
  {
    endpoint,
    at,
    status,
    replay = '',
  }: { endpoint: string; at: number; status: 'pending' | 'succeeded'; replay?: string },
): Promise<void> {
  await storage.write(
    (tx) => tx.sql`
      with ${upTo(count)}
      insert into webhook_deliveries (installation_id, id, endpoint_id, event_id, event_type, subject_id, sequence, status,
        attempts, due_at, finished_at, created_at, replay_of)
      select ${installationId}, ${numbered(`whd_${prefix}`)} || ${replay}, ${endpoint}, ${numbered(`evt_${prefix}`)},
        'webhook.ping', ${prefix}, n.i, ${status}, 0, case when ${status} = 'pending' then ${whole(at)} end,
        case when ${status} = 'succeeded' then ${whole(at)} end, ${whole(at)},
        case when ${replay} = '' then null else ${numbered(`whd_${prefix}`)} end
      from n`,
  )
}

async function textsOf(storage: Storage, prefix: string): Promise<number> {
  const [row] = await storage.read(
    (db) => db.sql<{ texts: number }>`
      select count(*) as "texts" from events where subject_id = ${prefix} and body <> ''`,
  )
  return row?.texts ?? 0
}

eachEngine('a sweep', (given) => {
  let testServer: TestServer

  before(async () => {
    testServer = await openTestServer(given, { shops: [market] })
    await plantEndpoint(testServer, 'whe_paused', 'paused')
    await plantEndpoint(testServer, 'whe_other', 'enabled')
  })

  test('discards the requested number of deliveries, even with a query plan made for empty tables', async () => {
    const { storage, installationId } = testServer
    const discard = (limit: number) =>
      storage.write((tx) =>
        discardSomeDeliveries(tx, { installationId, id: 'whe_other' }, { dueBy: now, error: null, limit, now }),
      )
    // After a few times PostgreSQL keeps its plan.
    for (let time = 0; time < 8; time += 1) assert.equal(await discard(10), 0)
    const queue: Planted = { prefix: 'queue', at: now - day, body: '', count: 200 }
    await plantEvents(testServer, queue)
    await plantDeliveries(testServer, queue, { endpoint: 'whe_other', at: now - day, status: 'pending' })
    assert.equal(await discard(10), 10)
    assert.equal(await discard(500), 190)
    await sweepWebhooks(storage, now + 200 * day)
  })

  test('deletes event bodies that come after many undelivered ones, and continues where it stopped', async () => {
    const { storage } = testServer
    // Replays that are still on their way keep their texts, and there are more of them than a turn passes over.
    const owed: Planted = { prefix: 'owed', at: now - 40 * day, body: '{}', count: many }
    await plantEvents(testServer, owed)
    await plantDeliveries(testServer, owed, { endpoint: 'whe_other', at: now - 39 * day, status: 'succeeded' })
    await plantDeliveries(testServer, owed, {
      endpoint: 'whe_paused',
      at: now - 20 * day,
      status: 'pending',
      replay: 'r',
    })
    const behind: Planted = { prefix: 'behind', at: now - 35 * day, body: '{}', count: 10 }
    await plantEvents(testServer, behind)
    const places = newSweepPositions()
    const turn = () => sweepWebhooks(storage, now, { places, isEnding: endsAfter(2) })
    assert.equal(await turn(), true)
    assert.equal(await textsOf(storage, 'behind'), 10, 'a turn is bounded')
    for (let turns = 0; turns < many / 500; turns += 1) await turn()
    assert.equal(await textsOf(storage, 'behind'), 0)
    assert.equal(await textsOf(storage, 'owed'), many, 'what is owed is kept')
    // Once these have waited for too long as well, their texts go.
    await sweepWebhooks(storage, now + 10 * day)
    assert.equal(await textsOf(storage, 'owed'), 0)
    await sweepWebhooks(storage, now + 200 * day)
  })

  test('reads only due rows of event bodies, events and deliveries', async () => {
    const held: Planted = { prefix: 'held', at: now - 40 * day, body: '{}', count: many }
    await plantEvents(testServer, held)
    await plantDeliveries(testServer, held, { endpoint: 'whe_paused', at: now - 40 * day, status: 'pending' })
    const young: Planted = { prefix: 'young', at: now - day, body: '{}', count: many }
    await plantEvents(testServer, young)
    await plantDeliveries(testServer, young, { endpoint: 'whe_other', at: now - day, status: 'succeeded' })
    const old: Planted = { prefix: 'old', at: now - 100 * day, body: '', count: many }
    await plantEvents(testServer, old)
    const { storage, installationId } = testServer
    const ids = Array.from({ length: 3 }, (_, i) => `evt_young_${100_001 + i}`)
    const place = { occurredAt: now - 40 * day + 2_900, id: `evt_held_${102_900}` }
    const oldPlace = { occurredAt: now - 100 * day + 2_900, id: `evt_old_${102_900}` }
    const questions: Record<string, (db: Reader) => Promise<unknown>> = {
      texts: (db) => listOldTexts(db, place, now - 30 * day, now),
      forgotten: (db) => listForgottenTexts(db, place, now),
      owed: (db) => listPending(db, installationId, ids),
      events: (db) => listOldEvents(db, oldPlace, now - 90 * day, now),
      told: (db) => listAnnounced(db, installationId, ids),
      finished: (db) => listFinished(db, now - 90 * day, now),
    }
    await assertPlans(storage, questions, {
      texts: /SEARCH e USING INDEX events_with_text \(occurred_at[^)]*\)/,
      forgotten: /SEARCH e USING INDEX forgotten_texts_by_age \((\(occurred_at,event_id\)|occurred_at)[^)]*\)/,
      owed: /SEARCH webhook_deliveries USING INDEX webhook_deliveries_by_event \(event_id=\?\)/,
      events: /SEARCH e USING INDEX events_without_text \(occurred_at[^)]*\)/,
      told: /SEARCH webhook_deliveries USING (COVERING )?INDEX webhook_deliveries_by_event \(event_id=\?\)/,
      finished: /SEARCH d USING INDEX webhook_deliveries_finished \(finished_at[^)]*\)/,
    })
    const overdue = await storage.read((db) => listOverdueEndpoints(db, now - 30 * day, now))
    assert.deepEqual(overdue, [{ installationId, id: 'whe_paused' }])
    await storage.write(async (tx) => {
      await tx.sql`delete from webhook_deliveries`
      await tx.sql`delete from webhook_endpoints`
      await tx.sql`delete from events`
    })
  })

  test('reads only due rows of carts, sessions and keys', async () => {
    const { storage, installationId, merchantId } = testServer
    const at = now - day
    await storage.write(async (tx) => {
      await tx.sql`
        with ${upTo(many)}
        insert into carts (installation_id, id, merchant_id, version, status, currency, metadata, created_at, updated_at,
          expires_at)
        select ${installationId}, ${numbered('cart')}, ${merchantId}, 1, case when n.i % 2 = 0 then 'expired' else 'converted' end,
          'EUR', '{}', ${whole(at)}, ${whole(at)}, ${whole(at)}
        from n`
      await tx.sql`
        insert into checkout_sessions (installation_id, id, merchant_id, cart_id, version, status, secret_hash,
          secret_sealed, success_url, locale, customer_sealed, metadata, created_at, updated_at, expires_at)
        select installation_id, 'cks' || substr(id, 5), merchant_id, id, 1, case when status = 'expired' then 'expired' else 'completed' end,
          id, '', '', 'auto', 'sealed', '{}', created_at, updated_at, expires_at
        from carts`
      await tx.sql`
        insert into payments (installation_id, id, merchant_id, checkout_session_id, provider, method, amount, currency,
          status, created_at, updated_at)
        select installation_id, 'pay' || substr(id, 4), merchant_id, id, 'test', 'card', 1, 'EUR', 'declined', created_at,
          updated_at
        from checkout_sessions`
      await tx.sql`
        with ${upTo(many)}
        insert into credentials (id, installation_id, merchant_id, name, mode, lookup, digest, pepper_version, prefix, last4,
          scopes, created_at, revoked_at)
        select ${numbered('key')}, ${installationId}, ${merchantId}, 'Ended', 'test', ${numbered('lookup')}, '', 1, '', '', '', 0,
          ${whole(at)}
        from n`
    })
    const endedBy = now - 30 * day
    await assertPlans(
      storage,
      {
        erase: (db) => listToErase(db, endedBy, now),
        unsold: (db) => listEndedSessions(db, 'without order', endedBy, now),
        completed: (db) => listEndedSessions(db, 'completed', endedBy, now),
        expired: (db) => listEndedCarts(db, 'expired', endedBy, now),
        converted: (db) => listEndedCarts(db, 'converted', endedBy, now),
        keys: (db) => listDeadCredentials(db, endedBy, now),
      },
      {
        erase: /SEARCH c USING INDEX checkout_sessions_to_erase \(updated_at<\?\)/,
        unsold: /SEARCH c USING INDEX checkout_sessions_without_order \(updated_at<\?\)/,
        completed: /SEARCH c USING INDEX checkout_sessions_completed \(updated_at<\?\)/,
        expired: /SEARCH c USING INDEX carts_expired \(updated_at<\?\)/,
        converted: /SEARCH c USING INDEX carts_converted \(updated_at<\?\)/,
        keys: /SEARCH c USING INDEX credentials_expiring \(expires_at[^)]*\)/,
      },
    )
    await storage.write(async (tx) => {
      await tx.sql`delete from payments`
      await tx.sql`delete from checkout_sessions`
      await tx.sql`delete from carts`
      await tx.sql`delete from credentials where name = 'Ended'`
    })
  })
})

async function assertPlans(
  storage: Storage,
  questions: Readonly<Record<string, (db: Reader) => Promise<unknown>>>,
  onSqlite: Readonly<Record<string, RegExp>>,
): Promise<void> {
  for (const [name, ask] of Object.entries(questions)) {
    const plan = await storage.read((db) => planOf(db, ask))
    if (storage.engine === 'sqlite') assert.match(plan, onSqlite[name] as RegExp, name)
    else assert.doesNotMatch(plan, /Rows Removed by Filter: \d{3}|Seq Scan on (?!deferred_rows)/, `${name}: ${plan}`)
  }
}
