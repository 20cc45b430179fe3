// The SQL of sites: the shops that this server shows.

import type { Mode } from '../../contract/words.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { createInstallation, setRedirectHosts } from '../merchants/store.ts'

export interface SiteRow {
  merchantId: string
  mode: Mode
  installationId: string
  openedAt: number | null
  version: number
}

// A site with the facts that decide whether its installation can sell.
export interface StoredSite extends SiteRow {
  redirectHosts: string
  isSuspended: boolean
  isEnded: boolean
}

export async function findStoredSite(db: Reader, { merchantId, mode }: MerchantMode): Promise<StoredSite | undefined> {
  const [row] = await db.sql<SiteRow & { redirectHosts: string; disabledAt: number | null; endedAt: number | null }>`
    select s.merchant_id as "merchantId", s.mode, s.installation_id as "installationId", s.opened_at as "openedAt", s.version,
      i.redirect_hosts as "redirectHosts", i.disabled_at as "disabledAt", i.ended_at as "endedAt"
    from sites s join installations i on i.id = s.installation_id and i.merchant_id = s.merchant_id
    where s.merchant_id = ${merchantId} and s.mode = ${mode}`
  if (!row) return undefined
  const { disabledAt, endedAt, ...site } = row
  return { ...site, isEnded: endedAt !== null, isSuspended: disabledAt !== null && endedAt === null }
}

const installationNames = { live: 'Online store', test: 'Online store (test)' } as const

// Creates the site, closed, and the installation that sells for it. If the site exists, only adds the hosts; an installation that was ended
// is replaced. The caller must have locked the merchant's row.
export async function ensureSite(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  redirectHosts: readonly string[],
  now: number,
): Promise<StoredSite> {
  const known = await findStoredSite(tx, { merchantId, mode })
  const allowed = new Set(known && !known.isEnded ? (JSON.parse(known.redirectHosts) as string[]) : [])
  for (const host of redirectHosts) allowed.add(host)
  const hosts = JSON.stringify([...allowed])
  if (known && !known.isEnded) {
    if (known.redirectHosts !== hosts) await setRedirectHosts(tx, merchantId, known.installationId, hosts)
    return { ...known, redirectHosts: hosts }
  }
  const id = newId('ins')
  await createInstallation(tx, { id, merchantId, name: installationNames[mode], mode, redirectHosts: hosts }, now)
  await tx.sql`
    insert into sites (merchant_id, mode, installation_id, opened_at, version, created_at, updated_at)
    values (${merchantId}, ${mode}, ${id}, null, 1, ${now}, ${now})
    on conflict (merchant_id, mode) do update set installation_id = excluded.installation_id, updated_at = excluded.updated_at`
  const made = await findStoredSite(tx, { merchantId, mode })
  if (!made) throw new Error(`the site of merchant ${merchantId} was not created`)
  return made
}

// Inserts a site for an existing installation. An existing site stays as it is.
export async function insertSite(tx: Tx, site: SiteRow, now: number): Promise<void> {
  await tx.sql`
    insert into sites (merchant_id, mode, installation_id, opened_at, version, created_at, updated_at)
    values (${site.merchantId}, ${site.mode}, ${site.installationId}, ${site.openedAt}, ${site.version}, ${now}, ${now})
    on conflict (merchant_id, mode) do nothing`
}

export async function setOpenedAt(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  openedAt: number | null,
  now: number,
): Promise<void> {
  await tx.sql`
    update sites set opened_at = ${openedAt}, version = version + 1, updated_at = ${now}
    where merchant_id = ${merchantId} and mode = ${mode}`
  tx.signal('sites')
}

export interface ShownMerchant {
  id: string
  slug: string
}

export async function findShownMerchant(db: Reader, slug: string): Promise<ShownMerchant | undefined> {
  const [merchant] = await db.sql<ShownMerchant>`
    select id, slug from merchants where slug = ${slug} and closed_at is null`
  return merchant
}

// Lists the two oldest merchants that are not closed: enough to know whether there are several.
export async function listFirstMerchants(db: Reader): Promise<ShownMerchant[]> {
  return db.sql<ShownMerchant>`select id, slug from merchants where closed_at is null order by id limit 2`
}
