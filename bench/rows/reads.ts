// Reads, each compared with a bare route that answers the same bytes: a product with a key and without, a list page, a
// cart that has not changed and one that is priced each time.

import { join } from 'node:path'
import { startBare } from '../bare.ts'
import { type Ask, measure, turned } from '../load.ts'
import type { Running } from '../process.ts'
import { profiled } from '../profile.ts'
import { alternate, atMost, type Circumstances, type Findings, loadNotes, type Row, ratioOf } from '../row.ts'
import { api, ask, makeShop, merchantSlug, newCart, openShop, type ShopData, someSlugs } from '../shop.ts'

interface Read {
  name: string
  question: string
  // In Fastify's syntax.
  path: string
  limit: number
  asks(server: Running, shop: ShopData): Promise<{ key: string; ask: Ask }[]>
}

const cartsCount = 64

const address = {
  name: 'Ada Lovelace',
  line1: 'Unter den Linden 1',
  city: 'Berlin',
  postalCode: '10117',
  country: 'DE',
}

const reads: readonly Read[] = [
  {
    name: 'product-read',
    question: 'Read one of a thousand products, with an API key',
    path: `${api}/catalog/products/:key`,
    limit: 1.7,
    asks: async (server, shop) =>
      (await someSlugs(server, shop.key, 1)).map((slug) => ({
        key: slug,
        ask: { method: 'GET', path: `${api}/catalog/products/${slug}`, headers: bearer(shop) },
      })),
  },
  {
    name: 'public-product-read',
    question: 'Read one of a thousand products, without a key',
    path: `/api/v1/catalog/merchants/${merchantSlug}/products/:key`,
    limit: 1.5,
    asks: async (server, shop) =>
      (await someSlugs(server, shop.key, 1)).map((slug) => ({
        key: slug,
        ask: { method: 'GET', path: `/api/v1/catalog/merchants/${merchantSlug}/products/${slug}` },
      })),
  },
  {
    name: 'product-list',
    question: 'Read a list page of 100 products',
    path: `${api}/catalog/:key`,
    limit: 1,
    asks: async (_server, shop) => [
      { key: 'products', ask: { method: 'GET', path: `${api}/catalog/products`, headers: bearer(shop) } },
    ],
  },
  {
    name: 'cart-read',
    question: 'Read a cart of three lines with a promotion; it has not changed since the last read',
    path: `${api}/storefront/carts/:key`,
    limit: 2,
    asks: (server, shop) => someCarts(server, shop),
  },
  {
    name: 'cart-read-priced',
    question: 'Read a cart with an address: it is looked up, priced and rendered each time',
    path: `${api}/storefront/carts/:key`,
    limit: 3,
    asks: async (server, shop) => {
      const carts = await someCarts(server, shop)
      for (const { ask: read } of carts) await putAddress(server, shop, read.path)
      return carts
    },
  },
]

export const readRows: readonly Row[] = reads.map((read) => ({
  name: read.name,
  question: read.question,
  run: (circumstances) => runRead(read, circumstances),
}))

async function runRead(read: Read, circumstances: Circumstances): Promise<Findings> {
  const { folder, connections, seconds } = circumstances
  const shop = await makeShop({ folder, databaseUrl: `sqlite:${join(folder, `${read.name}.db`)}`, imported: 900 })
  const server = await openShop(shop, profiled(circumstances, read.name))
  const asks = await read.asks(server, shop)
  const bare = await startBare({ folder, server, path: read.path, asks })
  const list = asks.map(({ ask }) => ask)
  const load = { asks: (connection: number) => turned(list, connection, connections), connections, seconds }
  const runs = await alternate(circumstances, {
    bare: () => measure({ ...load, server: bare }),
    ours: () => measure({ ...load, server }),
  })
  await Promise.all([server.stop(), bare.stop()])
  const ceiling = { name: 'bare Fastify, same bytes', unit: 'request', runs: runs.bare }
  const ours = { name: 'ours', unit: 'request', runs: runs.ours }
  return {
    sides: [ceiling, ours],
    ratios: [ratioOf('CPU per request', 'cpuUs', [ours, ceiling], atMost(read.limit))],
    notes: [`${asks.length === 1 ? 'One URL' : `${asks.length} URLs in turn`}.`, ...loadNotes([ceiling, ours])],
  }
}

export async function putAddress(server: Running, { key }: ShopData, cartPath: string): Promise<void> {
  await ask(server, key, 'PUT', `${cartPath}/address`, { address })
}

function someCarts(server: Running, shop: ShopData): Promise<{ key: string; ask: Ask }[]> {
  return Promise.all(
    Array.from({ length: cartsCount }, async () => {
      const cartId = await newCart(server, shop, 3)
      return {
        key: cartId,
        ask: { method: 'GET' as const, path: `${api}/storefront/carts/${cartId}`, headers: bearer(shop) },
      }
    }),
  )
}

function bearer({ key }: ShopData): Record<string, string> {
  return { authorization: `Bearer ${key}` }
}
