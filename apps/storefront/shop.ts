// The shop: routes and forms. It stores nothing: the cart is on the server, and its id is in a cookie that scripts cannot read.

import { hash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import {
  type Cart,
  CartwrightError,
  type Category,
  createClient,
  type ErrorCode,
  type Fetch,
  type ProductSummary,
  type Site,
  type Sku,
} from '../../packages/client/src/index.ts'
import { countriesOf, destinationFor, type EstimateView } from './estimate.ts'
import { addressOf, askedIn, questionOf } from './finding.ts'
import { homePage, type Section, type ShownSection } from './home.ts'
import { inScheme, lookSheet } from './look.ts'
import type { AttributeOf } from './metadata.ts'
import {
  cartPage,
  closedPage,
  continuePage,
  type FoundView,
  foundPage,
  listPage,
  messagePage,
  priceWords,
  productPage,
  type ShopBar,
  type Surroundings,
  thanksPage,
  writtenPage,
} from './pages.ts'
import { type PictureFacts, smallest } from './pictures.ts'
import { languages, speakerFor } from './speaker.ts'
import { type Notice, type NoticeName, noticeFor, noticeForPromotion, noticeIn } from './words.ts'

export interface StorefrontOptions {
  // URL of the API as this process reaches it.
  apiUrl: string
  // A key with the scopes catalog:read and checkout:quote. Left out if `fetch` identifies the caller.
  apiKey?: string
  // Replaces the network: Cartwright performs the operations in its own process. Errors that it throws are defects and are rethrown.
  fetch?: Fetch
  // '' at the root of a host, or a path such as '/shop'.
  basePath: string
  // Origin under which browsers reach this shop.
  publicUrl: string
  // The barcodes of a product's SKUs, by the id of the SKU. No operation returns them; Cartwright reads them itself if it mounts the
  // shop.
  barcodes?: (productId: string) => Promise<ReadonlyMap<string, string>>
  // What is known of a picture before it is loaded, by its path. Cartwright reads it itself if it mounts the shop.
  factsOf?: (src: string) => PictureFacts | undefined
  // Cache of rendered pages, used if `fetch` performs operations in the process.
  rendered?: RenderedPages
  // Makes a script for browsers from its source. Cartwright stores the result; without this option the shop strips the types at the first
  // request.
  scriptOf?: (entry: URL) => BrowserScript
  // Property of schema.org for the name of an option: colour, size, material or pattern.
  attributeOf?: AttributeOf
  // Set if Cartwright itself serves the shop: the shop is closed while its site is closed. In test mode its pages are marked, and search
  // engines are asked not to list them.
  hosted?: HostedShop
  // Called with errors that shoppers cannot fix, such as an API that is down or a key that is refused.
  report?: (error: unknown) => void
}

// A page that is the same for everyone is cached until one of the answers it was made from changes.
export interface RenderedPages {
  // A number that stays the same while every read has the same answer, except for what ends at a certain time. Undefined if it is not
  // known.
  mark?: () => number | undefined
  // The stored body of a read, mostly the same bytes as before. Undefined if the read is refused.
  bodyOf: (address: string) => Promise<string | Buffer | undefined>
  find: (key: string) => RenderedPage | undefined
  keep: (key: string, page: RenderedPage) => void
}

export interface RenderedPage {
  answer: StorefrontAnswer
  // What the page was made from: marks of cached values, and bodies of reads.
  parts: readonly unknown[]
  // When the parts were last found unchanged.
  checked?: { mark: number | undefined; at: number }
  // Memory that the page takes.
  bytes: number
}

export interface BrowserScript {
  // Changes with everything that the text depends on.
  hash: string
  text: () => string
}

export interface HostedShop {
  // The page of the dashboard on which the shop is opened.
  dashboardUrl: string
  // Whether the shop is a demo, which is shown as if it were live.
  isDemo?: boolean
  // The contact form, or null if the merchant accepts no messages.
  contactHref?: () => Promise<string | null>
  // The site with changes that the merchant has not published, used instead of the published site. Only for members of the merchant: the
  // caller is checked where the shop is mounted. Pages of the same origin may frame it.
  draft?: () => Promise<Site>
}

export interface StorefrontRequest {
  method: string
  // The whole path, basePath included, still percent-encoded.
  path: string
  query: URLSearchParams
  cookies: Readonly<Record<string, string>>
  // The posted form, or null.
  form: URLSearchParams | null
  // Values of the headers Origin, Sec-Fetch-Site and Host.
  origin: string | null
  fetchSite?: string | null
  host?: string | null
  // Value of the header Accept-Language.
  acceptLanguage?: string | null
  // Value of the header If-None-Match.
  ifNoneMatch?: string | null
  // Whether the caller is a member of the merchant, who sees the shop while it is closed.
  isInsider?: () => Promise<boolean>
}

export interface StorefrontAnswer {
  status: number
  headers: Record<string, string>
  body: string | Buffer
  // Set if the body contains no data of a shopper. Other bodies are not compressed: their length would help to guess a secret beside text
  // that an attacker chose.
  compress?: 'once' | 'fast' | 'well'
}

export type Storefront = (request: StorefrontRequest) => Promise<StorefrontAnswer>

const cartCookie = 'storefront_cart'
const cartCookieSeconds = 30 * 86_400
// Number of items in the cart, for the script of pages in shared caches.
const countCookie = 'storefront_count'
// Country for the estimate of shipping.
const countryCookie = 'storefront_country'
// Browsers revalidate a page each time. Shared caches may answer for a minute, and a little longer while they revalidate.
const sharedCaching = 'public, max-age=0, s-maxage=60, stale-while-revalidate=60'
const rememberMs = 60_000
const categoriesMax = 500
const alikeMax = 4
const productsShown = 24
const quantityMax = 999
const suggestedMax = 6
const wordsLengthMax = 200
const pathWordsMax = 6
// Longer paths are never redirected.
const pathLengthMax = 1_500
// A path below the root of the shop. With a second slash it would be the address of another host.
const ownPath = /^\/(?![/\\])[\x21-\x7e]*$/

export function createStorefront(options: StorefrontOptions): Storefront {
  const {
    apiUrl,
    hosted,
    basePath: base,
    barcodes = noBarcodes,
    factsOf = () => undefined,
    rendered,
    attributeOf = () => undefined,
    scriptOf = strippedScript,
    report = () => {},
  } = options
  const script = lazily(() => scriptOf(new URL('browser/page.ts', import.meta.url)))
  const scriptPath = () => `/script.${script().hash}.js`
  const scriptAsset = lazily(() => asset('text/javascript; charset=utf-8', Buffer.from(script().text()), foreverCached))
  const publicOrigin = new URL(options.publicUrl).origin
  // A shopper waits for the page, so a busy server is not retried for long.
  const api = createClient({
    ...{ baseUrl: apiUrl, key: options.apiKey, fetch: options.fetch },
    ...{ maxRetries: options.fetch ? 0 : 1, maxRetryDelayMs: 500 },
  })
  const site = remembered(async () => ({
    ...undecided,
    ...(hosted?.draft ? await hosted.draft() : (await api.site.get()).data),
    contactHref: (await hosted?.contactHref?.()) ?? null,
  }))
  // URLs of style sheets: each is made and hashed once per appearance. Empty if the appearance needs none.
  const lookHrefs = new WeakMap<Site['look'], string>()
  const categories = remembered(listCategories)
  const newest = remembered(() => api.catalog.products())
  const home = remembered(async () => {
    const { home: sections } = await site()
    return sections && Promise.all(sections.map(filled))
  })
  // A form may redirect to the hosted checkout, and browsers check redirects of forms against this list.
  const apiOrigin = new URL(apiUrl).origin
  const cookieTraits = `SameSite=Lax${publicOrigin.startsWith('https:') ? '; Secure' : ''}`
  const formTargets = [...new Set([publicOrigin, apiOrigin])]

  // biome-ignore format: a table reads best with one row a line
  const routes: readonly [method: string, path: RegExp, handle: Handle][] = [
    ['GET',  /^\/?$/,                    showHome],
    ['GET',  /^\/products$/,             showList],
    ['GET',  /^\/categories\/([^/]+)$/,  showFound],
    ['GET',  /^\/search$/,               showFound],
    ['GET',  /^\/search\/suggest$/,      suggest],
    ['GET',  /^\/products\/([^/]+)$/,    showProduct],
    ['GET',  /^\/cart$/,                 showCart],
    ['GET',  /^\/thanks$/,               showThanks],
    ['GET',  /^\/([a-z0-9-]+)$/,         showPage],
    ['POST', /^\/cart\/add$/,            addItem],
    ['POST', /^\/cart\/change$/,         changeItem],
    ['POST', /^\/cart\/remove$/,         removeItem],
    ['POST', /^\/cart\/code$/,           applyCode],
    ['POST', /^\/cart\/code\/remove$/,   removeCode],
    ['POST', /^\/cart\/country$/,        nameCountry],
    ['POST', /^\/cart\/checkout$/,       checkOut],
  ]

  return async (request) => {
    const { path } = request
    const isBelow = path === base || path.startsWith(`${base}/`)
    const below = isBelow ? path.slice(base.length) : path
    try {
      const asset = assets.get(below) ?? (await madeAsset(below))
      if (asset) return asset
      const found = isBelow && routes.find(([, pattern]) => pattern.test(below))
      if (!found) return await notFound(request)
      const [method, pattern, handle] = found
      if (hosted && !(await isShownTo(request))) return closed(request)
      if (method !== (request.method === 'HEAD' ? 'GET' : request.method)) return refusal(request, 405)
      if (method === 'POST' && !isOwnForm(request)) return refusal(request, 403)
      return await handle(request, pattern.exec(below)?.[1] ?? '')
    } catch (error) {
      if (!(error instanceof CartwrightError)) throw error
      if (options.fetch && error.code === 'connection_failed') throw error.cause
      report(error)
      return apology(request, error)
    }
  }

  async function isShownTo({ isInsider }: StorefrontRequest): Promise<boolean> {
    return (await site()).status === 'open' || (isInsider !== undefined && (await isInsider()))
  }

  // Further pages of the list have the same path as the first.
  async function showHome(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const sections = await home()
    if (sections === null) return showList(request)
    return unlessSame(request, { reads: [], parts: [sections] }, (asked) =>
      showToAll(asked, (at) => homePage(at, sections)),
    )
  }

  async function filled(section: Section): Promise<ShownSection> {
    return { section, products: section.kind === 'products' ? await productsOf(section) : [] }
  }

  async function productsOf({ source = 'newest', category, products = [], limit = 8 }: Section) {
    if (source === 'chosen') {
      const found = await Promise.all(products.slice(0, limit).map((slug) => foundOrNull(api.catalog.product(slug))))
      return found.filter((product) => product !== null)
    }
    if (source === 'newest') return (await newest()).data.slice(0, limit)
    return category === undefined ? [] : (await api.catalog.search({ category, limit })).data
  }

  async function madeAsset(path: string): Promise<StorefrontAnswer | undefined> {
    if (lookPattern.test(path)) return lookAsset(path)
    if (path === '/manifest.webmanifest') return manifest()
    if (path === prefetchPath) return prefetchRules()
    return path === scriptPath() ? scriptAsset() : undefined
  }

  // Web app manifest for browsers that put the shop on a home screen.
  async function manifest(): Promise<StorefrontAnswer> {
    const { merchant, look, logo } = await site()
    const { paper = '#ffffff' } = look.palette?.light ?? {}
    const own = { src: `${base}/icon.svg`, sizes: 'any', type: 'image/svg+xml' }
    const text = JSON.stringify({
      ...{ name: merchant.name, short_name: merchant.name.slice(0, 30), id: `${base}/` },
      ...{ start_url: `${base}/`, scope: `${base}/`, display: 'minimal-ui' },
      ...{ background_color: paper, theme_color: paper },
      icons: logo === null ? [own] : [{ src: logo, sizes: 'any' }, own],
    })
    return asset('application/manifest+json; charset=utf-8', Buffer.from(text), 'public, max-age=3600')
  }

  // Pages that browsers may prefetch when a shopper points at a link: those of the catalog, which are cheap and change nothing.
  function prefetchRules(): StorefrontAnswer {
    const paths = ['', '/', '/products', '/products/*', '/categories/*'].map((path) => base + path).filter(Boolean)
    const rule = { where: { href_matches: paths }, eagerness: 'moderate' }
    const text = JSON.stringify({ prefetch: [rule] })
    return asset('application/speculationrules+json', Buffer.from(text), 'public, max-age=3600')
  }

  // The path of an earlier style sheet, from a page that was sent before a change, is answered with the current style sheet.
  async function lookAsset(path: string): Promise<StorefrontAnswer> {
    const sheet = lookSheet((await site()).look)
    const isNow = path === lookPathOf(sheet)
    return asset('text/css; charset=utf-8', Buffer.from(sheet), isNow ? foreverCached : 'no-cache')
  }

  async function showList(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const here = (await site()).home === null ? `${base}/` : `${base}/products`
    return followed(request, here, (next) =>
      unlessSame(request, { reads: [readOf(productsPath, {}, next)] }, async (asked) => {
        const { data: products, meta } = await api.catalog.products({ next })
        const moreHref = meta?.next == null ? null : `${here}?after=${Buffer.from(meta.next).toString('base64url')}`
        return showToAll(asked, (at) => listPage(at, { products, moreHref, isStart: next === null }))
      }),
    )
  }

  // Shows a category or a search. An empty search redirects to all products.
  async function showFound(request: StorefrontRequest, slug: string): Promise<StorefrontAnswer> {
    const known = await categories()
    const category = slug === '' ? null : known.find((other) => other.slug === slug)
    if (category === undefined) return notFound(request)
    const isCategoryPage = category !== null
    const asked = askedIn(request.query, category?.slug ?? null)
    const path = isCategoryPage ? `${base}/categories/${category.slug}` : `${base}/search`
    const { currency } = (await site()).merchant
    const { sort, ...question } = questionOf(asked, currency)
    if (Object.keys(question).length === 0) return seeOther(`${base}/`)
    const firstHref = addressOf(path, asked, {}, isCategoryPage)
    const wanted = { ...question, sort, limit: productsShown }
    const view = { category, asked, currency, path, isCategoryPage, firstHref, categories: known }
    return followed(request, firstHref, (next) =>
      unlessSame(request, { reads: [readOf(searchPath, wanted, next)] }, async (again) => {
        const found = await api.catalog.search(wanted, { next })
        return renderFound(again, { ...view, found, isStart: next === null })
      }),
    )
  }

  async function renderFound(
    request: StorefrontRequest,
    view: Omit<FoundView, 'speaker' | 'moreHref' | 'newest'>,
  ): Promise<StorefrontAnswer> {
    const { found, firstHref, asked } = view
    const link = found.meta.next
    const sign = firstHref.includes('?') ? '&' : '?'
    const moreHref = link === null ? null : `${firstHref}${sign}after=${Buffer.from(link).toString('base64url')}`
    const others = found.data.length === 0 ? (await newest()).data.slice(0, alikeMax) : []
    return showToAll(request, (at) =>
      foundPage({ ...at, q: asked.q }, { ...view, speaker: at.speaker, moreHref, newest: others }),
    )
  }

  // Suggestions for the script of the search field. The policy of its page does not allow pictures of other hosts, so those are left out.
  async function suggest(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const words = (request.query.get('q') ?? '').trim().slice(0, wordsLengthMax)
    if (words === '') return json({ items: [] }, 'no-store')
    const { speaker } = bareSurroundings(request)
    const { products, categories: named } = (await api.catalog.suggest({ q: words, limit: suggestedMax })).data
    const items = [
      ...named.map(({ slug, name, count }) => ({
        ...{ href: `${base}/categories/${slug}`, name, detail: speaker.say('list.count', { count }), image: null },
      })),
      ...products.map((product) => ({
        ...{ href: `${base}/products/${product.slug}`, name: product.name },
        ...{ detail: priceWords({ speaker }, product), image: smallest(ownPicture(product.imageUrl)) },
      })),
    ]
    const said = speaker.say('search.suggestedCount', { count: items.length })
    const isForAll = barOf(await site()) === null
    return json({ items, label: speaker.say('search.suggested'), said }, isForAll ? 'public, max-age=60' : 'no-store')
  }

  // Answers with a list from its beginning, or from the cursor in the query. An outdated or invented cursor redirects to the beginning.
  async function followed(
    { query }: StorefrontRequest,
    firstHref: string,
    answer: (next: string | null) => Promise<StorefrontAnswer>,
  ): Promise<StorefrontAnswer> {
    const after = query.get('after')
    const next = after === null ? null : Buffer.from(after, 'base64url').toString()
    try {
      return await answer(next)
    } catch (error) {
      const isBadLink = error instanceof TypeError || (error instanceof CartwrightError && error.status === 400)
      if (next !== null && isBadLink) return seeOther(firstHref)
      throw error
    }
  }

  async function listCategories(): Promise<Category[]> {
    const found: Category[] = []
    for await (const category of api.catalog.categories()) {
      found.push(category)
      if (found.length === categoriesMax) break
    }
    return found
  }

  async function showProduct(request: StorefrontRequest, slug: string): Promise<StorefrontAnswer> {
    if (!slugPattern.test(slug)) return notFound(request)
    const read = `${productsPath}/${slug}`
    return unlessSame(request, { reads: [read, `${read}/related?limit=${alikeMax}`] }, (asked) =>
      renderProduct(asked, slug),
    )
  }

  async function renderProduct(request: StorefrontRequest, slug: string): Promise<StorefrontAnswer> {
    const product = await foundOrNull(api.catalog.product(slug))
    if (!product) return notFound(request)
    const chosen = chosenSku(product.skus, request.query.get('sku'))
    if (!chosen) return notFound(request)
    const [known, codes, alike] = await Promise.all([categories(), barcodes(product.id), related(slug)])
    return showToAll(request, (at) =>
      productPage(at, {
        ...{ product, chosen, trail: trailOf(product, known), alike },
        barcodes: codes,
        attributeOf,
        quantity: whole(request.query.get('quantity') ?? '', 1, quantityMax) ?? 1,
      }),
    )
  }

  // Servers of an earlier version do not have this operation.
  async function related(slug: string): Promise<ProductSummary[]> {
    return orNone(async () => (await foundOrNull(api.catalog.related(slug, { limit: alikeMax }))) ?? [])
  }

  // A page without this list is still useful, so it is shown even if the server does not answer or is busy.
  async function orNone(ask: () => Promise<ProductSummary[]>): Promise<ProductSummary[]> {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof CartwrightError)) throw error
      report(error)
      return []
    }
  }

  async function showCart(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const { data } = await newest()
    const more = { newest: data.slice(0, alikeMax), offered: request.query.get('code') ?? '' }
    return show(request, async (at, cart) => {
      const estimate = cart && (await estimated(request, cart))
      return cartPage(at, cart, { ...more, estimate })
    })
  }

  // Servers of an earlier version do not have this operation.
  async function estimated({ cookies, acceptLanguage }: StorefrontRequest, cart: Cart): Promise<EstimateView | null> {
    const { shipsTo, merchant } = await site()
    const { region } = new Intl.Locale(speakerFor(acceptLanguage ?? null).locale)
    const country = destinationFor(shipsTo, [cookies[countryCookie], region, merchant.country])
    if (country === undefined || cart.items.length === 0 || cart.address !== null) return null
    const estimate = await foundOrNull(api.carts.estimateShipping(cart.id, { country }))
    return estimate && { estimate, countries: countriesOf(shipsTo) }
  }

  // Shows a page that the merchant wrote.
  async function showPage(request: StorefrontRequest, slug: string): Promise<StorefrontAnswer> {
    const found = slugPattern.test(slug) ? await foundOrNull(api.site.page(slug)) : null
    return found ? showToAll(request, (at) => writtenPage(at, found)) : notFound(request)
  }

  async function showThanks(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const id = request.query.get('session') ?? ''
    const session = sessionIdPattern.test(id) ? await foundOrNull(api.checkout.get(id)) : null
    if (!session) return notFound(request)
    const order = session.orderId === null ? null : (await api.orders.get(session.orderId)).data
    return show(request, (at) => thanksPage(at, session, order))
  }

  // Forms. Each ends in a redirect, so reloading the next page does not submit the form again.

  async function addItem(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const { skuId, quantity, step, once } = fieldsOf(request)
    if (step !== 0) return seeOther(productHref(request, { quantity: String(Math.max(1, quantity + step)) }, '#buy'))
    try {
      const cart = await withItem(request, skuId, quantity, once)
      return seeOther(cartHref('added'), { 'set-cookie': cartCookieFor(cart.id, cartCookieSeconds) })
    } catch (error) {
      // The form was submitted before and took effect.
      if (isRefusal(error, 'idempotency_key_reused')) return seeOther(cartHref('already_added'))
      const { name, number } = noticeOf(error)
      const isOfProduct = slugPattern.test(request.form?.get('product') ?? '')
      return seeOther(
        isOfProduct ? productHref(request, { say: name, n: String(number) }, '#said') : cartHref(name, number),
      )
    }
  }

  // URL of the page from which the form was sent.
  function productHref({ form }: StorefrontRequest, more: Record<string, string>, anchor: string): string {
    const slug = form?.get('product') ?? ''
    const query = new URLSearchParams({ sku: form?.get('code') ?? '', ...more })
    return slugPattern.test(slug) ? `${base}/products/${slug}?${query}${anchor}` : `${base}/`
  }

  // The API sets quantities and does not add to them. Because the version is sent, two windows that add at the same moment both count:
  // the later one is refused, and retried with the new quantity.
  async function withItem(request: StorefrontRequest, skuId: string, quantity: number, once: string): Promise<Cart> {
    for (let attempt = 1; ; attempt++) {
      const cart = await usableCart(request)
      if (!cart) return (await api.carts.create({ items: [{ skuId, quantity }], idempotencyKey: once })).data
      const before = cart.items.find((item) => item.skuId === skuId)?.quantity ?? 0
      const change = { quantity: before + quantity, expectedVersion: cart.version, idempotencyKey: once }
      try {
        return (await api.carts.putItem(cart.id, skuId, change)).data
      } catch (error) {
        const isStale = isRefusal(error, 'version_conflict', 'cart_not_open', 'cart_not_found')
        if (!isStale || attempt === 3) throw error
      }
    }
  }

  // Remembers the country for the estimate as long as the cart exists. A country to which the shop does not deliver removes the choice.
  async function nameCountry(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const wanted = request.form?.get('country') ?? ''
    const country = destinationFor((await site()).shipsTo, [wanted])
    const location = `${base}/cart`
    return seeOther(location, country === wanted ? { 'set-cookie': countryCookieFor(country) } : {})
  }

  async function changeItem(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const { skuId, quantity, step, version, once } = fieldsOf(request)
    return changeCart(request, async (cartId) => {
      const change = { quantity: Math.max(0, quantity + step), expectedVersion: version, idempotencyKey: once }
      await api.carts.updateItem(cartId, skuId, change)
      return { name: change.quantity === 0 ? 'removed' : 'changed', number: 0 }
    })
  }

  async function removeItem(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const { skuId, version, once } = fieldsOf(request)
    return changeCart(request, async (cartId) => {
      await api.carts.removeItem(cartId, skuId, { expectedVersion: version, idempotencyKey: once })
      return { name: 'removed', number: 0 }
    })
  }

  async function applyCode(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const code = request.form?.get('code')?.trim() ?? ''
    if (code === '') return seeOther(cartHref('code_missing'))
    return setCode(request, code)
  }

  async function removeCode(request: StorefrontRequest): Promise<StorefrontAnswer> {
    return setCode(request, null)
  }

  async function setCode(request: StorefrontRequest, code: string | null): Promise<StorefrontAnswer> {
    const { once } = fieldsOf(request)
    return changeCart(request, async (cartId) => {
      try {
        const { data } = await api.carts.applyPromotion(cartId, { code, idempotencyKey: once })
        return noticeForPromotion(data.promotion)
      } catch (error) {
        if (isRefusal(error, 'rate_limited')) return { name: 'code_too_fast', number: 0 }
        if (isRefusal(error, 'invalid_request')) return { name: 'code_not_found', number: 0 }
        throw error
      }
    })
  }

  async function checkOut(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const cartId = cartIdOf(request)
    if (cartId === null) return seeOther(`${base}/cart`)
    const { version, once } = fieldsOf(request)
    try {
      const { data: session } = await api.checkout.create({
        cartId,
        expectedCartVersion: version,
        // The server replaces {sessionId} with the id of the session.
        successUrl: `${publicOrigin}${base}/thanks?session={sessionId}`,
        cancelUrl: `${publicOrigin}${base}/cart`,
        idempotencyKey: once,
      })
      const { url } = session
      if (url === null) return seeOther(cartHref('trouble'))
      // The checkout is also served at the host of the shop.
      if (hosted && new URL(url).origin === apiOrigin) return seeOther(new URL(url).pathname)
      // Browsers silently block a redirect to an origin that the policy of the cart page does not name.
      if (!formTargets.includes(new URL(url).origin)) return await show(request, (at) => continuePage(at, url))
      return seeOther(url)
    } catch (error) {
      if (isRefusal(error, 'cart_not_found', 'cart_not_open')) return seeOther(`${base}/cart`)
      if (isRefusal(error, 'invalid_request')) {
        // The form has only our own field, so the setup must be wrong, such as a host that is not allowed.
        report(error)
        return seeOther(cartHref('trouble'))
      }
      const { name, number } = noticeOf(error)
      return seeOther(cartHref(name, number))
    }
  }

  async function changeCart(
    request: StorefrontRequest,
    change: (cartId: string) => Promise<Notice>,
  ): Promise<StorefrontAnswer> {
    const cartId = cartIdOf(request)
    if (cartId === null) return seeOther(`${base}/cart`)
    try {
      const { name, number } = await change(cartId)
      return seeOther(cartHref(name, number))
    } catch (error) {
      // The cart became an order or expired. The next cart starts empty.
      if (isRefusal(error, 'cart_not_found', 'cart_not_open')) return seeOther(`${base}/cart`)
      const { name, number } = noticeOf(error)
      return seeOther(cartHref(name, number))
    }
  }

  function noticeOf(error: unknown): Notice {
    if (!isRefused(error)) throw error
    const notice = noticeFor(error)
    if (notice.name === 'trouble') report(error)
    return notice
  }

  function cartHref(say: NoticeName, number = 0): string {
    return `${base}/cart?say=${say}${number > 0 ? `&n=${number}` : ''}#said`
  }

  // If the browser returns without the cart that it was just given, it does not store cookies.
  function noticeShown(request: StorefrontRequest): Notice | null {
    const notice = noticeIn(request.query)
    const isGiven = notice?.name === 'added' || notice?.name === 'already_added'
    return isGiven && cartIdOf(request) === null ? { name: 'no_cookies', number: 0 } : notice
  }

  // Returns the cart of this browser if it is still open.
  async function usableCart(request: StorefrontRequest): Promise<Cart | null> {
    const id = cartIdOf(request)
    const cart = id === null ? null : await foundOrNull(api.carts.get(id))
    return cart && (cart.status === 'open' || cart.status === 'locked') ? cart : null
  }

  // Renders a page only if its inputs differ from the last time.
  async function unlessSame(
    request: StorefrontRequest,
    { reads, parts = [] }: { reads: readonly string[]; parts?: readonly unknown[] },
    render: (asked: StorefrontRequest) => Promise<StorefrontAnswer>,
  ): Promise<StorefrontAnswer> {
    const isForAll = cartIdOf(request) === null && request.cookies[countCookie] === undefined
    if (!rendered || !isForAll || request.query.has('say')) return render(request)
    const { locale } = speakerFor(langOf(request) ?? request.acceptLanguage ?? null)
    const key = `${request.path}?${request.query} ${locale}`
    const page = rendered.find(key)
    const checked = { mark: rendered.mark?.(), at: Date.now() }
    const shared = [...parts, await site(), await categories()].map(markOf)
    const isFresh = page && isChecked(page, checked) && shared.every((part, at) => part === page.parts[at])
    if (isFresh) return unlessCurrent(request, page.answer)
    const now = [...shared, ...(await Promise.all(reads.map(rendered.bodyOf)))]
    if (page && now.every((part, at) => isSame(part, page.parts[at]))) {
      page.checked = checked
      return unlessCurrent(request, page.answer)
    }
    const answer = await render({ ...request, ifNoneMatch: null })
    const { body, headers } = answer
    if (answer.status !== 200 || headers['cache-control'] !== sharedCaching) return answer
    const bytes = now.reduce((sum: number, part) => sum + sizeOf(part), sizeOf(body))
    rendered.keep(key, { answer, parts: now, checked, bytes })
    return unlessCurrent(request, answer)
  }

  // Shows a page of the catalog. Without a cart it is the same for everyone, so caches may store it, and it has an ETag.
  async function showToAll(
    request: StorefrontRequest,
    render: (at: Surroundings) => string,
  ): Promise<StorefrontAnswer> {
    const isShared = cartIdOf(request) === null && !request.query.has('say') && barOf(await site()) === null
    const answer = await show(request, render, { isShared })
    if (answer.status !== 200) return answer
    // With a cart, the page contains the number of items and the random key of a form, and nothing else of the shopper.
    if (!isShared || answer.headers['set-cookie'] !== undefined) return { ...answer, compress: 'once' }
    // The bytes that are hashed are also sent, so the text is encoded once.
    const body = Buffer.from(answer.body)
    const etag = `W/"${hashOf(body)}"`
    const headers: Record<string, string> = { ...answer.headers, 'cache-control': sharedCaching, etag }
    // The URL decides the language, so the page does not vary by the header.
    if (langOf(request) !== null) delete headers.vary
    return unlessCurrent(request, { ...answer, headers, body, compress: 'fast' })
  }

  function unlessCurrent({ ifNoneMatch }: StorefrontRequest, answer: StorefrontAnswer): StorefrontAnswer {
    const { etag } = answer.headers
    const isKnown = (ifNoneMatch ?? '').split(',').some((tag) => tag.trim() === etag)
    return isKnown ? { ...answer, status: 304, body: '' } : answer
  }

  async function show(
    request: StorefrontRequest,
    render: (at: Surroundings, cart: Cart | null) => string | Promise<string>,
    { status = 200, isShared = false } = {},
  ): Promise<StorefrontAnswer> {
    const [shop, known, cart] = await Promise.all([site(), categories(), usableCart(request)])
    if (hosted && !(await isShownTo(request))) return closed(request)
    const pictureOrigins = new Set<string>()
    const surroundings: Surroundings = {
      ...bareSurroundings(request),
      ...dressOf(shop),
      merchant: shop.merchant,
      pages: shop.pages,
      menus: shop.menus,
      hasHome: shop.home !== null,
      details: detailsOf(shop),
      isTest: shop.mode === 'test',
      bar: barOf(shop),
      categories: known,
      cartCount: cart?.itemCount ?? 0,
      notice: noticeShown(request),
      isShared,
      scriptHref: `${base}${scriptPath()}`,
      picture(address) {
        const own = ownPicture(address)
        if (own !== null || address === null || !URL.canParse(address)) return own
        const url = new URL(address)
        if (url.protocol !== 'https:' && url.protocol !== 'http:') return null
        // Host names may contain these characters, which end a directive of the policy or the whole policy.
        if (/[;,']/.test(url.origin)) return null
        pictureOrigins.add(url.origin)
        return url.href
      },
    }
    const body = await render(surroundings, cart)
    return { status, headers: { ...pageHeaders(pictureOrigins), ...cookieAfter(request, cart) }, body }
  }

  // A picture on our own host gets a URL without the host, so it works under any name of the host.
  function ownPicture(address: string | null): string | null {
    const url = address === null ? null : URL.parse(address)
    const isOwn = url?.origin === publicOrigin || (hosted !== undefined && url?.origin === apiOrigin)
    return url && isOwn ? url.pathname + url.search : null
  }

  // An answer sets one cookie. If the cart does not exist any more, this answer clears the count, and the next page clears the id.
  function cookieAfter(request: StorefrontRequest, cart: Cart | null): { 'set-cookie'?: string } {
    const counted = request.cookies[countCookie]
    if (cart && counted !== String(cart.itemCount))
      return { 'set-cookie': countCookieFor(cart.itemCount, cartCookieSeconds) }
    if (cart) return {}
    if (counted !== undefined) return { 'set-cookie': countCookieFor(0, 0) }
    return cartIdOf(request) === null ? {} : { 'set-cookie': cartCookieFor('', 0) }
  }

  // Pages of the server are available at every host of the shop, so links keep shoppers on the same host.
  function detailsOf({
    legal,
    supportEmail,
    links,
    withdrawalUrl,
    legalGuarantee,
    pricesIncludeTax,
    contactHref,
  }: Site & { contactHref: string | null }): Surroundings['details'] {
    const here = (url: string, path: string) =>
      hosted && url.startsWith(apiOrigin + path) ? url.slice(apiOrigin.length) : url
    return {
      ...{ legal, supportEmail, contactHref },
      links: Object.fromEntries(Object.entries(links).map(([name, url = '']) => [name, here(url, '/legal/')])),
      withdrawalUrl: withdrawalUrl === null ? null : here(withdrawalUrl, '/w/'),
      guaranteeYears: legalGuarantee?.years ?? null,
      guaranteeNotices: Object.fromEntries(
        (legalGuarantee?.notices ?? []).map(({ language, url }) => [language, here(url, '/media/')]),
      ),
      pricesIncludeTax,
    }
  }

  function dressOf({ look, logo }: Site): Pick<Surroundings, 'styleHref' | 'lookHref' | 'logo'> {
    const known = lookHrefs.get(look)
    const sheet = known === undefined ? lookSheet(look) : ''
    const lookHref = known ?? (sheet === '' ? '' : `${base}${lookPathOf(sheet)}`)
    lookHrefs.set(look, lookHref)
    return {
      styleHref: `${base}${stylePaths[look.scheme]}`,
      lookHref: lookHref === '' ? null : lookHref,
      logo,
    }
  }

  function barOf({ status, mode }: Site): ShopBar | null {
    if (hosted?.draft) return { kind: 'draft', href: hosted.dashboardUrl }
    if (!hosted) return null
    if (status === 'closed') return { kind: 'closed', href: hosted.dashboardUrl }
    return mode === 'test' && !hosted.isDemo ? { kind: 'test', href: hosted.dashboardUrl } : null
  }

  // Search engines keep the pages of a shop that answers 503, and retry later.
  async function closed(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const shop = await site()
    const body = closedPage({
      ...{ ...bareSurroundings(request), ...dressOf(shop) },
      ...{ merchant: shop.merchant, details: detailsOf(shop) },
    })
    return { status: 503, headers: { ...pageHeaders([]), 'retry-after': '3600' }, body }
  }

  // Redirects an old path, or says that its target was removed.
  async function notFound(request: StorefrontRequest): Promise<StorefrontAnswer> {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isPath = request.path.startsWith(`${base}/`) && request.path.length <= pathLengthMax
    if (!isRead || !isPath || (hosted && !(await isShownTo(request)))) return missing(request, 'missing')
    const { data: found } = await api.site.resolve({ path: request.path.slice(base.length) })
    if (found.kind === 'gone') return missing(request, 'gone')
    if (found.kind !== 'moved' || found.path === null || !ownPath.test(found.path)) return missing(request, 'missing')
    const query = request.query.toString()
    const location = base + found.path + (query === '' || found.path.includes('?') ? '' : `?${query}`)
    return { status: 301, headers: { location, 'cache-control': 'public, max-age=3600' }, body: '' }
  }

  // A page for a missing path, with products that match the words of the path, or else with the newest products.
  async function missing(request: StorefrontRequest, word: 'missing' | 'gone'): Promise<StorefrontAnswer> {
    if (hosted && !(await isShownTo(request))) return closed(request)
    const q = wordsOf(request.path)
    const found = q === '' ? [] : await orNone(async () => (await api.catalog.search({ q, limit: alikeMax })).data)
    const products = found.length > 0 ? found : await orNone(async () => (await newest()).data.slice(0, alikeMax))
    return show(
      request,
      (at) =>
        messagePage(
          { ...at, q },
          {
            title: at.speaker.say(`${word}.title`),
            text: at.speaker.say(`${word}.text`),
            link: { href: `${base}/`, text: at.speaker.say('cart.look') },
            products: { title: at.speaker.say(found.length > 0 ? 'missing.alike' : 'list.newest'), products },
          },
        ),
      { status: word === 'gone' ? 410 : 404 },
    )
  }

  // The page has no shop name and no categories, since these come from the API, which failed.
  function apology(request: StorefrontRequest, { status }: CartwrightError): StorefrontAnswer {
    const isSettingUp = status === 401 || status === 403
    const at = bareSurroundings(request)
    const { say } = at.speaker
    const body = messagePage(at, {
      title: say('down.title'),
      text: say(isSettingUp ? 'down.key' : 'down.text'),
      link: { href: `${base}/`, text: say('down.again') },
    })
    return { status: 503, headers: { ...pageHeaders([]), 'retry-after': '10' }, body }
  }

  // Refuses a form from another site, or a method that the path does not support.
  function refusal(request: StorefrontRequest, status: 403 | 405): StorefrontAnswer {
    const at = bareSurroundings(request)
    const { say } = at.speaker
    const body = messagePage(at, {
      title: say(status === 403 ? 'foreign.title' : 'missing.title'),
      text: say(status === 403 ? 'foreign.text' : 'missing.text'),
      link: { href: `${base}/`, text: say('cart.look') },
    })
    return { status, headers: pageHeaders([]), body }
  }

  function bareSurroundings(request: StorefrontRequest): Surroundings {
    return {
      speaker: speakerFor(langOf(request) ?? request.acceptLanguage ?? null),
      base,
      origin: publicOrigin,
      styleHref: `${base}${stylePaths.auto}`,
      lookHref: null,
      logo: null,
      menus: { head: null, foot: null },
      hasHome: false,
      merchant: { name: 'Shop', currency: 'EUR', country: '' },
      lang: langOf(request),
      details: noDetails,
      isTest: false,
      bar: null,
      pages: [],
      categories: [],
      cartCount: 0,
      q: '',
      notice: null,
      isShared: false,
      scriptHref: null,
      picture: () => null,
      factsOf,
    }
  }

  // Allows only our own scripts and style sheets, and the pictures of the page. The referrer policy hides URLs from other hosts and lets
  // browsers send the origin of our own forms.
  function pageHeaders(pictureOrigins: Iterable<string>): Record<string, string> {
    const policy = [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      ["img-src 'self'", ...pictureOrigins].join(' '),
      // Suggestions need this, and so do audit tools that read robots.txt from within the page.
      "connect-src 'self'",
      ["form-action 'self'", ...formTargets].join(' '),
      "manifest-src 'self'",
      "base-uri 'none'",
      `frame-ancestors ${hosted?.draft ? "'self'" : "'none'"}`,
    ]
    return {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      // Sent as a header, because the policy allows no inline script in the page.
      'speculation-rules': `"${base}${prefetchPath}"`,
      vary: 'accept-language',
    }
  }

  function cartCookieFor(id: string, seconds: number): string {
    return `${cartCookie}=${id}; Path=${base || '/'}; Max-Age=${seconds}; HttpOnly; ${cookieTraits}`
  }

  // The script of the page reads this cookie.
  function countCookieFor(count: number, seconds: number): string {
    return `${countCookie}=${count}; Path=${base || '/'}; Max-Age=${seconds}; ${cookieTraits}`
  }

  function countryCookieFor(country: string): string {
    return `${countryCookie}=${country}; Path=${base || '/'}; Max-Age=${cartCookieSeconds}; HttpOnly; ${cookieTraits}`
  }

  // Refuses forms from other sites. Browsers send the origin of a form, and a page cannot change that.
  function isOwnForm({ origin, fetchSite, host }: StorefrontRequest): boolean {
    if (fetchSite) return fetchSite === 'same-origin'
    if (origin === null || !URL.canParse(origin)) return false
    return origin === publicOrigin || new URL(origin).host === host
  }
}

// Used if a server of an earlier version does not return these members.
const undecided: Pick<Site, 'look' | 'home' | 'menus'> = {
  look: { font: 'classic', corners: 'round', density: 'airy', scheme: 'auto', palette: null },
  home: null,
  menus: { head: null, foot: null },
}
const noDetails = {
  ...{ legal: null, supportEmail: null, contactHref: null, links: {}, withdrawalUrl: null },
  ...{ guaranteeYears: null, guaranteeNotices: {}, pricesIncludeTax: null },
}
const noBarcodes: StorefrontOptions['barcodes'] & object = async () => new Map()

type Handle = (request: StorefrontRequest, parameter: string) => Promise<StorefrontAnswer>

// Paths of the API as the client requests them.
const productsPath = '/api/v1/open/catalog/products'
const searchPath = '/api/v1/open/catalog/search'

function readOf(path: string, wanted: object, next: string | null): string {
  // A cursor in the URL is not trusted: it must have the path of this read.
  if (next?.startsWith(`${path}?`)) return next
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(wanted))
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(name, String(one))
  return query.size > 0 ? `${path}?${query}` : path
}

const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const cartIdPattern = /^cart_[0-9a-z]{26}$/
const skuIdPattern = /^sku_[0-9a-z]{26}$/
const sessionIdPattern = /^cks_[0-9a-z]{26}$/
const oncePattern = /^[0-9a-f-]{36}$/

// Prices, holds and publications may begin or end without a commit, so a page is checked again after this time.
const checkedMs = 1_000

function isChecked({ checked }: RenderedPage, { mark, at }: { mark: number | undefined; at: number }): boolean {
  return checked?.mark !== undefined && checked.mark === mark && at - checked.at < checkedMs
}

// Bodies that are read again are mostly the same objects in memory, so bytes are rarely compared.
function isSame(one: unknown, other: unknown): boolean {
  return one === other || (one instanceof Buffer && other instanceof Buffer && one.equals(other))
}

// Symbols that stand for cached values, so a rendered page does not keep values in memory that were replaced since.
const marks = new WeakMap<object, symbol>()
function markOf(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part
  const mark = marks.get(part) ?? Symbol()
  marks.set(part, mark)
  return mark
}

// Memory that a part takes, in bytes.
function sizeOf(part: unknown): number {
  return typeof part === 'string' || part instanceof Buffer ? part.length : 0
}

// The language that the URL asks for (search engines index each language under its own URL), or null.
function langOf({ query }: StorefrontRequest): string | null {
  return languages.find((language) => language === query.get('lang')) ?? null
}

function cartIdOf({ cookies }: StorefrontRequest): string | null {
  const id = cookies[cartCookie] ?? ''
  return cartIdPattern.test(id) ? id : null
}

// Reads the values of a form. Invalid ones become values that the API refuses.
function fieldsOf({ form }: StorefrontRequest) {
  const skuId = form?.get('sku') ?? ''
  const once = form?.get('once') ?? ''
  return {
    skuId: skuIdPattern.test(skuId) ? skuId : `sku_${'0'.repeat(26)}`,
    quantity: whole(form?.get('quantity') ?? '') ?? -1,
    step: whole(form?.get('step') ?? '') ?? 0,
    version: whole(form?.get('version') ?? '') ?? 1,
    once: oncePattern.test(once) ? once : randomUUID(),
  }
}

function whole(text: string, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): number | undefined {
  return /^-?\d{1,9}$/.test(text) ? Math.min(max, Math.max(min, Number(text))) : undefined
}

// Search words from a path without a page: `/products/Green_mug.html` is about a green mug.
function wordsOf(path: string): string {
  const last = path.split('/').findLast((part) => part !== '') ?? ''
  const words = unescaped(last.slice(0, wordsLengthMax))
    .replace(/\.\w{1,5}$/, '')
    .match(/\p{L}{3,}/gu)
  return (words ?? []).slice(0, pathWordsMax).join(' ')
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function chosenSku(skus: readonly Sku[], code: string | null): Sku | undefined {
  return (
    skus.find((sku) => sku.code === code) ?? skus.find(({ availability }) => availability !== 'out_of_stock') ?? skus[0]
  )
}

// Categories from the top one down to the narrowest one of the product.
function trailOf(product: ProductSummary, known: readonly Category[]): Category[] {
  const [narrowest] = known
    .filter(({ slug }) => product.categories.includes(slug))
    .toSorted((a, b) => b.path.length - a.path.length)
  return (narrowest?.path ?? []).flatMap((slug) => known.find((category) => category.slug === slug) ?? [])
}

function isRefusal(error: unknown, ...codes: ErrorCode[]): boolean {
  return error instanceof CartwrightError && codes.includes(error.code)
}

// Codes of errors that come from the network or a proxy, not from the API.
const notFromApi: readonly ErrorCode[] = ['connection_failed', 'timed_out', 'unexpected_answer']

function isRefused(error: unknown): error is CartwrightError {
  return error instanceof CartwrightError && !notFromApi.includes(error.code)
}

async function foundOrNull<Data>(asked: Promise<{ data: Data }>): Promise<Data | null> {
  return asked.then(
    ({ data }) => data,
    (error: unknown) => {
      if (isRefused(error) && error.status === 404) return null
      throw error
    },
  )
}

function seeOther(location: string, headers: Record<string, string> = {}): StorefrontAnswer {
  return { status: 303, headers: { location, 'cache-control': 'no-store', ...headers }, body: '' }
}

function json(data: object, caching: string): StorefrontAnswer {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': caching,
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    vary: 'accept-language',
  }
  return { status: 200, headers, body: JSON.stringify(data), compress: 'fast' }
}

// Texts for an error page without the shop around it, because the shop was not reached or has failed.
export function failureWords(status: number, acceptLanguage: string | null) {
  const { say, locale, direction } = speakerFor(acceptLanguage)
  const isMissing = status < 500 && status !== 429
  return {
    title: say(isMissing ? 'missing.title' : 'down.title'),
    text: say(isMissing ? 'missing.text' : status === 429 ? 'notice.too_fast' : 'notice.trouble'),
    toCart: say('unfinished.cart'),
    locale,
    direction,
  }
}

// Caches the result for a minute. Failures are not cached.
function remembered<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let kept: { value: Promise<Value>; until: number } | undefined
  return () => {
    if (kept && kept.until > Date.now()) return kept.value
    const value = ask()
    const asked = { value, until: Date.now() + rememberMs }
    kept = asked
    value.catch(() => {
      if (kept === asked) kept = undefined
    })
    return value
  }
}

// The URL of a style sheet contains its hash, so it can be cached for ever, and a changed sheet has another URL.
const style = readFileSync(new URL('style.css', import.meta.url), 'utf8')
const foreverCached = 'public, max-age=31536000, immutable'
const hashOf = (content: string | Buffer) => hash('sha256', content, 'hex').slice(0, 12)
const styles = { auto: style, light: inScheme(style, 'light'), dark: inScheme(style, 'dark') } as const
const stylePaths = {
  auto: `/style.${hashOf(styles.auto)}.css`,
  light: `/style.${hashOf(styles.light)}.css`,
  dark: `/style.${hashOf(styles.dark)}.css`,
} as const

const prefetchPath = '/prefetch.json'
const lookPattern = /^\/look\.[0-9a-f]{12}\.css$/
const lookPathOf = (sheet: string) => `/look.${hashOf(sheet)}.css`

const assets: ReadonlyMap<string, StorefrontAnswer> = new Map([
  ...(['auto', 'light', 'dark'] as const).map(
    (scheme) =>
      [stylePaths[scheme], asset('text/css; charset=utf-8', Buffer.from(styles[scheme]), foreverCached)] as const,
  ),
  ['/icon.svg', asset('image/svg+xml', readFileSync(new URL('icon.svg', import.meta.url)), 'public, max-age=86400')],
  ['/icon.png', asset('image/png', readFileSync(new URL('icon.png', import.meta.url)), 'public, max-age=86400')],
])

function asset(type: string, body: Buffer, caching: string): StorefrontAnswer {
  const headers = {
    'content-type': type,
    'cache-control': caching,
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
  }
  return { status: 200, headers, body, compress: 'well' }
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

// Types and comment lines are not sent to browsers.
function strippedScript(entry: URL): BrowserScript {
  const source = readFileSync(entry, 'utf8')
  return {
    hash: hashOf(source),
    text: () => `(()=>{${stripTypeScriptTypes(source).replaceAll(/^\s*(?:\/\/.*)?\n/gm, '')}})()`,
  }
}
