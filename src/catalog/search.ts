// Answers a search: finds by the full-text index, and filters, counts and sorts in memory. Facets are counted of the whole result. Of more
// than 1,000 products, relevance ranks 1,000 that have all words in their name, and 1,000 others.

import { type SearchFacets, type SearchQuery, searchRowsDefault, searchTotalMax } from '../contract/open/search.ts'
import { fullTextOf } from '../fulltext/engines.ts'
import { languageFor } from '../fulltext/forms.ts'
import { isOneMistake, misspeltLengthMin } from '../fulltext/spelling.ts'
import { exactly, type Match, type Term, termsOf } from '../fulltext/terms.ts'
import { wholeCode, wordsIn } from '../fulltext/words.ts'
import type { MerchantMode } from '../kit/mode.ts'
import { refuse } from '../kit/refuse.ts'
import type { Reader } from '../storage/storage.ts'
import type { At, Columns, KnownPlaces, Places } from './columns.ts'
import { facetsOf, type Tally } from './facets.ts'
import { listListRows, listSimilarWords, type ShopFacts } from './indexStore.ts'
import { intersectionOf, noPlaces, unionOf } from './places.ts'
import {
  type AskedWord,
  activeDimensions,
  askedWord,
  askedWords,
  type CategoryTree,
  type Filters,
  filterMatch,
  optionsAsked,
  textMatch,
  withoutDimension,
} from './question.ts'
import {
  codeScore,
  compareRanks,
  firstByValue,
  insert,
  isDescending,
  type Order,
  type Ranked,
  readPosition,
  scorer,
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
  const message = 'must have q, category, brand, minPrice, maxPrice, inStock, tag or option'
  throw refuse('invalid_request', { issues: [{ path: '/query', message }] })
}

interface Question {
  // Undefined if the query has no text.
  words: readonly AskedWord[] | undefined
  // The text as a SKU code, which stands for all of its words. Empty if it can be none.
  code: string
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
  }
  let question = asked
  let correctedTo: string | null = null
  let matching = await placesFor(db, shop, question, filters)
  let found = fitting(shop, filters, matching)
  if (found.length === 0 && asked.words && asked.words.length > 0) {
    const corrected = await corrections(db, shop, asked.words)
    if (corrected) {
      const other = { ...asked, words: corrected, code: '' }
      const others = await placesFor(db, shop, other, filters)
      const foundNow = fitting(shop, filters, others)
      if (foundNow.length > 0) {
        question = other
        correctedTo = corrected.map(({ word }) => word).join(' ')
        matching = others
        found = foundNow
      }
    }
  }
  const isBroad = found.length > searchTotalMax
  const limit = limitOf(query)
  const whole = tallyOf(shop, found)
  const span = { after, count: limit + 1 }
  const [without, first] = await Promise.all([
    Promise.all(
      activeDimensions(filters).map(async (dimension) => {
        const others = withoutDimension(filters, dimension)
        const isTerm = dimension.kind !== 'price' && dimension.kind !== 'inStock'
        const more = fitting(shop, others, isTerm ? await placesFor(db, shop, question, others) : matching)
        // A filter that nothing fails leaves the same products.
        return { dimension, tally: more.length === found.length ? whole : tallyOf(shop, more) }
      }),
    ),
    order === 'relevance'
      ? byRelevance(db, shop, question, { found, isBroad, ...span })
      : byValue(shop, order, found, span),
  ])
  const page = first.slice(0, limit)
  const last = first.length > page.length ? page.at(-1) : undefined
  return {
    listRows: await listRowsOf(db, shop, page),
    next: last ? writePosition(order, last) : null,
    total: isBroad ? null : found.length,
    correctedTo,
    facets: facetsOf({ whole, without }, shop.tree, shop.facts.currency),
  }
}

function limitOf({ limit = searchRowsDefault }: SearchQuery): number {
  return limit
}

async function placesFor(db: Reader, shop: SearchShop, { words, code }: Question, filters: Filters): Promise<Places> {
  const { merchantId, tree } = shop
  const term = termsOf(merchantId)
  // Text without a word finds nothing.
  if (words?.length === 0) return noPlaces
  const chosen = filterMatch(term, filters, tree)
  if (!chosen) return noPlaces
  if (!words && chosen.length === 0) return placesWith(db, shop, [exactly(term('any', ''))])
  const byFilter = await Promise.all(chosen.map((terms) => placesWith(db, shop, terms)))
  if (!words) return intersectionOf(byFilter)
  const byText = await placesOf(db, shop, textMatch(term, words, { tree }))
  return intersectionOf([unionOf(byText, await codedPlaces(db, shop, code)), ...byFilter])
}

async function placesOf(db: Reader, shop: SearchShop, match: Match): Promise<Places> {
  return intersectionOf(await Promise.all(match.map((terms) => placesWith(db, shop, terms))))
}

async function codedPlaces(db: Reader, shop: SearchShop, code: string): Promise<Places> {
  return code.length > 1 ? placesWith(db, shop, [exactly(termsOf(shop.merchantId)('code', code))]) : noPlaces
}

// Those that have one of these terms.
async function placesWith(db: Reader, shop: SearchShop, terms: readonly Term[]): Promise<Places> {
  const { version } = shop.facts
  const { known, asking } = shop.columns
  const key = JSON.stringify(terms)
  const before = known.get(key)
  if (before?.version === version) return before.places
  // Searches that come at once share one question. If it fails, each asks by itself.
  const shared = await asking.get(`${version} ${key}`)?.catch(() => undefined)
  if (shared) return shared
  const asked = findPlaces(db, shop, terms, before)
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
  terms: readonly Term[],
  before: KnownPlaces | undefined,
): Promise<Places> {
  const fullText = fullTextOf(db)
  const isOlder = before && before.version >= cut && before.version < version
  const changed = isOlder && fullText.findKeysAmong ? columns.changedSince(before.version) : undefined
  if (!before || !changed || !fullText.findKeysAmong)
    return columns.placesOf(await fullText.findKeys(db, merchantId, terms))
  if (changed.length === 0) return before.places
  const ids = changed.map((at) => columns.id[at] as string)
  const found = columns.placesOf(await fullText.findKeysAmong(db, merchantId, terms, ids))
  const isChanged = new Set(changed)
  return unionOf(
    before.places.filter((at) => !isChanged.has(at)),
    found,
  )
}

// By the filters that are no terms. This and the next two look at each product of a large result: a loop by number takes half the time
// of one over the elements, and a sixth of `filter`.
function fitting({ columns, mode }: SearchShop, filters: Filters, places: Places): Places {
  const { minPrice = 0, maxPrice = Number.MAX_SAFE_INTEGER, inStock } = filters
  if (filters.minPrice === undefined && filters.maxPrice === undefined && inStock === undefined) return places
  const { priceMin, priceMax } = columns
  const stock = columns.inStock[mode]
  const fit = new Uint32Array(places.length)
  let count = 0
  for (let i = 0; i < places.length; i += 1) {
    const at = places[i] as At
    if ((priceMax[at] as number) < minPrice || (priceMin[at] as number) > maxPrice) continue
    if (inStock === undefined || stock[at] === 1) fit[count++] = at
  }
  return fit.subarray(0, count)
}

function tallyOf({ columns, mode }: SearchShop, places: Places): Tally {
  const stock = columns.inStock[mode]
  const counts = new Uint32Array(columns.facetTexts.length)
  let priceMin = Number.MAX_SAFE_INTEGER
  let priceMax = 0
  let inStock = 0
  for (let i = 0; i < places.length; i += 1) {
    const at = places[i] as At
    const least = columns.priceMin[at] as number
    const most = columns.priceMax[at] as number
    if (least < priceMin) priceMin = least
    if (most > priceMax) priceMax = most
    inStock += stock[at] as number
    const facet = columns.facets[at] as number
    counts[facet] = (counts[facet] as number) + 1
  }
  const facets: { text: string; count: number }[] = []
  for (const [facet, count] of counts.entries())
    if (count > 0) facets.push({ text: columns.facetTexts[facet] as string, count })
  return { products: places.length, priceMin, priceMax, inStock, facets }
}

// The first that come after a position.
interface Span {
  after: Ranked | null
  count: number
}

function byValue({ columns }: SearchShop, order: Order, found: Places, { after, count }: Span): Ranked[] {
  const { id, idTime } = columns
  const values = { newest: columns.publishedAt, price_asc: columns.priceMin, price_desc: columns.priceMin }
  const column: readonly (string | number)[] = order === 'name' ? columns.nameKey : values[order]
  const rankOf = (at: At): Ranked => ({ score: 0, value: column[at] as string | number, id: id[at] as string })
  const sign = isDescending(order) ? -1 : 1
  const rest = after ? found.filter((at) => sign * compareRanks(rankOf(at), after) > 0) : found
  return firstByValue(rest, count, { column, id, idTime, isDescending: isDescending(order) }).map(rankOf)
}

async function byRelevance(
  db: Reader,
  shop: SearchShop,
  { words = [], code }: Question,
  { found, isBroad, after, count }: Span & { found: Places; isBroad: boolean },
): Promise<Ranked[]> {
  const term = termsOf(shop.merchantId)
  const { tree, columns } = shop
  const coded = intersectionOf([await codedPlaces(db, shop, code), found])
  // Of more than can be ranked, those with the words in their name are not left out.
  const named = isBroad ? await placesOf(db, shop, textMatch(term, words, { tree, only: 'name' })) : noPlaces
  const inName = intersectionOf([named, found])
  const codes = coded.subarray(0, codedMax)
  const all = unionOf(unionOf(found.subarray(-searchTotalMax), inName.subarray(-searchTotalMax)), codes)
  const scoreOf = scorer(words, tree)
  const bestFirst = (one: Ranked, other: Ranked) => compareRanks(other, one)
  const first: Ranked[] = []
  for (let i = 0; i < all.length; i += 1) {
    const at = all[i] as At
    const fields = columns.fields[at] as string
    const facets = columns.facetTexts[columns.facets[at] as number] as string
    const score = scoreOf(fields, facets) + (codes.length > 0 && codes.includes(at) ? codeScore : 0)
    // Most are behind the last of the first few, and that is seen by the score alone.
    if (first.length === count && score < (first[count - 1] as Ranked).score) continue
    const one = { score, value: columns.publishedAt[at] as number, id: columns.id[at] as string }
    if (!after || compareRanks(one, after) < 0) insert(first, one, count, bestFirst)
  }
  return first
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
      corrected.push(
        ...askedWords(best, languageFor(shop.facts)).map(({ word, forms }) => askedWord(word, forms, false)),
      )
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
      count: await countOf(db, shop, askedWord(candidate, [candidate], false)),
    })),
  )
  return counted
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .map(({ candidate }) => candidate)
}

async function countOf(db: Reader, shop: SearchShop, word: AskedWord): Promise<number> {
  return (await placesOf(db, shop, textMatch(termsOf(shop.merchantId), [word], shop))).length
}

async function listRowsOf(db: Reader, shop: SearchShop, page: readonly Ranked[]): Promise<string[]> {
  const ids = page.map(({ id }) => id)
  const textOf = new Map((await listListRows(db, shop, ids)).map(({ productId, listRow }) => [productId, listRow]))
  return ids.flatMap((id) => textOf.get(id) ?? [])
}
