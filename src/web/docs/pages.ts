// The server's own site: the start page, the reference, the OpenAPI documents, and their assets.

import type { IncomingMessage } from 'node:http'
import { openInterfaceDocument } from '../../contract/open/document.ts'
import { printOpenApi, type SurfaceDocument } from '../../contract/openapi.ts'
import { type Asset, answerAsset, makeAsset } from '../../platform/html/asset.ts'
import { favicon } from '../../platform/html/mark.ts'
import type { HtmlPage, PageRequest } from '../../platform/http/pages.ts'
import { loadOnce } from '../../platform/kit/late.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { script, style } from './assets.ts'
import { siteHeaders } from './frame.ts'
import { referencePages } from './reference.ts'
import { type StartPageShop, startPage } from './start.ts'

export interface SiteParts {
  // The origin is only known once the port is open.
  origin: () => string
  version: string
  engine: string
  // Returns null if shops must not be listed.
  listShops: () => Promise<readonly StartPageShop[] | null>
  demo: () => boolean
  // Whether this request may read the e-mails at /dev/mail.
  hasEmails?: (request: IncomingMessage) => boolean
}

export function sitePages({
  origin,
  version,
  engine,
  listShops,
  demo,
  hasEmails = () => false,
}: SiteParts): HtmlPage[] {
  const documentPages = documents.flatMap(({ document, path, openApiPath, name }): HtmlPage[] => {
    const reference = loadOnce(async () => {
      const pages = referencePages(await document(), { origin: origin(), version, path, openApiPath })
      return new Map([...pages].map(([at, text]) => [at, makeAsset(text, siteHeaders)]))
    })
    const answerPart = async (at: string, request: PageRequest) => {
      const asset = (await reference()).get(at)
      if (!asset) throw refuse('route_not_found')
      return answerAsset(asset, request)
    }
    const openApi = loadOnce(async () =>
      makeAsset(printOpenApi(await document(), { serverUrl: origin(), version }), openHeaders),
    )
    return [
      {
        path,
        name: `reference${name}`,
        isExpensive: true,
        answer: (request) => answerPart(path, request),
      },
      {
        path: `${path}/:group`,
        name: `reference${name}`,
        isExpensive: true,
        answer: (request) => answerPart(`${path}/${request.path.group}`, request),
      },
      {
        path: openApiPath,
        name: `openapi${name}`,
        isExpensive: true,
        answer: async (request) => answerAsset(await openApi(), request),
      },
    ]
  })
  const startWith = (hasEmails: boolean) =>
    cachedFor(1_000, async () => {
      const shops = await listShops()
      return makeAsset(startPage({ version, engine, origin: origin(), demo: demo(), shops, hasEmails }), siteHeaders)
    })
  const start = startWith(false)
  const startWithEmails = startWith(true)
  const icon = makeAsset(favicon, { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' })

  return [
    {
      path: '/',
      name: 'start',
      isExpensive: true,
      answer: async (request) => answerAsset(await (hasEmails(request.raw) ? startWithEmails() : start()), request),
    },
    ...documentPages,
    style.page,
    script.page,
    { path: '/favicon.svg', name: 'favicon', answer: async (request) => answerAsset(icon, request) },
    // Browsers request this path automatically, and accept any image format.
    { path: '/favicon.ico', name: 'favicon', answer: async (request) => answerAsset(icon, request) },
  ]
}

// The documents of the surfaces. The admin surface, with its examples, is loaded with the first request for its reference.
const documents: readonly {
  document: () => Promise<SurfaceDocument>
  path: string
  openApiPath: string
  name: string
}[] = [
  { document: async () => openInterfaceDocument, path: '/docs', openApiPath: '/openapi.json', name: '' },
  {
    document: async () => (await import('../../contract/admin/document.ts')).adminDocument,
    path: '/docs/admin',
    openApiPath: '/openapi.admin.json',
    name: '_admin',
  },
]

// Tools that run in browsers load the document from other origins.
const openHeaders = { 'content-type': 'application/json; charset=utf-8', 'access-control-allow-origin': '*' }

// Anyone may request the start page often, so the result is cached for this time. Failures are not cached.
function cachedFor(maxAgeMs: number, make: () => Promise<Asset>): () => Promise<Asset> {
  let cached: Promise<Asset> | undefined
  let madeAt = 0
  return () => {
    const now = performance.now()
    if (cached && now - madeAt < maxAgeMs) return cached
    madeAt = now
    const made = make()
    cached = made
    made.catch(() => {
      if (cached === made) cached = undefined
    })
    return made
  }
}
