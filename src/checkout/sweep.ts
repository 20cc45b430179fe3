// Ends sessions whose time is over: their stock goes back and the fact is told. Reads say so anyway.

import type { Storage } from '../storage/storage.ts'
import { sessionStatusAt } from './lifecycle.ts'
import { type CheckoutTools, endSession, lockSessionAndCart } from './sessions.ts'
import { listOverdueSessions } from './store.ts'

// Answers how many were ended. Safe on several nodes: each is looked at again under its lock.
export async function expireSessions(
  storage: Storage,
  tools: CheckoutTools,
  now: number,
  limit = 100,
): Promise<number> {
  const overdue = await storage.read((db) => listOverdueSessions(db, now, limit))
  let ended = 0
  for (const key of overdue) {
    ended += await storage.write(async (tx) => {
      const session = await lockSessionAndCart(tx, key)
      if (session?.status !== 'open' || sessionStatusAt(session, now) !== 'expired') return 0
      await endSession(tools, tx, session, 'expire', new Date(now), null)
      return 1
    })
  }
  return ended
}
