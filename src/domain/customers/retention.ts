// Deletes codes that count for no limit any more, sessions that have ended, and browsers that were known. All are refused whether or not they
// were deleted.

import type { Storage } from '../../platform/storage/storage.ts'
import { codesStoredMs, knownBrowserMs } from './codes.ts'
import { deleteEndedSessions, deleteOldBrowsers, deleteOldCodes } from './store.ts'

export const customersSweptMax = 500

// The number of rows, of the largest kind.
export async function sweepCustomers(storage: Storage, now: number): Promise<number> {
  return storage.write(async (tx) =>
    Math.max(
      await deleteOldCodes(tx, now - codesStoredMs, customersSweptMax),
      await deleteEndedSessions(tx, now, customersSweptMax),
      await deleteOldBrowsers(tx, now - knownBrowserMs, customersSweptMax),
    ),
  )
}
