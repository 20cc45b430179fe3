// Undoes changes of products, SKUs, stock and categories. What was created is archived, retired or removed; nothing that an order may
// refer to is deleted.

import { categoriesMax, skusMax } from '../../contract/entries.ts'
import { type AuditedChange, membersChanged } from '../../platform/audit/change.ts'
import {
  notUndoable,
  oppositeKind,
  overtakenRefusal,
  refuseAsOvertaken,
  refuseIfOvertaken,
  refuseInvalidUndo,
  type UndoAsk,
  type Undoer,
  updatedAtAfter,
  valuesBefore,
} from '../../platform/audit/undo.ts'
import { type Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { planLevels, writeLevels } from '../inventory/levels.ts'
import { findNamedMakers } from '../makers/store.ts'
import { isCategoryPromoted, listProductsIn } from './adminstore.ts'
import { productEntry } from './adminview.ts'
import type { CategoryRow } from './answer.ts'
import {
  allCategoryMembers,
  categoryChange,
  recountCategories,
  refuseDeepCategories,
  removeCategory,
  saveCategory,
} from './categories.ts'
import {
  auditedChangesOfPlan,
  type CatalogChange,
  type ProductPlan,
  productMembers,
  type SkuPlan,
  saveProductPlans,
  skuMembers,
} from './change.ts'
import { productProblems } from './problems.ts'
import type { ProductRow, SellerFacts, SkuRow } from './product.ts'
import { lockCatalog } from './seller.ts'
import { listProductsById, listProductsBySlug, listProductsOfSkus, listRetiredSkus, type RetiredSku } from './store.ts'

export const catalogUndoer: Undoer = {
  kinds: ['product', 'sku', 'stock', 'category'],
  async undo(ask) {
    const { tx, seller, changes, dryRun, context } = ask
    const [facts, stored] = await lockCatalog(tx, seller)
    const tree = await planTreeBack(changes, stored, context.now)
    const plans = await planProductsBack(tx, facts, tree, changes, context.now)
    await refuseUsed(tx, facts.id, tree, plans)
    const stock = await undoStock(ask)
    if (!dryRun) await saveBack(tx, facts, { tree, plans, stored }, context)
    return [...plans.flatMap(auditedBack), ...stock, ...tree.undone]
  },
}

// Categories are restored before their products, and removed after their products have left them.
async function saveBack(
  tx: Tx,
  seller: SellerFacts,
  { tree, plans, stored }: { tree: TreeBack; plans: readonly ProductPlan[]; stored: readonly CategoryRow[] },
  context: ChangeContext,
): Promise<void> {
  for (const { before, after } of tree.saved) await saveCategory(tx, seller.id, after, before)
  await saveProductPlans(tx, seller, plans, [...stored, ...tree.categories], context)
  for (const { category } of tree.removed) await removeCategory(tx, seller.id, category.id)
  if (tree.saved.some(({ before, after }) => before?.parentId !== after.parentId))
    await recountCategories(tx, seller.id, 'all')
}

// The changes of one product and its SKUs in an audit entry.
interface ProductChanges {
  productId: string
  product: AuditedChange | undefined
  skus: AuditedChange[]
}

interface PlanBack extends ProductPlan {
  kind: AuditedChange['kind']
}

async function planProductsBack(
  tx: Tx,
  seller: SellerFacts,
  { categories, removed }: TreeBack,
  changes: readonly AuditedChange[],
  now: number,
): Promise<PlanBack[]> {
  const skuIds = changes.flatMap(({ what, id }) => (what === 'sku' ? [id] : []))
  const [owners, retired] = await Promise.all([
    listProductsOfSkus(tx, seller.id, skuIds),
    listRetiredSkus(tx, seller.id, skuIds),
  ])
  const productOf = new Map([
    ...owners.map(({ skuId, productId }) => [skuId, productId] as const),
    ...retired.map(({ id, productId }) => [id, productId] as const),
  ])
  const groups = groupsOf(changes, productOf)
  const products = await listProductsById(
    tx,
    seller.id,
    groups.map(({ productId }) => productId),
  )
  const productWith = new Map(products.map((product) => [product.id, product]))
  const slugs = new Set(categories.map(({ slug }) => slug))
  const context: BackContext = {
    retired: new Map(retired.map((sku) => [sku.id, sku])),
    removed: new Set(removed.map(({ category }) => category.slug)),
    now,
  }
  const plans: PlanBack[] = []
  for (const group of groups) {
    const before = productWith.get(group.productId)
    const change = (group.product ?? group.skus[0]) as AuditedChange
    if (!before) throw overtakenRefusal(change, `${change.name} no longer exists.`)
    const plan = planBack(before, group, context)
    refuseInvalidUndo(change, productProblems(productEntry(plan.product), now))
    const count = plan.product.skus.length
    if (count === 0 || count > skusMax) throw overtakenRefusal(change, `${change.name} would have ${count} SKUs.`)
    const unknown = plan.product.categories.find((slug) => !slugs.has(slug))
    if (unknown !== undefined)
      throw overtakenRefusal(change, `The category ${unknown} of ${change.name} no longer exists.`)
    const { maker } = plan.product
    if (maker !== null && !(await findNamedMakers(tx, seller.id, [plan.product])).has(maker))
      throw overtakenRefusal(change, `The maker ${maker} of ${change.name} no longer exists.`)
    const { slug } = plan.product
    if (slug !== before.slug && (await listProductsBySlug(tx, seller.id, [slug])).length > 0)
      throw overtakenRefusal(change, `Another product now has the slug ${slug}.`)
    plans.push(plan)
  }
  return plans
}

function groupsOf(changes: readonly AuditedChange[], productOf: ReadonlyMap<string, string>): ProductChanges[] {
  const groups = new Map<string, ProductChanges>()
  for (const change of changes) {
    if (change.what !== 'product' && change.what !== 'sku') continue
    const productId = change.what === 'product' ? change.id : productOf.get(change.id)
    if (productId === undefined) throw overtakenRefusal(change, `${change.name} no longer exists.`)
    const group = groups.get(productId) ?? { productId, product: undefined, skus: [] }
    groups.set(productId, change.what === 'product' ? { ...group, product: change } : group)
    if (change.what === 'sku') groups.get(productId)?.skus.push(change)
  }
  return [...groups.values()].sort((one, other) => (one.productId < other.productId ? -1 : 1))
}

// A product as an audit entry shows it: with the codes of its SKUs, in their order.
type ShownProduct = Omit<ProductRow, 'skus'> & { skus: readonly string[] }

interface BackContext {
  retired: ReadonlyMap<string, RetiredSku>
  // Slugs of the categories that are removed.
  removed: ReadonlySet<string>
  now: number
}

function planBack(
  before: ProductRow,
  { product: change, skus: skuChanges }: ProductChanges,
  { retired, removed, now }: BackContext,
): PlanBack {
  if (change) refuseIfOvertaken(change, { ...before, skus: before.skus.map(({ code }) => code) })
  // The creation of a product is undone by archiving the product in its present state, with its SKUs and later changes. The product
  // leaves the categories that the same undo removes.
  if (change?.kind === 'create') {
    const categories = before.categories.filter((slug) => !removed.has(slug))
    const archived = { publishedAt: null, archivedAt: now, updatedAt: now, version: before.version + 1 }
    const product = { ...before, ...archived, categories }
    return { ...planOf(before, product, []), kind: 'retire' }
  }
  const { skus: order, ...values }: Partial<ShownProduct> = change
    ? valuesBefore<ShownProduct>(change, [...productMembers, 'categories', 'skus'])
    : {}
  const { skus, created } = skusBefore(before, skuChanges, retired)
  const [first] = [...(change ? [change] : []), ...skuChanges]
  const product: ProductRow = {
    ...before,
    ...values,
    skus: change && order ? ordered(change, skus, order) : skus,
    updatedAt: first ? updatedAtAfter(first, before.updatedAt, now) : now,
    version: before.version + 1,
  }
  return { ...planOf(before, product, created), kind: oppositeKind[change?.kind ?? 'change'] }
}

// The SKUs before the changes; `created`: SKUs that the changes added.
function skusBefore(
  before: ProductRow,
  changes: readonly AuditedChange[],
  retired: ReadonlyMap<string, RetiredSku>,
): { skus: SkuRow[]; created: SkuRow[] } {
  const present = new Map(before.skus.map((sku) => [sku.id, sku]))
  const positions = new Map(before.skus.map(({ id }, position) => [id, position]))
  const created: SkuRow[] = []
  for (const change of changes) {
    const sku = present.get(change.id)
    if (change.kind === 'retire') {
      const { productId: _, position, ...row } = retired.get(change.id) ?? {}
      if (sku || position === undefined) throw overtakenRefusal(change, `${change.name} is part of the product again.`)
      // The cast holds because audit entries and rows have the same member names.
      present.set(change.id, row as SkuRow)
      positions.set(change.id, position)
    } else {
      refuseIfOvertaken(change, sku)
      if (!sku) continue
      if (change.kind === 'create') {
        present.delete(change.id)
        created.push(sku)
      } else present.set(change.id, { ...sku, ...valuesBefore<SkuRow>(change, skuMembers) })
    }
  }
  const at = ({ id }: SkuRow) => positions.get(id) ?? 0
  return { skus: [...present.values()].sort((one, other) => at(one) - at(other)), created }
}

function ordered(change: AuditedChange, skus: readonly SkuRow[], codes: readonly string[]): SkuRow[] {
  const byCode = new Map(skus.map((sku) => [sku.code, sku]))
  const inOrder = codes.flatMap((code) => byCode.get(code) ?? [])
  if (inOrder.length !== skus.length || inOrder.length !== codes.length)
    throw overtakenRefusal(change, `The SKUs of ${change.name} have changed since.`)
  return inOrder
}

function planOf(before: ProductRow, product: ProductRow, created: readonly SkuRow[]): ProductPlan {
  const places = new Map(before.skus.map((sku, position) => [sku.id, { sku, position }]))
  const differs = (sku: SkuRow, position: number) => {
    const place = places.get(sku.id)
    return !place || place.position !== position || membersChanged(place.sku, sku, skuMembers).length > 0
  }
  const skus = product.skus.map((sku, position): SkuPlan => {
    return { sku, position, write: differs(sku, position) ? 'update' : 'none', setsStock: [] }
  })
  const { id, slug } = product
  const members = membersChanged(before, product, [...productMembers, 'categories'])
  return {
    product,
    before,
    differs: true,
    categoriesDiffer: members.some(({ member }) => member === 'categories'),
    skus,
    retired: created,
    changes: [
      ...(members.length > 0 ? [{ kind: 'change', what: 'product', id, name: slug, members } as const] : []),
      ...product.skus.flatMap((sku): CatalogChange[] => {
        const [what, name] = ['sku', sku.code] as const
        const place = places.get(sku.id)
        if (!place) return [{ kind: 'create', what, id: sku.id, name, members: [] }]
        const changed = membersChanged(place.sku, sku, skuMembers)
        return changed.length > 0 ? [{ kind: 'change', what, id: sku.id, name, members: changed }] : []
      }),
      ...created.map((sku) => ({ kind: 'retire', what: 'sku', id: sku.id, name: sku.code, members: [] }) as const),
    ],
  }
}

function auditedBack(plan: PlanBack): AuditedChange[] {
  return auditedChangesOfPlan(plan).map((change) =>
    change.what === 'product' ? { ...change, kind: plan.kind } : change,
  )
}

// Applies the opposite difference, so units that were sold since stay sold.
async function undoStock({ tx, seller, changes, dryRun, actor, context }: UndoAsk): Promise<AuditedChange[]> {
  const stock = changes.filter(({ what }) => what === 'stock')
  const asks = stock.map((change) => {
    const [member, ...others] = change.members
    if (member?.member !== 'onHand' || others.length > 0) throw notUndoable(change)
    return { skuId: change.id, change: { adjustBy: Number(member.from) - Number(member.to) }, reason: null }
  })
  const levels = await planLevels(tx, seller, asks)
  const levelOf = new Map(levels.map((level) => [level.stockRow.skuId, level]))
  const undone = stock.map((change): AuditedChange => {
    const level = levelOf.get(change.id)
    if (!level) throw overtakenRefusal(change, `${change.name} no longer exists.`)
    const { onHand, refusal } = level
    const { onHand: present, held } = level.stockRow
    if (refusal || (onHand < present && onHand < held))
      throw overtakenRefusal(change, `The stock of ${change.name} is ${present} now, of which ${held} are reserved.`, {
        ...{ member: 'onHand', present },
      })
    const { what, id, name } = change
    return { kind: 'change', what, id, name, members: [{ member: 'onHand', from: present, to: onHand }] }
  })
  const by = actor.id === null ? null : { kind: actor.kind, id: actor.id }
  if (!dryRun) await writeLevels(tx, seller, levels, by, context)
  return undone
}

interface TreeBack {
  // The categories after the undo.
  categories: readonly CategoryRow[]
  saved: readonly { before: CategoryRow | undefined; after: CategoryRow }[]
  removed: readonly { change: AuditedChange; category: CategoryRow }[]
  undone: readonly AuditedChange[]
}

// Undoes the last change first, because a category may be below another category that the same entry created.
async function planTreeBack(
  changes: readonly AuditedChange[],
  stored: readonly CategoryRow[],
  now: number,
): Promise<TreeBack> {
  const rows = new Map(stored.map((category) => [category.id, category]))
  const saved: { before: CategoryRow | undefined; after: CategoryRow }[] = []
  const removed: { change: AuditedChange; category: CategoryRow }[] = []
  const undone: AuditedChange[] = []
  for (const change of changes.filter(({ what }) => what === 'category').reverse()) {
    const before = rows.get(change.id)
    const after = await refuseAsOvertaken(change, () => categoryBefore(change, before, [...rows.values()], now))
    if (after) {
      rows.set(after.id, after)
      saved.push({ before, after })
      undone.push(before ? categoryChange(before, after) : categoryChange(undefined, after))
    } else if (before) {
      if ([...rows.values()].some(({ parentId }) => parentId === before.id)) throw categoryInUse(change)
      rows.delete(before.id)
      removed.push({ change, category: before })
      undone.push(categoryChange(before, undefined, now))
    }
  }
  return { categories: [...rows.values()], saved, removed, undone }
}

// Checks against the products as the plans leave them, so a dry run refuses exactly what the real run would refuse.
async function refuseUsed(
  tx: Tx,
  merchantId: string,
  { removed }: TreeBack,
  plans: readonly ProductPlan[],
): Promise<void> {
  const planned = new Set(plans.map(({ product }) => product.id))
  for (const { change, category } of removed) {
    const { slug } = category
    if (plans.some(({ product }) => product.categories.includes(slug))) throw categoryInUse(change)
    const inside = await listProductsIn(tx, merchantId, category.id, planned.size + 1)
    if (inside.some((id) => !planned.has(id))) throw categoryInUse(change)
    if (await isCategoryPromoted(tx, merchantId, slug)) throw categoryInUse(change)
  }
}

function categoryInUse(change: AuditedChange): Refusal {
  return overtakenRefusal(change, refuse('category_in_use').message)
}

// Undefined if the category did not exist before the change.
function categoryBefore(
  change: AuditedChange,
  before: CategoryRow | undefined,
  stored: readonly CategoryRow[],
  now: number,
): CategoryRow | undefined {
  const { kind, id, name: slug } = change
  if (kind !== 'retire') refuseIfOvertaken(change, before)
  if (kind === 'create') return undefined
  const { version, ...values } = valuesBefore<CategoryRow>(change, allCategoryMembers)
  if (kind === 'retire') {
    if (!('name' in values)) throw notUndoable(change)
    if (before || stored.some((category) => category.slug === slug)) throw refuse('category_exists')
    if (stored.length >= categoriesMax) throw refuse('category_limit')
  }
  const nothing = { id, slug, name: '', description: '', parentId: null, position: 0, image: null, productCount: 0 }
  const category: CategoryRow = {
    ...(before ?? nothing),
    ...values,
    updatedAt: before ? updatedAtAfter(change, before.updatedAt, now) : (change.updatedAt?.from ?? now),
    version: (before?.version ?? Number(version)) + 1,
  }
  if (category.parentId !== null && !stored.some((one) => one.id === category.parentId))
    throw refuse('category_not_found')
  refuseDeepCategories(stored, [category])
  return category
}
