// Deletes codes that no longer count for a limit, sessions that have ended, and remembered browsers that have expired. All of these are
// refused even before they are deleted.

import type { Storage } from '../../platform/storage/storage.ts'
import { codesStoredMs, knownBrowserMs } from './codes.ts'
import { deleteEndedSessions, deleteOldBrowsers, deleteOldCodes } from './store.ts'

export const customersSweptMax = 500

// Returns the largest of the numbers of deleted rows.
export async function sweepCustomers(storage: Storage, now: number): Promise<number> {
  return storage.write(async (tx) =>
    Math.max(
      await deleteOldCodes(tx, now - codesStoredMs, customersSweptMax),
      await deleteEndedSessions(tx, now, customersSweptMax),
      await deleteOldBrowsers(tx, now - knownBrowserMs, customersSweptMax),
    ),
  )
}
