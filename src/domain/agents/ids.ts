// Ids as platforms see them: with a tag that only this server can make. An id is not a secret, so without the tag anyone who sees an id
// could read the checkout. A tag is bound to the platform: a leaked id is of no use to another one.

import { createHmac, type KeyObject } from 'node:crypto'
import { Lru } from '../../platform/kit/lru.ts'
import { deriveKeys, isEqualSecret, type RootSecret } from '../../platform/secrets/secrets.ts'

const purpose = 'agent id'
const tagBytes = 16

export function addPlatformTag(rootSecret: RootSecret, platformId: string, id: string): string {
  const [current] = deriveKeys(rootSecret, purpose)
  return `${id}.${tagOf(current, platformId, id)}`
}

// Returns undefined if the tag is not the platform's. Tags of every known version of the root secret are accepted.
export function removePlatformTag(rootSecret: RootSecret, platformId: string, text: string): string | undefined {
  const [id = '', tag = '', ...more] = text.split('.')
  if (more.length > 0) return undefined
  const isRight = deriveKeys(rootSecret, purpose).some((key) => isEqualSecret(tagOf(key, platformId, id), tag))
  return isRight ? id : undefined
}

// Tags are cached, since a platform sends the id of its checkout with every request and gets it with every response, and making a tag takes
// as long as a SQL statement.
const tagsMax = 2_000
const tagsBy = new WeakMap<KeyObject, Lru<string, string>>()

function tagOf(key: KeyObject, platformId: string, id: string): string {
  const text = `${id} ${platformId}`
  // An id that is made up may be longer. It is not cached.
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
