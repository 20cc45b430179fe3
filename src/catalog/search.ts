// Answers a search: finds by the full-text index, and filters, counts and sorts in memory. Facets are counted of the whole result. Of more
// than 1,000 products, relevance ranks 1,000 that have all words in their name, and 1,000 others.

import { type SearchFacets, type SearchQuery, searchRowsDefault, searchTotalMax } from '../contract/open/search.ts'
import { fullTextOf } from '../fulltext/engines.ts'
import { languageFor } from '../fulltext/forms.ts'
import { isOneMistake, misspeltLengthMin } from '../fulltext/spelling.ts'
import { exactly, type Match, termsOf } from '../fulltext/terms.ts'
import { wholeCode, wordsIn } from '../fulltext/words.ts'
import type { MerchantMode } from '../kit/mode.ts'
import { refuse } from '../kit/refuse.ts'
import type { Reader } from '../storage/storage.ts'
import type { At, Columns, KnownPlaces } from './columns.ts'
import { facetsOf, type Tally } from './facets.ts'
import { listListRows, listSimilarWords, type ShopFacts } from './indexStore.ts'
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
import {
  compareRanks,
  firstOf,
  isDescending,
  type Order,
  type Ranked,
  readPosition,
  scoreOf,
  writePosition,
} from './ranking.ts'

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
  columns: Columns
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
  const after = position === null ? null : readPosition(order, position)
  const filters = { ...query, options: optionsAsked(query.option ?? []) }
  const asked: Question = {
    words: query.q === undefined ? undefined : askedWords(query.q, languageFor(shop.facts)),
    code: wholeCode(query.q ?? ''),
    filters,
  }
  let question = asked
  let correctedTo: string | null = null
  let matching = await placesFor(db, shop, question, filters)
  let found = matching.filter(fits(shop, filters))
  if (found.length === 0 && asked.words && asked.words.length > 0) {
    const corrected = await corrections(db, shop, asked.words)
    if (corrected) {
      const other = { ...asked, words: corrected, code: '' }
      const others = await placesFor(db, shop, other, filters)
      const fitting = others.filter(fits(shop, filters))
      if (fitting.length > 0) {
        question = other
        correctedTo = corrected.map(({ word }) => word).join(' ')
        matching = others
        found = fitting
      }
    }
  }
  const isBroad = found.length > searchTotalMax
  const [without, ranked] = await Promise.all([
    Promise.all(
      activeDimensions(filters).map(async (dimension) => {
        const others = withoutDimension(filters, dimension)
        const isTerm = dimension.kind === 'category' || dimension.kind === 'option'
        const places = isTerm ? await placesFor(db, shop, question, others) : matching
        return { dimension, tally: tallyOf(shop, places.filter(fits(shop, others))) }
      }),
    ),
    order === 'relevance' ? byRelevance(db, shop, question, { found, isBroad }) : byValue(shop, order, found),
  ])
  const limit = limitOf(query)
  const sign = isDescending(order) ? -1 : 1
  const inOrder = (one: Ranked, other: Ranked) => sign * compareRanks(one, other)
  const rest = after ? ranked.filter((one) => inOrder(one, after) > 0) : ranked
  const first = firstOf(rest, limit + 1, inOrder)
  const page = first.slice(0, limit)
  const last = first.length > page.length ? page.at(-1) : undefined
  return {
    listRows: await listRowsOf(db, shop, page),
    next: last ? writePosition(order, last) : null,
    total: isBroad ? null : found.length,
    correctedTo,
    facets: facetsOf({ whole: tallyOf(shop, found), without }, shop.tree, shop.facts.currency),
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
  if (!chosen) return undefined
  const match = [...textMatch(term, words ?? [], { tree, code }), ...chosen]
  return match.length > 0 ? match : [[exactly(term('any', ''))]]
}

async function placesFor(db: Reader, shop: SearchShop, question: Question, filters: Filters): Promise<readonly At[]> {
  const match = matchFor(shop, question, filters)
  return match ? placesOf(db, shop, match) : []
}

async function placesOf(db: Reader, shop: SearchShop, match: Match): Promise<readonly At[]> {
  const { version } = shop.facts
  const { known, asking } = shop.columns
  const key = JSON.stringify(match)
  const before = known.get(key)
  if (before?.version === version) return before.places
  // Searches that come at once share one question. If it fails, each asks by itself.
  const shared = await asking.get(`${version} ${key}`)?.catch(() => undefined)
  if (shared) return shared
  const asked = findPlaces(db, shop, match, before)
  asking.set(`${version} ${key}`, asked)
  try {
    const places = await asked
    if (!before || before.version < version) known.set(key, { version, places })
    return places
  } finally {
    asking.delete(`${version} ${key}`)
  }
}

// What was found before is brought forward by the products that have changed since, if none has left the index.
async function findPlaces(
  db: Reader,
  { merchantId, columns, facts: { version, cut } }: SearchShop,
  match: Match,
  before: KnownPlaces | undefined,
): Promise<readonly At[]> {
  const fullText = fullTextOf(db)
  const isOlder = before && before.version >= cut && before.version < version
  const changed = isOlder && fullText.findKeysAmong ? columns.changedSince(before.version) : undefined
  if (!before || !changed || !fullText.findKeysAmong)
    return columns.placesOf(await fullText.findKeys(db, merchantId, match))
  if (changed.length === 0) return before.places
  const ids = changed.map((at) => columns.id[at] as string)
  const found = columns.placesOf(await fullText.findKeysAmong(db, merchantId, match, ids))
  const isChanged = new Set(changed)
  return [...before.places.filter((at) => !isChanged.has(at)), ...found]
}

// The filters that are no terms.
function fits({ columns, mode }: SearchShop, { minPrice, maxPrice, inStock }: Filters): (at: At) => boolean {
  const { priceMin, priceMax } = columns
  const stock = columns.inStock[mode]
  return (at) =>
    (minPrice === undefined || (priceMax[at] as number) >= minPrice) &&
    (maxPrice === undefined || (priceMin[at] as number) <= maxPrice) &&
    (inStock === undefined || stock[at] === 1)
}

function tallyOf({ columns, mode }: SearchShop, places: readonly At[]): Tally {
  const stock = columns.inStock[mode]
  const counts: (number | undefined)[] = new Array(columns.facetTexts.length)
  let [priceMin, priceMax, inStock] = [Number.MAX_SAFE_INTEGER, 0, 0]
  for (const at of places) {
    const [least, most] = [columns.priceMin[at] as number, columns.priceMax[at] as number]
    if (least < priceMin) priceMin = least
    if (most > priceMax) priceMax = most
    inStock += stock[at] as number
    const facet = columns.facets[at] as number
    counts[facet] = (counts[facet] ?? 0) + 1
  }
  const facets = columns.facetTexts.flatMap((text, facet) => {
    const count = counts[facet]
    return count === undefined ? [] : [{ text, count }]
  })
  return { products: places.length, priceMin, priceMax, inStock, facets }
}

// The last is the one that was indexed last, which is likely to be the newest.
function byValue({ columns }: SearchShop, order: Order, found: readonly At[]): Ranked[] {
  const { id } = columns
  const values = { newest: columns.publishedAt, price_asc: columns.priceMin, price_desc: columns.priceMin }
  const column: readonly (string | number)[] = order === 'name' ? columns.nameKey : values[order]
  return found.map((at) => ({ score: 0, value: column[at] as string | number, id: id[at] as string })).reverse()
}

async function byRelevance(
  db: Reader,
  shop: SearchShop,
  { words = [], code, filters }: Question,
  { found, isBroad }: { found: readonly At[]; isBroad: boolean },
): Promise<Ranked[]> {
  const term = termsOf(shop.merchantId)
  const { tree, columns } = shop
  const chosen = filterMatch(term, filters, tree) ?? []
  const fitting = async (match: Match) => (await placesOf(db, shop, [...match, ...chosen])).filter(fits(shop, filters))
  const [coded, inName] = await Promise.all([
    code.length > 1 ? fitting([[exactly(term('code', code))]]) : [],
    // Of more than can be ranked, those with the words in their name are not left out.
    isBroad ? fitting(textMatch(term, words, { tree, code: '', only: 'name' })) : [],
  ])
  const codes = new Set(coded.slice(0, codedMax))
  const all = new Set([...found.slice(-searchTotalMax), ...inName.slice(-searchTotalMax), ...codes])
  return Array.from(all, (at) => {
    const product = {
      fields: columns.fields[at] as string,
      facets: columns.facetTexts[columns.facets[at] as number] as string,
    }
    const score = scoreOf(product, words, { tree, isCode: codes.has(at) })
    return { score, value: columns.publishedAt[at] as number, id: columns.id[at] as string }
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

async function countOf(db: Reader, shop: SearchShop, word: AskedWord): Promise<number> {
  const match = textMatch(termsOf(shop.merchantId), [word], { tree: shop.tree, code: '' })
  return (await placesOf(db, shop, match)).length
}

async function listRowsOf(db: Reader, shop: SearchShop, page: readonly Ranked[]): Promise<string[]> {
  const ids = page.map(({ id }) => id)
  const textOf = new Map((await listListRows(db, shop, ids)).map(({ productId, listRow }) => [productId, listRow]))
  return ids.flatMap((id) => textOf.get(id) ?? [])
}
