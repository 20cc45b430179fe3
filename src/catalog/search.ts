// Answers a search: finds by the full-text index, ranks and counts in memory. A result of at most 1,000 products is exact. Of a larger
// one, relevance ranks 1,000 that have all words in their name, or any 1,000; the other orders are read from their own index,
// page by page to the end.

import { type SearchFacets, type SearchQuery, searchRowsDefault, searchTotalMax } from '../contract/open/search.ts'
import { languageFor } from '../fulltext/forms.ts'
import { isOneMistake, misspeltLengthMin } from '../fulltext/spelling.ts'
import { exactly, type Match, termsOf } from '../fulltext/terms.ts'
import { wholeCode, wordsIn } from '../fulltext/words.ts'
import { badCursor } from '../kit/cursor.ts'
import { isId } from '../kit/ids.ts'
import type { MerchantMode } from '../kit/mode.ts'
import { refuse } from '../kit/refuse.ts'
import type { Reader } from '../storage/storage.ts'
import { facetsOf } from './facets.ts'
import {
  type Behind,
  type FoundRow,
  listFoundInOrder,
  listFoundRows,
  listListRows,
  listSimilarWords,
  type Order,
  type ShopFacts,
} from './indexStore.ts'
import {
  type AskedWord,
  activeDimensions,
  askedWords,
  type CategoryTree,
  type Filters,
  filterMatch,
  optionsAsked,
  textMatch,
  withoutDimension,
} from './question.ts'
import { inRank, isBehind, isDescending, type Ranked, relevanceValue, scoreOf, valueFor } from './ranking.ts'

export interface Found {
  // As stored, without our origin.
  listRows: readonly string[]
  // Where the next page goes on.
  next: string | null
  total: number | null
  correctedTo: string | null
  facets: SearchFacets
}

export interface SearchShop extends MerchantMode {
  facts: ShopFacts
  tree: CategoryTree
}

export function refuseEmptyQuery({ sort: _, limit: __, ...asked }: SearchQuery): void {
  if (Object.keys(asked).length > 0) return
  const message = 'must have q, category, minPrice, maxPrice, inStock, tag or option'
  throw refuse('invalid_request', { issues: [{ path: '/query', message }] })
}

interface Question {
  // Undefined if the query has no text.
  words: readonly AskedWord[] | undefined
  code: string
  filters: Filters
}

export async function searchProducts(
  db: Reader,
  shop: SearchShop,
  query: SearchQuery,
  position: string | null,
): Promise<Found> {
  const sort = query.sort ?? (query.q === undefined ? 'newest' : 'relevance')
  const order = sort === 'relevance' && query.q === undefined ? 'newest' : sort
  const after = position === null ? null : readPosition(position)
  const filters = { ...query, options: optionsAsked(query.option ?? []) }
  const asked: Question = {
    words: query.q === undefined ? undefined : askedWords(query.q, languageFor(shop.facts)),
    code: wholeCode(query.q ?? ''),
    filters,
  }
  let question = asked
  let correctedTo: string | null = null
  let rows = await rowsFor(db, shop, question, filters)
  if (rows.length === 0 && asked.words && asked.words.length > 0) {
    const corrected = await corrections(db, shop, asked.words)
    if (corrected) {
      question = { ...asked, words: corrected, code: '' }
      correctedTo = corrected.map(({ word }) => word).join(' ')
      rows = await rowsFor(db, shop, question, filters)
      if (rows.length === 0) {
        question = asked
        correctedTo = null
      }
    }
  }
  const isBroad = rows.length > searchTotalMax
  const counted = rows.slice(0, searchTotalMax)
  const [without, ranked] = await Promise.all([
    Promise.all(
      activeDimensions(filters).map(async (dimension) => ({
        dimension,
        rows: (await rowsFor(db, shop, question, withoutDimension(filters, dimension))).slice(0, searchTotalMax),
      })),
    ),
    isBroad && order !== 'relevance'
      ? pageOfBroad(db, shop, question, { order, after, limit: limitOf(query) + 1 })
      : rankedRows(db, shop, question, { order, rows: counted, isBroad, after }),
  ])
  const page = ranked.slice(0, limitOf(query))
  const last = ranked.length > page.length ? page.at(-1) : undefined
  return {
    listRows: await listRowsOf(db, shop, page),
    next: last ? writePosition(last) : null,
    total: isBroad ? null : rows.length,
    correctedTo,
    facets: facetsOf({ rows: counted, without }, shop.tree, shop.facts.currency),
  }
}

function limitOf({ limit = searchRowsDefault }: SearchQuery): number {
  return limit
}

function matchFor({ merchantId, tree }: SearchShop, { words, code }: Question, filters: Filters): Match | undefined {
  const term = termsOf(merchantId)
  // Text without a word finds nothing.
  if (words?.length === 0) return undefined
  const chosen = filterMatch(term, filters, tree)
  return chosen && [...textMatch(term, words ?? [], { tree, code }), ...chosen]
}

async function rowsFor(db: Reader, shop: SearchShop, question: Question, filters: Filters): Promise<FoundRow[]> {
  const match = matchFor(shop, question, filters)
  return match ? listFoundRows(db, shop, { match, filters, limit: searchTotalMax + 1 }) : []
}

async function pageOfBroad(
  db: Reader,
  shop: SearchShop,
  question: Question,
  { order, after, limit }: { order: Order; after: Behind | null; limit: number },
): Promise<Ranked[]> {
  const match = matchFor(shop, question, question.filters) ?? []
  const behind = after && order !== 'name' ? { ...after, value: Number(after.value) } : after
  if (typeof behind?.value === 'number' && !Number.isSafeInteger(behind.value)) throw badCursor()
  const rows = await listFoundInOrder(db, shop, { match, filters: question.filters, order, after: behind, limit })
  return rows.map((row) => ({ row, value: valueFor(order, row) }))
}

async function rankedRows(
  db: Reader,
  shop: SearchShop,
  question: Question,
  {
    order,
    rows,
    isBroad,
    after,
  }: { order: Order | 'relevance'; rows: readonly FoundRow[]; isBroad: boolean; after: Behind | null },
): Promise<Ranked[]> {
  const ranked =
    order === 'relevance'
      ? await byRelevance(db, shop, question, { rows, isBroad })
      : rows.map((row) => ({ row, value: valueFor(order, row) }))
  const descending = isDescending(order)
  const sorted = inRank(ranked, descending)
  if (!after) return sorted
  const behind = typeof sorted[0]?.value === 'number' ? { ...after, value: Number(after.value) } : after
  return sorted.filter((one) => isBehind(one, behind, descending))
}

async function byRelevance(
  db: Reader,
  shop: SearchShop,
  { words = [], code, filters }: Question,
  { rows, isBroad }: { rows: readonly FoundRow[]; isBroad: boolean },
): Promise<Ranked[]> {
  const term = termsOf(shop.merchantId)
  const { tree } = shop
  const chosen = filterMatch(term, filters, tree) ?? []
  const named: Match = [...textMatch(term, words, { tree, code: '', only: 'name' }), ...chosen]
  const [coded, inName] = await Promise.all([
    code.length > 1
      ? listFoundRows(db, shop, { match: [[exactly(term('code', code))], ...chosen], filters, limit: codedMax })
      : [],
    // Of more than can be ranked, those with the words in their name are not left out.
    isBroad ? listFoundRows(db, shop, { match: named, filters, limit: searchTotalMax }) : [],
  ])
  const codes = new Set(coded.map(({ productId }) => productId))
  const all = new Map([...rows, ...inName, ...coded].map((row) => [row.productId, row]))
  return [...all.values()].map((row) => {
    const score = scoreOf(row, words, { tree, isCode: codes.has(row.productId) })
    return { row, value: relevanceValue(score, row) }
  })
}

const codedMax = 10

// The words with each that nothing has replaced by the one that most products have of those with one other letter. Undefined if a
// word has none.
async function corrections(
  db: Reader,
  shop: SearchShop,
  words: readonly AskedWord[],
): Promise<AskedWord[] | undefined> {
  const corrected: AskedWord[] = []
  for (const asked of words) {
    if ((await countOf(db, shop, asked)) > 0) corrected.push(asked)
    else {
      const [best] = await candidatesFor(db, shop, asked.word)
      if (best === undefined) return undefined
      corrected.push(...askedWords(best, languageFor(shop.facts)).map((word) => ({ ...word, isPrefix: false })))
    }
  }
  return corrected
}

const similarMax = 2_000
const candidatesMax = 5
const countedMax = 50

async function candidatesFor(db: Reader, shop: SearchShop, word: string): Promise<string[]> {
  if (word.length < misspeltLengthMin) return []
  const names = shop.tree.inOrder.flatMap(({ name }) => wordsIn(name))
  const similar = new Set([...(await listSimilarWords(db, shop.merchantId, word, similarMax)), ...names])
  const candidates = [...similar].filter((other) => isOneMistake(word, other)).sort()
  const counted = await Promise.all(
    candidates.slice(0, candidatesMax).map(async (candidate) => ({
      candidate,
      count: await countOf(db, shop, { word: candidate, forms: [candidate], isPrefix: false }),
    })),
  )
  return counted
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .map(({ candidate }) => candidate)
}

async function countOf(db: Reader, { tree, ...shop }: SearchShop, word: AskedWord): Promise<number> {
  const match = textMatch(termsOf(shop.merchantId), [word], { tree, code: '' })
  return (await listFoundRows(db, shop, { match, filters: {}, limit: countedMax })).length
}

async function listRowsOf(db: Reader, shop: SearchShop, page: readonly Ranked[]): Promise<string[]> {
  const ids = page.map(({ row }) => row.productId)
  const textOf = new Map((await listListRows(db, shop, ids)).map(({ productId, listRow }) => [productId, listRow]))
  return ids.flatMap((id) => textOf.get(id) ?? [])
}

function writePosition({ row, value }: Ranked): string {
  return `${value} ${row.productId}`
}

function readPosition(text: string): Behind {
  const [value = '', id = '', ...rest] = text.split(' ')
  if (!/^-?[0-9a-f.]+$/.test(value) || !isId('prd', id) || rest.length > 0) throw badCursor()
  return { value, id }
}
