// How often a payment may be declined: by checkout session, by card and by network, each within one installation, so no shop
// locks another's shoppers. Some are free; then there is a wait, which doubles. Counted when a payment begins, because a
// hundred that begin at once would all find nothing counted yet, and given back when it was not declined.

import { createHmac } from 'node:crypto'
import { handleRows } from '../../platform/jobs/rows.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import { clockSkewMsMax } from '../../platform/kit/instant.ts'
import { deriveKey, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'

interface TryBound {
  // So many declined payments cost nothing.
  free: number
  // After one more, and twice as long after each that follows, up to the longest.
  firstWaitMs: number
  longestWaitMs: number
  // One is forgiven after so long.
  forgivenMs: number
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export type TryKind = 'session' | 'card' | 'network'

// A shopper who mistypes twice never meets one of these. Many shoppers share a network.
const tryBounds: Readonly<Record<TryKind, TryBound>> = {
  session: { free: 4, firstWaitMs: 30 * second, longestWaitMs: 15 * minute, forgivenMs: 15 * minute },
  card: { free: 9, firstWaitMs: minute, longestWaitMs: hour, forgivenMs: hour },
  network: { free: 19, firstWaitMs: 30 * second, longestWaitMs: hour, forgivenMs: 10 * minute },
}

// How long to wait after the last of so many.
function waitAfter({ free, firstWaitMs, longestWaitMs }: TryBound, tries: number): number {
  return tries <= free ? 0 : Math.min(firstWaitMs * 2 ** (tries - free - 1), longestWaitMs)
}

export interface Tries {
  forgivenAt: number
  triedAt: number
}

// 0: it may be tried now.
function waitMsFor(bound: TryBound, { forgivenAt, triedAt }: Tries, now: number): number {
  const waitMs = waitAfter(bound, Math.ceil((forgivenAt - triedAt) / bound.forgivenMs))
  return Math.min(Math.max(0, triedAt + waitMs - now), waitMs)
}

// Tries of the future were counted before the clock was set back: they count as made now, or the wait would end only when the
// clock is there again.
function putRight({ forgivenAt, triedAt }: Tries, now: number): Tries {
  const aheadMs = triedAt - now
  return aheadMs > clockSkewMsMax ? { forgivenAt: forgivenAt - aheadMs, triedAt: now } : { forgivenAt, triedAt }
}

// Never the card and never the address: what identifies them, hashed under a key that is not in the database. In one order,
// in which their rows are locked.
export function subjectsOf(
  rootSecret: RootSecret,
  installationId: string,
  { sessionId, card, network }: { sessionId: string; card: string | undefined; network: string | undefined },
): string[] {
  const hashed = (kind: TryKind, value: string | undefined) => {
    if (value === undefined) return []
    const hmac = createHmac('sha256', deriveKey(rootSecret, 'payment tries'))
    return [`${kind} ${hmac.update(`${installationId} ${kind} ${value}`).digest('base64url')}`]
  }
  return [...hashed('card', card), ...hashed('network', network), `session ${sessionId}`]
}

function boundOf(subject: string): TryBound {
  return tryBounds[kindOf(subject)]
}

function kindOf(subject: string): TryKind {
  return subject.slice(0, subject.indexOf(' ')) as TryKind // as made above
}

// Why a payment may not begin yet.
export interface TryRefusal {
  by: TryKind
  waitMs: number
}

// Counts a payment that begins, or answers how long it must wait: then nothing was counted. Its subjects stay locked.
export async function countTry(
  tx: Tx,
  installationId: string,
  subjects: readonly string[],
  now: number,
): Promise<TryRefusal | null> {
  // The update changes nothing: it locks what is there, and answers with it.
  const found = await Promise.all(
    subjects.map(
      (subject) => tx.sql<Tries>`
        insert into payment_tries (installation_id, subject, forgiven_at, tried_at)
        values (${installationId}, ${subject}, 0, 0)
        on conflict (installation_id, subject) do update set tried_at = payment_tries.tried_at
        returning forgiven_at as "forgivenAt", tried_at as "triedAt"`,
    ),
  )
  const tries = subjects.map((subject, index) => {
    const stored = found[index]?.[0] ?? { forgivenAt: 0, triedAt: 0 }
    return { subject, bound: boundOf(subject), stored, before: putRight(stored, now) }
  })
  const waits = tries.map(({ subject, bound, before }) => ({
    by: kindOf(subject),
    waitMs: waitMsFor(bound, before, now),
  }))
  const longest = waits.reduce((one, other) => (other.waitMs > one.waitMs ? other : one))
  if (longest.waitMs > 0) {
    for (const { subject, stored, before } of tries)
      if (before.triedAt !== stored.triedAt)
        tx.send`
          update payment_tries set forgiven_at = ${before.forgivenAt}, tried_at = ${before.triedAt}
          where installation_id = ${installationId} and subject = ${subject}`
    return longest
  }
  for (const { subject, bound, before } of tries)
    tx.send`
      update payment_tries set forgiven_at = ${Math.max(before.forgivenAt, now) + bound.forgivenMs}, tried_at = ${now}
      where installation_id = ${installationId} and subject = ${subject}`
  return null
}

// The outcome is known. One that was not declined is given back.
export function endTry(
  tx: Tx,
  installationId: string,
  paymentId: string,
  { subjects, isDeclined }: { subjects: readonly string[]; isDeclined: boolean },
): void {
  if (subjects.length === 0) return
  tx.send`update payments set tried_as = null where installation_id = ${installationId} and id = ${paymentId}`
  if (isDeclined) return
  for (const subject of subjects)
    tx.send`
      update payment_tries set forgiven_at = forgiven_at - ${boundOf(subject).forgivenMs}
      where installation_id = ${installationId} and subject = ${subject}`
}

// In one transaction, so no one waits long.
export const triesSweptMax = 500

interface ForgivenKey {
  installationId: string
  subject: string
}

export async function deleteForgivenTries(storage: Storage, now: number): Promise<number> {
  const forgiven = await storage.read((db) => listForgiven(db, now))
  return handleRows(
    { storage, loop: 'retention', now },
    [forgiven],
    ({ installationId, subject }) => ({ tenantId: installationId, rowId: subject }),
    (keys) =>
      storage.write(async (tx) => {
        const over = tx.rows(
          keys.map(({ installationId, subject }) => [installationId, subject]),
          ['text', 'text'],
        )
        // Looked at once more: it may have been tried again.
        await tx.sql`
          with over (installation_id, subject) as (${over})
          delete from payment_tries
          where (installation_id, subject) in (select installation_id, subject from over) and forgiven_at <= ${now}`
        return keys.length
      }),
  )
}

function listForgiven(db: Reader, now: number): Promise<ForgivenKey[]> {
  return db.sql<ForgivenKey>`
    select t.installation_id as "installationId", t.subject from payment_tries t
    where t.forgiven_at <= ${now} and ${isNotDeferred('retention', 't.installation_id', 't.subject', now)}
    order by t.forgiven_at limit ${triesSweptMax}`
}
