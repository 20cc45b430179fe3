// Signatures by Standard Webhooks 1.0, and the secrets that make them. A secret is sealed at rest and opened only to sign.

import { createHmac, randomBytes } from 'node:crypto'
import { Lru } from '../kit/lru.ts'
import { openByRoot, type RootSecret, sealByRoot } from '../kit/secrets.ts'
import type { Endpoint } from './store.ts'

export const secretPrefix = 'whsec_'
const secretBytes = 32
const sealPurpose = 'webhook secret'

export function newSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64')
}

// Tells secrets apart without giving one away.
export function hintOf(secret: string): string {
  return secret.replace(/=+$/, '').slice(-4)
}

export function sealSecret(rootSecret: RootSecret, endpointId: string, secret: string): string {
  return sealByRoot(rootSecret, sealPurpose, secret, endpointId)
}

export function openSecret(rootSecret: RootSecret, endpointId: string, sealed: string): string {
  const secret = openByRoot(rootSecret, sealPurpose, sealed, endpointId)
  if (secret === undefined) throw new Error(`the secret of ${endpointId} does not open with the present root secret`)
  return secret
}

export type SecretOpener = (endpointId: string, sealed: string) => string

// Opening costs more than signing, so that the secrets of busy endpoints are kept open in memory.
export function createSecretOpener(rootSecret: RootSecret): SecretOpener {
  const opened = new Lru<string, string>(1_000)
  return (endpointId, sealed) => {
    const known = opened.get(sealed)
    if (known !== undefined) return known
    const secret = openSecret(rootSecret, endpointId, sealed)
    opened.set(sealed, secret)
    return secret
  }
}

// The current secret, and while it is being replaced the former one behind it.
export function secretsOf(
  open: SecretOpener,
  { id, secretSealed, previousSealed, previousExpiresAt }: SealedSecrets,
  now: number,
): string[] {
  const secrets = [open(id, secretSealed)]
  if (previousSealed !== null && previousExpiresAt !== null && previousExpiresAt > now)
    secrets.push(open(id, previousSealed))
  return secrets
}

export type SealedSecrets = Pick<Endpoint, 'id' | 'secretSealed' | 'previousSealed' | 'previousExpiresAt'>

export interface Message {
  id: string
  // Seconds since 1970.
  timestamp: number
  body: string
}

// What is signed is the id, the time and the very bytes of the body, so none of them can be exchanged.
export function signatureOf(secret: string, { id, timestamp, body }: Message): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

export function signedHeaders(secrets: readonly string[], message: Message): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': secrets.map((secret) => signatureOf(secret, message)).join(' '),
  }
}
