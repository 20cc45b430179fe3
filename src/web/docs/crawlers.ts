// Files for crawlers: robots.txt, and the sitemap of a shop in pieces. A piece of products is identified by the slug of the product before
// its first one, so every process can serve every piece. It has at most `pieceSize` URLs.

import { createHash } from 'node:crypto'
import { escapeHtml } from '../../platform/html/html.ts'
import { matchesIfNoneMatch } from '../../platform/http/conditional.ts'
import type { HtmlPage, PageAnswer, PageRequest } from '../../platform/http/pages.ts'
import { refuse } from '../../platform/kit/refuse.ts'

export interface SitemapEntry {
  slug: string
  updatedAt: number
}

// A shop whose pages are listed.
export interface CrawledShop {
  // Path of the shop: `/shop`, or '' at a host of its own.
  base: string
  origin: string
  listCategories(): Promise<SitemapEntry[]>
  // Lists the merchant's own pages.
  listPages(): Promise<SitemapEntry[]>
  // Lists products, sorted by slug, after the given slug.
  listProducts(after: string, limit: number): Promise<SitemapEntry[]>
  // Lists all pieces of the products, each with the slug before its first one and the time of its latest change.
  listPieces(pieceSize: number): Promise<SitemapPiece[]>
}

export interface SitemapPiece {
  // '' for the first piece.
  after: string
  updatedAt: number
}

export interface CrawlerParts {
  origin: () => string
  // Finds a shop by its slug, or without a slug the shop at /shop. Returns undefined if there is none; throws if it is closed.
  shop: (slug: string | undefined, isByHost: boolean) => Promise<CrawledShop | undefined>
}

// The protocol allows 50,000. A response is built in memory, where this many URLs take about a megabyte.
const pieceSize = 10_000
const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

export function crawlerPages(parts: CrawlerParts): HtmlPage[] {
  const { origin, shop } = parts
  return [
    {
      path: '/robots.txt',
      name: 'robots',
      answer: async (request) => {
        const shown = await shop(undefined, false).catch(() => undefined)
        return answerText(request, 'text/plain', robotsText(origin(), shown))
      },
    },
    {
      path: '/shops/:slug/robots.txt',
      name: 'robots',
      answer: async (request) => {
        // Crawlers read robots.txt only at the root of a host, so only shops with a host of their own have one.
        if (!request.shop) throw refuse('route_not_found')
        const shown = await shop(request.path.slug, true).catch(() => undefined)
        return answerText(request, 'text/plain', robotsText(request.shop.origin, shown))
      },
    },
    ...sitemapPages(parts, ''),
    ...sitemapPages(parts, '/shops/:slug'),
  ]
}

// Sitemap pages: at the root, for the shop of the host or the shop at /shop; or below the path of a shop.
function sitemapPages({ origin, shop }: CrawlerParts, below: '' | '/shops/:slug'): HtmlPage[] {
  const page = (
    path: string,
    textOf: (shop: CrawledShop, above: string, request: PageRequest) => Promise<string[]>,
  ) => ({
    path: `${below}${path}`,
    name: 'sitemap',
    isExpensive: true,
    async answer(request: PageRequest) {
      const { slug } = request.path
      const found = await shop(slug, request.shop !== undefined)
      if (!found) throw refuse('route_not_found')
      const above = request.shop?.origin ?? `${origin()}${slug === undefined ? '' : `/shops/${slug}`}`
      return answerText(request, 'application/xml', await textOf(found, above, request))
    },
  })
  return [
    page('/sitemap.xml', async ({ listPieces }, above) => indexText(above, await listPieces(pieceSize))),
    page('/sitemap/categories.xml', async ({ base, origin, listCategories, listPages }) => {
      const start = `${origin}${base}/`
      const categories = placed(`${start}categories/`, await listCategories())
      return [...urlSet([{ url: start }, ...categories, ...placed(start, await listPages())])]
    }),
    page('/sitemap/products.xml', async ({ base, origin, listProducts }, _, request) => {
      const after = new URL(request.raw.url ?? '/', 'http://x').searchParams.get('after') ?? ''
      if (after !== '' && !slugPattern.test(after)) throw refuse('route_not_found')
      return [...urlSet(placed(`${origin}${base}/products/`, await listProducts(after, pieceSize)))]
    }),
  ]
}

// Disallows personal pages and machine interfaces, which are useless in search results, and searches, whose filters and sort orders are
// endless.
function robotsText(origin: string, shop: CrawledShop | undefined): string[] {
  const closed = ['/admin', '/api/', '/c/', '/o/', '/oauth/', '/dev/', '/test/']
  const ofShop = ['/cart', '/thanks', '/search'].map((path) => `${shop?.base ?? '/shops/*'}${path}`)
  return [
    'User-agent: *\n',
    ...(shop ? [`Allow: ${shop.base}\n`] : []),
    ...[...closed, ...ofShop].map((path) => `Disallow: ${path}\n`),
    ...(shop ? [`\nSitemap: ${origin}/sitemap.xml\n`] : []),
  ]
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n'
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

function indexText(origin: string, pieces: readonly SitemapPiece[]): string[] {
  const products = pieces.map(({ after, updatedAt }) =>
    entryText('sitemap', {
      url: `${origin}/sitemap/products.xml${after === '' ? '' : `?after=${after}`}`,
      updatedAt,
    }),
  )
  const categories = entryText('sitemap', { url: `${origin}/sitemap/categories.xml` })
  return [`${xmlHead}<sitemapindex ${namespace}>\n`, categories, ...products, '</sitemapindex>\n']
}

interface Place {
  url: string
  updatedAt?: number
}

function* urlSet(places: Iterable<Place>): Iterable<string> {
  yield `${xmlHead}<urlset ${namespace}>\n`
  for (const place of places) yield entryText('url', place)
  yield '</urlset>\n'
}

function placed(prefix: string, rows: readonly SitemapEntry[]): Place[] {
  return rows.map(({ slug, updatedAt }) => ({ url: prefix + slug, updatedAt }))
}

function entryText(name: 'url' | 'sitemap', { url, updatedAt }: Place): string {
  const changed = updatedAt === undefined ? '' : `<lastmod>${new Date(updatedAt).toISOString()}</lastmod>`
  return `<${name}><loc>${escapeHtml(url)}</loc>${changed}</${name}>\n`
}

function answerText({ raw }: PageRequest, type: string, parts: readonly string[]): PageAnswer {
  const body = Buffer.from(parts.join(''))
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`
  const headers = { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'public, max-age=3600', etag }
  const [status, sent] = matchesIfNoneMatch(raw, etag) ? [304, ''] : [200, body]
  return { status, body: sent, headers, compress: 'fast' }
}
