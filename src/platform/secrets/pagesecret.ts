// The secret in the URL of a page: everyone who has it may see the page. The page is found by the secret's hash, and the secret is stored
// encrypted to be shown again.

import { createHash, randomBytes } from 'node:crypto'
import { Lru } from '../kit/lru.ts'
import { decryptByRootSecret, type EncryptionPurpose, encryptByRootSecret, type RootSecret } from './secrets.ts'

export interface PageSecret {
  text: string
  hash: string
  sealed: string
}

// `ownerId` is the id of the page's subject.
export interface PageSecrets {
  make(rootSecret: RootSecret, ownerId: string): PageSecret
  // Returns undefined if the version of the root secret that encrypted the text was discarded.
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

// Opened secrets are cached by the sealed text, since every response with a checkout has the address of its page, and opening it takes
// longer than a SQL statement.
const openedMax = 2_000
const openedBy = new WeakMap<RootSecret, Lru<string, string>>()

export function pageSecretHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

export function isPageSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}
