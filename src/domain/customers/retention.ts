// Deletes codes that count for no limit any more, and sessions that have ended. Both are refused whether or not they were deleted.

import type { Storage } from '../../platform/storage/storage.ts'
import { codesStoredMs } from './codes.ts'
import { deleteEndedSessions, deleteOldCodes } from './store.ts'

export const customersSweptMax = 500

// The number of rows, of the larger kind.
export async function sweepCustomers(storage: Storage, now: number): Promise<number> {
  return storage.write(async (tx) =>
    Math.max(
      await deleteOldCodes(tx, now - codesStoredMs, customersSweptMax),
      await deleteEndedSessions(tx, now, customersSweptMax),
    ),
  )
}
