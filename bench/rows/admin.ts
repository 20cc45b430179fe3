// The admin surface with a shop of some size: 10,000 products are imported by its own operation while the catalog is read, one
// order is copied 250,000 times, and every list, detail, search, report and save is then asked one after the other. What is
// measured is the time of the whole request on this machine, with one caller.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { shopifyCsv } from '../../harness/catalog.ts'
import { cpuOf } from '../../harness/cpu.ts'
import { dayAgo, repeatOrder, spreadSales } from '../history.ts'
import { command, type Running } from '../process.ts'
import { buy } from '../purchase.ts'
import { atMost, type Circumstances, type Findings, type Ratio, type Row, type Side } from '../row.ts'
import { ask, makeShop, openShop, type ShopData } from '../shop.ts'
import { onPostgres } from './postgres.ts'

export const adminRows: readonly Row[] = [
  {
    name: 'admin',
    question: 'Lists, details, search, reports, saves and an import by the admin surface, with 10,000 products',
    run: (circumstances) => runAdmin(circumstances, `sqlite:${join(circumstances.folder, 'admin.db')}`),
  },
  {
    name: 'admin-postgres',
    question: 'The same on PostgreSQL, with server and database on the same cores',
    run: (circumstances) => onPostgres('admin', (databaseUrl) => runAdmin(circumstances, databaseUrl)),
  },
]

const productCount = 10_000
const skusOfLarge = 250
const skusOfBulk = 200
const base = '/api/v1/admin'
const scopes = 'admin:read,admin:catalog,admin:orders,admin:customers'

async function runAdmin({ folder, rounds, sizes, say }: Circumstances, databaseUrl: string): Promise<Findings> {
  const orders = Math.max(...sizes)
  const shop = await makeShop({ folder, databaseUrl })
  const made = await command(folder, ['keys', 'create', '--name', 'admin', '--scopes', scopes, '--json'], shop.settings)
  const { secret: key } = JSON.parse(made.out) as { secret: string }
  const before = await openShop(shop)
  const imported = await importFile(before, shop, key, say)
  const sessionId = await buyOne(before, shop)
  // Until the loops have indexed and counted the order, which its copies then are too.
  await pause(6_000)
  await before.stop()
  await repeatOrder(databaseUrl, sessionId, orders)
  await spreadSales(databaseUrl)
  const server = await openShop(shop)
  // Until the loop has summed the months of the sales.
  await pause(3_000)
  const times = new Map<string, number[]>()
  const databaseMs = databaseUrl.startsWith('postgres') ? cpuOf('postgres', databaseUrl) : () => 0
  const cpuMs = async () => (await server.usage()).cpuUs / 1_000 + databaseMs()
  const costs = new Map<string, number>()
  for (let round = 0; round < rounds; round += 1)
    for (const [name, work] of Object.entries(await asksOf(server, key))) {
      say(`  ${name}, round ${round + 1}`)
      // The first requests of a kind compile and load what they need.
      for (let warm = 0; warm < 5; warm += 1) await work()
      const taken = times.get(name) ?? []
      const cpuBefore = await cpuMs()
      for (let count = 0; count < repetitions(name); count += 1) taken.push(await timed(work))
      times.set(name, taken)
      const cost = ((await cpuMs()) - cpuBefore) / repetitions(name)
      costs.set(name, Math.min(cost, costs.get(name) ?? cost))
    }
  await server.stop()
  const sides = [...times].map(
    ([name, taken]): Side => ({
      name,
      unit: 'request',
      runs: [{ p50Ms: quantile(taken, 0.5), p99Ms: quantile(taken, 0.99) }],
    }),
  )
  return {
    sides,
    ratios: [
      ...[...times].flatMap(([name, taken]) => [
        ...judged(name, taken),
        { what: `${name}, CPU`, value: costs.get(name) ?? 0, bar: null, unit: 'ms' },
      ]),
      ...imported,
    ],
    notes: [
      `${productCount.toLocaleString('en-US')} products, ${orders.toLocaleString('en-US')} orders (the largest of --sizes); one caller, whole requests.`,
      'CPU is that of the server for one request, on PostgreSQL with that of its database, in the round with the least.',
    ],
  }
}

const repetitions = (name: string) => (name.startsWith('save') || name.startsWith('bulk') ? 10 : 60)

function judged(name: string, taken: readonly number[]): Ratio[] {
  const [p50, p95] = [quantile(taken, 0.5), quantile(taken, 0.95)]
  const one = (limit: number): Ratio[] => [{ what: `${name}, p50`, value: p50, bar: atMost(limit), unit: 'ms' }]
  if (name.startsWith('search')) return one(20)
  if (name.startsWith('report')) return one(15)
  if (name.startsWith('save')) return one(150)
  if (name.startsWith('bulk')) return one(250)
  return [...one(15), { what: `${name}, p95`, value: p95, bar: atMost(40), unit: 'ms' }]
}

type Asks = Record<string, () => Promise<unknown>>

async function asksOf(server: Running, key: string): Promise<Asks> {
  const get = (address: string) => () => ask(server, key, 'GET', base + address)
  const first = async (address: string) =>
    ((await ask(server, key, 'GET', base + address)) as { data: { id: string; number?: string }[] }).data[0]
  const [order, product] = [await first('/orders'), await first('/products?sort=oldest')]
  const large = await largeProduct(server, key)
  const skus = await someSkus(server, key)
  let price = 1_000
  return {
    'list of orders': get('/orders'),
    'orders to send': get('/orders?toSend=true&sort=oldest'),
    'orders that are cancelled': get('/orders?status=cancelled'),
    order: get(`/orders/${order?.id}`),
    customer: get(`/orders/${order?.id}/customer`),
    'list of products': get('/products'),
    'products by a word': get('/products?q=500'),
    product: get(`/products/${product?.id}`),
    'list of SKUs': get('/skus'),
    'SKUs by stock': get('/skus?sort=stock'),
    'SKUs that are low': get('/skus?stock=low'),
    categories: get('/categories'),
    promotions: get('/promotions'),
    shop: get('/shop'),
    home: get('/home'),
    changes: get('/changes'),
    imports: get('/transfers'),
    'search for a number': get(`/search?q=${order?.number}`),
    'search for an e-mail': get('/search?q=ada%40example.com'),
    'search for a product': get('/search?q=product'),
    'report of a year': get(`/reports/sales?from=${dayAgo(364)}&to=${dayAgo(0)}&by=month`),
    'report of a year by product': get(`/reports/sales?from=${dayAgo(364)}&to=${dayAgo(0)}&by=product`),
    'save of a product with 250 SKUs': async () => {
      price += 1
      const { version, product: entry } = large
      const changed = { ...entry, skus: entry.skus.map((sku) => ({ ...sku, price })) }
      const body = { expectedVersion: version, product: changed }
      const answer = (await ask(server, key, 'PUT', `${base}/products/${large.id}`, body)) as { data: Large }
      Object.assign(large, answer.data)
    },
    'bulk of 200 SKUs': async () => {
      price += 1
      await ask(server, key, 'PATCH', `${base}/skus`, {
        rows: skus.map((skuId) => ({ skuId, price, compareAtPrice: null, adjustBy: 1 })),
      })
    },
  }
}

interface Large {
  id: string
  version: number
  product: { skus: object[] }
}

async function largeProduct(server: Running, key: string): Promise<Large> {
  const slug = `large-${randomUUID()}`
  const values = Array.from({ length: skusOfLarge }, (_, index) => `Value ${index}`)
  const skus = values.map((Kind, index) => ({ code: `${slug}-${index}`, price: 1_000, stock: 5, options: { Kind } }))
  const product = { slug, name: 'Large', options: [{ name: 'Kind', values }], skus }
  return ((await ask(server, key, 'POST', `${base}/products`, { product })) as { data: Large }).data
}

async function someSkus(server: Running, key: string): Promise<string[]> {
  const ids: string[] = []
  let next: string | null = `${base}/skus`
  while (next !== null && ids.length < skusOfBulk) {
    const page = (await ask(server, key, 'GET', next)) as { data: { id: string }[]; meta: { next: string | null } }
    ids.push(...page.data.map(({ id }) => id))
    next = page.meta.next
  }
  return ids.slice(0, skusOfBulk)
}

const pieceLength = 250_000

async function importFile(server: Running, shop: ShopData, key: string, say: (line: string) => void): Promise<Ratio[]> {
  const text = [...shopifyCsv(productCount)].join('')
  const pieces = Math.ceil(text.length / pieceLength)
  const begin = { kind: 'products', name: 'bench.csv', pieces }
  const cpuBefore = (await server.usage()).cpuUs
  const startedAt = performance.now()
  const { data } = (await ask(server, key, 'POST', `${base}/transfers`, begin)) as { data: { id: string } }
  for (let piece = 1; piece <= pieces; piece += 1) {
    const part = text.slice((piece - 1) * pieceLength, piece * pieceLength)
    await ask(server, key, 'PUT', `${base}/transfers/${data.id}/pieces/${piece}`, { text: part })
  }
  const stateOf = async () =>
    ((await ask(server, key, 'GET', `${base}/transfers/${data.id}`)) as { data: { state: string; written: number } })
      .data
  const reads: number[] = []
  let refused = 0
  const readMeanwhile = async (state: string) => {
    for (let count = 0; (await stateOf()).state === state; count += 1)
      for (let more = 0; more < 20; more += 1) {
        const slug = shop.slugs[(count * 20 + more) % shop.slugs.length]
        // A machine that is too busy may have a read refused; that is a number too.
        const took = await timed(() => ask(server, shop.key, 'GET', `/api/v1/open/catalog/products/${slug}`)).catch(
          () => null,
        )
        if (took === null) refused += 1
        else reads.push(took)
        await pause(5)
      }
  }
  await readMeanwhile('planning')
  const plannedAt = performance.now()
  await ask(server, key, 'POST', `${base}/transfers/${data.id}/confirmations`, {})
  await readMeanwhile('writing')
  const { state, written } = await stateOf()
  if (state !== 'done' || written < productCount) throw new Error(`the import is ${state}, ${written} written`)
  const cpuMs = ((await server.usage()).cpuUs - cpuBefore) / 1_000
  const [planMs, allMs] = [plannedAt - startedAt, performance.now() - startedAt]
  say(`  import: planned after ${(planMs / 1_000).toFixed(1)} s, written after ${(allMs / 1_000).toFixed(1)} s`)
  return [
    { what: 'import of 10,000 products', value: allMs, bar: atMost(60_000), unit: 'ms' },
    { what: 'CPU of the server meanwhile', value: cpuMs, bar: null, unit: 'ms' },
    { what: 'of which sending and planning', value: planMs, bar: null, unit: 'ms' },
    { what: 'catalog reads refused meanwhile', value: refused, bar: atMost(0), unit: 'reads' },
    { what: 'catalog reads meanwhile, p50', value: quantile(reads, 0.5), bar: null, unit: 'ms' },
    { what: 'catalog reads meanwhile, p99', value: quantile(reads, 0.99), bar: atMost(50), unit: 'ms' },
  ]
}

export async function buyOne(server: Running, shop: ShopData): Promise<string> {
  const pool = new Pool(server.origin)
  const sessionId = await buy(pool, shop, 0)
  await pool.close()
  return sessionId
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
