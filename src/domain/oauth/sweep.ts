// Deletes expired rows of the authorization server, which are refused even before, and ends installations that can no longer be used.

import { setImmediate as breathe } from 'node:timers/promises'
import {
  collectFailures,
  handleEach,
  handleRows,
  type LoopRound,
  type RowFailure,
  RowsFailed,
} from '../../platform/jobs/rows.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { listAbandoned, listUnredeemed, lockInstallation } from './grants.ts'
import { uninstallApp } from './installing.ts'
import { deleteExpiredArtifacts, listExpiredArtifacts } from './store.ts'

const rowsAtOnce = 1_000
const roundsMax = 50
// If a sweep deletes this many rows, more may be left.
export const artifactsSweptMax = rowsAtOnce * roundsMax

// Deletes in small transactions, several in a row if necessary: anyone can make the server store rows that last some minutes. Returns the
// number of deleted rows.
export async function sweepArtifacts(storage: Storage, now: number, isEnding = () => false): Promise<number> {
  const round = { storage, loop: 'oauth', now } as const
  const failures: RowFailure[] = []
  let swept = 0
  for (let rounds = 0; rounds < roundsMax && !isEnding(); rounds += 1) {
    const rows = await collectFailures(failures, deleteArtifacts(round))
    swept += rows
    if (rows < rowsAtOnce) break
    await breathe()
  }
  swept += await collectFailures(failures, endUnredeemed(round))
  swept += await collectFailures(failures, endAbandoned(round))
  if (failures.length > 0) throw new RowsFailed(failures, swept - failures.length, swept >= artifactsSweptMax)
  return swept
}

async function deleteArtifacts(round: LoopRound): Promise<number> {
  const { storage, now } = round
  const expired = await storage.read((db) => listExpiredArtifacts(db, now, rowsAtOnce))
  return handleRows(
    round,
    [expired],
    // Codes and tokens have no tenant, so failures are recorded per kind.
    ({ kind, id }) => ({ tenantId: kind, rowId: id }),
    (keys) => storage.write((tx) => deleteExpiredArtifacts(tx, keys, now)),
  )
}

const redeemedWithinMs = 600_000

// Ends installations of apps that have no key, code or token: the code was never redeemed, or all tokens have expired. The app can no
// longer use such an installation.
async function endUnredeemed(round: LoopRound): Promise<number> {
  const { storage, now } = round
  const made = { before: now - redeemedWithinMs, now }
  const left = await storage.read((db) => listUnredeemed(db, made, rowsAtOnce))
  return handleEach(
    round,
    left,
    (id) => ({ tenantId: id, rowId: id }),
    (id) =>
      storage.write(async (tx) => {
        // Check again under the lock that every write to a grant takes.
        await lockInstallation(tx, id)
        if ((await listUnredeemed(tx, made, 1, id)).length === 0) return 0
        return (await uninstallApp(tx, id, now)) ? 1 : 0
      }),
  )
}

// Ends installations of assistants that no longer have an active approver (see listAbandoned). bearer.ts already refuses such an assistant;
// an ended installation stays ended even if the person returns.
async function endAbandoned(round: LoopRound): Promise<number> {
  const { storage, now } = round
  const left = await storage.read((db) => listAbandoned(db, now, rowsAtOnce))
  return handleEach(
    round,
    left,
    (id) => ({ tenantId: id, rowId: id }),
    (id) => storage.write(async (tx) => ((await uninstallApp(tx, id, now)) ? 1 : 0)),
  )
}
