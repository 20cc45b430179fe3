// Identifies calling platforms by the URL of their profile. A profile is fetched and cached, and each shop has an id for the platform.

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

// The platform id of all callers without a profile.
export const unknownPlatformId = 'plt_none'

export interface PlatformParts {
  storage: Storage
  clock: () => Date
  publicOrigin: () => string
  // Counts how profiles were fetched, by outcome: read, failed, busy.
  profileReads?: Counts
}

// The request for which a profile is looked up.
export interface ProfileLookupContext {
  // How long the caller's network must wait until the next profile is fetched for it; 0: it need not wait.
  readWaitMs: () => number
  // Whether the shop that is called has approved the platform.
  isApproved: boolean
}

// `profile`: undefined if the document is not a profile. `unreachable`: the document cannot be fetched. `busy`: too many profiles are
// being fetched.
export type ProfileResult<Profile> = { profile: Profile | undefined } | 'unreachable' | 'busy'

export interface PlatformDirectory<Profile> {
  // Returns the profile at the URL, from the cache if it is fresh.
  profileAt(url: string, asker: ProfileLookupContext): Promise<ProfileResult<Profile>>
  // Like profileAt, but fetches the profile again unless that was done within the last minute: a platform may sign with a key that the
  // cached profile does not contain.
  profileAgain(url: string, asker: ProfileLookupContext): Promise<ProfileResult<Profile>>
  // Returns the platform as this shop has recorded it; undefined if the shop has no record of it.
  findAt(shop: AgentShop, profileUrl: string): Promise<PlatformRow | undefined>
  // Like findAt, but also records the call. `known`: the row, if the caller has just read it.
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
// Maximum number of fetches per second: for all approved platforms together, and for all others together.
const fetchesMax = 5
const seenEveryMs = 60_000
// Maximum number of platforms per shop that have only called. A new platform replaces the one whose last call is the oldest.
const strangersMax = 1_000

// `readProfile` must return only the parts of a document that are used: the document is untrusted, and 128 KiB of empty objects take
// megabytes of memory.
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
