// The site of a merchant: its URL, whether it is open, and the facts that are public.

import type { AdminSite } from '../../contract/admin/site.ts'
import type { Site } from '../../contract/open/site.ts'
import { type SiteStatus, textLanguages } from '../../contract/words.ts'
import { guaranteeYears } from '../../platform/kit/duties.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { shopEntryOf } from '../merchants/settings.ts'
import {
  findMerchantById,
  findMerchantFace,
  listShippingZones,
  type Merchant,
  type PublicMerchantFacts,
  withdrawalPathOf,
} from '../merchants/store.ts'
import { draftContent, publishedContent } from './content.ts'
import { type ContentRow, findSiteContent } from './contentstore.ts'
import { proofRecord, shopOriginFor } from './hosts.ts'
import { findMainHost, type HostRow, listHosts } from './hoststore.ts'
import { listPages } from './pagestore.ts'
import { palettesFor } from './palette.ts'
import { draftPathFor, type ShopName, shopPathFor } from './places.ts'
import { findShownMerchant, findStoredSite, listFirstMerchants, type StoredSite } from './store.ts'

export interface SiteContext {
  publicOrigin: () => string
  // False if this process shows no shop, such as a command.
  showsShops: boolean
  // The slug of the demo shop, on a server that shows one.
  demo: string | undefined
}

export function siteStatusOf(site: StoredSite | undefined): SiteStatus {
  return site && site.openedAt !== null && !site.isSuspended && !site.isEnded ? 'open' : 'closed'
}

export async function findShopPath(db: Reader, { demo }: Pick<SiteContext, 'demo'>, shop: ShopName): Promise<string> {
  const [first, second] = await listFirstMerchants(db)
  const hasDemo = demo !== undefined && (await findShownMerchant(db, demo)) !== undefined
  return shopPathFor(shop, { only: second ? undefined : first?.slug, demo: hasDemo ? demo : undefined })
}

// Returns the URL at the shop's main host, if it has one; for test mode and shops without a host, the URL with their path.
export async function findShopUrl(
  db: Reader,
  parts: SiteContext,
  { merchantId, slug, mode }: ShopName & { merchantId: string },
): Promise<string | null> {
  if (!parts.showsShops) return null
  const host = mode === 'live' ? await findMainHost(db, merchantId) : undefined
  if (host !== undefined) return shopOriginFor(host, parts.publicOrigin())
  return `${parts.publicOrigin()}${await findShopPath(db, parts, { slug, mode })}`
}

export async function adminSiteView(db: Reader, parts: SiteContext, seller: MerchantMode): Promise<AdminSite> {
  const [merchant, site, content] = await Promise.all([
    requireMerchant(db, seller),
    findStoredSite(db, seller),
    findSiteContent(db, seller.merchantId),
  ])
  const status = siteStatusOf(site)
  return {
    version: siteVersionOf(site, content),
    status,
    openedAt: status === 'open' && site?.openedAt != null ? toInstant(site.openedAt) : null,
    url: await findShopUrl(db, parts, { ...seller, slug: merchant.slug }),
    hosts: (await listHosts(db, seller.merchantId)).map(hostView),
    published: publishedContent(merchant, content),
    draft: draftContent(content),
    draftUrl: parts.showsShops
      ? `${parts.publicOrigin()}${draftPathFor({ slug: merchant.slug, mode: seller.mode })}`
      : null,
  }
}

// Each mode has a row for the state, and both share a row for the content. Both versions only grow, so their sum changes with either.
export function siteVersionOf(
  site: Pick<StoredSite, 'version'> | undefined,
  content: Pick<ContentRow, 'version'> | undefined,
): number {
  return (site?.version ?? 1) + (content?.version ?? 0)
}

function hostView({ host, isMain, provedAt, problem, checkedAt, checkAt, proof }: HostRow): AdminSite['hosts'][number] {
  return {
    host,
    isMain,
    isProved: provedAt !== null,
    problem,
    checkedAt: checkedAt === null ? null : toInstant(checkedAt),
    isChecked: checkAt !== null,
    record: proofRecord(host, proof),
  }
}

// `of`: published is what shoppers see; draft is what they would see once the draft is published.
export async function siteView(
  db: Reader,
  parts: SiteContext,
  seller: MerchantMode,
  of: 'published' | 'draft' = 'published',
): Promise<Site> {
  const [merchant, site, zones, face, row] = await Promise.all([
    requireMerchant(db, seller),
    findStoredSite(db, seller),
    listShippingZones(db, seller.merchantId),
    findMerchantFace(db, seller.merchantId),
    findSiteContent(db, seller.merchantId),
  ])
  const published = publishedContent(merchant, row)
  const { look, home, menus } = (of === 'draft' && draftContent(row)) || published
  const absolute = (picture: string | null) =>
    picture?.startsWith('/') ? `${parts.publicOrigin()}${picture}` : picture
  const withdrawalPath = face ? withdrawalPathOf(face) : null
  const { slug, name, currency, country, supportEmail, links, legal, pricesIncludeTax } = shopEntryOf(merchant)
  const { logo, color, font, corners, density, scheme } = look
  return {
    merchant: { slug, name, currency, country },
    mode: seller.mode,
    status: siteStatusOf(site),
    url: await findShopUrl(db, parts, { ...seller, slug }),
    supportEmail: supportEmail ?? null,
    logo: absolute(logo),
    color,
    look: { font, corners, density, scheme, palette: color === null ? null : palettesFor(color) },
    home: home?.map((section) => ({ ...section, ...(section.image && { image: absolute(section.image) }) })) ?? null,
    menus,
    links: { ...links, ...hostedLinks(parts, face) },
    withdrawalUrl: withdrawalPath === null ? null : parts.publicOrigin() + withdrawalPath,
    legalGuarantee: face?.showsGuarantee
      ? { years: guaranteeYears, notices: noticesOf(face, (path) => parts.publicOrigin() + path) }
      : null,
    legal: legal ?? null,
    pricesIncludeTax: pricesIncludeTax ?? true,
    pages: (await listPages(db, seller.merchantId))
      .filter(({ isPublished }) => isPublished)
      .map(({ slug: page, title, menu }) => ({ slug: page, title, menu })),
    shipsTo: [...new Set(zones.flatMap(({ countries }) => JSON.parse(countries) as string[]))].sort(),
  }
}

function noticesOf({ guaranteeNotices }: PublicMerchantFacts, urlOf: (path: string) => string) {
  return textLanguages.flatMap((language) => {
    const path = guaranteeNotices[language]
    return path === undefined ? [] : [{ language, url: urlOf(path) }]
  })
}

// A legal text that this server hosts takes precedence over the merchant's own page.
function hostedLinks({ publicOrigin }: SiteContext, face: PublicMerchantFacts | undefined): Partial<Site['links']> {
  const kinds = (['terms', 'privacy', 'imprint'] as const).filter((kind) => face?.textKinds.includes(kind))
  return Object.fromEntries(kinds.map((kind) => [kind, `${publicOrigin()}/legal/${face?.slug}/${kind}`]))
}

export async function requireMerchant(db: Reader, { merchantId }: MerchantMode): Promise<Merchant> {
  const merchant = await findMerchantById(db, merchantId)
  if (!merchant) throw new Error(`merchant ${merchantId} does not exist`)
  return merchant
}
