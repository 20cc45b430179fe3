// The SQL of credentials.
import { limits } from '../../contract/limits.ts'
import type { Mode } from '../../contract/words.ts'
import { isNotDeferred } from '../jobs/store.ts'
import type { MerchantMode } from '../kit/mode.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../storage/storage.ts'
import { type CredentialLife, type NewCredential, scopesText } from './credential.ts'

export interface CredentialRow extends CredentialLife {
  readonly id: string
  readonly name: string
  readonly mode: Mode
  readonly prefix: string
  readonly last4: string
  // Separated by spaces; parsed by scopesFrom().
  readonly scopes: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly rotatedFrom: string | null
  // Separated by spaces; parsed by originsFrom(). Null for a secret key.
  readonly origins: string | null
}

// A credential with its installation and merchant: what the identity operation shows and what decides whether a caller is admitted.
export interface IdentityRow extends CredentialRow {
  readonly digest: string
  readonly pepperVersion: number
  readonly installationId: string
  readonly installationName: string
  readonly installationMode: Mode
  readonly installationCreatedAt: number
  readonly installationDisabledAt: number | null
  readonly installationEndedAt: number | null
  readonly appId: string | null
  readonly appName: string | null
  readonly merchantId: string
  readonly merchantSlug: string
  readonly merchantName: string
  readonly merchantCurrency: string
  readonly merchantCountry: string
  readonly merchantClosedAt: number | null
  // Greater than 0 while the merchant is being moved from or to another cell.
  readonly isMoving: number
}

// Origins of the credential `c`, in no particular order.
const originsOf = new Fragment(`(
        select string_agg(o.origin, ' ') from key_origins o
        where o.installation_id = c.installation_id and o.credential_id = c.id)`)

export async function findCredential(db: Reader, lookup: string): Promise<IdentityRow | undefined> {
  return findIdentity(db, new Fragment('c.lookup = ?', [lookup]))
}

// Not limited to an installation: only for callers who have proved that they have the credential, and for the operator.
export async function findCredentialById(db: Reader, id: string): Promise<IdentityRow | undefined> {
  return findIdentity(db, new Fragment('c.id = ?', [id]))
}

async function findIdentity(db: Reader, condition: Fragment): Promise<IdentityRow | undefined> {
  const [row] = await db.sql<IdentityRow>`
    select c.id, c.name, c.mode, c.digest, c.pepper_version as "pepperVersion", c.prefix, c.last4, c.scopes,
      c.created_at as "createdAt", c.expires_at as "expiresAt", c.revoked_at as "revokedAt",
      c.last_used_at as "lastUsedAt", c.rotated_from as "rotatedFrom",
      (select min(r.id) from credentials r
        where r.installation_id = c.installation_id and r.rotated_from = c.id) as "replacedBy",
      ${originsOf} as "origins",
      i.id as "installationId", i.name as "installationName", i.mode as "installationMode",
      i.created_at as "installationCreatedAt", i.disabled_at as "installationDisabledAt",
      i.ended_at as "installationEndedAt", i.app_id as "appId", a.name as "appName",
      m.id as "merchantId", m.slug as "merchantSlug", m.name as "merchantName", m.currency as "merchantCurrency",
      m.country as "merchantCountry", m.closed_at as "merchantClosedAt",
      (select count(*) from merchant_moves v where v.merchant_id = m.id) as "isMoving"
    from credentials c
    join installations i on i.id = c.installation_id
    join merchants m on m.id = c.merchant_id
    left join apps a on a.id = i.app_id
    where ${condition}`
  return row
}

// Returns the credentials, newest first.
export async function listCredentials(db: Reader, installationId: string): Promise<CredentialRow[]> {
  return db.sql<CredentialRow>`
    select c.id, c.name, c.mode, c.prefix, c.last4, c.scopes,
      c.created_at as "createdAt", c.expires_at as "expiresAt", c.revoked_at as "revokedAt",
      c.last_used_at as "lastUsedAt", c.rotated_from as "rotatedFrom",
      (select min(r.id) from credentials r
        where r.installation_id = c.installation_id and r.rotated_from = c.id) as "replacedBy",
      ${originsOf} as "origins"
    from credentials c
    where c.installation_id = ${installationId}
    order by c.id desc
    limit ${limits.listRowsMax}`
}

export interface MerchantCredential extends CredentialRow {
  readonly installationId: string
  readonly installationName: string
}

// Lists credentials of a merchant in one mode, of all its installations or of one, newest first.
export async function listCredentialsOf(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { installationId = '', after, limit }: { installationId?: string; after: string | null; limit: number },
): Promise<MerchantCredential[]> {
  return db.sql<MerchantCredential>`
    select c.id, c.name, c.mode, c.prefix, c.last4, c.scopes,
      c.created_at as "createdAt", c.expires_at as "expiresAt", c.revoked_at as "revokedAt",
      c.last_used_at as "lastUsedAt", c.rotated_from as "rotatedFrom",
      (select min(r.id) from credentials r
        where r.installation_id = c.installation_id and r.rotated_from = c.id) as "replacedBy",
      ${originsOf} as "origins",
      i.id as "installationId", i.name as "installationName"
    from credentials c join installations i on i.id = c.installation_id
    where i.merchant_id = ${merchantId} and i.mode = ${mode} and (${installationId} = '' or i.id = ${installationId})
      and (${after ?? ''} = '' or c.id < ${after ?? ''})
    order by c.id desc limit ${limit}`
}

export async function insertCredential(tx: Tx, credential: NewCredential): Promise<void> {
  const c = credential
  await tx.sql`
    insert into credentials (id, installation_id, merchant_id, name, mode, lookup, digest, pepper_version, prefix, last4,
      scopes, created_at, expires_at, rotated_from, made_by)
    values (${c.id}, ${c.installationId}, ${c.merchantId}, ${c.name}, ${c.mode}, ${c.lookup}, ${c.digest},
      ${c.pepperVersion}, ${c.prefix}, ${c.last4}, ${scopesText(c.scopes)}, ${c.createdAt}, ${c.expiresAt},
      ${c.rotatedFrom}, ${c.madeBy ?? null})`
  for (const origin of c.origins)
    tx.send`
      insert into key_origins (installation_id, credential_id, origin) values (${c.installationId}, ${c.id}, ${origin})`
}

export async function isOriginOfKey(db: Reader, origin: string, now: number): Promise<boolean> {
  const rows = await db.sql`
    select o.credential_id from key_origins o
    join credentials c on c.installation_id = o.installation_id and c.id = o.credential_id
    where o.origin = ${origin} and c.revoked_at is null and (c.expires_at is null or c.expires_at > ${now}) limit 1`
  return rows.length > 0
}

// Webhook endpoints, keys and invitations end with the key that created them, so a rotation transfers them to the new key.
export function transferToSuccessor(tx: Tx, id: string, successorId: string): void {
  tx.send`update webhook_endpoints set credential_id = ${successorId} where credential_id = ${id}`
  tx.send`update credentials set made_by = ${successorId} where made_by = ${id}`
  tx.send`update invitations set created_by = ${successorId} where created_by = ${id}`
}

// Returns false if the installation has no such credential, or if it was already revoked. After the commit, the caller removes the
// credential from the cache of this node; other nodes keep theirs for up to two seconds.
export async function revokeCredential(tx: Tx, installationId: string, id: string, now: number): Promise<boolean> {
  return (await revokeWithCreatedKeys(tx, installationId, id, now)).length > 0
}

export interface RevokedKey {
  id: string
  name: string
}

// Returns the key, followed by the keys that it created. These cannot have created keys: no key can create a key with admin scopes.
export async function revokeWithCreatedKeys(
  tx: Tx,
  installationId: string,
  id: string,
  now: number,
): Promise<readonly RevokedKey[]> {
  const own = await tx.sql<RevokedKey>`
    update credentials set revoked_at = ${now}
    where installation_id = ${installationId} and id = ${id} and revoked_at is null
    returning id, name`
  if (own.length === 0) return []
  const made = await tx.sql<RevokedKey>`
    update credentials set revoked_at = ${now} where made_by = ${id} and revoked_at is null returning id, name`
  return [...own, ...made]
}

// Revokes all keys of an installation that ends, and the keys that they created for other installations. The caller must signal the
// change to all nodes.
export async function revokeCredentials(tx: Tx, installationId: string, now: number): Promise<void> {
  await tx.sql`
    update credentials set revoked_at = ${now} where revoked_at is null and made_by in (
      select c.id from credentials c where c.installation_id = ${installationId})`
  await tx.sql`
    update credentials set revoked_at = ${now} where installation_id = ${installationId} and revoked_at is null`
}

// Sets when the old key of a rotation expires. Returns false if the credential is revoked or would expire sooner anyway.
export async function expireCredential(tx: Tx, installationId: string, id: string, at: number): Promise<boolean> {
  const rows = await tx.sql`
    update credentials set expires_at = ${at}
    where installation_id = ${installationId} and id = ${id} and revoked_at is null
      and (expires_at is null or expires_at > ${at})
    returning id`
  return rows.length > 0
}

// Lists keys that were revoked or expired by `endedBy`, by two queries, since each condition has its own index.
export async function listDeadCredentials(db: Reader, endedBy: number, now: number): Promise<CredentialName[]> {
  const isDue = isNotDeferred('retention', 'c.installation_id', 'c.id', now)
  const revoked = db.sql<CredentialName>`
    select c.installation_id as "installationId", c.id from credentials c
    where c.revoked_at is not null and c.revoked_at <= ${endedBy} and ${isDue}
    order by c.revoked_at limit ${credentialsDeletedMax}`
  const expired = db.sql<CredentialName>`
    select c.installation_id as "installationId", c.id from credentials c
    where c.expires_at is not null and c.expires_at <= ${endedBy} and ${isDue}
    order by c.expires_at limit ${credentialsDeletedMax}`
  const found = (await Promise.all([revoked, expired])).flat()
  return [...new Map(found.map((name) => [name.id, name])).values()].slice(0, credentialsDeletedMax)
}

export interface CredentialName {
  installationId: string
  id: string
}

export const credentialsDeletedMax = 500

export async function deleteCredentials(tx: Tx, names: readonly CredentialName[]): Promise<void> {
  for (const [installationId, theirs] of Map.groupBy(names, (name) => name.installationId)) {
    const ids = listFragment(theirs.map(({ id }) => id))
    tx.send`delete from key_origins where installation_id = ${installationId} and credential_id in (${ids})`
    await tx.sql`delete from credentials where installation_id = ${installationId} and id in (${ids})`
  }
}

export interface DigestRenewal {
  id: string
  before: string
  digest: string
  pepperVersion: number
}

// Replaces digests of keys that were just verified by digests with the current version of the root secret.
export async function renewDigests(tx: Tx, renewals: readonly DigestRenewal[]): Promise<void> {
  for (const { id, before, digest, pepperVersion } of renewals)
    await tx.sql`
      update credentials set digest = ${digest}, pepper_version = ${pepperVersion} where id = ${id} and digest = ${before}`
}

// Updates credentials of many installations in one statement. The ids come from rows that were read before, so no tenant is named.
export async function touchCredentials(tx: Tx, uses: readonly { id: string; at: number }[]): Promise<void> {
  if (uses.length === 0) return
  await tx.sql`
    with used (id, used_at) as (${tx.rows(
      uses.map(({ id, at }) => [id, at]),
      ['text', 'bigint'],
    )})
    update credentials set last_used_at = used.used_at
    from used
    where credentials.id = used.id and (credentials.last_used_at is null or credentials.last_used_at < used.used_at)`
}

// Not limited to an installation, like `findCredentialById`. What is read afterwards does not change until the transaction ends.
export async function lockCredential(tx: Tx, id: string): Promise<void> {
  await tx.sql`select id from credentials where id = ${id} ${tx.forUpdate}`
}
