// How codes, tokens and sessions of the authorization server are stored: the id is a hash of the value, and the payload is encrypted. The
// table reveals no code, token or cookie, and a payload that is moved to another row cannot be decrypted.

import { createHash } from 'node:crypto'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'

export type Payload = Readonly<Record<string, unknown>>

// The value contains 256 random bits, so a hash without a key is enough.
export function hashArtifactId(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}

const purpose = 'oauth artifact'

export function encryptPayload(rootSecret: RootSecret, kind: string, id: string, payload: Payload): string {
  return encryptByRootSecret(rootSecret, purpose, JSON.stringify(payload), `${kind} ${id}`)
}

// Returns undefined if the payload was encrypted with a version of the root secret that was removed. The value then counts as never
// issued.
export function decryptPayload(rootSecret: RootSecret, kind: string, id: string, sealed: string): Payload | undefined {
  const text = decryptByRootSecret(rootSecret, purpose, sealed, `${kind} ${id}`)
  return text === undefined ? undefined : (JSON.parse(text) as Payload)
}
