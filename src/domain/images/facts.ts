// Facts that pages state about a picture before it is loaded: its size, and the colour of its placeholder. Returns facts that are in
// memory; others are read in the background, for the next page that shows the picture.

import { Lru } from '../../platform/kit/lru.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { type ImageFacts, listFacts } from './store.ts'

export type PictureFacts = Pick<ImageFacts, 'width' | 'height' | 'color'>
export type PictureFactsCache = (merchantId: string, path: string) => PictureFacts | undefined

const factsMax = 20_000
const askedAtOnceMax = 500
// How long the facts of a picture without copies are cached.
const unsettledMs = 5_000
const ownPicture = /^\/media\/(mer_[0-9a-z]{1,40})\/([0-9a-f]{32})-[0-9]{1,4}\.[a-z]{3,4}/

export function createPictureFactsCache(
  storage: Pick<Storage, 'read'>,
  report: (error: unknown) => void,
): PictureFactsCache {
  const known = new Lru<string, { facts: PictureFacts | undefined; until: number }>(factsMax)
  // Hashes to read, by merchant.
  const asked = new Map<string, Set<string>>()

  async function ask(merchantId: string, hashes: ReadonlySet<string>): Promise<void> {
    const rows = await storage.read((db) => listFacts(db, merchantId, [...hashes].slice(0, askedAtOnceMax)))
    const until = Date.now() + unsettledMs
    for (const { hash, width, height, color, isSettled } of rows) {
      const facts = { width: Number(width), height: Number(height), color }
      known.set(`${merchantId}/${hash}`, { facts, until: Number(isSettled) === 1 ? Number.POSITIVE_INFINITY : until })
    }
  }

  return (merchantId, path) => {
    const [, owner, hash] = ownPicture.exec(path) ?? []
    if (owner !== merchantId || hash === undefined) return undefined
    const key = `${merchantId}/${hash}`
    const found = known.get(key)
    if (found && found.until > Date.now()) return found.facts
    // Cached before the query returns, so the facts are not requested twice.
    known.set(key, { facts: found?.facts, until: Date.now() + unsettledMs })
    const hashes = asked.get(merchantId) ?? new Set()
    if (hashes.size === 0) {
      asked.set(merchantId, hashes)
      setImmediate(() => {
        asked.delete(merchantId)
        ask(merchantId, hashes).catch(report)
      })
    }
    hashes.add(hash)
    return found?.facts
  }
}
