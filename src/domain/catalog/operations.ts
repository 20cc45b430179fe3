// The operations of the catalog. They return texts that were rendered for the caller's mode at the last change. The bytes of products are
// cached by revision, the bytes of list pages by the merchant's catalog version. Every read asks the database for the present revision or
// version, so the cache never serves outdated bytes. A product whose stock has changed is rendered again at each read until the
// background job has stored the new rendering; lists show the change only after that.

import { createHash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import {
  relatedRowsDefault,
  type SearchQuery,
  searchTotalMax,
  suggestedCategoriesMax,
  suggestedRowsDefault,
} from '../../contract/open/search.ts'
import { type Paging, RenderedReply } from '../../platform/http/handler.ts'
import type { OpenInterfaceHandler } from '../../platform/http/open.ts'
import { lastingBytes } from '../../platform/kit/bytes.ts'
import { canonicalJson } from '../../platform/kit/canonical.ts'
import { badCursorRefusal, readCursorPosition, readOffset, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { AnswerCache, Lru } from '../../platform/kit/lru.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { isSlug } from '../../platform/kit/slug.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { findPublicSeller } from '../merchants/store.ts'
import { renderCategories, withOrigin } from './answer.ts'
import { createColumnsCache } from './columns.ts'
import { findShopFacts, findSynonyms, listListRows, type ShopFacts } from './indexstore.ts'
import { buildCategoryTree, type CategoryTree, suggestCategories } from './question.ts'
import { isStale, renderCurrentAnswers } from './refresh.ts'
import { findRelatedProducts, type RelatedTraits } from './related.ts'
import { refuseEmptyQuery, type SearchShop, searchProducts, suggestProducts } from './search.ts'
import {
  countProducts,
  findCatalogVersion,
  findDetails,
  findListing,
  findPublicListing,
  type Listing,
  listCategories,
  listProducts,
  listProductsAfter,
} from './store.ts'
import { indexSynonyms, type Synonyms } from './synonyms.ts'

const rowsMax = limits.listRowsMax
// A page of a hundred products is 50 to 100 KB.
const cachedPageBytesMax = 16 * 2 ** 20
const cachedTotalsMax = 200
// A product is 2 to 5 KB: this many bytes are a few thousand products.
const cachedBytesMax = 16 * 2 ** 20
// A page of a search is 15 to 30 KB.
const cachedSearchBytesMax = 8 * 2 ** 20
// Related products and suggestions have 2 to 10 KB.
const cachedSmallBytesMax = 4 * 2 ** 20
const cachedTreesMax = 50

type CatalogOperation =
  | 'listApiKeyCatalogCategories'
  | 'listApiKeyCatalogProducts'
  | 'getApiKeyCatalogProduct'
  | 'getPublicMerchantProduct'
  | 'searchCatalogProducts'
  | 'searchMerchantProducts'
  | 'listMerchantProducts'
  | 'listMerchantCategories'
  | 'listRelatedProducts'
  | 'listSearchSuggestions'

export function catalogOperations(publicOrigin: () => string): { [Id in CatalogOperation]: OpenInterfaceHandler<Id> } {
  const pages = new AnswerCache<RenderedPage>(cachedPageBytesMax, ({ rows }) => rows.length)
  const products = {
    detail: new Lru<string, RenderedProduct>(cachedBytesMax, ({ bytes }) => bytes.length),
    publicDetail: new Lru<string, RenderedProduct>(cachedBytesMax, ({ bytes }) => bytes.length),
  }
  const searches = new AnswerCache<RenderedSearch>(
    cachedSearchBytesMax,
    ({ rows, more }) => rows.length + more.length * 2,
  )
  const small = new AnswerCache<Buffer>(cachedSmallBytesMax, ({ length }) => length)
  const totals = new Lru<string, number>(cachedTotalsMax)
  const words = new Lru<string, ShopWords>(cachedTreesMax)
  const columns = createColumnsCache()
  const originTag = createOriginTag()

  async function keptPage(key: string, load: () => Promise<RenderedPage>): Promise<RenderedPage> {
    const cached = pages.get(key)
    if (cached) return cached
    const page = await load()
    pages.set(key, page)
    return page
  }

  // Returns the bytes of a product's response: `detail` or `publicDetail`.
  async function bytesOf(db: Reader, text: 'detail' | 'publicDetail', listing: Listing): Promise<Buffer> {
    const origin = publicOrigin()
    // `peek` does not count as a use: counting would cost more than now and then reading the oldest entry again.
    const cached = products[text].peek(listing.revision)
    if (cached?.origin === origin) return cached.bytes
    const bytes = lastingBytes(withOrigin((await findDetails(db, listing))[text], origin))
    if (listing.revision !== '') products[text].set(listing.revision, { bytes, origin })
    return bytes
  }

  async function categoryPage(db: Reader, merchantId: string, after: string | null): Promise<RenderedPage> {
    const version = await findCatalogVersion(db, merchantId)
    const start = after === null ? 0 : readOffset(after)
    return keptPage(`categories ${merchantId} ${version} ${start}`, async () => {
      const all = renderCategories(await listCategories(db, merchantId))
      const rows = all.slice(start, start + rowsMax + 1)
      return { ...pageOf(rows, publicOrigin(), () => String(start + rowsMax)), total: all.length }
    })
  }

  async function productPage(db: Reader, { merchantId, mode }: MerchantMode, position: string | null) {
    const version = await findCatalogVersion(db, merchantId)
    const after = position === null ? null : readCursorPosition(position, 'prd')
    return keptPage(`products ${merchantId} ${mode} ${version} ${position ?? ''}`, async () => {
      const rows =
        after === null
          ? await listProducts(db, { merchantId, mode }, rowsMax + 1)
          : await listProductsAfter(db, { merchantId, mode }, after, rowsMax + 1)
      return pageOf(
        rows.map((row) => row.listRow),
        publicOrigin(),
        () => {
          const last = rows[rowsMax - 1]
          return last ? writeCursorPosition({ at: last.publishedAt, id: last.productId }) : ''
        },
      )
    })
  }

  async function productTotal(db: Reader, seller: MerchantMode): Promise<number | null> {
    const key = `${seller.merchantId} ${seller.mode} ${await findCatalogVersion(db, seller.merchantId)}`
    const known = totals.get(key)
    if (known !== undefined) return boundedTotal(known)
    const total = await countProducts(db, seller, searchTotalMax + 1)
    totals.set(key, total)
    return boundedTotal(total)
  }

  async function shopWordsOf(db: Reader, { id, version }: ShopFacts): Promise<ShopWords> {
    const key = `${id} ${version}`
    const known = words.get(key)
    if (known) return known
    const [categories, groups] = await Promise.all([listCategories(db, id), findSynonyms(db, id)])
    const read = { tree: buildCategoryTree(categories), synonyms: indexSynonyms(groups) }
    words.set(key, read)
    return read
  }

  async function factsOf(db: Reader, merchantId: string): Promise<ShopFacts> {
    const facts = await findShopFacts(db, merchantId)
    if (!facts) throw new Error(`merchant ${merchantId} does not exist`)
    return facts
  }

  async function searchShopOf(db: Reader, { merchantId, mode }: MerchantMode, facts: ShopFacts): Promise<SearchShop> {
    const [named, current] = [await shopWordsOf(db, facts), await columns.columnsOf(db, merchantId, facts.version)]
    return { merchantId, mode, facts, ...named, columns: current }
  }

  // Returns a small response that is built from the search index. It is cached until the catalog changes.
  async function smallAnswer(
    db: Reader,
    { merchantId, mode }: MerchantMode,
    asked: readonly (string | number)[],
    make: (shop: SearchShop) => Promise<string>,
  ): Promise<RenderedReply> {
    const facts = await factsOf(db, merchantId)
    const key = JSON.stringify([merchantId, mode, facts.version, facts.locale, publicOrigin(), ...asked])
    const known = small.get(key)
    if (known) return new RenderedReply(known)
    const body = lastingBytes(
      withOrigin(await make(await searchShopOf(db, { merchantId, mode }, facts)), publicOrigin()),
    )
    small.set(key, body)
    return new RenderedReply(body)
  }

  async function searchPage(
    db: Reader,
    { merchantId, mode }: MerchantMode,
    query: SearchQuery,
    after: string | null,
  ): Promise<RenderedSearch> {
    refuseEmptyQuery(query)
    const facts = await factsOf(db, merchantId)
    const origin = publicOrigin()
    const key = JSON.stringify([merchantId, mode, facts.version, facts.locale, origin, after, canonicalJson(query)])
    const known = searches.get(key)
    if (known) return known
    const shop = await searchShopOf(db, { merchantId, mode }, facts)
    const { listRows, next, total, correctedTo, leftOut, facets } = await searchProducts(db, shop, query, after)
    const found = {
      rows: lastingBytes(withOrigin(listRows.join(','), origin)),
      count: listRows.length,
      next,
      more: JSON.stringify({ total, correctedTo, leftOut, facets }).slice(1, -1),
    }
    searches.set(key, found)
    return found
  }

  // The seller for requests without a key. Cursors contain the merchant, so a cursor of one shop is invalid in another.
  async function publicSeller(db: Reader, { merchantSlug }: { merchantSlug: string }): Promise<MerchantMode> {
    const seller = isSlug(merchantSlug) ? await findPublicSeller(db, merchantSlug) : undefined
    if (!seller) throw refuse('merchant_not_found')
    return seller
  }

  function publicPaging({ after, next }: Paging, { merchantId }: MerchantMode): Paging {
    const prefix = `${merchantId} `
    if (after !== null && !after.startsWith(prefix)) throw badCursorRefusal()
    return {
      after: after === null ? null : after.slice(prefix.length),
      next: (position) => next(prefix + position),
    }
  }

  return {
    async listApiKeyCatalogCategories({ db, caller, paging }) {
      return listAnswer(await categoryPage(db, caller.merchantId, paging.after), paging.next)
    },

    async listApiKeyCatalogProducts({ db, caller, paging }) {
      return listAnswer(await productPage(db, caller, paging.after), paging.next)
    },

    async getApiKeyCatalogProduct({ db, caller, path: { slug }, now }) {
      const listing = isSlug(slug) ? await findListing(db, caller, slug) : undefined
      if (!listing) throw refuse('product_not_found')
      // Public responses contain no stock numbers and no metadata.
      const text = caller.publicKeyId === undefined ? 'detail' : 'publicDetail'
      if (!isStale(listing, now)) return new RenderedReply(await bytesOf(db, text, listing))
      const current = await renderCurrentAnswers(db, listing, now)
      return new RenderedReply(withOrigin(current[text], publicOrigin()))
    },

    async getPublicMerchantProduct({ db, path, now }) {
      const areSlugs = isSlug(path.merchantSlug) && isSlug(path.productSlug)
      const listing = areSlugs ? await findPublicListing(db, path) : undefined
      if (!listing) throw refuse('product_not_found')
      if (!isStale(listing, now))
        return new RenderedReply(await bytesOf(db, 'publicDetail', listing), publicHeaders(listing.etag))
      const current = await renderCurrentAnswers(db, listing, now)
      return new RenderedReply(withOrigin(current.publicDetail, publicOrigin()), publicHeaders(current.etag))
    },

    async searchCatalogProducts({ db, caller, query, paging }) {
      return listAnswer(await searchPage(db, caller, query, paging.after), paging.next)
    },

    async searchMerchantProducts({ db, path, query, paging }) {
      const seller = await publicSeller(db, path)
      const { after, next } = publicPaging(paging, seller)
      return openly(listAnswer(await searchPage(db, seller, query, after), next))
    },

    async listRelatedProducts({ db, caller, path: { slug }, query: { limit = relatedRowsDefault } }) {
      const listing = isSlug(slug) ? await findListing(db, caller, slug) : undefined
      if (!listing) throw refuse('product_not_found')
      return smallAnswer(db, caller, ['related', listing.productId, limit], async (shop) => {
        const [own] = await listListRows(db, caller, [listing.productId])
        // JSON that we rendered ourselves, so the cast is safe.
        const row = own?.listRow ?? '{"id":"","categories":[],"tags":[]}'
        const traits = JSON.parse(withOrigin(row, publicOrigin())) as RelatedTraits
        const rows = await findRelatedProducts(db, shop, traits, limit)
        return `{"data":[${rows.join(',')}],"meta":{"count":${rows.length}}}`
      })
    },

    async listSearchSuggestions({ db, caller, query: { q, limit = suggestedRowsDefault } }) {
      return smallAnswer(db, caller, ['suggested', q, limit], async (shop) => {
        const { listRows, correctedTo } = await suggestProducts(db, shop, { q, limit })
        const categories = suggestCategories(shop.tree, q).slice(0, suggestedCategoriesMax)
        const more = JSON.stringify({ categories, correctedTo }).slice(1)
        return `{"data":{"products":[${listRows.join(',')}],${more}}`
      })
    },

    async listMerchantProducts({ db, path, paging }) {
      const seller = await publicSeller(db, path)
      const { after, next } = publicPaging(paging, seller)
      const [page, total] = [await productPage(db, seller, after), await productTotal(db, seller)]
      return openly(listAnswer({ ...page, more: `"total":${total}` }, next))
    },

    async listMerchantCategories({ db, path, paging }) {
      const seller = await publicSeller(db, path)
      const { after, next } = publicPaging(paging, seller)
      const page = await categoryPage(db, seller.merchantId, after)
      return openly(listAnswer({ ...page, more: `"total":${boundedTotal(page.total ?? 0)}` }, next))
    },
  }

  function publicHeaders(etag: string): Record<string, string> {
    return {
      'cache-control': publicCaching,
      etag: `${etag.slice(0, -1)}-${originTag(publicOrigin())}"`,
    }
  }
}

// Stored texts have a placeholder for our origin. Their hash therefore does not cover the origin, but the sent bytes contain it.
function createOriginTag(): (origin: string) => string {
  let known: { origin: string; tag: string } | undefined
  return (origin) => {
    if (known?.origin !== origin) {
      known = { origin, tag: createHash('sha256').update(origin).digest('base64url').slice(0, 8) }
    }
    return known.tag
  }
}

// What a search needs of a shop in addition to the words of its products.
interface ShopWords {
  tree: CategoryTree
  synonyms: Synonyms
}

interface RenderedProduct {
  bytes: Buffer
  // Our own origin at the time of rendering, which the bytes contain.
  origin: string
}

// The rows of a page as one text, as sent, and the position of the next page.
interface RenderedPage {
  rows: Buffer
  count: number
  next: string | null
  // Length of the whole list, if all of it was read.
  total?: number
}

// The exact total, or null above the bound of a search.
function boundedTotal(total: number): number | null {
  return total > searchTotalMax ? null : total
}

function pageOf(rows: readonly string[], publicOrigin: string, position: () => string): RenderedPage {
  const shown = rows.slice(0, rowsMax)
  return {
    rows: lastingBytes(withOrigin(shown.join(','), publicOrigin)),
    count: shown.length,
    next: rows.length > rowsMax ? position() : null,
  }
}

interface RenderedSearch extends RenderedPage {
  // The other members of the response's `meta`, as JSON text without the braces.
  more: string
}

// Makes a response publicly cacheable, because it is the same for every caller.
function openly({ body }: RenderedReply): RenderedReply {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return new RenderedReply(body, { 'cache-control': publicCaching, etag: `"${digest}"` })
}

const publicCaching = 'public, max-age=60, stale-while-revalidate=600'

function listAnswer(
  { rows, count, next, more = '' }: RenderedPage & { more?: string },
  link: (position: string) => string,
): RenderedReply {
  const href = next === null ? 'null' : JSON.stringify(link(next))
  const [head, tail] = ['{"data":[', `],"meta":{"count":${count},"next":${href}${more && `,${more}`}}}`]
  return new RenderedReply(Buffer.concat([Buffer.from(head), rows, Buffer.from(tail)]))
}
