// A shop of 100,000 products with 50,000 redirects: what its pages take, whether its sitemap names everything once, and whether old paths
// lead on. `lighthouse` looks at the same shop.

import { launchBrowser } from '../harness/browser.ts'
import { violations as faultsOf } from '../harness/readable.ts'
import { until } from '../harness/until.ts'
import { enlarge, oldPath, openShopAt } from './openshop.ts'
import type { Ground } from './place.ts'
import { quantile } from './quantile.ts'
import type { Numbers, RunResult, RunTools, ServerRun } from './runs.ts'
import { startServer } from './servers.ts'

export const largeShopRun: ServerRun = {
  name: 'large-shop',
  method:
    'a shop with 100,000 imported products and 50,000 redirects behind a server: every kind of page is timed at addresses that are asked once, the sitemap is read to its end, old paths are followed, and axe looks at the pages',
  // `p50Ms`: of each kind of page, on a machine that is not quiet.
  numbers: { products: 100_000, redirects: 50_000, pages: 200, p50Ms: 100 },
  short: { products: 3_000, redirects: 2_000, pages: 40 },
  engines: ['sqlite'],
  runOn: runLargeShop,
}

async function runLargeShop(ground: Ground, numbers: Numbers, { tell, random }: RunTools): Promise<RunResult> {
  const { products = 0, redirects = 0, pages = 0, p50Ms = 0 } = numbers
  const { shop, origin, port } = await openShopAt(ground)
  await enlarge(shop, numbers, tell)
  const { url, rootSecretText } = shop
  const server = await startServer({ url, rootSecretText, port, publicOrigin: origin })
  const seen: Record<string, string> = {}
  const violations: string[] = []
  const base = `${origin}/shop`
  try {
    const mapped = await readSitemap(origin)
    seen.sitemap = `${mapped.pieces} pieces, ${mapped.addresses.length} addresses, the largest piece ${Math.round(mapped.largestBytes / 1_000)} kB`
    const found = new Set(mapped.addresses)
    if (found.size !== mapped.addresses.length) violations.push('the sitemap names an address twice')
    const productPaths = mapped.addresses
      .map((address) => new URL(address).pathname)
      .filter((path) => path.includes('/products/'))
    if (productPaths.length < products) violations.push(`the sitemap names ${productPaths.length} products`)
    // The index of the search is filled by a loop.
    const last = new RegExp(`card-name">[^<]*No\\. ${products}<`)
    await until(async () => last.test(await (await fetch(`${base}/search?q=${products}-1`)).text()), 'the index')
    const some = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value
    const words = ['oak', 'linen', 'bowl', 'lamp', 'large', 'steel', 'coaster', 'wool', 'brass']
    const kinds: Record<string, { path: (at: number) => string; status: number }> = {
      home: { path: (at) => `/?at=${at}`, status: 200 },
      product: { path: () => some(productPaths).slice('/shop'.length), status: 200 },
      category: {
        path: (at) => `/categories/${some(['kitchen', 'mugs-bowls', 'table'])}?sort=price_asc&min=${at % 40}`,
        status: 200,
      },
      search: { path: (at) => `/search?q=${some(words)}+${some(words)}&min=${at % 40}`, status: 200 },
      'old path': { path: () => oldPath(Math.floor(random() * redirects)), status: 301 },
      missing: { path: (at) => `/old-catalogue/none/${some(words)}_${at}.html`, status: 404 },
    }
    for (const [name, { path, status }] of Object.entries(kinds)) {
      const times: number[] = []
      for (let at = 0; at < pages; at += 1) {
        const asked = path(at)
        const startedAt = performance.now()
        const answer = await fetch(base + asked, { redirect: 'manual' })
        await answer.arrayBuffer()
        times.push(performance.now() - startedAt)
        if (answer.status !== status && answer.status !== 303)
          violations.push(`${name}: ${asked} is answered with ${answer.status}`)
      }
      const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
      seen[name] = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
      if (p50 > p50Ms) violations.push(`${name}: p50 ${p50.toFixed(1)} ms`)
      tell(name)
    }
    violations.push(...(await unreadable(base, productPaths[0]?.slice('/shop'.length) ?? '')))
    violations.push(...server.defects())
    return { seen, violations }
  } finally {
    await server.end()
  }
}

async function readSitemap(origin: string) {
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
