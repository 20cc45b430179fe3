// Limits the queue and the log: discards deliveries that waited too long for their endpoint, and deletes bodies of old events and of
// erased shoppers, the log of old deliveries, the events themselves, and replaced secrets. Works in short transactions, oldest first, so
// other writers do not wait long.

import { setImmediate as breathe } from 'node:timers/promises'
import {
  collectFailures,
  handleEach,
  handleRows,
  type LoopRound,
  type RowFailure,
  RowsFailed,
} from '../../platform/jobs/rows.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import { type RetentionMs, retentionDefaultsMs } from '../../platform/kit/retention.ts'
import { listFragment, type Reader, type Storage } from '../../platform/storage/storage.ts'
import { removeEndpoint } from './endpoints.ts'
import { discardPendingDeliveries, discardSomeDeliveries, isMakerLiving } from './store.ts'

const sweptMax = 500
const roundsMax = 200

// Where the last walk over old events stopped. Events that were skipped because a delivery is still open are not read again before the
// walk has reached the end, so later events are handled too, however many are skipped.
interface Place {
  occurredAt: number
  id: string
}

export type SweepPositions = Record<'texts' | 'forgotten' | 'events', Place>

export interface WebhookSweep {
  retentionMs?: Pick<RetentionMs, 'texts' | 'log'>
  places?: SweepPositions
  isEnding?: () => boolean
}

interface Sweep extends Required<WebhookSweep>, LoopRound {
  failures: RowFailure[]
  isMore: boolean
}

const start: Place = { occurredAt: 0, id: '' }

export function newSweepPositions(): SweepPositions {
  return { texts: start, forgotten: start, events: start }
}

// Returns whether there is more to do. Each part is safe on several nodes at the same time, and a part that fails does not prevent the
// others.
export async function sweepWebhooks(storage: Storage, now: number, input: WebhookSweep = {}): Promise<boolean> {
  const { retentionMs = retentionDefaultsMs, places = newSweepPositions(), isEnding = () => false } = input
  const parts = [
    removeOfEndedKeys,
    dropSecrets,
    discardPendingOfRemoved,
    discardOverdue,
    dropTexts,
    dropForgotten,
    dropLog,
    dropEvents,
  ]
  const round = { storage, loop: 'webhooks', now } as const
  const sweep: Sweep = { ...round, retentionMs, places, isEnding, failures: [], isMore: false }
  const errors: unknown[] = []
  for (const part of parts) await part(sweep).catch((error: unknown) => errors.push(error))
  const { failures, isMore } = sweep
  if (errors.length > 0)
    throw new AggregateError([...errors, ...failures.map(({ error }) => error)], 'parts of the webhook sweep failed')
  if (failures.length > 0) throw new RowsFailed(failures, 0, isMore)
  return isMore
}

// Removes endpoints whose key was revoked or has expired.
async function removeOfEndedKeys(sweep: Sweep): Promise<void> {
  const { storage, now } = sweep
  const ended = await storage.read(
    (db) => db.sql<EndpointName>`
      select e.installation_id as "installationId", e.id from webhook_endpoints e
      where e.credential_id is not null and e.ended_at is null and not ${isMakerLiving(now)} and ${isDueAt(now, 'e')}
      order by e.id limit ${sweptMax}`,
  )
  const remove = ({ installationId, id }: EndpointName) =>
    storage.write(async (tx) => Number(await removeEndpoint(tx, installationId, id, now)))
  await collectFailures(sweep.failures, handleEach(sweep, ended, keyOf, remove))
  if (ended.length === sweptMax) sweep.isMore = true
}

async function dropSecrets(sweep: Sweep): Promise<void> {
  const { storage, now } = sweep
  const replaced = await storage.read(
    (db) => db.sql<EndpointName>`
      select e.installation_id as "installationId", e.id from webhook_endpoints e
      where e.previous_expires_at <= ${now} and ${isDueAt(now, 'e')} order by e.id limit ${sweptMax}`,
  )
  await collectFailures(
    sweep.failures,
    handleRows(sweep, [replaced], keyOf, async (group) => {
      await storage.write(async (tx) => {
        for (const [installationId, ids] of byInstallation(group))
          await tx.sql`
            update webhook_endpoints set previous_sealed = null, previous_expires_at = null
            where installation_id = ${installationId} and id in (${listFragment(ids)}) and previous_expires_at <= ${now}`
      })
      return group.length
    }),
  )
}

interface EndpointName {
  installationId: string
  id: string
}

const endpointsMax = 100

async function discardPendingOfRemoved(sweep: Sweep): Promise<void> {
  const { storage, now } = sweep
  const removed = await storage.read(
    (db) => db.sql<EndpointName>`
      select e.installation_id as "installationId", e.id from webhook_endpoints e
      where e.ended_at is not null and ${isDueAt(now, 'e')} and exists (
        select 1 from webhook_deliveries d where d.endpoint_id = e.id and d.status in ('pending', 'retrying'))
      order by e.id limit ${endpointsMax}`,
  )
  await eachEndpoint(sweep, removed, (endpoint) =>
    storage.write((tx) => discardPendingDeliveries(tx, endpoint, sweptMax, now)),
  )
}

// Discards deliveries that were due for too long, because their endpoint is paused, disabled or far behind: otherwise a queue that is
// never sent would keep the bodies of its events forever.
async function discardOverdue(sweep: Sweep): Promise<void> {
  const { storage, now, retentionMs } = sweep
  const dueBy = now - retentionMs.texts
  const discard = { dueBy, error: 'it was due for too long', limit: sweptMax, now }
  const overdue = await storage.read((db) => listOverdueEndpoints(db, dueBy, now))
  await eachEndpoint(sweep, overdue, (endpoint) => storage.write((tx) => discardSomeDeliveries(tx, endpoint, discard)))
}

function eachEndpoint(
  sweep: Sweep,
  endpoints: readonly EndpointName[],
  discard: (endpoint: EndpointName) => Promise<number>,
): Promise<unknown> {
  if (endpoints.length === endpointsMax) sweep.isMore = true
  return collectFailures(
    sweep.failures,
    handleEach(sweep, endpoints, keyOf, async (endpoint) => {
      await again(sweep, () => discard(endpoint))
      return 1
    }),
  )
}

// Walks from endpoint to endpoint in the index, so a long queue costs no more than a short one.
export async function listOverdueEndpoints(db: Reader, dueBy: number, now: number): Promise<EndpointName[]> {
  return db.sql<EndpointName>`
    with recursive waiting (endpoint_id) as (
      select min(endpoint_id) from webhook_deliveries where status in ('pending', 'retrying')
      union all
      select (
        select min(d.endpoint_id) from webhook_deliveries d
        where d.status in ('pending', 'retrying') and d.endpoint_id > w.endpoint_id)
      from waiting w where w.endpoint_id is not null)
    select e.installation_id as "installationId", e.id
    from waiting w join webhook_endpoints e on e.id = w.endpoint_id
    where ${isDueAt(now, 'e')} and (
      select min(d.due_at) from webhook_deliveries d
      where d.endpoint_id = e.id and d.status in ('pending', 'retrying')) <= ${dueBy}
    order by e.id limit ${endpointsMax}`
}

interface OldEvent extends Place {
  installationId: string
}

export async function listOldTexts(db: Reader, after: Place, until: number, now: number): Promise<OldEvent[]> {
  return db.sql<OldEvent>`
    select e.installation_id as "installationId", e.id, e.occurred_at as "occurredAt" from events e
    where e.body <> '' and e.occurred_at <= ${until} and (e.occurred_at, e.id) > (${after.occurredAt}, ${after.id})
      and ${isDueAt(now, 'e')}
    order by e.occurred_at, e.id limit ${sweptMax}`
}

// No delivery can be opened between the read and the write: events of this age can no longer be replayed.
async function dropTexts(sweep: Sweep): Promise<void> {
  const { storage, now, retentionMs, places } = sweep
  await walk(sweep, 'texts', {
    list: () => storage.read((db) => listOldTexts(db, places.texts, now - retentionMs.texts, now)),
    listStaying: listPending,
    drop: async (installationId, ids) => {
      await storage.write(
        (tx) =>
          tx.sql`update events set body = '' where installation_id = ${installationId} and id in (${listFragment(ids)})`,
      )
    },
  })
}

export async function listForgottenTexts(db: Reader, after: Place, now: number): Promise<OldEvent[]> {
  return db.sql<OldEvent>`
    select e.installation_id as "installationId", e.event_id as "id", e.occurred_at as "occurredAt" from forgotten_texts e
    where (e.occurred_at, e.event_id) > (${after.occurredAt}, ${after.id})
      and ${isNotDeferred('webhooks', 'e.installation_id', 'e.event_id', now)}
    order by e.occurred_at, e.event_id limit ${sweptMax}`
}

async function dropForgotten(sweep: Sweep): Promise<void> {
  const { storage, now, places } = sweep
  await walk(sweep, 'forgotten', {
    list: () => storage.read((db) => listForgottenTexts(db, places.forgotten, now)),
    listStaying: listPending,
    drop: async (installationId, ids) => {
      await storage.write(async (tx) => {
        await tx.sql`update events set body = '' where installation_id = ${installationId} and id in (${listFragment(ids)})`
        await tx.sql`
          delete from forgotten_texts where installation_id = ${installationId} and event_id in (${listFragment(ids)})`
      })
    },
  })
}

// Finds the deliveries only by the index of events. If the installation and the status were compared as plain columns, PostgreSQL without
// statistics would read all open deliveries of the installation.
export async function listPending(db: Reader, installationId: string, ids: readonly string[]): Promise<Set<string>> {
  const pending = await db.sql<{ eventId: string }>`
    select event_id as "eventId" from webhook_deliveries
    where event_id in (${listFragment(ids)}) and installation_id || '' = ${installationId}
      and status || '' in ('pending', 'sending', 'retrying')`
  return new Set(pending.map(({ eventId }) => eventId))
}

// The attempts of a delivery are deleted with it.
async function dropLog(sweep: Sweep): Promise<void> {
  const { storage, now, retentionMs } = sweep
  await again(sweep, async () => {
    const finished = await storage.read((db) => listFinished(db, now - retentionMs.log, now))
    return collectFailures(
      sweep.failures,
      handleRows(sweep, [finished], keyOf, async (group) => {
        for (const [installationId, ids] of byInstallation(group))
          await storage.write(
            (tx) =>
              tx.sql`delete from webhook_deliveries where installation_id = ${installationId} and id in (${listFragment(ids)})`,
          )
        return group.length
      }),
    )
  })
}

export async function listFinished(db: Reader, until: number, now: number): Promise<EndpointName[]> {
  return db.sql<EndpointName>`
    select d.installation_id as "installationId", d.id from webhook_deliveries d
    where d.finished_at is not null and d.finished_at <= ${until} and ${isDueAt(now, 'd')}
    order by d.finished_at limit ${sweptMax}`
}

export async function listOldEvents(db: Reader, after: Place, until: number, now: number): Promise<OldEvent[]> {
  return db.sql<OldEvent>`
    select e.installation_id as "installationId", e.id, e.occurred_at as "occurredAt" from events e
    where e.body = '' and e.occurred_at <= ${until} and (e.occurred_at, e.id) > (${after.occurredAt}, ${after.id})
      and ${isDueAt(now, 'e')}
    order by e.occurred_at, e.id limit ${sweptMax}`
}

// Deletes events whose body was deleted and that have no deliveries left. Also records the time up to which events were deleted: before
// that time, events may be missing.
async function dropEvents(sweep: Sweep): Promise<void> {
  const { storage, now, retentionMs, places } = sweep
  const until = now - retentionMs.log
  await walk(sweep, 'events', {
    list: () => storage.read((db) => listOldEvents(db, places.events, until, now)),
    listStaying: listAnnounced,
    drop: async (installationId, ids) => {
      await storage.write(async (tx) => {
        await tx.sql`
          insert into sweeps (name, at) values ('events', ${until})
          on conflict (name) do update set at = excluded.at where sweeps.at < excluded.at`
        await tx.sql`delete from events where installation_id = ${installationId} and id in (${listFragment(ids)})`
      })
    },
  })
}

export async function listAnnounced(db: Reader, installationId: string, ids: readonly string[]): Promise<Set<string>> {
  const announced = await db.sql<{ eventId: string }>`
    select event_id as "eventId" from webhook_deliveries
    where event_id in (${listFragment(ids)}) and installation_id || '' = ${installationId}`
  return new Set(announced.map(({ eventId }) => eventId))
}

interface Walk {
  list: () => Promise<OldEvent[]>
  listStaying: (db: Reader, installationId: string, ids: readonly string[]) => Promise<Set<string>>
  drop: (installationId: string, ids: readonly string[]) => Promise<void>
}

// Continues where the last walk stopped. After the end was reached, the next walk begins again.
async function walk(
  sweep: Sweep,
  name: keyof SweepPositions,
  { list: listOld, listStaying, drop }: Walk,
): Promise<void> {
  const { storage, places } = sweep
  await again(sweep, async () => {
    const old = await listOld()
    for (const [installationId, ids] of byInstallation(old)) {
      const staying = await storage.read((db) => listStaying(db, installationId, ids))
      const going = ids.filter((id) => !staying.has(id)).map((id) => ({ installationId, id }))
      await collectFailures(
        sweep.failures,
        handleRows(sweep, [going], keyOf, async (group) => {
          await drop(
            installationId,
            group.map(({ id }) => id),
          )
          return group.length
        }),
      )
    }
    const last = old.at(-1)
    places[name] = last && old.length === sweptMax ? last : start
    return old.length
  })
}

function isDueAt(now: number, table: 'e' | 'd') {
  return isNotDeferred('webhooks', `${table}.installation_id`, `${table}.id`, now)
}

function keyOf({ installationId, id }: EndpointName) {
  return { tenantId: installationId, rowId: id }
}

function byInstallation(rows: readonly EndpointName[]): Map<string, string[]> {
  const groups = Map.groupBy(rows, ({ installationId }) => installationId)
  return new Map([...groups].map(([installationId, its]) => [installationId, its.map(({ id }) => id)]))
}

async function again(sweep: Sweep, work: () => Promise<number>): Promise<void> {
  for (let round = 0; round < roundsMax && !sweep.isEnding(); round += 1) {
    if ((await work()) < sweptMax) return
    await breathe()
  }
  sweep.isMore = true
}
