// A credential as a fact: what is stored when a key is made, and what its instants say about it.
import type { CredentialStatus, Mode, Scope } from '../../contract/words.ts'
import { scopes as knownScopes } from '../../contract/words.ts'
import { newId } from '../kit/ids.ts'
import type { RootSecret } from '../secrets/secrets.ts'
import { keyDigest, keyLast4, keyPrefix, makeKey } from './key.ts'

export interface CredentialInput {
  readonly installationId: string
  readonly merchantId: string
  readonly name: string
  readonly mode: Mode
  readonly scopes: readonly Scope[]
  // The pages that a publishable key is bound to (default: none, for a secret key).
  readonly origins?: readonly string[]
  readonly expiresAt: number | null
  // The credential that this one replaces.
  readonly rotatedFrom: string | null
  // The key that made it or is shown its secret, with which it ends (default: none).
  readonly madeBy?: string | null
}

export interface NewCredential extends CredentialInput {
  readonly origins: readonly string[]
  readonly id: string
  readonly lookup: string
  readonly digest: string
  readonly pepperVersion: number
  readonly prefix: string
  readonly last4: string
  readonly createdAt: number
}

// The row to insert, and the text to show once.
export function newCredential(
  rootSecret: RootSecret,
  input: CredentialInput,
  now: number,
): { credential: NewCredential; keyText: string } {
  const { origins = [] } = input
  const key = makeKey(input.mode, origins.length > 0 ? 'publishable' : 'secret')
  const pepperVersion = rootSecret.currentVersion
  const id = newId('key')
  const credential = {
    ...input,
    origins,
    id,
    lookup: key.lookup,
    digest: keyDigest(rootSecret, pepperVersion, key.text, {
      ...input,
      id,
      scopes: scopesText(input.scopes),
      origins: originsText(origins),
    }),
    pepperVersion,
    prefix: keyPrefix(key),
    last4: keyLast4(key),
    createdAt: now,
  }
  return { credential, keyText: key.text }
}

export interface CredentialLife {
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  // The credential that took its place by a rotation.
  readonly replacedBy: string | null
}

export function credentialStatus(life: CredentialLife, now: number): CredentialStatus {
  if (life.revokedAt !== null) return 'revoked'
  if (life.expiresAt !== null && life.expiresAt <= now) return 'expired'
  return life.replacedBy !== null && life.expiresAt !== null ? 'expiring' : 'active'
}

export function scopesText(scopes: readonly Scope[]): string {
  return scopes.join(' ')
}

function originsText(origins: readonly string[]): string | null {
  return origins.length === 0 ? null : origins.join(' ')
}

export function originsFrom(text: string | null): readonly string[] {
  return text === null ? [] : text.split(' ')
}

// In the order of the contract; a word that the contract does not know grants nothing.
export function scopesFrom(text: string): readonly Scope[] {
  const words = text.split(' ')
  return Object.freeze(knownScopes.filter((scope) => words.includes(scope)))
}
