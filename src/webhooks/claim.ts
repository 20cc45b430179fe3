// Taking deliveries out of the queue: fairly across endpoints, a few per endpoint, in the order of a subject's events. A
// claim is a lease: whoever does not write the outcome in time has lost it, and somebody else takes over.

import { randomUUID } from 'node:crypto'
import type { Reader, Storage, Tx } from '../storage/storage.ts'
import { inFlightFor, inFlightMax } from './schedule.ts'

export interface Claimed {
  installationId: string
  id: string
  endpointId: string
  eventId: string
  eventType: string
  subjectId: string
  sequence: number
  // Calls that were made before this one.
  attempts: number
  replayOf: string | null
  createdAt: number
  leaseId: string
  leaseExpiresAt: number
  // Empty once the text of the event is no longer kept.
  body: string
  url: string
  secrets: { id: string; secretSealed: string; previousSealed: string | null; previousExpiresAt: number | null }
}

export interface EndpointKey {
  installationId: string
  id: string
}

// Endpoints that have something due and room for a call, from the one after `after` on and around. Walks from endpoint to endpoint in the
// index, so that a long queue of one costs no more than a short one.
export async function listDueEndpoints(db: Reader, after: string, now: number): Promise<EndpointKey[]> {
  const endpoints = await db.sql<EndpointKey>`
    with recursive waiting (endpoint_id) as (
      select min(endpoint_id) from webhook_deliveries where status in ('pending', 'retrying')
      union all
      select (
        select min(d.endpoint_id) from webhook_deliveries d
        where d.status in ('pending', 'retrying') and d.endpoint_id > w.endpoint_id)
      from waiting w where w.endpoint_id is not null)
    select e.installation_id as "installationId", e.id
    from waiting w join webhook_endpoints e on e.id = w.endpoint_id
    where e.status = 'enabled' and e.ended_at is null and (e.resting_until is null or e.resting_until <= ${now})
      and (
        select min(d.due_at) from webhook_deliveries d
        where d.endpoint_id = e.id and d.status in ('pending', 'retrying')) <= ${now}
      and (select count(*) from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'sending')
        < case when e.consecutive_failures >= ${inFlightMax} then 1 else ${inFlightMax} - e.consecutive_failures end
    order by e.id limit 10000`
  const turn = endpoints.findIndex(({ id }) => id > after)
  return turn <= 0 ? endpoints : [...endpoints.slice(turn), ...endpoints.slice(0, turn)]
}

// Claims for these endpoints, at most `limit` in all. An endpoint that another node is looking at is left to it, so that
// the bound on calls under way holds across nodes.
export async function claimDeliveries(
  tx: Tx,
  endpoints: readonly EndpointKey[],
  { limit, leaseMs, now }: { limit: number; leaseMs: number; now: number },
): Promise<Claimed[]> {
  const inOrder = endpoints.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const locked = await Promise.all(inOrder.map((endpoint) => lockIdle(tx, endpoint, now)))
  const leaseId = randomUUID()
  let left = limit
  const claims: Promise<Claimed[]>[] = []
  for (const endpoint of locked) {
    if (!endpoint) continue
    const free = Math.min(inFlightFor(endpoint.consecutiveFailures) - endpoint.sending, left)
    if (free <= 0) continue
    left -= free
    claims.push(claimFor(tx, endpoint, { leaseId, limit: free, leaseExpiresAt: now + leaseMs, now }))
  }
  return (await Promise.all(claims)).flat()
}

interface IdleEndpoint extends EndpointKey {
  url: string
  secretSealed: string
  previousSealed: string | null
  previousExpiresAt: number | null
  consecutiveFailures: number
  sending: number
}

async function lockIdle(tx: Tx, { installationId, id }: EndpointKey, now: number): Promise<IdleEndpoint | undefined> {
  const [endpoint] = await tx.sql<IdleEndpoint>`
    select installation_id as "installationId", id, url, secret_sealed as "secretSealed", previous_sealed as "previousSealed",
      previous_expires_at as "previousExpiresAt", consecutive_failures as "consecutiveFailures",
      (select count(*) from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'sending') as "sending"
    from webhook_endpoints e
    where installation_id = ${installationId} and id = ${id} and status = 'enabled' and ended_at is null
      and (resting_until is null or resting_until <= ${now})
    ${tx.skipLocked}`
  return endpoint
}

interface Lease {
  leaseId: string
  leaseExpiresAt: number
  limit: number
  now: number
}

// An event waits until every earlier event of its subject is over at this endpoint. A replay is out of order by nature:
// it waits for nobody, and nobody for it.
async function claimFor(
  tx: Tx,
  { installationId, id: endpointId, url, secretSealed, previousSealed, previousExpiresAt }: IdleEndpoint,
  { leaseId, leaseExpiresAt, limit, now }: Lease,
): Promise<Claimed[]> {
  const rows = await tx.sql<Omit<Claimed, 'url' | 'secrets' | 'leaseId' | 'leaseExpiresAt'>>`
    update webhook_deliveries set status = 'sending', due_at = null, lease_id = ${leaseId},
      lease_expires_at = ${leaseExpiresAt}
    where installation_id = ${installationId} and id in (
      select d.id from webhook_deliveries d
      where d.installation_id = ${installationId} and d.endpoint_id = ${endpointId} and d.status in ('pending', 'retrying')
        and d.due_at <= ${now} and (d.replay_of is not null or not exists (
          select 1 from webhook_deliveries p
          where p.installation_id = d.installation_id and p.endpoint_id = d.endpoint_id and p.subject_id = d.subject_id
            and p.sequence < d.sequence and p.replay_of is null
            and p.status in ('pending', 'sending', 'retrying', 'held')))
      order by d.due_at, d.id limit ${limit})
    returning installation_id as "installationId", id, endpoint_id as "endpointId", event_id as "eventId",
      event_type as "eventType", subject_id as "subjectId", sequence, attempts, replay_of as "replayOf",
      created_at as "createdAt", (
        select body from events e where e.installation_id = webhook_deliveries.installation_id
          and e.id = webhook_deliveries.event_id) as "body"`
  const secrets = { id: endpointId, secretSealed, previousSealed, previousExpiresAt }
  return rows.map((row) => ({ ...row, leaseId, leaseExpiresAt, url, secrets }))
}

// Gives back what a process claimed and did not live to tell. It costs no attempt: nobody knows whether the call was made.
// A server that has its database for itself need not wait for the leases of its earlier life.
export async function releaseLeases(storage: Storage, now: number, { all }: { all: boolean }): Promise<number> {
  return storage.write(async (tx) => {
    const lost = await tx.sql<{ installationId: string; id: string; leaseId: string; attempts: number }>`
      select installation_id as "installationId", id, lease_id as "leaseId", attempts from webhook_deliveries
      where status = 'sending' and lease_expires_at <= ${all ? Number.MAX_SAFE_INTEGER : now}
      order by id limit 1000 ${tx.skipLocked}`
    await Promise.all(
      lost.flatMap(({ installationId, id, leaseId, attempts }) => [
        tx.sql`
          update webhook_deliveries set status = 'retrying', due_at = ${now}, lease_id = null, lease_expires_at = null
          where installation_id = ${installationId} and id = ${id} and lease_id = ${leaseId}`,
        tx.sql`
          insert into webhook_attempts (installation_id, delivery_id, lease_id, attempt, started_at, took_ms, error)
          values (${installationId}, ${id}, ${leaseId}, ${attempts + 1}, ${now}, 0,
            'the process ended before the outcome was known')
          on conflict do nothing`,
      ]),
    )
    return lost.length
  })
}
