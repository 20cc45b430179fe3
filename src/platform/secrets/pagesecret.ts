// The secret in the URL of a page: everyone who has it may see the page. The page is found by the hash of the secret. The secret is also
// stored encrypted, so it can be shown again.

import { createHash, randomBytes } from 'node:crypto'
import { Lru } from '../kit/lru.ts'
import { decryptByRootSecret, type EncryptionPurpose, encryptByRootSecret, type RootSecret } from './secrets.ts'

export interface PageSecret {
  text: string
  hash: string
  sealed: string
}

// `ownerId` is the id of what the page shows, such as a checkout session.
export interface PageSecrets {
  make(rootSecret: RootSecret, ownerId: string): PageSecret
  // Returns undefined if the secret was encrypted with a version of the root secret that was discarded.
  open(rootSecret: RootSecret, sealed: string, ownerId: string): string | undefined
}

export function pageSecretsFor(purpose: EncryptionPurpose): PageSecrets {
  return {
    make(rootSecret, ownerId) {
      const text = randomBytes(32).toString('base64url')
      return { text, hash: pageSecretHash(text), sealed: encryptByRootSecret(rootSecret, purpose, text, ownerId) }
    },
    open(rootSecret, sealed, ownerId) {
      const name = `${purpose} ${ownerId} ${sealed}`
      const texts = openedBy.get(rootSecret) ?? new Lru<string, string>(openedMax)
      openedBy.set(rootSecret, texts)
      const known = texts.get(name)
      if (known !== undefined) return known
      const text = decryptByRootSecret(rootSecret, purpose, sealed, ownerId)
      if (text !== undefined) texts.set(name, text)
      return text
    },
  }
}

// Decrypted secrets are cached by their encrypted text: every response with a checkout contains the URL of its page, and decrypting takes
// longer than an SQL statement.
const openedMax = 2_000
const openedBy = new WeakMap<RootSecret, Lru<string, string>>()

export function pageSecretHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

export function isPageSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}
