// The SQL of the authorization server: its artifacts, and the installations that stand behind grants. A grant is named by
// its hash everywhere. Whoever writes anything of a grant locks its installation first, so that nothing is issued beside
// an end that is under way.

import type { Mode } from '../contract/words.ts'
import { isNotDeferred } from '../loops/store.ts'
import { list, type Reader, type Tx } from '../storage/storage.ts'

export interface Artifact {
  kind: string
  id: string
  sealed: string
  grantId: string | null
  uid: string | null
  // Null: until the installation ends.
  expiresAt: number | null
}

export interface ArtifactRow {
  id: string
  sealed: string
  consumedAt: number | null
}

export async function findArtifact(
  db: Reader,
  kind: string,
  id: string,
  now: number,
): Promise<ArtifactRow | undefined> {
  const [artifact] = await db.sql<ArtifactRow>`
    select id, sealed, consumed_at as "consumedAt" from oauth_artifacts
    where kind = ${kind} and id = ${id} and (expires_at is null or expires_at > ${now})`
  return artifact
}

export async function findArtifactByUid(
  db: Reader,
  kind: string,
  uid: string,
  now: number,
): Promise<ArtifactRow | undefined> {
  const [artifact] = await db.sql<ArtifactRow>`
    select id, sealed, consumed_at as "consumedAt" from oauth_artifacts
    where kind = ${kind} and uid = ${uid} and expires_at > ${now}`
  return artifact
}

// Of two tabs that give one session a new id at the same time, the second finds the row of the first in its way, by id or
// by uid, and writes over it.
export async function saveArtifact(tx: Tx, artifact: Artifact, now: number): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if ((await insertArtifact(tx, artifact, now)) || (await updateArtifact(tx, artifact))) return
  }
  throw new Error('an artifact could neither be inserted nor updated')
}

async function insertArtifact(tx: Tx, artifact: Artifact, now: number): Promise<boolean> {
  const rows = await tx.sql`
    insert into oauth_artifacts (kind, id, sealed, grant_id, uid, expires_at, created_at)
    values (${artifact.kind}, ${artifact.id}, ${artifact.sealed}, ${artifact.grantId}, ${artifact.uid},
      ${artifact.expiresAt}, ${now})
    on conflict do nothing returning id`
  return rows.length > 0
}

// False when there is none. What was consumed stays consumed.
export async function updateArtifact(tx: Tx, artifact: Artifact): Promise<boolean> {
  const rows = await tx.sql`
    update oauth_artifacts set id = ${artifact.id}, sealed = ${artifact.sealed}, grant_id = ${artifact.grantId},
      expires_at = ${artifact.expiresAt}
    where kind = ${artifact.kind} and (id = ${artifact.id} or uid = ${artifact.uid})
    returning id`
  return rows.length > 0
}

// True for the first who comes, false for everybody after: the row is the lock. A record whose time is over is as good as
// none, whether or not the sweeper came by.
export async function insertOnce(tx: Tx, artifact: Artifact, now: number): Promise<boolean> {
  const rows = await tx.sql`
    insert into oauth_artifacts (kind, id, sealed, expires_at, created_at)
    values (${artifact.kind}, ${artifact.id}, ${artifact.sealed}, ${artifact.expiresAt}, ${now})
    on conflict (kind, id) do update
      set sealed = excluded.sealed, expires_at = excluded.expires_at, created_at = excluded.created_at
      where oauth_artifacts.expires_at <= ${now}
    returning id`
  return rows.length > 0
}

// True for the first who comes. The library looks first and consumes later, so that this condition alone makes a code good
// for one use. `by` is the thumbprint of the key that used it, where one was proved.
export async function consumeArtifact(
  tx: Tx,
  kind: string,
  id: string,
  { now, by }: { now: number; by: string | null },
): Promise<boolean> {
  const rows = await tx.sql`
    update oauth_artifacts set consumed_at = ${now}, consumed_by = ${by}
    where kind = ${kind} and id = ${id} and consumed_at is null
    returning id`
  return rows.length > 0
}

export interface ArtifactUse {
  grantId: string | null
  consumedBy: string | null
}

export async function findUseOf(db: Reader, kind: string, id: string): Promise<ArtifactUse | undefined> {
  const [use] = await db.sql<ArtifactUse>`
    select grant_id as "grantId", consumed_by as "consumedBy" from oauth_artifacts where kind = ${kind} and id = ${id}`
  return use
}

// False when there was none: of several who delete one row, one did.
export async function deleteArtifact(tx: Tx, kind: string, id: string): Promise<boolean> {
  const rows = await tx.sql`delete from oauth_artifacts where kind = ${kind} and id = ${id} returning id`
  return rows.length > 0
}

// The grant itself, its codes and its tokens.
export async function deleteGrant(tx: Tx, grantId: string): Promise<void> {
  await tx.sql`delete from oauth_artifacts where grant_id = ${grantId}`
}

// Keeps the newest: an app that refreshes without end does not fill the table.
export async function trimArtifactsOfGrant(tx: Tx, kind: string, grantId: string, keptMax: number): Promise<void> {
  await tx.sql`
    delete from oauth_artifacts where kind = ${kind} and grant_id = ${grantId} and id in (
      select id from oauth_artifacts where kind = ${kind} and grant_id = ${grantId}
      order by created_at desc, id limit 1000 offset ${keptMax})`
}

export interface ArtifactKey {
  kind: string
  id: string
}

// The oldest first.
export async function listExpired(db: Reader, now: number, rowsMax: number): Promise<ArtifactKey[]> {
  return db.sql<ArtifactKey>`
    select t.kind, t.id from oauth_artifacts t
    where t.expires_at <= ${now} and ${isNotDeferred('oauth', 't.kind', 't.id', now)}
    order by t.expires_at limit ${rowsMax}`
}

// Two nodes at once delete different rows or the same ones, which is the same.
export async function deleteExpired(tx: Tx, keys: readonly ArtifactKey[], now: number): Promise<number> {
  const expired = tx.rows(
    keys.map(({ kind, id }) => [kind, id]),
    ['text', 'text'],
  )
  const rows = await tx.sql`
    with expired (kind, id) as (${expired})
    delete from oauth_artifacts where (kind, id) in (select kind, id from expired) and expires_at <= ${now}
    returning id`
  return rows.length
}

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

// Made before an instant and still there, without any key, code or token; of one installation, where it is named.
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

// Installations of one merchant are made one after the other.
export async function lockMerchantById(tx: Tx, id: string): Promise<void> {
  await tx.sql`select id from merchants where id = ${id} ${tx.forUpdate}`
}

// Which of these names the merchant's installations have, those that ended included.
export async function listTakenNames(db: Reader, merchantId: string, names: readonly string[]): Promise<string[]> {
  const rows = await db.sql<{ name: string }>`
    select name from installations where merchant_id = ${merchantId} and name in (${list(names)})`
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

// On which of these merchants the app is installed now.
export async function listMerchantsWithApp(
  db: Reader,
  appId: string,
  merchantIds: readonly string[],
): Promise<string[]> {
  if (merchantIds.length === 0) return []
  const rows = await db.sql<{ merchantId: string }>`
    select distinct merchant_id as "merchantId" from installations
    where app_id = ${appId} and ended_at is null and merchant_id in (${list(merchantIds)})`
  return rows.map(({ merchantId }) => merchantId)
}

// Whom an access token speaks for.
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

// Nobody when any link of the chain is missing or ended: the token, the installation, the merchant, the app.
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

export interface SignInLimit {
  burst: number
  everyMs: number
}

// Nodes whose clocks differ by less count together.
const clockSkewMs = 60_000

// True when the bucket had one left. The arithmetic of access/throttle.ts, in one statement, so nodes count together. An instant
// much further ahead than a whole burst was written before the clock was set back: it counts as one burst.
export async function takeSignIn(
  tx: Tx,
  bucket: string,
  { burst, everyMs }: SignInLimit,
  now: number,
): Promise<boolean> {
  const fullMax = now + burst * everyMs
  const rows = await tx.sql`
    insert into sign_in_limits (bucket, full_at) values (${bucket}, ${now + everyMs})
    on conflict (bucket) do update set full_at = case
        when sign_in_limits.full_at < ${now} then ${now + everyMs}
        when sign_in_limits.full_at > ${fullMax} then ${fullMax}
        else sign_in_limits.full_at + ${everyMs} end
      where sign_in_limits.full_at <= ${fullMax - everyMs} or sign_in_limits.full_at > ${fullMax + clockSkewMs}
    returning bucket`
  return rows.length > 0
}

export async function giveBackSignIn(tx: Tx, bucket: string, everyMs: number): Promise<void> {
  await tx.sql`update sign_in_limits set full_at = full_at - ${everyMs} where bucket = ${bucket}`
}

// Full buckets, which are the same as none.
export async function deleteFullSignIns(tx: Tx, now: number, rowsMax: number): Promise<number> {
  const rows = await tx.sql`
    delete from sign_in_limits where full_at <= ${now} and bucket in (
      select bucket from sign_in_limits where full_at <= ${now} order by full_at limit ${rowsMax})
    returning bucket`
  return rows.length
}

export async function countLivingKeys(db: Reader, installationId: string, now: number): Promise<number> {
  const [row] = await db.sql<{ living: number }>`
    select count(*) as "living" from credentials
    where installation_id = ${installationId} and revoked_at is null and (expires_at is null or expires_at > ${now})`
  return row?.living ?? 0
}
