// In which order products answer a question. Pure, so both engines agree.

import { readFacets } from './indexed.ts'
import type { Behind, FoundRow, Order } from './indexStore.ts'
import { type AskedWord, type CategoryTree, presenceIn } from './question.ts'

// The best place in which a word occurs counts. What is nowhere else is in the description.
const weights = { name: 100, tags: 80, categories: 60, options: 40, codes: 30, description: 10 } as const
const codeScore = 10_000

export function scoreOf(
  { fields, facets }: Pick<FoundRow, 'fields' | 'facets'>,
  words: readonly AskedWord[],
  { tree, isCode }: { tree: CategoryTree; isCode: boolean },
): number {
  const [name = '', tags = '', options = '', codes = ''] = fields.split('\n')
  const categories = () =>
    readFacets(facets)
      .categories.map((slug) => tree.words.get(slug) ?? '')
      .join('')
  let score = isCode ? codeScore : 0
  for (const word of words) {
    // In the order of their weights, so the first that is found is nearly always the best.
    score += Math.round(
      weights.name * presenceIn(name, word) ||
        weights.tags * presenceIn(tags, word) ||
        weights.categories * presenceIn(categories(), word) ||
        weights.options * presenceIn(options, word) ||
        weights.codes * presenceIn(codes, word) ||
        weights.description,
    )
  }
  return score
}

export interface Ranked {
  row: FoundRow
  value: string | number
}

// The value by which rows are in order, and whether the largest comes first. Ids decide between equal values, in the same direction.
export function valueFor(order: Order, row: FoundRow): string | number {
  if (order === 'newest') return row.publishedAt
  return order === 'name' ? row.nameKey : row.priceMin
}

export function isDescending(order: Order | 'relevance'): boolean {
  return order === 'newest' || order === 'price_desc' || order === 'relevance'
}

// Equally relevant products are in the order of their publication, newest first.
export function relevanceValue(score: number, { publishedAt }: FoundRow): string {
  return `${digits(score, 8)}.${digits(publishedAt + publishedOffset, 16)}`
}

// A product may have been published before 1970.
const publishedOffset = 10 ** 15

function digits(number: number, length: number): string {
  return String(number).padStart(length, '0')
}

export function inRank(rows: readonly Ranked[], descending: boolean): Ranked[] {
  const sign = descending ? -1 : 1
  return rows.toSorted(
    (one, other) => sign * (compare(one.value, other.value) || compare(one.row.productId, other.row.productId)),
  )
}

export function isBehind({ row, value }: Ranked, after: Behind, descending: boolean): boolean {
  const order = compare(value, after.value) || compare(row.productId, after.id)
  return descending ? order < 0 : order > 0
}

function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0
}
