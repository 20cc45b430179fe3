// Origins of publishable keys: their normal form, and whether pages of an origin may call at all, which a browser asks in a CORS
// preflight without sending the key.

import { issue } from '../../contract/issues.ts'
import type { Mode } from '../../contract/words.ts'
import { isLoopback } from '../kit/loopback.ts'
import { Lru } from '../kit/lru.ts'
import type { Storage } from '../storage/storage.ts'
import { isOriginOfKey } from './store.ts'

// The rule for origins, shown to a person who enters an invalid one.
export const originRule = issue('not_an_origin')

// Returns an origin in the form that browsers send. Returns undefined for anything else, such as a wildcard or a URL with a path. http is
// only allowed for loopback hosts in test mode.
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

// Time after which other nodes see a new or revoked key.
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
