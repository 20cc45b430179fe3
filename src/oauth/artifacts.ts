// What the authorization server remembers, as it is kept: an id that is a hash of the value its holder has, and a sealed
// payload. Whoever reads the table learns no code, no token and no cookie, and cannot move a row to another place.

import { createHash } from 'node:crypto'
import { openByRoot, type RootSecret, sealByRoot } from '../kit/secrets.ts'

export type Payload = Readonly<Record<string, unknown>>

// The value itself is 256 bits of chance, so that a plain hash is enough.
export function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}

const purpose = 'oauth artifact'

export function sealPayload(rootSecret: RootSecret, kind: string, id: string, payload: Payload): string {
  return sealByRoot(rootSecret, purpose, JSON.stringify(payload), `${kind} ${id}`)
}

// Undefined when a version of the root secret was given up: what it sealed is then as good as never issued.
export function openPayload(rootSecret: RootSecret, kind: string, id: string, sealed: string): Payload | undefined {
  const text = openByRoot(rootSecret, purpose, sealed, `${kind} ${id}`)
  return text === undefined ? undefined : (JSON.parse(text) as Payload)
}
