// Changes products to match entries: loads the stored products, plans the changes in memory, writes only what differs, and renders the
// catalog's responses.

import { type ProductEntry, skusMax } from '../../contract/entries.ts'
import type { Issue } from '../../contract/issues.ts'
import { type Remark, remark } from '../../contract/remarks.ts'
import { type Mode, modes } from '../../contract/words.ts'
import {
  type AuditedChange,
  type MemberChange,
  membersChanged,
  type PlannedChange,
} from '../../platform/audit/change.ts'
import { splitIntoGroups } from '../../platform/kit/groups.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { setOnHand } from '../inventory/levels.ts'
import { insertStock, type NewLevel } from '../inventory/store.ts'
import { findNamedMakers } from '../makers/store.ts'
import { raiseCatalogVersion } from '../merchants/store.ts'
import { claimPaths, type PathMove, recordMoves } from '../redirects/change.ts'
import { productPath } from '../redirects/paths.ts'
import { productEntry } from './adminview.ts'
import { announceProducts } from './announce.ts'
import { type MakersBySlug, renderProduct } from './answer.ts'
import { recountCategories } from './categories.ts'
import { writeIndex } from './indexing.ts'
import { productRecord } from './normal.ts'
import { recordPrices } from './pricehistory.ts'
import { productProblems } from './problems.ts'
import type { ProductRecord, ProductRow, SellerFacts, SkuRecord, SkuRow } from './product.ts'
import {
  codesPerStatementMax,
  deleteListedProducts,
  insertProducts,
  insertSkus,
  type ListedProduct,
  listProductsBySlug,
  listSkusByCode,
  type PlacedSku,
  putListedProducts,
  replaceProductCategories,
  retireSkus,
  type SkuCodeOwner,
  updateProducts,
  updateSkus,
} from './store.ts'

export const batchProductsMax = 200

// A change with the id of its product or SKU, as the list of changes records it.
export type CatalogChange = PlannedChange & { what: 'product' | 'sku'; id: string }

export interface ProductPlan {
  product: ProductRow
  // Undefined for a new product.
  before: ProductRow | undefined
  // False if the product already matches the entry: nothing is written.
  differs: boolean
  categoriesDiffer: boolean
  skus: readonly SkuPlan[]
  retired: readonly SkuRow[]
  changes: readonly CatalogChange[]
}

export interface SkuPlan {
  sku: SkuRow
  position: number
  write: 'insert' | 'update' | 'none'
  // The modes whose stock is set to the value in `sku`.
  setsStock: readonly Mode[]
}

export interface RefusedProduct {
  slug: string
  reason: Remark
}

export interface PlanOptions {
  now: number
  // If true, also sets the stock of existing SKUs, in both modes. If false, stock in an entry is only the opening stock of new SKUs, so
  // applying the entry twice does not undo a sale.
  stock: boolean
  // Slugs of products whose entry does not list all SKUs: the unlisted SKUs stay, after the listed ones.
  partial?: ReadonlySet<string>
  // Slugs of makers that do not exist yet, but will when the products are written.
  comingMakers?: ReadonlySet<string>
}

export interface ProductBatch {
  plans: ProductPlan[]
  refused: RefusedProduct[]
}

export async function planProducts(
  db: Reader,
  seller: SellerFacts,
  entries: readonly ProductEntry[],
  options: PlanOptions,
): Promise<ProductBatch> {
  if (entries.length === 0) return { plans: [], refused: [] }
  const codes = entries.flatMap((entry) => entry.skus.map((sku) => sku.code))
  const named = entries.map(({ maker = null }) => ({ maker }))
  const [kept, owned, makers] = await Promise.all([
    listProductsBySlug(
      db,
      seller.id,
      entries.map((entry) => entry.slug),
    ),
    ownersOf(db, seller.id, codes),
    findNamedMakers(db, seller.id, named),
  ])
  const keptBySlug = new Map(kept.map((product) => [product.slug, product]))
  const ownerOfCode = new Map(owned.map((sku) => [sku.code, sku]))
  const plans: ProductPlan[] = []
  const refused: RefusedProduct[] = []
  for (const entry of entries) {
    const before = keptBySlug.get(entry.slug)
    const stranger = entry.skus.find(({ code }) => {
      const owner = ownerOfCode.get(code)
      return owner !== undefined && owner.productId !== before?.id
    })
    const { maker = null } = entry
    if (stranger) refused.push({ slug: entry.slug, reason: remark('sku_of_other_product', { sku: stranger.code }) })
    else if (maker !== null && !makers.has(maker) && !options.comingMakers?.has(maker))
      refused.push({ slug: entry.slug, reason: remark('maker_unknown', { maker }) })
    else {
      const plan = planProduct(entry, before, (code) => ownerOfCode.get(code), options)
      const problem = options.partial?.has(entry.slug) ? problemOf(plan, options.now) : undefined
      if (problem !== undefined) {
        refused.push({ slug: entry.slug, reason: problem })
        continue
      }
      for (const { sku } of plan.skus) ownerOfCode.set(sku.code, { ...sku, productId: plan.product.id })
      plans.push(plan)
    }
  }
  return { plans, refused }
}

// SKUs that stay although the entry does not list them may conflict with the entry. For example, they lack a new option, or all SKUs
// together are too many.
function problemOf({ product, skus }: ProductPlan, now: number): Remark | undefined {
  if (skus.length > skusMax) return remark('too_many_with_unnamed', { max: skusMax })
  const [first] = productProblems(productEntry(product), now)
  return first && unnamedProblem(first)
}

function unnamedProblem({ path, code, values, message }: Issue): Remark {
  switch (code) {
    case 'option_missing':
      return remark('unnamed_lacks_option', { path, option: String(values.option) })
    case 'duplicate':
      return remark('unnamed_repeats', { path })
    case 'unknown_option':
      return remark('unnamed_has_other_option', { path })
    case 'unknown_option_value':
      return remark('unnamed_has_other_value', { path })
    case 'not_above_price':
      return remark('unnamed_not_above_price', { path })
    default:
      return remark('unnamed_does_not_fit', { path, reason: message })
  }
}

// Plans a new product, or a change of an existing one. Throws a refusal if the slug or a SKU's code is taken, or if the maker does not
// exist.
export async function planSingleProduct(
  db: Reader,
  seller: SellerFacts,
  entry: ProductEntry,
  before: ProductRow | undefined,
  now: number,
): Promise<ProductPlan> {
  const [[taken], owners] = await Promise.all([
    listProductsBySlug(db, seller.id, [entry.slug]),
    ownersOf(
      db,
      seller.id,
      entry.skus.map(({ code }) => code),
    ),
  ])
  if (taken && taken.id !== before?.id) throw refuse('product_exists', { current: { productId: taken.id } })
  const stranger = owners.find(({ productId }) => productId !== before?.id)
  if (stranger) throw refuse('sku_exists', { current: { code: stranger.code, productId: stranger.productId } })
  const wanted = [{ maker: entry.maker ?? null }]
  refuseUnknownMakers(await findNamedMakers(db, seller.id, wanted), wanted)
  const ownerOf = new Map(owners.map((owner) => [owner.code, owner]))
  return planProduct(entry, before, (code) => ownerOf.get(code), { now, stock: false })
}

// Plans a change of members. `after` has the SKUs of `before`, in the same order. Their stock does not change.
export function planProductPatch(before: ProductRow, after: ProductRow, now: number): ProductPlan {
  const { id } = before
  const skus = after.skus.map((sku, position): SkuPlan => {
    const isChanged = membersChanged(before.skus[position] as SkuRow, sku, skuMembers).length > 0
    return { sku, position, write: isChanged ? 'update' : 'none', setsStock: [] }
  })
  const members = membersChanged(before, after, [...productMembers, 'categories'])
  const changes: CatalogChange[] = [
    ...(members.length > 0 ? [{ kind: 'change', what: 'product', id, name: after.slug, members } as const] : []),
    ...after.skus.flatMap((sku, position) => {
      const changed = membersChanged(before.skus[position] as SkuRow, sku, skuMembers)
      return changed.length > 0
        ? [{ kind: 'change', what: 'sku', id: sku.id, name: sku.code, members: changed } as const]
        : []
    }),
  ]
  const differs = changes.length > 0
  return {
    product: differs ? { ...after, updatedAt: now, version: before.version + 1 } : after,
    before,
    differs,
    categoriesDiffer: members.some(({ member }) => member === 'categories'),
    skus,
    retired: [],
    changes,
  }
}

// Returns the changes of a plan with everything needed to undo them, including the order of the SKUs and the time of the product's
// previous change. A creation is undone by archiving the product.
export function auditedChangesOfPlan({ before, product, changes, differs }: ProductPlan): AuditedChange[] {
  if (!differs) return []
  const updatedAt = { from: before?.updatedAt ?? null, to: product.updatedAt }
  const added = before
    ? skuOrderMembers(before, product)
    : [{ member: 'publishedAt', from: null, to: product.publishedAt }]
  const known = changes.find(({ what }) => what === 'product')
  const head: CatalogChange = known ?? {
    kind: 'change',
    what: 'product',
    id: product.id,
    name: product.slug,
    members: [],
  }
  const members = [...head.members, ...added]
  const rest = changes.filter((change) => change !== known)
  return [...(known || added.length > 0 ? [{ ...head, members }] : []), ...rest].map((change) => ({
    ...change,
    updatedAt,
  }))
}

export function skuOrderMembers(before: ProductRow, after: ProductRow): MemberChange[] {
  const [from, to] = [before, after].map(({ skus }) => skus.map(({ code }) => code))
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ member: 'skus', from, to }]
}

async function ownersOf(db: Reader, merchant: string, codes: readonly string[]): Promise<SkuCodeOwner[]> {
  const owners: SkuCodeOwner[] = []
  for (const some of splitIntoGroups(codes, codesPerStatementMax))
    owners.push(...(await listSkusByCode(db, merchant, some)))
  return owners
}

export const productMembers = [
  'slug',
  'name',
  'brand',
  'maker',
  'warnings',
  'withdrawalExempt',
  'digital',
  'guarantee',
  'summary',
  'seoTitle',
  'seoDescription',
  'description',
  'descriptionHtml',
  'tags',
  'images',
  'options',
  'metadata',
  'publishedAt',
  'archivedAt',
] as const
export const skuMembers = [
  'name',
  'options',
  'price',
  'compareAtPrice',
  'whenSoldOut',
  'maxPerOrder',
  'delivery',
  'weightGrams',
  'measure',
  'taxClass',
  'image',
  'barcode',
] as const satisfies readonly (keyof SkuRecord)[]

function planProduct(
  entry: ProductEntry,
  before: ProductRow | undefined,
  ownerOf: (code: string) => SkuCodeOwner | undefined,
  { now, stock, partial }: PlanOptions,
): ProductPlan {
  const named = productRecord(entry, before?.publishedAt ?? null, now)
  const wantedCodes = new Set(named.skus.map((sku) => sku.code))
  const unnamed = before?.skus.filter((sku) => !wantedCodes.has(sku.code)) ?? []
  const staying = partial?.has(entry.slug) ? unnamed : []
  const retired = partial?.has(entry.slug) ? [] : unnamed
  const record = { ...named, options: withOptionsOf(staying, named.options) }
  const keptSkus = new Map(before?.skus.map((sku, position) => [sku.code, { sku, position }]))
  const id = before?.id ?? newId('prd')
  const changes: CatalogChange[] = []
  const skus = record.skus.map((wanted, position): SkuPlan => {
    const kept = keptSkus.get(wanted.code)
    const named = entry.skus[position]?.stock
    const onHand = stock ? named : undefined
    if (!kept) {
      const retired = ownerOf(wanted.code)
      const skuId = retired?.id ?? newId('sku')
      changes.push({ kind: 'create', what: 'sku', id: skuId, name: wanted.code, members: [] })
      if (!retired) {
        const opening = { onHand: named ?? 0, held: 0 }
        const sku = { ...wanted, id: skuId, priorPrice: null, stock: { live: opening, test: opening } }
        return { sku, position, write: 'insert', setsStock: [] }
      }
      // A retired SKU that is listed again keeps its id. It keeps its stock too, unless the entry sets the stock.
      const sku = { ...wanted, id: skuId, priorPrice: null, stock: stockOf(retired.stock, onHand) }
      return { sku, position, write: 'update', setsStock: modesToSet(retired.stock, onHand) }
    }
    const setsStock = modesToSet(kept.sku.stock, onHand)
    const sku = { ...kept.sku, ...wanted, stock: stockOf(kept.sku.stock, onHand) }
    const members = [...membersChanged(kept.sku, wanted, skuMembers), ...stockChanged(kept.sku, sku)]
    if (members.length > 0) changes.push({ kind: 'change', what: 'sku', id: sku.id, name: wanted.code, members })
    const moved = kept.position !== position
    return { sku, position, write: members.length > 0 || moved ? 'update' : 'none', setsStock }
  })
  for (const [index, sku] of staying.entries()) {
    const position = record.skus.length + index
    const write = keptSkus.get(sku.code)?.position === position ? 'none' : 'update'
    skus.push({ sku, position, write, setsStock: [] })
  }
  for (const sku of retired) changes.push({ kind: 'retire', what: 'sku', id: sku.id, name: sku.code, members: [] })

  // Publishing an archived product unarchives it.
  const archivedAt = record.publishedAt === null ? (before?.archivedAt ?? null) : null
  const members = before
    ? membersChanged(before, { ...before, ...record, archivedAt }, [...productMembers, 'categories'])
    : []
  if (!before) changes.unshift({ kind: 'create', what: 'product', id, name: record.slug, members: [] })
  else if (members.length > 0) changes.unshift({ kind: 'change', what: 'product', id, name: record.slug, members })
  const differs = changes.length > 0 || skus.some((sku) => sku.write !== 'none')
  return {
    product: {
      ...record,
      id,
      createdAt: before?.createdAt ?? now,
      archivedAt,
      version: (before?.version ?? 0) + (differs ? 1 : 0),
      updatedAt: differs ? now : (before?.updatedAt ?? now),
      skus: skus.map(({ sku }) => sku),
    },
    before,
    differs,
    categoriesDiffer: !before || members.some(({ member }) => member === 'categories'),
    skus,
    retired,
    changes,
  }
}

type Stock = SkuRow['stock']

// `onHand`: the stock that the entry sets; undefined if it sets none.
function stockOf({ live, test }: Stock, onHand: number | undefined): Stock {
  return onHand === undefined ? { live, test } : { live: { ...live, onHand }, test: { ...test, onHand } }
}

function modesToSet(stock: Stock, onHand: number | undefined): Mode[] {
  return onHand === undefined ? [] : modes.filter((mode) => stock[mode].onHand !== onHand)
}

// A change of the test stock is listed only if it differs from the change of the live stock.
function stockChanged({ stock: before }: SkuRow, { stock: after }: SkuRow): MemberChange[] {
  const [live, test] = [before.live.onHand, before.test.onHand]
  const isLiveChanged = live !== after.live.onHand
  const isTestChanged = test !== after.test.onHand && !(isLiveChanged && test === live)
  return [
    ...(isLiveChanged ? [{ member: 'onHand', from: live, to: after.live.onHand }] : []),
    ...(isTestChanged ? [{ member: 'testOnHand', from: test, to: after.test.onHand }] : []),
  ]
}

// Adds the options and values of these SKUs to the options of a product.
function withOptionsOf(skus: readonly SkuRow[], options: ProductRecord['options']): ProductRecord['options'] {
  if (skus.length === 0) return options
  const valuesOf = new Map(options.map(({ name, values }) => [name, new Set(values)]))
  for (const { name, value } of skus.flatMap((sku) => sku.options))
    valuesOf.set(name, (valuesOf.get(name) ?? new Set()).add(value))
  return [...valuesOf].map(([name, values]) => ({ name, values: [...values] }))
}

// Writes the products that differ, and returns them with their prior prices. The caller must have locked the seller, and must raise the
// version of its catalog.
export async function writeProducts(
  tx: Tx,
  seller: SellerFacts,
  plans: readonly ProductPlan[],
  categoryIds: ReadonlyMap<string, string>,
  now: number,
): Promise<ProductPlan[]> {
  const planned = plans.filter(({ differs }) => differs)
  const differing = await recordPrices(tx, seller.id, planned, now)
  const products = differing.map(({ product }) => product)
  const makers = await findNamedMakers(tx, seller.id, products)
  refuseUnknownMakers(makers, products)
  writeRows(tx, seller, differing, { categoryIds, makers })
  // Runs after the rows are written: setting the stock waits for the locks of the SKUs, and marks the new listing stale if the stock
  // changed.
  await Promise.all([
    ...modes.map((mode) => setStock(tx, { merchantId: seller.id, mode }, differing, now)),
    writeIndex(tx, seller, differing),
  ])
  await movePaths(tx, seller.id, differing)
  return differing
}

// A maker that a product names cannot be removed, so only a product that is being written can name an unknown maker.
export function refuseUnknownMakers(makers: MakersBySlug, products: readonly { maker: string | null }[]): void {
  const unknown = products.find(({ maker }) => maker !== null && !makers.has(maker))?.maker
  if (unknown != null) throw refuse('maker_not_found', { message: `There is no maker ${unknown}.` })
}

// Redirects the paths of renamed products, so links to them keep working, and records the paths of archived products as gone.
async function movePaths(tx: Tx, merchant: string, plans: readonly ProductPlan[]): Promise<void> {
  const shown = plans.filter(
    ({ before, product }) =>
      product.publishedAt !== null && !(before?.publishedAt != null && before.slug === product.slug),
  )
  await claimPaths(
    tx,
    merchant,
    shown.map(({ product }) => productPath(product.slug)),
  )
  const removed: PathMove[] = []
  const renamed: PathMove[] = []
  for (const { before, product } of plans) {
    if (before?.publishedAt == null) continue
    const from = productPath(before.slug)
    if (product.archivedAt !== null) removed.push({ from, to: null })
    else if (before.slug !== product.slug) renamed.push({ from, to: productPath(product.slug) })
  }
  const now = plans[0]?.product.updatedAt ?? 0
  await recordMoves(tx, merchant, removed, 'removal', now)
  await recordMoves(tx, merchant, renamed, 'rename', now)
}

// Sends one statement for each table, not for each product. No statement needs the result of another, so PostgreSQL receives all of them
// in one round trip. They run in this order.
function writeRows(
  tx: Tx,
  seller: SellerFacts,
  plans: readonly ProductPlan[],
  { categoryIds, makers }: { categoryIds: ReadonlyMap<string, string>; makers: MakersBySlug },
): void {
  const products = Map.groupBy(plans, ({ before }) => (before ? 'changed' : 'new'))
  insertProducts(tx, seller.id, products.get('new')?.map(({ product }) => product) ?? [])
  updateProducts(tx, seller.id, products.get('changed')?.map(({ product }) => product) ?? [])
  const inserted = plans.flatMap((plan) => skusToWrite(plan, 'insert'))
  insertSkus(tx, seller.id, inserted)
  insertStock(
    tx,
    seller.id,
    plans.flatMap((plan) => newLevels(plan)),
  )
  updateSkus(
    tx,
    seller.id,
    plans.flatMap((plan) => skusToWrite(plan, 'update')),
  )
  const retired = plans.flatMap(({ product, retired }) =>
    retired.map(({ id }) => ({ skuId: id, at: product.updatedAt })),
  )
  retireSkus(tx, seller.id, retired)
  const placed = plans.filter(({ categoriesDiffer }) => categoriesDiffer)
  replaceProductCategories(
    tx,
    seller.id,
    placed.map(({ product }) => ({ productId: product.id, categoryIds: idsOf(product.categories, categoryIds) })),
  )
  // The slug is in the primary key of a listing, so a product with a new slug needs a new listing.
  const unlisted = plans.filter(
    ({ product, before }) => product.publishedAt === null || (before && before.slug !== product.slug),
  )
  deleteListedProducts(
    tx,
    seller.id,
    unlisted.flatMap(({ product, before }) => (before ? [product.id] : [])),
  )
  putListedProducts(
    tx,
    seller.id,
    plans.flatMap((plan) => listedFor(seller, plan, makers)),
  )
}

function skusToWrite({ product, skus }: ProductPlan, write: SkuPlan['write']): PlacedSku[] {
  const written = skus.filter((sku) => sku.write === write)
  return written.map(({ sku, position }) => ({ productId: product.id, sku, position, at: product.updatedAt }))
}

function newLevels(plan: ProductPlan): NewLevel[] {
  return skusToWrite(plan, 'insert').map(({ sku, at }) => ({
    skuId: sku.id,
    onHand: sku.stock.live.onHand,
    at,
  }))
}

function idsOf(slugs: readonly string[], categoryIds: ReadonlyMap<string, string>): string[] {
  return slugs.map((slug) => {
    const id = categoryIds.get(slug)
    if (id === undefined) throw new Error(`category ${slug} was not created before its product`)
    return id
  })
}

// Renders the catalog's responses for a product. If an existing product is listed for the first time, its listing is marked stale: its
// stock was read without a lock, and a sale since then could not mark a listing that did not exist.
function listedFor(seller: SellerFacts, { product, before }: ProductPlan, makers: MakersBySlug): ListedProduct[] {
  const { id: productId, slug, publishedAt } = product
  if (publishedAt === null) return []
  const published = { ...product, publishedAt }
  const staleAtFirst = before ? product.updatedAt : null
  return modes.map((mode) => {
    const answers = renderProduct(seller, published, mode, makers)
    return { mode, productId, slug, publishedAt, answers, staleAtFirst }
  })
}

async function setStock(tx: Tx, seller: MerchantMode, plans: readonly ProductPlan[], now: number): Promise<void> {
  const set = plans.flatMap(({ skus }) => skus.filter(({ setsStock }) => setsStock.includes(seller.mode)))
  // Sorted in the order in which stock rows are locked.
  const levels = set
    .map(({ sku }) => ({ skuId: sku.id, onHand: sku.stock[seller.mode].onHand }))
    .sort((one, other) => (one.skuId < other.skuId ? -1 : 1))
  for (const some of splitIntoGroups(levels, codesPerStatementMax))
    await setOnHand(tx, seller, some, { now, cause: null })
}

// The caller must have locked the seller in this transaction.
export async function saveProducts(
  tx: Tx,
  seller: SellerFacts,
  entries: readonly ProductEntry[],
  categoryIds: ReadonlyMap<string, string>,
  options: PlanOptions,
): Promise<ProductBatch> {
  const { plans, refused } = await planProducts(tx, seller, entries, options)
  const written = await writeProducts(tx, seller, plans, categoryIds, options.now)
  if (written.length > 0) await raiseCatalogVersion(tx, seller.id)
  const writtenOf = new Map(written.map((plan) => [plan.product.id, plan]))
  return { plans: plans.map((plan) => writtenOf.get(plan.product.id) ?? plan), refused }
}

// Writes planned changes: products, product counts of the affected categories, and events. Returns the products that were written. The
// caller must have locked the seller.
export async function saveProductPlans(
  tx: Tx,
  seller: SellerFacts,
  plans: readonly ProductPlan[],
  categories: readonly { id: string; slug: string }[],
  context: ChangeContext,
): Promise<ProductPlan[]> {
  const planned = plans.filter(({ differs }) => differs)
  if (planned.length === 0) return []
  const categoryIds = new Map(categories.map(({ slug, id }) => [slug, id]))
  const differing = await writeProducts(tx, seller, planned, categoryIds, context.now)
  await raiseCatalogVersion(tx, seller.id)
  const touched = differing
    .filter(isCountedAnew)
    .flatMap(({ before, product }) => [...(before?.categories ?? []), ...product.categories])
  const ids = [...new Set(touched)].flatMap((slug) => categoryIds.get(slug) ?? [])
  await recountCategories(tx, seller.id, ids)
  await announceProducts(tx, seller.id, differing, context)
  return differing
}

function isCountedAnew({ before, product, categoriesDiffer }: ProductPlan): boolean {
  return categoriesDiffer || (before?.publishedAt == null) !== (product.publishedAt === null)
}
