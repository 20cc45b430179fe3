// The outbox: what happened is written down in the transaction in which it happened, serialised once, and told to others
// later, byte for byte as it stands here.

import type { EventKind, EventSubject } from '../contract/words.ts'
import { newId } from '../kit/ids.ts'
import { toInstant } from '../kit/instant.ts'
import type { Tx } from '../storage/storage.ts'

// The request that caused it; null where a loop or the operator did.
export interface Cause {
  operationId: string | null
  requestId: string
}

export interface Announcement {
  installationId: string
  kind: EventKind
  subject: { type: EventSubject; id: string }
  // The version of the subject, so that a receiver can order events and see gaps.
  sequence: number
  // JSON text of the data: often the very text that the caller is answered with.
  dataText: string
  cause: Cause | null
  now: number
}

const bodyBytesMax = 65_536

export async function announce(tx: Tx, event: Announcement): Promise<void> {
  const id = newId('evt')
  const { installationId, kind, subject, sequence, now } = event
  await tx.sql`
    insert into events (installation_id, id, type, subject_type, subject_id, sequence, body, occurred_at)
    values (${installationId}, ${id}, ${kind}, ${subject.type}, ${subject.id}, ${sequence}, ${eventBody(id, event)}, ${now})`
}

export function eventBody(id: string, event: Announcement): string {
  const body = bodyWith(id, event, event.dataText)
  if (Buffer.byteLength(body) <= bodyBytesMax) return body
  return bodyWith(id, event, JSON.stringify({ id: event.subject.id, truncated: true }))
}

function bodyWith(
  id: string,
  { installationId, kind, subject, sequence, cause, now }: Announcement,
  dataText: string,
): string {
  const head = JSON.stringify({
    id,
    type: kind,
    apiVersion: 'v1',
    timestamp: toInstant(now),
    installationId,
    subject,
    sequence,
    cause,
  })
  return `${head.slice(0, -1)},"data":${dataText}}`
}
