// The merchant's people who sign in to approve an app: who they are, which shops they may act for, and whether a password
// is theirs. E-mail addresses are found by a keyed hash and sealed for display; passwords are in password.ts.

import { createHmac } from 'node:crypto'
import { limits } from '../contract/limits.ts'
import { patterns } from '../contract/patterns.ts'
import { isEmail } from '../kit/email.ts'
import { newId } from '../kit/ids.ts'
import { refuse } from '../kit/refuse.ts'
import { deriveKey, openByRoot, type RootSecret, sealByRoot } from '../kit/secrets.ts'
import { Fragment, list, type Reader, type Storage, type Tx } from '../storage/storage.ts'
import { hashPassword, isOutdated, isPassword, type PasswordCost } from './password.ts'

export interface User {
  id: string
  email: string
  createdAt: number
  disabledAt: number | null
  // Sessions that began before this time have ended.
  sessionsFrom: number
}

// A shop that the user can choose.
export interface UserMerchant {
  id: string
  slug: string
  name: string
}

// The user, or undefined: for an unknown e-mail, a wrong password and a disabled user alike, after the same time. The slow part runs
// outside of any transaction.
export async function authenticate(
  storage: Storage,
  rootSecret: RootSecret,
  email: string,
  password: string,
  options: { network?: string; cost?: PasswordCost | undefined } = {},
): Promise<{ id: string; sessionsFrom: number } | undefined> {
  const user = await storage.read((db) => findUserForSignIn(db, rootSecret, email))
  const isTheirs = await isPassword(user?.passwordHash, password, options)
  if (!user || !isTheirs || user.disabledAt !== null) return undefined
  if (isOutdated(user.passwordHash, options.cost)) await renewHash(storage, user, password, options.cost)
  return { id: user.id, sessionsFrom: user.sessionsFrom }
}

// Rehashes the password if the cost was raised since it was stored. A password that was set meanwhile stays.
async function renewHash(
  storage: Storage,
  { id, passwordHash }: UserForSignIn,
  password: string,
  cost: PasswordCost | undefined,
): Promise<void> {
  const renewed = await hashPassword(password, cost)
  await storage.write(
    (tx) => tx.sql`
      update users set password_hash = ${renewed} where id = ${id} and password_hash = ${passwordHash}`,
  )
}

export interface UserForSignIn {
  id: string
  passwordHash: string
  disabledAt: number | null
  sessionsFrom: number
}

export async function findUserForSignIn(
  db: Reader,
  rootSecret: RootSecret,
  email: string,
): Promise<UserForSignIn | undefined> {
  const [user] = await db.sql<UserForSignIn>`
    select id, password_hash as "passwordHash", disabled_at as "disabledAt", sessions_from as "sessionsFrom"
    from users where email_hash in (${list(emailHashes(rootSecret, email))}) order by id limit 1`
  return user
}

export interface UserInput {
  email: string
  // Made by hashPassword(), before the transaction.
  passwordHash: string
  merchantIds: readonly string[]
}

export async function createUser(tx: Tx, rootSecret: RootSecret, input: UserInput, now: number): Promise<User> {
  const email = normalEmail(input.email)
  // Also under older versions of the root secret, which the unique index cannot compare.
  if (await findUserForSignIn(tx, rootSecret, email)) throw refuse('user_exists')
  const id = newId('usr')
  const rows = await tx.sql`
    insert into users (id, email_hash, email_sealed, password_hash, created_at, updated_at)
    values (${id}, ${emailHash(rootSecret, email, rootSecret.currentVersion)}, ${sealEmail(rootSecret, id, email)},
      ${input.passwordHash}, ${now}, ${now})
    on conflict (email_hash) do nothing returning id`
  if (rows.length === 0) throw refuse('user_exists')
  await addMerchants(tx, id, input.merchantIds, now)
  return { id, email, createdAt: now, disabledAt: null, sessionsFrom: 0 }
}

interface UserRow extends Omit<User, 'email'> {
  emailSealed: string
}

export async function findUser(db: Reader, rootSecret: RootSecret, id: string): Promise<User | undefined> {
  const [row] = await db.sql<UserRow>`
    select id, email_sealed as "emailSealed", created_at as "createdAt", disabled_at as "disabledAt",
      sessions_from as "sessionsFrom"
    from users where id = ${id}`
  return row && userFrom(rootSecret, row)
}

export async function findUserByEmail(db: Reader, rootSecret: RootSecret, email: string): Promise<User | undefined> {
  const found = await findUserForSignIn(db, rootSecret, email)
  return found && findUser(db, rootSecret, found.id)
}

const usersMax = 1_000

// Oldest first.
export async function listUsers(db: Reader, rootSecret: RootSecret): Promise<User[]> {
  const rows = await db.sql<UserRow>`
    select id, email_sealed as "emailSealed", created_at as "createdAt", disabled_at as "disabledAt",
      sessions_from as "sessionsFrom"
    from users order by id limit ${usersMax}`
  // A user whose version of the root secret was dropped is listed as well.
  return rows.map(({ emailSealed, ...user }) => ({
    ...user,
    email: openByRoot(rootSecret, emailPurpose, emailSealed, user.id) ?? '(cannot be opened)',
  }))
}

function userFrom(rootSecret: RootSecret, { emailSealed, ...user }: UserRow): User {
  return { ...user, email: openEmail(rootSecret, user.id, emailSealed) }
}

// More than a person can choose from.
export const merchantsPerUserMax = 200

// Open shops, by name; none for a disabled user.
export async function listMerchantsOf(db: Reader, userId: string): Promise<UserMerchant[]> {
  return db.sql<UserMerchant>`
    select m.id, m.slug, m.name
    from user_merchants um
    join users u on u.id = um.user_id
    join merchants m on m.id = um.merchant_id
    where um.user_id = ${userId} and u.disabled_at is null and m.closed_at is null
    order by m.name, m.id limit ${merchantsPerUserMax}`
}

// The chosen shop, if it is the user's.
export async function findMerchantOf(
  db: Reader,
  userId: string,
  merchantId: string,
): Promise<UserMerchant | undefined> {
  const [merchant] = await db.sql<UserMerchant>`
    select m.id, m.slug, m.name
    from user_merchants um
    join users u on u.id = um.user_id
    join merchants m on m.id = um.merchant_id
    where um.user_id = ${userId} and um.merchant_id = ${merchantId} and u.disabled_at is null and m.closed_at is null`
  return merchant
}

const pairsMax = 10_000

// For the operator: of every user, disabled or not.
export async function listUserMerchants(db: Reader): Promise<{ userId: string; slug: string }[]> {
  return db.sql<{ userId: string; slug: string }>`
    select um.user_id as "userId", m.slug
    from user_merchants um
    join merchants m on m.id = um.merchant_id
    order by um.user_id, m.slug limit ${pairsMax}`
}

export async function replaceMerchants(
  tx: Tx,
  userId: string,
  merchantIds: readonly string[],
  now: number,
): Promise<void> {
  await tx.sql`delete from user_merchants where user_id = ${userId}`
  await addMerchants(tx, userId, merchantIds, now)
}

async function addMerchants(tx: Tx, userId: string, merchantIds: readonly string[], now: number): Promise<void> {
  if (merchantIds.length > merchantsPerUserMax) throw new RangeError(`more than ${merchantsPerUserMax} merchants`)
  for (const merchantId of merchantIds) {
    await tx.sql`
      insert into user_merchants (user_id, merchant_id, created_at) values (${userId}, ${merchantId}, ${now})
      on conflict (user_id, merchant_id) do nothing`
  }
}

// A new password ends every open session of the user. Installations that the user approved stay.
export async function setPassword(tx: Tx, id: string, passwordHash: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update users set password_hash = ${passwordHash}, sessions_from = ${endOfSessions(now)}, updated_at = ${now}
    where id = ${id} returning id`
  return rows.length > 0
}

// Later than every existing session, also those begun before the clock was set back. Sessions begin on whole seconds.
function endOfSessions(now: number): Fragment {
  return new Fragment('case when sessions_from < ? then ? else sessions_from + 2000 end', [now - 2_000, now])
}

// A disabled user cannot sign in or approve anything; what was approved before stays. False when disabled before.
export async function disableUser(tx: Tx, id: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update users set disabled_at = ${now}, sessions_from = ${endOfSessions(now)}, updated_at = ${now}
    where id = ${id} and disabled_at is null returning id`
  return rows.length > 0
}

export async function enableUser(tx: Tx, id: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update users set disabled_at = null, updated_at = ${now} where id = ${id} and disabled_at is not null returning id`
  return rows.length > 0
}

export function emailProblem(email: string): string | undefined {
  const normal = normalEmail(email)
  if (normal.length > limits.emailLengthMax) return `must have at most ${limits.emailLengthMax} characters`
  return isEmail(normal) ? undefined : `must be ${patterns.email.words}`
}

// The same for every spelling of one address.
export function normalEmail(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase()
}

const emailPurpose = 'user e-mail'

// One for each configured version of the root secret, since a user may have been created under any of them.
function emailHashes(rootSecret: RootSecret, email: string): string[] {
  // No address is that long, and normalizing a long text costs time.
  const normal = email.length > limits.emailLengthMax * 2 ? '' : normalEmail(email)
  return rootSecret.versions.map((version) => emailHash(rootSecret, normal, version))
}

export function emailHash(rootSecret: RootSecret, normal: string, version: number): string {
  const key = deriveKey(rootSecret, `${emailPurpose} hash`, version)
  return createHmac('sha256', key).update(normal).digest('base64url')
}

function sealEmail(rootSecret: RootSecret, id: string, email: string): string {
  return sealByRoot(rootSecret, emailPurpose, email, id)
}

export function openEmail(rootSecret: RootSecret, id: string, sealed: string): string {
  const email = openByRoot(rootSecret, emailPurpose, sealed, id)
  if (email === undefined)
    throw new Error(`the e-mail of ${id} cannot be opened: it was changed, or its secret is gone`)
  return email
}
