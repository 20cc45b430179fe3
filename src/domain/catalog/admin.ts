// The admin operations on products, SKUs, stock and categories.

import type { catalogOperationRows } from '../../contract/admin/catalog.ts'
import { type CategoryEntry, categoriesMax, type ProductEntry } from '../../contract/entries.ts'
import { issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import { bulkChanges, bulkReply } from '../../platform/audit/bulk.ts'
import { subjectChangeView } from '../../platform/audit/view.ts'
import type { AdminCaller, AdminHandler } from '../../platform/http/admin.ts'
import { refuseProblems, versionConflict } from '../../platform/http/adminreply.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { badCursorRefusal, readCursorPosition, readOffset, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { isId } from '../../platform/kit/ids.ts'
import { controlCharacterProblems, type EntryProblem, isBlank } from '../../platform/kit/problems.ts'
import { Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { findNamedMakers } from '../makers/store.ts'
import { recordMoves } from '../redirects/change.ts'
import { categoryPath } from '../redirects/paths.ts'
import {
  countSkus,
  findSku,
  isCategoryUsed,
  listCategoriesOf,
  listMovements,
  listProductHeads,
  listSkuHeads,
  sumProducts,
} from './adminstore.ts'
import { categoryView, movementView, productSummary, productView, skuView } from './adminview.ts'
import { type CategoryRow, sortCategories } from './answer.ts'
import { createBrandList } from './brands.ts'
import { categoryChange, planCategory, recountCategories, removeCategory, saveCategory } from './categories.ts'
import {
  auditedChangesOfPlan,
  type ProductPlan,
  planProductPatch,
  planSingleProduct,
  refuseUnknownMakers,
  saveProductPlans,
} from './change.ts'
import { applyProductPatch, type ProductPatch } from './patch.ts'
import { categoryProblems, productProblems } from './problems.ts'
import type { ProductRow } from './product.ts'
import { countRemotePictures, listGivenUpPictures } from './remotestore.ts'
import { lockCatalog } from './seller.ts'
import { changeSkus, refuseTooManySkus } from './skus.ts'
import { listCategories, listProductsById } from './store.ts'

type CatalogOperation =
  | Exclude<keyof typeof catalogOperationRows, `${string}Promotion` | `${string}Promotions`>
  | 'getAdminRemotePictures'

const problemsShown = 100

export function adminCatalogOperations(): { [Id in CatalogOperation]: AdminHandler<Id> } {
  const listRememberedBrands = createBrandList()
  return {
    async getAdminRemotePictures({ db, caller: { merchantId } }) {
      const [{ here, waiting, givenUp }, found] = await Promise.all([
        countRemotePictures(db, merchantId),
        listGivenUpPictures(db, merchantId, problemsShown),
      ])
      const problems = found.map(({ address, ...problem }) => ({ url: address, ...problem }))
      return { data: { broughtOver: here, waiting, givenUp, problems } }
    },

    async listAdminProducts({ db, caller, query, paging }) {
      const { sort = 'newest', limit = limits.adminListRowsMax, ...filters } = query
      const after = paging.after === null ? null : readCursorPosition(paging.after, 'prd')
      const found = await listProductHeads(db, caller, { ...filters, sort, after, limit: limit + 1 })
      const { rows, meta } = pageOfRows(
        found,
        paging,
        ({ updatedAt, id }) => writeCursorPosition({ at: updatedAt, id }),
        limit,
      )
      const ids = rows.map(({ id }) => id)
      const [sums, categories] = await Promise.all([
        sumProducts(db, caller, ids),
        listCategoriesOf(db, caller.merchantId, ids),
      ])
      const sumsOf = new Map(sums.map((sum) => [sum.productId, sum]))
      const slugsOf = Map.groupBy(categories, ({ productId }) => productId)
      const data = rows.map((row) =>
        productSummary(
          row,
          sumsOf.get(row.id),
          (slugsOf.get(row.id) ?? []).map(({ slug }) => slug),
        ),
      )
      return { data, meta }
    },

    async getAdminProduct({ db, caller, path: { productId } }) {
      return { data: productView(await findProduct(db, caller.merchantId, productId), caller.mode) }
    },

    async createAdminProduct({ db, caller, body: { product, dryRun = false }, now, cause }) {
      refuseProblems('/product', productProblemsOf(product, now.getTime()))
      const [seller, categories] = await lockCatalog(db, caller)
      refuseUnknownCategories(categories, product.categories ?? [])
      const plan = await planSingleProduct(db, seller, product, undefined, now.getTime())
      if (dryRun) return planned(plan.product, plan, caller)
      const [saved = plan] = await saveProductPlans(db, seller, [plan], categories, { now: now.getTime(), cause })
      return changed(saved, caller)
    },

    async replaceAdminProduct({ db, caller, path: { productId }, body, now, cause }) {
      const { product, expectedVersion, dryRun = false } = body
      refuseProblems('/product', productProblemsOf(product, now.getTime()))
      const [seller, categories] = await lockCatalog(db, caller)
      const before = await findProduct(db, caller.merchantId, productId)
      if (before.version !== expectedVersion) throw versionConflict(productView(before, caller.mode))
      if (before.archivedAt !== null) throw refuse('product_archived')
      refuseUnknownCategories(categories, product.categories ?? [])
      const plan = await planSingleProduct(db, seller, product, before, now.getTime())
      if (dryRun) return planned(before, plan, caller)
      const [saved = plan] = await saveProductPlans(db, seller, [plan], categories, { now: now.getTime(), cause })
      return changed(saved, caller)
    },

    async updateAdminProducts({ db, caller, body, now, cause }) {
      const { productIds, change, dryRun = false } = body
      refuseProblems('/change', changeProblems(change))
      const [seller, categories] = await lockCatalog(db, caller)
      refuseUnknownCategories(categories, change.addCategory === undefined ? [] : [change.addCategory])
      const wanted = [{ maker: change.maker ?? null }]
      refuseUnknownMakers(await findNamedMakers(db, caller.merchantId, wanted), wanted)
      refuseTooManySkus(await countSkus(db, caller.merchantId, productIds), limits.bulkSkusMax)
      const products = await listProductsById(db, caller.merchantId, productIds)
      const outcomes = await planEach(productIds, products, (product) =>
        planProductPatch(
          product,
          applyProductPatch(product, change, { now: now.getTime(), currency: seller.currency }),
          now.getTime(),
        ),
      )
      const plans = outcomes.flatMap(({ plan }) => plan ?? [])
      if (!dryRun) await saveProductPlans(db, seller, plans, categories, { now: now.getTime(), cause })
      const items = outcomes.map(({ id, plan, refusal = null }) => ({
        id,
        changes: plan ? auditedChangesOfPlan(plan) : [],
        refusal,
      }))
      return new AuditedReply(bulkReply(items, dryRun), bulkChanges(items, dryRun))
    },

    async listAdminSkus({ db, caller, query, paging }) {
      const { sort: by = 'code', limit = limits.adminListRowsMax, ...filters } = query
      const sort =
        by === 'code'
          ? { by, after: paging.after }
          : { by, after: paging.after === null ? null : readFree(paging.after) }
      const found = await listSkuHeads(db, caller, { ...filters, sort, limit: limit + 1 })
      const { rows, meta } = pageOfRows(
        found,
        paging,
        ({ code, id, onHand, held }) => (by === 'code' ? code : `${onHand - held} ${id}`),
        limit,
      )
      return { data: rows.map(skuView), meta }
    },

    async listAdminStockMovements({ db, caller, path: { skuId }, paging }) {
      const sku = isId('sku', skuId) ? await findSku(db, caller.merchantId, skuId) : undefined
      if (!sku) throw refuse('sku_not_found')
      const after = paging.after === null ? null : readMovement(paging.after)
      const found = await listMovements(db, caller, skuId, after, adminRowsAsked)
      const { rows, meta } = pageOfRows(found, paging, ({ at, id }) => `${at} ${id}`)
      return { data: rows.map(movementView), meta }
    },

    async updateAdminSkus({ db, caller, body: { rows, dryRun = false }, now, cause }) {
      refuseProblems('/rows', rowProblems(rows))
      const [seller, categories] = await lockCatalog(db, caller)
      const actor = { kind: caller.kind === 'oauth' ? 'app' : caller.kind, id: caller.id }
      const items = await changeSkus(db, { seller, mode: caller.mode, categories, actor }, rows, {
        dryRun,
        context: { now: now.getTime(), cause },
      })
      return new AuditedReply(bulkReply(items, dryRun), bulkChanges(items, dryRun))
    },

    async listAdminBrands({ db, caller, query: { limit = limits.adminListRowsMax }, paging }) {
      const found = await listRememberedBrands(db, caller.merchantId, paging.after, limit + 1)
      const { rows, meta } = pageOfRows(found, paging, ({ name }) => name, limit)
      return { data: rows, meta }
    },

    async listAdminCategories({ db, caller, paging }) {
      const categories = await listCategories(db, caller.merchantId)
      const byId = new Map(categories.map((category) => [category.id, category]))
      const start = paging.after === null ? 0 : readOffset(paging.after)
      const found = sortCategories(categories).slice(start, start + adminRowsAsked)
      const { rows, meta } = pageOfRows(found, paging, () => String(start + limits.adminListRowsMax))
      return { data: rows.map((category) => categoryView(category, byId)), meta }
    },

    async createAdminCategory({ db, caller, body: { category: entry }, now }) {
      refuseProblems('/category', categoryProblemsOf(entry))
      const [seller, categories] = await lockCatalog(db, caller)
      if (categories.some(({ slug }) => slug === entry.slug)) throw refuse('category_exists')
      if (categories.length >= categoriesMax) throw refuse('category_limit')
      const { category } = planCategory(entry, undefined, categories, now.getTime())
      await saveCategory(db, seller.id, category, undefined)
      return new AuditedReply({ data: categoryOf([...categories, category], category) }, [
        categoryChange(undefined, category),
      ])
    },

    async replaceAdminCategory({ db, caller, path: { categoryId }, body, now }) {
      const { category: entry, expectedVersion } = body
      refuseProblems('/category', categoryProblemsOf(entry))
      const [seller, categories] = await lockCatalog(db, caller)
      const before = categoryWith(categories, categoryId)
      if (before.version !== expectedVersion) throw versionConflict(categoryOf(categories, before))
      if (before.slug !== entry.slug) throw refuse('slug_not_changeable', { current: { slug: before.slug } })
      const { category, changes } = planCategory(entry, before, categories, now.getTime())
      if (changes.length > 0) await saveCategory(db, seller.id, category, before)
      if (category.parentId !== before.parentId) await recountCategories(db, seller.id, 'all')
      const after = await listCategories(db, seller.id)
      return new AuditedReply(
        { data: categoryOf(after, categoryWith(after, categoryId)) },
        changes.length > 0 ? [categoryChange(before, category)] : [],
      )
    },

    async removeAdminCategory({ db, caller, path: { categoryId }, body: { expectedVersion }, now }) {
      const [seller, categories] = await lockCatalog(db, caller)
      const before = categoryWith(categories, categoryId)
      if (before.version !== expectedVersion) throw versionConflict(categoryOf(categories, before))
      if (await isCategoryUsed(db, seller.id, before)) throw refuse('category_in_use')
      await removeCategory(db, seller.id, before.id)
      const parent = categories.find(({ id }) => id === before.parentId)
      const move = { from: categoryPath(before.slug), to: parent ? categoryPath(parent.slug) : null }
      await recordMoves(db, seller.id, [move], 'removal', now.getTime())
      return new AuditedReply({ data: { id: before.id, removed: true } }, [
        categoryChange(before, undefined, now.getTime()),
      ])
    },
  }
}

async function findProduct(db: Reader, merchantId: string, id: string): Promise<ProductRow> {
  const [product] = isId('prd', id) ? await listProductsById(db, merchantId, [id]) : []
  if (!product) throw refuse('product_not_found')
  return product
}

// A dry run writes nothing, so it is not recorded in the list of changes either.
function planned(shown: ProductRow, plan: ProductPlan, { mode }: AdminCaller) {
  return new AuditedReply(
    { data: productView(shown, mode), changes: auditedChangesOfPlan(plan).map(subjectChangeView) },
    [],
  )
}

function changed(plan: ProductPlan, { mode }: AdminCaller) {
  const changes = auditedChangesOfPlan(plan)
  return new AuditedReply({ data: productView(plan.product, mode), changes: changes.map(subjectChangeView) }, changes)
}

function refuseUnknownCategories(categories: readonly CategoryRow[], slugs: readonly string[]): void {
  const unknown = slugs.find((slug) => !categories.some((category) => category.slug === slug))
  if (unknown !== undefined) throw refuse('category_not_found', { message: `There is no category ${unknown}.` })
}

function categoryWith(categories: readonly CategoryRow[], id: string): CategoryRow {
  const found = categories.find((category) => category.id === id)
  if (!found) throw refuse('category_not_found')
  return found
}

function categoryOf(categories: readonly CategoryRow[], category: CategoryRow) {
  return categoryView(category, new Map(categories.map((one) => [one.id, one])))
}

function* productProblemsOf(product: ProductEntry, now: number): Generator<EntryProblem> {
  yield* controlCharacterProblems(product, '')
  yield* productProblems(product, now)
  const codes = product.skus.map(({ code }) => code)
  for (const [index, code] of codes.entries())
    if (codes.indexOf(code) !== index) yield issueAt(`/skus/${index}/code`, 'duplicate')
}

function* changeProblems(change: ProductPatch): Generator<EntryProblem> {
  yield* controlCharacterProblems(change, '')
  for (const member of ['priceEnding', 'shippedOnly'] as const)
    if (change[member] !== undefined && change.pricePercentage === undefined)
      yield issueAt(`/${member}`, 'needs_members', { members: ['pricePercentage'] })
  if (isBlank(change.brand ?? undefined)) yield issueAt('/brand', 'blank')
}

function* categoryProblemsOf(category: CategoryEntry): Generator<EntryProblem> {
  yield* controlCharacterProblems(category, '')
  yield* categoryProblems(category)
}

interface SkuRowAsk {
  skuId: string
  price?: number | undefined
  expectedPrice?: number | undefined
  compareAtPrice?: number | null | undefined
  expectedCompareAtPrice?: number | null | undefined
  adjustBy?: number | undefined
  onHand?: number | undefined
  expectedOnHand?: number | undefined
}

function* rowProblems(rows: readonly SkuRowAsk[]): Generator<EntryProblem> {
  const seen = new Set<string>()
  for (const [index, row] of rows.entries()) {
    if (seen.has(row.skuId)) yield issueAt(`/${index}/skuId`, 'duplicate')
    seen.add(row.skuId)
    if (row.adjustBy !== undefined && row.onHand !== undefined)
      yield issueAt(`/${index}/onHand`, 'excluded_by', { member: 'adjustBy' })
    if ((row.onHand === undefined) !== (row.expectedOnHand === undefined))
      yield issueAt(`/${index}/expectedOnHand`, 'goes_with', { member: 'onHand' })
    if (row.price === undefined && row.expectedPrice !== undefined)
      yield issueAt(`/${index}/expectedPrice`, 'needs_members', { members: ['price'] })
    if (row.compareAtPrice === undefined && row.expectedCompareAtPrice !== undefined)
      yield issueAt(`/${index}/expectedCompareAtPrice`, 'needs_members', { members: ['compareAtPrice'] })
  }
}

interface PlannedItem {
  id: string
  plan?: ProductPlan
  refusal?: Refusal
}

async function planEach(
  ids: readonly string[],
  products: readonly ProductRow[],
  plan: (product: ProductRow) => ProductPlan,
): Promise<PlannedItem[]> {
  const byId = new Map(products.map((product) => [product.id, product]))
  return ids.map((id) => {
    const product = byId.get(id)
    if (!product) return { id, refusal: refuse('product_not_found') }
    try {
      return { id, plan: plan(product) }
    } catch (error) {
      if (error instanceof Refusal) return { id, refusal: error }
      throw error
    }
  })
}

function readFree(after: string): { free: number; id: string } {
  const [free = '', id = ''] = after.split(' ')
  if (!/^-?\d{1,15}$/.test(free) || !isId('sku', id)) throw badCursorRefusal()
  return { free: Number(free), id }
}

// The id is that of a movement. The id of an opening movement derives from that of its SKU.
function readMovement(after: string): { at: number; id: string } {
  const [at = '', id = ''] = after.split(' ')
  if (!/^\d{1,15}$/.test(at) || !/^[\w-]{1,60}$/.test(id)) throw badCursorRefusal()
  return { at: Number(at), id }
}
