// A shop of 100,000 products with 50,000 redirects beside the same shop without them: how long its search index takes, what its pages take,
// whether its sitemap names everything once, and whether old paths lead on. `lighthouse` looks at the same shop.

import { launchBrowser } from '../harness/browser.ts'
import { isDraft } from '../harness/catalog.ts'
import { cpuOfProcess } from '../harness/cpu.ts'
import { violations as faultsOf } from '../harness/readable.ts'
import { until } from '../harness/until.ts'
import { clearIndex, countIndex } from '../src/domain/catalog/indexstore.ts'
import { enlarge, type OpenShop, oldPath, openShopAt } from './openshop.ts'
import type { Ground } from './place.ts'
import { quantile } from './quantile.ts'
import type { Numbers, RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'

export const largeShopRun: ServerRun = {
  name: 'large-shop',
  method:
    'a shop with 100,000 imported products and 50,000 redirects, and the same shop without them, behind a server each: the search index is emptied and filled by the server as after an upgrade, every kind of page is timed at addresses that are asked once, in turns at both shops, the sitemap is read to its end, old paths are followed, and axe looks at the pages',
  // `p50Ms`: of each kind of page, on a machine that is not quiet. `indexMs`: for 10,000 products.
  numbers: { products: 100_000, redirects: 50_000, pages: 200, p50Ms: 100, indexMs: 30_000 },
  short: { products: 3_000, redirects: 2_000, pages: 40 },
  engines: ['sqlite'],
  runOn: runLargeShop,
}

interface Seen {
  seen: Record<string, string>
  violations: string[]
}

async function runLargeShop(ground: Ground, numbers: Numbers, tools: RunTools): Promise<RunResult> {
  const report: Seen = { seen: {}, violations: [] }
  const [small, large] = [await openShopAt(ground), await openShopAt(ground)]
  await importInto(large, numbers, tools, report)
  const servers: Server[] = []
  try {
    for (const { shop, port, origin } of [small, large])
      servers.push(
        await startServer({ url: shop.url, rootSecretText: shop.rootSecretText, port, publicOrigin: origin }),
      )
    const [besides, server] = servers as [Server, Server]
    await indexFills(large, server, numbers, report)
    const paths = await readSitemap(large.origin, numbers, report)
    const smallPaths = await productPathsOf(small.origin)
    const kinds = kindsOf(tools.random, numbers)
    for (const [name, kind] of Object.entries(kinds)) {
      const asked = [
        { origin: large.origin, pid: server.pid, products: paths },
        { origin: small.origin, pid: besides.pid, products: smallPaths },
      ]
      await timePages(name, kind, asked, numbers, report)
      tools.tell(name)
    }
    report.violations.push(...(await unreadable(`${large.origin}/shop`, paths[0]?.slice('/shop'.length) ?? '')))
    report.violations.push(...defectsOf(servers))
    return report
  } finally {
    for (const server of servers) await server.end()
  }
}

// The import writes the index with each product, so nothing is missing at its end.
async function importInto({ shop }: OpenShop, numbers: Numbers, { tell }: RunTools, report: Seen): Promise<void> {
  const { products = 0 } = numbers
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()]
  await enlarge(shop, numbers, tell)
  const { user, system } = process.cpuUsage(cpuBefore)
  report.seen.import = `${seconds(performance.now() - startedAt)}, ${seconds((user + system) / 1_000 / (products / 10_000))} of CPU for 10,000 products`
  const { missing } = await shop.withStorage((storage) => storage.read(countIndex))
  if (missing > 0) report.violations.push(`after the import the index lacks ${missing} products`)
  await shop.withStorage((storage) => storage.write(clearIndex))
}

// By the loop of the server, some products at a time, until the last one is found in the shop.
async function indexFills({ shop, origin }: OpenShop, server: Server, numbers: Numbers, report: Seen): Promise<void> {
  const { products = 0, indexMs = 0 } = numbers
  const [startedAt, patienceMs] = [performance.now(), Math.max(60_000, 2 * indexMs * (products / 10_000))]
  await shop.withStorage((storage) =>
    until(async () => (await storage.read(countIndex)).missing === 0, 'the index', patienceMs),
  )
  const tookMs = performance.now() - startedAt
  report.seen.index = `complete after ${seconds(tookMs)}, ${seconds(cpuOfProcess(server.pid))} of CPU of the server`
  if (products >= 10_000 && tookMs > indexMs * (products / 10_000))
    report.violations.push(`the index was complete after ${seconds(tookMs)}`)
  const last = isDraft(products) ? products - 1 : products
  const askedAt = performance.now()
  const page = await (await fetch(`${origin}/shop/search?q=${last}-1`)).text()
  report.seen['first search'] = `${Math.round(performance.now() - askedAt)} ms`
  if (!new RegExp(`card-name">[^<]*No\\. ${last}<`).test(page))
    report.violations.push(`a search does not find ${last}-1`)
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

interface Kind {
  path: (at: number, products: readonly string[]) => string
  status: number
  // It is one of the large shop alone.
  isLargeOnly?: boolean
}

function kindsOf(random: () => number, { redirects = 0 }: Numbers): Readonly<Record<string, Kind>> {
  const some = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value
  const words = ['oak', 'linen', 'bowl', 'lamp', 'large', 'steel', 'coaster', 'wool', 'brass']
  return {
    home: { path: (at) => `/?at=${at}`, status: 200 },
    product: { path: (at, products) => `${some(products).slice('/shop'.length)}?at=${at}`, status: 200 },
    category: { path: (at) => `/categories/kitchen?sort=price_asc&min=${at % 40}&at=${at}`, status: 200 },
    search: { path: (at) => `/search?q=${some(words)}+${some(words)}&min=${at % 40}&at=${at}`, status: 200 },
    'old path': { path: () => oldPath(Math.floor(random() * redirects)), status: 301, isLargeOnly: true },
    missing: { path: (at) => `/old-catalogue/none/${some(words)}_${at}.html`, status: 404 },
  }
}

interface Asked {
  origin: string
  pid: number
  products: readonly string[]
}

// In turns, so what else the machine does meets both.
const turns = 5

async function timePages(
  name: string,
  kind: Kind,
  shops: readonly Asked[],
  { pages = 0, p50Ms = 0 }: Numbers,
  report: Seen,
): Promise<void> {
  const asked = kind.isLargeOnly ? shops.slice(0, 1) : shops
  const taken = asked.map(() => ({ cpuMs: 0, times: [] as number[] }))
  for (let turn = 0; turn < turns; turn += 1)
    for (const [index, { origin, pid, products }] of asked.entries()) {
      const own = taken[index] as (typeof taken)[number]
      const cpuBefore = cpuOfProcess(pid)
      for (let at = Math.floor((pages * turn) / turns); at < Math.floor((pages * (turn + 1)) / turns); at += 1) {
        const path = kind.path(at, products)
        const startedAt = performance.now()
        const answer = await fetch(`${origin}/shop${path}`, { redirect: 'manual' })
        await answer.arrayBuffer()
        own.times.push(performance.now() - startedAt)
        if (answer.status !== kind.status && answer.status !== 303)
          report.violations.push(`${name}: ${path} is answered with ${answer.status}`)
      }
      own.cpuMs += cpuOfProcess(pid) - cpuBefore
    }
  const [large, small] = taken
  const p50 = quantile(large?.times ?? [], 0.5)
  const p99 = quantile(large?.times ?? [], 0.99)
  const cpu = (own: typeof large) => `${((own?.cpuMs ?? 0) / pages).toFixed(1)} ms`
  report.seen[name] =
    `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, CPU ${cpu(large)}${small ? `, in the small shop ${cpu(small)}` : ''}`
  if (p50 > p50Ms) report.violations.push(`${name}: p50 ${p50.toFixed(1)} ms`)
}

// Answers the paths of the products.
async function readSitemap(origin: string, { products = 0 }: Numbers, { seen, violations }: Seen): Promise<string[]> {
  const { pieces, addresses, largestBytes } = await sitemapOf(origin)
  seen.sitemap = `${pieces} pieces, ${addresses.length} addresses, the largest piece ${Math.round(largestBytes / 1_000)} kB`
  if (new Set(addresses).size !== addresses.length) violations.push('the sitemap names an address twice')
  const paths = productPathsIn(addresses)
  const wanted = Array.from({ length: products }, (_, index) => index + 1).filter((number) => !isDraft(number)).length
  const imported = paths.filter((path) => /-\d+$/.test(path)).length
  if (imported !== wanted) violations.push(`the sitemap names ${imported} products of ${wanted}`)
  return paths
}

const productPathsOf = async (origin: string) => productPathsIn((await sitemapOf(origin)).addresses)

function productPathsIn(addresses: readonly string[]): string[] {
  return addresses.map((address) => new URL(address).pathname).filter((path) => path.includes('/products/'))
}

async function sitemapOf(origin: string) {
  const locations = async (address: string) => {
    const text = await (await fetch(address)).text()
    const found = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, location = '']) => location)
    return { found, bytes: Buffer.byteLength(text) }
  }
  const { found: pieces } = await locations(`${origin}/sitemap.xml`)
  const addresses: string[] = []
  let largestBytes = 0
  for (const piece of pieces) {
    const { found, bytes } = await locations(piece.replaceAll('&#38;', '&').replaceAll('&amp;', '&'))
    addresses.push(...found)
    largestBytes = Math.max(largestBytes, bytes)
  }
  return { pieces: pieces.length, addresses, largestBytes }
}

async function unreadable(base: string, product: string): Promise<string[]> {
  const browser = await launchBrowser()
  const faults: string[] = []
  try {
    for (const viewport of [
      { width: 1280, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const tab = await (await browser.newContext({ viewport, locale: 'en-GB' })).newPage()
      for (const path of ['/', '/categories/kitchen', '/search?q=bowl', product, '/nowhere']) {
        await tab.goto(base + path)
        faults.push(...(await faultsOf(tab)).map((fault) => `${path}: ${fault}`))
        const overhang = await tab.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        if (overhang > 0) faults.push(`${path}: wider than the window by ${overhang}`)
      }
    }
  } finally {
    await browser.close()
  }
  return faults
}
