// Deletes checkout sessions after their retention period, and erases the customers of unfinished sessions earlier. Orders have their own
// copy of what they need.

import { handleRows } from '../../platform/jobs/rows.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import { forgetEmailsOfSessions } from '../../platform/outbox/emails.ts'
import { Fragment, listFragment, type Reader, type Storage, type Tx } from '../../platform/storage/storage.ts'
import { deleteCharges } from '../payments/ledger.ts'
import { deleteDeclined } from '../payments/store.ts'
import { forgetDraftNotes, type SessionKey } from './store.ts'

// Sessions per transaction, so other transactions do not wait long.
export const sessionsSweptMax = 500

interface Ended {
  endedBy: number
  now: number
}

// Erases what identifies the shopper of sessions that ended without an order, at `endedBy` or earlier. The session keeps its version, and
// no event is sent.
export async function eraseCustomers(storage: Storage, { endedBy, now }: Ended): Promise<number> {
  const sessions = await storage.read((db) => listToErase(db, endedBy, now))
  return handle(storage, sessions, now, async (tx, installationId, sessionIds) => {
    await forgetEmailsOfSessions(tx, installationId, sessionIds)
    await tx.sql`
      update agent_checkouts set asked_sealed = null
      where installation_id = ${installationId} and session_id in (${listFragment(sessionIds)})`
    await forgetDraftNotes(tx, installationId, sessionIds)
    await tx.sql`
      update checkout_sessions set customer_sealed = null, email_masked = null, email_hash = null
      where installation_id = ${installationId} and id in (${listFragment(sessionIds)}) and status in ('cancelled', 'expired')`
  })
}

export type EndedSession = 'completed' | 'without order'

// Deletes the oldest sessions that ended at `endedBy` or earlier, with their declined payments. A payment that moved money stays, with or
// without an order, because it belongs to the merchant's books. A session stays while a payment of it is looked up: if a charge is found,
// the session shows what it was for.
export async function deleteSessions(storage: Storage, kind: EndedSession, { endedBy, now }: Ended): Promise<number> {
  const sessions = await storage.read((db) => listEndedSessions(db, kind, endedBy, now))
  return handle(storage, sessions, now, async (tx, installationId, sessionIds) => {
    const declined = await deleteDeclined(tx, installationId, sessionIds)
    await deleteCharges(tx, declined)
    await tx.sql`
      delete from drafts where merchant_id = (select merchant_id from installations where id = ${installationId})
        and installation_id = ${installationId} and session_id in (${listFragment(sessionIds)})`
    // Checks the condition again: a late response may have made another look-up of a payment due.
    await tx.sql`
      delete from checkout_sessions as c
      where c.installation_id = ${installationId} and c.id in (${listFragment(sessionIds)}) and ${isNotLookedUp}`
  })
}

// An ended session never changes again, except for its successor, so it needs no lock.
function handle(
  storage: Storage,
  sessions: readonly SessionKey[],
  now: number,
  work: (tx: Tx, installationId: string, sessionIds: readonly string[]) => Promise<void>,
): Promise<number> {
  return handleRows(
    { storage, loop: 'retention', now },
    [sessions],
    ({ installationId, sessionId }) => ({ tenantId: installationId, rowId: sessionId }),
    (group) =>
      storage.write(async (tx) => {
        for (const [installationId, theirs] of Map.groupBy(group, (key) => key.installationId)) {
          const sessionIds = theirs.map(({ sessionId }) => sessionId)
          await work(tx, installationId, sessionIds)
        }
        return group.length
      }),
  )
}

// The condition repeats the one of the partial index word for word, or the database would not use the index.
export function listToErase(db: Reader, endedBy: number, now: number): Promise<SessionKey[]> {
  return db.sql<SessionKey>`
    select c.installation_id as "installationId", c.id as "sessionId" from checkout_sessions c
    where c.status not in ('open', 'processing', 'completed') and c.customer_sealed is not null
      and c.updated_at <= ${endedBy}
      and ${isNotDeferred('retention', 'c.installation_id', 'c.id', now)}
    order by c.updated_at limit ${sessionsSweptMax}`
}

const isNotLookedUp = new Fragment(`not exists (
  select 1 from payments p
  where p.installation_id = c.installation_id and p.checkout_session_id = c.id and p.check_at is not null)`)

// The status is a literal: with a parameter, the database would not use the partial index.
export function listEndedSessions(db: Reader, kind: EndedSession, endedBy: number, now: number): Promise<SessionKey[]> {
  const isDue = isNotDeferred('retention', 'c.installation_id', 'c.id', now)
  if (kind === 'completed')
    return db.sql<SessionKey>`
      select c.installation_id as "installationId", c.id as "sessionId" from checkout_sessions c
      where c.status = 'completed' and c.updated_at <= ${endedBy} and ${isDue} and ${isNotLookedUp}
      order by c.updated_at limit ${sessionsSweptMax}`
  return db.sql<SessionKey>`
    select c.installation_id as "installationId", c.id as "sessionId" from checkout_sessions c
    where c.status in ('cancelled', 'expired') and c.updated_at <= ${endedBy} and ${isDue} and ${isNotLookedUp}
    order by c.updated_at limit ${sessionsSweptMax}`
}
