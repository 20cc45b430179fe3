// Client metadata documents of assistants, read from the URL that a client names, with protections and a cache. Anyone can choose the
// URL, so reads per network and per second are limited. Documents of assistants that a merchant has approved have a limit of their own.

import { createFetchShares, fetchDocument } from '../../domain/agents/fetch.ts'
import { type ClientDocument, findAssistant, isDocumentUrl, readClientDocument } from '../../domain/oauth/assistants.ts'
import { networkBucket, type Throttle } from '../../platform/access/throttle.ts'
import { isLoopback } from '../../platform/kit/loopback.ts'
import { Lru } from '../../platform/kit/lru.ts'
import type { Storage } from '../../platform/storage/storage.ts'

export interface DocumentParts {
  storage: Storage
  clock: () => Date
  publicOrigin: () => string
  // Limits reads per network. Null: no limit.
  documentThrottle: Throttle | null
}

// Limit of documents read for one network. A sign-in reads one, unless it is cached.
export const documentsOfNetwork = { perSecond: 10 / 60, burst: 10 } as const

export type FoundDocument = ClientDocument | { problem: string } | 'busy'

export interface ClientDocuments {
  // Whether a client id is the URL of a document.
  isAddress(clientId: string): boolean
  // `address`: the caller's IP address.
  documentAt(url: string, address: string): Promise<FoundDocument>
}

interface Cached {
  found: ClientDocument | { problem: string }
  freshUntil: number
}

const bytesMax = 5 * 1024
const msMax = 5_000
const freshMsMin = 60_000
const freshMsMax = 24 * 3_600_000
const refusedMs = 60_000
const cachedMax = 500
// Maximum fetches per second, separately for approved assistants and for others.
const fetchesMax = 2

export function createClientDocuments(parts: DocumentParts): ClientDocuments {
  const { storage, clock, publicOrigin, documentThrottle } = parts
  const documents = new Lru<string, Cached>(cachedMax)
  const reading = new Map<string, Promise<Cached['found']>>()
  const takeFetch = createFetchShares(fetchesMax)
  const isLocal = () => isLoopback(new URL(publicOrigin()))

  async function read(url: string): Promise<Cached['found']> {
    const document = await fetchDocument(url, { allowPrivate: isLocal(), bytesMax, msMax })
    const found = document?.isJson
      ? readClientDocument(url, document.value)
      : {
          problem: `the client metadata document could not be read: JSON of at most ${bytesMax} bytes, without redirects`,
        }
    const freshMs =
      document && !('problem' in found) ? Math.min(freshMsMax, Math.max(freshMsMin, document.maxAgeMs)) : refusedMs
    documents.set(url, { found, freshUntil: clock().getTime() + freshMs })
    return found
  }

  return {
    isAddress: (clientId) => isDocumentUrl(clientId, { allowHttp: isLocal() }),

    async documentAt(url, address) {
      const now = clock().getTime()
      const cached = documents.get(url)
      if (cached && cached.freshUntil > now) return cached.found
      const isKnown = (await storage.read((db) => findAssistant(db, url))) !== undefined
      const underWay = reading.get(url)
      if (underWay) return underWay
      if (documentThrottle && documentThrottle.take(networkBucket(address), now) > 0) return 'busy'
      if (!takeFetch(now, isKnown ? 'approved' : 'other')) return 'busy'
      const begun = read(url).finally(() => reading.delete(url))
      reading.set(url, begun)
      return begun
    },
  }
}
