// Passkeys of people: requests, adds, names and removes them, and signs in with one. A challenge is accepted once, in the session or
// browser that requested it, because one SQL statement checks and deletes it.

import { createHash, randomBytes } from 'node:crypto'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import type { StoredPasskey } from './webauthn.ts'

export const passkeysMax = 20
const challengeMs = 10 * 60_000
const nameLengthMax = 60

export interface Passkey extends StoredPasskey {
  userId: string
  name: string
  createdAt: number
  usedAt: number | null
}

interface PasskeyRow extends Omit<Passkey, 'transports'> {
  transports: string
}

export async function createChallenge(tx: Tx, boundTo: string, now: number): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  await tx.sql`
    insert into passkey_challenges (challenge_hash, bound_to, expires_at)
    values (${hashOf(challenge)}, ${hashOf(boundTo)}, ${now + challengeMs})`
  return challenge
}

// Returns false for a challenge that was used, has expired, or was issued to another session or browser.
export async function useChallenge(tx: Tx, challenge: string, boundTo: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    delete from passkey_challenges
    where challenge_hash = ${hashOf(challenge)} and bound_to = ${hashOf(boundTo)} and expires_at > ${now}
    returning challenge_hash`
  return rows.length > 0
}

export async function deleteExpiredChallenges(tx: Tx, now: number, rowsMax: number): Promise<number> {
  const rows = await tx.sql`
    delete from passkey_challenges where expires_at <= ${now} and challenge_hash in (
      select challenge_hash from passkey_challenges where expires_at <= ${now} order by expires_at limit ${rowsMax})
    returning challenge_hash`
  return rows.length
}

// Lists the oldest passkeys first.
export async function listPasskeys(db: Reader, userId: string): Promise<Passkey[]> {
  const rows = await db.sql<PasskeyRow>`
    select user_id as "userId", id, public_key as "publicKey", counter, transports, name, created_at as "createdAt",
      used_at as "usedAt"
    from user_passkeys where user_id = ${userId} order by created_at, id limit ${passkeysMax}`
  return rows.map(passkeyFrom)
}

export async function findPasskey(db: Reader, id: string): Promise<Passkey | undefined> {
  const [row] = await db.sql<PasskeyRow>`
    select user_id as "userId", id, public_key as "publicKey", counter, transports, name, created_at as "createdAt",
      used_at as "usedAt"
    from user_passkeys where id = ${id}`
  return row && passkeyFrom(row)
}

function passkeyFrom({ transports, ...row }: PasskeyRow): Passkey {
  return { ...row, counter: Number(row.counter), transports: JSON.parse(transports) as string[] }
}

// Returns false if the person has the maximum number of passkeys, or if the passkey is known. The session has a second factor from then
// on.
export async function addPasskey(
  tx: Tx,
  { userId, sessionId, name, passkey }: { userId: string; sessionId: string; name: string; passkey: StoredPasskey },
  now: number,
): Promise<boolean> {
  await tx.lockRow`select id from users where id = ${userId}`
  if ((await listPasskeys(tx, userId)).length >= passkeysMax) return false
  const { id, publicKey, counter, transports } = passkey
  const rows = await tx.sql`
    insert into user_passkeys (user_id, id, public_key, counter, transports, name, created_at)
    values (${userId}, ${id}, ${publicKey}, ${counter}, ${JSON.stringify(transports)}, ${nameFor(name)}, ${now})
    on conflict (id) do nothing returning id`
  if (rows.length === 0) return false
  await tx.sql`update user_sessions set has_second_factor = 1 where user_id = ${userId} and id = ${sessionId}`
  return true
}

export async function namePasskey(tx: Tx, userId: string, id: string, name: string): Promise<void> {
  await tx.sql`update user_passkeys set name = ${nameFor(name)} where user_id = ${userId} and id = ${id}`
}

export async function removePasskey(tx: Tx, userId: string, id: string): Promise<boolean> {
  const rows = await tx.sql`delete from user_passkeys where user_id = ${userId} and id = ${id} returning id`
  return rows.length > 0
}

// Returns false if the passkey was removed, or used with a later counter, in the meantime. Synced passkeys always report the counter 0.
export async function recordPasskeyUse(
  tx: Tx,
  { userId, id }: Passkey,
  counter: number,
  now: number,
): Promise<boolean> {
  const rows = await tx.sql`
    update user_passkeys set counter = ${counter}, used_at = ${now}
    where user_id = ${userId} and id = ${id} and (counter < ${counter} or (counter = 0 and counter = ${counter})) returning id`
  return rows.length > 0
}

function nameFor(text: string): string {
  return text.slice(0, nameLengthMax) || 'Passkey'
}

function hashOf(text: string): string {
  return createHash('sha256').update(`passkey ${text}`).digest('base64url')
}
