// The SQL of merchants and of the installations that act for them.

import type { CustomerNamesRule, LegalTextKind, Mode, ShippingTaxRule } from '../../contract/words.ts'
import { duties } from '../../platform/kit/duties.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, type Reader, type Tx } from '../../platform/storage/storage.ts'

export interface Merchant {
  id: string
  slug: string
  name: string
  currency: string
  country: string
  priceTax: 'included' | 'excluded'
  // Null: shipping is taxed as the law of the country requires.
  shippingTax: ShippingTaxRule | null
  customerNames: CustomerNamesRule
  lowStockAt: number
  supportEmail: string | null
  logo: string | null
  color: string | null
  // Typefaces, corners, density and scheme; JSON. Null: the default look.
  look: string | null
  links: string
  // The seller's details, as a receipt names them; JSON.
  legal: string | null
  // How documents are numbered, and whether no tax is charged; JSON.
  invoices: string
  // Groups of words that mean the same in a search; JSON.
  synonyms: string
  closedAt: number | null
  // IANA name.
  timeZone: string
  // Row version of what people edit as the shop: the merchant, its taxes, shipping zones and payment methods.
  version: number
}

const merchantColumns = new Fragment(`
  id, slug, name, currency, country, price_tax as "priceTax", shipping_tax as "shippingTax", customer_names as "customerNames", low_stock_at as "lowStockAt", support_email as "supportEmail",
  logo, color, look, links, legal, invoices, synonyms, closed_at as "closedAt", time_zone as "timeZone", version`)

export async function listMerchants(db: Reader): Promise<Merchant[]> {
  return db.sql<Merchant>`
    select ${merchantColumns} from merchants order by id limit 1000`
}

export async function findMerchant(db: Reader, slug: string): Promise<Merchant | undefined> {
  const [merchant] = await db.sql<Merchant>`
    select ${merchantColumns} from merchants where slug = ${slug}`
  return merchant
}

export async function findMerchantById(db: Reader, id: string): Promise<Merchant | undefined> {
  const [merchant] = await db.sql<Merchant>`select ${merchantColumns} from merchants where id = ${id}`
  return merchant
}

// Returns the merchant with this slug, unless it is closed, in the mode that the public sees: live if an installation is active in live
// mode, otherwise test.
export async function findPublicSeller(db: Reader, merchantSlug: string): Promise<MerchantMode | undefined> {
  const [row] = await db.sql<MerchantMode>`
    select m.id as "merchantId", case when exists (
      select 1 from installations i where i.merchant_id = m.id and i.mode = 'live' and i.disabled_at is null)
      then 'live' else 'test' end as "mode"
    from merchants m where m.slug = ${merchantSlug} and m.closed_at is null`
  return row
}

// Changes of one shop wait for each other here. The lock is an update, because that does not block transactions that only reference the
// merchant, such as a new cart.
export async function lockMerchantById(tx: Tx, id: string): Promise<Merchant | undefined> {
  const [merchant] = await tx.sql<Merchant>`
    update merchants set catalog_version = catalog_version where id = ${id} returning ${merchantColumns}`
  return merchant
}

// Called after a change of taxes, shipping or payment methods.
export async function raiseShopVersion(tx: Tx, id: string, now: number): Promise<void> {
  await tx.sql`update merchants set version = version + 1, updated_at = ${now} where id = ${id}`
}

// Serialises provisioning of one merchant: while this row is locked, the whole catalog can be compared.
export async function lockMerchant(tx: Tx, slug: string): Promise<Merchant | undefined> {
  const [merchant] = await tx.sql<Merchant>`
    select ${merchantColumns} from merchants where slug = ${slug} ${tx.forUpdate}`
  return merchant
}

// Returns false if another node has just created a merchant with this slug. The unique index makes this insert wait for the commit of the
// other node, so the caller can read that merchant afterwards.
export async function insertMerchant(tx: Tx, merchant: Merchant, now: number): Promise<boolean> {
  const rows = await tx.sql`
    insert into merchants (id, slug, name, currency, country, price_tax, shipping_tax, customer_names, low_stock_at, support_email, logo, color, look, links, legal,
      invoices, synonyms, catalog_version, created_at, updated_at, time_zone, version)
    values (${merchant.id}, ${merchant.slug}, ${merchant.name}, ${merchant.currency}, ${merchant.country}, ${merchant.priceTax}, ${merchant.shippingTax}, ${merchant.customerNames},
      ${merchant.lowStockAt}, ${merchant.supportEmail}, ${merchant.logo}, ${merchant.color}, ${merchant.look}, ${merchant.links}, ${merchant.legal},
      ${merchant.invoices}, ${merchant.synonyms}, 1, ${now}, ${now},
      ${merchant.timeZone}, ${merchant.version})
    on conflict (slug) do nothing returning id`
  return rows.length > 0
}

export async function hasProducts(db: Reader, merchantId: string): Promise<boolean> {
  const rows = await db.sql`select 1 as "one" from products where merchant_id = ${merchantId} limit 1`
  return rows.length > 0
}

export async function updateMerchant(tx: Tx, merchant: Merchant, now: number): Promise<void> {
  await tx.sql`
    update merchants set name = ${merchant.name}, currency = ${merchant.currency}, country = ${merchant.country},
      price_tax = ${merchant.priceTax}, shipping_tax = ${merchant.shippingTax}, customer_names = ${merchant.customerNames}, low_stock_at = ${merchant.lowStockAt}, support_email = ${merchant.supportEmail},
      logo = ${merchant.logo}, color = ${merchant.color}, look = ${merchant.look}, links = ${merchant.links}, legal = ${merchant.legal},
      invoices = ${merchant.invoices}, synonyms = ${merchant.synonyms}, updated_at = ${now}, time_zone = ${merchant.timeZone}, version = version + 1
    where id = ${merchant.id}`
  // Pages of the shop show the merchant's name and look.
  tx.signal('sites')
}

export interface Installation {
  id: string
  merchantId: string
  name: string
  mode: Mode
  redirectHosts: string
  disabledAt: number | null
}

const installationsAtOnce = 1_000

// Adds a number to the name if another installation has it.
export async function createInstallation(
  tx: Tx,
  installation: Omit<Installation, 'disabledAt'>,
  now: number,
): Promise<void> {
  const taken = new Set((await listInstallations(tx, installation.merchantId)).map(({ name }) => name))
  let name = installation.name
  for (let number = 2; taken.has(name); number++) name = `${installation.name} ${number}`
  await insertInstallation(tx, { ...installation, name, disabledAt: null }, now)
}

// Returns all installations, ordered by id. Each statement reads a thousand, because with apps there may be many.
export async function listInstallations(db: Reader, merchant: string): Promise<Installation[]> {
  const all: Installation[] = []
  for (;;) {
    const page = await db.sql<Installation>`
      select id, merchant_id as "merchantId", name, mode, redirect_hosts as "redirectHosts", disabled_at as "disabledAt"
      from installations where merchant_id = ${merchant} and id > ${all.at(-1)?.id ?? ''}
      order by id limit ${installationsAtOnce}`
    all.push(...page)
    if (page.length < installationsAtOnce) return all
  }
}

export async function insertInstallation(tx: Tx, installation: Installation, now: number): Promise<void> {
  await tx.sql`
    insert into installations (id, merchant_id, name, mode, redirect_hosts, created_at)
    values (${installation.id}, ${installation.merchantId}, ${installation.name}, ${installation.mode},
      ${installation.redirectHosts}, ${now})`
}

export async function setRedirectHosts(tx: Tx, merchant: string, id: string, redirectHosts: string): Promise<void> {
  await tx.sql`
    update installations set redirect_hosts = ${redirectHosts} where merchant_id = ${merchant} and id = ${id}`
}

// The tables of tax rates and shipping zones. They are small, and a change replaces them as a whole.

export interface TaxRate {
  country: string
  region: string
  taxClass: string
  rateBps: number
}

export async function listTaxRates(db: Reader, merchant: string): Promise<TaxRate[]> {
  return db.sql<TaxRate>`
    select country, region, tax_class as "taxClass", rate_bps as "rateBps"
    from tax_rates where merchant_id = ${merchant}`
}

export async function replaceTaxRates(tx: Tx, merchant: string, rates: readonly TaxRate[]): Promise<void> {
  await tx.sql`delete from tax_rates where merchant_id = ${merchant}`
  for (const rate of rates) {
    await tx.sql`
      insert into tax_rates (merchant_id, country, region, tax_class, rate_bps)
      values (${merchant}, ${rate.country}, ${rate.region}, ${rate.taxClass}, ${rate.rateBps})`
  }
}

export interface ShippingZone {
  zone: string
  countries: string
  options: string
}

export async function listShippingZones(db: Reader, merchant: string): Promise<ShippingZone[]> {
  return db.sql<ShippingZone>`
    select zone, countries, options from shipping_zones where merchant_id = ${merchant} order by position`
}

export async function replaceShippingZones(tx: Tx, merchant: string, zones: readonly ShippingZone[]): Promise<void> {
  await tx.sql`delete from shipping_zones where merchant_id = ${merchant}`
  for (const [position, zone] of zones.entries()) {
    await tx.sql`
      insert into shipping_zones (merchant_id, zone, position, countries, options)
      values (${merchant}, ${zone.zone}, ${position}, ${zone.countries}, ${zone.options})`
  }
}

// The public facts of a merchant that shoppers see.
export interface PublicMerchantFacts {
  slug: string
  // Whether the merchant sells to a country that demands a way to withdraw from a contract.
  offersWithdrawal: boolean
  // Whether the merchant sells to a country that demands the notice on the legal guarantee.
  showsGuarantee: boolean
  name: string
  country: string
  timeZone: string
  supportEmail: string | null
  logo: string | null
  color: string | null
  look: string | null
  links: string
  legal: string | null
  invoices: string
  // Kinds of legal texts that are in force, in any language.
  textKinds: readonly LegalTextKind[]
  // Paths of the pictures of the notice on the legal guarantee, by language.
  guaranteeNotices: Readonly<Record<string, string>>
}

export async function findMerchantFace(db: Reader, id: string): Promise<PublicMerchantFacts | undefined> {
  const [[merchant], texts] = await Promise.all([
    db.sql<
      Omit<PublicMerchantFacts, keyof FoundTexts | 'offersWithdrawal' | 'showsGuarantee'> & {
        sells: number
        owes: number
      }
    >`
    select slug, name, country, time_zone as "timeZone", support_email as "supportEmail", logo, color, look, links, legal, invoices,
      ${sellsTo(duties.withdrawal.countries)} as "sells", ${sellsTo(duties.guarantee.countries)} as "owes"
    from merchants m where m.id = ${id}`,
    findTextsShown(db, id),
  ])
  if (!merchant) return undefined
  const { sells, owes, ...face } = merchant
  return { ...face, ...texts, offersWithdrawal: sells === 1, showsGuarantee: owes === 1 }
}

type FoundTexts = Pick<PublicMerchantFacts, 'textKinds' | 'guaranteeNotices'>

async function findTextsShown(db: Reader, id: string): Promise<FoundTexts> {
  const rows = await db.sql<{ kind: LegalTextKind; language: string; picture: string }>`
    select t.kind, t.language, case when t.kind = 'guarantee' then t.text else '' end as "picture" from legal_texts t
    where t.merchant_id = ${id} and t.text <> '' and not exists (
      select 1 from legal_texts n
      where n.merchant_id = t.merchant_id and n.kind = t.kind and n.language = t.language and n.version > t.version)`
  const notices = rows.filter(({ picture }) => picture !== '').map(({ language, picture }) => [language, picture])
  return { textKinds: [...new Set(rows.map(({ kind }) => kind))], guaranteeNotices: Object.fromEntries(notices) }
}

// Returns the notice in the language of the reader, else in English, else in any language.
export function chooseGuaranteeNotice(
  { guaranteeNotices: notices }: Pick<PublicMerchantFacts, 'guaranteeNotices'>,
  language: string,
): { language: string; path: string } | null {
  const found = [language, 'en', ...Object.keys(notices)].find((one) => notices[one] !== undefined)
  return found === undefined ? null : { language: found, path: notices[found] ?? '' }
}

// Evaluates to 1 if the merchant `m` delivers to one of these countries. A merchant that delivers nothing sells to its own country.
// Countries of a zone are stored as a JSON list of codes in quotation marks, so a text match always finds a whole code.
function sellsTo(countries: readonly string[]): Fragment {
  const patterns = ['*', ...countries].map((code) => `%"${code}"%`)
  const isServed = patterns.map(() => 'z.countries like ?').join(' or ')
  const own = countries.map(() => '?').join(', ')
  return new Fragment(
    `case when exists (select 1 from shipping_zones z where z.merchant_id = m.id and (${isServed}))
      or (m.country in (${own}) and not exists (select 1 from shipping_zones z where z.merchant_id = m.id))
      then 1 else 0 end`,
    [...patterns, ...countries],
  )
}

// The path without the origin. The page fills in the number of the order if one is passed.
export function withdrawalPathOf(
  { slug, offersWithdrawal }: Pick<PublicMerchantFacts, 'slug' | 'offersWithdrawal'>,
  orderNumber?: string,
): string | null {
  if (!offersWithdrawal) return null
  return orderNumber === undefined ? `/w/${slug}` : `/w/${slug}?order=${encodeURIComponent(orderNumber)}`
}

// Called after each change that a list or a cart shows: list pages and price books are cached by this version.
export async function raiseCatalogVersion(tx: Tx, merchant: string): Promise<void> {
  await tx.sql`update merchants set catalog_version = catalog_version + 1 where id = ${merchant}`
}

// Called after a change that shows in every product's responses. Rows are locked in the order of mode and product, as sales lock them.
export async function markAllProductsStale(tx: Tx, merchant: string, staleAt: number): Promise<void> {
  await tx.sql`
    update listed_products set stale_at = ${staleAt}
    where merchant_id = ${merchant} and (mode, product_id) in (
      select l.mode, l.product_id from listed_products l
      where l.merchant_id = ${merchant} and (l.stale_at is null or l.stale_at > ${staleAt})
      order by l.mode, l.product_id ${tx.forUpdate})`
}
