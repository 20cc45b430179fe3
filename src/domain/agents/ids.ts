// Ids as platforms see them: with a tag that only this server can compute. An id is not a secret; without the tag, anyone who sees an id
// could read the checkout. The tag depends on the platform, so another platform cannot use a leaked id.

import { createHmac, type KeyObject } from 'node:crypto'
import { Lru } from '../../platform/kit/lru.ts'
import { deriveKeys, isEqualSecret, type RootSecret } from '../../platform/secrets/secrets.ts'

const purpose = 'agent id'
const tagBytes = 16

export function addPlatformTag(rootSecret: RootSecret, platformId: string, id: string): string {
  const [current] = deriveKeys(rootSecret, purpose)
  return `${id}.${tagOf(current, platformId, id)}`
}

// Returns undefined if the tag was not made for this platform. Tags made with any known version of the root secret are accepted.
export function removePlatformTag(rootSecret: RootSecret, platformId: string, text: string): string | undefined {
  const [id = '', tag = '', ...more] = text.split('.')
  if (more.length > 0) return undefined
  const isRight = deriveKeys(rootSecret, purpose).some((key) => isEqualSecret(tagOf(key, platformId, id), tag))
  return isRight ? id : undefined
}

// Tags are cached: every request and response contains one, and computing a tag takes as long as a SQL statement.
const tagsMax = 2_000
const tagsBy = new WeakMap<KeyObject, Lru<string, string>>()

function tagOf(key: KeyObject, platformId: string, id: string): string {
  const text = `${id} ${platformId}`
  // An id that the caller made up may be longer. Its tag is not cached.
  if (text.length > textMax) return newTag(key, text)
  const tags = tagsBy.get(key) ?? new Lru<string, string>(tagsMax)
  tagsBy.set(key, tags)
  const known = tags.get(text)
  if (known !== undefined) return known
  const tag = newTag(key, text)
  tags.set(text, tag)
  return tag
}

const textMax = 100

function newTag(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest().subarray(0, tagBytes).toString('base64url')
}
