// Signatures by Standard Webhooks 1.0, and their secrets. A secret is stored encrypted, and decrypted only to sign.

import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { Lru } from '../../platform/kit/lru.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Endpoint } from './store.ts'

export const secretPrefix = 'whsec_'
const secretBytes = 32
const sealPurpose = 'webhook secret'
// Encrypted for a different purpose than the current secret, so one cannot be moved to the place of the other.
const formerPurpose = 'former webhook secret'

export function makeWebhookSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64')
}

// Returns the last characters, which distinguish secrets without revealing them.
export function hintOfSecret(secret: string): string {
  return secret.replace(/=+$/, '').slice(-4)
}

export function encryptWebhookSecret(rootSecret: RootSecret, endpointId: string, secret: string): string {
  return encryptByRootSecret(rootSecret, sealPurpose, secret, endpointId)
}

export function encryptFormerSecret(rootSecret: RootSecret, endpointId: string, secret: string): string {
  return encryptByRootSecret(rootSecret, formerPurpose, secret, endpointId)
}

export function decryptWebhookSecret(rootSecret: RootSecret, endpointId: string, sealed: string): string {
  const secret = tryDecryptWebhookSecret(rootSecret, endpointId, sealed)
  if (secret === undefined)
    throw new Error(`the secret of endpoint ${endpointId} cannot be decrypted with the present root secret`)
  return secret
}

// Returns undefined if the secret cannot be decrypted.
export function tryDecryptWebhookSecret(
  rootSecret: RootSecret,
  endpointId: string,
  sealed: string,
): string | undefined {
  return decryptByRootSecret(rootSecret, sealPurpose, sealed, endpointId)
}

// Former secrets that an earlier release stored were encrypted for the purpose of the current secret.
function openFormerSecret(rootSecret: RootSecret, endpointId: string, sealed: string): string {
  const former = decryptByRootSecret(rootSecret, formerPurpose, sealed, endpointId)
  return former ?? decryptWebhookSecret(rootSecret, endpointId, sealed)
}

// A secret as it is shown, or the key that was derived from it.
export type SigningSecret = string | KeyObject

export type DecryptSigningKey = (endpointId: string, sealed: string, place?: 'current' | 'former') => KeyObject

// Decrypting a secret and deriving its key takes 18 µs, and signing only 4 µs, so the keys of busy endpoints are cached. The name in the
// cache contains all that the encryption is bound to, and the encrypted text, which changes with the secret.
export function createSigningKeyCache(rootSecret: RootSecret): DecryptSigningKey {
  const keys = new Lru<string, KeyObject>(1_000)
  return (endpointId, sealed, place = 'current') => {
    const name = `${endpointId} ${place} ${sealed}`
    const known = keys.get(name)
    if (known !== undefined) return known
    const open = place === 'current' ? decryptWebhookSecret : openFormerSecret
    const key = keyOf(open(rootSecret, endpointId, sealed))
    keys.set(name, key)
    return key
  }
}

function keyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(secretPrefix.length), 'base64'))
}

// Returns the key of the current secret and, during a rotation, that of the former secret after it.
export function decryptSigningSecrets(
  open: DecryptSigningKey,
  { id, secretSealed, previousSealed, previousExpiresAt }: SealedSecrets,
  now: number,
): KeyObject[] {
  const secrets = [open(id, secretSealed)]
  if (previousSealed !== null && previousExpiresAt !== null && previousExpiresAt > now)
    secrets.push(open(id, previousSealed, 'former'))
  return secrets
}

export type SealedSecrets = Pick<Endpoint, 'id' | 'secretSealed' | 'previousSealed' | 'previousExpiresAt'>

export interface SignableWebhook {
  id: string
  // Seconds since 1970.
  timestamp: number
  body: string | Buffer
}

// The signature covers the id, the time and the exact bytes of the body, so none of them can be replaced.
export function signWebhook(secret: SigningSecret, { id, timestamp, body }: SignableWebhook): string {
  const key = typeof secret === 'string' ? keyOf(secret) : secret
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

export function signedHeaders(secrets: readonly SigningSecret[], message: SignableWebhook): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': secrets.map((secret) => signWebhook(secret, message)).join(' '),
  }
}
