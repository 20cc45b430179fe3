// Claims deliveries: fairly across endpoints, a few per endpoint, and in the order of the events of a subject. A claim is a lease: if a
// process does not write the outcome in time, another process may claim the delivery.

import { randomBytes, randomUUID } from 'node:crypto'
import { handleRows } from '../../platform/jobs/rows.ts'
import { isNotDeferred, isOnly, type RowKey } from '../../platform/jobs/store.ts'
import { unpackText } from '../../platform/kit/packed.ts'
import { listFragment, type Reader, type Storage, type Tx } from '../../platform/storage/storage.ts'
import {
  aheadShareMax,
  type Candidate,
  candidatesMax,
  type EndpointPlan,
  passedOverMax,
  planClaims,
  roomFor,
} from './plan.ts'
import { inFlightMax } from './schedule.ts'
import { isHere, isMakerLiving } from './store.ts'

export interface ClaimedDelivery {
  installationId: string
  id: string
  endpointId: string
  eventId: string
  eventType: string
  subjectId: string
  sequence: number
  // Number of earlier calls.
  attempts: number
  replayOf: string | null
  createdAt: number
  leaseId: string
  leaseExpiresAt: number
  // Empty if the body of the event was deleted. Deliveries of one event that were claimed together share the buffer.
  body: Buffer
  url: string
  // The agent platform to call; null for other endpoints.
  platformId: string | null
  secrets: { id: string; secretSealed: string; previousSealed: string | null; previousExpiresAt: number | null }
}

export interface EndpointKey {
  installationId: string
  id: string
}

// Lists endpoints that have due deliveries and may be called, round robin: the list starts after `after` and continues from the beginning.
// The query walks from endpoint to endpoint in the index, so a long queue of one endpoint costs no more than a short one.
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
      and ${isMakerLiving(now)} and ${isHere} and (
        select min(d.due_at) from webhook_deliveries d
        where d.endpoint_id = e.id and d.status in ('pending', 'retrying')) <= ${now}
      and (select count(*) from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'sending')
        < case when e.consecutive_failures >= ${inFlightMax} then 1 else ${inFlightMax} - e.consecutive_failures end
    order by e.id limit 10000`
  const turn = endpoints.findIndex(({ id }) => id > after)
  return turn <= 0 ? endpoints : [...endpoints.slice(turn), ...endpoints.slice(0, turn)]
}

export interface ClaimedDeliveries {
  claimed: ClaimedDelivery[]
  // The last endpoint whose deliveries were claimed; null if there was none.
  servedLast: string | null
  // Whether more deliveries may be due.
  isMore: boolean
}

export const noClaimedDeliveries: ClaimedDeliveries = { claimed: [], servedLast: null, isMore: false }

export interface ClaimBounds {
  // Number of calls that this process can make in addition to its current calls.
  limit: number
  // Deliveries that the process may claim in addition to its calls: `aheadLimit` in total, and `ahead` per endpoint that responds
  // quickly.
  aheadLimit?: number
  ahead?: ReadonlyMap<string, number>
  // Prefix of the lease ids of this process, by which it recognises them.
  holder?: string
  leaseMs: number
  now: number
}

const noneAhead: ReadonlyMap<string, number> = new Map()

// Claims deliveries for these endpoints in turn, at most `limit` in total. An endpoint that another node has locked is skipped, so the
// limit of concurrent calls holds across nodes and no lock is waited for.
export async function claimDeliveries(
  tx: Tx,
  endpoints: readonly EndpointKey[],
  { limit, aheadLimit = 0, ahead = noneAhead, holder = randomUUID(), leaseMs, now }: ClaimBounds,
  // Claims only this delivery, after claiming several has failed.
  only: RowKey | null = null,
): Promise<ClaimedDeliveries> {
  // Counted after the lock, because another node may have claimed deliveries just before.
  const [locked, sendingBy] = await Promise.all([lockIdle(tx, endpoints, now), countSending(tx, endpoints, holder)])
  if (locked.length === 0) return noClaimedDeliveries
  const aheadMax = aheadShareMax(aheadLimit, locked.length)
  const due = await Promise.all(
    locked.map(async ({ id, consecutiveFailures }) => {
      const { sending = 0, ofOthers = 0 } = sendingBy.get(id) ?? {}
      const room = roomFor({ consecutiveFailures, sending, ofOthers, ahead: Math.min(ahead.get(id) ?? 0, aheadMax) })
      return { room, candidates: await listCandidates(tx, id, { limit: candidatesMax(room), now, only }) }
    }),
  )
  const plan = planClaims(due, { calls: limit, ahead: aheadLimit })
  const planned = locked.map((endpoint, index) => ({ endpoint, ...(plan.endpoints[index] as EndpointPlan<Due>) }))
  const taken = planned.flatMap(({ endpoint, taken }) => taken.map(({ id, eventId }) => ({ endpoint, id, eventId })))
  const lease = { leaseId: `${holder}.${randomBytes(6).toString('base64url')}`, leaseExpiresAt: now + leaseMs }
  const [claimed] = await Promise.all([
    claimThese(tx, taken, lease),
    Promise.all(planned.map(({ endpoint, parked }) => park(tx, endpoint, parked, now + leaseMs))),
  ])
  return { claimed, servedLast: taken.at(-1)?.endpoint.id ?? null, isMore: plan.isMore }
}

interface IdleEndpoint extends EndpointKey {
  url: string
  platformId: string | null
  // All deliveries of the endpoint that are claimed together share this object.
  secrets: ClaimedDelivery['secrets']
  consecutiveFailures: number
}

// Locks the endpoints that may be called, and returns them in the given order. Skips rows that another node has locked. Ids of endpoints
// are globally unique, so the installation is not needed.
async function lockIdle(tx: Tx, endpoints: readonly EndpointKey[], now: number): Promise<IdleEndpoint[]> {
  const rows = await tx.sql<Omit<IdleEndpoint, 'secrets'> & ClaimedDelivery['secrets']>`
    select installation_id as "installationId", id, url, platform_id as "platformId", secret_sealed as "secretSealed", previous_sealed as "previousSealed",
      previous_expires_at as "previousExpiresAt", consecutive_failures as "consecutiveFailures"
    from webhook_endpoints e
    where id in (${listFragment(endpoints.map(({ id }) => id))}) and status = 'enabled' and ended_at is null
      and (resting_until is null or resting_until <= ${now}) and ${isMakerLiving(now)} and ${isHere}
    ${tx.skipLocked}`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return endpoints.flatMap(({ id }) => {
    const row = byId.get(id)
    if (!row) return []
    const { secretSealed, previousSealed, previousExpiresAt } = row
    return { ...row, secrets: { id, secretSealed, previousSealed, previousExpiresAt } }
  })
}

interface Sending {
  sending: number
  ofOthers: number
}

async function countSending(tx: Tx, endpoints: readonly EndpointKey[], holder: string): Promise<Map<string, Sending>> {
  const rows = await tx.sql<Sending & { endpointId: string }>`
    select endpoint_id as "endpointId", count(*) as "sending",
      sum(case when lease_id like ${`${holder}.%`} then 0 else 1 end) as "ofOthers"
    from webhook_deliveries where endpoint_id in (${listFragment(endpoints.map(({ id }) => id))}) and status = 'sending'
    group by endpoint_id`
  return new Map(rows.map((row) => [row.endpointId, row]))
}

interface Due extends Candidate {
  eventId: string
}

// Lists due deliveries. A delivery is blocked until every earlier event of its subject has ended at this endpoint. Replays are out of
// order by definition: a replay is never blocked, and blocks nothing. The condition names only the endpoint, because its id is unique and
// PostgreSQL would otherwise sort the whole queue.
async function listCandidates(
  tx: Tx,
  id: string,
  { limit, now, only }: { limit: number; now: number; only: RowKey | null },
): Promise<Due[]> {
  return tx.sql<Due>`
    select d.id, d.event_id as "eventId", case when d.replay_of is null then (
      select coalesce(p.due_at, p.lease_expires_at) from webhook_deliveries p
      where p.installation_id = d.installation_id and p.endpoint_id = d.endpoint_id and p.subject_id = d.subject_id
        and p.sequence < d.sequence and p.replay_of is null and p.status in ('pending', 'sending', 'retrying')
      order by p.sequence limit 1) end as "blockedUntil"
    from webhook_deliveries d
    where d.endpoint_id = ${id} and d.status in ('pending', 'retrying') and d.due_at <= ${now}
      and ${isOnly(only, 'd.installation_id', 'd.id')}
      and ${isNotDeferred('webhook_dispatch', 'd.installation_id', 'd.id', now)}
    order by d.due_at, d.id limit ${limit}`
}

// Lists as many rows as a claim reads.
export async function listDueDeliveries(db: Reader, { id }: EndpointKey, now: number): Promise<RowKey[]> {
  return db.sql<RowKey>`
    select d.installation_id as "tenantId", d.id as "rowId" from webhook_deliveries d
    where d.endpoint_id = ${id} and d.status in ('pending', 'retrying') and d.due_at <= ${now}
      and ${isNotDeferred('webhook_dispatch', 'd.installation_id', 'd.id', now)}
    order by d.due_at, d.id limit ${inFlightMax + passedOverMax}`
}

type ClaimedRow = Omit<ClaimedDelivery, 'body' | 'url' | 'platformId' | 'secrets' | 'leaseId' | 'leaseExpiresAt'>

// Claims the deliveries with one statement per installation, and reads the bodies of their events with another one. A body is read once,
// however many endpoints receive it. Rows are returned in the order of the queue.
async function claimThese(
  tx: Tx,
  taken: readonly { endpoint: IdleEndpoint; id: string; eventId: string }[],
  { leaseId, leaseExpiresAt }: { leaseId: string; leaseExpiresAt: number },
): Promise<ClaimedDelivery[]> {
  const byInstallation = Map.groupBy(taken, ({ endpoint }) => endpoint.installationId)
  const reading = [...byInstallation].map(([installationId, its]) => {
    const ids = [...new Set(its.map(({ eventId }) => eventId))]
    return tx.sql<{ id: string; body: string }>`
      select id, body from events where installation_id = ${installationId} and id in (${listFragment(ids)})`
  })
  const claiming = [...byInstallation].map(
    ([installationId, its]) => tx.sql<ClaimedRow>`
      update webhook_deliveries set status = 'sending', due_at = null, lease_id = ${leaseId},
        lease_expires_at = ${leaseExpiresAt}
      where installation_id = ${installationId} and id in (${listFragment(its.map(({ id }) => id))}) and due_at is not null
      returning installation_id as "installationId", id, endpoint_id as "endpointId", event_id as "eventId",
        event_type as "eventType", subject_id as "subjectId", sequence, attempts, replay_of as "replayOf",
        created_at as "createdAt"`,
  )
  const [texts, rows] = await Promise.all([Promise.all(reading), Promise.all(claiming)])
  const byId = new Map(rows.flat().map((row) => [row.id, row]))
  const bodies = new Map(texts.flat().map(({ id, body }) => [id, Buffer.from(unpackText(body))]))
  return taken.flatMap(({ endpoint, id, eventId }) => {
    const [row, body] = [byId.get(id), bodies.get(eventId)]
    if (!row) return []
    if (!body) throw new Error(`event ${eventId} of delivery ${id} does not exist`)
    const { url, platformId, secrets } = endpoint
    return { ...row, body, leaseId, leaseExpiresAt, url, platformId, secrets }
  })
}

// Postpones blocked deliveries until the event that blocks them may have ended. When that event ends, the delivery is made due
// immediately.
async function park(
  tx: Tx,
  { installationId }: IdleEndpoint,
  blocked: readonly Candidate[],
  atLeastUntil: number,
): Promise<void> {
  const byTime = Map.groupBy(blocked, ({ blockedUntil }) => Math.max(blockedUntil ?? 0, atLeastUntil))
  await Promise.all(
    [...byTime].map(
      ([dueAt, group]) => tx.sql`
        update webhook_deliveries set due_at = ${dueAt}
        where installation_id = ${installationId} and id in (${listFragment(group.map(({ id }) => id))}) and due_at is not null`,
    ),
  )
}

// Releases claimed deliveries that will not be called now. As no call was made, this does not count as an attempt.
export function releaseUncalled(tx: Tx, claims: readonly ClaimedDelivery[], now: number): void {
  const byLease = Map.groupBy(claims, ({ installationId, leaseId }) => `${installationId} ${leaseId}`)
  for (const group of byLease.values()) {
    const { installationId, leaseId } = group[0] as ClaimedDelivery
    tx.send`
      update webhook_deliveries set status = case when attempts = 0 then 'pending' else 'retrying' end, due_at = ${now},
        lease_id = null, lease_expires_at = null
      where installation_id = ${installationId} and id in (${listFragment(group.map(({ id }) => id))}) and lease_id = ${leaseId}`
  }
}

// Releases deliveries that a process had claimed when it died. This does not count as an attempt, because it is unknown whether the call
// was made. A server that is alone on its database does not wait for the leases of its previous run to expire.
export async function releaseLeases(storage: Storage, now: number, { all }: { all: boolean }): Promise<number> {
  const until = all ? Number.MAX_SAFE_INTEGER : now
  const lost = await storage.read((db) => listLost(db, until, now))
  return handleRows(
    { storage, loop: 'webhook_dispatch', now },
    [lost],
    ({ installationId, id }) => ({ tenantId: installationId, rowId: id }),
    (group) =>
      storage.write(async (tx) => {
        const released = await Promise.all(group.map((lease) => release(tx, lease, now)))
        return released.filter(Boolean).length
      }),
  )
}

interface LostLease {
  installationId: string
  id: string
  leaseId: string
  attempts: number
}

async function listLost(db: Reader, until: number, now: number): Promise<LostLease[]> {
  return db.sql<LostLease>`
    select d.installation_id as "installationId", d.id, d.lease_id as "leaseId", d.attempts from webhook_deliveries d
    where d.status = 'sending' and d.lease_expires_at <= ${until}
      and ${isNotDeferred('webhook_dispatch', 'd.installation_id', 'd.id', now)}
    order by d.id limit 1000`
}

// Returns false if another node has already released the delivery, or the holder of the lease has written the outcome after all.
async function release(tx: Tx, { installationId, id, leaseId, attempts }: LostLease, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update webhook_deliveries set status = 'retrying', due_at = ${now}, lease_id = null, lease_expires_at = null
    where installation_id = ${installationId} and id = ${id} and lease_id = ${leaseId}
    returning id`
  if (rows.length === 0) return false
  await tx.sql`
    insert into webhook_attempts (installation_id, delivery_id, lease_id, attempt, started_at, took_ms, error)
    values (${installationId}, ${id}, ${leaseId}, ${attempts + 1}, ${now}, 0,
      'the process ended before the outcome was known')
    on conflict do nothing`
  return true
}
