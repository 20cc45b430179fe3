// Who calls: a platform is known by the address of its profile, which is read, cached and given an id in each shop.

import { newId } from '../../platform/kit/ids.ts'
import { isLoopback } from '../../platform/kit/loopback.ts'
import { Lru } from '../../platform/kit/lru.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { fetchDocument } from './fetch.ts'
import { type AgentShop, seePlatform } from './store.ts'

// The id of all callers without a profile.
export const noPlatform = 'plt_none'

export interface PlatformParts {
  storage: Storage
  clock: () => Date
  publicOrigin: () => string
}

export interface Platforms {
  // The document at the address, or undefined where it cannot be had. `busy`: too many are being read.
  profileAt(url: string): Promise<{ value: unknown } | 'unreachable' | 'busy'>
  // The id of the platform in this shop.
  idOf(shop: AgentShop, profileUrl: string): Promise<string>
}

interface CachedProfile {
  found: { value: unknown } | 'unreachable'
  freshUntil: number
}

const bytesMax = 128 * 1024
const msMax = 5_000
const freshMsMin = 60_000
const freshMsMax = 24 * 3_600_000
const refusedMs = 60_000
const cachedMax = 500
// In a second, for the whole process.
const fetchesMax = 5
const seenEveryMs = 60_000

export function createPlatforms({ storage, clock, publicOrigin }: PlatformParts): Platforms {
  const profiles = new Lru<string, CachedProfile>(cachedMax)
  const reading = new Map<string, Promise<CachedProfile['found']>>()
  const seen = new Lru<string, { id: string; at: number }>(5_000)
  let second = 0
  let fetches = 0

  // False where this second has had its share.
  function takeFetch(now: number): boolean {
    const current = Math.floor(now / 1_000)
    if (current !== second) [second, fetches] = [current, 0]
    fetches += 1
    return fetches <= fetchesMax
  }

  async function read(url: string): Promise<CachedProfile['found']> {
    const allowPrivate = isLoopback(new URL(publicOrigin()))
    const document = await fetchDocument(url, { allowPrivate, bytesMax, msMax })
    const now = clock().getTime()
    const freshMs = document ? Math.min(freshMsMax, Math.max(freshMsMin, document.maxAgeMs)) : refusedMs
    const found = document ? { value: document.value } : ('unreachable' as const)
    profiles.set(url, { found, freshUntil: now + freshMs })
    return found
  }

  return {
    async profileAt(url) {
      const now = clock().getTime()
      const cached = profiles.get(url)
      if (cached && cached.freshUntil > now) return cached.found
      const underWay = reading.get(url)
      if (underWay) return underWay
      if (!takeFetch(now)) return 'busy'
      const begun = read(url).finally(() => reading.delete(url))
      reading.set(url, begun)
      return begun
    },

    async idOf({ installationId, merchantId }, profileUrl) {
      const key = `${installationId} ${profileUrl}`
      const now = clock().getTime()
      const known = seen.get(key)
      if (known && now - known.at < seenEveryMs) return known.id
      const row = {
        installationId,
        id: newId('plt'),
        merchantId,
        profileUrl,
        host: new URL(profileUrl).host,
        firstSeenAt: now,
        lastSeenAt: now,
      }
      const { id } = await storage.write((tx) => seePlatform(tx, row))
      seen.set(key, { id, at: now })
      return id
    },
  }
}
