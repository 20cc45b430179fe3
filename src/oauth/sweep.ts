// Takes away what the authorization server no longer needs to remember. Whatever is past its time is refused whether or
// not this came by.

import type { Storage } from '../storage/storage.ts'
import { uninstall } from './installing.ts'
import { deleteExpired, listUnredeemed, lockInstallation } from './store.ts'

const rowsAtOnce = 1_000
const roundsMax = 50

// A little at a time, so that nobody waits long, and again while there are more: anybody can make us remember something
// for some minutes. Answers with the number of rows.
export async function sweepArtifacts(storage: Storage, now: number): Promise<number> {
  let swept = 0
  for (let round = 0; round < roundsMax; round += 1) {
    const rows = await storage.write((tx) => deleteExpired(tx, now, rowsAtOnce))
    swept += rows
    if (rows < rowsAtOnce) break
  }
  await endUnredeemed(storage, now)
  return swept
}

const redeemedWithinMs = 600_000

// An approval whose code nobody redeemed, or whose app has neither a token nor a key left, is an installation that nobody
// can use and only the operator could end.
async function endUnredeemed(storage: Storage, now: number): Promise<void> {
  const left = await storage.read((db) => listUnredeemed(db, now - redeemedWithinMs, rowsAtOnce))
  for (const id of left) {
    await storage.write(async (tx) => {
      // Looked at once more under the lock that everything of a grant is written under.
      await lockInstallation(tx, id)
      if ((await listUnredeemed(tx, now - redeemedWithinMs, 1, id)).length > 0) await uninstall(tx, id, now)
    })
  }
}
