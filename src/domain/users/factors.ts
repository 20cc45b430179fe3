// Second factors of a person: stores and checks an authenticator app and recovery codes. A code is accepted once, even if it is sent
// twice at the same time, because one SQL statement checks the code and uses it up.

import { randomBytes } from 'node:crypto'
import { newId } from '../../platform/kit/ids.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { makeRecoveryCodes, recoveryHash } from './recovery.ts'
import { totpSecretBytes, totpStepOfCode } from './totp.ts'
import { endSessionsFrom } from './users.ts'

const factorPurpose = 'second factor'

// Whether signing in with a password requires a code. A passkey is both factors in one, so a passkey alone does not count here.
export async function hasSecondFactor(db: Reader, userId: string): Promise<boolean> {
  const rows = await db.sql`select 1 as "one" from user_factors where user_id = ${userId} and kind = 'totp'`
  return rows.length > 0
}

export async function countRecoveryCodes(db: Reader, userId: string): Promise<number> {
  const [row] = await db.sql<{ codes: number }>`
    select count(*) as "codes" from user_factors where user_id = ${userId} and kind = 'recovery'`
  return Number(row?.codes ?? 0)
}

export function makeTotpSecret(): Buffer {
  return randomBytes(totpSecretBytes)
}

export interface NewTotp {
  userId: string
  secret: Buffer
  // The first code of the app, which proves that the app was set up.
  code: string
  // The session in which the app was set up. This session continues; all others end, because they began without the second factor.
  sessionId: string
}

// Returns the recovery codes, which are shown once, or undefined if the code is wrong. Replaces an earlier app.
export async function setTotp(
  tx: Tx,
  rootSecret: RootSecret,
  { userId, secret, code, sessionId }: NewTotp,
  now: number,
): Promise<string[] | undefined> {
  const step = totpStepOfCode(secret, code, { now, lastStep: 0 })
  if (step === undefined) return undefined
  await tx.lockRow`select id from users where id = ${userId}`
  await tx.sql`delete from user_factors where user_id = ${userId} and kind = 'totp'`
  const id = newId('fac')
  const sealed = encryptByRootSecret(rootSecret, factorPurpose, secret.toString('base64url'), `${userId} ${id}`)
  await tx.sql`
    insert into user_factors (user_id, id, kind, secret_sealed, last_step, created_at)
    values (${userId}, ${id}, 'totp', ${sealed}, ${step}, ${now})`
  await tx.sql`update user_sessions set has_second_factor = 1 where user_id = ${userId} and id = ${sessionId}`
  await endSessionsFrom(tx, userId, now, sessionId)
  return replaceRecoveryCodes(tx, userId, now)
}

// Creates ten new codes; the old ones no longer work.
export async function replaceRecoveryCodes(tx: Tx, userId: string, now: number): Promise<string[]> {
  await tx.lockRow`select id from users where id = ${userId}`
  await tx.sql`delete from user_factors where user_id = ${userId} and kind = 'recovery'`
  const codes = makeRecoveryCodes()
  for (const code of codes)
    await tx.sql`
      insert into user_factors (user_id, id, kind, last_step, code_hash, created_at)
      values (${userId}, ${newId('fac')}, 'recovery', 0, ${recoveryHash(userId, code)}, ${now})`
  return codes
}

// Returns false if the person had no second factor.
export async function removeSecondFactor(tx: Tx, userId: string): Promise<boolean> {
  const rows = await tx.sql`delete from user_factors where user_id = ${userId} returning id`
  return rows.length > 0
}

// Called for the operator if a person has lost all factors, and when a reset by e-mail proves the address for the first time. Returns
// false if the person had none.
export async function removeAllFactors(tx: Tx, userId: string): Promise<boolean> {
  const hadFactor = await removeSecondFactor(tx, userId)
  const passkeys = await tx.sql`delete from user_passkeys where user_id = ${userId} returning user_id`
  return hadFactor || passkeys.length > 0
}

// Uses up a code of the app, or a recovery code. Returns false for a wrong code and for one that was used before.
export async function useSecondFactorCode(
  tx: Tx,
  rootSecret: RootSecret,
  userId: string,
  typed: string,
  now: number,
): Promise<boolean> {
  const code = normalCode(typed)
  return isTotpCode(code) ? useTotp(tx, rootSecret, userId, code, now) : useRecoveryCode(tx, userId, code)
}

// Whether the text has the form of an app's code, and not that of a recovery code.
export function isTotpCode(typed: string): boolean {
  return /^\d{6}$/.test(normalCode(typed))
}

function normalCode(typed: string): string {
  return typed.slice(0, 100).normalize('NFKC').replaceAll(/\s/g, '')
}

interface TotpRow {
  id: string
  sealed: string
  lastStep: number
}

async function useTotp(tx: Tx, rootSecret: RootSecret, userId: string, code: string, now: number): Promise<boolean> {
  const [row] = await tx.sql<TotpRow>`
    select id, secret_sealed as sealed, last_step as "lastStep" from user_factors where user_id = ${userId} and kind = 'totp'`
  if (!row) return false
  const secret = decryptByRootSecret(rootSecret, factorPurpose, row.sealed, `${userId} ${row.id}`)
  if (secret === undefined)
    throw new Error(`the second factor of ${userId} cannot be decrypted: its version of the root secret is missing`)
  const step = totpStepOfCode(Buffer.from(secret, 'base64url'), code, { now, lastStep: Number(row.lastStep) })
  if (step === undefined) return false
  const rows = await tx.sql`
    update user_factors set last_step = ${step}
    where user_id = ${userId} and id = ${row.id} and last_step < ${step} returning id`
  return rows.length > 0
}

async function useRecoveryCode(tx: Tx, userId: string, code: string): Promise<boolean> {
  const rows = await tx.sql`
    delete from user_factors where user_id = ${userId} and kind = 'recovery' and code_hash = ${recoveryHash(userId, code)}
    returning id`
  return rows.length > 0
}
