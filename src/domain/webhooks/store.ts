// The SQL of webhook endpoints and their deliveries.

import type { DeliveryStatus, EndpointDisabledReason, EndpointStatus, Mode } from '../../contract/words.ts'
import type { ClockSetBack } from '../../platform/jobs/clock.ts'
import { Fragment, listFragment, type Reader, type Storage, type Tx } from '../../platform/storage/storage.ts'
import { deliveryLeaseMs } from './schedule.ts'

export interface Endpoint {
  installationId: string
  // Mode of the installation.
  mode: Mode
  id: string
  slot: string
  url: string
  description: string
  // A JSON array.
  events: string
  status: EndpointStatus
  disabledReason: EndpointDisabledReason | null
  version: number
  secretSealed: string
  secretHint: string
  previousSealed: string | null
  previousExpiresAt: number | null
  lastSuccessAt: number | null
  lastFailureAt: number | null
  consecutiveFailures: number
  failingSince: number | null
  restingUntil: number | null
  createdAt: number
  updatedAt: number
  // The key on which the endpoint depends; null if it depends on none.
  credentialId: string | null
  // The agent platform that is called; null for an endpoint of the merchant or of an app.
  platformId: string | null
}

export const endpointColumns = new Fragment(`
  installation_id as "installationId",
  (select i.mode from installations i where i.id = webhook_endpoints.installation_id) as "mode", id, slot, url, description, events, status, disabled_reason as "disabledReason", version,
  secret_sealed as "secretSealed", secret_hint as "secretHint", previous_sealed as "previousSealed",
  previous_expires_at as "previousExpiresAt", last_success_at as "lastSuccessAt", last_failure_at as "lastFailureAt",
  consecutive_failures as "consecutiveFailures", failing_since as "failingSince", resting_until as "restingUntil",
  created_at as "createdAt", updated_at as "updatedAt", credential_id as "credentialId", platform_id as "platformId"`)

// SQL condition: the key on which the endpoint `e` depends, if any, is neither revoked nor expired. Otherwise nothing is sent, and the
// sweep removes the endpoint.
export function isMakerLiving(now: number): Fragment {
  return new Fragment(
    `(e.credential_id is null or exists (
        select 1 from credentials c where c.id = e.credential_id and c.revoked_at is null
          and (c.expires_at is null or c.expires_at > ?)))`,
    [now],
  )
}

export const endpointsMax = 100

// Lists the endpoints that have not ended, whatever their status, oldest first.
export async function listEndpoints(db: Reader, installation: string): Promise<Endpoint[]> {
  return db.sql<Endpoint>`
    select ${endpointColumns} from webhook_endpoints
    where installation_id = ${installation} and ended_at is null order by id limit ${endpointsMax}`
}

export async function findEndpoint(db: Reader, installation: string, id: string): Promise<Endpoint | undefined> {
  const [endpoint] = await db.sql<Endpoint>`
    select ${endpointColumns} from webhook_endpoints
    where installation_id = ${installation} and id = ${id} and ended_at is null`
  return endpoint
}

// Lists the endpoints of these platforms that have not ended.
export async function listEndpointsOfPlatforms(
  db: Reader,
  installation: string,
  platformIds: readonly string[],
): Promise<Endpoint[]> {
  if (platformIds.length === 0) return []
  return db.sql<Endpoint>`
    select ${endpointColumns} from webhook_endpoints
    where installation_id = ${installation} and platform_id in (${listFragment(platformIds)}) and ended_at is null`
}

// Finds an endpoint of any installation, for the operator.
export async function findEndpointAnywhere(db: Reader, id: string): Promise<Endpoint | undefined> {
  const [endpoint] = await db.sql<Endpoint>`
    select ${endpointColumns} from webhook_endpoints where id = ${id} and ended_at is null`
  return endpoint
}

// SQL condition: false while the merchant is being moved here from another cell. Until that cell has released the merchant, its copy
// counts, and changes here may be discarded.
export const isHere = new Fragment(
  `not exists (select 1 from merchant_moves v join installations i on i.merchant_id = v.merchant_id
    where v.state = 'arriving' and i.id = e.installation_id)`,
)

export async function lockEndpoint(tx: Tx, installation: string, id: string): Promise<Endpoint | undefined> {
  const [endpoint] = await tx.sql<Endpoint>`
    select ${endpointColumns} from webhook_endpoints
    where installation_id = ${installation} and id = ${id} and ended_at is null ${tx.forUpdate}`
  return endpoint
}

export async function insertEndpoint(tx: Tx, endpoint: Endpoint): Promise<void> {
  await tx.sql`
    insert into webhook_endpoints (installation_id, id, slot, url, description, events, status, version, secret_sealed,
      secret_hint, consecutive_failures, created_at, updated_at, credential_id, platform_id)
    values (${endpoint.installationId}, ${endpoint.id}, ${endpoint.slot}, ${endpoint.url}, ${endpoint.description},
      ${endpoint.events}, ${endpoint.status}, ${endpoint.version}, ${endpoint.secretSealed}, ${endpoint.secretHint}, 0,
      ${endpoint.createdAt}, ${endpoint.updatedAt}, ${endpoint.credentialId}, ${endpoint.platformId})`
}

// Writes all columns that can change, except the times of the last success and failure. The caller has locked the row.
export async function updateEndpoint(tx: Tx, endpoint: Endpoint): Promise<void> {
  await tx.sql`
    update webhook_endpoints set url = ${endpoint.url}, description = ${endpoint.description}, events = ${endpoint.events},
      status = ${endpoint.status}, disabled_reason = ${endpoint.disabledReason}, version = ${endpoint.version},
      secret_sealed = ${endpoint.secretSealed}, secret_hint = ${endpoint.secretHint},
      previous_sealed = ${endpoint.previousSealed}, previous_expires_at = ${endpoint.previousExpiresAt},
      consecutive_failures = ${endpoint.consecutiveFailures}, failing_since = ${endpoint.failingSince},
      resting_until = ${endpoint.restingUntil}, updated_at = ${endpoint.updatedAt}, credential_id = ${endpoint.credentialId}
    where installation_id = ${endpoint.installationId} and id = ${endpoint.id}`
}

export async function setHealth(tx: Tx, endpoint: Endpoint): Promise<void> {
  await tx.sql`
    update webhook_endpoints set last_success_at = ${endpoint.lastSuccessAt}, last_failure_at = ${endpoint.lastFailureAt},
      consecutive_failures = ${endpoint.consecutiveFailures}, failing_since = ${endpoint.failingSince},
      resting_until = ${endpoint.restingUntil}
    where installation_id = ${endpoint.installationId} and id = ${endpoint.id}`
}

// A success is written immediately if it follows a failure, otherwise at most once per second: the row of a busy endpoint would otherwise
// be written constantly. A call that began before the last failure does not show that the endpoint works now.
export function recordEndpointSuccess(
  tx: Tx,
  { installationId, id }: { installationId: string; id: string },
  startedAt: number,
  now: number,
): void {
  tx.send`
    update webhook_endpoints set last_success_at = ${now}, consecutive_failures = 0, failing_since = null, resting_until = null
    where installation_id = ${installationId} and id = ${id}
      and (last_failure_at is null or last_failure_at <= ${startedAt})
      and (consecutive_failures > 0 or last_success_at is null or last_success_at <= ${now - 1_000})`
}

// The row stays, because the log of deliveries refers to it. Its secrets are deleted.
export async function endEndpoint(tx: Tx, installation: string, id: string, now: number): Promise<void> {
  await tx.sql`
    update webhook_endpoints set ended_at = ${now}, updated_at = ${now}, secret_sealed = '', previous_sealed = null,
      previous_expires_at = null, version = version + 1
    where installation_id = ${installation} and id = ${id} and ended_at is null`
}

export interface Delivery {
  installationId: string
  id: string
  endpointId: string
  eventId: string
  eventType: string
  subjectId: string
  sequence: number
  status: DeliveryStatus
  attempts: number
  dueAt: number | null
  replayOf: string | null
  lastStatusCode: number | null
  lastError: string | null
  createdAt: number
  finishedAt: number | null
}

export const deliveryColumns = new Fragment(`
  installation_id as "installationId", id, endpoint_id as "endpointId", event_id as "eventId", event_type as "eventType",
  subject_id as "subjectId", sequence, case when status in ('pending', 'retrying') then coalesce((
    select case when e.ended_at is not null then 'discarded' when e.status <> 'enabled' then 'held' end
    from webhook_endpoints e where e.id = webhook_deliveries.endpoint_id), status) else status end as "status", attempts, due_at as "dueAt", replay_of as "replayOf",
  last_status_code as "lastStatusCode", last_error as "lastError", created_at as "createdAt", finished_at as "finishedAt"`)

// Ids sort by time, so the order by id is the order of creation.
export async function listNewestDeliveries(
  db: Reader,
  { installationId, id }: Pick<Endpoint, 'installationId' | 'id'>,
  limit: number,
): Promise<Delivery[]> {
  return db.sql<Delivery>`
    select ${deliveryColumns} from webhook_deliveries
    where installation_id = ${installationId} and endpoint_id = ${id} order by id desc limit ${limit}`
}

// Open deliveries are counted only up to this number: a receiver that was offline for weeks has very many.
const openCountMax = 10_000

export async function countOpenDeliveries(
  db: Reader,
  { installationId, id }: Pick<Endpoint, 'installationId' | 'id'>,
): Promise<number> {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as "count" from (
      select 1 from webhook_deliveries where installation_id = ${installationId} and endpoint_id = ${id}
        and status in ('pending', 'sending', 'retrying') limit ${openCountMax}) as open_deliveries`
  return row?.count ?? 0
}

export async function findDelivery(db: Reader, installation: string, id: string): Promise<Delivery | undefined> {
  const [delivery] = await db.sql<Delivery>`
    select ${deliveryColumns} from webhook_deliveries where installation_id = ${installation} and id = ${id}`
  return delivery
}

// Finds a delivery of any installation, for the operator.
export async function findDeliveryAnywhere(db: Reader, id: string): Promise<Delivery | undefined> {
  const [delivery] = await db.sql<Delivery>`select ${deliveryColumns} from webhook_deliveries where id = ${id}`
  return delivery
}

export async function lockDelivery(tx: Tx, installation: string, id: string): Promise<Delivery | undefined> {
  const [delivery] = await tx.sql<Delivery>`
    select ${deliveryColumns} from webhook_deliveries
    where installation_id = ${installation} and id = ${id} ${tx.forUpdate}`
  return delivery
}

export async function hasOpenReplay(db: Reader, installation: string, replayOf: string): Promise<boolean> {
  const rows = await db.sql`
    select id from webhook_deliveries where installation_id = ${installation} and replay_of = ${replayOf}
      and status in ('pending', 'sending', 'retrying') limit 1`
  return rows.length > 0
}

// Returns false once the body of the event was deleted, or if the event is not younger than `since`.
export async function hasEventText(db: Reader, installation: string, eventId: string, since: number): Promise<boolean> {
  const rows = await db.sql`
    select id from events
    where installation_id = ${installation} and id = ${eventId} and body <> '' and occurred_at > ${since}`
  return rows.length > 0
}

// Returns false if another replay of the same delivery is in progress: the unique index prevents a second one.
export async function insertReplay(tx: Tx, delivery: Delivery, reason: string | null): Promise<boolean> {
  const rows = await tx.sql`
    insert into webhook_deliveries (installation_id, id, endpoint_id, event_id, event_type, subject_id, sequence, status,
      attempts, due_at, replay_of, replay_reason, created_at)
    values (${delivery.installationId}, ${delivery.id}, ${delivery.endpointId}, ${delivery.eventId}, ${delivery.eventType},
      ${delivery.subjectId}, ${delivery.sequence}, ${delivery.status}, ${delivery.attempts}, ${delivery.dueAt},
      ${delivery.replayOf}, ${reason}, ${delivery.createdAt})
    on conflict (installation_id, replay_of)
      where replay_of is not null and status in ('pending', 'sending', 'retrying') do nothing
    returning id`
  return rows.length > 0
}

// Makes deliveries that wait for a retry due, because their endpoint was enabled again.
export async function makeRetriesDue(tx: Tx, { installationId, id }: Endpoint, now: number): Promise<void> {
  await tx.sql`
    update webhook_deliveries set due_at = ${now}
    where installation_id = ${installationId} and endpoint_id = ${id} and status = 'retrying' and due_at > ${now}`
}

// Deletes old deliveries of one installation, except those to endpoints at these URLs.
export async function deleteDeliveriesBefore(
  tx: Tx,
  installationId: string,
  { before, exceptTo }: { before: number; exceptTo: readonly string[] },
): Promise<void> {
  await tx.sql`
    delete from webhook_deliveries where installation_id = ${installationId} and created_at < ${before} and endpoint_id in (
      select id from webhook_endpoints where installation_id = ${installationId} and url not in (${listFragment(exceptTo)}))`
}

// Counts due deliveries of endpoints that are enabled and not paused after failures. Reads the index of each endpoint, whose queue is
// limited.
export async function countDueDeliveries(db: Reader, now: number): Promise<{ count: number; since: number | null }> {
  const [row] = await db.sql<{ count: number; since: number | null }>`
    select count(*) as "count", min(d.due_at) as "since"
    from webhook_endpoints e
    join webhook_deliveries d on d.endpoint_id = e.id and d.status in ('pending', 'retrying') and d.due_at <= ${now}
    where e.status = 'enabled' and e.ended_at is null and (e.resting_until is null or e.resting_until <= ${now})`
  return row ?? { count: 0, since: null }
}

// After the clock was set back, corrects times: deliveries wait as long as intended, and no lease lasts longer than usual. One transaction
// per endpoint, whose queue is limited.
export async function correctDeliveryTimes(storage: Storage, { now, backMs }: ClockSetBack): Promise<void> {
  const endpoints = await storage.read(
    (db) => db.sql<{ installationId: string; id: string }>`
      select installation_id as "installationId", id from webhook_endpoints where ended_at is null order by id`,
  )
  for (const { installationId, id } of endpoints)
    await storage.write(async (tx) => {
      await tx.sql`
        update webhook_endpoints set resting_until = resting_until - ${backMs}
        where installation_id = ${installationId} and id = ${id} and resting_until > ${now}`
      // Otherwise every call made now would count as earlier than the last failure, and no success could end the failures.
      await tx.sql`
        update webhook_endpoints set last_failure_at = ${now}
        where installation_id = ${installationId} and id = ${id} and last_failure_at > ${now}`
      await tx.sql`
        update webhook_deliveries set due_at = case when due_at - ${backMs} < ${now} then ${now} else due_at - ${backMs} end
        where installation_id = ${installationId} and endpoint_id = ${id} and status in ('pending', 'retrying')
          and due_at > ${now}`
      await tx.sql`
        update webhook_deliveries set lease_expires_at = ${now + deliveryLeaseMs}
        where installation_id = ${installationId} and endpoint_id = ${id} and status = 'sending'
          and lease_expires_at > ${now + deliveryLeaseMs}`
    })
}

export interface DiscardInput {
  // Discards only deliveries that became due at this time or earlier.
  dueBy: number
  // The reason, for deliveries without an error of their own.
  error: string | null
  limit: number
  now: number
}

// Discards open deliveries of an endpoint, up to `limit`, starting with the longest due. Returns how many. Uses two statements: as one
// statement, with a plan that PostgreSQL made while its tables were empty, the selection was repeated for every delivery of the
// installation, which discarded more than the limit (100 endpoints with 20 deliveries each: 4.3 million rows read; with two statements
// 4,046).
export async function discardSomeDeliveries(
  tx: Tx,
  { installationId, id }: Pick<Endpoint, 'installationId' | 'id'>,
  { dueBy, error, limit, now }: DiscardInput,
): Promise<number> {
  const pending = await tx.sql<{ id: string }>`
    select id from webhook_deliveries
    where endpoint_id = ${id} and status in ('pending', 'retrying') and due_at <= ${dueBy}
    order by due_at limit ${limit} ${tx.skipLocked}`
  if (pending.length === 0) return 0
  await tx.sql`
    update webhook_deliveries set status = 'discarded', due_at = null, finished_at = ${now},
      last_error = coalesce(last_error, ${error})
    where installation_id = ${installationId} and id in (${listFragment(pending.map((delivery) => delivery.id))})`
  return pending.length
}

// Only cleans up: a removed endpoint is not called in any case.
export function discardPendingDeliveries(
  tx: Tx,
  endpoint: Pick<Endpoint, 'installationId' | 'id'>,
  limit: number,
  now: number,
): Promise<number> {
  return discardSomeDeliveries(tx, endpoint, { dueBy: Number.MAX_SAFE_INTEGER, error: null, limit, now })
}

export interface DeliveryAttempt {
  attempt: number
  startedAt: number
  tookMs: number
  statusCode: number | null
  error: string | null
  answer: string | null
}

export async function listAttempts(db: Reader, installation: string, deliveryId: string): Promise<DeliveryAttempt[]> {
  return db.sql<DeliveryAttempt>`
    select attempt, started_at as "startedAt", took_ms as "tookMs", status_code as "statusCode", error, answer
    from webhook_attempts where installation_id = ${installation} and delivery_id = ${deliveryId}
    union all
    select attempts, last_started_at, last_took_ms, last_status_code, null, last_answer
    from webhook_deliveries where installation_id = ${installation} and id = ${deliveryId} and status = 'succeeded'
      and last_started_at is not null
    order by "startedAt", "attempt" limit 100`
}

// Lists the endpoints of any installation that have exactly these URLs and have not ended.
export async function listEndpointsAt(
  db: Reader,
  urls: readonly string[],
): Promise<{ installationId: string; id: string }[]> {
  return db.sql<{ installationId: string; id: string }>`
    select installation_id as "installationId", id from webhook_endpoints
    where url in (${listFragment(urls)}) and ended_at is null order by id limit 100`
}

// A new test call would wait for an earlier one that is open, so the earlier one is discarded. The caller has locked the endpoint.
export async function discardEarlierPings(
  tx: Tx,
  { installationId, id, version }: { installationId: string; id: string; version: number },
  now: number,
): Promise<void> {
  await tx.sql`
    update webhook_deliveries set status = 'discarded', due_at = null, finished_at = ${now}
    where installation_id = ${installationId} and endpoint_id = ${id} and subject_id = ${id} and sequence < ${version}
      and event_type = 'webhook.ping' and status in ('pending', 'retrying')`
}
