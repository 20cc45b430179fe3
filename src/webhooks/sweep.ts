// Keeps the queue and the log tidy: texts of old events go, old log entries go, secrets that were replaced go. Nothing that
// is still owed to anyone is touched. All of it a little at a time, so that nobody waits long.

import { list, type Reader, type Storage } from '../storage/storage.ts'
import { logKeptMs, textKeptMs } from './schedule.ts'
import { discardSome } from './store.ts'

const sweptMax = 500
const roundsMax = 200

// Each part is safe on several nodes at once, and one that fails does not keep the others from their turn.
export async function sweepWebhooks(storage: Storage, now: number): Promise<void> {
  const parts = [dropSecrets, discardOwedToRemoved, dropTexts, dropLog]
  const failures: unknown[] = []
  for (const part of parts) await part(storage, now).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, 'webhooks could not all be swept')
}

async function dropSecrets(storage: Storage, now: number): Promise<void> {
  await storage.write(
    (tx) => tx.sql`
      update webhook_endpoints set previous_sealed = null, previous_expires_at = null where previous_expires_at <= ${now}`,
  )
}

async function discardOwedToRemoved(storage: Storage, now: number): Promise<void> {
  const removed = await storage.read(
    (db) => db.sql<{ installationId: string; id: string }>`
      select installation_id as "installationId", id from webhook_endpoints e
      where ended_at is not null and exists (
        select 1 from webhook_deliveries d where d.endpoint_id = e.id and d.status in ('pending', 'retrying'))
      order by id limit 100`,
  )
  for (const endpoint of removed) {
    await again(() => storage.write((tx) => discardSome(tx, endpoint, sweptMax, now)))
  }
}

interface KeptText {
  installationId: string
  id: string
  occurredAt: number
}

// Walks on from where the last look ended: what is still owed stays, and is not walked over again and again. Nothing can
// become owed between the look and the write, since texts of this age are replayed no more.
async function dropTexts(storage: Storage, now: number): Promise<void> {
  let after = { occurredAt: 0, id: '' }
  await again(async () => {
    const old = await storage.read(
      (db) => db.sql<KeptText>`
        select installation_id as "installationId", id, occurred_at as "occurredAt" from events
        where body <> '' and occurred_at <= ${now - textKeptMs}
          and (occurred_at > ${after.occurredAt} or (occurred_at = ${after.occurredAt} and id > ${after.id}))
        order by occurred_at, id limit ${sweptMax}`,
    )
    for (const [installationId, texts] of Map.groupBy(old, (text) => text.installationId)) {
      const ids = texts.map(({ id }) => id)
      const owed = await storage.read((db) => listOwed(db, installationId, ids))
      const dropped = ids.filter((id) => !owed.has(id))
      if (dropped.length > 0)
        await storage.write(
          (tx) =>
            tx.sql`update events set body = '' where installation_id = ${installationId} and id in (${list(dropped)})`,
        )
    }
    after = old.at(-1) ?? after
    return old.length
  })
}

// Each half has its index.
async function listOwed(db: Reader, installationId: string, ids: readonly string[]): Promise<Set<string>> {
  const owed = await db.sql<{ eventId: string }>`
    select event_id as "eventId" from webhook_deliveries
    where installation_id = ${installationId} and event_id in (${list(ids)}) and replay_of is null
      and status in ('pending', 'sending', 'retrying')
    union
    select event_id from webhook_deliveries
    where installation_id = ${installationId} and event_id in (${list(ids)}) and replay_of is not null
      and status in ('pending', 'sending', 'retrying')`
  return new Set(owed.map(({ eventId }) => eventId))
}

async function dropLog(storage: Storage, now: number): Promise<void> {
  await again(() =>
    storage.write(async (tx) => {
      const rows = await tx.sql`
        delete from webhook_deliveries where (installation_id, id) in (
          select installation_id, id from webhook_deliveries
          where finished_at is not null and finished_at <= ${now - logKeptMs}
          order by finished_at limit ${sweptMax} ${tx.skipLocked})
        returning id`
      return rows.length
    }),
  )
}

async function again(work: () => Promise<number>): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) if ((await work()) < sweptMax) return
}
