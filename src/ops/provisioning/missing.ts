// The categories that a file names and the shop does not have. Pure, except that it makes their ids.

import { type CategoryEntry, categoryDepthMax } from '../../contract/entries.ts'
import type { CategoryRow } from '../../domain/catalog/answer.ts'
import { type CategoryChange, depthsOf, planCategories } from '../../domain/catalog/categories.ts'

export interface MissingCategories {
  categories: CategoryRow[]
  changes: CategoryChange[]
}

// A category that exists stays as the merchant made it, and one that would stand too deep, under one that the merchant moved,
// is not made.
export function planMissing(
  wanted: readonly CategoryEntry[],
  stored: readonly CategoryRow[],
  now: number,
): MissingCategories {
  const known = new Set(stored.map(({ slug }) => slug))
  const missing = wanted.filter(({ slug }) => !known.has(slug))
  if (missing.length === 0) return { categories: [], changes: [] }
  const { newCategories, changes } = planCategories(missing, stored, now)
  const depths = depthsOf([...stored, ...newCategories])
  const categories = newCategories.filter(({ id }) => (depths.get(id) ?? 0) <= categoryDepthMax)
  const made = new Set(categories.map(({ id }) => id))
  return { categories, changes: changes.filter(({ id }) => made.has(id)) }
}
