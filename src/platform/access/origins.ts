// The origins of publishable keys: how one is written, and whether a page of an origin may ask at all. A browser asks for that
// before it sends a request, and shows no key then.

import { issue } from '../../contract/issues.ts'
import type { Mode } from '../../contract/words.ts'
import { isLoopback } from '../kit/loopback.ts'
import { Lru } from '../kit/lru.ts'
import type { Storage } from '../storage/storage.ts'
import { isOriginOfKey } from './store.ts'

// What an origin must be, for the person who names one.
export const originRule = issue('not_an_origin')

// The one spelling of an origin, as browsers send it. Undefined for what is none: a wildcard, an address with a path, and http,
// which only a key in test mode may have, for pages of the developer's own machine.
export function normalOrigin(text: string, mode: Mode): string | undefined {
  if (/[\s\p{Cc}\p{Cf}\\?#@%*]/u.test(text)) return undefined
  const url = URL.parse(text)
  if (url?.pathname !== '/' || !/^https?:\/\/[^/]/i.test(text)) return undefined
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && mode === 'test' && isLoopback(url))
  return isAllowed ? url.origin : undefined
}

export interface KnownOrigins {
  // Whether a key that is not revoked is bound to it, whoever's it is.
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
