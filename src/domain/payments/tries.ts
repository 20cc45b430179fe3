// Limits declined payments by checkout session, card and network, within one installation, so no shop locks out the shoppers of another.
// The first declines cause no wait; then each further decline doubles it. An attempt is counted when the payment begins, because a
// hundred concurrent payments would otherwise all see a count of zero. It is uncounted if the payment was not declined.

import { createHmac } from 'node:crypto'
import { handleRows } from '../../platform/jobs/rows.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import { clockSkewMsMax } from '../../platform/kit/instant.ts'
import { deriveKey, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'

interface TryBound {
  // Number of declines without a wait.
  free: number
  // The wait after the next decline. It doubles with each further decline, up to `longestWaitMs`.
  firstWaitMs: number
  longestWaitMs: number
  // The time after which the count drops by one.
  forgivenMs: number
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export type DeclineSubjectKind = 'session' | 'card' | 'network'

// Shoppers who mistype twice stay below these limits. Many shoppers share a network.
const tryBounds: Readonly<Record<DeclineSubjectKind, TryBound>> = {
  session: { free: 4, firstWaitMs: 30 * second, longestWaitMs: 15 * minute, forgivenMs: 15 * minute },
  card: { free: 9, firstWaitMs: minute, longestWaitMs: hour, forgivenMs: hour },
  network: { free: 19, firstWaitMs: 30 * second, longestWaitMs: hour, forgivenMs: 10 * minute },
}

// Returns the wait after this many declines.
function waitAfter({ free, firstWaitMs, longestWaitMs }: TryBound, tries: number): number {
  return tries <= free ? 0 : Math.min(firstWaitMs * 2 ** (tries - free - 1), longestWaitMs)
}

export interface DeclineCount {
  forgivenAt: number
  triedAt: number
}

// Returns how long a payment must wait; 0 if it may begin now.
function waitMsFor(bound: TryBound, { forgivenAt, triedAt }: DeclineCount, now: number): number {
  const waitMs = waitAfter(bound, Math.ceil((forgivenAt - triedAt) / bound.forgivenMs))
  return Math.min(Math.max(0, triedAt + waitMs - now), waitMs)
}

// Tries dated in the future were counted before the clock was set back. They count as made now; otherwise the wait would end only when
// the clock reaches that time again.
function putRight({ forgivenAt, triedAt }: DeclineCount, now: number): DeclineCount {
  const aheadMs = triedAt - now
  return aheadMs > clockSkewMsMax ? { forgivenAt: forgivenAt - aheadMs, triedAt: now } : { forgivenAt, triedAt }
}

// Returns the subjects by which declines are counted. Card and network address are hashed with a key that is not in the database, and not
// stored otherwise. The subjects are sorted, so rows are always locked in the same order.
export function declineSubjectsOf(
  rootSecret: RootSecret,
  installationId: string,
  { sessionId, card, network }: { sessionId: string; card: string | undefined; network: string | undefined },
): string[] {
  const hashed = (kind: DeclineSubjectKind, value: string | undefined) => {
    if (value === undefined) return []
    const hmac = createHmac('sha256', deriveKey(rootSecret, 'payment tries'))
    return [`${kind} ${hmac.update(`${installationId} ${kind} ${value}`).digest('base64url')}`]
  }
  return [...hashed('card', card), ...hashed('network', network), `session ${sessionId}`]
}

function boundOf(subject: string): TryBound {
  return tryBounds[kindOf(subject)]
}

function kindOf(subject: string): DeclineSubjectKind {
  return subject.slice(0, subject.indexOf(' ')) as DeclineSubjectKind // `declineSubjectsOf` puts the kind first
}

// By which subject a payment must wait, and for how long.
export interface DeclineLimitRefusal {
  by: DeclineSubjectKind
  waitMs: number
}

// Counts a payment that begins. If it must wait, returns for how long, and counts nothing. The rows of the subjects stay locked.
export async function countPaymentTry(
  tx: Tx,
  installationId: string,
  subjects: readonly string[],
  now: number,
): Promise<DeclineLimitRefusal | null> {
  // The update changes nothing; it locks and returns an existing row.
  const found = await Promise.all(
    subjects.map(
      (subject) => tx.sql<DeclineCount>`
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

// Called when the outcome is known: uncounts a payment that was not declined.
export function recordTryOutcome(
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

// Rows per transaction, so other transactions do not wait long.
export const declineCountsSweptMax = 500

interface ForgivenKey {
  installationId: string
  subject: string
}

export async function deleteExpiredDeclineCounts(storage: Storage, now: number): Promise<number> {
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
        // Checks again that the row is old: there may have been a new attempt.
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
    order by t.forgiven_at limit ${declineCountsSweptMax}`
}
