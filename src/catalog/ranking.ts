// In which order products answer a question. Pure, so both engines agree.

import { badCursor } from '../kit/cursor.ts'
import { isId } from '../kit/ids.ts'
import { readFacets } from './indexed.ts'
import { type AskedWord, type CategoryTree, presenceIn } from './question.ts'

// The best place in which a word occurs counts. What is nowhere else is in the description.
const weights = { name: 100, tags: 80, categories: 60, options: 40, codes: 30, description: 10 } as const
// Of a product whose SKU code was asked for, besides the others.
export const codeScore = 10_000

export type ScoreOf = (fields: string, facets: string) => number

export function scorer(words: readonly AskedWord[], tree: CategoryTree): ScoreOf {
  // Many products have the same.
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

  function weightBeyondName(fields: string, nameEnd: number, facets: string, word: AskedWord): number {
    const [, tags = '', options = '', codes = ''] = fields.slice(nameEnd).split('\n')
    // In the order of their weights, so the first that is found is nearly always the best.
    return (
      weights.tags * presenceIn(tags, word) ||
      weights.categories * presenceIn(categoryWordsOf(facets), word) ||
      weights.options * presenceIn(options, word) ||
      weights.codes * presenceIn(codes, word) ||
      weights.description
    )
  }

  return (fields, facets) => {
    let score = 0
    // The name comes first, and most words are in it.
    const nameEnd = fields.indexOf('\n')
    const name = fields.slice(0, nameEnd)
    for (const word of words)
      score += Math.round(weights.name * presenceIn(name, word) || weightBeyondName(fields, nameEnd, facets, word))
    return score
  }
}

export type Order = 'newest' | 'price_asc' | 'price_desc' | 'name'

// The value by which a product is in order. Scores come before values, and ids decide between equal ones.
export interface Ranked {
  score: number
  value: string | number
  id: string
}

// Equally relevant products are in the order of their publication, newest first.
export function isDescending(order: Order | 'relevance'): boolean {
  return order === 'newest' || order === 'price_desc' || order === 'relevance'
}

export function compareRanks(one: Ranked, other: Ranked): number {
  return one.score - other.score || compare(one.value, other.value) || compare(one.id, other.id)
}

export function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0
}

// The first few in an order, without sorting all.
export function firstOf<T>(items: ArrayLike<T>, count: number, compare: (one: T, other: T) => number): T[] {
  const first: T[] = []
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at] as T
    if (first.length === count && compare(item, first[count - 1] as T) >= 0) continue
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
  return first
}

// A product may have been published before 1970.
const publishedOffset = 10 ** 15

export function writePosition(order: Order | 'relevance', { score, value, id }: Ranked): string {
  const written =
    order === 'relevance' ? `${digits(score, 8)}.${digits(Number(value) + publishedOffset, 16)}` : String(value)
  return `${written} ${id}`
}

export function readPosition(order: Order | 'relevance', text: string): Ranked {
  const [value = '', id = '', ...rest] = text.split(' ')
  if (!isId('prd', id) || rest.length > 0) throw badCursor()
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
  throw badCursor()
}

function digits(number: number, length: number): string {
  return String(number).padStart(length, '0')
}
