// Finds the called shop and the calling platform. On SQLite the result is cached until the next commit.

import { type CalledShop, findCalledShop } from '../../domain/agents/store.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { rememberReads } from '../../platform/kit/remembered.ts'
import type { Storage } from '../../platform/storage/storage.ts'

interface Place extends Pick<MerchantMode, 'mode'> {
  slug: string
}

// Size of a cached shop and platform, without their URLs.
const foundBytes = 2_000
const keptBytesMax = 2 ** 20

// `profileUrl`: null if the request does not name a profile. `mark`: the commit mark of the storage when the request arrived.
export type FindCalled = (place: Place, profileUrl: string | null, mark: number | undefined) => Promise<CalledShop>

export function createCalledShops(storage: Storage): FindCalled {
  const remembered = rememberReads<CalledShop>(storage, { keptBytesMax, foundBytes })
  return (place, profileUrl, mark) =>
    remembered(`${place.slug} ${place.mode} ${profileUrl ?? ''}`, mark, (db) => findCalledShop(db, place, profileUrl))
}
