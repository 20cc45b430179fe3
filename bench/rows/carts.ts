// Writes to carts: changes of a quantity, each with its own key, each one durable transaction with its event. On SQLite
// compared with a bare route and with one commit per request; then what the cost depends on, which may be the lines of
// the cart and nothing else.

import { join } from 'node:path'
import { startBare } from '../bare.ts'
import { type Ask, type Load, measure } from '../load.ts'
import type { Running } from '../process.ts'
import { profiled } from '../profile.ts'
import {
  alternate,
  atLeast,
  atMost,
  type Circumstances,
  type Findings,
  loadNotes,
  medianOf,
  type Row,
  ratioOf,
  type Side,
} from '../row.ts'
import { api, makeShop, newCart, openShop, type ShopData } from '../shop.ts'

export const cartRows: readonly Row[] = [
  {
    name: 'cart-write',
    question: 'Change a quantity on SQLite, with idempotency key and event, synced to disk',
    run: runCartWrite,
  },
  {
    name: 'cart-size',
    question: 'Does the cost of a cart write depend on anything but its number of lines?',
    run: runCartSize,
  },
]

let keys = 0

function quantityChange(shop: ShopData, cartId: string): Ask {
  return {
    method: 'PATCH',
    path: `${api}/storefront/carts/${cartId}/items/${shop.skuIds[0]}`,
    headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
    body: () => {
      keys += 1
      return `{"idempotencyKey":"bench-${process.pid}-${keys}","quantity":${100 + (keys % 800)}}`
    },
  }
}

export interface CartLoad extends Pick<Load, 'asks' | 'connections' | 'seconds'> {
  carts: readonly { key: string; ask: Ask }[]
}

// Each connection is a shopper with a cart: with one cart for all, only its lock would be measured.
export async function cartLoad(
  server: Running,
  shop: ShopData,
  lines: number,
  { connections, seconds }: Pick<Circumstances, 'connections' | 'seconds'>,
): Promise<CartLoad> {
  const carts: { key: string; ask: Ask }[] = []
  for (let number = 0; number < connections; number += 1) {
    const cartId = await newCart(server, shop, lines)
    carts.push({ key: cartId, ask: quantityChange(shop, cartId) })
  }
  return {
    carts,
    asks: (connection) => carts.slice(connection, connection + 1).map(({ ask }) => ask),
    connections,
    seconds,
  }
}

async function runCartWrite(circumstances: Circumstances): Promise<Findings> {
  const { folder } = circumstances
  const shop = await makeShop({ folder, databaseUrl: `sqlite:${join(folder, 'cart-write.db')}`, imported: 900 })
  const other = await makeShop({ folder, databaseUrl: `sqlite:${join(folder, 'cart-single.db')}`, imported: 900 })
  const server = await openShop(shop, profiled(circumstances, 'cart-write'))
  const single = await openShop(other, { script: join(import.meta.dirname, '..', 'server.ts'), args: [] })
  const load = await cartLoad(server, shop, 3, circumstances)
  const singleLoad = await cartLoad(single, other, 3, circumstances)
  const path = `${api}/storefront/carts/:key/items/:sku`
  const bare = await startBare({ folder, server, path, asks: load.carts })
  const runs = await alternate(circumstances, {
    bare: () => measure({ ...load, server: bare }),
    ours: () => measure({ ...load, server }),
    single: () => measure({ ...singleLoad, server: single }),
  })
  await Promise.all([server, single, bare].map((running) => running.stop()))
  const ceiling = { name: 'bare Fastify PATCH, same bytes', unit: 'write', runs: runs.bare }
  const ours = { name: 'ours', unit: 'write', runs: runs.ours }
  const oneEach = { name: 'ours with one commit per request', unit: 'write', runs: runs.single }
  return {
    sides: [ceiling, ours, oneEach],
    ratios: [
      ratioOf('CPU per write', 'cpuUs', [ours, ceiling], atMost(4)),
      ratioOf('throughput of group commit against one commit each', 'perSecond', [ours, oneEach], atLeast(2)),
    ],
    notes: [`Carts of three lines with a promotion, one for each connection.`, ...loadNotes([ceiling, ours, oneEach])],
  }
}

async function runCartSize(circumstances: Circumstances): Promise<Findings> {
  const { folder } = circumstances
  const open = async (codes: number) => {
    const shop = await makeShop({ folder, databaseUrl: `sqlite:${join(folder, `codes-${codes}.db`)}`, codes })
    return { shop, server: await openShop(shop) }
  }
  const [few, many] = [await open(10), await open(10_000)]
  const cases = [
    { name: '1 line, 10 codes', ...few, lines: 1 },
    { name: '1 line, 10,000 codes', ...many, lines: 1 },
    { name: '10 lines, 10 codes', ...few, lines: 10 },
    { name: '100 lines, 10 codes', ...few, lines: 100 },
    { name: '100 lines, 10,000 codes', ...many, lines: 100 },
  ]
  const turns: Record<string, () => ReturnType<typeof measure>> = {}
  for (const { name, server, shop, lines } of cases) {
    const load = await cartLoad(server, shop, lines, circumstances)
    turns[name] = () => measure({ ...load, server })
  }
  const runs = await alternate(circumstances, turns)
  await Promise.all([few.server.stop(), many.server.stop()])
  const sides = cases.map(({ name }): Side => ({ name, unit: 'write', runs: runs[name] ?? [] }))
  const [one, oneMany, , hundred, hundredMany] = sides as [Side, Side, Side, Side, Side]
  const perLineUs = (medianOf(hundred, 'cpuUs') - medianOf(one, 'cpuUs')) / 99
  return {
    sides,
    ratios: [
      ratioOf('CPU with 10,000 codes against 10, one line', 'cpuUs', [oneMany, one], null),
      ratioOf('CPU with 10,000 codes against 10, a hundred lines', 'cpuUs', [hundredMany, hundred], null),
      { what: 'CPU for each additional line', value: perLineUs, bar: null, unit: 'µs' },
    ],
    notes: ['Answer and event contain the whole cart, so each line adds to the cost of a write.', ...loadNotes(sides)],
  }
}
