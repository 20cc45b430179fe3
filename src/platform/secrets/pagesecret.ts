// The secret in the address of a page: who has it may see the page. It is found by its hash, and sealed to be shown again.

import { createHash, randomBytes } from 'node:crypto'
import { openByRoot, type RootSecret, type SealPurpose, sealByRoot } from './secrets.ts'

export interface PageSecret {
  text: string
  hash: string
  sealed: string
}

// `ownerId` is that of the thing the page is about.
export interface PageSecrets {
  make(rootSecret: RootSecret, ownerId: string): PageSecret
  // Undefined when the version of the root secret that sealed it was given up.
  open(rootSecret: RootSecret, sealed: string, ownerId: string): string | undefined
}

export function pageSecretsFor(purpose: SealPurpose): PageSecrets {
  return {
    make(rootSecret, ownerId) {
      const text = randomBytes(32).toString('base64url')
      return { text, hash: pageSecretHash(text), sealed: sealByRoot(rootSecret, purpose, text, ownerId) }
    },
    open: (rootSecret, sealed, ownerId) => openByRoot(rootSecret, purpose, sealed, ownerId),
  }
}

export function pageSecretHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

export function isPageSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}
