// The outbox of events. An event is serialized once and written in the transaction of its change; it is sent later, byte for byte as
// stored here.

import type { EventKind, EventSubject, Mode } from '../../contract/words.ts'
import { splitIntoGroups } from '../kit/groups.ts'
import { newId } from '../kit/ids.ts'
import { toInstant } from '../kit/instant.ts'
import { packText } from '../kit/packed.ts'
import type { Tx } from '../storage/storage.ts'

// The request that caused a change.
export interface Cause {
  operationId: string | null
  requestId: string
}

// The instant of a change, and the request that caused it, or null if a loop or the operator caused it.
export interface ChangeContext {
  now: number
  cause: Cause | null
}

export interface Announcement {
  installationId: string
  // The mode of the installation.
  mode: Mode
  kind: EventKind
  subject: { type: EventSubject; id: string }
  // Version of the subject, by which receivers order events and detect gaps.
  sequence: number
  // The data as JSON text, often the same text as in the response to the request.
  dataText: string
  cause: Cause | null
  now: number
  // `notTo`: an endpoint that does not get the event, because the event is about it. `onlyTo`: the only endpoint that gets it.
  notTo?: string
  onlyTo?: string
}

const bodyBytesMax = 65_536
const eventsAtOnceMax = 256

export function announce(tx: Tx, event: Announcement): void {
  const together = gathered.get(tx)
  if (together) together.push(event)
  else announceAll(tx, [event])
}

const gathered = new WeakMap<Tx, Announcement[]>()

// Collects the events that the work announces, and writes them together at its end. Only for work that neither reads events nor changes
// subscriptions.
export async function announceTogether<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  if (gathered.has(tx)) return work()
  const events: Announcement[] = []
  gathered.set(tx, events)
  try {
    const value = await work()
    announceAll(tx, events)
    return value
  } finally {
    gathered.delete(tx)
  }
}

function announceAll(tx: Tx, events: readonly Announcement[]): void {
  for (const theirs of Map.groupBy(events, ({ installationId }) => installationId).values())
    for (const some of splitIntoGroups(theirs, eventsAtOnceMax)) {
      const named = some.map((event) => ({ id: newId('evt'), event }))
      insertEvents(tx, named)
      tx.signal('deliveries', insertDeliveries(tx, named))
    }
}

interface NamedEvent {
  id: string
  event: Announcement
}

function insertEvents(tx: Tx, events: readonly NamedEvent[]): void {
  const given = tx.rows(
    events.map(({ id, event }) => {
      const { installationId, kind, subject, sequence, now } = event
      return [installationId, id, kind, subject.type, subject.id, sequence, packText(eventBody(id, event)), now]
    }),
    ['text', 'text', 'text', 'text', 'text', 'bigint', 'text', 'bigint'],
  )
  tx.send`
    with given (installation_id, id, type, subject_type, subject_id, sequence, body, occurred_at) as (${given})
    insert into events (installation_id, id, type, subject_type, subject_id, sequence, body, occurred_at)
    select installation_id, id, type, subject_type, subject_id, sequence, body, occurred_at
    from given where id is not null`
}

// Inserts one delivery per event and subscribed endpoint. Subscriptions are read in the transaction of the event. Each endpoint has its
// own two-character suffix for delivery ids, so one statement can insert all deliveries. Subscriptions are stored as a JSON list of
// quoted names, so a text match always matches whole names. The query starts with the endpoints, since most installations have few or
// none. An agent platform only gets events of its own orders, and only while the merchant has enabled webhooks to it.
function insertDeliveries(tx: Tx, events: readonly NamedEvent[]): Promise<unknown[]> {
  const given = tx.rows(
    events.map(({ id, event: { kind, subject, sequence, now, notTo = '', onlyTo = '' } }) => [
      newId('whd').slice(0, -2),
      id,
      kind,
      subject.id,
      sequence,
      now,
      notTo,
      onlyTo,
      named(`${kind.slice(0, kind.indexOf('.'))}.*`),
      named(kind),
    ]),
    ['text', 'text', 'text', 'text', 'bigint', 'bigint', 'text', 'text', 'text', 'text'],
  )
  return tx.sql`
    with given (stem, event_id, kind, subject_id, sequence, at, not_to, only_to, of_family, of_kind) as (${given})
    insert into webhook_deliveries (installation_id, id, endpoint_id, event_id, event_type, subject_id, sequence, status,
      attempts, due_at, created_at)
    select e.installation_id, given.stem || e.slot, e.id, given.event_id, given.kind, given.subject_id, given.sequence,
      'pending', 0, given.at, given.at
    from webhook_endpoints e cross join given
    where e.installation_id = ${events[0]?.event.installationId ?? null} and e.ended_at is null and given.stem is not null
      and e.id <> given.not_to and (e.id = given.only_to or (given.only_to = '' and (e.events like '%"*"%'
        or e.events like given.of_family escape '!' or e.events like given.of_kind escape '!')))
      and (e.platform_id is null or exists (
        select 1 from orders o
        join agent_settings s on s.merchant_id = o.merchant_id and s.mode = o.mode and s.order_webhooks = 1
        where o.installation_id = e.installation_id and o.id = given.subject_id and o.agent_platform_id = e.platform_id))
    returning id`
}

// Escapes underscores, which match any character in a `like` pattern.
function named(subscription: string): string {
  return `%"${subscription.replaceAll('_', '!_')}"%`
}

export function eventBody(id: string, event: Announcement): string {
  const body = bodyWith(id, event, event.dataText)
  if (Buffer.byteLength(body) <= bodyBytesMax) return body
  return bodyWith(id, event, JSON.stringify({ id: event.subject.id, truncated: true }))
}

function bodyWith(
  id: string,
  { installationId, mode, kind, subject, sequence, cause, now }: Announcement,
  dataText: string,
): string {
  const head = JSON.stringify({
    id,
    type: kind,
    apiVersion: 'v1',
    timestamp: toInstant(now),
    installationId,
    mode,
    subject,
    sequence,
    cause,
  })
  return `${head.slice(0, -1)},"data":${dataText}}`
}
