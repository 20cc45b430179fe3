// In demo mode the server shows the example storefront at /shop. The storefront is a client like any other: it calls the
// API over HTTP with a key.

import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { ShopDetails, Storefront } from '../../../apps/storefront/shop.ts'
import { attributeOf } from '../../domain/catalog/attributes.ts'
import { listBarcodes, listCategories, listSlugPieces, listSlugsAfter } from '../../domain/catalog/store.ts'
import { findMerchantFace } from '../../domain/merchants/store.ts'
import { cookiesIn } from '../../platform/html/cookies.ts'
import { readForm } from '../../platform/html/form.ts'
import { documentFor } from '../../platform/html/frame.ts'
import { html } from '../../platform/html/html.ts'
import { privateHeaders } from '../../platform/html/policy.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { HandOff, HtmlPage, PageAnswer } from '../../platform/http/pages.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { CrawledShop } from '../../web/docs/crawlers.ts'
import type { StorefrontKey } from '../provisioning/demo.ts'

export interface StorefrontParts {
  apiUrl: string
  publicUrl: string
  clock: () => Date
  makeKey: (now: number) => Promise<StorefrontKey | undefined>
  storage: Storage
  report: (error: unknown) => void
}

export interface StorefrontMount {
  open(): Promise<Storefront | undefined>
  // What crawlers are told of it.
  crawled(): CrawledShop | undefined
  // Whose products it shows.
  seller(): MerchantMode | undefined
}

// Opens the storefront, or answers undefined while there is no key for it. After half the lifetime of its key it is created
// again with a new one.
export function createStorefrontMount(parts: StorefrontParts): StorefrontMount {
  const { apiUrl, publicUrl, clock, makeKey, storage, report } = parts
  let shown: Storefront | undefined
  let seller: MerchantMode | undefined
  let renewAt = Number.NEGATIVE_INFINITY
  let opening: Promise<void> | undefined

  async function open(now: number): Promise<void> {
    const made = await makeKey(now)
    if (!made) return
    const { createStorefront } = await import('../../../apps/storefront/shop.ts')
    const { merchantId } = made.seller
    seller = made.seller
    shown = createStorefront({
      ...{ apiUrl, publicUrl, report, basePath, attributeOf },
      apiKey: made.key,
      async barcodes(productId) {
        const rows = await storage.read((db) => listBarcodes(db, merchantId, productId))
        return new Map(rows.map(({ id, barcode }) => [id, barcode]))
      },
      async details() {
        const face = await storage.read((db) => findMerchantFace(db, merchantId))
        return {
          supportEmail: face?.supportEmail ?? null,
          links: JSON.parse(face?.links ?? '{}') as ShopDetails['links'],
        }
      },
    })
    renewAt = now + (made.expiresAt - now) / 2
  }

  return {
    async open() {
      const now = clock().getTime()
      if (now >= renewAt) {
        opening ??= open(now).finally(() => {
          opening = undefined
        })
        await opening
      }
      return shown
    },
    crawled: () => seller && crawledShop(storage, seller),
    seller: () => seller,
  }
}

const basePath = '/shop'

function crawledShop(storage: Storage, seller: MerchantMode): CrawledShop {
  return {
    base: basePath,
    async listCategories() {
      const rows = await storage.read((db) => listCategories(db, seller.merchantId))
      return rows.filter(({ productCount }) => productCount > 0)
    },
    listProducts: (after, limit) => storage.read((db) => listSlugsAfter(db, seller, after, limit)),
    listPieces: (size) => storage.read((db) => listSlugPieces(db, seller, size)),
  }
}

export interface FeedParts {
  storage: Storage
  origin: () => string
  clock: () => Date
  seller: () => MerchantMode | undefined
  // How long a reader may take for one page of products.
  pageMsMax?: number
  // And for all of them.
  wholeMsMax?: number
}

// Each reads the whole catalog.
const feedsAtOnceMax = 2

// The products of the shop for Google Merchant Center, which fetches them once a day. Sent as they are read, so no more than some
// products are in memory, whatever the size of the shop.
export function feedHandOff(parts: FeedParts): HandOff {
  const { storage, origin, clock, seller: findSeller, pageMsMax = 20_000, wholeMsMax = 15 * 60_000 } = parts
  let underWay = 0
  return {
    path: `${basePath}/feed.xml`,
    name: 'product feed',
    methods: ['GET'],
    async handle({ raw }, response) {
      const seller = findSeller()
      if (!seller) throw refuse('route_not_found')
      if (underWay >= feedsAtOnceMax) throw refuse('unavailable', { retryAfterMs: 10_000 })
      underWay += 1
      // Who reads too slowly is cut off, and does not keep others out.
      const tooSlow = new AbortController()
      const patience = setTimeout(() => tooSlow.abort(), pageMsMax)
      const wholePatience = setTimeout(() => tooSlow.abort(), wholeMsMax)
      try {
        const { googleFeed } = await import('../imports/exports.ts')
        const link = `${origin()}${basePath}/products/{slug}`
        response.setHeader('content-type', 'application/xml; charset=utf-8')
        response.setHeader('cache-control', 'public, max-age=3600')
        if (raw.method === 'HEAD') return void response.end()
        const feed = googleFeed(storage.read, seller, { origin: origin(), link, now: clock().getTime() })
        await pipeline(refreshing(patience, feed), response, { signal: tooSlow.signal })
      } catch (error) {
        // Whoever asked has gone.
        const isGone = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
        if (!isGone && !tooSlow.signal.aborted) throw error
      } finally {
        clearTimeout(patience)
        clearTimeout(wholePatience)
        underWay -= 1
      }
    },
    failed: ({ requestId }) => ({
      body: JSON.stringify({ error: { requestId } }),
      headers: { 'content-type': 'application/json; charset=utf-8' },
    }),
  }
}

// Each piece is asked for when the one before is taken.
async function* refreshing(patience: NodeJS.Timeout, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    patience.refresh()
    yield piece
  }
}

// Not found until there is a storefront to show.
export function storefrontPages(mount: () => Pick<StorefrontMount, 'open'> | undefined): HtmlPage[] {
  const answer: HtmlPage['answer'] = async ({ raw, receive }) => {
    const shown = await mount()?.open()
    if (!shown) throw refuse('route_not_found')
    const { method = 'GET', url = '/', headers } = raw
    const [path = '/', query = ''] = url.split('?', 2)
    return shown({
      method: method === 'HEAD' ? 'GET' : method,
      path,
      query: new URLSearchParams(query),
      cookies: cookiesIn(headers.cookie),
      form: method === 'POST' ? await receive(() => formIn(raw)) : null,
      origin: headers.origin ?? null,
      fetchSite: [headers['sec-fetch-site']].flat()[0] ?? null,
      host: headers.host ?? null,
      acceptLanguage: headers['accept-language'] ?? null,
    })
  }
  const methods = ['GET', 'POST'] as const
  return [basePath, `${basePath}/*`].map((path) => ({ path, name: 'storefront', methods, answer, failed }))
}

// By itself, because the storefront was not asked, or is what failed. Only its words are used.
async function failed({ raw }: Incoming, status: number): Promise<PageAnswer> {
  const { failureWords } = await import('../../../apps/storefront/shop.ts')
  const { title, text, toCart, locale, direction } = failureWords(status, raw.headers['accept-language'] ?? null)
  const body = documentFor({
    title,
    locale,
    direction,
    body: html`<main><h1>${title}</h1><p>${text}</p><p><a href="${basePath}/cart">${toCart}</a></p></main>`,
  })
  return { status, body, headers: privateHeaders({}) }
}

async function formIn(raw: IncomingMessage): Promise<URLSearchParams | null> {
  const form = await readForm(raw)
  if (form === 413) throw refuse('body_too_large')
  return typeof form === 'number' ? null : new URLSearchParams([...form])
}
