// Brings a shop to what its file says. Nothing is deleted: what the file does not name stays as it is, and a SKU that its
// product no longer names is retired. Applying the same file again changes nothing.

import type { KeptCategory } from '../catalog/answer.ts'
import type { SellerFacts } from '../catalog/product.ts'
import {
  countProductsByCategory,
  insertCategory,
  listCategories,
  listProductsAfterId,
  raiseCatalogVersion,
  setProductCount,
  updateCategory,
} from '../catalog/store.ts'
import {
  findMerchant,
  type Installation,
  insertInstallation,
  insertMerchant,
  listInstallations,
  listShippingZones,
  listTaxRates,
  lockMerchant,
  type Merchant,
  replaceShippingZones,
  replaceTaxRates,
  setRedirectHosts,
  type TaxRate,
  updateMerchant,
} from '../installations/store.ts'
import { newId } from '../kit/ids.ts'
import type { Reader, Storage, Tx } from '../storage/storage.ts'
import { type Change, membersChanged } from './difference.ts'
import {
  batchProductsMax,
  listOrUnlist,
  type PlanOptions,
  planProducts,
  type RefusedProduct,
  writeProduct,
} from './products.ts'
import type { CategoryEntry, ProductEntry, ShopFile } from './shopfile.ts'

export interface ApplyOptions extends PlanOptions {
  // Only say what would change.
  dryRun: boolean
}

export interface ApplyReport {
  merchantId: string
  changes: readonly Change[]
  refused: readonly RefusedProduct[]
  unchangedProducts: number
}

// The file contradicts what is kept, in a way that cannot be mended by writing.
export class ApplyRefused extends Error {}

export async function applyShop(storage: Storage, file: ShopFile, options: ApplyOptions): Promise<ApplyReport> {
  const foundation = options.dryRun
    ? await storage.read((db) => planFoundation(db, file, findMerchant(db, file.merchant.slug), options.now))
    : await storage.write((tx) => settleFoundation(tx, file, options.now))
  const seller = sellerOf(foundation.merchant)
  const changes = [...foundation.changes]
  const refused: RefusedProduct[] = []
  let unchangedProducts = 0
  for (const entries of batches(file.products ?? [])) {
    const batch = options.dryRun
      ? await storage.read((db) => planProducts(db, seller, entries, options))
      : await storage.write((tx) => saveProducts(tx, seller, entries, foundation.categoryIds, options))
    for (const plan of batch.plans) {
      changes.push(...plan.changes)
      if (!plan.differs) unchangedProducts += 1
    }
    refused.push(...batch.refused)
  }
  if (!options.dryRun && changes.length > 0) {
    if (foundation.answersChanged) await renderAgain(storage, seller)
    await recountCategories(storage, seller.id)
  }
  return { merchantId: seller.id, changes, refused, unchangedProducts }
}

export function sellerOf(merchant: Merchant): SellerFacts {
  const { id, slug, name, currency, lowStockAt } = merchant
  return { id, slug, name, currency, lowStockAt }
}

export async function saveProducts(
  tx: Tx,
  seller: SellerFacts,
  entries: readonly ProductEntry[],
  categoryIds: ReadonlyMap<string, string>,
  options: PlanOptions,
) {
  await lockMerchant(tx, seller.slug)
  const batch = await planProducts(tx, seller, entries, options)
  for (const plan of batch.plans) await writeProduct(tx, seller, plan, categoryIds)
  if (batch.plans.some((plan) => plan.differs)) await raiseCatalogVersion(tx, seller.id)
  return batch
}

interface Foundation {
  merchant: Merchant
  isNewMerchant: boolean
  merchantDiffers: boolean
  // The seller's name or low-stock mark stands in every product's answer.
  answersChanged: boolean
  newCategories: readonly KeptCategory[]
  changedCategories: readonly KeptCategory[]
  categoryIds: ReadonlyMap<string, string>
  taxes: ShopFile['taxes'] | undefined
  shipping: ShopFile['shipping'] | undefined
  newInstallations: readonly Installation[]
  changedInstallations: readonly Installation[]
  changes: readonly Change[]
}

async function planFoundation(
  db: Reader,
  file: ShopFile,
  found: Promise<Merchant | undefined>,
  now: number,
): Promise<Foundation> {
  const before = await found
  const changes: Change[] = []
  const merchant = planMerchant(file, before, changes)
  const [categories, installations, taxes, zones] = await Promise.all([
    listCategories(db, merchant.id),
    listInstallations(db, merchant.id),
    listTaxRates(db, merchant.id),
    listShippingZones(db, merchant.id),
  ])
  if (
    before &&
    before.currency !== merchant.currency &&
    (await listProductsAfterId(db, merchant.id, '', 1)).length > 0
  ) {
    throw new ApplyRefused(
      `the currency cannot change from ${before.currency} to ${merchant.currency}: there are prices in ${before.currency}`,
    )
  }
  const planned = planCategories(file.categories ?? [], categories, changes, now)
  const taxesDiffer =
    file.taxes !== undefined && JSON.stringify(taxRatesOf(file.taxes)) !== JSON.stringify(taxes.toSorted(byPlace))
  if (taxesDiffer) changes.push(tableChange('taxes', taxes.length, file.taxes?.length ?? 0))
  const shippingDiffers =
    file.shipping !== undefined && JSON.stringify(zonesOf(file.shipping)) !== JSON.stringify(zones)
  if (shippingDiffers) changes.push(tableChange('shipping', zones.length, file.shipping?.length ?? 0))
  const shops = planInstallations(file, merchant, installations, changes)
  return {
    merchant,
    isNewMerchant: !before,
    merchantDiffers: changes.some((change) => change.what === 'merchant'),
    answersChanged:
      before !== undefined && (before.name !== merchant.name || before.lowStockAt !== merchant.lowStockAt),
    ...planned,
    taxes: taxesDiffer ? file.taxes : undefined,
    shipping: shippingDiffers ? file.shipping : undefined,
    ...shops,
    changes,
  }
}

function planMerchant({ merchant: entry }: ShopFile, before: Merchant | undefined, changes: Change[]): Merchant {
  const merchant: Merchant = {
    id: before?.id ?? newId('mer'),
    slug: entry.slug,
    name: entry.name,
    currency: entry.currency,
    country: entry.country,
    priceTax: entry.pricesIncludeTax === false ? 'excluded' : 'included',
    lowStockAt: entry.lowStockAt ?? 5,
    supportEmail: entry.supportEmail ?? null,
    links: JSON.stringify(entry.links ?? {}),
    closedAt: before?.closedAt ?? null,
  }
  if (!before) changes.push({ kind: 'create', what: 'merchant', name: merchant.slug, members: [] })
  else {
    const members = membersChanged(before, merchant, [
      'name',
      'currency',
      'country',
      'priceTax',
      'lowStockAt',
      'supportEmail',
      'links',
    ])
    if (members.length > 0) changes.push({ kind: 'change', what: 'merchant', name: merchant.slug, members })
  }
  return merchant
}

// Entries name their parent by slug, and a parent may stand behind its child. Parents are planned first.
export function planCategories(
  entries: readonly CategoryEntry[],
  kept: readonly KeptCategory[],
  changes: Change[],
  now: number,
) {
  const bySlug = new Map(kept.map((category) => [category.slug, category]))
  const ids = new Map(kept.map((category) => [category.slug, category.id]))
  for (const entry of entries) if (!ids.has(entry.slug)) ids.set(entry.slug, newId('cat'))
  const newCategories: KeptCategory[] = []
  const changedCategories: KeptCategory[] = []
  for (const entry of parentsFirst(entries)) {
    const before = bySlug.get(entry.slug)
    const category: KeptCategory = {
      id: ids.get(entry.slug) as string,
      slug: entry.slug,
      name: entry.name,
      description: entry.description ?? '',
      parentId: entry.parent ? (ids.get(entry.parent) ?? null) : null,
      position: entry.position ?? 0,
      image: entry.image ?? null,
      productCount: before?.productCount ?? 0,
      updatedAt: now,
    }
    const members = before
      ? membersChanged(before, category, ['name', 'description', 'parentId', 'position', 'image'])
      : []
    if (!before) {
      newCategories.push(category)
      changes.push({ kind: 'create', what: 'category', name: entry.slug, members: [] })
    } else if (members.length > 0) {
      changedCategories.push(category)
      changes.push({ kind: 'change', what: 'category', name: entry.slug, members })
    }
  }
  return { newCategories, changedCategories, categoryIds: ids }
}

// The file was checked for circles when it was read.
function parentsFirst(entries: readonly CategoryEntry[]): CategoryEntry[] {
  const bySlug = new Map(entries.map((entry) => [entry.slug, entry]))
  const placed = new Set<string>()
  const inOrder: CategoryEntry[] = []
  function place(entry: CategoryEntry): void {
    if (placed.has(entry.slug)) return
    placed.add(entry.slug)
    const parent = entry.parent ? bySlug.get(entry.parent) : undefined
    if (parent) place(parent)
    inOrder.push(entry)
  }
  for (const entry of entries) place(entry)
  return inOrder
}

function planInstallations(file: ShopFile, merchant: Merchant, kept: readonly Installation[], changes: Change[]) {
  const byName = new Map(kept.map((installation) => [installation.name, installation]))
  const newInstallations: Installation[] = []
  const changedInstallations: Installation[] = []
  for (const entry of file.installations ?? []) {
    const before = byName.get(entry.name)
    if (before && before.mode !== entry.mode) {
      throw new ApplyRefused(
        `installation ${entry.name} is in ${before.mode} mode, and a mode never changes: name a new installation`,
      )
    }
    const redirectHosts = JSON.stringify(entry.redirectHosts ?? [])
    const after: Installation = before
      ? { ...before, redirectHosts }
      : {
          id: newId('ins'),
          merchantId: merchant.id,
          name: entry.name,
          mode: entry.mode,
          redirectHosts,
          disabledAt: null,
        }
    const members = before ? membersChanged(before, after, ['redirectHosts']) : []
    if (!before) {
      newInstallations.push(after)
      changes.push({ kind: 'create', what: 'installation', name: entry.name, members: [] })
    } else if (members.length > 0) {
      changedInstallations.push(after)
      changes.push({ kind: 'change', what: 'installation', name: entry.name, members })
    }
  }
  return { newInstallations, changedInstallations }
}

function tableChange(what: 'taxes' | 'shipping', from: number, to: number): Change {
  const kind = from === 0 ? 'create' : 'change'
  return { kind, what, name: `(${to})`, members: [{ member: 'rows', from, to }] }
}

function taxRatesOf(entries: NonNullable<ShopFile['taxes']>): TaxRate[] {
  return entries
    .map((entry) => ({
      country: entry.country,
      region: entry.region ?? '',
      taxClass: entry.class ?? 'standard',
      rateBps: entry.rate,
    }))
    .sort(byPlace)
}

// Compared by code unit: the databases' own orders differ.
function byPlace(a: TaxRate, b: TaxRate): number {
  const [left, right] = [`${a.country} ${a.region} ${a.taxClass}`, `${b.country} ${b.region} ${b.taxClass}`]
  return left < right ? -1 : left > right ? 1 : 0
}

function zonesOf(entries: NonNullable<ShopFile['shipping']>) {
  return entries.map(({ zone, countries, options }) => ({
    zone,
    countries: JSON.stringify(countries),
    options: JSON.stringify(
      options.map(({ id, label, amount, freeFrom = null, weightSteps = [] }) => ({
        id,
        label,
        amount,
        freeFrom,
        weightSteps,
      })),
    ),
  }))
}

async function settleFoundation(tx: Tx, file: ShopFile, now: number): Promise<Foundation> {
  const plan = await planFoundation(tx, file, lockMerchant(tx, file.merchant.slug), now)
  const { merchant } = plan
  // Two nodes may make one shop at once; the later one then finds it made.
  if (plan.isNewMerchant && !(await insertMerchant(tx, merchant, now))) return settleFoundation(tx, file, now)
  if (!plan.isNewMerchant && plan.merchantDiffers) await updateMerchant(tx, merchant, now)
  for (const category of plan.newCategories) await insertCategory(tx, merchant.id, category)
  for (const category of plan.changedCategories) await updateCategory(tx, merchant.id, category)
  if (plan.taxes) await replaceTaxRates(tx, merchant.id, taxRatesOf(plan.taxes))
  if (plan.shipping) await replaceShippingZones(tx, merchant.id, zonesOf(plan.shipping))
  for (const installation of plan.newInstallations) await insertInstallation(tx, installation, now)
  for (const { id, redirectHosts } of plan.changedInstallations)
    await setRedirectHosts(tx, merchant.id, id, redirectHosts)
  if (plan.changes.length > 0) await raiseCatalogVersion(tx, merchant.id)
  return plan
}

// Renders every product of the merchant again, a batch at a time.
async function renderAgain(storage: Storage, seller: SellerFacts): Promise<void> {
  let after = ''
  for (;;) {
    const last = await storage.write(async (tx) => {
      const products = await listProductsAfterId(tx, seller.id, after, batchProductsMax)
      await Promise.all(products.map((product) => listOrUnlist(tx, seller, product)))
      return products.at(-1)?.id
    })
    if (last === undefined) return
    after = last
  }
}

export async function recountCategories(storage: Storage, merchant: string): Promise<void> {
  await storage.write(async (tx) => {
    const counts = await countProductsByCategory(tx, merchant)
    for (const { categoryId, count } of counts) await setProductCount(tx, merchant, categoryId, count)
    await raiseCatalogVersion(tx, merchant)
  })
}

export function* batches<Entry>(entries: readonly Entry[]): Generator<Entry[]> {
  for (let start = 0; start < entries.length; start += batchProductsMax)
    yield entries.slice(start, start + batchProductsMax)
}
