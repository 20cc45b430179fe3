// A credential: what is stored when a key is created, and its status at an instant.
import type { CredentialStatus, Mode, Scope } from '../../contract/words.ts'
import { scopes as knownScopes } from '../../contract/words.ts'
import { newId } from '../kit/ids.ts'
import type { RootSecret } from '../secrets/secrets.ts'
import { generateKey, keyDigest, keyLast4, keyPrefix } from './key.ts'

export interface CredentialInput {
  readonly installationId: string
  readonly merchantId: string
  readonly name: string
  readonly mode: Mode
  readonly scopes: readonly Scope[]
  // Origins of the pages that may use a publishable key (default: none, for a secret key).
  readonly origins?: readonly string[]
  readonly expiresAt: number | null
  // The credential that is replaced by this one.
  readonly rotatedFrom: string | null
  // The key that created this one, or that got its secret in a rotation. If that key is revoked, so is this one (default: none).
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

// Returns the row to insert, and the text of the key, which is shown once.
export function newCredential(
  rootSecret: RootSecret,
  input: CredentialInput,
  now: number,
): { credential: NewCredential; keyText: string } {
  const { origins = [] } = input
  const key = generateKey(input.mode, origins.length > 0 ? 'publishable' : 'secret')
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
  // The credential that replaced this one in a rotation.
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

// Scopes in the order of the contract. Unknown words grant nothing.
export function scopesFrom(text: string): readonly Scope[] {
  const words = text.split(' ')
  return Object.freeze(knownScopes.filter((scope) => words.includes(scope)))
}
