// The SQL of installations and their grants. A grant is always identified by the hash of its id. Every write to a grant locks its
// installation first, so no token is issued while the installation is being ended.

import type { Mode } from '../../contract/words.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'

export interface GrantedInstallation {
  id: string
  grantId: string | null
  endedAt: number | null
}

export async function lockInstallationOfGrant(tx: Tx, grantId: string): Promise<GrantedInstallation | undefined> {
  const [installation] = await tx.sql<GrantedInstallation>`
    select id, grant_id as "grantId", ended_at as "endedAt" from installations where grant_id = ${grantId} ${tx.forUpdate}`
  return installation
}

export async function lockInstallation(tx: Tx, id: string): Promise<GrantedInstallation | undefined> {
  const [installation] = await tx.sql<GrantedInstallation>`
    select id, grant_id as "grantId", ended_at as "endedAt" from installations where id = ${id} ${tx.forUpdate}`
  return installation
}

// Lists installations with a grant that have not ended, were created at `before` or earlier, and have no key, code or token. `id`: only
// this installation.
export async function listUnredeemed(
  db: Reader,
  { before, now }: { before: number; now: number },
  limit: number,
  id = '',
): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select i.id from installations i
    where i.grant_id is not null and i.ended_at is null and i.created_at <= ${before} and (${id} = '' or i.id = ${id})
      and ${isNotDeferred('oauth', 'i.id', 'i.id', now)}
      and not exists (select 1 from credentials c where c.installation_id = i.id)
      and not exists (
        select 1 from oauth_artifacts t
        where t.grant_id = i.grant_id and t.kind in ('AuthorizationCode', 'AccessToken', 'RefreshToken'))
    order by i.id limit ${limit}`
  return rows.map((row) => row.id)
}

// Lists installations of assistants that no longer have an active approver: the person who approved the installation has left the shop,
// was disabled, or was signed out everywhere since.
export async function listAbandoned(db: Reader, now: number, limit: number): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select i.id from apps a
    join installations i on i.app_id = a.id
    where a.client_uri is not null and i.grant_id is not null and i.ended_at is null
      and ${isNotDeferred('oauth', 'i.id', 'i.id', now)}
      and not exists (
        select 1 from user_merchants um join users u on u.id = um.user_id
        where um.merchant_id = i.merchant_id and um.user_id = i.approved_by and u.disabled_at is null
          and i.created_at > u.sessions_from)
    order by i.id limit ${limit}`
  return rows.map((row) => row.id)
}

// With this lock, a merchant's installations are created one at a time.
export async function lockMerchantOfInstallations(tx: Tx, id: string): Promise<void> {
  await tx.sql`select id from merchants where id = ${id} ${tx.forUpdate}`
}

// Returns the time at which to create an installation that ends with the sessions of its person: after each earlier sign-out of all
// sessions, even within the same millisecond or after the clock was set back. Returns undefined if the person was disabled, or was signed
// out everywhere after this sign-in. The row is locked, so a new password is set either before or after the installation.
export async function lockSessionsOf(
  tx: Tx,
  userId: string,
  { signedInAt, now }: { signedInAt: number; now: number },
): Promise<number | undefined> {
  const [user] = await tx.sql<{ sessionsFrom: number }>`
    select sessions_from as "sessionsFrom" from users where id = ${userId} and disabled_at is null ${tx.forUpdate}`
  return user && signedInAt > user.sessionsFrom ? Math.max(now, user.sessionsFrom + 1) : undefined
}

// Returns which of these names are taken by installations of the merchant, including ended ones.
export async function listTakenNames(db: Reader, merchantId: string, names: readonly string[]): Promise<string[]> {
  const rows = await db.sql<{ name: string }>`
    select name from installations where merchant_id = ${merchantId} and name in (${listFragment(names)})`
  return rows.map(({ name }) => name)
}

export interface NewInstallation {
  id: string
  merchantId: string
  name: string
  mode: Mode
  redirectHosts: string
  appId: string
  grantId: string
  grantedScopes: string
  approvedBy: string
}

export async function insertAppInstallation(tx: Tx, installation: NewInstallation, now: number): Promise<void> {
  const i = installation
  await tx.sql`
    insert into installations (id, merchant_id, name, mode, redirect_hosts, app_id, grant_id, granted_scopes, approved_by,
      created_at)
    values (${i.id}, ${i.merchantId}, ${i.name}, ${i.mode}, ${i.redirectHosts}, ${i.appId}, ${i.grantId},
      ${i.grantedScopes}, ${i.approvedBy}, ${now})`
}

export async function moveInstallationToEnded(tx: Tx, id: string, now: number): Promise<void> {
  await tx.sql`
    update installations set ended_at = ${now}, disabled_at = coalesce(disabled_at, ${now}), sessions_end_at = ${now}
    where id = ${id} and ended_at is null`
}

// Returns those of the merchants that have the app installed.
export async function listMerchantsWithApp(
  db: Reader,
  appId: string,
  merchantIds: readonly string[],
): Promise<string[]> {
  if (merchantIds.length === 0) return []
  const rows = await db.sql<{ merchantId: string }>`
    select distinct merchant_id as "merchantId" from installations
    where app_id = ${appId} and ended_at is null and merchant_id in (${listFragment(merchantIds)})`
  return rows.map(({ merchantId }) => merchantId)
}

// An installation as shown to the merchant, with its app.
export interface AdminInstallationRow {
  id: string
  name: string
  mode: Mode
  redirectHosts: string
  appId: string | null
  appName: string | null
  // URL of the assistant's client metadata document. Null for other apps.
  clientUri: string | null
  grantedScopes: string | null
  approvedBy: string | null
  createdAt: number
  // When the app was last issued a token for this installation.
  lastTokenAt: number | null
  disabledAt: number | null
  endedAt: number | null
}

const installationColumns = new Fragment(`
  i.id, i.name, i.mode, i.redirect_hosts as "redirectHosts", i.app_id as "appId", a.name as "appName",
  a.client_uri as "clientUri", (
    select max(t.created_at) from oauth_artifacts t
    where t.grant_id = i.grant_id and t.kind in ('AccessToken', 'RefreshToken')) as "lastTokenAt",
  i.granted_scopes as "grantedScopes", i.approved_by as "approvedBy", i.created_at as "createdAt",
  i.disabled_at as "disabledAt", i.ended_at as "endedAt"
  from installations i left join apps a on a.id = i.app_id`)

// Lists the merchant's installations, newest first.
export async function listInstallationsOf(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { after, limit }: { after: string | null; limit: number },
): Promise<AdminInstallationRow[]> {
  return db.sql<AdminInstallationRow>`
    select ${installationColumns}
    where i.merchant_id = ${merchantId} and i.mode = ${mode} and (${after ?? ''} = '' or i.id < ${after ?? ''})
    order by i.id desc limit ${limit}`
}

export async function findInstallationOf(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  id: string,
): Promise<AdminInstallationRow | undefined> {
  const [row] = await db.sql<AdminInstallationRow>`
    select ${installationColumns} where i.merchant_id = ${merchantId} and i.mode = ${mode} and i.id = ${id}`
  return row
}

export interface InstalledApp extends MerchantMode {
  id: string
  name: string
  appId: string
  appName: string
}

// Returns undefined if the installation does not belong to an app.
export async function findInstalledApp(db: Reader, id: string): Promise<InstalledApp | undefined> {
  const [row] = await db.sql<InstalledApp>`
    select i.id, i.name, i.merchant_id as "merchantId", i.mode, a.id as "appId", a.name as "appName"
    from installations i join apps a on a.id = i.app_id where i.id = ${id} and i.grant_id is not null`
  return row
}

const reportedMax = 200

// Lists the merchant's other active installations in this mode that have a webhook endpoint: without one they cannot be notified.
export async function listOtherInstallations(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  id: string,
): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select i.id from installations i
    where i.merchant_id = ${merchantId} and i.mode = ${mode} and i.ended_at is null and i.disabled_at is null
      and i.id <> ${id}
      and exists (select 1 from webhook_endpoints e where e.installation_id = i.id and e.ended_at is null)
    order by i.id limit ${reportedMax}`
  return rows.map((row) => row.id)
}

// Maximum per merchant, without ended installations.
export const livingInstallationsMax = 200

export async function countInstallations(db: Reader, merchantId: string): Promise<number> {
  const [row] = await db.sql<{ living: number }>`
    select count(*) as "living" from installations where merchant_id = ${merchantId} and ended_at is null`
  return Number(row?.living ?? 0)
}

// The installation for which an access token acts.
export interface TokenHolder {
  sealed: string
  grantId: string
  installationId: string
  mode: Mode
  grantedScopes: string
  grantedAt: number
  merchantId: string
  merchantSlug: string
  appId: string
  appName: string
}

// Returns undefined if the token, the installation, the merchant or the app is missing, ended or disabled.
export async function findTokenHolder(db: Reader, id: string, now: number): Promise<TokenHolder | undefined> {
  const [holder] = await db.sql<TokenHolder>`
    select t.sealed, i.grant_id as "grantId", i.id as "installationId", i.mode, i.granted_scopes as "grantedScopes",
      i.created_at as "grantedAt", m.id as "merchantId", m.slug as "merchantSlug", a.id as "appId", a.name as "appName"
    from oauth_artifacts t
    join installations i on i.grant_id = t.grant_id
    join merchants m on m.id = i.merchant_id
    join apps a on a.id = i.app_id
    where t.kind = 'AccessToken' and t.id = ${id} and t.expires_at > ${now}
      and i.ended_at is null and i.disabled_at is null and m.closed_at is null and a.disabled_at is null`
  return holder
}

export async function countLivingKeys(db: Reader, installationId: string, now: number): Promise<number> {
  const [row] = await db.sql<{ living: number }>`
    select count(*) as "living" from credentials
    where installation_id = ${installationId} and revoked_at is null and (expires_at is null or expires_at > ${now})`
  return row?.living ?? 0
}
