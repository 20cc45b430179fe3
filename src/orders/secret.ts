// The secret in the address of an order's page. Whoever has it may see the order; it is found by its hash, and sealed to
// be shown again.

import { createHash, randomBytes } from 'node:crypto'
import { openByRoot, type RootSecret, sealByRoot } from '../kit/secrets.ts'

export interface StatusSecret {
  text: string
  hash: string
  sealed: string
}

const purpose = 'order page'

export function makeStatusSecret(rootSecret: RootSecret, orderId: string): StatusSecret {
  const text = randomBytes(32).toString('base64url')
  return { text, hash: statusHashOf(text), sealed: sealByRoot(rootSecret, purpose, text, orderId) }
}

// Undefined when the version of the root secret that sealed it is gone.
export function openStatusSecret(rootSecret: RootSecret, sealed: string, orderId: string): string | undefined {
  return openByRoot(rootSecret, purpose, sealed, orderId)
}

export function statusHashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
