// A search with facets in a shop of 100,000 products, on each engine, beside a page of the product list that is not cached. Every
// address is asked for once in thousands, so no answer is.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Ask, dealt, measure, type Stretch } from '../load.ts'
import type { Running } from '../process.ts'
import { profiled } from '../profile.ts'
import {
  alternate,
  atMost,
  type Circumstances,
  type Findings,
  loadNotes,
  medianOf,
  type Row,
  ratioOf,
  type Side,
} from '../row.ts'
import { api, ask, get, makeShop, openShop, type ShopData } from '../shop.ts'
import { quantile } from './admin.ts'
import { onPostgres } from './postgres.ts'

export const searchRows: readonly Row[] = [
  {
    name: 'search',
    question: 'Search with facets among the largest of --sizes, on SQLite',
    run: (circumstances) => runSearch(circumstances, 'search', `sqlite:${join(circumstances.folder, 'search.db')}`),
  },
  {
    name: 'search-postgres',
    question: 'The same search on PostgreSQL, with server and database on the same cores',
    run: (circumstances) =>
      onPostgres('search', (databaseUrl) => runSearch(circumstances, 'search-postgres', databaseUrl)),
  },
]

const materials = ['linen', 'oak', 'stoneware', 'wool', 'copper', 'glass', 'leather', 'cotton', 'steel', 'cork']
const things = [
  'apron',
  'board',
  'mug',
  'scarf',
  'kettle',
  'carafe',
  'pouch',
  'towel',
  'knife',
  'coaster',
  'bowl',
  'lamp',
]
// Numbers that the descriptions of the products contain are left out: they would find every other product.
const prefixes = Array.from({ length: 44 }, (_, index) => String(41 + index))
const addresses = 4_000

// How many of 100,000 products each finds. The numbers in names are matched by their first digits.
const questions: Readonly<Record<string, (at: number) => Record<string, string>>> = {
  'about 20 found': (at) => ({
    q: `${from(materials, at)} ${from(things, at * 7)} ${from(prefixes, at)}`,
    limit: String(20 + (at % 41)),
  }),
  // No product is of such a material: the rarest word is left out.
  'none has all words': (at) => ({
    q: `${from(materials, at)} ${from(things, at * 7 + 1)} ${from(prefixes, at)}`,
    limit: String(20 + (at % 41)),
  }),
  'about 110 found': (at) => ({ q: `${from(prefixes, at)} ${from(materials, at)}`, minPrice: '1', limit: limitOf(at) }),
  'up to 1,000 found, by price': (at) => ({ q: from(prefixes, at), maxPrice: String(2_000 + at), limit: '24' }),
  '10,000 found': (at) => ({ q: from(materials, at), sort: 'newest', minPrice: String(at % 400), limit: limitOf(at) }),
}

async function runSearch(circumstances: Circumstances, name: string, databaseUrl: string): Promise<Findings> {
  const { folder, sizes, connections, seconds } = circumstances
  const products = sizes.at(-1) ?? 0
  const shop = await makeShop({ folder, databaseUrl, imported: products })
  const server = await openShop(shop, profiled(circumstances, name))
  const load =
    (asks: readonly Ask[]): Turn =>
    () =>
      measure({ server, asks: (at) => dealt(asks, at, connections), connections, seconds })
  const list = await listPages(server, shop)
  const turns: Record<string, Turn> = { 'list page of 100': load(list) }
  for (const [what, question] of Object.entries(questions)) {
    const asks = Array.from({ length: addresses }, (_, at) =>
      get(shop, `${api}/catalog/search?${new URLSearchParams(question(at))}`),
    )
    turns[what] = load(asks)
  }
  turns[meanwhile] = () => readMeanwhile(server, shop, turns['up to 1,000 found, by price'] as Turn)
  // The first search reads the columns into memory, which takes seconds.
  await ask(server, shop.key, 'GET', `${api}/catalog/search?q=linen`)
  const runs = await alternate(circumstances, turns)
  await server.stop()
  const sides = Object.entries(runs).map(
    ([side, stretches]): Side => ({ name: side, unit: 'request', runs: stretches }),
  )
  const [ceiling, ...others] = sides as [Side, ...Side[]]
  const searches = others.filter(({ name }) => name !== meanwhile)
  return {
    sides,
    ratios: searches.flatMap((side) => [
      ratioOf(`CPU, ${side.name}`, 'cpuUs', [side, ceiling], atMost(5)),
      { what: `p99, ${side.name}`, value: medianOf(side, 'p99Ms'), bar: atMost(50), unit: 'ms' },
    ]),
    notes: [
      `${products.toLocaleString('en')} products. ${list.length} list pages and ${addresses} searches of each kind in turn: no answer is cached.`,
      ...(name === 'search' ? [] : ['CPU is that of our server process; PostgreSQL counts as other load.']),
      ...loadNotes(sides),
    ],
  }
}

type Turn = () => Promise<Partial<Stretch>>

const meanwhile = 'a product, while up to 1,000 are searched for'
const readEveryMs = 5

// How long somebody waits who does not search, beside those who do.
async function readMeanwhile(server: Running, shop: ShopData, search: Turn): Promise<Partial<Stretch>> {
  const waitsMs: number[] = []
  let isOver = false
  const searching = search().finally(() => {
    isOver = true
  })
  while (!isOver) {
    const startedAt = performance.now()
    await ask(server, shop.key, 'GET', `${api}/catalog/products/${shop.slugs[0]}`)
    waitsMs.push(performance.now() - startedAt)
    await pause(readEveryMs)
  }
  await searching
  return { p50Ms: quantile(waitsMs, 0.5), p99Ms: quantile(waitsMs, 0.99) }
}

// More than the server caches.
const listPagesMax = 600

async function listPages(server: Running, shop: ShopData): Promise<Ask[]> {
  const asks: Ask[] = []
  let link: string | null = `${api}/catalog/products`
  while (link && asks.length < listPagesMax) {
    asks.push(get(shop, link))
    const page = (await ask(server, shop.key, 'GET', link)) as { meta: { next: string | null } }
    link = page.meta.next
  }
  return asks
}

function from(words: readonly string[], at: number): string {
  return words[at % words.length] ?? ''
}

// 41 has no factor in common with the lists of words, so addresses repeat only after thousands.
function limitOf(at: number): string {
  return String(10 + (at % 41))
}
