// Serves the storefronts of merchants. The storefront in apps/ is a client of the open API, whose operations are performed in this
// process. This file finds the shop of a request, and the installation that sells in it.

import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { RenderedPage, Storefront, StorefrontRequest } from '../../../apps/storefront/shop.ts'
import type { App } from '../../app.ts'
import { type Mode, publishableScopes } from '../../contract/words.ts'
import { optionAttributeOf } from '../../domain/catalog/attributes.ts'
import { listBarcodes, listCategories, listSlugPieces, listSlugsAfter } from '../../domain/catalog/store.ts'
import { findContactPath } from '../../domain/emails/contact.ts'
import { createPictureFactsCache, type PictureFactsCache } from '../../domain/images/facts.ts'
import { lockMerchantById } from '../../domain/merchants/store.ts'
import { redirectHostsFor } from '../../domain/sites/change.ts'
import { shopOriginFor } from '../../domain/sites/hosts.ts'
import { findMainHost } from '../../domain/sites/hoststore.ts'
import { listPages } from '../../domain/sites/pagestore.ts'
import { draftPathFor } from '../../domain/sites/places.ts'
import { findShopPath, siteStatusOf, siteView } from '../../domain/sites/site.ts'
import { ensureSite, findShownMerchant, findStoredSite, listFirstMerchants } from '../../domain/sites/store.ts'
import type { KeyCaller } from '../../platform/access/identify.ts'
import { browserScript } from '../../platform/html/browser.ts'
import { parseCookies } from '../../platform/html/cookies.ts'
import { readForm } from '../../platform/html/form.ts'
import { renderHtmlDocument } from '../../platform/html/frame.ts'
import { html } from '../../platform/html/html.ts'
import { privateHeaders, redirectAfterPost } from '../../platform/html/policy.ts'
import type { ShopHosts } from '../../platform/http/hosts.ts'
import { localBodyReader, localFetch } from '../../platform/http/local.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { HandOffRoute, HtmlPage, PageAnswer, PageRequest } from '../../platform/http/pages.ts'
import { loadOnce } from '../../platform/kit/late.ts'
import { entryWeight, Lru } from '../../platform/kit/lru.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { isSlug } from '../../platform/kit/slug.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import type { CrawledShop } from '../../web/docs/crawlers.ts'
import { createShopHosts } from './shophosts.ts'

export interface ShopsParts {
  app: Pick<App, 'open' | 'personOf' | 'sites' | 'publicOrigin'>
  storage: Storage
  clock: () => Date
  report: (error: unknown) => void
}

// A shop as this server shows it.
export interface ShownShop {
  slug: string
  seller: MerchantMode
  // Path with which all paths of the shop begin.
  base: string
  isOpen: boolean
  isDemo: boolean
  // Origin under which the shop is reached: its own host, or the server's.
  origin: string
  hasHost: boolean
  // Undefined until the shop has an installation that sells. The first form that a shopper posts creates one.
  installationId: string | undefined
  // Set if unpublished changes are shown.
  isDraft?: true
}

export interface ShopAddress {
  // Undefined for the shop at /shop.
  slug: string | undefined
  mode: Mode
}

export interface Shops {
  close(): void
  publicOrigin(): string
  // Lookup of shops by host.
  hosts: ShopHosts
  find(address: ShopAddress): Promise<ShownShop | undefined>
  // Returns the open shop that search engines read, by its slug or at /shop. Refuses while the shop is closed.
  ofSlug(slug: string | undefined, isByHost?: boolean): Promise<ShownShop | undefined>
  crawled(slug: string | undefined, isByHost?: boolean): Promise<CrawledShop | undefined>
  answer(shop: ShownShop, request: Omit<StorefrontRequest, 'isInsider'>, raw: IncomingMessage): ReturnType<Storefront>
}

// Changes of a site are signalled to all nodes. A node sees a change after this time if it missed the signal, or if a merchant was added
// or removed.
const freshMs = 2_000
const placesMax = 5_000
const storefrontsMax = 500
// Memory limit for rendered pages and the API answers from which they were rendered.
const pagesBytesMax = 32 * 2 ** 20

export function createShops(given: ShopsParts): Shops {
  const { app, storage } = given
  const parts = { ...given, facts: createPictureFactsCache(storage, given.report), pages: newPages() }
  const places = new Lru<string, { shop: Promise<ShownShop | undefined>; until: number }>(placesMax)
  const storefronts = new Lru<string, OpenedShop>(storefrontsMax)
  const hosts = createShopHosts(storage, app.publicOrigin)
  const unlisten = storage.listen('sites', () => {
    places.clear()
    storefronts.clear()
    hosts.forget()
  })

  function find(address: ShopAddress): Promise<ShownShop | undefined> {
    const key = `${address.slug ?? ''} ${address.mode}`
    const now = Date.now()
    const known = places.get(key)
    if (known && known.until > now) return known.shop
    const shop = storage.read((db) => findShop(db, app.sites, address))
    places.set(key, { shop, until: now + freshMs })
    shop.catch(() => places.delete(key))
    return shop
  }

  async function ofSlug(slug: string | undefined, isByHost = false): Promise<ShownShop | undefined> {
    const shop = await find({ slug, mode: 'live' })
    const isThere = isByHost || shop?.base === (slug === undefined ? '/shop' : `/shops/${slug}`)
    if (!shop || !isThere) return undefined
    if (!shop.isOpen) throw refuse('unavailable', { retryAfterMs: closedRetryMs })
    return atHost(shop)
  }

  function openedOf(shop: ShownShop): OpenedShop {
    const key = `${shop.seller.merchantId} ${shop.seller.mode} ${shop.origin}${shop.base}`
    const known = storefronts.get(key)
    if (known) return known
    const opened: OpenedShop = { installationId: '', storefront: loadOnce(() => openStorefront(parts, shop, opened)) }
    storefronts.set(key, opened)
    return opened
  }

  return {
    close: unlisten,
    publicOrigin: app.publicOrigin,
    hosts,
    find,
    ofSlug,
    async crawled(slug, isByHost) {
      const shop = await ofSlug(slug, isByHost)
      return shop && crawledShop(storage, shop)
    },
    async answer(shop, request, raw) {
      if (shop.isDraft) await refuseStrangers(app, shop, raw)
      const opened = openedOf(shop)
      if (shop.installationId !== undefined) opened.installationId = shop.installationId
      else if (request.method === 'POST') opened.installationId = await makeSeller(parts, shop.seller)
      const storefront = await opened.storefront()
      return storefront({ ...request, isInsider: () => isInsiderAt(app, shop, raw) })
    },
  }
}

const closedRetryMs = 3_600_000

interface OpenedShop {
  // Read for each operation: a shop gets its installation when it is opened, or with its first cart.
  installationId: string
  storefront: () => Promise<Storefront>
}

async function openStorefront(
  { app, storage, report, facts, pages }: ShopsParts & { facts: PictureFactsCache; pages: ReturnType<typeof newPages> },
  { slug, seller, base, origin, isDemo, isDraft }: ShownShop,
  opened: Pick<OpenedShop, 'installationId'>,
): Promise<Storefront> {
  const { createStorefront } = await import('../../../apps/storefront/shop.ts')
  const { merchantId, mode } = seller
  const apiUrl = app.publicOrigin()
  const place = `${merchantId} ${mode} ${origin}${base}`
  return createStorefront({
    ...{ apiUrl, publicUrl: origin, basePath: base, report, attributeOf: optionAttributeOf, scriptOf: browserScript },
    hosted: {
      dashboardUrl: `${apiUrl}/admin/${slug}${mode === 'test' ? '/test' : ''}/store${isDraft ? '/look' : ''}`,
      isDemo,
      contactHref: () => storage.read((db) => findContactPath(db, { id: merchantId, slug })),
      ...(isDraft && { draft: () => storage.read((db) => siteView(db, app.sites, seller, 'draft')) }),
    },
    fetch: (url, init) => localFetch(app.open, callerOf(slug, seller, opened.installationId))(url, init),
    factsOf: (src) => facts(merchantId, src),
    rendered: {
      mark: () => storage.commitMark(),
      bodyOf: (address) => localBodyReader(app.open, callerOf(slug, seller, opened.installationId))(address),
      find: (key) => pages.get(`${place} ${key}`),
      keep: (key, page) => pages.set(`${place} ${key}`, page),
    },
    async barcodes(productId) {
      const rows = await storage.read((db) => listBarcodes(db, merchantId, productId))
      return new Map(rows.map(({ id, barcode }) => [id, barcode]))
    },
  })
}

function newPages() {
  return new Lru<string, RenderedPage>(pagesBytesMax, ({ bytes }, key) => entryWeight(key, bytes))
}

async function makeSeller({ app, storage, clock }: ShopsParts, seller: MerchantMode): Promise<string> {
  const site = await storage.write(async (tx) => {
    await lockMerchantById(tx, seller.merchantId)
    return ensureSite(tx, seller, await redirectHostsFor(tx, app, seller), clock().getTime())
  })
  return site.installationId
}

// A shop at its own host has no base path.
function atHost(shop: ShownShop): ShownShop {
  return shop.hasHost ? { ...shop, base: '' } : shop
}

async function findShop(
  db: Reader,
  sites: App['sites'],
  { slug, mode: asked }: ShopAddress,
): Promise<ShownShop | undefined> {
  const demo = sites.demo === undefined ? undefined : await findShownMerchant(db, sites.demo)
  const [first] = slug === undefined && !demo ? await listFirstMerchants(db) : []
  const merchant = slug === undefined ? (demo ?? first) : await findShownMerchant(db, slug)
  if (!merchant) return undefined
  const isDemo = merchant.slug === demo?.slug
  // The demo shop at /shop is shown in test mode.
  const mode = isDemo && slug === undefined ? 'test' : asked
  const seller = { merchantId: merchant.id, mode }
  const [base, site] = [await findShopPath(db, sites, { slug: merchant.slug, mode }), await findStoredSite(db, seller)]
  const host = mode === 'live' ? await findMainHost(db, merchant.id) : undefined
  const publicOrigin = sites.publicOrigin()
  return {
    slug: merchant.slug,
    seller,
    base,
    isOpen: siteStatusOf(site) === 'open',
    isDemo: isDemo && mode === 'test',
    origin: host === undefined ? publicOrigin : shopOriginFor(host, publicOrigin),
    hasHost: host !== undefined,
    installationId: site && !site.isEnded ? site.installationId : undefined,
  }
}

// The storefront acts as a key with the scopes of a storefront. Its claimant is the installation, like that of a secret key.
function callerOf(merchantSlug: string, { merchantId, mode }: MerchantMode, installationId: string): KeyCaller {
  return {
    ...{ kind: 'key', id: 'storefront', merchantId, merchantSlug, mode, installationId },
    ...{ claimant: installationId, throttleKey: installationId, scopes: publishableScopes },
  }
}

// Members are never signed in at the host of a shop.
async function isInsiderAt(
  app: Pick<App, 'personOf' | 'publicOrigin'>,
  shop: ShownShop,
  raw: IncomingMessage,
): Promise<boolean> {
  return shop.origin === app.publicOrigin() && isInsider(app, shop, raw)
}

// Strangers get the answer for a path without a draft, so they do not learn that a draft exists.
async function refuseStrangers(app: Pick<App, 'personOf'>, shop: ShownShop, raw: IncomingMessage): Promise<void> {
  if (!(await isInsider(app, shop, raw))) throw refuse('route_not_found')
}

async function isInsider(
  { personOf }: Pick<App, 'personOf'>,
  { seller }: ShownShop,
  raw: IncomingMessage,
): Promise<boolean> {
  const person = await personOf(raw)
  const shop = person?.shops.find(({ id }) => id === seller.merchantId)
  return shop !== undefined && (!shop.needsSecondFactor || person?.session.hasSecondFactor === true)
}

function crawledShop(storage: Storage, { base, origin, seller }: ShownShop): CrawledShop {
  return {
    base,
    origin,
    async listCategories() {
      const rows = await storage.read((db) => listCategories(db, seller.merchantId))
      return rows.filter(({ productCount }) => productCount > 0)
    },
    async listPages() {
      const rows = await storage.read((db) => listPages(db, seller.merchantId))
      return rows.filter(({ isPublished }) => isPublished)
    },
    listProducts: (after, limit) => storage.read((db) => listSlugsAfter(db, seller, after, limit)),
    listPieces: (size) => storage.read((db) => listSlugPieces(db, seller, size)),
  }
}

export interface FeedParts {
  storage: Storage
  clock: () => Date
  shops: () => Pick<Shops, 'ofSlug'> | undefined
  // Time limit for a client to read one page of products.
  pageMsMax?: number
  // Time limit for a client to read all products.
  wholeMsMax?: number
}

// Low, since each feed reads the whole catalog.
const feedsAtOnceMax = 2

// The products of the shop as a feed, for Google Merchant Center, which fetches it once a day, and for agents (ACP). Products are sent as
// they are read from the database, so only a few are in memory at a time.
export function feedHandOffs(parts: FeedParts): HandOffRoute[] {
  const feed = feedHandOff(parts)
  return feedEndings.flatMap((ending) =>
    [`/shop/${ending}`, `/shops/:slug/${ending}`].map((path) => ({ ...feed, path })),
  )
}

const feedEndings = ['feed.xml', 'feed.jsonl'] as const

function feedHandOff(parts: FeedParts): Omit<HandOffRoute, 'path'> {
  const { storage, clock, shops, pageMsMax = 20_000, wholeMsMax = 15 * 60_000 } = parts
  let underWay = 0
  return {
    name: 'product feed',
    methods: ['GET'],
    async handle({ raw, path, shop: hosted }, response) {
      const shop = await shops()?.ofSlug(path.slug, hosted !== undefined)
      if (!shop) throw refuse('route_not_found')
      const { seller, base, origin } = shop
      if (underWay >= feedsAtOnceMax) throw refuse('unavailable', { retryAfterMs: 10_000 })
      underWay += 1
      // A client that reads too slowly is disconnected, so it does not block other clients.
      const tooSlow = new AbortController()
      const patience = setTimeout(() => tooSlow.abort(), pageMsMax)
      const wholePatience = setTimeout(() => tooSlow.abort(), wholeMsMax)
      try {
        const { acpFeed, googleFeed } = await import('../imports/exports.ts')
        const isXml = !/\.jsonl(?:\?|$)/.test(raw.url ?? '')
        const link = `${origin}${base}/products/{slug}`
        response.setHeader('content-type', `${isXml ? 'application/xml' : 'application/jsonl'}; charset=utf-8`)
        response.setHeader('cache-control', 'public, max-age=3600')
        if (raw.method === 'HEAD') return void response.end()
        const feed = (isXml ? googleFeed : acpFeed)(storage.read, seller, { origin, link, now: clock().getTime() })
        await pipeline(refreshing(patience, feed), response, { signal: tooSlow.signal })
      } catch (error) {
        // The client has disconnected.
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

// Restarts the timeout when the next piece is requested, because the client has then read the one before.
async function* refreshing(patience: NodeJS.Timeout, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    patience.refresh()
    yield piece
  }
}

type ShownShops = Pick<Shops, 'find' | 'answer' | 'publicOrigin'>

// Pages that answer 404 until the server has started.
export function storefrontPages(shops: () => ShownShops | undefined): HtmlPage[] {
  const methods = ['GET', 'POST'] as const
  return (['live', 'test'] as const).flatMap((mode) => [
    ...['/shop', '/shop/*', '/shops/:slug', '/shops/:slug/*'].map((path) => ({
      path: `${mode === 'test' ? '/test' : ''}${path}`,
      name: 'storefront',
      methods,
      answer: (request: PageRequest) => answerIn(shops(), mode, request),
      failed,
    })),
    ...['', '/*'].map((rest) => ({
      path: `${draftPathFor({ slug: ':slug', mode })}${rest}`,
      name: 'storefront draft',
      methods,
      answer: (request: PageRequest) => answerDraft(shops(), mode, request),
      failed,
    })),
  ])
}

// Drafts are only shown at the server's own host, where members are signed in.
async function answerDraft(shops: ShownShops | undefined, mode: Mode, request: PageRequest): Promise<PageAnswer> {
  const { raw, spend, path, shop: hosted } = request
  const { slug = '' } = path
  spend?.(1)
  const shop = !hosted && isSlug(slug) ? await shops?.find({ slug, mode }) : undefined
  if (!shops || !shop) throw refuse('route_not_found')
  const place = { ...shop, base: draftPathFor({ slug, mode }), origin: shops.publicOrigin(), isDraft: true } as const
  const answer = await shops.answer(place, await requestIn(request), raw)
  return { ...answer, headers: { ...answer.headers, 'x-robots-tag': 'noindex, nofollow' } }
}

async function requestIn({ raw, receive }: PageRequest): Promise<Omit<StorefrontRequest, 'isInsider'>> {
  const { method = 'GET', url = '/', headers } = raw
  const [path = '/', query = ''] = url.split('?', 2)
  return {
    method: method === 'HEAD' ? 'GET' : method,
    path,
    query: new URLSearchParams(query),
    cookies: parseCookies(headers.cookie),
    form: method === 'POST' ? await receive(() => formIn(raw)) : null,
    origin: headers.origin ?? null,
    fetchSite: [headers['sec-fetch-site']].flat()[0] ?? null,
    host: headers.host ?? null,
    acceptLanguage: headers['accept-language'] ?? null,
    ifNoneMatch: headers['if-none-match'] ?? null,
  }
}

async function answerIn(shops: ShownShops | undefined, mode: Mode, request: PageRequest): Promise<PageAnswer> {
  const {
    raw,
    spend,
    path: { slug },
    shop: hosted,
  } = request
  const { method = 'GET', url = '/' } = raw
  const [path = '/', query = ''] = url.split('?', 2)
  const isPost = method === 'POST'
  if (!isPost && !isAsset.test(path)) spend?.(1)
  const shop = slug === undefined || isSlug(slug) ? await shops?.find({ slug, mode }) : undefined
  if (!shops || !shop) throw refuse('route_not_found')
  const publicOrigin = shops.publicOrigin()
  const asked = basePattern.exec(path)?.[0] ?? ''
  // The path of a shop changes when a second merchant is added, and when the shop gets a host. Requests for a closed shop are not
  // redirected.
  const place = hosted || (shop.hasHost && shop.isOpen) ? atHost(shop) : { ...shop, origin: publicOrigin }
  const isElsewhere = hosted === undefined && (place.base !== asked || place.origin !== publicOrigin)
  if (isElsewhere) {
    if (isPost || !shop.isOpen) throw refuse('route_not_found')
    const target = `${place.base}${path.slice(asked.length)}${query && `?${query}`}`
    return movedTo(place.origin === publicOrigin ? target : `${place.origin}${target}`)
  }
  return shops.answer(place, await requestIn(request), raw)
}

const isAsset = /\.(?:css|svg|png|js|json|webmanifest)$/
const basePattern = /^(?:\/preview)?(?:\/test)?\/shop(?:s\/[^/]+)?(?=\/|$)/

function movedTo(location: string): PageAnswer {
  return { ...redirectAfterPost(location, { 'cache-control': 'no-store' }), status: 307 }
}

// An error page that uses only texts of the storefront, since the storefront failed or was not reached.
async function failed({ raw, shop }: Incoming, status: number): Promise<PageAnswer> {
  const { failureWords } = await import('../../../apps/storefront/shop.ts')
  const { title, text, toCart, locale, direction } = failureWords(status, raw.headers['accept-language'] ?? null)
  const base = shop ? '' : (basePattern.exec(raw.url?.split('?')[0] ?? '')?.[0] ?? '/shop')
  const body = renderHtmlDocument({
    title,
    locale,
    direction,
    body: html`<main><h1>${title}</h1><p>${text}</p><p><a href="${base}/cart">${toCart}</a></p></main>`,
  })
  return { status, body, headers: privateHeaders({}) }
}

async function formIn(raw: IncomingMessage): Promise<URLSearchParams | null> {
  const form = await readForm(raw)
  if (form === 413) throw refuse('body_too_large')
  return typeof form === 'number' ? null : new URLSearchParams([...form])
}
