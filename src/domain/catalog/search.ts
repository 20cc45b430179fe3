// Answers a search: finds products by the full-text index, and filters, counts and sorts them in memory. Facets are counted over the whole
// result. If more than 1,000 products are found, only these are ranked by relevance: the newest 1,000, the newest 1,000 that have all words
// in their name, and those whose SKU code is the text.

import { issueAt } from '../../contract/issues.ts'
import { type SearchFacets, type SearchQuery, searchRowsDefault, searchTotalMax } from '../../contract/open/search.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { fullTextFor } from '../search/engines.ts'
import { languageFor } from '../search/forms.ts'
import { isOneMistake, misspeltLengthMin } from '../search/spelling.ts'
import { exactTerm, type Term, termsForMerchant } from '../search/terms.ts'
import { indexWords, wholeCode } from '../search/words.ts'
import type { CachedMatches, CatalogColumns } from './columns.ts'
import { buildFacets, type ResultCounts } from './facets.ts'
import { listListRows, listSimilarWords, type ShopFacts } from './indexstore.ts'
import { intersectIndexes, noProductIndexes, type ProductIndex, type ProductIndexes, uniteIndexes } from './places.ts'
import {
  activeDimensions,
  type CategoryTree,
  type Filters,
  matchForFilters,
  parseOptionFilters,
  parseQueryWords,
  type QueryWord,
  shownWords,
  withoutDimension,
  wordTerms,
} from './question.ts'
import {
  codeScore,
  compareRanks,
  createScorer,
  firstByValue,
  insertRanked,
  isDescending,
  type Order,
  type RankKey,
  readPosition,
  writePosition,
} from './ranking.ts'
import type { Synonyms } from './synonyms.ts'

export interface SearchResult {
  // Rows as stored, with a placeholder for our origin.
  listRows: readonly string[]
  // Position of the next page.
  next: string | null
  total: number | null
  correctedTo: string | null
  // Words that were left out because no product has them together with the other words.
  leftOut: readonly string[]
  facets: SearchFacets
}

export interface SearchShop extends MerchantMode {
  facts: ShopFacts
  tree: CategoryTree
  synonyms: Synonyms
  columns: CatalogColumns
}

export function refuseEmptyQuery({ sort: _, limit: __, ...asked }: SearchQuery): void {
  if (Object.keys(asked).length > 0) return
  throw refuse('invalid_request', { issues: [issueAt('/query', 'empty_search')] })
}

interface Question {
  // Undefined if the query has no text.
  words: readonly QueryWord[] | undefined
  // The text as a SKU code: a product with this code matches, whatever its words. Empty if the text cannot be a code.
  code: string
}

export async function searchProducts(
  db: Reader,
  shop: SearchShop,
  query: SearchQuery,
  position: string | null,
): Promise<SearchResult> {
  const sort = query.sort ?? (query.q === undefined ? 'newest' : 'relevance')
  const order = sort === 'relevance' && query.q === undefined ? 'newest' : sort
  const after = position === null ? null : readPosition(order, position)
  const filters = { ...query, options: parseOptionFilters(query.option ?? []) }
  const asked: Question = {
    words: query.q === undefined ? undefined : await wordsOf(db, shop, query.q),
    code: wholeCode(query.q ?? ''),
  }
  const { question, correctedTo, leftOut, matching, found } = await firstThatFinds(db, shop, asked, filters)
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
        // If a filter excludes no product, the counts without the filter are those of the result.
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
    leftOut,
    facets: buildFacets({ whole, without }, shop.tree, shop.facts.currency),
  }
}

// The first products for an incomplete text, without facets.
export async function suggestProducts(
  db: Reader,
  shop: SearchShop,
  { q, limit }: { q: string; limit: number },
): Promise<Pick<SearchResult, 'listRows' | 'correctedTo'>> {
  const asked: Question = { words: await wordsOf(db, shop, q), code: wholeCode(q) }
  const { question, correctedTo, found } = await firstThatFinds(db, shop, asked, { options: new Map() })
  const isBroad = found.length > searchTotalMax
  const first = await byRelevance(db, shop, question, { found, isBroad, after: null, count: limit })
  return { listRows: await listRowsOf(db, shop, first), correctedTo }
}

interface Answered {
  question: Question
  correctedTo: string | null
  leftOut: readonly string[]
  // `matching`: products that match the text and those filters that are terms of the index. `found`: products that match all filters.
  matching: ProductIndexes
  found: ProductIndexes
}

// Searches for the words as typed. If that finds nothing, searches for corrected words, and if that finds nothing either, without the
// rarest words.
async function firstThatFinds(db: Reader, shop: SearchShop, asked: Question, filters: Filters): Promise<Answered> {
  const answerTo = async (question: Question, said: Partial<Answered> = {}): Promise<Answered> => {
    const matching = await placesFor(db, shop, question, filters)
    return { question, correctedTo: null, leftOut: [], matching, found: fitting(shop, filters, matching), ...said }
  }
  const first = await answerTo(asked)
  if (first.found.length > 0 || !asked.words || asked.words.length === 0) return first
  const corrected = await correctedWords(db, shop, asked.words)
  const known = corrected.filter((word) => word !== undefined)
  const isCorrected = corrected.some((word, at) => word !== asked.words?.[at])
  if (isCorrected && known.length === corrected.length) {
    const second = await answerTo({ words: known, code: '' }, { correctedTo: shownWords(known).join(' ') })
    if (second.found.length > 0) return second
  }
  const rest = await withoutRarest(db, shop, asked.words, corrected)
  if (!rest) return first
  const isRestCorrected = rest.words.some((word) => !asked.words?.includes(word))
  const third = await answerTo(
    { words: rest.words, code: '' },
    { correctedTo: isRestCorrected ? shownWords(rest.words).join(' ') : null, leftOut: shownWords(rest.leftOut) },
  )
  return third.found.length > 0 ? third : first
}

async function wordsOf(db: Reader, shop: SearchShop, text: string): Promise<QueryWord[]> {
  const words = parseQueryWords(text, languageFor(shop.facts), shop.synonyms)
  const pairs = new Set(words.flatMap(({ joined }) => joined))
  if (pairs.size === 0) return words
  // One query for all pairs: nearly always no product has any of the joined words.
  const term = termsForMerchant(shop.merchantId)
  const joined = await findProductsWith(
    db,
    shop,
    [...pairs].flatMap((pair) => wordTerms(term, pair, shop)),
  )
  if (joined.length === 0) return words
  return words.map((word) => ({ ...word, alternatives: [...word.alternatives, ...word.joined.map((pair) => [pair])] }))
}

function limitOf({ limit = searchRowsDefault }: SearchQuery): number {
  return limit
}

async function placesFor(
  db: Reader,
  shop: SearchShop,
  { words, code }: Question,
  filters: Filters,
): Promise<ProductIndexes> {
  const { merchantId, tree } = shop
  const term = termsForMerchant(merchantId)
  // A text without words finds nothing.
  if (words?.length === 0) return noProductIndexes
  const chosen = matchForFilters(term, filters, tree)
  if (!chosen) return noProductIndexes
  if (!words && chosen.length === 0) return findProductsWith(db, shop, [exactTerm(term('any', ''))])
  const byFilter = await Promise.all(chosen.map((terms) => findProductsWith(db, shop, terms)))
  if (!words) return intersectIndexes(byFilter)
  const byText = await placesOfAll(db, shop, words)
  return intersectIndexes([uniteIndexes(byText, await codedPlaces(db, shop, code)), ...byFilter])
}

type Only = 'word' | 'name'

async function placesOfAll(
  db: Reader,
  shop: SearchShop,
  words: readonly QueryWord[],
  only?: Only,
): Promise<ProductIndexes> {
  return intersectIndexes(await Promise.all(words.map((word) => placesOfWord(db, shop, word, only))))
}

async function placesOfWord(
  db: Reader,
  shop: SearchShop,
  asked: QueryWord,
  only: Only = 'word',
): Promise<ProductIndexes> {
  const own = await findProductsWith(
    db,
    shop,
    wordTerms(termsForMerchant(shop.merchantId), asked, { tree: shop.tree, only }),
  )
  const others = await Promise.all(asked.alternatives.map((phrase) => placesOfAll(db, shop, phrase, only)))
  return others.reduce(uniteIndexes, own)
}

async function codedPlaces(db: Reader, shop: SearchShop, code: string): Promise<ProductIndexes> {
  return code.length > 1
    ? findProductsWith(db, shop, [exactTerm(termsForMerchant(shop.merchantId)('code', code))])
    : noProductIndexes
}

// Products that have at least one of these terms.
export async function findProductsWith(db: Reader, shop: SearchShop, terms: readonly Term[]): Promise<ProductIndexes> {
  const { version } = shop.facts
  const { known, asking } = shop.columns
  const key = JSON.stringify(terms)
  const before = known.get(key)
  if (before?.version === version) return before.places
  // Concurrent searches share one query. If it fails, each search sends its own.
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

// Updates an earlier result by the products that have changed since, if no product has left the index.
async function findPlaces(
  db: Reader,
  { merchantId, columns, facts: { version, cut } }: SearchShop,
  terms: readonly Term[],
  before: CachedMatches | undefined,
): Promise<ProductIndexes> {
  const fullText = fullTextFor(db)
  const isOlder = before && before.version >= cut && before.version < version
  const changed = isOlder && fullText.findKeysAmong ? columns.changedSince(before.version) : undefined
  if (!before || !changed || !fullText.findKeysAmong)
    return columns.placesOf(await fullText.findKeys(db, merchantId, terms))
  if (changed.length === 0) return before.places
  const ids = changed.map((at) => columns.id[at] as string)
  const found = columns.placesOf(await fullText.findKeysAmong(db, merchantId, terms, ids))
  const isChanged = new Set(changed)
  return uniteIndexes(
    before.places.filter((at) => !isChanged.has(at)),
    found,
  )
}

// Applies the filters that are not terms of the index. Results may be large, so they are read in loops by index, which take half the time
// of loops over the elements, and a sixth of `filter`.
function fitting({ columns, mode }: SearchShop, filters: Filters, places: ProductIndexes): ProductIndexes {
  const { minPrice = 0, maxPrice = Number.MAX_SAFE_INTEGER, inStock } = filters
  if (filters.minPrice === undefined && filters.maxPrice === undefined && inStock === undefined) return places
  const { priceMin, priceMax } = columns
  const stock = columns.inStock[mode]
  const fit = new Uint32Array(places.length)
  let count = 0
  for (let i = 0; i < places.length; i += 1) {
    const at = places[i] as ProductIndex
    if ((priceMax[at] as number) < minPrice || (priceMin[at] as number) > maxPrice) continue
    if (inStock === undefined || stock[at] === 1) fit[count++] = at
  }
  return fit.subarray(0, count)
}

function tallyOf({ columns, mode }: SearchShop, places: ProductIndexes): ResultCounts {
  const stock = columns.inStock[mode]
  const counts = new Uint32Array(columns.facetTexts.length)
  const brandCounts = new Uint32Array(columns.brandNames.length)
  let priceMin = Number.MAX_SAFE_INTEGER
  let priceMax = 0
  let inStock = 0
  for (let i = 0; i < places.length; i += 1) {
    const at = places[i] as ProductIndex
    const least = columns.priceMin[at] as number
    const most = columns.priceMax[at] as number
    if (least < priceMin) priceMin = least
    if (most > priceMax) priceMax = most
    inStock += stock[at] as number
    const facet = columns.facets[at] as number
    counts[facet] = (counts[facet] as number) + 1
    const brand = columns.brand[at] as number
    brandCounts[brand] = (brandCounts[brand] as number) + 1
  }
  const facets: { text: string; count: number }[] = []
  for (let facet = 0; facet < counts.length; facet += 1) {
    const count = counts[facet] as number
    if (count > 0) facets.push({ text: columns.facetTexts[facet] as string, count })
  }
  const brands = new Map<string, number>()
  for (let brand = 1; brand < brandCounts.length; brand += 1) {
    const count = brandCounts[brand] as number
    if (count > 0) brands.set(columns.brandNames[brand] as string, count)
  }
  return { products: places.length, priceMin, priceMax, inStock, facets, brands }
}

// The part of a result to return: where the previous page ended, and the number of products.
interface Span {
  after: RankKey | null
  count: number
}

function byValue({ columns }: SearchShop, order: Order, found: ProductIndexes, { after, count }: Span): RankKey[] {
  const { id, idTime } = columns
  const values = { newest: columns.publishedAt, price_asc: columns.priceMin, price_desc: columns.priceMin }
  const column: readonly (string | number)[] = order === 'name' ? columns.nameKey : values[order]
  const rankOf = (at: ProductIndex): RankKey => ({
    score: 0,
    value: column[at] as string | number,
    id: id[at] as string,
  })
  const sign = isDescending(order) ? -1 : 1
  const rest = after ? found.filter((at) => sign * compareRanks(rankOf(at), after) > 0) : found
  return firstByValue(rest, count, { column, id, idTime, isDescending: isDescending(order) }).map(rankOf)
}

async function byRelevance(
  db: Reader,
  shop: SearchShop,
  { words = [], code }: Question,
  { found, isBroad, after, count }: Span & { found: ProductIndexes; isBroad: boolean },
): Promise<RankKey[]> {
  const { tree, columns } = shop
  const coded = intersectIndexes([await codedPlaces(db, shop, code), found])
  // If more products were found than can be ranked, products with the words in their name are ranked in any case.
  const named = isBroad ? await placesOfAll(db, shop, words, 'name') : noProductIndexes
  const inName = intersectIndexes([named, found])
  const codes = coded.subarray(0, codedMax)
  const all = uniteIndexes(uniteIndexes(found.subarray(-searchTotalMax), inName.subarray(-searchTotalMax)), codes)
  const scoreOf = createScorer(words, tree)
  const bestFirst = (one: RankKey, other: RankKey) => compareRanks(other, one)
  const first: RankKey[] = []
  for (let i = 0; i < all.length; i += 1) {
    const at = all[i] as ProductIndex
    const fields = columns.fields[at] as string
    const facets = columns.facetTexts[columns.facets[at] as number] as string
    const score = scoreOf(fields, facets) + (codes.length > 0 && codes.includes(at) ? codeScore : 0)
    // Most products rank after the last of the first `count`, which the score alone shows.
    if (first.length === count && score < (first[count - 1] as RankKey).score) continue
    const one = { score, value: columns.publishedAt[at] as number, id: columns.id[at] as string }
    if (!after || compareRanks(one, after) < 0) insertRanked(first, one, count, bestFirst)
  }
  return first
}

const codedMax = 10

// Replaces each word that no product has by one that differs by a single mistake, or by undefined if there is none. If each word is known
// but no product has all of them, replaces the rarest word for which a similar word gives a result.
async function correctedWords(
  db: Reader,
  shop: SearchShop,
  words: readonly QueryWord[],
): Promise<(QueryWord | undefined)[]> {
  const places = await Promise.all(words.map((word) => placesOfWord(db, shop, word)))
  const known = places.filter(({ length }) => length > 0)
  if (known.length === words.length) return withOneCorrected(db, shop, words, places)
  const corrected: (QueryWord | undefined)[] = []
  let rest = known.length > 0 ? intersectIndexes(known) : undefined
  let unknown = 0
  for (const [at, word] of words.entries()) {
    if (places[at]?.length !== 0) corrected.push(word)
    else {
      unknown += 1
      const best = unknown > unknownMax ? undefined : await bestCandidate(db, shop, word, rest)
      corrected.push(best?.word)
      if (best) rest = rest ? intersectIndexes([rest, best.places]) : best.places
    }
  }
  return corrected
}

// Maximum number of words to correct: looking up similar words takes 6 ms in a shop with 40,000 words, and a caller may send twelve
// unknown words.
const unknownMax = 3

async function withOneCorrected(
  db: Reader,
  shop: SearchShop,
  words: readonly QueryWord[],
  places: readonly ProductIndexes[],
): Promise<QueryWord[]> {
  // At least one product has all words, and only the filters exclude it.
  if (intersectIndexes(places).length > 0) return [...words]
  for (const at of rarestFirst(places).slice(0, correctedMax)) {
    const rest = intersectIndexes(places.filter((_, other) => other !== at))
    const best = words.length > 1 ? await bestCandidate(db, shop, words[at] as QueryWord, rest) : undefined
    if (best && intersectIndexes([rest, best.places]).length > 0) return words.with(at, best.word)
  }
  return [...words]
}

const correctedMax = 2

// Among equally rare words the last one comes first, because the most important word is often typed first.
function rarestFirst(places: readonly ProductIndexes[]): number[] {
  const sizeOf = (at: number) => places[at]?.length ?? 0
  return [...places.keys()].sort((one, other) => sizeOf(one) - sizeOf(other) || other - one)
}

// Leaves out the rarest words, but at most half of them, rounded up: two of three, or two of four. Corrected words are left out before
// words as typed.
async function withoutRarest(
  db: Reader,
  shop: SearchShop,
  asked: readonly QueryWord[],
  corrected: readonly (QueryWord | undefined)[],
): Promise<{ words: QueryWord[]; leftOut: QueryWord[] } | undefined> {
  const tried = corrected.map((word, at) => word ?? (asked[at] as QueryWord))
  const places = await Promise.all(tried.map((word) => placesOfWord(db, shop, word)))
  // At least one product has all words, and only the filters exclude it.
  if (intersectIndexes(places).length > 0) return undefined
  const left = new Set([...places.keys()].filter((at) => places[at]?.length === 0))
  const others = (...out: number[]) => places.filter((_, at) => !left.has(at) && !out.includes(at))
  while (places.length > left.size && intersectIndexes(others()).length === 0) {
    const rarest = rarestFirst(places).filter((at) => !left.has(at))
    const rest = [...rarest.filter((at) => tried[at] !== asked[at]), ...rarest.filter((at) => tried[at] === asked[at])]
    left.add(rest.find((at) => intersectIndexes(others(at)).length > 0) ?? (rest[0] as number))
  }
  if (left.size === asked.length || left.size > Math.ceil(asked.length / 2)) return undefined
  const words = tried.filter((_, at) => !left.has(at))
  if (!words.some(({ word }) => isTelling(word))) return undefined
  return { words, leftOut: asked.filter((_, at) => left.has(at)) }
}

// A short word, such as an article, is not enough to search by. In other scripts a word may be a single character.
function isTelling(word: string): boolean {
  return word.length > 2 || /[^\0-\x7f]/.test(word)
}

const similarMax = 2_000
const candidatesMax = 20

// Among the words that differ from this word by a single mistake, returns the one that occurs in most products together with the other
// words.
async function bestCandidate(
  db: Reader,
  shop: SearchShop,
  { word }: QueryWord,
  rest: ProductIndexes | undefined,
): Promise<{ word: QueryWord; places: ProductIndexes } | undefined> {
  if (word.length < misspeltLengthMin) return undefined
  const names = [...shop.tree.inOrder.flatMap(({ name }) => indexWords(name)), ...shop.synonyms.keys()]
  const similar = new Set([...(await listSimilarWords(db, shop.merchantId, word, similarMax)), ...names])
  const candidates = [...similar].filter((other) => isOneMistake(word, other)).sort()
  const counted = await Promise.all(
    candidates.slice(0, candidatesMax).flatMap((candidate) =>
      parseQueryWords(candidate, languageFor(shop.facts), shop.synonyms).map(async (asked) => {
        const exact = { ...asked, isPrefix: false }
        const places = await placesOfWord(db, shop, exact)
        return { word: exact, places, together: rest ? intersectIndexes([rest, places]).length : 0 }
      }),
    ),
  )
  const [best] = counted
    .filter(({ places }) => places.length > 0)
    .sort((one, other) => other.together - one.together || other.places.length - one.places.length)
  return best
}

export async function listRowsOf(db: Reader, shop: MerchantMode, page: readonly RankKey[]): Promise<string[]> {
  const ids = page.map(({ id }) => id)
  const textOf = new Map((await listListRows(db, shop, ids)).map(({ productId, listRow }) => [productId, listRow]))
  return ids.flatMap((id) => textOf.get(id) ?? [])
}
