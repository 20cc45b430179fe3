// Does the cost of a read grow with the catalog? Imports a small and a large catalog, serves both at once, and asks them
// in turns: product read of random slugs, and a list page. Prints CPU per request of the server, as ratios of medians.
//
//   npm run -s bench:growth -- [--small 100] [--large 100000] [--rounds 5] [--seconds 3]
//
// The numbers show growth on one machine, with the load on the same cores; they say nothing of absolute speed.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { shopifyCsv } from '../tests/support/catalog.ts'

const { values } = parseArgs({
  options: {
    small: { type: 'string', default: '100' },
    large: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const main = join(import.meta.dirname, '..', 'src', 'main.ts')
const folder = await mkdtemp(join(tmpdir(), 'cartwright-growth-'))

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

interface Shop {
  products: number
  origin: string
  key: string
  slugs: string[]
  stop(): Promise<void>
}

function start(args: readonly string[], settings: Readonly<Record<string, string>>) {
  const env = {
    PATH: process.env.PATH,
    CARTWRIGHT_RATE_LIMIT: 'off',
    CARTWRIGHT_SECRET: 'growth-'.repeat(6),
    LOG_LEVEL: 'info',
    ...settings,
  }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.setEncoding('utf8')
  return child
}

async function run(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<{ out: string; peakMb: number; seconds: number }> {
  const startedAt = performance.now()
  const child = start(args, settings)
  let out = ''
  let peakKb = 0
  child.stdout.on('data', (text: string) => {
    out += text
  })
  const watch = setInterval(async () => {
    const { readFile } = await import('node:fs/promises')
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
  }, 50)
  const [code] = (await once(child, 'close')) as [number]
  clearInterval(watch)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${out}`)
  return { out, peakMb: Math.round(peakKb / 1024), seconds: (performance.now() - startedAt) / 1000 }
}

async function openShop(products: number): Promise<Shop> {
  const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, `${products}.db`)}` }
  const shopFile = join(folder, `${products}.json`)
  await writeFile(
    shopFile,
    JSON.stringify({
      merchant: { slug: 'growth', name: 'Growth', currency: 'EUR', country: 'DE' },
      installations: [{ name: 'Bench', mode: 'test' }],
    }),
  )
  await run(['apply', shopFile], settings)
  const csv = join(folder, `${products}.csv`)
  const file = createWriteStream(csv)
  for (const piece of shopifyCsv(products)) if (!file.write(piece)) await once(file, 'drain')
  file.end()
  await once(file, 'close')
  const imported = await run(['import', csv, '--json'], settings)
  const report = JSON.parse(imported.out)
  const again = await run(['import', csv, '--json'], settings)
  const unchanged = JSON.parse(again.out).unchanged
  say(
    `import of ${products} products: ${report.created} created in ${imported.seconds.toFixed(1)} s, peak memory ${imported.peakMb} MB; ` +
      `again: ${unchanged} as they were in ${again.seconds.toFixed(1)} s, peak ${again.peakMb} MB`,
  )
  const { key } = JSON.parse((await run(['keys', 'create', '--name', 'bench', '--json'], settings)).out)
  const startedAt = performance.now()
  const child = start(['serve'], { ...settings, PORT: '0', HOST: '127.0.0.1' })
  let printed = ''
  const port = await new Promise<string>((resolve) => {
    child.stdout.on('data', (text: string) => {
      if (printed.length < 10_000) printed += text
      const [, found] = /"message":"listening".*?"port":(\d+)/.exec(printed) ?? []
      if (found) resolve(found)
    })
  })
  say(`start with ${products} products: ${Math.round(performance.now() - startedAt)} ms`)
  const origin = `http://127.0.0.1:${port}`
  const slugs = await someSlugs(origin, key)
  return {
    products,
    origin,
    key,
    slugs,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'close')
    },
  }
}

// Up to five thousand slugs from all over the catalog: pages are followed and thinned out.
async function someSlugs(origin: string, key: string): Promise<string[]> {
  const slugs: string[] = []
  let link: string | null = '/api/v1/open/catalog/products'
  while (link) {
    const response: Response = await fetch(origin + link, { headers: { authorization: key } })
    const body = (await response.json()) as { data: { slug: string }[]; meta: { next: string | null } }
    slugs.push(...body.data.filter((_, index) => body.meta.next === null || index % 20 === 0).map(({ slug }) => slug))
    link = body.meta.next
  }
  return slugs
}

async function cpuSeconds(origin: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text()
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1])
}

async function cpuPerRequest(shop: Shop, paths: readonly string[]): Promise<number> {
  const before = await cpuSeconds(shop.origin)
  const result = await autocannon({
    url: shop.origin,
    connections: 16,
    duration: seconds,
    headers: { authorization: `Bearer ${shop.key}` },
    requests: paths.map((path) => ({ method: 'GET' as const, path })),
  })
  const after = await cpuSeconds(shop.origin)
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`the load was not valid: ${result.non2xx} refused, ${result.errors} errors`)
  return ((after - before) / result.requests.total) * 1e6
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
const range = (numbers: readonly number[]) => `${Math.min(...numbers).toFixed(0)}–${Math.max(...numbers).toFixed(0)}`

try {
  const small = await openShop(Number(values.small))
  const large = await openShop(Number(values.large))
  const shuffled = (slugs: readonly string[]) =>
    slugs
      .map((slug, index) => ({ slug, at: (index * 7919) % slugs.length }))
      .sort((a, b) => a.at - b.at)
      .map(({ slug }) => slug)
  const workloads = {
    'product read': (shop: Shop) =>
      shuffled(shop.slugs)
        .slice(0, 5_000)
        .map((slug) => `/api/v1/open/catalog/products/${slug}`),
    'list page': () => ['/api/v1/open/catalog/products'],
  }
  for (const [name, pathsOf] of Object.entries(workloads)) {
    const costs: Record<'small' | 'large', number[]> = { small: [], large: [] }
    for (let round = 0; round < rounds; round += 1) {
      costs.small.push(await cpuPerRequest(small, pathsOf(small)))
      costs.large.push(await cpuPerRequest(large, pathsOf(large)))
    }
    say(
      `${name}: ${median(costs.small).toFixed(0)} µs CPU with ${small.products} products (${range(costs.small)}), ` +
        `${median(costs.large).toFixed(0)} µs with ${large.products} (${range(costs.large)}): ` +
        `${(median(costs.large) / median(costs.small)).toFixed(2)}×`,
    )
  }
  await Promise.all([small.stop(), large.stop()])
} finally {
  await rm(folder, { recursive: true, force: true })
}
