// Caches the results of reads until the next commit. If the storage cannot report commits without waiting, nothing is cached.

import type { Reader, Storage } from '../storage/storage.ts'
import { entryWeight, Lru } from './lru.ts'

// `mark`: the commit mark of the storage. It is taken before the read, so a commit during the read outdates the result.
export type RememberedRead<Found> = (
  key: string,
  mark: number | undefined,
  read: (db: Reader) => Promise<Found>,
) => Promise<Found>

// `foundBytes`: approximate size of a result.
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
