// Takes away what the authorization server no longer needs to remember. Whatever is past its time is refused whether or
// not this came by.

import type { Storage } from '../storage/storage.ts'
import { deleteExpired } from './store.ts'

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
  return swept
}
