// Origins of publishable keys: their normal form, and whether a page of an origin may call at all. A browser asks that before it sends a
// request (a CORS preflight), without the key.

import { issue } from '../../contract/issues.ts'
import type { Mode } from '../../contract/words.ts'
import { isLoopback } from '../kit/loopback.ts'
import { Lru } from '../kit/lru.ts'
import type { Storage } from '../storage/storage.ts'
import { isOriginOfKey } from './store.ts'

// Describes a valid origin to the person who enters one.
export const originRule = issue('not_an_origin')

// Returns the normal form of an origin, as browsers send it. Returns undefined for anything else: a wildcard, a URL with a path, and
// http, which only a key in test mode may have, for pages of the developer's own machine.
export function normalizeOrigin(text: string, mode: Mode): string | undefined {
  if (/[\s\p{Cc}\p{Cf}\\?#@%*]/u.test(text)) return undefined
  const url = URL.parse(text)
  if (url?.pathname !== '/' || !/^https?:\/\/[^/]/i.test(text)) return undefined
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && mode === 'test' && isLoopback(url))
  return isAllowed ? url.origin : undefined
}

export interface KnownOrigins {
  // Returns whether an active key of any merchant is bound to the origin.
  has(origin: string, now: number): Promise<boolean>
  forgetAll(): void
}

// A new or revoked key is seen on other nodes after this time.
const freshMs = 10_000
const entriesMax = 10_000

export function createKnownOrigins(storage: Storage): KnownOrigins {
  const known = new Lru<string, { isKnown: boolean; readAt: number }>(entriesMax)
  return {
    async has(origin, now) {
      const entry = known.peek(origin)
      if (entry && now >= entry.readAt && now < entry.readAt + freshMs) return entry.isKnown
      const isKnown = origin.length <= originLengthMax && (await storage.read((db) => isOriginOfKey(db, origin, now)))
      known.set(origin, { isKnown, readAt: now })
      return isKnown
    },
    forgetAll: () => known.clear(),
  }
}

const originLengthMax = 300
