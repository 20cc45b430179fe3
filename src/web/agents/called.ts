// Finds the shop that is called, and the platform that calls it. On SQLite the result is cached until the next commit.

import { type CalledShop, findCalledShop } from '../../domain/agents/store.ts'
import { entryWeight, Lru } from '../../platform/kit/lru.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Storage } from '../../platform/storage/storage.ts'

interface Place extends Pick<MerchantMode, 'mode'> {
  slug: string
}

const keptBytesMax = 2 ** 20
// Size of a cached shop and platform, without their addresses.
const foundBytes = 2_000

// `profileUrl`: null if the request names none.
export function createCalledShops(storage: Storage): (place: Place, profileUrl: string | null) => Promise<CalledShop> {
  const kept = new Lru<string, { mark: number; found: CalledShop }>(keptBytesMax, (_, key) =>
    entryWeight(key, foundBytes),
  )
  return async (place, profileUrl) => {
    // Read before the query, so a commit during the query changes the mark.
    const mark = storage.commitMark()
    const key = `${place.slug} ${place.mode} ${profileUrl ?? ''}`
    const known = kept.get(key)
    if (known !== undefined && known.mark === mark) return known.found
    const found = await storage.read((db) => findCalledShop(db, place, profileUrl))
    if (mark !== undefined && found.shop) kept.set(key, { mark, found })
    return found
  }
}
