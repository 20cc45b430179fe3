// The people of merchants who sign in: their names, the shops they may act for, and their passwords. E-mail addresses are found by a
// keyed hash and encrypted for display; passwords are hashed in password.ts.

import { type BrokenRule, issue } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { Role } from '../../contract/words.ts'
import { isEmail } from '../../platform/kit/email.ts'
import { newId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { emailHash } from '../../platform/secrets/emailhash.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import { Fragment, listFragment, type Reader, type Storage, type Tx } from '../../platform/storage/storage.ts'
import { hashPassword, isOutdated, isPassword, type PasswordCost } from './password.ts'
import { type Rights, type RightsRow, rightsFor, rightsFromRow, rightsToRow } from './roles.ts'

export interface User {
  id: string
  email: string
  // The person's name. Null if none was given.
  name: string | null
  createdAt: number
  disabledAt: number | null
  // Sessions that began before this time have ended.
  sessionsFrom: number
}

// A shop that the user can choose, with the user's rights.
export interface UserMerchant extends Rights {
  id: string
  slug: string
  name: string
  // Whether all people of the shop must sign in with a second factor.
  needsSecondFactor: boolean
}

interface UserMerchantRow extends Omit<UserMerchant, 'needsSecondFactor' | keyof Rights>, RightsRow {
  needsSecondFactor: number
}

// Returns the user, or undefined for an unknown e-mail, a wrong password and a disabled user alike, after the same time. The slow part
// runs outside of any transaction.
export async function authenticate(
  storage: Storage,
  rootSecret: RootSecret,
  email: string,
  password: string,
  options: { network?: string; cost?: PasswordCost | undefined } = {},
): Promise<UserForSignIn | undefined> {
  const user = await storage.read((db) => findUserForSignIn(db, rootSecret, email))
  const isTheirs = await isPassword(user?.passwordHash, password, options)
  if (!user || !isTheirs || user.disabledAt !== null) return undefined
  if (!isOutdated(user.passwordHash, options.cost)) return user
  return { ...user, passwordHash: await renewHash(storage, user, password, options.cost) }
}

// Rehashes the password if the cost was raised since it was stored. A password that was set in the meantime is not overwritten.
async function renewHash(
  storage: Storage,
  { id, passwordHash }: UserForSignIn,
  password: string,
  cost: PasswordCost | undefined,
): Promise<string> {
  const renewed = await hashPassword(password, cost)
  const rows = await storage.write(
    (tx) => tx.sql`
      update users set password_hash = ${renewed} where id = ${id} and password_hash = ${passwordHash} returning id`,
  )
  return rows.length > 0 ? renewed : passwordHash
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
    from users where email_hash in (${listFragment(emailHashes(rootSecret, email))}) order by id limit 1`
  return user
}

export interface UserInput {
  email: string
  // The result of hashPassword(), computed before the transaction.
  passwordHash: string
  merchantIds: readonly string[]
  name?: string | null
  // Role at these merchants (default: owner).
  role?: Role
  // Only for the role `custom`.
  scopes?: readonly string[] | undefined
  // True if nothing has proved yet that the address belongs to the person.
  isUnproved?: boolean
}

export async function createUser(tx: Tx, rootSecret: RootSecret, input: UserInput, now: number): Promise<User> {
  const email = normalizeEmail(input.email)
  // Also finds users whose hash was made with an older version of the root secret, which the unique index cannot compare.
  if (await findUserForSignIn(tx, rootSecret, email)) throw refuse('user_exists')
  const id = newId('usr')
  const name = nameIn(input.name)
  const rows = await tx.sql`
    insert into users (id, email_hash, email_sealed, name_sealed, password_hash, email_unproved, created_at, updated_at)
    values (${id}, ${emailHash(rootSecret, email, rootSecret.currentVersion)}, ${encryptEmail(rootSecret, id, email)},
      ${sealName(rootSecret, id, name)}, ${input.passwordHash}, ${input.isUnproved ? 1 : 0}, ${now}, ${now})
    on conflict (email_hash) do nothing returning id`
  if (rows.length === 0) throw refuse('user_exists')
  await addMerchants(tx, id, input, now)
  return { id, email, name, createdAt: now, disabledAt: null, sessionsFrom: 0 }
}

interface UserRow extends Omit<User, 'email' | 'name'> {
  emailSealed: string
  nameSealed: string | null
}

export async function findUser(db: Reader, rootSecret: RootSecret, id: string): Promise<User | undefined> {
  const [row] = await db.sql<UserRow>`
    select id, email_sealed as "emailSealed", name_sealed as "nameSealed", created_at as "createdAt", disabled_at as "disabledAt",
      sessions_from as "sessionsFrom"
    from users where id = ${id}`
  return row && userFrom(rootSecret, row)
}

export async function findUserByEmail(db: Reader, rootSecret: RootSecret, email: string): Promise<User | undefined> {
  const found = await findUserForSignIn(db, rootSecret, email)
  return found && findUser(db, rootSecret, found.id)
}

const usersMax = 1_000

// Lists the oldest users first.
export async function listUsers(db: Reader, rootSecret: RootSecret): Promise<User[]> {
  const rows = await db.sql<UserRow>`
    select id, email_sealed as "emailSealed", name_sealed as "nameSealed", created_at as "createdAt", disabled_at as "disabledAt",
      sessions_from as "sessionsFrom"
    from users order by id limit ${usersMax}`
  // A user whose address was encrypted with a removed version of the root secret is listed as well.
  return rows.map(({ emailSealed, nameSealed, ...user }) => ({
    ...user,
    email: decryptByRootSecret(rootSecret, emailPurpose, emailSealed, user.id) ?? '(cannot be decrypted)',
    name: decryptName(rootSecret, user.id, nameSealed),
  }))
}

function userFrom(rootSecret: RootSecret, { emailSealed, nameSealed, ...user }: UserRow): User {
  return {
    ...user,
    email: decryptEmail(rootSecret, user.id, emailSealed),
    name: decryptName(rootSecret, user.id, nameSealed),
  }
}

// Maximum number of shops of a user: more than a person can choose from.
export const merchantsPerUserMax = 200

// Returns the user's shops that are not closed, sorted by name; none for a disabled user.
export async function listMerchantsOf(db: Reader, userId: string): Promise<UserMerchant[]> {
  const rows = await db.sql<UserMerchantRow>`
    select m.id, m.slug, m.name, um.role, um.scopes, m.second_factor_required as "needsSecondFactor"
    from user_merchants um
    join users u on u.id = um.user_id
    join merchants m on m.id = um.merchant_id
    where um.user_id = ${userId} and u.disabled_at is null and m.closed_at is null
    order by m.name, m.id limit ${merchantsPerUserMax}`
  return rows.map(userMerchantFrom)
}

function userMerchantFrom(row: UserMerchantRow): UserMerchant {
  return { ...row, ...rightsFromRow(row), needsSecondFactor: Number(row.needsSecondFactor) === 1 }
}

// Returns the chosen shop, if the user is a member.
export async function findMerchantOf(
  db: Reader,
  userId: string,
  merchantId: string,
): Promise<UserMerchant | undefined> {
  const [merchant] = await db.sql<UserMerchantRow>`
    select m.id, m.slug, m.name, um.role, um.scopes, m.second_factor_required as "needsSecondFactor"
    from user_merchants um
    join users u on u.id = um.user_id
    join merchants m on m.id = um.merchant_id
    where um.user_id = ${userId} and um.merchant_id = ${merchantId} and u.disabled_at is null and m.closed_at is null`
  return merchant && userMerchantFrom(merchant)
}

const pairsMax = 10_000

// Lists the shops of every user, disabled or not, for the operator.
export async function listUserMerchants(db: Reader): Promise<({ userId: string; slug: string } & Rights)[]> {
  const rows = await db.sql<{ userId: string; slug: string } & RightsRow>`
    select um.user_id as "userId", m.slug, um.role, um.scopes
    from user_merchants um
    join merchants m on m.id = um.merchant_id
    order by um.user_id, m.slug limit ${pairsMax}`
  return rows.map((row) => ({ ...row, ...rightsFromRow(row) }))
}

export async function addMerchants(
  tx: Tx,
  userId: string,
  { merchantIds, role: given = 'owner', scopes: chosen }: Pick<UserInput, 'merchantIds' | 'role' | 'scopes'>,
  now: number,
): Promise<void> {
  if (merchantIds.length > merchantsPerUserMax)
    throw new RangeError(`a user must have at most ${merchantsPerUserMax} merchants`)
  const { role, scopes } = rightsToRow(rightsFor(given, chosen))
  for (const merchantId of merchantIds) {
    await tx.sql`
      insert into user_merchants (user_id, merchant_id, role, scopes, created_at)
      values (${userId}, ${merchantId}, ${role}, ${scopes}, ${now})
      on conflict (user_id, merchant_id) do nothing`
  }
}

// Stores the name as the person typed it. An empty text removes the name.
export async function setName(tx: Tx, rootSecret: RootSecret, id: string, typed: string, now: number): Promise<void> {
  const sealed = sealName(rootSecret, id, nameIn(typed))
  await tx.sql`update users set name_sealed = ${sealed}, updated_at = ${now} where id = ${id}`
}

// `language` null: the pages use the browser's language.
export async function setLanguage(tx: Tx, id: string, language: string | null, now: number): Promise<void> {
  await tx.sql`update users set language = ${language}, updated_at = ${now} where id = ${id}`
}

// A new password ends every open session of the user. Apps that the user approved keep their grants; assistants end with the sessions.
export async function setPassword(tx: Tx, id: string, passwordHash: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update users set password_hash = ${passwordHash}, updated_at = ${now} where id = ${id} returning id`
  if (rows.length > 0) await endSessionsFrom(tx, id, now)
  return rows.length > 0
}

// Ends all existing sessions, of the dashboard (except one) and of the authorization pages.
export async function endSessionsFrom(tx: Tx, id: string, now: number, exceptId = ''): Promise<void> {
  await tx.sql`update users set sessions_from = ${endOfSessions(now)}, updated_at = ${now} where id = ${id}`
  await tx.sql`delete from user_sessions where user_id = ${id} and id <> ${exceptId}`
}

// A time after the start of every existing session, even of sessions that began before the clock was set back. Sessions begin on whole
// seconds.
function endOfSessions(now: number): Fragment {
  return new Fragment('case when sessions_from < ? then ? else sessions_from + 2000 end', [now - 2_000, now])
}

// A disabled user cannot sign in or approve anything. Apps that the user approved keep their grants; assistants end with the sessions.
// Returns false if the user was already disabled.
export async function disableUser(tx: Tx, id: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update users set disabled_at = ${now}, updated_at = ${now} where id = ${id} and disabled_at is null returning id`
  if (rows.length > 0) await endSessionsFrom(tx, id, now)
  return rows.length > 0
}

export async function enableUser(tx: Tx, id: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update users set disabled_at = null, updated_at = ${now} where id = ${id} and disabled_at is not null returning id`
  return rows.length > 0
}

export function emailProblem(email: string): BrokenRule | undefined {
  const normal = normalizeEmail(email)
  if (normal.length > limits.emailLengthMax) return issue('too_long', { max: limits.emailLengthMax })
  return isEmail(normal) ? undefined : issue('not_an_email')
}

// Returns the same text for every spelling of an address.
export function normalizeEmail(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase()
}

export const emailPurpose = 'user e-mail'

// Returns one hash for each configured version of the root secret, since a user may have been created under any of them.
export function emailHashes(rootSecret: RootSecret, email: string): string[] {
  // No address is this long, and normalizing a long text costs time.
  const normal = email.length > limits.emailLengthMax * 2 ? '' : normalizeEmail(email)
  return rootSecret.versions.map((version) => emailHash(rootSecret, normal, version))
}

export function encryptEmail(rootSecret: RootSecret, id: string, email: string): string {
  return encryptByRootSecret(rootSecret, emailPurpose, email, id)
}

export function decryptEmail(rootSecret: RootSecret, id: string, sealed: string): string {
  const email = decryptByRootSecret(rootSecret, emailPurpose, sealed, id)
  if (email === undefined)
    throw new Error(
      `the e-mail address of ${id} cannot be decrypted: the address was altered, or its version of the root secret is missing`,
    )
  return email
}

const namePurpose = 'user name'

function nameIn(typed: string | null | undefined): string | null {
  const line = (typed ?? '').replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return [...line].slice(0, limits.userNameLengthMax).join('') || null
}

function sealName(rootSecret: RootSecret, id: string, name: string | null): string | null {
  return name === null ? null : encryptByRootSecret(rootSecret, namePurpose, name, id)
}

// Returns null if the name can no longer be decrypted: a name is not essential, so nothing is refused because of it.
export function decryptName(rootSecret: RootSecret, id: string, sealed: string | null): string | null {
  return sealed === null ? null : (decryptByRootSecret(rootSecret, namePurpose, sealed, id) ?? null)
}
