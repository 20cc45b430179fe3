// The page of a product in the shop, compared with the operations under it (the product, and related ones) as a storefront elsewhere would
// ask for them, and with a bare route that answers the same bytes. Of the demo shop, by shoppers without a cart.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startBare } from '../bare.ts'
import { type Ask, measure, turned } from '../load.ts'
import { command, type Running, serve } from '../process.ts'
import { profiled } from '../profile.ts'
import {
  alternate,
  atMost,
  type Circumstances,
  type Findings,
  loadNotes,
  medianOf,
  type Row,
  type Side,
} from '../row.ts'
import { api } from '../shop.ts'

export const siteRows: readonly Row[] = [
  { name: 'site', question: 'The page of a product in the shop, for a shopper without a cart', run: runSite },
]

// The others are asked once a minute.
const readsOfPage = 2

interface Demo {
  keys: { full: string }
  products: { slug: string }[]
}

async function runSite(circumstances: Circumstances): Promise<Findings> {
  const { folder, connections, seconds } = circumstances
  const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'site.db')}` }
  const { keys, products }: Demo = JSON.parse((await command(folder, ['demo', '--json'], settings)).out)
  const server = await serve(folder, settings, { ...profiled(circumstances, 'site'), args: ['serve'] })
  await settled(server)
  const slugs = products.map(({ slug }) => slug)
  const pages: { key: string; ask: Ask }[] = slugs.map((slug) => ({
    key: slug,
    ask: { method: 'GET', path: `/shop/products/${slug}` },
  }))
  const read = (path: string): Ask => ({
    ...{ method: 'GET', path: `${api}/catalog/products/${path}` },
    headers: { authorization: `Bearer ${keys.full}` },
  })
  const reads = slugs.flatMap((slug) => [read(slug), read(`${slug}/related?limit=4`)])
  const zipped = pages.map(({ ask }) => ({ ...ask, headers: { 'accept-encoding': 'gzip' } }))
  const bare = await startBare({ folder, server, path: '/shop/products/:key', asks: pages })
  const load = (asks: readonly Ask[]) => ({
    ...{ asks: (connection: number) => turned(asks, connection, connections), connections, seconds },
  })
  const plain = pages.map(({ ask }) => ask)
  const runs = await alternate(circumstances, {
    bare: () => measure({ ...load(plain), server: bare }),
    reads: () => measure({ ...load(reads), server }),
    page: () => measure({ ...load(plain), server }),
    zipped: () => measure({ ...load(zipped), server }),
  })
  await Promise.all([server.stop(), bare.stop()])
  return judged({
    bare: { name: 'bare Fastify, same bytes', unit: 'request', runs: runs.bare },
    reads: { name: 'product and related, by the API', unit: 'request', runs: runs.reads },
    page: { name: 'page', unit: 'request', runs: runs.page },
    zipped: { name: 'page, gzip', unit: 'request', runs: runs.zipped },
  })
}

// A new demo shop first gets the history of a month, in the same process.
async function settled(server: Running): Promise<void> {
  for (let seconds = 0; seconds < 120; seconds += 2) {
    const before = (await server.usage()).cpuUs
    await pause(2_000)
    if ((await server.usage()).cpuUs - before < 60_000) return
  }
}

function judged({ bare, reads, page, zipped }: Record<'bare' | 'reads' | 'page' | 'zipped', Side>): Findings {
  const [pageUs, bareUs] = [medianOf(page, 'cpuUs'), medianOf(bare, 'cpuUs')]
  const sides = [bare, reads, page, zipped]
  return {
    sides,
    ratios: [
      {
        ...{ what: 'CPU per page, against its reads', value: pageUs / (readsOfPage * medianOf(reads, 'cpuUs')) },
        ...{ bar: atMost(1.5), unit: '×' },
      },
      { what: 'CPU per page, against a bare route', value: pageUs / bareUs, bar: null, unit: '×' },
      { what: 'CPU of gzip', value: medianOf(zipped, 'cpuUs') / pageUs, bar: null, unit: '×' },
    ],
    notes: [`A page is ${readsOfPage} reads; what all pages share is asked once a minute.`, ...loadNotes(sides)],
  }
}
