// The catalog's four operations. They return what was rendered for the caller's mode at the last change, and cache the
// bytes of products by revision and of list pages by the merchant's catalog version. Every read asks the database for
// these, so nothing outdated is served from the cache. A product whose stock has changed since is rendered again at
// each read until the loop has caught up; a list waits for the loop.

import { createHash } from 'node:crypto'
import { limits } from '../contract/limits.ts'
import { Rendered } from '../http/handler.ts'
import type { OpenHandler } from '../http/open.ts'
import { lastingBytes } from '../kit/bytes.ts'
import { readOffset, readPlace, writePlace } from '../kit/cursor.ts'
import { Lru } from '../kit/lru.ts'
import { refuse } from '../kit/refuse.ts'
import { isSlug } from '../kit/slug.ts'
import type { Reader } from '../storage/storage.ts'
import { renderCategories, withOrigin } from './answer.ts'
import { currentAnswers, isStale } from './refresh.ts'
import {
  findCatalogVersion,
  findDetails,
  findListing,
  findPublicListing,
  type Listing,
  listCategories,
  listProducts,
  listProductsAfter,
} from './store.ts'

const rowsMax = limits.listRowsMax
// A page of a hundred products is 50 to 100 KB, a product 2 to 5 KB: this many bytes are a few thousand products.
const cachedPagesMax = 200
const cachedBytesMax = 16 * 2 ** 20

type CatalogOperation =
  | 'listApiKeyCatalogCategories'
  | 'listApiKeyCatalogProducts'
  | 'getApiKeyCatalogProduct'
  | 'getPublicMerchantProduct'

export function catalogOperations(publicOrigin: () => string): { [Id in CatalogOperation]: OpenHandler<Id> } {
  const pages = new Lru<string, RenderedPage>(cachedPagesMax)
  const products = {
    detail: new Lru<string, RenderedProduct>(cachedBytesMax, ({ bytes }) => bytes.length),
    publicDetail: new Lru<string, RenderedProduct>(cachedBytesMax, ({ bytes }) => bytes.length),
  }
  const originTag = createOriginTag()

  async function keptPage(key: string, load: () => Promise<RenderedPage>): Promise<RenderedPage> {
    const cached = pages.get(key)
    if (cached) return cached
    const page = await load()
    pages.set(key, page)
    return page
  }

  // One of the two texts of a product, as sent.
  async function bytesOf(db: Reader, text: 'detail' | 'publicDetail', listing: Listing): Promise<Buffer> {
    const origin = publicOrigin()
    // `peek` does not count as a use: counting would cost more than rereading the oldest now and then.
    const cached = products[text].peek(listing.revision)
    if (cached?.origin === origin) return cached.bytes
    const bytes = lastingBytes(withOrigin((await findDetails(db, listing))[text], origin))
    if (listing.revision !== '') products[text].set(listing.revision, { bytes, origin })
    return bytes
  }

  return {
    async listApiKeyCatalogCategories({ db, caller, paging }) {
      const version = await findCatalogVersion(db, caller.merchantId)
      const start = paging.after === null ? 0 : readOffset(paging.after)
      const cached = await keptPage(`categories ${caller.merchantId} ${version} ${start}`, async () => {
        const rows = renderCategories(await listCategories(db, caller.merchantId)).slice(start, start + rowsMax + 1)
        return pageOf(rows, publicOrigin(), () => String(start + rowsMax))
      })
      return listAnswer(cached, paging.next)
    },

    async listApiKeyCatalogProducts({ db, caller, paging }) {
      const version = await findCatalogVersion(db, caller.merchantId)
      const after = paging.after === null ? null : readPlace(paging.after, 'prd')
      const name = `products ${caller.merchantId} ${caller.mode} ${version} ${paging.after ?? ''}`
      const cached = await keptPage(name, async () => {
        const rows =
          after === null
            ? await listProducts(db, caller, rowsMax + 1)
            : await listProductsAfter(db, caller, after, rowsMax + 1)
        return pageOf(
          rows.map((row) => row.listRow),
          publicOrigin(),
          () => {
            const last = rows[rowsMax - 1]
            return last ? writePlace({ at: last.publishedAt, id: last.productId }) : ''
          },
        )
      })
      return listAnswer(cached, paging.next)
    },

    async getApiKeyCatalogProduct({ db, caller, path: { slug }, now }) {
      const listing = isSlug(slug) ? await findListing(db, caller, slug) : undefined
      if (!listing) throw refuse('product_not_found')
      if (!isStale(listing, now)) return new Rendered(await bytesOf(db, 'detail', listing))
      const current = await currentAnswers(db, listing, now)
      return new Rendered(withOrigin(current.detail, publicOrigin()))
    },

    async getPublicMerchantProduct({ db, path, now }) {
      const areSlugs = isSlug(path.merchantSlug) && isSlug(path.productSlug)
      const listing = areSlugs ? await findPublicListing(db, path) : undefined
      if (!listing) throw refuse('product_not_found')
      if (!isStale(listing, now))
        return new Rendered(await bytesOf(db, 'publicDetail', listing), publicHeaders(listing.etag))
      const current = await currentAnswers(db, listing, now)
      return new Rendered(withOrigin(current.publicDetail, publicOrigin()), publicHeaders(current.etag))
    },
  }

  function publicHeaders(etag: string): Record<string, string> {
    return {
      'cache-control': 'public, max-age=60, stale-while-revalidate=600',
      etag: `${etag.slice(0, -1)}-${originTag(publicOrigin())}"`,
    }
  }
}

// Stored texts leave our origin open, so their hash does not include it, but the bytes that are sent do.
function createOriginTag(): (origin: string) => string {
  let known: { origin: string; tag: string } | undefined
  return (origin) => {
    if (known?.origin !== origin) {
      known = { origin, tag: createHash('sha256').update(origin).digest('base64url').slice(0, 8) }
    }
    return known.tag
  }
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
}

function pageOf(rows: readonly string[], publicOrigin: string, position: () => string): RenderedPage {
  const shown = rows.slice(0, rowsMax)
  return {
    rows: lastingBytes(withOrigin(shown.join(','), publicOrigin)),
    count: shown.length,
    next: rows.length > rowsMax ? position() : null,
  }
}

function listAnswer({ rows, count, next }: RenderedPage, link: (position: string) => string): Rendered {
  const href = next === null ? 'null' : JSON.stringify(link(next))
  const [head, tail] = ['{"data":[', `],"meta":{"count":${count},"next":${href}}}`]
  return new Rendered(Buffer.concat([Buffer.from(head), rows, Buffer.from(tail)]))
}
