// Plans the categories that a file names and the shop does not have. Pure, except that it generates their ids.

import { type CategoryEntry, categoryDepthMax } from '../../contract/entries.ts'
import type { CategoryRow } from '../../domain/catalog/answer.ts'
import { type CategoryChange, categoryDepths, planCategories } from '../../domain/catalog/categories.ts'

export interface MissingCategories {
  categories: CategoryRow[]
  changes: CategoryChange[]
}

// Existing categories do not change. A category that would be too deep, because the merchant has moved its parent, is not created.
export function planMissing(
  wanted: readonly CategoryEntry[],
  stored: readonly CategoryRow[],
  now: number,
): MissingCategories {
  const known = new Set(stored.map(({ slug }) => slug))
  const missing = wanted.filter(({ slug }) => !known.has(slug))
  if (missing.length === 0) return { categories: [], changes: [] }
  const { newCategories, changes } = planCategories(missing, stored, now)
  const depths = categoryDepths([...stored, ...newCategories])
  const categories = newCategories.filter(({ id }) => (depths.get(id) ?? 0) <= categoryDepthMax)
  const made = new Set(categories.map(({ id }) => id))
  return { categories, changes: changes.filter(({ id }) => made.has(id)) }
}
