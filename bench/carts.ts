// What does a cart write cost, and on what does the cost depend? Quantity changes, each with its own key, each one durable
// transaction with its event: on a cart of one line, of ten and of a hundred, and in a shop with ten codes and with ten
// thousand. Prints CPU per request of the server, as ratios of medians over alternating rounds.
//
//   npm run -s bench:carts -- [--rounds 5] [--seconds 2]
//
// The answer and the event hold the whole cart, so the cost grows with its lines; it must not grow with anything else.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '2' } },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const main = join(import.meta.dirname, '..', 'src', 'main.ts')
const folder = await mkdtemp(join(tmpdir(), 'cartwright-carts-'))

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function start(args: readonly string[], settings: Readonly<Record<string, string>>) {
  const env = {
    PATH: process.env.PATH,
    CARTWRIGHT_RATE_LIMIT: 'off',
    CARTWRIGHT_SECRET: 'carts-'.repeat(8),
    ...settings,
  }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.setEncoding('utf8')
  return child
}

async function run(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<string> {
  const child = start(args, settings)
  let out = ''
  child.stdout.on('data', (text: string) => {
    out += text
  })
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${out}`)
  return out
}

interface Shop {
  origin: string
  key: string
  skuIds: string[]
  stop(): Promise<void>
}

const productCount = 100

async function openShop(codes: number): Promise<Shop> {
  const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, `${codes}.db`)}` }
  const file = join(folder, `${codes}.json`)
  await writeFile(
    file,
    JSON.stringify({
      merchant: { slug: 'bench', name: 'Bench', currency: 'EUR', country: 'DE' },
      products: Array.from({ length: productCount }, (_, i) => ({
        slug: `p${i}`,
        name: `Product ${i}`,
        skus: [{ code: `P${i}`, price: 999 + i, stock: 1_000_000, weightGrams: 100 }],
      })),
      taxes: [{ country: 'DE', rate: 1900 }],
      promotions: Array.from({ length: codes }, (_, i) => ({
        code: `CODE${i}`,
        name: `Code ${i}`,
        type: 'percentage',
        percentage: 1000,
      })),
      installations: [{ name: 'Bench', mode: 'test' }],
    }),
  )
  await run(['apply', file], settings)
  const { key } = JSON.parse(
    await run(['keys', 'create', '--name', 'bench', '--scopes', 'catalog:read,checkout:quote', '--json'], settings),
  )
  const child = start(['serve'], { ...settings, PORT: '0', HOST: '127.0.0.1' })
  let printed = ''
  const port = await new Promise<string>((resolve) => {
    child.stdout.on('data', (text: string) => {
      if (printed.length < 10_000) printed += text
      const [, found] = /"message":"listening".*?"port":(\d+)/.exec(printed) ?? []
      if (found) resolve(found)
    })
  })
  const origin = `http://127.0.0.1:${port}`
  const skuIds: string[] = []
  for (let i = 0; i < productCount; i += 1) {
    const response = await fetch(`${origin}/api/v1/open/catalog/products/p${i}`, { headers: { authorization: key } })
    skuIds.push(((await response.json()) as { data: { skus: { id: string }[] } }).data.skus[0]?.id ?? '')
  }
  return {
    origin,
    key,
    skuIds,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'close')
    },
  }
}

async function post(shop: Shop, method: string, path: string, body: object) {
  const response = await fetch(shop.origin + path, {
    method,
    headers: { authorization: shop.key, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, idempotencyKey: randomUUID() }),
  })
  if (response.status !== 200) throw new Error(`${method} ${path}: ${await response.text()}`)
  return (await response.json()) as { data: { id: string } }
}

async function newCart(shop: Shop, lines: number): Promise<string> {
  const items = shop.skuIds.slice(0, lines).map((skuId) => ({ skuId, quantity: 1 }))
  const { data } = await post(shop, 'POST', '/api/v1/open/storefront/carts', { items })
  await post(shop, 'PUT', `/api/v1/open/storefront/carts/${data.id}/promotion`, { code: 'CODE7' })
  return data.id
}

async function cpuSeconds(origin: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text()
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1])
}

let keys = 0
async function measure(shop: Shop, lines: number): Promise<{ cpu: number; perSecond: number }> {
  // Sixteen shoppers, each with a cart: one cart would only measure its lock.
  const carts = await Promise.all(Array.from({ length: 16 }, () => newCart(shop, lines)))
  const requests = carts.map((cartId) => ({
    method: 'PATCH' as const,
    path: `/api/v1/open/storefront/carts/${cartId}/items/${shop.skuIds[0]}`,
    headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
    setupRequest: (request: autocannon.Request) => {
      keys += 1
      return { ...request, body: `{"idempotencyKey":"bench-${keys}","quantity":${1 + (keys % 900)}}` }
    },
  }))
  const before = await cpuSeconds(shop.origin)
  const result = await autocannon({ url: shop.origin, connections: 16, duration: seconds, requests })
  const after = await cpuSeconds(shop.origin)
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`the load was not valid: ${result.non2xx} refused, ${result.errors} errors`)
  return { cpu: ((after - before) / result.requests.total) * 1e6, perSecond: result.requests.average }
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
const range = (numbers: readonly number[]) => `${Math.min(...numbers).toFixed(0)}–${Math.max(...numbers).toFixed(0)}`

try {
  const [few, many] = [await openShop(10), await openShop(10_000)]
  const cases = [
    { name: '1 line, 10 codes', shop: few, lines: 1 },
    { name: '1 line, 10,000 codes', shop: many, lines: 1 },
    { name: '10 lines, 10 codes', shop: few, lines: 10 },
    { name: '100 lines, 10 codes', shop: few, lines: 100 },
    { name: '100 lines, 10,000 codes', shop: many, lines: 100 },
  ]
  const results = cases.map(() => ({ cpu: [] as number[], perSecond: [] as number[] }))
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { shop, lines }] of cases.entries()) {
      const { cpu, perSecond } = await measure(shop, lines)
      results[index]?.cpu.push(cpu)
      results[index]?.perSecond.push(perSecond)
    }
  }
  const base = median(results[0]?.cpu ?? [])
  for (const [index, { name, lines }] of cases.entries()) {
    const { cpu = [], perSecond = [] } = results[index] ?? {}
    say(
      `${name.padEnd(24)} ${median(cpu).toFixed(0)} µs CPU a write (${range(cpu)}), ${median(perSecond).toFixed(0)} a second, ` +
        `${(median(cpu) / base).toFixed(2)}× one line; beyond the first, ${lines > 1 ? ((median(cpu) - base) / (lines - 1)).toFixed(1) : '–'} µs a line`,
    )
  }
  await Promise.all([few.stop(), many.stop()])
} finally {
  await rm(folder, { recursive: true, force: true })
}
