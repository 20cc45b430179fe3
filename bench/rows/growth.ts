// Does anything grow with the data? The same shop with a thousand and a hundred thousand products and orders, and on
// request a million, measured in turns. Also: how long an import takes, and how much memory it needs.

import { join } from 'node:path'
import { Pool } from 'undici'
import { repeatOrder } from '../history.ts'
import { type Ask, measure, type Stretch, turned } from '../load.ts'
import type { Running } from '../process.ts'
import { buy, purchase } from '../purchase.ts'
import {
  alternate,
  atMost,
  type Circumstances,
  type Findings,
  type Growth,
  loadNotes,
  medianOf,
  type Ratio,
  type Row,
  rangeOf,
  type Side,
} from '../row.ts'
import { api, get, importProducts, makeShop, openShop, type ShopData, someSlugs } from '../shop.ts'
import { cartLoad } from './carts.ts'

export const growthRows: readonly Row[] = [
  {
    name: 'growth',
    question: 'The same work with more products and orders',
    run: runGrowth,
  },
]

interface GrownShop {
  size: number
  shop: ShopData
  slugs: readonly string[]
  startMs: number[]
  startAfterKillMs: number
}

async function runGrowth(circumstances: Circumstances): Promise<Findings> {
  const { sizes, connections, seconds } = circumstances
  const notes: string[] = []
  const shops: GrownShop[] = []
  for (const size of sizes) shops.push(await grow(size, circumstances, notes))
  await timeStarts(shops, circumstances)
  const servers = new Map<GrownShop, Running>()
  for (const grown of shops) servers.set(grown, await openShop(grown.shop))

  const works: Record<string, (grown: GrownShop, server: Running) => Promise<() => Promise<Stretch>>> = {
    // The same number of addresses in each shop, spread over all of it: more would not fit into the server's cache of
    // answers.
    'product read': async ({ shop, slugs }, server) => {
      const asks = spread(slugs, Math.min(...shops.map((other) => other.slugs.length))).map(
        (slug): Ask => get(shop, `${api}/catalog/products/${slug}`),
      )
      return () => measure({ server, asks: (at) => turned(asks, at, connections), connections, seconds })
    },
    'cart write': async ({ shop }, server) => {
      const load = await cartLoad(server, shop, 3, circumstances)
      return () => measure({ ...load, server })
    },
    'order list': async ({ shop }, server) => {
      const asks = [get(shop, `${api}/storefront/orders`)]
      return () => measure({ server, asks: () => asks, connections, seconds })
    },
    purchase: async ({ shop }, server) => {
      return () => purchase({ server, shop, shoppers: connections, seconds })
    },
  }

  const sides: Side[] = []
  const growth: Growth[] = []
  for (const [work, prepare] of Object.entries(works)) {
    circumstances.say(`  ${work}`)
    const turns: Record<string, () => Promise<Stretch>> = {}
    for (const [grown, server] of servers) turns[nameOf(work, grown)] = await prepare(grown, server)
    const runs = await alternate(circumstances, turns)
    const ofWork = shops.map((grown): Side => {
      const name = nameOf(work, grown)
      return { name, unit: work === 'purchase' ? 'purchase' : 'request', runs: runs[name] ?? [] }
    })
    sides.push(...ofWork)
    growth.push(growthOf(work, 'µs CPU', shops, (at) => medianOf(ofWork[at] as Side, 'cpuUs')))
  }
  const memory: number[] = []
  for (const [{ size }, server] of servers) {
    const { privateBytes, rssBytes } = await server.usage()
    memory.push(privateBytes / 2 ** 20)
    notes.push(
      `Memory at the end with ${count(size)}: ${megabytes(privateBytes)} private, ${megabytes(rssBytes)} with mapped pages of the ` +
        'database, which belong to the system cache.',
    )
  }
  growth.push(growthOf('private memory', 'MB', shops, (at) => memory[at] ?? 0))
  growth.push(growthOf('start', 'ms', shops, (at) => rangeOf(shops[at]?.startMs ?? []).median))
  for (const server of servers.values()) await server.stop()
  // Last, because the file is checked after a kill, which would affect other measurements.
  for (const grown of shops) {
    await timeStart(grown.shop, 'SIGKILL')
    grown.startAfterKillMs = await timeStart(grown.shop, 'SIGTERM')
  }

  const largest = shops.at(-1)?.size ?? 0
  const ratios = growth.map(({ what, points }): Ratio => {
    const last = points.at(-1)
    if (what === 'start')
      return {
        what: `start with ${count(largest)} products and orders`,
        value: last?.value ?? 0,
        bar: atMost(1_000),
        unit: 'ms',
      }
    return {
      what: `${what}, ${count(largest)} against ${count(sizes[0] ?? 0)}`,
      value: last?.multiple ?? 0,
      bar: atMost(1.3),
      unit: '×',
    }
  })
  for (const { size, startAfterKillMs } of shops)
    notes.push(`Start with ${count(size)} after a kill, while the file is checked: ${startAfterKillMs.toFixed(0)} ms.`)
  return { sides, ratios, notes: [...notes, ...loadNotes(sides)], growth }
}

async function grow(size: number, circumstances: Circumstances, notes: string[]): Promise<GrownShop> {
  const { folder, say } = circumstances
  const databaseUrl = `sqlite:${join(folder, `growth-${size}.db`)}`
  const shop = await makeShop({ folder, databaseUrl })
  const plan = { folder, settings: shop.settings, products: size }
  const first = await importProducts(plan)
  const second = await importProducts(plan)
  const { created } = JSON.parse(first.out) as { created: number }
  const { unchanged } = JSON.parse(second.out) as { unchanged: number }
  const note =
    `Import of ${count(size)} products: ${count(created)} created in ${first.seconds.toFixed(1)} s, at most ${first.peakMb} MB of private memory. ` +
    `Second import: ${count(unchanged)} unchanged, ${second.seconds.toFixed(1)} s, ${second.peakMb} MB.`
  say(`  ${note}`)
  notes.push(note)
  const server = await openShop(shop)
  const pool = new Pool(server.origin)
  const sessionId = await buy(pool, shop, 0)
  await pool.close()
  const slugs = await someSlugs(server, shop.key, Math.max(1, Math.round(size / 5_000)))
  await server.stop()
  await repeatOrder(databaseUrl, sessionId, size)
  return { size, shop, slugs, startMs: [], startAfterKillMs: Number.NaN }
}

async function timeStarts(shops: readonly GrownShop[], { rounds, say }: Circumstances): Promise<void> {
  for (let round = 0; round < rounds; round += 1)
    for (const { shop, startMs } of shops) startMs.push(await timeStart(shop, 'SIGTERM'))
  for (const { size, startMs } of shops)
    say(`  start with ${count(size)}: ${startMs.map((ms) => ms.toFixed(0)).join(', ')} ms`)
}

// Until the first 200 of the readiness probe.
async function timeStart(shop: ShopData, end: NodeJS.Signals): Promise<number> {
  const startedAt = performance.now()
  const server = await openShop(shop)
  const response = await fetch(`${server.origin}/readyz`)
  const tookMs = performance.now() - startedAt
  if (response.status !== 200) throw new Error(`not ready: ${await response.text()}`)
  await server.stop(end)
  return tookMs
}

function spread(slugs: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => slugs[Math.floor((index * slugs.length) / count)] as string)
}

function growthOf(what: string, unit: string, shops: readonly GrownShop[], valueAt: (at: number) => number): Growth {
  const points = shops.map(({ size }, at) => ({ size, value: valueAt(at), multiple: valueAt(at) / valueAt(0) }))
  return { what, unit, points }
}

function nameOf(work: string, { size }: GrownShop): string {
  return `${work}, ${count(size)}`
}

function count(size: number): string {
  return size.toLocaleString('en-US')
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`
}
