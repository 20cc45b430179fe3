// Takes away what the authorization server no longer needs to remember. Whatever is past its time is refused whether or
// not this came by.

import { setImmediate as breathe } from 'node:timers/promises'
import { handleEach, handleRows, noteFailures, type Round, type RowFailure, RowsFailed } from '../loops/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { listUnredeemed, lockInstallation } from './grants.ts'
import { uninstall } from './installing.ts'
import { deleteFullSignIns } from './signins.ts'
import { deleteExpired, listExpired } from './store.ts'

const rowsAtOnce = 1_000
const roundsMax = 50
// Where it takes away so many, there may be more.
export const artifactsSweptMax = rowsAtOnce * roundsMax

// A little at a time, so that nobody waits long, and again while there are more: anybody can make us remember something
// for some minutes. Answers with the number of rows.
export async function sweepArtifacts(storage: Storage, now: number, isEnding = () => false): Promise<number> {
  const round = { storage, loop: 'oauth', now } as const
  const failures: RowFailure[] = []
  let swept = 0
  for (let rounds = 0; rounds < roundsMax && !isEnding(); rounds += 1) {
    const rows = await noteFailures(failures, deleteArtifacts(round))
    swept += rows
    if (rows < rowsAtOnce) break
    await breathe()
  }
  swept += await storage.write((tx) => deleteFullSignIns(tx, now, rowsAtOnce))
  swept += await noteFailures(failures, endUnredeemed(round))
  if (failures.length > 0) throw new RowsFailed(failures, swept - failures.length, swept >= artifactsSweptMax)
  return swept
}

async function deleteArtifacts(round: Round): Promise<number> {
  const { storage, now } = round
  const expired = await storage.read((db) => listExpired(db, now, rowsAtOnce))
  return handleRows(
    round,
    [expired],
    // A code or a token belongs to no tenant; its kind stands in its place.
    ({ kind, id }) => ({ tenantId: kind, rowId: id }),
    (keys) => storage.write((tx) => deleteExpired(tx, keys, now)),
  )
}

const redeemedWithinMs = 600_000

// An approval whose code nobody redeemed, or whose app has neither a token nor a key left, is an installation that nobody
// can use and only the operator could end.
async function endUnredeemed(round: Round): Promise<number> {
  const { storage, now } = round
  const made = { before: now - redeemedWithinMs, now }
  const left = await storage.read((db) => listUnredeemed(db, made, rowsAtOnce))
  return handleEach(
    round,
    left,
    (id) => ({ tenantId: id, rowId: id }),
    (id) =>
      storage.write(async (tx) => {
        // Looked at once more under the lock that everything of a grant is written under.
        await lockInstallation(tx, id)
        if ((await listUnredeemed(tx, made, 1, id)).length === 0) return 0
        return (await uninstall(tx, id, now)) ? 1 : 0
      }),
  )
}
