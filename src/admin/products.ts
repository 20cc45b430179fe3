// Brings a batch of products to what the entries say: loads what is there, plans in memory, writes only what differs,
// and renders what the catalog will answer. Shared by `apply`, `import` and the demo shop.

import { renderProduct } from '../catalog/answer.ts'
import type { KeptProduct, KeptSku, SellerFacts, SkuRecord } from '../catalog/product.ts'
import {
  type CodeOwner,
  deleteListedProduct,
  insertProduct,
  insertSku,
  listProductsBySlug,
  listSkusByCode,
  putListedProduct,
  replaceProductCategories,
  retireSku,
  setStock,
  updateProduct,
  updateSku,
} from '../catalog/store.ts'
import { newId } from '../kit/ids.ts'
import type { Reader, Tx } from '../storage/storage.ts'
import { type Change, membersChanged } from './difference.ts'
import { productRecord } from './normal.ts'
import type { ProductEntry } from './shopfile.ts'

export const batchProductsMax = 200

export interface ProductPlan {
  product: KeptProduct
  isNew: boolean
  // False when the product is as the entry says already: nothing is written.
  differs: boolean
  categoriesDiffer: boolean
  skus: readonly SkuPlan[]
  retired: readonly KeptSku[]
  changes: readonly Change[]
}

interface SkuPlan {
  sku: KeptSku
  position: number
  write: 'insert' | 'update' | 'none'
  setsStock: boolean
}

export interface RefusedProduct {
  slug: string
  reason: string
}

export interface PlanOptions {
  now: number
  // Also set the stock of SKUs that exist. Without it a file's stock is opening stock, and applying it twice undoes no sale.
  stock: boolean
  // Slugs of products that the source told only in part: their unnamed SKUs are not retired.
  partial?: ReadonlySet<string>
}

export async function planProducts(
  db: Reader,
  seller: SellerFacts,
  entries: readonly ProductEntry[],
  options: PlanOptions,
): Promise<{ plans: ProductPlan[]; refused: RefusedProduct[] }> {
  if (entries.length === 0) return { plans: [], refused: [] }
  const codes = entries.flatMap((entry) => entry.skus.map((sku) => sku.code))
  const [kept, owned] = await Promise.all([
    listProductsBySlug(
      db,
      seller.id,
      entries.map((entry) => entry.slug),
    ),
    ownersOf(db, seller.id, codes),
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
    if (stranger) refused.push({ slug: entry.slug, reason: `SKU code ${stranger.code} belongs to another product` })
    else {
      const plan = planProduct(entry, before, (code) => ownerOfCode.get(code), options)
      for (const { sku } of plan.skus) ownerOfCode.set(sku.code, { ...sku, productId: plan.product.id })
      plans.push(plan)
    }
  }
  return { plans, refused }
}

const codesMax = 4_000 // in one statement

async function ownersOf(db: Reader, merchant: string, codes: readonly string[]): Promise<CodeOwner[]> {
  const owners: CodeOwner[] = []
  for (let start = 0; start < codes.length; start += codesMax) {
    owners.push(...(await listSkusByCode(db, merchant, codes.slice(start, start + codesMax))))
  }
  return owners
}

const productMembers = [
  'name',
  'summary',
  'description',
  'tags',
  'images',
  'options',
  'metadata',
  'publishedAt',
] as const
const skuMembers = [
  'name',
  'options',
  'price',
  'compareAtPrice',
  'whenSoldOut',
  'maxPerOrder',
  'delivery',
  'weightGrams',
  'taxClass',
  'image',
] as const satisfies readonly (keyof SkuRecord)[]

function planProduct(
  entry: ProductEntry,
  before: KeptProduct | undefined,
  ownerOf: (code: string) => CodeOwner | undefined,
  { now, stock, partial }: PlanOptions,
): ProductPlan {
  const record = productRecord(entry, before?.publishedAt ?? null, now)
  const keptSkus = new Map(before?.skus.map((sku, position) => [sku.code, { sku, position }]))
  const changes: Change[] = []
  const skus = record.skus.map((wanted, position): SkuPlan => {
    const kept = keptSkus.get(wanted.code)
    if (!kept) {
      changes.push({ kind: 'create', what: 'sku', name: wanted.code, members: [] })
      const retired = ownerOf(wanted.code)
      if (!retired) return { sku: { ...wanted, id: newId('sku') }, position, write: 'insert', setsStock: false }
      // A retired SKU that comes back keeps its id, and its stock unless the file may set it.
      const onHand = stock ? wanted.onHand : retired.onHand
      return { sku: { ...wanted, id: retired.id, onHand }, position, write: 'update', setsStock: stock }
    }
    const setsStock = stock && entry.skus[position]?.stock !== undefined && wanted.onHand !== kept.sku.onHand
    const members = membersChanged(kept.sku, wanted, setsStock ? [...skuMembers, 'onHand'] : skuMembers)
    if (members.length > 0) changes.push({ kind: 'change', what: 'sku', name: wanted.code, members })
    const moved = kept.position !== position
    return {
      sku: { ...wanted, id: kept.sku.id, onHand: setsStock ? wanted.onHand : kept.sku.onHand },
      position,
      write: members.length > 0 || moved ? 'update' : 'none',
      setsStock,
    }
  })
  const wantedCodes = new Set(record.skus.map((sku) => sku.code))
  const unnamed = before?.skus.filter((sku) => !wantedCodes.has(sku.code)) ?? []
  const stays = partial?.has(entry.slug) ?? false
  const retired = stays ? [] : unnamed
  for (const sku of retired) changes.push({ kind: 'retire', what: 'sku', name: sku.code, members: [] })

  const members = before ? membersChanged(before, { ...before, ...record }, [...productMembers, 'categories']) : []
  if (!before) changes.unshift({ kind: 'create', what: 'product', name: record.slug, members: [] })
  else if (members.length > 0) changes.unshift({ kind: 'change', what: 'product', name: record.slug, members })
  const differs = changes.length > 0 || skus.some((sku) => sku.write !== 'none')
  return {
    product: {
      ...record,
      id: before?.id ?? newId('prd'),
      createdAt: before?.createdAt ?? now,
      updatedAt: differs ? now : (before?.updatedAt ?? now),
      skus: [...skus.map(({ sku }) => sku), ...(stays ? unnamed : [])],
    },
    isNew: !before,
    differs,
    categoriesDiffer: !before || members.some(({ member }) => member === 'categories'),
    skus,
    retired,
    changes,
  }
}

export async function writeProduct(
  tx: Tx,
  seller: SellerFacts,
  plan: ProductPlan,
  categoryIds: ReadonlyMap<string, string>,
): Promise<void> {
  if (!plan.differs) return
  const { product } = plan
  // None of these depends on another's answer, so that on PostgreSQL they leave in one flight; they run in this order.
  const writes: Promise<unknown>[] = [
    plan.isNew ? insertProduct(tx, seller.id, product) : updateProduct(tx, seller.id, product),
  ]
  for (const { sku, position, write, setsStock } of plan.skus) {
    if (write === 'insert') writes.push(insertSku(tx, seller.id, product.id, sku, position, product.updatedAt))
    if (write === 'update') writes.push(updateSku(tx, seller.id, sku, position, product.updatedAt))
    if (setsStock) writes.push(setStock(tx, seller.id, sku.id, sku.onHand, product.updatedAt))
  }
  for (const sku of plan.retired) writes.push(retireSku(tx, seller.id, sku.id, product.updatedAt))
  if (plan.categoriesDiffer) {
    const ids = product.categories.map((slug) => {
      const id = categoryIds.get(slug)
      if (id === undefined) throw new Error(`category ${slug} was not provisioned before its product`)
      return id
    })
    writes.push(replaceProductCategories(tx, seller.id, product.id, ids))
  }
  writes.push(listOrUnlist(tx, seller, product))
  await Promise.all(writes)
}

// What the catalog answers for this product from now on.
export async function listOrUnlist(tx: Tx, seller: SellerFacts, product: KeptProduct): Promise<void> {
  const { publishedAt } = product
  if (publishedAt === null) return deleteListedProduct(tx, seller.id, product.id)
  const published = { ...product, publishedAt }
  return putListedProduct(tx, seller.id, published, renderProduct(seller, published))
}
