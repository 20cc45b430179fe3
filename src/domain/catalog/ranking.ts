// The order of products in a search result. Pure, so both database engines give the same order.

import { badCursorRefusal } from '../../platform/kit/cursor.ts'
import { isId } from '../../platform/kit/ids.ts'
import { readFacets } from './indexed.ts'
import { type CategoryTree, type QueryWord, scoreWordIn } from './question.ts'

// The field with the highest weight in which a word occurs counts. A word that occurs in none of the other fields is in the description.
const weights = { name: 100, brand: 90, tags: 80, categories: 60, options: 40, codes: 30, description: 10 } as const
// Added to the score of a product if the text is the code of one of its SKUs.
export const codeScore = 10_000

export type ScoreProduct = (fields: string, facets: string) => number

export function createScorer(words: readonly QueryWord[], tree: CategoryTree): ScoreProduct {
  // Words of category names, cached by facets, which many products share.
  const categoryWords = new Map<string, string>()

  function categoryWordsOf(facets: string): string {
    let known = categoryWords.get(facets)
    if (known === undefined) {
      known = readFacets(facets)
        .categories.map((slug) => tree.words.get(slug) ?? '')
        .join('')
      categoryWords.set(facets, known)
    }
    return known
  }

  // The fields after the name of the current product, split once a word is not in its name.
  let beyondName: readonly string[] | undefined

  function weightBeyondName(fields: string, nameEnd: number, facets: string, word: QueryWord): number {
    beyondName ??= fields.slice(nameEnd).split('\n')
    const [, tags = '', options = '', codes = '', brand = ''] = beyondName
    // In descending order of the weights, so the first match is nearly always the best.
    return (
      weights.brand * scoreWordIn(brand, word) ||
      weights.tags * scoreWordIn(tags, word) ||
      weights.categories * scoreWordIn(categoryWordsOf(facets), word) ||
      weights.options * scoreWordIn(options, word) ||
      weights.codes * scoreWordIn(codes, word) ||
      weights.description
    )
  }

  return (fields, facets) => {
    let score = 0
    beyondName = undefined
    // The name is checked first, because most words are in it.
    const nameEnd = fields.indexOf('\n')
    const name = fields.slice(0, nameEnd)
    for (const word of words)
      score += Math.round(weights.name * scoreWordIn(name, word) || weightBeyondName(fields, nameEnd, facets, word))
    return score
  }
}

export type Order = 'newest' | 'price_asc' | 'price_desc' | 'name'

// Sort key of a product. Scores are compared before values, and ids break ties.
export interface RankKey {
  score: number
  value: string | number
  id: string
}

// Equally relevant products are sorted by publication, newest first.
export function isDescending(order: Order | 'relevance'): boolean {
  return order === 'newest' || order === 'price_desc' || order === 'relevance'
}

export function compareRanks(one: RankKey, other: RankKey): number {
  return one.score - other.score || compare(one.value, other.value) || compare(one.id, other.id)
}

function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0
}

// Inserts an item into the first `count` of a sorted list, after equal items. If there are too many, the last item is dropped.
export function insertRanked<T>(first: T[], item: T, count: number, compare: (one: T, other: T) => number): void {
  let low = 0
  let high = first.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(item, first[middle] as T) < 0) high = middle
    else low = middle + 1
  }
  first.splice(low, 0, item)
  if (first.length > count) first.pop()
}

export interface ByValue {
  column: readonly (string | number)[]
  id: readonly string[]
  idTime: readonly number[]
  isDescending: boolean
}

// Returns the first `count` products of a large result, sorted by a value and then by id. Most products come after the last of those,
// which is checked without a function call. Reads from the end, because the product that was indexed last is likely to be the newest.
export function firstByValue(places: ArrayLike<number>, count: number, by: ByValue): number[] {
  const { column, id, idTime, isDescending } = by
  const inOrder = (one: number, other: number) => {
    const order =
      compare(column[one] as string, column[other] as string) || compare(id[one] as string, id[other] as string)
    return isDescending ? -order : order
  }
  const first: number[] = []
  let lastValue = column[places[0] as number] as string | number
  let lastTime = 0
  for (let i = places.length - 1; i >= 0; i -= 1) {
    const at = places[i] as number
    if (first.length === count) {
      const value = column[at] as string | number
      if (isDescending ? value < lastValue : value > lastValue) continue
      const time = idTime[at] as number
      if (value === lastValue && (isDescending ? time < lastTime : time > lastTime)) continue
    }
    insertRanked(first, at, count, inOrder)
    const last = first.at(-1) as number
    lastValue = column[last] as string | number
    lastTime = idTime[last] as number
  }
  return first
}

// Keeps positions positive: a product may have been published before 1970.
const publishedOffset = 10 ** 15

export function writePosition(order: Order | 'relevance', { score, value, id }: RankKey): string {
  const written =
    order === 'relevance' ? `${digits(score, 8)}.${digits(Number(value) + publishedOffset, 16)}` : String(value)
  return `${written} ${id}`
}

export function readPosition(order: Order | 'relevance', text: string): RankKey {
  const [value = '', id = '', ...rest] = text.split(' ')
  if (!isId('prd', id) || rest.length > 0) throw badCursorRefusal()
  if (order === 'name') return /^[0-9a-f]*$/.test(value) ? { score: 0, value, id } : bad()
  if (order !== 'relevance') return { score: 0, value: numberIn(value), id }
  const [score = '', publishedAt = ''] = value.split('.')
  return { score: numberIn(score), value: numberIn(publishedAt) - publishedOffset, id }
}

function numberIn(text: string): number {
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : bad()
}

function bad(): never {
  throw badCursorRefusal()
}

function digits(number: number, length: number): string {
  return String(number).padStart(length, '0')
}
