// Ends sessions whose time is over: their stock goes back and the fact is told. Reads say so anyway.

import { handleEach } from '../loops/rows.ts'
import type { Storage, Tx } from '../storage/storage.ts'
import { sessionStatusAt } from './lifecycle.ts'
import { type CheckoutTools, endSession, lockSessionAndCart } from './sessions.ts'
import { listOverdueSessions, type SessionKey } from './store.ts'

// Answers how many were ended. Safe on several nodes: each is looked at again under its lock.
export async function expireSessions(
  storage: Storage,
  tools: CheckoutTools,
  now: number,
  limit = 100,
): Promise<number> {
  const overdue = await storage.read((db) => listOverdueSessions(db, now, limit))
  return handleEach(
    { storage, loop: 'sessions', now },
    overdue,
    ({ installationId, sessionId }) => ({ tenantId: installationId, rowId: sessionId }),
    (key) => storage.write((tx) => expireSession(tx, tools, key, now)),
  )
}

async function expireSession(tx: Tx, tools: CheckoutTools, key: SessionKey, now: number): Promise<number> {
  const session = await lockSessionAndCart(tx, key)
  if (session?.status !== 'open' || sessionStatusAt(session, now) !== 'expired') return 0
  await endSession(tools, tx, session, 'expire', new Date(now), null)
  return 1
}
