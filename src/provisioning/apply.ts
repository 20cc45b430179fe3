// Brings a shop to what its file says. Nothing is deleted: what the file does not name stays as it is, and a SKU that its
// product no longer names is retired. Applying the same file again changes nothing.

import type { CategoryRow } from '../catalog/answer.ts'
import type { SellerFacts } from '../catalog/product.ts'
import { refreshStaleProducts } from '../catalog/refresh.ts'
import {
  countProductsByCategory,
  insertCategory,
  listCategories,
  listProductsAfterId,
  raiseCatalogVersion,
  setProductCount,
  updateCategory,
} from '../catalog/store.ts'
import { normalRedirectHost } from '../installations/redirects.ts'
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
import { refuse } from '../kit/refuse.ts'
import { RowsFailed } from '../loops/rows.ts'
import { listMethodSettings, type MethodSettings, saveMethodSettings } from '../payments/methods.ts'
import type { Reader, Storage, Tx } from '../storage/storage.ts'
import type { EndpointTools } from '../webhooks/endpoints.ts'
import { planApps, saveApps } from './apps.ts'
import { type Change, membersChanged } from './difference.ts'
import { invalidEntry } from './entry.ts'
import { methodWarnings, planMethods } from './methods.ts'
import {
  batchProductsMax,
  type PlanOptions,
  type ProductBatch,
  planProducts,
  type RefusedProduct,
  writeProduct,
} from './products.ts'
import { batchPromotionsMax, planPromotions, type RefusedPromotion, savePromotions } from './promotions.ts'
import { readinessWarnings } from './readiness.ts'
import { type CategoryEntry, categoryDepthMax, type ProductEntry, type ShopFile, type SkuEntry } from './shopfile.ts'
import { findSelling, learnSizes, markAllStale } from './store.ts'
import { type MadeSecret, planWebhooks, saveWebhooks, urlProblem } from './webhooks.ts'

export interface ApplyOptions extends PlanOptions {
  // Only say what would change.
  dryRun: boolean
  // With what webhook endpoints are made. A file that names some cannot be applied without it.
  webhooks?: EndpointTools
}

export interface ApplyReport {
  merchantId: string
  changes: readonly Change[]
  refused: readonly RefusedProduct[]
  refusedPromotions: readonly { code: string; reason: string }[]
  unchangedProducts: number
  // Of endpoints that were made, to be shown this once.
  secrets: readonly MadeSecret[]
  // What the operator should know although the file was applied.
  warnings: readonly string[]
}

export async function applyShop(storage: Storage, file: ShopFile, options: ApplyOptions): Promise<ApplyReport> {
  refuseWebhooks(file, options.webhooks)
  await refuseApps(storage, file)
  const foundation = options.dryRun
    ? await storage.read((db) => planFoundation(db, file, findMerchant(db, file.merchant.slug), options.now))
    : await storage.write((tx) => settleFoundation(tx, file, options.now))
  const { merchant, categoryIds } = foundation
  const save = (entries: ProductEntry[]) =>
    storage.write(async (tx) => saveProducts(tx, await lockSellerFor(tx, merchant), entries, categoryIds, options))
  const plan = (entries: ProductEntry[]) => storage.read((db) => planProducts(db, sellerOf(merchant), entries, options))
  const products = options.dryRun
    ? await eachBatch(file, plan)
    : await countedAfter(storage, merchant.slug, () => eachBatch(file, save))
  if (!options.dryRun) await catchUp(storage, options.now)
  if (!options.dryRun && products.changes.length > 0) await learnSizes(storage)
  const promotions = await applyPromotions(storage, file, foundation, options)
  const apps = await applyApps(storage, file, merchant.id, options)
  const webhooks = await applyWebhooks(storage, file, foundation, options)
  return {
    merchantId: merchant.id,
    changes: [...foundation.changes, ...products.changes, ...promotions.changes, ...apps, ...webhooks.changes],
    refused: products.refused,
    refusedPromotions: promotions.refused.map(({ code, refusal }) => ({ code, reason: refusal.message })),
    unchangedProducts: products.unchangedProducts,
    secrets: webhooks.secrets,
    warnings: foundation.warnings,
  }
}

async function eachBatch(file: ShopFile, work: (entries: ProductEntry[]) => Promise<ProductBatch>) {
  const changes: Change[] = []
  const refused: RefusedProduct[] = []
  let unchangedProducts = 0
  for (const entries of batches(file.products ?? [], batchProductsMax)) {
    const batch = await work(entries)
    for (const plan of batch.plans) {
      changes.push(...plan.changes)
      if (!plan.differs) unchangedProducts += 1
    }
    refused.push(...batch.refused)
  }
  return { changes, refused, unchangedProducts }
}

// Renders what is stale, as a server's loop does; what a process that was killed left behind is caught up by either. What
// cannot be rendered is deferred and left to that loop, which logs it: it may belong to another merchant.
async function catchUp(storage: Storage, now: number): Promise<void> {
  let rows: number
  do
    rows = await refreshStaleProducts(storage, now, batchProductsMax).catch((error: unknown) => {
      if (error instanceof RowsFailed) return error.rows
      throw error
    })
  while (rows > 0)
}

// After the products, whose SKUs they may name. No answer of the catalog shows them, so nothing is rendered again.
async function applyPromotions(
  storage: Storage,
  file: ShopFile,
  { merchant, categoryIds }: Foundation,
  { now, dryRun }: ApplyOptions,
) {
  const skuCodes = new Set((file.products ?? []).flatMap(({ skus }) => skus.map(({ code }) => code)))
  const goods = { categories: categoryIds, skuCodes }
  const changes: Change[] = []
  const refused: RefusedPromotion[] = []
  for (const entries of batches(file.promotions ?? [], batchPromotionsMax)) {
    const batch = dryRun
      ? await storage.read((db) => planPromotions(db, merchant, entries, goods, now))
      : await storage.write((tx) => savePromotions(tx, merchant, entries, goods, now))
    for (const plan of batch.plans) changes.push(...plan.changes)
    refused.push(...batch.refused)
  }
  return { changes, refused }
}

async function applyApps(
  storage: Storage,
  { apps = [] }: ShopFile,
  merchantId: string,
  { now, dryRun }: ApplyOptions,
): Promise<Change[]> {
  if (apps.length === 0) return []
  return dryRun
    ? storage.read((db) => planApps(db, apps, merchantId))
    : storage.write((tx) => saveApps(tx, apps, merchantId, now))
}

// Before anything is written, so that nothing is written in vain.
async function refuseApps(storage: Storage, { merchant, apps = [] }: ShopFile): Promise<void> {
  if (apps.length === 0) return
  await storage.read(async (db) => planApps(db, apps, (await findMerchant(db, merchant.slug))?.id))
}

// Before anything is written. The file alone could not tell: whether a private address may be called is a setting.
function refuseWebhooks({ installations = [] }: ShopFile, tools: EndpointTools | undefined): void {
  for (const [index, { webhooks = [] }] of installations.entries()) {
    for (const [at, { url }] of webhooks.entries()) {
      if (!tools) throw new TypeError('the file names webhook endpoints, and nothing to make them with was given')
      const problem = urlProblem(url, tools)
      if (problem !== undefined)
        throw invalidEntry('webhook_endpoint_invalid', `/installations/${index}/webhooks/${at}/url`, problem)
    }
  }
}

// The very last, in a transaction of its own: once a secret is made nothing can go wrong any more before it is shown.
async function applyWebhooks(
  storage: Storage,
  file: ShopFile,
  { merchant, installationIds }: Foundation,
  { now, dryRun, webhooks: tools }: ApplyOptions,
): Promise<{ changes: readonly Change[]; secrets: readonly MadeSecret[] }> {
  const installations = (file.installations ?? [])
    .filter(({ webhooks = [] }) => webhooks.length > 0)
    .map(({ name, webhooks = [] }) => ({ installationId: installationIds.get(name) as string, entries: webhooks }))
  if (installations.length === 0 || !tools) return { changes: [], secrets: [] }
  if (dryRun) return { changes: await storage.read((db) => planWebhooks(db, installations)), secrets: [] }
  return storage.write(async (tx) => {
    await lockMerchant(tx, merchant.slug)
    return saveWebhooks(tx, installations, tools, now)
  })
}

export function sellerOf(merchant: Merchant): SellerFacts {
  const { id, slug, name, currency, lowStockAt } = merchant
  return { id, slug, name, currency, lowStockAt }
}

// Whose prices they are, as it is for the length of this transaction: another operator may have renamed the shop since
// the last batch.
export async function lockSellerFor(
  tx: Tx,
  { slug, currency }: { slug: string; currency: string },
): Promise<SellerFacts> {
  const merchant = await lockMerchant(tx, slug)
  if (!merchant) throw refuse('merchant_not_found', { message: `The merchant ${slug} no longer exists.` })
  if (merchant.currency !== currency) {
    const message = `The currency of ${slug} has changed to ${merchant.currency}, and these prices are in ${currency}.`
    throw refuse('currency_mismatch', { message, current: { currency: merchant.currency } })
  }
  return sellerOf(merchant)
}

// The seller was locked in this transaction.
export async function saveProducts(
  tx: Tx,
  seller: SellerFacts,
  entries: readonly ProductEntry[],
  categoryIds: ReadonlyMap<string, string>,
  options: PlanOptions,
): Promise<ProductBatch> {
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
  newCategories: readonly CategoryRow[]
  changedCategories: readonly CategoryRow[]
  categoryIds: ReadonlyMap<string, string>
  taxes: ShopFile['taxes'] | undefined
  shipping: ShopFile['shipping'] | undefined
  newInstallations: readonly Installation[]
  changedInstallations: readonly Installation[]
  installationIds: ReadonlyMap<string, string>
  changedMethods: readonly MethodSettings[]
  changes: readonly Change[]
  warnings: readonly string[]
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
  const [categories, installations, taxes, zones, methods, selling] = await Promise.all([
    listCategories(db, merchant.id),
    listInstallations(db, merchant.id),
    listTaxRates(db, merchant.id),
    listShippingZones(db, merchant.id),
    listMethodSettings(db, merchant.id),
    findSelling(db, merchant.id),
  ])
  if (
    before &&
    before.currency !== merchant.currency &&
    (await listProductsAfterId(db, merchant.id, '', 1)).length > 0
  ) {
    const message = `The currency cannot change from ${before.currency} to ${merchant.currency}: there are prices in ${before.currency}.`
    throw refuse('currency_not_changeable', { message, current: { currency: before.currency } })
  }
  const planned = planCategories(file.categories ?? [], categories, changes, now)
  refuseDepth(categories, [...planned.newCategories, ...planned.changedCategories])
  const taxesDiffer =
    file.taxes !== undefined && JSON.stringify(taxRatesOf(file.taxes)) !== JSON.stringify(taxes.toSorted(byPlace))
  if (taxesDiffer) changes.push(tableChange('taxes', taxes.length, file.taxes?.length ?? 0))
  const shippingDiffers =
    file.shipping !== undefined && JSON.stringify(zonesOf(file.shipping)) !== JSON.stringify(zones)
  if (shippingDiffers) changes.push(tableChange('shipping', zones.length, file.shipping?.length ?? 0))
  const plannedMethods = planMethods(file.payments ?? [], methods)
  changes.push(...plannedMethods.changes)
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
    changedMethods: plannedMethods.changed,
    changes,
    warnings: [
      ...readinessWarnings({
        installations: file.installations ?? [],
        hasInstallation:
          shops.newInstallations.length > 0 || installations.some(({ disabledAt }) => disabledAt === null),
        hasZone: (file.shipping ?? zones).length > 0,
        hasTaxRate: (file.taxes ?? taxes).length > 0,
        ...sellingAfter(file, selling),
      }),
      ...methodWarnings(plannedMethods.settings, [...installations, ...shops.newInstallations]),
    ],
  }
}

// What the file publishes beside what is published already. It may also take back what was, which the next run sees.
function sellingAfter({ products = [] }: ShopFile, before: { sells: boolean; ships: boolean }) {
  const published = products.filter(({ published = true }) => published)
  const isShipped = ({ requiresShipping = true }: SkuEntry) => requiresShipping
  return {
    sells: before.sells || published.length > 0,
    ships: before.ships || published.some(({ skus }) => skus.some(isShipped)),
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
  kept: readonly CategoryRow[],
  changes: Change[],
  now: number,
) {
  const bySlug = new Map(kept.map((category) => [category.slug, category]))
  const ids = new Map(kept.map((category) => [category.slug, category.id]))
  for (const entry of entries) if (!ids.has(entry.slug)) ids.set(entry.slug, newId('cat'))
  const newCategories: CategoryRow[] = []
  const changedCategories: CategoryRow[] = []
  for (const entry of parentsFirst(entries)) {
    const before = bySlug.get(entry.slug)
    const category: CategoryRow = {
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

// How deep each category stands; one level too many may also be a circle. Of two with one id the later counts.
export function depthsOf(categories: readonly CategoryRow[]): Map<string, number> {
  const byId = new Map(categories.map((category) => [category.id, category]))
  const depths = new Map<string, number>()
  for (const [id, category] of byId) {
    let depth = 0
    for (let at: CategoryRow | undefined = category; at && depth <= categoryDepthMax; depth += 1)
      at = at.parentId === null ? undefined : byId.get(at.parentId)
    depths.set(id, depth)
  }
  return depths
}

// What the file moves takes along what hangs below it, also what it does not name.
function refuseDepth(kept: readonly CategoryRow[], written: readonly CategoryRow[]): void {
  const [before, after] = [depthsOf(kept), depthsOf([...kept, ...written])]
  const deep = [...kept, ...written].find(({ id }) => {
    const [was = 0, becomes = 0] = [before.get(id), after.get(id)]
    return was <= categoryDepthMax && becomes > categoryDepthMax
  })
  if (!deep) return
  const message = `The category ${deep.slug} would be nested deeper than ${categoryDepthMax} levels.`
  throw refuse('category_too_deep', { message, current: { category: deep.slug } })
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
  const installationIds = new Map<string, string>()
  for (const entry of file.installations ?? []) {
    const before = byName.get(entry.name)
    if (before && before.mode !== entry.mode) {
      const message = `Installation ${entry.name} is in ${before.mode} mode, and a mode never changes: name a new installation.`
      throw refuse('mode_not_changeable', { message, current: { mode: before.mode } })
    }
    const redirectHosts = JSON.stringify((entry.redirectHosts ?? []).map((host) => normalRedirectHost(host) ?? host))
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
    installationIds.set(entry.name, after.id)
    const members = before ? membersChanged(before, after, ['redirectHosts']) : []
    if (!before) {
      newInstallations.push(after)
      changes.push({ kind: 'create', what: 'installation', name: entry.name, members: [] })
    } else if (members.length > 0) {
      changedInstallations.push(after)
      changes.push({ kind: 'change', what: 'installation', name: entry.name, members })
    }
  }
  return { newInstallations, changedInstallations, installationIds }
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
  // Since a while, so that a node whose clock is behind sees it too.
  if (plan.answersChanged) await markAllStale(tx, merchant.id, now - clockSkewMsMax)
  for (const category of plan.newCategories) await insertCategory(tx, merchant.id, category)
  for (const category of plan.changedCategories) await updateCategory(tx, merchant.id, category)
  if (plan.taxes) await replaceTaxRates(tx, merchant.id, taxRatesOf(plan.taxes))
  if (plan.shipping) await replaceShippingZones(tx, merchant.id, zonesOf(plan.shipping))
  for (const settings of plan.changedMethods) await saveMethodSettings(tx, merchant.id, settings, now)
  for (const installation of plan.newInstallations) await insertInstallation(tx, installation, now)
  for (const { id, redirectHosts } of plan.changedInstallations)
    await setRedirectHosts(tx, merchant.id, id, redirectHosts)
  if (plan.changes.length > 0) await raiseCatalogVersion(tx, merchant.id)
  return plan
}

// How far the clocks of two nodes may be apart.
const clockSkewMsMax = 60_000

// Counts the products of the categories when the work is over, also where it broke off: what it wrote before that stays.
export async function countedAfter<Outcome>(
  storage: Storage,
  slug: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  let outcome: Outcome
  try {
    outcome = await work()
  } catch (error) {
    // Where the storage is gone this fails too, and the first error is the one to tell.
    await Promise.allSettled([recountCategories(storage, slug)])
    throw error
  }
  await recountCategories(storage, slug)
  return outcome
}

async function recountCategories(storage: Storage, slug: string): Promise<void> {
  await storage.write(async (tx) => {
    const merchant = await lockMerchant(tx, slug)
    if (!merchant) return
    const [counts, kept] = await Promise.all([
      countProductsByCategory(tx, merchant.id),
      listCategories(tx, merchant.id),
    ])
    const shown = new Map(kept.map(({ id, productCount }) => [id, productCount]))
    const wrong = counts.filter(({ categoryId, count }) => shown.get(categoryId) !== count)
    for (const { categoryId, count } of wrong) await setProductCount(tx, merchant.id, categoryId, count)
    if (wrong.length > 0) await raiseCatalogVersion(tx, merchant.id)
  })
}

export function* batches<Entry>(entries: readonly Entry[], size: number): Generator<Entry[]> {
  for (let start = 0; start < entries.length; start += size) yield entries.slice(start, start + size)
}
