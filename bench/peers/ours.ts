// The same shop on our server, by the open interface and the pages of the checkout.

import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { purchaseTogether } from '../../harness/fiveRequests.ts'
import { command, serve } from '../process.ts'
import { sendBy } from '../purchase.ts'
import { api } from '../shop.ts'
import { usageOfTree } from '../tree.ts'
import { callerOf, emailOf, type Ground, materials, type Peer } from './peer.ts'

interface Cart {
  data: { id: string; items: { skuId: string }[] }
}

export async function startOurs(ground: Ground, databaseUrl: string, name: string): Promise<Peer> {
  const { folder, products, connections } = ground
  const settings = { CARTWRIGHT_DATABASE_URL: databaseUrl, NODE_ENV: 'production' }
  const file = join(folder, `${randomUUID()}.json`)
  await writeFile(
    file,
    JSON.stringify({
      merchant: { slug: 'bench', name: 'Bench', currency: 'EUR', country: 'DE' },
      products: products.map((product) => ({
        ...product,
        skus: product.skus.map((sku) => ({ ...sku, weightGrams: 100 })),
      })),
      taxes: [{ country: 'DE', rate: 1900 }],
      shipping: [{ zone: 'home', countries: ['DE'], options: [{ id: 'standard', label: 'Standard', amount: 490 }] }],
      installations: [{ name: 'Bench', mode: 'test' }],
    }),
  )
  await command(folder, ['apply', file], settings)
  const scopes = ['--name', 'bench', '--scopes', 'catalog:read,checkout:quote', '--json']
  const made = await command(folder, ['keys', 'create', ...scopes], settings)
  const { secret: key } = JSON.parse(made.out) as { secret: string }
  const server = await serve(folder, settings)
  const { call, close } = callerOf(server.origin, connections)
  const pool = new Pool(server.origin, { connections, pipelining: 1 })
  const headers = { authorization: `Bearer ${key}` }
  const ask = async <Answer>(method: string, path: string, body?: object) =>
    (await call(method, api + path, headers, body && { ...body, idempotencyKey: randomUUID() })).json as Answer

  // A loop makes the index.
  const hopelessAt = performance.now() + 60_000
  while ((await ask<{ data: unknown[] }>('GET', '/catalog/search?inStock=true&limit=100')).data.length < 100) {
    if (performance.now() > hopelessAt) throw new Error('our search finds too few products')
    await pause(250)
  }
  const skuIds: string[] = []
  for (const { slug } of products.slice(0, 100)) {
    const { data } = await ask<{ data: { skus: { id: string }[] } }>('GET', `/catalog/products/${slug}`)
    skuIds.push(data.skus[0]?.id ?? '')
  }
  const skuId = (number: number) => skuIds[number % skuIds.length] as string
  const newCart = (number: number) =>
    ask<Cart>('POST', '/storefront/carts', { items: [{ skuId: skuId(number), quantity: 1 }] })
  const carts = await Promise.all(Array.from({ length: 16 }, (_, number) => newCart(number)))
  // Our plain list has a hundred products to a page; a shop's own pages list by a search without words.
  const pages = ['/catalog/search?inStock=true&limit=20']
  for (let page = 1; page < 9; page += 1) {
    const { meta } = await ask<{ meta: { next: string } }>('GET', pages.at(-1) as string)
    pages.push(meta.next.slice(api.length))
  }
  return {
    name,
    settings:
      'one process, the pages of the hosted checkout and its test provider, idempotency keys and events as always',
    requestsOfOrder: 5,
    doing: {
      product: async (number) => void (await ask('GET', `/catalog/products/p${number % products.length}`)),
      'list of 20': (number) => twenty(ask('GET', pages[number % pages.length] as string)),
      search: (number) => twenty(ask('GET', `/catalog/search?limit=20&q=${materials[number % materials.length]}`)),
      'new cart': async (number) => void (await newCart(number)),
      quantity: async (number) => {
        const { data } = carts[number % carts.length] as Cart
        await ask('PATCH', `/storefront/carts/${data.id}/items/${skuId(number % carts.length)}`, {
          quantity: 2 + (number % 90),
        })
      },
      'order of three': async (number) => {
        const wanted = { key, skuIds: [skuId(number), skuId(number + 31), skuId(number + 62)], email: emailOf(number) }
        await purchaseTogether(sendBy(pool), [wanted])
      },
    },
    usage: () => usageOfTree(server.pid),
    async stop() {
      await Promise.all([close(), pool.close()])
      await server.stop()
    },
  }
}

async function twenty(answer: Promise<unknown>): Promise<void> {
  const { data } = (await answer) as { data: unknown[] }
  if (data.length !== 20) throw new Error(`we list ${data.length} products`)
}
