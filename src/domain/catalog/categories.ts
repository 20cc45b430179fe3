// Changes of categories: how entries change the tree, and how many products each category shows. The planning is pure, except that it
// creates the ids of new categories.

import { type CategoryEntry, categoryDepthMax } from '../../contract/entries.ts'
import { type AuditedChange, membersChanged, type PlannedChange } from '../../platform/audit/change.ts'
import { newId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { raiseCatalogVersion } from '../merchants/store.ts'
import type { CategoryRow } from './answer.ts'
import {
  countProductsByCategory,
  deleteCategory,
  insertCategory,
  listCategories,
  setProductCount,
  updateCategory,
} from './store.ts'

export interface CategoryPlan {
  newCategories: readonly CategoryRow[]
  changedCategories: readonly CategoryRow[]
  // Ids by slug, of existing and new categories.
  categoryIds: ReadonlyMap<string, string>
  changes: readonly CategoryChange[]
}

// A change with the id of its category, as the list of changes records it.
export type CategoryChange = PlannedChange & { what: 'category'; id: string }

const categoryMembers = ['name', 'description', 'parentId', 'position', 'image'] as const
export const allCategoryMembers = [...categoryMembers, 'version'] as const

export function planCategories(
  entries: readonly CategoryEntry[],
  kept: readonly CategoryRow[],
  now: number,
): CategoryPlan {
  const changes: CategoryChange[] = []
  const bySlug = new Map(kept.map((category) => [category.slug, category]))
  const ids = new Map(kept.map((category) => [category.slug, category.id]))
  for (const entry of entries) if (!ids.has(entry.slug)) ids.set(entry.slug, newId('cat'))
  const newCategories: CategoryRow[] = []
  const changedCategories: CategoryRow[] = []
  // Entries name their parent by slug, and a parent may come after its child in the list.
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
      version: (before?.version ?? 0) + 1,
    }
    const members = before ? membersChanged(before, category, categoryMembers) : []
    if (!before) {
      newCategories.push(category)
      changes.push({ kind: 'create', what: 'category', id: category.id, name: entry.slug, members: [] })
    } else if (members.length > 0) {
      changedCategories.push(category)
      changes.push({ kind: 'change', what: 'category', id: category.id, name: entry.slug, members })
    }
  }
  return { newCategories, changedCategories, categoryIds: ids, changes }
}

// Plans the creation of a category, or the change of `before`. The parent must already be stored.
export function planCategory(
  entry: CategoryEntry,
  before: CategoryRow | undefined,
  stored: readonly CategoryRow[],
  now: number,
): { category: CategoryRow; changes: readonly CategoryChange[] } {
  if (entry.parent != null && !stored.some(({ slug }) => slug === entry.parent))
    throw refuse('category_not_found', { message: `There is no category ${entry.parent}.` })
  const { newCategories, changedCategories, changes } = planCategories([entry], stored, now)
  const written = [...newCategories, ...changedCategories]
  refuseDeepCategories(stored, written)
  const [category = before] = written
  if (!category) throw new Error(`category ${entry.slug} was neither planned nor stored`)
  return { category, changes }
}

// A creation or removal records every value of the category, so it can be undone. A category that is restored gets a new row version.
export function categoryChange(before: CategoryRow, after: CategoryRow): AuditedChange
export function categoryChange(before: undefined, after: CategoryRow): AuditedChange
export function categoryChange(before: CategoryRow, after: undefined, now: number): AuditedChange
export function categoryChange(
  before: CategoryRow | undefined,
  after: CategoryRow | undefined,
  now = 0,
): AuditedChange {
  const { id, slug: name } = (after ?? before) as CategoryRow
  const updatedAt = { from: before?.updatedAt ?? null, to: after?.updatedAt ?? now }
  if (before && after)
    return {
      kind: 'change',
      what: 'category',
      id,
      name,
      members: membersChanged(before, after, categoryMembers),
      updatedAt,
    }
  const valueIn = (category: CategoryRow | undefined, member: keyof CategoryRow) => category?.[member] ?? null
  const members = (after ? categoryMembers : allCategoryMembers).map((member) => ({
    member,
    from: valueIn(before, member),
    to: valueIn(after, member),
  }))
  return { kind: after ? 'create' : 'retire', what: 'category', id, name, members, updatedAt }
}

// The caller must have locked the merchant.
export async function saveCategory(
  tx: Tx,
  merchant: string,
  category: CategoryRow,
  before: CategoryRow | undefined,
): Promise<void> {
  await (before ? updateCategory(tx, merchant, category) : insertCategory(tx, merchant, category))
  await raiseCatalogVersion(tx, merchant)
}

export async function removeCategory(tx: Tx, merchant: string, id: string): Promise<void> {
  await deleteCategory(tx, merchant, id)
  await raiseCatalogVersion(tx, merchant)
}

// Returns the depth of each category. A depth above the maximum may also mean a cycle. If two rows have the same id, the later row
// counts.
export function categoryDepths(categories: readonly CategoryRow[]): Map<string, number> {
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

// A category that moves takes its descendants along, including those without an entry, so their depths are checked too.
export function refuseDeepCategories(kept: readonly CategoryRow[], written: readonly CategoryRow[]): void {
  const [before, after] = [categoryDepths(kept), categoryDepths([...kept, ...written])]
  const deep = [...kept, ...written].find(({ id }) => {
    const [was = 0, becomes = 0] = [before.get(id), after.get(id)]
    return was <= categoryDepthMax && becomes > categoryDepthMax
  })
  if (!deep) return
  const message = `The category ${deep.slug} would be nested deeper than ${categoryDepthMax} levels.`
  throw refuse('category_too_deep', { message, current: { category: deep.slug } })
}

// Ends even if the entries form a cycle, because an entry is marked as placed before its parent is.
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

// Recounts the listed products of these categories and of their ancestors. The caller must have locked the merchant.
export async function recountCategories(tx: Tx, merchant: string, ids: readonly string[] | 'all'): Promise<void> {
  if (ids.length === 0) return
  const stored = await listCategories(tx, merchant)
  const shown = new Map(stored.map(({ id, productCount }) => [id, productCount]))
  const counts = await countProductsByCategory(tx, merchant, ids === 'all' ? 'all' : withAncestorIds(stored, ids))
  const wrong = counts.filter(({ categoryId, count }) => shown.get(categoryId) !== count)
  for (const { categoryId, count } of wrong) await setProductCount(tx, merchant, categoryId, count)
  if (wrong.length > 0) await raiseCatalogVersion(tx, merchant)
}

export function withAncestorIds(categories: readonly CategoryRow[], ids: readonly string[]): string[] {
  const byId = new Map(categories.map((category) => [category.id, category]))
  const all = new Set<string>()
  for (const id of ids)
    for (let at = byId.get(id); at && !all.has(at.id); at = at.parentId === null ? undefined : byId.get(at.parentId))
      all.add(at.id)
  return [...all]
}
