// Creates, rotates and revokes API keys. The text of a key is returned once to be shown, and never stored.

import type { Mode, Scope } from '../../contract/words.ts'
import { refuse } from '../kit/refuse.ts'
import type { RootSecret } from '../secrets/secrets.ts'
import type { Tx } from '../storage/storage.ts'
import { credentialStatus, newCredential, originsFrom, scopesFrom } from './credential.ts'
import { earlierEnd } from './machines.ts'
import {
  expireCredential,
  findCredentialById,
  insertCredential,
  lockCredential,
  type RevokedKey,
  revokeWithCreatedKeys,
  transferToSuccessor,
} from './store.ts'

export interface CreatedKey {
  id: string
  name: string
  scopes: readonly Scope[]
  key: string
}

// The installation that the key acts for.
export interface KeyOwner {
  id: string
  merchantId: string
  mode: Mode
}

export interface KeyInput {
  name: string
  scopes: readonly Scope[]
  // Normalized origins of a publishable key (default: none, for a secret key).
  origins?: readonly string[]
  expiresAt: number | null
  // The key that creates this one. If that key is revoked, so is this one (default: none).
  madeBy?: string | null
}

export async function createKey(
  tx: Tx,
  rootSecret: RootSecret,
  installation: KeyOwner,
  input: KeyInput,
  now: number,
): Promise<CreatedKey> {
  const { credential, keyText } = newCredential(
    rootSecret,
    {
      ...input,
      installationId: installation.id,
      merchantId: installation.merchantId,
      mode: installation.mode,
      rotatedFrom: null,
    },
    now,
  )
  await insertCredential(tx, credential)
  return { id: credential.id, name: input.name, scopes: input.scopes, key: keyText }
}

export interface RotatedKey extends CreatedKey {
  oldKeyEndsAt: number
}

export interface Rotation {
  overlapMs: number
  // Latest expiry of the new key, or null if it expires when the old key would have.
  endsBy?: number | null
  // The key whose caller gets the new key. If that key is revoked, so is the new one. Null if a person or the operator rotates.
  madeBy?: string | null
}

// The new key works immediately. The old key works until the overlap ends or it expires. A key that was already rotated is refused, since
// a second new key would expire with the overlap.
export async function rotateKey(
  tx: Tx,
  rootSecret: RootSecret,
  id: string,
  { overlapMs, endsBy = null, madeBy = null }: Rotation,
  now: number,
): Promise<RotatedKey> {
  await lockCredential(tx, id)
  const old = await findCredentialById(tx, id)
  if (!old || !['active', 'expiring'].includes(credentialStatus(old, now)))
    throw refuse('credential_not_found', { message: `There is no active key ${id}.` })
  const { replacedBy } = old
  if (replacedBy !== null) {
    const message = `${id} was rotated before and replaced by ${replacedBy}: rotate that one, or create a key.`
    throw refuse('credential_already_rotated', { message, current: { replacedBy } })
  }
  const scopes = scopesFrom(old.scopes)
  const { credential, keyText } = newCredential(
    rootSecret,
    {
      installationId: old.installationId,
      merchantId: old.merchantId,
      name: old.name,
      mode: old.mode,
      scopes,
      origins: originsFrom(old.origins),
      expiresAt: earlierEnd(old.expiresAt, endsBy),
      rotatedFrom: old.id,
      madeBy,
    },
    now,
  )
  await insertCredential(tx, credential)
  transferToSuccessor(tx, old.id, credential.id)
  const overlapEndsAt = now + overlapMs
  await expireCredential(tx, old.installationId, old.id, overlapEndsAt)
  const oldKeyEndsAt = Math.min(overlapEndsAt, old.expiresAt ?? overlapEndsAt)
  return { id: credential.id, name: old.name, scopes, key: keyText, oldKeyEndsAt }
}

// Revokes a key and the keys that it created. Returns the revoked keys: none if the key was already revoked.
export async function endKey(tx: Tx, id: string, now: number): Promise<readonly RevokedKey[]> {
  await lockCredential(tx, id)
  const old = await findCredentialById(tx, id)
  if (!old) throw refuse('credential_not_found', { message: `There is no key ${id}.` })
  return revokeWithCreatedKeys(tx, old.installationId, id, now)
}
