// Finds products that share categories, the brand or tags with a product. A trait that few products share counts more than a trait that
// many share.

import type { Reader } from '../../platform/storage/storage.ts'
import { exactTerm, hashTexts, termsForMerchant } from '../search/terms.ts'
import type { ProductIndex, ProductIndexes } from './places.ts'
import type { CategoryTree } from './question.ts'
import { compareRanks, insertRanked, type RankKey } from './ranking.ts'
import { findProductsWith, listRowsOf, type SearchShop } from './search.ts'

// The parts of a product's list row that determine its related products.
export interface RelatedTraits {
  id: string
  categories: readonly string[]
  tags: readonly string[]
  brand?: string | null
}

// Maximum numbers, because for each tag and category a list of products is read.
const tagsMax = 20
const categoriesMax = 20

interface Shared {
  places: ProductIndexes
  // Points for sharing the trait if all products have it; a rarer trait gives more.
  weight: number
}

export async function findRelatedProducts(
  db: Reader,
  shop: SearchShop,
  traits: RelatedTraits,
  limit: number,
): Promise<string[]> {
  const term = termsForMerchant(shop.merchantId)
  const having = async (weight: number, kind: 'category' | 'tag' | 'brand', values: readonly string[]) => ({
    weight,
    places: await findProductsWith(
      db,
      shop,
      values.map((value) => exactTerm(term(kind, hashTexts(value)))),
    ),
  })
  const { tags, brand } = traits
  const shared = await Promise.all([
    ...weighRelatedCategories(traits, shop.tree).map(({ slugs, weight }) => having(weight, 'category', slugs)),
    ...tags.slice(0, tagsMax).map((tag) => having(1, 'tag', [tag])),
    ...(brand == null ? [] : [having(1, 'brand', [brand])]),
  ])
  return listRowsOf(db, shop, nearest(shop, traits.id, shared, limit))
}

// The product's categories with their descendants and, with less weight, the ancestors of these categories with all of their descendants.
export function weighRelatedCategories(
  { categories }: Pick<RelatedTraits, 'categories'>,
  { paths, families }: Pick<CategoryTree, 'paths' | 'families'>,
): { slugs: readonly string[]; weight: number }[] {
  const around = new Map<string, number>()
  for (const slug of categories) {
    const path = paths.get(slug) ?? []
    for (const [at, above] of path.entries())
      around.set(above, Math.max(around.get(above) ?? 0, (at + 1) / path.length))
  }
  return [...around]
    .sort(([, one], [, other]) => other - one)
    .slice(0, categoriesMax)
    .map(([slug, weight]) => ({ slugs: families.get(slug) ?? [slug], weight: 2 * weight }))
}

function nearest({ columns, mode }: SearchShop, id: string, shared: readonly Shared[], limit: number): RankKey[] {
  const { id: ids, publishedAt, inStock } = columns
  const scores = new Float64Array(ids.length)
  for (const { places, weight } of shared) {
    const points = weight * Math.log2(1 + ids.length / (places.length || 1))
    for (let i = 0; i < places.length; i += 1)
      scores[places[i] as ProductIndex] = (scores[places[i] as ProductIndex] as number) + points
  }
  const first: RankKey[] = []
  for (const places of shared.map((one) => one.places))
    for (let i = 0; i < places.length; i += 1) {
      const at = places[i] as ProductIndex
      const score = scores[at] as number
      // Reset, because a product that shares several traits occurs in several lists.
      scores[at] = 0
      if (score === 0 || inStock[mode][at] !== 1 || ids[at] === id) continue
      if (first.length === limit && score < (first[limit - 1] as RankKey).score) continue
      const one = { score, value: publishedAt[at] as number, id: ids[at] as string }
      insertRanked(first, one, limit, (a, b) => compareRanks(b, a))
    }
  return first
}
