// The SQL of agents: which shops are open to them, which platforms called, and what they sent.

import type { AgentLevel, AgentPayers, PlatformProof, PlatformStatus } from '../../contract/agents/settings.ts'
import type { Mode } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { expectVersion } from '../../platform/storage/guard.ts'
import { Fragment, type Reader, type Tx } from '../../platform/storage/storage.ts'

export interface AgentSettingsRow {
  merchantId: string
  mode: Mode
  level: AgentLevel
  who: AgentPayers
  reviewFrom: number | null
  // 1: platforms receive webhooks when their orders change; 0: they do not.
  orderWebhooks: number
  installationId: string
  version: number
  updatedAt: number
}

export async function findAgentSettingsRow(
  db: Reader,
  { merchantId, mode }: MerchantMode,
): Promise<AgentSettingsRow | undefined> {
  const [row] = await db.sql<AgentSettingsRow>`
    select merchant_id as "merchantId", mode, level, who, review_from as "reviewFrom",
      order_webhooks as "orderWebhooks", installation_id as "installationId", version, updated_at as "updatedAt"
    from agent_settings where merchant_id = ${merchantId} and mode = ${mode}`
  return row
}

export function insertAgentSettings(tx: Tx, row: AgentSettingsRow): void {
  tx.send`
    insert into agent_settings (merchant_id, mode, level, who, review_from, order_webhooks, installation_id, version, updated_at)
    values (${row.merchantId}, ${row.mode}, ${row.level}, ${row.who}, ${row.reviewFrom}, ${row.orderWebhooks},
      ${row.installationId}, ${row.version}, ${row.updatedAt})`
}

// Updates the row if its version is still the one that was read under the merchant's lock.
export function saveAgentSettings(tx: Tx, row: AgentSettingsRow): void {
  tx.send`
    update agent_settings set ${expectVersion(row.version - 1, row.version)}, level = ${row.level}, who = ${row.who},
      review_from = ${row.reviewFrom}, order_webhooks = ${row.orderWebhooks}, updated_at = ${row.updatedAt}
    where merchant_id = ${row.merchantId} and mode = ${row.mode}`
}

export async function hasInstallationNamed(db: Reader, merchantId: string, name: string): Promise<boolean> {
  const rows = await db.sql`select id from installations where merchant_id = ${merchantId} and name = ${name}`
  return rows.length > 0
}

// A shop that agents may call, in one mode.
export interface AgentShop extends MerchantMode {
  slug: string
  name: string
  currency: string
  level: Exclude<AgentLevel, 'off'>
  who: AgentPayers
  reviewFrom: number | null
  orderWebhooks: number
  installationId: string
  // 1 if the merchant has connected an account at a payment provider, otherwise 0.
  hasAccounts: number
  // Id of the key that signs now; null if no key was created yet.
  signingKid: string | null
  // Addresses of the shop's pages, such as its legal texts, as JSON.
  links: string
}

export function agentShopLinks({ links }: AgentShop): Record<string, string> {
  return JSON.parse(links)
}

const shopColumns = new Fragment(`
  m.id as "merchantId", s.mode, m.slug, m.name, m.currency, s.level, s.who, s.review_from as "reviewFrom",
  s.order_webhooks as "orderWebhooks", s.installation_id as "installationId",
  case when exists (select 1 from payment_accounts n where n.merchant_id = s.merchant_id and n.mode = s.mode
    and n.ended_at is null) then 1 else 0 end as "hasAccounts",
  (select k.kid from agent_keys k where k.merchant_id = s.merchant_id and k.mode = s.mode and k.retired_at is null
    limit 1) as "signingKid", m.links`)

// Returns undefined if the shop does not exist or is closed to agents, its merchant is closed, or its installation is disabled.
export async function findAgentShop(db: Reader, slug: string, mode: Mode): Promise<AgentShop | undefined> {
  const [row] = await db.sql<AgentShop>`
    select ${shopColumns}
    from merchants m
    join agent_settings s on s.merchant_id = m.id and s.mode = ${mode} and s.level <> 'off'
    join installations i on i.id = s.installation_id and i.disabled_at is null
    where m.slug = ${slug} and m.closed_at is null`
  return row
}

// Finds the shop by its installation for agents, even if the shop is closed to agents: existing orders continue.
export async function findShopOfAgents(
  db: Reader,
  installationId: string,
): Promise<(MerchantMode & { slug: string }) | undefined> {
  const [row] = await db.sql<MerchantMode & { slug: string }>`
    select m.id as "merchantId", i.mode, m.slug from installations i join merchants m on m.id = i.merchant_id
    where i.id = ${installationId}`
  return row
}

// Shops that are open to agents, live mode first. A caller that needs to know whether there is exactly one passes a limit of 2.
export async function listAgentShops(db: Reader, limit: number): Promise<AgentShop[]> {
  return db.sql<AgentShop>`
    select ${shopColumns}
    from agent_settings s
    join merchants m on m.id = s.merchant_id and m.closed_at is null
    join installations i on i.id = s.installation_id and i.disabled_at is null
    where s.level <> 'off'
    order by s.mode, m.slug limit ${limit}`
}

export interface PlatformRow {
  installationId: string
  id: string
  merchantId: string
  profileUrl: string
  host: string
  status: PlatformStatus
  version: number
  // The API key that was created for the platform.
  credentialId: string | null
  firstSeenAt: number
  lastSeenAt: number
}

const platformColumns = new Fragment(`
  installation_id as "installationId", id, merchant_id as "merchantId", profile_url as "profileUrl", host, status, version,
  credential_id as "credentialId", first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt"`)

export interface CalledShop {
  shop: AgentShop | undefined
  // Undefined if the shop has no record of the platform.
  platform: PlatformRow | undefined
}

type CalledColumns = AgentShop &
  Omit<PlatformRow, 'installationId' | 'id' | 'merchantId' | 'profileUrl'> & { platformId: string | null }

// Finds the shop and the platform in one statement. `profileUrl`: null if the caller has no profile.
export async function findCalledShop(
  db: Reader,
  { slug, mode }: { slug: string; mode: Mode },
  profileUrl: string | null,
): Promise<CalledShop> {
  if (profileUrl === null) return { shop: await findAgentShop(db, slug, mode), platform: undefined }
  const [row] = await db.sql<CalledColumns>`
    select ${shopColumns}, p.id as "platformId", p.host, p.status, p.version, p.credential_id as "credentialId",
      p.first_seen_at as "firstSeenAt", p.last_seen_at as "lastSeenAt"
    from merchants m
    join agent_settings s on s.merchant_id = m.id and s.mode = ${mode} and s.level <> 'off'
    join installations i on i.id = s.installation_id and i.disabled_at is null
    left join agent_platforms p on p.installation_id = s.installation_id and p.profile_url = ${profileUrl}
    where m.slug = ${slug} and m.closed_at is null`
  if (!row) return { shop: undefined, platform: undefined }
  const {
    installationId,
    merchantId,
    platformId: id,
    host,
    status,
    version,
    credentialId,
    firstSeenAt,
    lastSeenAt,
  } = row
  if (id === null) return { shop: row, platform: undefined }
  const key = { installationId, id, merchantId, profileUrl }
  return { shop: row, platform: { ...key, host, status, version, credentialId, firstSeenAt, lastSeenAt } }
}

export async function findPlatformAt(
  db: Reader,
  installationId: string,
  profileUrl: string,
): Promise<PlatformRow | undefined> {
  const [row] = await db.sql<PlatformRow>`
    select ${platformColumns} from agent_platforms
    where installation_id = ${installationId} and profile_url = ${profileUrl}`
  return row
}

export async function findPlatformOfKey(
  db: Reader,
  { merchantId, installationId }: Pick<AgentShop, 'merchantId' | 'installationId'>,
  credentialId: string,
): Promise<PlatformRow | undefined> {
  const [row] = await db.sql<PlatformRow>`
    select ${platformColumns} from agent_platforms
    where merchant_id = ${merchantId} and credential_id = ${credentialId} and installation_id = ${installationId}`
  return row
}

// Locks the platform. Returns undefined if it does not exist, or belongs to another merchant or mode.
export async function lockPlatform(tx: Tx, seller: MerchantMode, id: string): Promise<PlatformRow | undefined> {
  const { merchantId, mode } = seller
  const [row] = await tx.sql<PlatformRow>`
    select ${platformColumns} from agent_platforms where id = ${id} and installation_id in (
      select installation_id from agent_settings where merchant_id = ${merchantId} and mode = ${mode}) ${tx.forUpdate}`
  return row
}

// Lists platforms, newest first, paged by id.
export async function listPlatforms(
  db: Reader,
  installationId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<PlatformRow[]> {
  return db.sql<PlatformRow>`
    select ${platformColumns} from agent_platforms
    where installation_id = ${installationId} and (${after ?? ''} = '' or id < ${after ?? ''})
    order by id desc limit ${limit}`
}

export async function savePlatform(
  tx: Tx,
  { installationId, id, status, version, credentialId }: PlatformRow,
): Promise<void> {
  await tx.sql`
    update agent_platforms set ${expectVersion(version - 1, version)}, status = ${status}, credential_id = ${credentialId}
    where installation_id = ${installationId} and id = ${id}`
}

export interface AgentKeyRow extends MerchantMode {
  kid: string
  publicJwk: string
  privateSealed: string
  createdAt: number
  retiredAt: number | null
}

// Lists the signing key first, then retired keys from the newest to the oldest.
export async function listAgentKeys(db: Reader, { merchantId, mode }: MerchantMode): Promise<AgentKeyRow[]> {
  return db.sql<AgentKeyRow>`
    select merchant_id as "merchantId", mode, kid, public_jwk as "publicJwk", private_sealed as "privateSealed",
      created_at as "createdAt", retired_at as "retiredAt"
    from agent_keys where merchant_id = ${merchantId} and mode = ${mode} order by case when retired_at is null then 0 else 1 end, created_at desc, kid limit 100`
}

export function insertAgentKey(tx: Tx, row: AgentKeyRow): void {
  tx.send`
    insert into agent_keys (merchant_id, mode, kid, public_jwk, private_sealed, created_at, retired_at)
    values (${row.merchantId}, ${row.mode}, ${row.kid}, ${row.publicJwk}, ${row.privateSealed}, ${row.createdAt}, ${row.retiredAt})`
}

export function retireAgentKeys(tx: Tx, { merchantId, mode }: MerchantMode, now: number): void {
  tx.send`
    update agent_keys set retired_at = ${now} where merchant_id = ${merchantId} and mode = ${mode} and retired_at is null`
}

// Deletes keys that were retired before `before`.
export function deleteAgentKeys(tx: Tx, { merchantId, mode }: MerchantMode, before: number): void {
  tx.send`delete from agent_keys where merchant_id = ${merchantId} and mode = ${mode} and retired_at < ${before}`
}

export function deleteAgentCheckout(tx: Tx, { installationId, cartId }: AgentCheckoutRow): void {
  tx.send`delete from agent_checkouts where installation_id = ${installationId} and cart_id = ${cartId}`
}

// Inserts the platform, or updates the time of its last call if it already exists.
export async function insertPlatformIfNew(tx: Tx, row: PlatformRow): Promise<PlatformRow> {
  const [seen] = await tx.sql<PlatformRow>`
    insert into agent_platforms (installation_id, id, merchant_id, profile_url, host, status, version, first_seen_at, last_seen_at)
    values (${row.installationId}, ${row.id}, ${row.merchantId}, ${row.profileUrl}, ${row.host}, ${row.status}, ${row.version},
      ${row.firstSeenAt}, ${row.lastSeenAt})
    on conflict (installation_id, profile_url) do update set last_seen_at = excluded.last_seen_at
    returning ${platformColumns}`
  if (!seen) throw new Error('the agent platform was neither inserted nor found')
  return seen
}

// Deletes platforms that have only called, except the `kept` that called last: they have no key, checkout or endpoint, and the merchant has
// neither approved nor blocked them.
export async function deleteSurplusPlatforms(tx: Tx, installationId: string, kept: number): Promise<void> {
  await tx.sql`
    delete from agent_platforms where installation_id = ${installationId} and status = 'seen' and id in (
      select p.id from agent_platforms p
      where p.installation_id = ${installationId} and p.status = 'seen' and p.credential_id is null and ${madeNothing}
        and not exists (select 1 from webhook_endpoints e
          where e.installation_id = p.installation_id and e.platform_id = p.id and e.ended_at is null)
      order by p.last_seen_at desc, p.id desc limit ${forgottenAtOnce} offset ${kept})`
}

const forgottenAtOnce = 100

// SQL condition: the platform `p` has no checkout.
const madeNothing = new Fragment(`not exists (
  select 1 from agent_checkouts c where c.installation_id = p.installation_id and c.platform_id = p.id)`)

// Deletes platforms that the merchant has neither approved nor blocked, that have not called since `before` and have no checkout left,
// and whose endpoint has accepted no webhook since then. A platform with orders keeps receiving webhooks about them.
export async function deleteUnusedPlatforms(
  tx: Tx,
  before: number,
  limit: number,
): Promise<Pick<PlatformRow, 'installationId' | 'id'>[]> {
  return tx.sql<Pick<PlatformRow, 'installationId' | 'id'>>`
    delete from agent_platforms where (installation_id, id) in (
      select p.installation_id, p.id from agent_platforms p
      where p.last_seen_at < ${before} and p.status = 'seen' and ${madeNothing}
        and not exists (select 1 from webhook_endpoints e
          where e.installation_id = p.installation_id and e.platform_id = p.id and e.ended_at is null
            and e.last_success_at >= ${before})
      order by p.last_seen_at limit ${limit})
    returning installation_id as "installationId", id`
}

export interface AgentCheckoutRow {
  installationId: string
  cartId: string
  // Null if the cart has no checkout.
  sessionId: string | null
  merchantId: string
  platformId: string
  protocol: string
  version: string
  askedSealed: string | null
  shownTotal: number | null
  proof: PlatformProof | null
  createdAt: number
}

const checkoutColumns = new Fragment(`
  installation_id as "installationId", cart_id as "cartId", session_id as "sessionId", merchant_id as "merchantId",
  platform_id as "platformId", protocol, version, asked_sealed as "askedSealed", shown_total as "shownTotal", proof,
  created_at as "createdAt"`)

export function insertAgentCheckout(tx: Tx, row: AgentCheckoutRow): void {
  tx.send`
    insert into agent_checkouts (installation_id, cart_id, session_id, merchant_id, platform_id, protocol, version, asked_sealed,
      shown_total, proof, created_at)
    values (${row.installationId}, ${row.cartId}, ${row.sessionId}, ${row.merchantId}, ${row.platformId}, ${row.protocol},
      ${row.version}, ${row.askedSealed}, ${row.shownTotal}, ${row.proof}, ${row.createdAt})`
}

export function saveAgentCheckout(tx: Tx, row: AgentCheckoutRow): void {
  tx.send`
    update agent_checkouts set session_id = ${row.sessionId}, protocol = ${row.protocol}, version = ${row.version},
      asked_sealed = ${row.askedSealed}, shown_total = ${row.shownTotal}, proof = ${row.proof}
    where installation_id = ${row.installationId} and cart_id = ${row.cartId}`
}

// Saves only the proof. Without a lock of the cart, the whole row must not be saved: what the platform sent may be replaced or erased
// meanwhile.
export function savePlatformProof(tx: Tx, row: AgentCheckoutRow, proof: AgentCheckoutRow['proof']): void {
  tx.send`
    update agent_checkouts set proof = ${proof} where installation_id = ${row.installationId} and cart_id = ${row.cartId}`
}

// Saves only the total, and only if it still equals the value that was read: the platform may replace the checkout meanwhile, with
// another total.
export async function saveShownTotal(tx: Tx, row: AgentCheckoutRow, total: number): Promise<void> {
  await tx.sql`
    update agent_checkouts set shown_total = ${total}
    where installation_id = ${row.installationId} and cart_id = ${row.cartId} and coalesce(shown_total, -1) = ${row.shownTotal ?? -1}`
}

export async function findAgentCheckoutRow(
  db: Reader,
  installationId: string,
  cartId: string,
): Promise<AgentCheckoutRow | undefined> {
  const [row] = await db.sql<AgentCheckoutRow>`
    select ${checkoutColumns} from agent_checkouts where installation_id = ${installationId} and cart_id = ${cartId}`
  return row
}

export async function findAgentCheckoutOfSession(
  db: Reader,
  installationId: string,
  sessionId: string,
): Promise<AgentCheckoutRow | undefined> {
  const [row] = await db.sql<AgentCheckoutRow>`
    select ${checkoutColumns} from agent_checkouts
    where installation_id = ${installationId} and session_id = ${sessionId}`
  return row
}

// Finds the checkout of the cart of a session, even if the cart has a newer session.
export async function findCheckoutOfSessionCart(
  db: Reader,
  installationId: string,
  sessionId: string,
): Promise<AgentCheckoutRow | undefined> {
  const [row] = await db.sql<AgentCheckoutRow>`
    select ${checkoutColumns} from agent_checkouts
    where installation_id = ${installationId} and cart_id = (
      select s.cart_id from checkout_sessions s where s.installation_id = ${installationId} and s.id = ${sessionId})`
  return row
}

export async function listAgentInstallations(db: Reader, merchantId: string): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select installation_id as "id" from agent_settings where merchant_id = ${merchantId}`
  return rows.map(({ id }) => id)
}
