// Ends sessions whose time is over, or whose installation has ended: their stock goes back and the fact is told. Reads say so
// anyway.

import { handleEach } from '../loops/rows.ts'
import type { RowKey } from '../loops/store.ts'
import type { Storage, Tx } from '../storage/storage.ts'
import { sessionStatusAt } from './lifecycle.ts'
import { type CheckoutTools, endSession, lockSessionAndCart } from './sessions.ts'
import {
  claimAgain,
  claimEndedInstallations,
  endClaim,
  listOpenSessions,
  listOverdueSessions,
  type SessionKey,
} from './store.ts'

// Side by side, so that commits are shared and no session waits for the round trips of another.
const sessionsAtOnce = 8

// Answers how many were ended. Safe on several nodes: each is looked at again under its lock.
export async function expireSessions(
  storage: Storage,
  tools: CheckoutTools,
  now: number,
  limit = 100,
): Promise<number> {
  const overdue = await storage.read((db) => listOverdueSessions(db, now, limit))
  return handleEach({ storage, loop: 'sessions', now, atOnce: sessionsAtOnce }, overdue, keyOf, (key) =>
    storage.write((tx) => expireSession(tx, tools, key, now)),
  )
}

async function expireSession(tx: Tx, tools: CheckoutTools, key: SessionKey, now: number): Promise<number> {
  const session = await lockSessionAndCart(tx, key)
  if (session?.status !== 'open' || sessionStatusAt(session, now) !== 'expired') return 0
  await endSession(tools, tx, session, 'expire', new Date(now), null)
  return 1
}

const installationsMax = 20
const lookAgainMs = 5_000
// A request that was let in before the end may still be opening a session.
const watchedMs = 60_000

// Ends the open sessions of installations that ended, of each at most `limit` in a round, and answers how many. A session
// whose payment is under way is left until that is settled.
export async function endSessionsOfEnded(
  storage: Storage,
  tools: CheckoutTools,
  now: number,
  limit = 100,
): Promise<number> {
  const claimed = await storage.write((tx) => claimEndedInstallations(tx, now, lookAgainMs, installationsMax))
  const found = await Promise.all(
    claimed.map(async (installation) => ({
      ...installation,
      open: await storage.read((db) => listOpenSessions(db, installation.id, now, limit)),
    })),
  )
  // Where a session cannot be ended the claims stay, and are due again by themselves.
  const ended = await handleEach(
    { storage, loop: 'ended_installations', now },
    found.flatMap(({ open }) => open),
    keyOf,
    (key) => storage.write((tx) => cancelSession(tx, tools, key, now)),
  )
  for (const { id, endedAt, open } of found) {
    if (open.length === limit) await storage.write((tx) => claimAgain(tx, id, now))
    else if (endedAt <= now - watchedMs) await storage.write((tx) => endClaim(tx, id))
  }
  return ended
}

async function cancelSession(tx: Tx, tools: CheckoutTools, key: SessionKey, now: number): Promise<number> {
  const session = await lockSessionAndCart(tx, key)
  if (session?.status !== 'open') return 0
  const cancellation = { reason: 'other', note: null, by: 'system' } as const
  await endSession(tools, tx, { ...session, cancellation, cancelledAt: now }, 'cancel', new Date(now), null)
  return 1
}

function keyOf({ installationId, sessionId }: SessionKey): RowKey {
  return { tenantId: installationId, rowId: sessionId }
}
