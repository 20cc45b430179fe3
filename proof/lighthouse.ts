// Every kind of page of a shop in Lighthouse, on a telephone and on a desk. Lighthouse is installed into an empty folder, because only
// this run needs it, and uses the browser of the tests. Its performance is made of times, so it counts on a quiet machine only.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { browserFile } from '../harness/browser.ts'
import { enlarge, openShopAt } from './openshop.ts'
import type { Ground } from './place.ts'
import type { Numbers, RunResult, RunTools, ServerRun } from './runs.ts'
import { startServer } from './servers.ts'

const version = '13.5.0'
const run = promisify(execFile)
const timeoutMs = 300_000

export const lighthouseRun: ServerRun = {
  name: 'lighthouse',
  method: `Lighthouse ${version}, installed from the registry into an empty folder, with the browser of the tests at every kind of page of an open shop with the products of the demo, with its simulated slow telephone and as a desk`,
  // Performance is only held on a quiet machine: --performance 98. A large shop: --products 100000 --redirects 50000.
  numbers: { performance: 0, products: 0, redirects: 0 },
  engines: ['sqlite'],
  runOn: runLighthouse,
}

const pages = {
  home: '/',
  category: '/categories/mugs-bowls',
  search: '/search?q=mug',
  product: '/products/speckled-stoneware-mug',
  page: '/about',
  cart: '/cart',
} as const

const sizes = { telephone: [], desk: ['--preset=desktop'] } as const
const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const
const scoreMin = 98

async function runLighthouse(ground: Ground, numbers: Numbers, tools: RunTools): Promise<RunResult> {
  const { tell } = tools
  const { performance: performanceMin = 0 } = numbers
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-lighthouse-'))
  const { shop, port, origin } = await openShopAt(ground)
  const { url, rootSecretText } = shop
  if (numbers.products) await enlarge(shop, numbers, tools.tell)
  const server = await startServer({ url, rootSecretText, port, publicOrigin: origin })
  const seen: Record<string, string> = {}
  const violations: string[] = []
  try {
    tell('installing')
    await writeFile(join(folder, 'package.json'), '{"private":true}')
    await inFolder('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `lighthouse@${version}`])
    const cookie = await cookieOfCart(`${origin}/shop`)
    for (const [name, path] of Object.entries(pages))
      for (const [size, flags] of Object.entries(sizes)) {
        const scores = await look(`${origin}/shop${path}`, [...flags, ...flagsOf(name, cookie)])
        seen[`${name}, ${size}`] = categories.map((category) => scores[category]).join(' ')
        process.stdout.write(`  ${name}, ${size}: ${seen[`${name}, ${size}`]}\n`)
        for (const category of categories) {
          const least = category === 'performance' ? performanceMin : scoreMin
          if (scores[category] < least) violations.push(`${name}, ${size}: ${category} ${scores[category]}`)
        }
        for (const failed of scores.failed) violations.push(`${name}, ${size}: ${failed}`)
      }
    return { seen: { scores: categories.join(', '), ...seen }, violations }
  } finally {
    await server.end()
    await rm(folder, { recursive: true, force: true })
  }

  async function look(address: string, flags: readonly string[]): Promise<Scores> {
    const file = join(folder, 'result.json')
    const chrome = '--chrome-flags=--headless=new --no-sandbox --disable-gpu'
    const asked = [address, '--quiet', '--output=json', `--output-path=${file}`, chrome, ...flags]
    await inFolder(process.execPath, ['node_modules/lighthouse/cli/index.js', ...asked], await browserFile())
    return scoresIn(JSON.parse(await readFile(file, 'utf8')))
  }

  async function inFolder(program: string, args: readonly string[], chrome = ''): Promise<void> {
    const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`
    await run(program, [...args], {
      cwd: folder,
      timeout: timeoutMs,
      env: { ...process.env, PATH, CHROME_PATH: chrome },
    })
  }
}

// Search engines are kept out of carts and of what is searched for, which Lighthouse would count against them.
function flagsOf(name: string, cookie: string): string[] {
  return [
    ...(name === 'cart' ? [`--extra-headers=${JSON.stringify({ cookie })}`] : []),
    ...(name === 'cart' || name === 'search' ? ['--skip-audits=is-crawlable'] : []),
  ]
}

type Scores = Record<(typeof categories)[number], number> & { failed: string[] }

interface Result {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { score: number | null; title: string; details?: { items?: object[] } }>
}

// A category is shown as Lighthouse shows it, in hundredths. Failed audits of the categories that are not times are named.
function scoresIn({ categories: found, audits }: Result): Scores {
  const failed = Object.entries(found)
    .filter(([name]) => name !== 'performance')
    .flatMap(([, { auditRefs }]) => auditRefs.filter(({ weight }) => weight > 0))
    .filter(({ id }) => audits[id]?.score === 0)
    .map(({ id }) => `${audits[id]?.title} ${JSON.stringify(audits[id]?.details?.items ?? []).slice(0, 400)}`)
  const score = (name: string) => Math.round((found[name]?.score ?? 0) * 100)
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    'best-practices': score('best-practices'),
    seo: score('seo'),
    failed,
  }
}

async function cookieOfCart(shop: string): Promise<string> {
  const page = await (await fetch(`${shop}${pages.product}`)).text()
  const [, sku = ''] = /name="sku" value="([^"]+)"/.exec(page) ?? []
  const body = new URLSearchParams({ sku, quantity: '1', once: crypto.randomUUID() })
  const headers = { origin: new URL(shop).origin }
  const added = await fetch(`${shop}/cart/add`, { method: 'POST', redirect: 'manual', headers, body })
  return added.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
