// Signatures by Standard Webhooks 1.0, and the secrets that make them. A secret is sealed at rest and opened only to sign.

import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { Lru } from '../../platform/kit/lru.ts'
import { openByRoot, type RootSecret, sealByRoot } from '../../platform/secrets/secrets.ts'
import type { Endpoint } from './store.ts'

export const secretPrefix = 'whsec_'
const secretBytes = 32
const sealPurpose = 'webhook secret'
// A key of its own, so a former secret cannot be put back in the place of the current one.
const formerPurpose = 'former webhook secret'

export function newSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64')
}

// Distinguishes secrets without revealing one.
export function hintOf(secret: string): string {
  return secret.replace(/=+$/, '').slice(-4)
}

export function sealSecret(rootSecret: RootSecret, endpointId: string, secret: string): string {
  return sealByRoot(rootSecret, sealPurpose, secret, endpointId)
}

export function sealFormerSecret(rootSecret: RootSecret, endpointId: string, secret: string): string {
  return sealByRoot(rootSecret, formerPurpose, secret, endpointId)
}

export function openSecret(rootSecret: RootSecret, endpointId: string, sealed: string): string {
  const secret = findSecret(rootSecret, endpointId, sealed)
  if (secret === undefined) throw new Error(`the secret of ${endpointId} does not open with the present root secret`)
  return secret
}

// Undefined when it does not open.
export function findSecret(rootSecret: RootSecret, endpointId: string, sealed: string): string | undefined {
  return openByRoot(rootSecret, sealPurpose, sealed, endpointId)
}

// One that the version before put aside is sealed as the current one was.
function openFormerSecret(rootSecret: RootSecret, endpointId: string, sealed: string): string {
  const former = openByRoot(rootSecret, formerPurpose, sealed, endpointId)
  return former ?? openSecret(rootSecret, endpointId, sealed)
}

// A secret as it is shown, or the key that was made of it.
export type SigningSecret = string | KeyObject

export type SecretOpener = (endpointId: string, sealed: string, place?: 'current' | 'former') => KeyObject

// Opening a secret, and making a key of it, costs more than signing (18 against 4 µs for the key alone), so the keys
// of busy endpoints are cached. They are found by everything that a sealed text is bound to, and by the text
// itself, which changes with the secret.
export function createSecretOpener(rootSecret: RootSecret): SecretOpener {
  const keys = new Lru<string, KeyObject>(1_000)
  return (endpointId, sealed, place = 'current') => {
    const name = `${endpointId} ${place} ${sealed}`
    const known = keys.get(name)
    if (known !== undefined) return known
    const open = place === 'current' ? openSecret : openFormerSecret
    const key = keyOf(open(rootSecret, endpointId, sealed))
    keys.set(name, key)
    return key
  }
}

function keyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(secretPrefix.length), 'base64'))
}

// The current secret, and while it is being replaced the former one behind it.
export function secretsOf(
  open: SecretOpener,
  { id, secretSealed, previousSealed, previousExpiresAt }: SealedSecrets,
  now: number,
): KeyObject[] {
  const secrets = [open(id, secretSealed)]
  if (previousSealed !== null && previousExpiresAt !== null && previousExpiresAt > now)
    secrets.push(open(id, previousSealed, 'former'))
  return secrets
}

export type SealedSecrets = Pick<Endpoint, 'id' | 'secretSealed' | 'previousSealed' | 'previousExpiresAt'>

export interface Message {
  id: string
  // Seconds since 1970.
  timestamp: number
  body: string | Buffer
}

// What is signed is the id, the time and the very bytes of the body, so none of them can be exchanged.
export function signatureOf(secret: SigningSecret, { id, timestamp, body }: Message): string {
  const key = typeof secret === 'string' ? keyOf(secret) : secret
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

export function signedHeaders(secrets: readonly SigningSecret[], message: Message): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': secrets.map((secret) => signatureOf(secret, message)).join(' '),
  }
}
