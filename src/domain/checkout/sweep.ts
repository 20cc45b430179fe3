// Ends sessions that have expired or whose installation has ended: releases their stock and announces the end. A session that has expired
// counts as ended when it is read, even before that.

import { claimRows, collectFailures, handleEach, type RowFailure, RowsFailed } from '../../platform/jobs/rows.ts'
import type { RowKey } from '../../platform/jobs/store.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { sessionStatusAt } from './lifecycle.ts'
import { type CheckoutTools, endSession, lockSessionAndCart } from './sessions.ts'
import {
  claimEndedInstallations,
  endInstallationClaim,
  listEndedInstallations,
  listOpenSessions,
  listOverdueSessions,
  makeInstallationDue,
  type SessionKey,
} from './store.ts'

// Sessions are processed in parallel, so they share commits and do not wait for each other's round trips.
const sessionsAtOnce = 8

// Returns how many sessions were ended. Safe on several nodes: each session is checked again under its lock.
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
  await endSession(tools, tx, session, { verb: 'expire', now: new Date(now), cause: null })
  return 1
}

const installationsMax = 20
const lookAgainMs = 5_000
// How long sessions of an ended installation are still looked for: a request that was authenticated before the end may open a session
// afterwards.
const watchedMs = 60_000

// Ends open sessions of ended installations, at most `limit` of each per round. Returns how many. A session with a payment in progress
// stays until the payment has ended.
export async function endSessionsOfEnded(
  storage: Storage,
  tools: CheckoutTools,
  now: number,
  limit = 100,
): Promise<number> {
  const round = { storage, loop: 'ended_installations', now } as const
  const failures: RowFailure[] = []
  const claimed = await claimRows(
    round,
    failures,
    (only) =>
      storage.write((tx) => claimEndedInstallations(tx, { now, leaseMs: lookAgainMs, limit: installationsMax, only })),
    () => storage.read((db) => listEndedInstallations(db, now, installationsMax)),
  )
  const found = await Promise.all(
    claimed.map(async (installation) => ({
      ...installation,
      open: await storage.read((db) => listOpenSessions(db, installation.id, now, limit)),
    })),
  )
  const open = found.flatMap((installation) => installation.open)
  const rows = await collectFailures(
    failures,
    handleEach(round, open, keyOf, (key) => storage.write((tx) => cancelSession(tx, tools, key, now))),
  )
  // The claim is released only after no session is open, so a session that could not be ended is tried again.
  const isToMove = found.filter(({ endedAt, open: its }) => its.length === limit || endedAt <= now - watchedMs)
  await collectFailures(
    failures,
    handleEach(
      round,
      isToMove,
      ({ id }) => ({ tenantId: id, rowId: id }),
      ({ id, open: its }) =>
        storage.write(async (tx) => {
          await (its.length === limit ? makeInstallationDue(tx, id, now) : endInstallationClaim(tx, id))
          return 0
        }),
    ),
  )
  if (failures.length > 0) throw new RowsFailed(failures, Math.max(0, rows - failures.length))
  return rows
}

async function cancelSession(tx: Tx, tools: CheckoutTools, key: SessionKey, now: number): Promise<number> {
  const session = await lockSessionAndCart(tx, key)
  if (session?.status !== 'open') return 0
  const cancellation = { reason: 'other', note: null, by: 'system' } as const
  const cancelled = { ...session, cancellation, cancelledAt: now }
  await endSession(tools, tx, cancelled, { verb: 'cancel', now: new Date(now), cause: null })
  return 1
}

function keyOf({ installationId, sessionId }: SessionKey): RowKey {
  return { tenantId: installationId, rowId: sessionId }
}
