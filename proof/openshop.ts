// A shop as a merchant has it, open and with the products of the demo, and how it becomes a large one.

import { readFile } from 'node:fs/promises'
import { shopifyChunks } from '../harness/catalog.ts'
import { freePort } from '../harness/ports.ts'
import { recordMoves } from '../src/domain/redirects/change.ts'
import { openOrClose } from '../src/domain/sites/change.ts'
import { pageRowOf } from '../src/domain/sites/pages.ts'
import { insertPage } from '../src/domain/sites/pagestore.ts'
import { importProducts } from '../src/ops/imports/import.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import type { Ground } from './place.ts'
import type { Numbers, RunTools } from './runs.ts'
import { makeShop, type Shop, standOf } from './shop.ts'

export interface OpenShop {
  shop: Shop
  port: number
  origin: string
}

// Live, alone on the server, with a page of its own.
export async function openShopAt(ground: Ground): Promise<OpenShop> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const demo: ShopFile = JSON.parse(await readFile(new URL('../apps/demo/shop.json', import.meta.url), 'utf8'))
  const shop = await makeShop(ground, [{ ...demo, merchant: { ...demo.merchant, slug: 'lantern' } }])
  const { merchantId } = standOf(shop)
  const now = Date.now()
  const sites = { publicOrigin: () => origin, showsShops: true, demo: undefined }
  await shop.withStorage((storage) =>
    storage.write(async (tx) => {
      await openOrClose(tx, sites, { merchantId, mode: 'live' }, 'open', now)
      await insertPage(tx, merchantId, pageRowOf(about, 1, now))
    }),
  )
  return { shop, port, origin }
}

const about = {
  slug: 'about',
  title: 'About us',
  bodyHtml: '<h2>Our workshop</h2><p>Two people, one kiln and a garden. <a href="/shop/search?q=mug">Our mugs</a></p>',
}

// Through the import, and as renames write redirects.
export async function enlarge(shop: Shop, { products = 0, redirects = 0 }: Numbers, tell: RunTools['tell']) {
  const { merchantId, merchantSlug } = standOf(shop)
  await shop.withStorage(async (storage) => {
    const now = Date.now()
    const onProgress = ({ created }: { created: number }) => tell(`${created} products`)
    await importProducts(storage, shopifyChunks(products), { merchantSlug, now, stock: false, onProgress })
    for (let first = 0; first < redirects; first += movesAtOnce) {
      const count = Math.min(movesAtOnce, redirects - first)
      const moves = Array.from({ length: count }, (_, at) => {
        const number = first + at
        return { from: oldPath(number), to: `/products/${slugs[number % slugs.length]}` }
      })
      await storage.write((tx) => recordMoves(tx, merchantId, moves, 'import', now))
      tell(`${first + count} redirects`)
    }
  })
}

const movesAtOnce = 500
// Of the products of the demo, which the shop has too.
const slugs = ['speckled-stoneware-mug', 'beeswax-pillar-candle', 'linen-apron']
export const oldPath = (number: number) => `/old-catalogue/${number % 100}/thing_${number}.html`
