// What a file makes of a shop's categories. Pure, but for the ids of new ones.

import { type Change, membersChanged } from '../audit/change.ts'
import type { CategoryRow } from '../catalog/answer.ts'
import { type CategoryEntry, categoryDepthMax } from '../contract/entries.ts'
import { newId } from '../kit/ids.ts'
import { refuse } from '../kit/refuse.ts'

export interface CategoryPlan {
  newCategories: readonly CategoryRow[]
  changedCategories: readonly CategoryRow[]
  // By slug, of those that are there and of those to be made.
  categoryIds: ReadonlyMap<string, string>
  changes: readonly Change[]
}

export function planCategories(
  entries: readonly CategoryEntry[],
  kept: readonly CategoryRow[],
  now: number,
): CategoryPlan {
  const changes: Change[] = []
  const bySlug = new Map(kept.map((category) => [category.slug, category]))
  const ids = new Map(kept.map((category) => [category.slug, category.id]))
  for (const entry of entries) if (!ids.has(entry.slug)) ids.set(entry.slug, newId('cat'))
  const newCategories: CategoryRow[] = []
  const changedCategories: CategoryRow[] = []
  // Entries name their parent by slug, and a parent may come after its child.
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
  return { newCategories, changedCategories, categoryIds: ids, changes }
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
export function refuseDepth(kept: readonly CategoryRow[], written: readonly CategoryRow[]): void {
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
