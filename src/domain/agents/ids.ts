// Ids as platforms get them: with a tag that only this server can make. An id is a name and never a secret, so without the tag it
// would be enough to see one to read the checkout. A tag is bound to the platform: a leaked id is of no use to another one.

import { createHmac, type KeyObject } from 'node:crypto'
import { deriveKeys, isEqualSecret, type RootSecret } from '../../platform/secrets/secrets.ts'

const purpose = 'agent id'
const tagBytes = 16

export function taggedId(rootSecret: RootSecret, platformId: string, id: string): string {
  const [current] = deriveKeys(rootSecret, purpose)
  return `${id}.${tagOf(current, platformId, id)}`
}

// Undefined where the tag is not that of the platform. Tags of every known version of the root secret are accepted.
export function untaggedId(rootSecret: RootSecret, platformId: string, text: string): string | undefined {
  const [id = '', tag = '', ...more] = text.split('.')
  if (more.length > 0) return undefined
  const isRight = deriveKeys(rootSecret, purpose).some((key) => isEqualSecret(tagOf(key, platformId, id), tag))
  return isRight ? id : undefined
}

function tagOf(key: KeyObject, platformId: string, id: string): string {
  return createHmac('sha256', key).update(`${id} ${platformId}`).digest().subarray(0, tagBytes).toString('base64url')
}
