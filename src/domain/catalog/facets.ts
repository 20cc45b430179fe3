// Facets by which a result can be narrowed, with counts. Pure. Each facet is counted without its own filter, so a shopper sees the other
// choices.

import type { SearchFacets } from '../../contract/open/search.ts'
import { foldSearchText } from '../search/words.ts'
import { type ProductFacets, readFacets } from './indexed.ts'
import type { CategoryTree, Dimension } from './question.ts'

const categoriesMax = 100
const brandsMax = 100
const optionsMax = 20
const valuesMax = 50

// Counts over all products of a result. Many products have the same facet text, so equal texts are counted first and each is parsed once.
export interface ResultCounts {
  products: number
  priceMin: number
  priceMax: number
  inStock: number
  facets: readonly { text: string; count: number }[]
  // Number of products by brand name.
  brands: ReadonlyMap<string, number>
}

export interface FacetSource {
  // Counts over the result, and for each filtered dimension, counts over the result without the filter of that dimension.
  whole: ResultCounts
  without: readonly { dimension: Dimension; tally: ResultCounts }[]
}

export function buildFacets({ whole, without }: FacetSource, tree: CategoryTree, currency: string): SearchFacets {
  const read = facetReader()
  const tallyFor = (kind: Dimension['kind']) => without.find(({ dimension }) => dimension.kind === kind)?.tally ?? whole
  const { products, priceMin, priceMax } = tallyFor('price')
  return {
    categories: categoryCounts(read(tallyFor('category')), tree),
    brands: brandCounts(tallyFor('brand').brands),
    options: optionCounts(read(whole), without, read),
    price: products === 0 ? null : { min: { amount: priceMin, currency }, max: { amount: priceMax, currency } },
    inStock: tallyFor('inStock').inStock,
  }
}

interface CountedFacets extends ProductFacets {
  count: number
}

function facetReader(): (tally: ResultCounts) => CountedFacets[] {
  const known = new Map<string, ProductFacets>()
  return ({ facets }) =>
    facets.map(({ text, count }) => {
      let found = known.get(text)
      if (!found) {
        found = readFacets(text)
        known.set(text, found)
      }
      return { ...found, count }
    })
}

// A product counts once for each of its categories and their ancestors.
function categoryCounts(
  products: readonly CountedFacets[],
  { paths, inOrder }: CategoryTree,
): SearchFacets['categories'] {
  const counts = new Map<string, number>()
  for (const { categories, count } of products)
    for (const slug of new Set(categories.flatMap((slug) => paths.get(slug) ?? [])))
      counts.set(slug, (counts.get(slug) ?? 0) + count)
  return inOrder
    .flatMap(({ slug, name }) => (counts.has(slug) ? [{ slug, name, count: counts.get(slug) ?? 0 }] : []))
    .slice(0, categoriesMax)
}

// Brands whose folded names are equal count as one, in the most frequent spelling.
function brandCounts(spellings: ReadonlyMap<string, number>): SearchFacets['brands'] {
  const counts = new Map<string, { name: string; count: number }>()
  for (const [name, count] of mostFirst(spellings)) {
    const known = counts.get(foldSearchText(name))
    if (known) known.count += count
    else counts.set(foldSearchText(name), { name, count })
  }
  return [...counts.values()]
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1))
    .slice(0, brandsMax)
}

function mostFirst(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
}

function optionCounts(
  products: readonly CountedFacets[],
  without: FacetSource['without'],
  read: (tally: ResultCounts) => CountedFacets[],
): SearchFacets['options'] {
  const counts = countOptions(products)
  for (const { dimension, tally } of without) {
    if (dimension.kind !== 'option') continue
    for (const [name, values] of countOptions(read(tally)))
      if (name.toLowerCase() === dimension.name.toLowerCase()) counts.set(name, values)
  }
  const sums = new Map([...counts].map(([name, values]) => [name, sum(values)]))
  return mostFirst(sums)
    .slice(0, optionsMax)
    .map(([name]) => ({
      name,
      values: mostFirst(counts.get(name) ?? new Map())
        .slice(0, valuesMax)
        .map(([value, count]) => ({ value, count })),
    }))
}

function countOptions(products: readonly CountedFacets[]): Map<string, Map<string, number>> {
  const counts = new Map<string, Map<string, number>>()
  for (const { options, count } of products)
    for (const { name, values } of options) {
      let ofName = counts.get(name)
      if (!ofName) {
        ofName = new Map()
        counts.set(name, ofName)
      }
      for (const value of values) ofName.set(value, (ofName.get(value) ?? 0) + count)
    }
  return counts
}

function sum(values: ReadonlyMap<string, number>): number {
  return [...values.values()].reduce((total, count) => total + count, 0)
}
