// What a result can be narrowed by, with counts. Pure. Each facet is counted without its own filter, so a shopper sees what else
// could be chosen.

import type { SearchFacets } from '../contract/open/search.ts'
import { type ProductFacets, readFacets } from './indexed.ts'
import type { FoundRow } from './indexStore.ts'
import type { CategoryTree, Dimension } from './question.ts'

const categoriesMax = 100
const optionsMax = 20
const valuesMax = 50

export interface FacetSource {
  // The result, and for the dimensions that are filtered by, the result without that filter.
  rows: readonly FoundRow[]
  without: readonly { dimension: Dimension; rows: readonly FoundRow[] }[]
}

export function facetsOf({ rows, without }: FacetSource, tree: CategoryTree, currency: string): SearchFacets {
  const read = facetReader()
  const rowsFor = (kind: Dimension['kind']) => without.find(({ dimension }) => dimension.kind === kind)?.rows ?? rows
  const priced = rowsFor('price')
  let [min, max] = [Number.POSITIVE_INFINITY, 0]
  for (const { priceMin, priceMax } of priced) {
    min = Math.min(min, priceMin)
    max = Math.max(max, priceMax)
  }
  return {
    categories: categoryCounts(rowsFor('category').map(read), tree),
    options: optionCounts(rows.map(read), without, read),
    price: priced.length === 0 ? null : { min: { amount: min, currency }, max: { amount: max, currency } },
    inStock: rowsFor('inStock').reduce((count, { inStock }) => count + inStock, 0),
  }
}

// Many products have the same facets.
function facetReader(): (row: FoundRow) => ProductFacets {
  const known = new Map<string, ProductFacets>()
  return ({ facets }) => {
    let found = known.get(facets)
    if (!found) {
      found = readFacets(facets)
      known.set(facets, found)
    }
    return found
  }
}

// A product counts once for each of its categories and for those above them.
function categoryCounts(
  products: readonly ProductFacets[],
  { paths, inOrder }: CategoryTree,
): SearchFacets['categories'] {
  const counts = new Map<string, number>()
  for (const { categories } of products) {
    const slugs =
      categories.length === 1 ? paths.get(categories[0] as string) : categories.flatMap((slug) => paths.get(slug) ?? [])
    for (const slug of categories.length === 1 ? (slugs ?? []) : new Set(slugs))
      counts.set(slug, (counts.get(slug) ?? 0) + 1)
  }
  return inOrder
    .flatMap(({ slug, name }) => (counts.has(slug) ? [{ slug, name, count: counts.get(slug) ?? 0 }] : []))
    .slice(0, categoriesMax)
}

function optionCounts(
  products: readonly ProductFacets[],
  without: FacetSource['without'],
  read: (row: FoundRow) => ProductFacets,
): SearchFacets['options'] {
  const counts = countOptions(products)
  for (const { dimension, rows } of without) {
    if (dimension.kind !== 'option') continue
    for (const [name, values] of countOptions(rows.map(read)))
      if (name.toLowerCase() === dimension.name.toLowerCase()) counts.set(name, values)
  }
  const mostFirst = [...counts].sort(([one, a], [other, b]) => sum(b) - sum(a) || (one < other ? -1 : 1))
  return mostFirst.slice(0, optionsMax).map(([name, values]) => ({
    name,
    values: [...values]
      .map(([value, count]) => ({ value, count }))
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
      .slice(0, valuesMax),
  }))
}

function countOptions(products: readonly ProductFacets[]): Map<string, Map<string, number>> {
  const counts = new Map<string, Map<string, number>>()
  for (const { options } of products)
    for (const { name, values } of options) {
      let ofName = counts.get(name)
      if (!ofName) {
        ofName = new Map()
        counts.set(name, ofName)
      }
      for (const value of values) ofName.set(value, (ofName.get(value) ?? 0) + 1)
    }
  return counts
}

function sum(values: ReadonlyMap<string, number>): number {
  return [...values.values()].reduce((total, count) => total + count, 0)
}
