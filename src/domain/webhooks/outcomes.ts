// Records the outcome of a call in one transaction: the delivery, its attempt, the health of the endpoint and the events about it. Only
// the process that still has the lease may write, so a process that was suspended beyond the end of its lease changes nothing.

import { toInstant } from '../../platform/kit/instant.ts'
import { announce } from '../../platform/outbox/announce.ts'
import { Fragment, listFragment, type Tx } from '../../platform/storage/storage.ts'
import type { ClaimedDelivery } from './claim.ts'
import { disableEndpoint } from './endpoints.ts'
import { breakerPauseMs, isGivenUp, parseRetryAfter, waitMsAfter } from './schedule.ts'
import type { CallOutcome } from './sender.ts'
import { type Endpoint, lockEndpoint, recordEndpointSuccess, setHealth } from './store.ts'

export interface DeliveryOutcome {
  claimed: ClaimedDelivery
  call: CallOutcome
  startedAt: number
}

// What a failed call means for its delivery.
interface Verdict {
  status: 'retrying' | 'failed' | 'blocked' | 'discarded'
  dueAt: number | null
  error: string
}

export async function recordOutcomes(tx: Tx, outcomes: readonly DeliveryOutcome[], now: number): Promise<void> {
  const byEndpoint = Map.groupBy(outcomes, ({ claimed }) => claimed.endpointId)
  // Endpoints are written in the order of their ids, which prevents deadlocks between transactions.
  const groups = [...byEndpoint].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)
  const well = outcomes.filter(({ call }) => isSuccess(call))
  // A success does not depend on the state of the endpoint, which is therefore not locked.
  if (well.length === outcomes.length) {
    const areOurs = await recordSuccesses(tx, well, now)
    for (const group of groups) noteWell(tx, group, areOurs, now)
    return
  }
  const endpoints = await Promise.all(
    groups.map(([first]) => first && lockEndpoint(tx, first.claimed.installationId, first.claimed.endpointId)),
  )
  const areOurs = await recordSuccesses(tx, well, now)
  await Promise.all(groups.map((group, index) => recordOfEndpoint(tx, endpoints[index], group, areOurs, now)))
}

// Returns the ids of the deliveries whose lease this process still had.
async function recordSuccesses(tx: Tx, outcomes: readonly DeliveryOutcome[], now: number): Promise<Set<string>> {
  if (outcomes.length === 0) return new Set()
  const rows = await updateWell(tx, outcomes, now)
  hurryNexts(tx, rows, now)
  return new Set(rows.map(({ id }) => id))
}

function noteWell(tx: Tx, group: readonly DeliveryOutcome[], areOurs: ReadonlySet<string>, now: number): void {
  const ours = group.filter(({ claimed }) => areOurs.has(claimed.id))
  const [first] = ours
  if (!first) return
  const { installationId, endpointId: id } = first.claimed
  const startedAt = Math.max(...ours.map((outcome) => outcome.startedAt))
  recordEndpointSuccess(tx, { installationId, id }, startedAt, now)
}

// `endpoint`: undefined if it was removed meanwhile. Only outcomes whose lease this process still had change the health of the endpoint.
async function recordOfEndpoint(
  tx: Tx,
  endpoint: Endpoint | undefined,
  outcomes: readonly DeliveryOutcome[],
  areWell: ReadonlySet<string>,
  now: number,
): Promise<void> {
  const areOurs = await Promise.all(
    outcomes.map((outcome) =>
      isSuccess(outcome.call) ? areWell.has(outcome.claimed.id) : recordFailure(tx, endpoint, outcome, now),
    ),
  )
  if (!endpoint) return
  const ours = outcomes.filter((_, index) => areOurs[index]).filter(({ claimed }) => claimed.body.length > 0)
  const health = ours.reduce((known, outcome) => healthAfter(known, outcome, now), endpoint)
  if (ours.length > 0) await setHealth(tx, health)
  const reason = endpoint.status === 'enabled' ? reasonToDisable(health, ours, now) : undefined
  if (reason) await disableEndpoint(tx, health, reason, null, now)
}

export function isSuccess({ kind, statusCode }: CallOutcome): boolean {
  return kind === 'answered' && statusCode !== null && statusCode >= 200 && statusCode <= 299
}

function healthAfter(endpoint: Endpoint, { call, startedAt }: DeliveryOutcome, now: number): Endpoint {
  if (isSuccess(call)) {
    // A call that began before the last failure does not show that the endpoint works now.
    if (endpoint.lastFailureAt !== null && endpoint.lastFailureAt > startedAt)
      return { ...endpoint, lastSuccessAt: now }
    return { ...endpoint, lastSuccessAt: now, consecutiveFailures: 0, failingSince: null, restingUntil: null }
  }
  const consecutiveFailures = endpoint.consecutiveFailures + 1
  const restMs = breakerPauseMs(consecutiveFailures, parseRetryAfter(call.retryAfter, now))
  return {
    ...endpoint,
    lastFailureAt: now,
    consecutiveFailures,
    failingSince: endpoint.failingSince ?? now,
    restingUntil: restMs > 0 ? Math.max(now + restMs, endpoint.restingUntil ?? 0) : endpoint.restingUntil,
  }
}

function reasonToDisable(
  health: Endpoint,
  outcomes: readonly DeliveryOutcome[],
  now: number,
): 'gone' | 'failing' | undefined {
  if (outcomes.some(({ call }) => call.statusCode === 410)) return 'gone'
  if (health.failingSince !== null && isGivenUp(health.consecutiveFailures, health.failingSince, now)) return 'failing'
  return undefined
}

function verdictOf(endpoint: Endpoint | undefined, { claimed, call }: DeliveryOutcome, now: number): Verdict {
  const error = call.error ?? `status ${call.statusCode}`
  if (!endpoint) return { status: 'discarded', dueAt: null, error }
  if (call.kind === 'blocked') return { status: 'blocked', dueAt: null, error }
  if (claimed.body.length === 0) return { status: 'failed', dueAt: null, error }
  const waitMs = waitMsAfter(claimed.id, claimed.attempts + 1, parseRetryAfter(call.retryAfter, now))
  if (waitMs === undefined) return { status: 'failed', dueAt: null, error }
  return { status: 'retrying', dueAt: now + waitMs, error }
}

// Returns false if this process no longer had the lease. Only the attempt is recorded then.
async function recordFailure(
  tx: Tx,
  endpoint: Endpoint | undefined,
  outcome: DeliveryOutcome,
  now: number,
): Promise<boolean> {
  const { claimed } = outcome
  const verdict = verdictOf(endpoint, outcome, now)
  const [rows] = await Promise.all([
    updateDelivery(tx, verdict, outcome, now),
    insertAttempt(tx, outcome, verdict.error),
  ])
  if (rows.length === 0) return false
  if (verdict.dueAt === null) hurryNexts(tx, rows, now)
  // Failed deliveries of events about webhooks are not announced: otherwise such events could cause further ones without end.
  const isAnnounced =
    (verdict.status === 'failed' || verdict.status === 'blocked') && !claimed.eventType.startsWith('webhook.')
  if (endpoint && isAnnounced) announceFailure(tx, endpoint, outcome, verdict, now)
  return true
}

interface EndedDelivery {
  installationId: string
  id: string
  // The next open delivery of its subject at the endpoint; null if there is none.
  nextId: string | null
}

// What an update of `webhook_deliveries` returns. A subquery of the update needs no second statement with the same rows, and looks only at
// rows that the update does not change. As a join, PostgreSQL would read the whole table.
const ended = new Fragment(`webhook_deliveries.installation_id as "installationId", webhook_deliveries.id,
  case when webhook_deliveries.replay_of is null then (
    select d.id from webhook_deliveries d
    where d.installation_id = webhook_deliveries.installation_id and d.endpoint_id = webhook_deliveries.endpoint_id
      and d.subject_id = webhook_deliveries.subject_id and d.sequence > webhook_deliveries.sequence and d.replay_of is null
      and d.status in ('pending', 'sending', 'retrying')
    order by d.sequence limit 1) end as "nextId"`)

// Updates all successful deliveries whose lease this process still has, in one statement. Only deliveries in status `sending` have a
// lease. The condition does not name the status, because PostgreSQL would then walk the index of all open deliveries.
async function updateWell(tx: Tx, outcomes: readonly DeliveryOutcome[], now: number): Promise<EndedDelivery[]> {
  const rows = outcomes.map(({ claimed, call, startedAt }) => [
    claimed.installationId,
    claimed.id,
    claimed.leaseId,
    startedAt,
    Math.round(call.tookMs),
    call.statusCode,
    call.answer,
  ])
  return tx.sql<EndedDelivery>`
    with done (installation_id, id, lease_id, started_at, took_ms, status_code, answer) as (
      ${tx.rows(rows, wellTypes)})
    update webhook_deliveries set status = 'succeeded', attempts = attempts + 1, lease_id = null, lease_expires_at = null,
      last_started_at = done.started_at, last_took_ms = done.took_ms, last_status_code = done.status_code,
      last_error = null, last_answer = done.answer, finished_at = ${now}
    from done
    where webhook_deliveries.installation_id = done.installation_id and webhook_deliveries.id = done.id
      and webhook_deliveries.lease_id = done.lease_id
    returning ${ended}`
}

const wellTypes = ['text', 'text', 'text', 'bigint', 'bigint', 'bigint', 'text'] as const

// Returns no row if this process no longer had the lease.
async function updateDelivery(
  tx: Tx,
  { status, dueAt, error }: Verdict,
  { claimed, call, startedAt }: DeliveryOutcome,
  now: number,
): Promise<EndedDelivery[]> {
  const finishedAt = status === 'retrying' ? null : now
  return tx.sql<EndedDelivery>`
    update webhook_deliveries set status = ${status}, attempts = attempts + 1, due_at = ${dueAt}, lease_id = null,
      lease_expires_at = null, last_started_at = ${startedAt}, last_took_ms = ${Math.round(call.tookMs)},
      last_status_code = ${call.statusCode}, last_error = ${error}, last_answer = null, finished_at = ${finishedAt}
    where installation_id = ${claimed.installationId} and id = ${claimed.id} and lease_id = ${claimed.leaseId}
    returning ${ended}`
}

async function insertAttempt(tx: Tx, { claimed, call, startedAt }: DeliveryOutcome, error: string): Promise<void> {
  await tx.sql`
    insert into webhook_attempts (installation_id, delivery_id, lease_id, attempt, started_at, took_ms, status_code, error,
      answer)
    values (${claimed.installationId}, ${claimed.id}, ${claimed.leaseId}, ${claimed.attempts + 1}, ${startedAt},
      ${Math.round(call.tookMs)}, ${call.statusCode}, ${error}, ${call.answer})
    on conflict do nothing`
}

// Makes the next delivery of each subject due if it was blocked by the one that has ended.
function hurryNexts(tx: Tx, rows: readonly EndedDelivery[], now: number): void {
  const waiting = rows.flatMap(({ installationId, nextId }) => (nextId === null ? [] : [{ installationId, nextId }]))
  for (const [installationId, its] of Map.groupBy(waiting, (next) => next.installationId))
    tx.send`
      update webhook_deliveries set due_at = ${now}
      where installation_id = ${installationId} and id in (${listFragment(its.map(({ nextId }) => nextId))}) and due_at > ${now}`
}

function announceFailure(
  tx: Tx,
  { mode }: Endpoint,
  { claimed, call }: DeliveryOutcome,
  verdict: Verdict,
  now: number,
): void {
  const delivery = {
    id: claimed.id,
    eventId: claimed.eventId,
    eventType: claimed.eventType,
    status: verdict.status,
    attempts: claimed.attempts + 1,
    lastStatusCode: call.statusCode,
    lastError: verdict.error,
    nextAttemptAt: null,
    createdAt: toInstant(claimed.createdAt),
  }
  announce(tx, {
    installationId: claimed.installationId,
    mode,
    kind: 'webhook.delivery_failed',
    subject: { type: 'webhook_delivery', id: claimed.id },
    sequence: 1,
    dataText: JSON.stringify({ endpointId: claimed.endpointId, delivery }),
    cause: null,
    now,
    notTo: claimed.endpointId,
  })
}
