// Forgets platforms.

import type { Storage } from '../../platform/storage/storage.ts'
import { deleteUnusedPlatforms } from './store.ts'

// Those that have not called for this long, and made nothing that is still here, are forgotten.
const unusedMs = 90 * 24 * 3_600_000
export const platformsDeletedMax = 500

export function forgetPlatforms(storage: Storage, now: number): Promise<number> {
  return storage.write((tx) => deleteUnusedPlatforms(tx, now - unusedMs, platformsDeletedMax))
}
