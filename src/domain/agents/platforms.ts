// Identifies callers: a platform is known by the URL of its profile, which is read, cached and assigned an id in each shop.

import { newId } from '../../platform/kit/ids.ts'
import { isLoopback } from '../../platform/kit/loopback.ts'
import { Lru } from '../../platform/kit/lru.ts'
import type { Counts } from '../../platform/metrics/counts.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { createFetchShares, fetchDocument } from './fetch.ts'
import {
  type AgentShop,
  deleteSurplusPlatforms,
  findPlatformAt,
  insertPlatformIfNew,
  type PlatformRow,
} from './store.ts'

// The id that all callers without a profile share.
export const unknownPlatformId = 'plt_none'

export interface PlatformParts {
  storage: Storage
  clock: () => Date
  publicOrigin: () => string
  // Profile reads by outcome: read, failed, busy.
  profileReads?: Counts
}

// The caller for whom a profile is read.
export interface ProfileLookupContext {
  // How long the caller's network has to wait before another profile is read for it; 0: no wait.
  readWaitMs: () => number
  // Whether the shop that is called has approved the platform.
  isApproved: boolean
}

// `profile`: undefined if the document is not a profile.
export type ProfileResult<Profile> = { profile: Profile | undefined } | 'unreachable' | 'busy'

export interface PlatformDirectory<Profile> {
  // The profile at the URL. `unreachable`: it cannot be fetched. `busy`: too many are being read.
  profileAt(url: string, asker: ProfileLookupContext): Promise<ProfileResult<Profile>>
  // Like profileAt, but reads the document again unless that was done a moment ago: a platform may sign with a key that the cached
  // document does not have.
  profileAgain(url: string, asker: ProfileLookupContext): Promise<ProfileResult<Profile>>
  // The platform as this shop knows it; undefined if it never called.
  findAt(shop: AgentShop, profileUrl: string): Promise<PlatformRow | undefined>
  // Like findAt, but also records the call. `known`: the row, if it was just found.
  see(shop: AgentShop, profileUrl: string, known?: PlatformRow): Promise<PlatformRow>
}

interface CachedProfile<Profile> {
  found: { profile: Profile | undefined } | 'unreachable'
  readAt: number
  freshUntil: number
}

const bytesMax = 128 * 1024
const msMax = 5_000
const freshMsMin = 60_000
const freshMsMax = 24 * 3_600_000
const refusedMs = 60_000
const cachedMax = 500
// Fetches per second, for each share.
const fetchesMax = 5
const seenEveryMs = 60_000
// Per shop, counting platforms that only called. A new one replaces the one that called longest ago.
const strangersMax = 1_000

// `readProfile` returns only the used parts of a document: the document is untrusted, and 128 KiB of empty objects are megabytes in
// memory.
export function createPlatformDirectory<Profile>(
  { storage, clock, publicOrigin, profileReads }: PlatformParts,
  readProfile: (document: unknown) => Profile | undefined,
): PlatformDirectory<Profile> {
  const profiles = new Lru<string, CachedProfile<Profile>>(cachedMax)
  const reading = new Map<string, Promise<CachedProfile<Profile>['found']>>()
  const takeFetch = createFetchShares(fetchesMax)

  async function read(url: string): Promise<CachedProfile<Profile>['found']> {
    const allowPrivate = isLoopback(new URL(publicOrigin()))
    const document = await fetchDocument(url, { allowPrivate, bytesMax, msMax })
    const now = clock().getTime()
    const freshMs = document ? Math.min(freshMsMax, Math.max(freshMsMin, document.maxAgeMs)) : refusedMs
    const found = document ? { profile: readProfile(document.value) } : ('unreachable' as const)
    profileReads?.raise({ outcome: document ? 'read' : 'failed' })
    profiles.set(url, { found, readAt: now, freshUntil: now + freshMs })
    return found
  }

  async function readOnce(url: string, now: number, asker: ProfileLookupContext): Promise<ProfileResult<Profile>> {
    const underWay = reading.get(url)
    if (underWay) return underWay
    if (asker.readWaitMs() > 0 || !takeFetch(now, asker.isApproved ? 'approved' : 'other')) {
      profileReads?.raise({ outcome: 'busy' })
      return 'busy'
    }
    const begun = read(url).finally(() => reading.delete(url))
    reading.set(url, begun)
    return begun
  }

  return {
    async profileAt(url, asker) {
      const now = clock().getTime()
      const cached = profiles.get(url)
      return cached && cached.freshUntil > now ? cached.found : readOnce(url, now, asker)
    },

    async profileAgain(url, asker) {
      const now = clock().getTime()
      const cached = profiles.get(url)
      return cached && now - cached.readAt < freshMsMin ? cached.found : readOnce(url, now, asker)
    },

    findAt: ({ installationId }, profileUrl) => storage.read((db) => findPlatformAt(db, installationId, profileUrl)),

    async see({ installationId, merchantId }, profileUrl, found) {
      const now = clock().getTime()
      const known = found ?? (await storage.read((db) => findPlatformAt(db, installationId, profileUrl)))
      if (known && now - known.lastSeenAt < seenEveryMs) return known
      const row = newPlatformRow({ installationId, merchantId }, profileUrl, now)
      return storage.write(async (tx) => {
        if (!known) await deleteSurplusPlatforms(tx, installationId, strangersMax - 1)
        return insertPlatformIfNew(tx, row)
      })
    },
  }
}

export function newPlatformRow(
  { installationId, merchantId }: Pick<PlatformRow, 'installationId' | 'merchantId'>,
  profileUrl: string,
  now: number,
): PlatformRow {
  return {
    installationId,
    id: newId('plt'),
    merchantId,
    profileUrl,
    host: new URL(profileUrl).host,
    status: 'seen',
    version: 1,
    credentialId: null,
    firstSeenAt: now,
    lastSeenAt: now,
  }
}
