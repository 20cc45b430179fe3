// Caches what was read until the next commit. If commits cannot be noticed without waiting, it is read each time.

import type { Reader, Storage } from '../storage/storage.ts'
import { entryWeight, Lru } from './lru.ts'

// `mark`: the commit mark of the storage, taken before the read, so a commit during the read changes it.
export type RememberedRead<Found> = (
  key: string,
  mark: number | undefined,
  read: (db: Reader) => Promise<Found>,
) => Promise<Found>

// `foundBytes`: the approximate size of one result.
export function rememberReads<Found>(
  storage: Pick<Storage, 'read'>,
  { keptBytesMax, foundBytes }: { keptBytesMax: number; foundBytes: number },
): RememberedRead<Found> {
  const kept = new Lru<string, { mark: number; found: Found }>(keptBytesMax, (_, key) => entryWeight(key, foundBytes))
  return async (key, mark, read) => {
    const known = kept.get(key)
    if (known !== undefined && known.mark === mark) return known.found
    const found = await storage.read(read)
    if (mark !== undefined) kept.set(key, { mark, found })
    return found
  }
}
