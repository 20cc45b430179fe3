// The outbox: an event is written in the transaction in which it happened, serialised once, and sent later, byte for
// byte as stored here.

import type { EventKind, EventSubject, Mode } from '../../contract/words.ts'
import { newId } from '../kit/ids.ts'
import { toInstant } from '../kit/instant.ts'
import { packed } from '../kit/packed.ts'
import { Fragment, type Tx } from '../storage/storage.ts'

// The request that caused a change.
export interface Cause {
  operationId: string | null
  requestId: string
}

// When something changes, and the request that caused it; null if a loop or the operator did.
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
  // The version of the subject, so a receiver can order events and detect gaps.
  sequence: number
  // JSON text of the data, often the same text as the answer to the caller.
  dataText: string
  cause: Cause | null
  now: number
  // An endpoint that does not receive the event, because the event is about that endpoint; or the only one that does.
  notTo?: string
  onlyTo?: string
}

const bodyBytesMax = 65_536

export function announce(tx: Tx, event: Announcement): void {
  const id = newId('evt')
  const { installationId, kind, subject, sequence, now } = event
  tx.send`
    insert into events (installation_id, id, type, subject_type, subject_id, sequence, body, occurred_at)
    values (${installationId}, ${id}, ${kind}, ${subject.type}, ${subject.id}, ${sequence},
      ${packed(eventBody(id, event))}, ${now})`
  tx.signal('deliveries', insertDeliveries(tx, id, event))
}

// One delivery for each subscribed endpoint, decided in the transaction of the event. Each endpoint has a two-character
// suffix for the ids of its deliveries, so one statement inserts them all. Subscriptions are stored as a JSON list of
// names in quotation marks, so a text match always finds a whole name.
function insertDeliveries(
  tx: Tx,
  eventId: string,
  { installationId, kind, subject, sequence, now, notTo = '', onlyTo = '' }: Announcement,
): Promise<unknown[]> {
  const stem = newId('whd').slice(0, -2)
  return tx.sql`
    insert into webhook_deliveries (installation_id, id, endpoint_id, event_id, event_type, subject_id, sequence, status,
      attempts, due_at, created_at)
    select installation_id, ${stem} || slot, id, ${eventId}, ${kind}, ${subject.id}, cast(${sequence} as bigint),
      'pending', 0, cast(${now} as bigint), cast(${now} as bigint)
    from webhook_endpoints
    where installation_id = ${installationId} and ended_at is null and id <> ${notTo} and (id = ${onlyTo} or (
      ${onlyTo} = '' and (events like '%"*"%' or events like ${named(`${kind.slice(0, kind.indexOf('.'))}.*`)} escape '!'
        or events like ${named(kind)} escape '!')))
      and (platform_id is null or ${isOrderOfPlatform(subject.id)})
    returning id`
}

// A platform of agents gets its own orders only, while the merchant lets it be called.
function isOrderOfPlatform(orderId: string): Fragment {
  return new Fragment(
    `exists (
        select 1 from orders o
        join agent_settings s on s.merchant_id = o.merchant_id and s.mode = o.mode and s.order_webhooks = 1
        where o.installation_id = webhook_endpoints.installation_id and o.id = ?
          and o.agent_platform_id = webhook_endpoints.platform_id)`,
    [orderId],
  )
}

// In a pattern an underscore would match any character.
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
