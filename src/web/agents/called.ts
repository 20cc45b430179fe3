// Which shop is called, and by which platform. On SQLite, what was found holds until something is committed.

import { type CalledShop, findCalledShop } from '../../domain/agents/store.ts'
import { entryWeight, Lru } from '../../platform/kit/lru.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Storage } from '../../platform/storage/storage.ts'

interface Place extends Pick<MerchantMode, 'mode'> {
  slug: string
}

const keptBytesMax = 2 ** 20
// A shop and a platform, without their addresses.
const foundBytes = 2_000

// `profileUrl`: null where the request names none.
export function createCalledShops(storage: Storage): (place: Place, profileUrl: string | null) => Promise<CalledShop> {
  const kept = new Lru<string, { mark: number; found: CalledShop }>(keptBytesMax, (_, key) =>
    entryWeight(key, foundBytes),
  )
  return async (place, profileUrl) => {
    // Taken before the look: what is committed meanwhile has another one.
    const mark = storage.commitMark()
    const key = `${place.slug} ${place.mode} ${profileUrl ?? ''}`
    const known = kept.get(key)
    if (known !== undefined && known.mark === mark) return known.found
    const found = await storage.read((db) => findCalledShop(db, place, profileUrl))
    if (mark !== undefined && found.shop) kept.set(key, { mark, found })
    return found
  }
}
