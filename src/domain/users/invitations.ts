// Links that set a password: invitations to a merchant, and resets. A link is shown once, and only to a person, not to a key or an app.
// Its secret is stored as a hash. Opening a link does not use it up, because mail scanners open links; setting the password does.

import { createHash, createHmac, type KeyObject, randomBytes } from 'node:crypto'
import type { Role } from '../../contract/words.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { queueUserEmail } from '../../platform/outbox/emails.ts'
import { emailHash } from '../../platform/secrets/emailhash.ts'
import {
  decryptByRootSecret,
  deriveKeys,
  encryptByRootSecret,
  isEqualSecret,
  type RootSecret,
} from '../../platform/secrets/secrets.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import { removeAllFactors } from './factors.ts'
import { countPeople, lockMerchantOfPeople, membersMax } from './members.ts'
import { findAddress, notifyOwners, notifyUser } from './notices.ts'
import { linkPaths } from './places.ts'
import { mayGrantRights, type Rights, type RightsRow, rightsFor, rightsFromRow, rightsToRow } from './roles.ts'
import {
  addMerchants,
  createUser,
  emailHashes,
  findMerchantOf,
  findUserForSignIn,
  listMerchantsOf,
  normalizeEmail,
  setPassword,
} from './users.ts'

const dayMs = 24 * 3_600_000
const invitationMs = 7 * dayMs
// A person who requested the link by e-mail expects it and acts soon. A link from an owner or the operator may be opened later.
const ownResetMs = 3_600_000

export type LinkKind = keyof typeof linkPaths

export interface CreatedLink {
  id: string
  // A path of this server with the secret in it.
  path: string
  expiresAt: number
}

export interface NewInvitation {
  merchantId: string
  email: string
  role: Role
  // Only for the role `custom`.
  scopes?: readonly string[] | undefined
  // Scopes of the person, key or app that invites.
  held: readonly string[]
  // The id of the user, the key or the app's installation that invites; null: the operator. The invitation ends when the user's role
  // changes or the user leaves the shop, or when the key or app ends.
  createdBy: string | null
}

const invitationPurpose = 'invitation e-mail'

// Inviting the same person again creates a new link; the earlier one no longer works. The link is also sent by e-mail, if e-mails are
// sent.
export async function createInvitation(
  tx: Tx,
  rootSecret: RootSecret,
  { merchantId, email, role: given, scopes: chosen, held, createdBy }: NewInvitation,
  now: number,
): Promise<CreatedLink> {
  const rights = rightsFor(given, chosen)
  if (!mayGrantRights(held, rights)) throw refuse('scope_missing')
  await lockMerchantOfPeople(tx, merchantId)
  const normal = normalizeEmail(email)
  const user = await findUserForSignIn(tx, rootSecret, normal)
  if (user && (await isMember(tx, merchantId, user.id))) throw refuse('member_exists')
  await tx.sql`
    delete from invitations where merchant_id = ${merchantId} and kind = 'invitation'
      and (expires_at <= ${now} or not ${hasLivingMaker(now)} or email_hash in (${listFragment(emailHashes(rootSecret, normal))}))`
  if ((await countPeople(tx, merchantId)) >= membersMax) throw refuse('invitation_limit')
  const { token, ...link } = newLink('invitation', now + invitationMs)
  const sealed = encryptByRootSecret(rootSecret, invitationPurpose, normal, link.id)
  const { role, scopes } = rightsToRow(rights)
  await tx.sql`
    insert into invitations (id, kind, token_hash, merchant_id, email_hash, email_sealed, role, scopes, created_by, created_at,
      expires_at)
    values (${link.id}, 'invitation', ${tokenHash(token)}, ${merchantId},
      ${emailHash(rootSecret, normal, rootSecret.currentVersion)}, ${sealed}, ${role}, ${scopes}, ${createdBy}, ${now},
      ${link.expiresAt})`
  const message = { kind: 'invitation', subjectId: link.id, merchantId, email: normal, locale: null } as const
  const path = `${link.path}?mailed=${mailedProof(rootSecret, token)}`
  queueUserEmail(tx, rootSecret, { ...message, path, expiresAt: link.expiresAt }, now)
  return link
}

async function isMember(db: Reader, merchantId: string, userId: string): Promise<boolean> {
  const rows = await db.sql`
    select 1 as "one" from user_merchants where merchant_id = ${merchantId} and user_id = ${userId}`
  return rows.length > 0
}

export interface OpenInvitation extends Rights {
  id: string
  email: string
  createdBy: string | null
  createdAt: number
  expiresAt: number
}

interface InvitationRow extends Omit<OpenInvitation, 'email' | keyof Rights>, RightsRow {
  emailSealed: string
}

// Lists the oldest invitations first.
export async function listInvitations(
  db: Reader,
  rootSecret: RootSecret,
  merchantId: string,
  now: number,
): Promise<OpenInvitation[]> {
  const rows = await db.sql<InvitationRow>`
    select id, email_sealed as "emailSealed", role, scopes, created_by as "createdBy", created_at as "createdAt",
      expires_at as "expiresAt"
    from invitations where merchant_id = ${merchantId} and kind = 'invitation' and expires_at > ${now}
      and ${hasLivingMaker(now)}
    order by created_at, id limit ${membersMax}`
  return rows.map(({ emailSealed, ...row }) => ({
    ...row,
    ...rightsFromRow(row),
    email: openInvited(rootSecret, row.id, emailSealed),
  }))
}

// A key or app that has ended can no longer invite, so its open invitations are invalid too. Invitations of members are deleted when
// their role changes (members.ts). Ids are distinguished by their prefix.
function hasLivingMaker(now: number, of: '' | 'i.' = ''): Fragment {
  return new Fragment(
    `(case substr(${of}created_by, 1, 4)
        when 'key_' then exists (
          select 1 from credentials c join installations n on n.id = c.installation_id
          where c.id = ${of}created_by and c.revoked_at is null and (c.expires_at is null or c.expires_at > ?)
            and n.ended_at is null and n.disabled_at is null)
        when 'ins_' then exists (
          select 1 from installations n where n.id = ${of}created_by and n.ended_at is null and n.disabled_at is null)
        else 1 = 1 end)`,
    [now],
  )
}

function openInvited(rootSecret: RootSecret, id: string, sealed: string): string {
  const email = decryptByRootSecret(rootSecret, invitationPurpose, sealed, id)
  if (email === undefined)
    throw new Error(
      `the e-mail address of ${id} cannot be decrypted: the address was altered, or its version of the root secret is missing`,
    )
  return email
}

// Revokes an invitation. Returns the rights that it would have given.
export async function removeInvitation(
  tx: Tx,
  { merchantId, id, held }: { merchantId: string; id: string; held: readonly string[] },
): Promise<Rights> {
  await lockMerchantOfPeople(tx, merchantId)
  const [row] = await tx.sql<RightsRow>`
    select role, scopes from invitations where merchant_id = ${merchantId} and kind = 'invitation' and id = ${id}`
  if (!row) throw refuse('member_not_found')
  const rights = rightsFromRow(row)
  if (!mayGrantRights(held, rights)) throw refuse('scope_missing')
  await tx.sql`delete from invitations where merchant_id = ${merchantId} and id = ${id}`
  return rights
}

// The facts that the page of a link shows.
export interface InvitationByToken extends Rights {
  id: string
  merchantId: string
  merchantName: string
  email: string
  createdBy: string | null
  // Null for a new person. An invited person with an account accepts by signing in: the inviter sees the link, and must not be able to
  // set another person's password with it.
  userId: string | null
}

interface SeenRow extends Omit<InvitationByToken, 'email' | 'userId' | keyof Rights>, RightsRow {
  emailSealed: string
}

export async function findInvitation(
  db: Reader,
  rootSecret: RootSecret,
  token: string,
  now: number,
): Promise<InvitationByToken | undefined> {
  if (!isToken(token)) return undefined
  const [row] = await db.sql<SeenRow>`
    select i.id, i.merchant_id as "merchantId", m.name as "merchantName", i.email_sealed as "emailSealed", i.role,
      i.scopes, i.created_by as "createdBy"
    from invitations i join merchants m on m.id = i.merchant_id
    where i.token_hash = ${tokenHash(token)} and i.kind = 'invitation' and i.expires_at > ${now} and m.closed_at is null
      and ${hasLivingMaker(now, 'i.')}`
  if (!row) return undefined
  const { emailSealed, ...seen } = row
  const email = openInvited(rootSecret, row.id, emailSealed)
  const user = await findUserForSignIn(db, rootSecret, email)
  return { ...seen, ...rightsFromRow(row), email, userId: user?.id ?? null }
}

// Creates the user. Refuses if the link was used or revoked, or if the user exists by now and must sign in.
export async function acceptInvitationAsNewUser(
  tx: Tx,
  rootSecret: RootSecret,
  { token, mailed = null, passwordHash, name }: UsedInvitation & { passwordHash: string; name?: string | undefined },
  now: number,
): Promise<{ userId: string }> {
  const { merchantId, role, scopes, email, userId } = await claimInvitation(tx, rootSecret, token, now)
  if (userId !== null) throw refuse('user_exists')
  const isUnproved = !isMailedProof(rootSecret, token, mailed)
  const user = await createUser(
    tx,
    rootSecret,
    { email, name: name ?? null, passwordHash, merchantIds: [merchantId], role, scopes, isUnproved },
    now,
  )
  return { userId: user.id }
}

export interface UsedInvitation {
  token: string
  // The part of the link that only the e-mail contains: proof that the address belongs to the person. The inviter sees the link without
  // it.
  mailed?: string | null
}

function mailedProof(rootSecret: RootSecret, token: string): string {
  return proofBy(deriveKeys(rootSecret, mailedPurpose)[0], token)
}

function isMailedProof(rootSecret: RootSecret, token: string, proof: string | null): boolean {
  return (
    proof !== null && deriveKeys(rootSecret, mailedPurpose).some((key) => isEqualSecret(proof, proofBy(key, token)))
  )
}

// This text is part of the proof in links that were already sent. If it changed, these links would no longer work.
const mailedPurpose = 'link in a letter'

function proofBy(key: KeyObject, token: string): string {
  return createHmac('sha256', key).update(token).digest('base64url')
}

// Called for an invited person who is signed in.
export async function acceptInvitationAsUser(
  tx: Tx,
  rootSecret: RootSecret,
  { token, mailed = null, userId }: UsedInvitation & { userId: string },
  now: number,
): Promise<{ merchantId: string }> {
  const invitation = await claimInvitation(tx, rootSecret, token, now)
  if (invitation.userId !== userId) throw refuse('invitation_not_found')
  if (isMailedProof(rootSecret, token, mailed)) await proveEmail(tx, userId)
  const { merchantId, role, scopes } = invitation
  await addMerchants(tx, userId, { merchantIds: [merchantId], role, scopes }, now)
  return { merchantId }
}

// Among concurrent callers, the caller that deletes the invitation gets it. The merchant is locked first, as in every change of its
// people.
async function claimInvitation(tx: Tx, rootSecret: RootSecret, token: string, now: number): Promise<InvitationByToken> {
  const seen = await findInvitation(tx, rootSecret, token, now)
  if (!seen) throw refuse('invitation_not_found')
  await lockMerchantOfPeople(tx, seen.merchantId)
  const rows = await tx.sql`delete from invitations where id = ${seen.id} and kind = 'invitation' returning id`
  if (rows.length === 0) throw refuse('invitation_not_found')
  const { merchantId, email: address, role, createdBy } = seen
  if (createdBy !== null && !isId('usr', createdBy))
    await notifyOwners(tx, rootSecret, { merchantId, address, role }, now)
  return seen
}

// Creates a reset link for any user, for the operator. An earlier link no longer works.
export async function createReset(tx: Tx, userId: string, now: number): Promise<CreatedLink> {
  return insertReset(
    tx,
    { userId, merchantId: null, createdBy: null, isMailed: false, expiresAt: now + invitationMs },
    now,
  )
}

export interface ResetForMember {
  merchantId: string
  userId: string
  held: readonly string[]
  createdBy: string
}

// Creates a reset link for a member, at the request of another member. A viewer of the link can sign in as that person, so the request is
// refused if the link would give access to another merchant. This is checked again when the link is used.
export async function createResetForMember(tx: Tx, reset: ResetForMember, now: number): Promise<CreatedLink> {
  return insertResetForMember(tx, { ...reset, isMailed: false }, now)
}

// Sends a reset link at the request of a key or an app: only the e-mail contains the link.
export async function mailResetToMember(
  tx: Tx,
  rootSecret: RootSecret,
  reset: ResetForMember,
  now: number,
): Promise<Pick<CreatedLink, 'expiresAt'>> {
  const { path, id, expiresAt } = await insertResetForMember(tx, { ...reset, isMailed: true }, now)
  const email = await findAddress(tx, rootSecret, reset.userId)
  if (email === undefined)
    throw new Error(
      `the e-mail address of ${reset.userId} cannot be decrypted: its version of the root secret is missing`,
    )
  const message = { kind: 'password_reset', subjectId: id, merchantId: reset.merchantId, email, locale: null } as const
  queueUserEmail(tx, rootSecret, { ...message, path, expiresAt }, now)
  return { expiresAt }
}

async function insertResetForMember(
  tx: Tx,
  { merchantId, userId, held, createdBy, isMailed }: ResetForMember & { isMailed: boolean },
  now: number,
): Promise<CreatedLink> {
  await lockMerchantOfPeople(tx, merchantId)
  const membership = await findMerchantOf(tx, userId, merchantId)
  if (!membership) throw refuse('member_not_found')
  if (!mayGrantRights(held, membership)) throw refuse('scope_missing')
  if (await actsForOthers(tx, userId, merchantId)) throw refuse('person_of_others')
  return insertReset(tx, { userId, merchantId, createdBy, isMailed, expiresAt: now + invitationMs }, now)
}

async function actsForOthers(db: Reader, userId: string, merchantId: string): Promise<boolean> {
  const rows = await db.sql`
    select 1 as "one" from user_merchants where user_id = ${userId} and merchant_id <> ${merchantId} limit 1`
  return rows.length > 0
}

// Sends a reset link at the request of a person who typed an e-mail address: only the e-mail contains the link. Does nothing for an
// unknown address, for a disabled user, and for a user without a shop.
export async function mailPasswordReset(
  tx: Tx,
  rootSecret: RootSecret,
  { email, locale }: { email: string; locale: string | null },
  now: number,
): Promise<void> {
  const user = await findUserForSignIn(tx, rootSecret, email)
  if (!user || user.disabledAt !== null) return
  const [merchant] = await listMerchantsOf(tx, user.id)
  if (!merchant) return
  const link = await insertReset(
    tx,
    { userId: user.id, merchantId: null, createdBy: null, isMailed: true, expiresAt: now + ownResetMs },
    now,
  )
  const message = {
    kind: 'password_reset',
    subjectId: link.id,
    merchantId: merchant.id,
    email: normalizeEmail(email),
  } as const
  queueUserEmail(tx, rootSecret, { ...message, path: link.path, expiresAt: link.expiresAt, locale }, now)
}

interface NewReset {
  userId: string
  merchantId: string | null
  createdBy: string | null
  isMailed: boolean
  expiresAt: number
}

// Inserting a link invalidates earlier links of the user. Anyone can request an e-mail, so a link that is sent by e-mail only replaces
// links that were sent by e-mail.
async function insertReset(tx: Tx, { userId, merchantId, createdBy, isMailed, expiresAt }: NewReset, now: number) {
  await tx.lockRow`select id from users where id = ${userId}`
  await tx.sql`
    delete from invitations where user_id = ${userId} and kind = 'password_reset' and is_mailed >= ${isMailed ? 1 : 0}`
  const { token, ...link } = newLink('password_reset', expiresAt)
  await tx.sql`
    insert into invitations (id, kind, token_hash, merchant_id, user_id, created_by, is_mailed, created_at, expires_at)
    values (${link.id}, 'password_reset', ${tokenHash(token)}, ${merchantId}, ${userId}, ${createdBy}, ${isMailed ? 1 : 0},
      ${now}, ${expiresAt})`
  return link
}

export interface ResetByToken {
  id: string
  userId: string
  merchantId: string | null
  isMailed: number
}

export async function findReset(db: Reader, token: string, now: number): Promise<ResetByToken | undefined> {
  if (!isToken(token)) return undefined
  const [row] = await db.sql<ResetByToken>`
    select i.id, i.user_id as "userId", i.merchant_id as "merchantId", i.is_mailed as "isMailed"
    from invitations i join users u on u.id = i.user_id
    where i.token_hash = ${tokenHash(token)} and i.kind = 'password_reset' and i.expires_at > ${now} and u.disabled_at is null
      and ${hasLivingMaker(now, 'i.')}`
  return row
}

// Ends every session of the user, and the user's other reset links. A second factor is still required afterwards, unless the link was
// sent by e-mail and proves the address for the first time: another person may have set up the factor with an address that is not theirs,
// and the owner of the mailbox gets the account. The user is notified of both changes, because someone else may have opened the link.
export async function resetPassword(
  tx: Tx,
  rootSecret: RootSecret,
  { token, passwordHash }: { token: string; passwordHash: string },
  now: number,
): Promise<{ userId: string }> {
  const reset = await findReset(tx, token, now)
  if (!reset) throw refuse('invitation_not_found')
  const { id, userId, merchantId } = reset
  await tx.lockRow`select id from users where id = ${userId}`
  const rows = await tx.sql`delete from invitations where id = ${id} returning id`
  if (rows.length === 0) throw refuse('invitation_not_found')
  await tx.sql`delete from invitations where user_id = ${userId} and kind = 'password_reset'`
  if (merchantId !== null && (await actsForOthers(tx, userId, merchantId))) throw refuse('person_of_others')
  const isProof = Number(reset.isMailed) === 1 && (await proveEmail(tx, userId))
  if (isProof && (await removeAllFactors(tx, userId)))
    await notifyUser(tx, rootSecret, { userId, merchantId, kind: 'factor_removed' }, now)
  await setPassword(tx, userId, passwordHash, now)
  await notifyUser(tx, rootSecret, { userId, merchantId, kind: 'password_changed' }, now)
  return { userId }
}

// Records that the address belongs to the user. Returns false if that was proved before.
async function proveEmail(tx: Tx, userId: string): Promise<boolean> {
  const rows =
    await tx.sql`update users set email_unproved = 0 where id = ${userId} and email_unproved = 1 returning id`
  return rows.length > 0
}

// Whether the link in an unsent e-mail still works.
export async function isLinkOpen(db: Reader, id: string, now: number): Promise<boolean> {
  const rows = await db.sql`
    select id from invitations where id = ${id} and expires_at > ${now} and ${hasLivingMaker(now)}`
  return rows.length > 0
}

export async function deleteExpiredLinks(tx: Tx, now: number, rowsMax: number): Promise<number> {
  const rows = await tx.sql`
    delete from invitations where expires_at <= ${now} and id in (
      select id from invitations where expires_at <= ${now} order by expires_at limit ${rowsMax})
    returning id`
  return rows.length
}

function newLink(kind: LinkKind, expiresAt: number): CreatedLink & { token: string } {
  const token = randomBytes(32).toString('base64url')
  return { id: newId('inv'), token, path: `${linkPaths[kind]}/${token}`, expiresAt }
}

function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

function tokenHash(token: string): string {
  return createHash('sha256').update(`link ${token}`).digest('base64url')
}
