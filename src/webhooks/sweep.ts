// Keeps the queue and the log tidy: texts of old events go, old log entries go, secrets that were replaced go. Nothing that
// is still owed to anyone is touched.

import type { Storage } from '../storage/storage.ts'
import { logKeptMs, textKeptMs, textSlackMs } from './schedule.ts'

const sweptMax = 500

// Each is safe on several nodes at once: two delete the same rows or different ones, which is the same.
export async function sweepWebhooks(storage: Storage, now: number): Promise<void> {
  await storage.write(async (tx) => {
    await tx.sql`
      update webhook_endpoints set previous_sealed = null, previous_expires_at = null
      where previous_expires_at <= ${now}`
    // An event that was written while its endpoint was being paused or removed was not seen by whoever did that.
    await tx.sql`
      update webhook_deliveries set status = 'held', due_at = null
      where status in ('pending', 'retrying') and endpoint_id in (
        select id from webhook_endpoints where status <> 'enabled' and ended_at is null)`
    await tx.sql`
      update webhook_deliveries set status = 'discarded', due_at = null, finished_at = ${now}
      where status in ('pending', 'retrying', 'held') and endpoint_id in (
        select id from webhook_endpoints where ended_at is not null)`
  })
  while ((await dropTexts(storage, now)) >= sweptMax) {}
  while ((await dropLog(storage, now)) >= sweptMax) {}
}

// A little longer than a replay is accepted, so that one that was accepted on the last day can use its whole schedule.
async function dropTexts(storage: Storage, now: number): Promise<number> {
  return storage.write(async (tx) => {
    const rows = await tx.sql`
      update events set body = '' where (installation_id, id) in (
        select e.installation_id, e.id from events e
        where e.body <> '' and e.occurred_at <= ${now - textKeptMs - textSlackMs} and not exists (
          select 1 from webhook_deliveries d where d.installation_id = e.installation_id and d.event_id = e.id
            and d.replay_of is null and d.status in ('pending', 'sending', 'retrying', 'held'))
        order by e.occurred_at limit ${sweptMax})
      returning id`
    return rows.length
  })
}

async function dropLog(storage: Storage, now: number): Promise<number> {
  return storage.write(async (tx) => {
    const rows = await tx.sql`
      delete from webhook_deliveries where (installation_id, id) in (
        select installation_id, id from webhook_deliveries
        where finished_at is not null and finished_at <= ${now - logKeptMs}
        order by finished_at limit ${sweptMax} ${tx.skipLocked})
      returning id`
    return rows.length
  })
}
