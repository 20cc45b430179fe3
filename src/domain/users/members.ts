// The people of one merchant: their roles, and how these change. A merchant always keeps an owner, and a person cannot give or remove a
// scope that they do not have. Every change locks the merchant, so two concurrent changes cannot remove the last two owners.

import type { Role } from '../../contract/words.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import {
  isSameRights,
  mayGrantRights,
  type Rights,
  type RightsRow,
  rightsFor,
  rightsFromRow,
  rightsToRow,
} from './roles.ts'
import { countSessions } from './sessions.ts'
import { addMerchants, decryptEmail, decryptName, endSessionsFrom } from './users.ts'

export interface Member extends Rights {
  userId: string
  email: string
  // Null if the person gave no name.
  name: string | null
  hasSecondFactor: boolean
  addedAt: number
  disabledAt: number | null
}

interface MemberRow extends Omit<Member, 'email' | 'name' | 'hasSecondFactor' | keyof Rights>, RightsRow {
  emailSealed: string
  nameSealed: string | null
  hasSecondFactor: number
}

export const membersMax = 200

// Lists the oldest members first.
export async function listMembers(db: Reader, rootSecret: RootSecret, merchantId: string): Promise<Member[]> {
  const rows = await db.sql<MemberRow>`
    select um.user_id as "userId", u.email_sealed as "emailSealed", u.name_sealed as "nameSealed", um.role, um.scopes,
      um.created_at as "addedAt",
      u.disabled_at as "disabledAt",
      case when exists (select 1 from user_factors f where f.user_id = u.id and f.kind = 'totp')
        or exists (select 1 from user_passkeys p where p.user_id = u.id) then 1 else 0 end as "hasSecondFactor"
    from user_merchants um join users u on u.id = um.user_id
    where um.merchant_id = ${merchantId} order by um.created_at, um.user_id limit ${membersMax}`
  return rows.map((row) => memberFrom(rootSecret, row))
}

export async function findMember(
  db: Reader,
  rootSecret: RootSecret,
  merchantId: string,
  userId: string,
): Promise<Member | undefined> {
  const [row] = await db.sql<MemberRow>`
    select um.user_id as "userId", u.email_sealed as "emailSealed", u.name_sealed as "nameSealed", um.role, um.scopes,
      um.created_at as "addedAt",
      u.disabled_at as "disabledAt",
      case when exists (select 1 from user_factors f where f.user_id = u.id and f.kind = 'totp')
        or exists (select 1 from user_passkeys p where p.user_id = u.id) then 1 else 0 end as "hasSecondFactor"
    from user_merchants um join users u on u.id = um.user_id
    where um.merchant_id = ${merchantId} and um.user_id = ${userId}`
  return row && memberFrom(rootSecret, row)
}

function memberFrom(rootSecret: RootSecret, { emailSealed, nameSealed, ...member }: MemberRow): Member {
  return {
    ...member,
    ...rightsFromRow(member),
    name: decryptName(rootSecret, member.userId, nameSealed),
    email: decryptEmail(rootSecret, member.userId, emailSealed),
    hasSecondFactor: Number(member.hasSecondFactor) === 1,
  }
}

// Counts members and invitations, including expired invitations that were not deleted yet.
export async function countPeople(db: Reader, merchantId: string): Promise<number> {
  const [row] = await db.sql<{ people: number }>`
    select (select count(*) from user_merchants where merchant_id = ${merchantId})
      + (select count(*) from invitations where merchant_id = ${merchantId} and kind = 'invitation') as "people"`
  return Number(row?.people ?? 0)
}

export async function lockMerchantOfPeople(tx: Tx, merchantId: string): Promise<void> {
  await tx.lockRow`select id from merchants where id = ${merchantId}`
}

async function findRights(db: Reader, merchantId: string, userId: string): Promise<Rights> {
  const [row] = await db.sql<RightsRow>`
    select role, scopes from user_merchants where merchant_id = ${merchantId} and user_id = ${userId}`
  if (!row) throw refuse('member_not_found')
  return rightsFromRow(row)
}

// `held`: the scopes of the person or key that makes the change. The operator has all scopes.
export interface RoleChange {
  merchantId: string
  userId: string
  role: Role
  // Only for the role `custom`.
  scopes?: readonly string[] | undefined
  held: readonly string[]
}

// Returns the rights before the change. The new rights apply from the person's next request: they are read with every request.
export async function setRole(
  tx: Tx,
  { merchantId, userId, role: given, scopes: chosen, held }: RoleChange,
  now: number,
): Promise<Rights> {
  const rights = rightsFor(given, chosen)
  await lockMerchantOfPeople(tx, merchantId)
  const before = await findRights(tx, merchantId, userId)
  if (!mayGrantRights(held, before) || !mayGrantRights(held, rights)) throw refuse('scope_missing')
  if (isSameRights(before, rights)) return before
  if (before.role === 'owner') await refuseLastOwner(tx, merchantId, userId)
  const { role, scopes } = rightsToRow(rights)
  await tx.sql`
    update user_merchants set role = ${role}, scopes = ${scopes} where merchant_id = ${merchantId} and user_id = ${userId}`
  await tx.sql`update users set updated_at = ${now} where id = ${userId}`
  await deleteInvitationsBy(tx, merchantId, userId)
  return before
}

// Also ends the person's sessions, at every merchant. Returns the rights that the person had.
export async function removeMember(
  tx: Tx,
  { merchantId, userId, held }: Omit<RoleChange, 'role' | 'scopes'>,
  now: number,
): Promise<Rights> {
  await lockMerchantOfPeople(tx, merchantId)
  const rights = await findRights(tx, merchantId, userId)
  if (!mayGrantRights(held, rights)) throw refuse('scope_missing')
  if (rights.role === 'owner') await refuseLastOwner(tx, merchantId, userId)
  await tx.sql`delete from user_merchants where merchant_id = ${merchantId} and user_id = ${userId}`
  await deleteInvitationsBy(tx, merchantId, userId)
  await endSessionsFrom(tx, userId, now)
  return rights
}

// Ends all sessions: they belong to the person, not to a shop. Returns the role and the number of ended sessions.
export async function endSessionsOfMember(
  tx: Tx,
  { merchantId, userId, held }: Omit<RoleChange, 'role' | 'scopes'>,
  now: number,
): Promise<{ role: Role; ended: number }> {
  await lockMerchantOfPeople(tx, merchantId)
  const rights = await findRights(tx, merchantId, userId)
  if (!mayGrantRights(held, rights)) throw refuse('scope_missing')
  const ended = await countSessions(tx, userId, now)
  await endSessionsFrom(tx, userId, now)
  return { role: rights.role, ended }
}

// A person's open invitations depend on what the person may give, so they end with a change of role.
async function deleteInvitationsBy(tx: Tx, merchantId: string, userId: string): Promise<void> {
  await tx.sql`delete from invitations where merchant_id = ${merchantId} and created_by = ${userId}`
}

// A disabled user does not count as an owner. The caller must have locked the merchant.
async function refuseLastOwner(tx: Tx, merchantId: string, userId: string): Promise<void> {
  const others = await tx.sql`
    select um.user_id from user_merchants um join users u on u.id = um.user_id
    where um.merchant_id = ${merchantId} and um.role = 'owner' and um.user_id <> ${userId} and u.disabled_at is null limit 1`
  if (others.length === 0) throw refuse('last_owner')
}

export interface ReplacedMerchants {
  added: readonly string[]
  dropped: readonly { merchantId: string; role: Role }[]
}

// Called for the operator: makes the user a member of exactly these merchants. At merchants that are added, the user becomes an owner; at
// the other merchants the role stays.
export async function replaceMerchants(
  tx: Tx,
  userId: string,
  merchantIds: readonly string[],
  now: number,
): Promise<ReplacedMerchants> {
  const rows = await tx.sql<{ merchantId: string } & RightsRow>`
    select merchant_id as "merchantId", role, scopes from user_merchants where user_id = ${userId} order by merchant_id`
  const before = rows.map((row) => ({ merchantId: row.merchantId, role: rightsFromRow(row).role }))
  const dropped = before.filter(({ merchantId }) => !merchantIds.includes(merchantId))
  for (const { merchantId, role } of dropped) {
    await lockMerchantOfPeople(tx, merchantId)
    if (role === 'owner') await refuseLastOwner(tx, merchantId, userId)
    await deleteInvitationsBy(tx, merchantId, userId)
  }
  if (dropped.length > 0) {
    const ids = dropped.map(({ merchantId }) => merchantId)
    await tx.sql`delete from user_merchants where user_id = ${userId} and merchant_id in (${listFragment(ids)})`
    await endSessionsFrom(tx, userId, now)
  }
  await addMerchants(tx, userId, { merchantIds }, now)
  return { added: merchantIds.filter((id) => !before.some(({ merchantId }) => merchantId === id)), dropped }
}

// Sets whether all members of the merchant must sign in with a second factor. Returns false if nothing changed.
export async function setSecondFactorRequired(tx: Tx, merchantId: string, isRequired: boolean): Promise<boolean> {
  const rows = await tx.sql`
    update merchants set second_factor_required = ${isRequired ? 1 : 0}
    where id = ${merchantId} and second_factor_required <> ${isRequired ? 1 : 0} returning id`
  return rows.length > 0
}

export async function isSecondFactorRequired(db: Reader, merchantId: string): Promise<boolean> {
  const rows = await db.sql`select id from merchants where id = ${merchantId} and second_factor_required = 1`
  return rows.length > 0
}

// Returns the change of this requirement, as the list of changes records it.
export function secondFactorChange(merchantId: string, isRequired: boolean): AuditedChange {
  const members = [{ member: 'secondFactorRequired', from: !isRequired, to: isRequired }]
  return { kind: 'change', what: 'people', id: merchantId, name: 'second factor', members }
}
