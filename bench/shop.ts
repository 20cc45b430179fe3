// The measured shop: its data, created by the operator's own commands, its key, and the calls that prepare a load.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shopifyCsv } from '../harness/catalog.ts'
import type { Ask } from './load.ts'
import { command, type Outcome, type Running, type Settings, type StartOptions, serve } from './process.ts'

export interface ShopData {
  folder: string
  settings: Settings
  key: string
  skuIds: readonly string[]
  // Of the products that were created with the shop.
  slugs: readonly string[]
}

export interface ShopPlan {
  folder: string
  databaseUrl: string
  // In addition to the hundred that have plenty of stock.
  imported?: number
  codes?: number
}

export const merchantSlug = 'bench'
const plentyCount = 100

export async function makeShop({ folder, databaseUrl, imported = 0, codes = 10 }: ShopPlan): Promise<ShopData> {
  const settings = { CARTWRIGHT_DATABASE_URL: databaseUrl }
  const name = randomUUID()
  const file = join(folder, `${name}.json`)
  await writeFile(file, JSON.stringify(shopFile(codes)))
  await command(folder, ['apply', file], settings)
  if (imported > 0) await importProducts({ folder, settings, products: imported })
  const made = await command(
    folder,
    ['keys', 'create', '--name', 'bench', '--scopes', 'catalog:read,checkout:quote', '--json'],
    settings,
  )
  const { secret: key } = JSON.parse(made.out) as { secret: string }
  const server = await serve(folder, settings)
  const slugs = Array.from({ length: plentyCount }, (_, index) => `p${index}`)
  const skuIds: string[] = []
  for (const slug of slugs) {
    const { data } = (await ask(server, key, 'GET', `${api}/catalog/products/${slug}`)) as {
      data: { skus: { id: string }[] }
    }
    skuIds.push(data.skus[0]?.id ?? '')
  }
  await server.stop()
  return { folder, settings, key, skuIds, slugs }
}

// With everything that the duties of a shop in the EU ask for.
export async function makeLawfulShop(plan: ShopPlan): Promise<ShopData> {
  const { folder, codes = 10 } = plan
  const shop = await makeShop(plan)
  const file = join(folder, `${randomUUID()}.json`)
  await writeFile(file, JSON.stringify(lawfulFile(codes)))
  await command(folder, ['apply', file], shop.settings)
  return shop
}

export function shopFile(codes: number) {
  return {
    merchant: { slug: merchantSlug, name: 'Bench', currency: 'EUR', country: 'DE' },
    products: Array.from({ length: plentyCount }, (_, index) => ({
      slug: `p${index}`,
      name: `Product ${index}`,
      description:
        'Made to be used every day, for years. Wipe clean. Ships within two days and comes back free of charge.',
      tags: ['kitchen', 'oak'],
      options: [{ name: 'Size', values: ['Small', 'Medium', 'Large'] }],
      skus: ['Small', 'Medium', 'Large'].map((size, place) => ({
        code: `P${index}-${place}`,
        price: 999 + index,
        stock: 10_000_000,
        weightGrams: 100,
        options: { Size: size },
      })),
    })),
    taxes: [{ country: 'DE', rate: 1900 }],
    shipping: [{ zone: 'home', countries: ['DE'], options: [{ id: 'standard', label: 'Standard', amount: 490 }] }],
    promotions: Array.from({ length: codes }, (_, index) => ({
      code: `CODE${index}`,
      name: `Code ${index}`,
      type: 'percentage',
      percentage: 1000,
    })),
    installations: [{ name: 'Bench', mode: 'test' }],
  }
}

// The shop of the other rows, with what the law asks for. Prices were higher before, so the reductions are shown.
function lawfulFile(codes: number): object {
  const file = shopFile(codes)
  return {
    ...file,
    merchant: {
      ...file.merchant,
      supportEmail: 'help@bench.example',
      legal: { name: 'Bench GmbH', address: ['Hafenstraße 12', '20457 Hamburg'], vatId: 'DE123456789' },
    },
    makers: [
      {
        slug: 'maker',
        name: 'Maker GmbH',
        address: ['Weg 1', '04177 Leipzig'],
        country: 'DE',
        contact: 'a@maker.example',
      },
    ],
    products: file.products.map((product) => ({
      ...product,
      maker: 'maker',
      warnings: [{ language: 'en', text: 'Keep away from children.' }],
      guarantee: { years: 5 },
      skus: product.skus.map((sku) => ({
        ...sku,
        price: sku.price - 100,
        compareAtPrice: sku.price,
        measure: { amount: 250, unit: 'g', per: 'kg' },
      })),
    })),
  }
}

export interface Import {
  folder: string
  settings: Settings
  products: number
}

export async function importProducts({ folder, settings, products }: Import): Promise<Outcome> {
  const csv = join(folder, `${products}.csv`)
  const file = createWriteStream(csv)
  for (const piece of shopifyCsv(products)) if (!file.write(piece)) await once(file, 'drain')
  file.end()
  await once(file, 'close')
  return command(folder, ['import', csv, '--json'], settings)
}

export function openShop({ folder, settings }: ShopData, options: Partial<StartOptions> = {}): Promise<Running> {
  return serve(folder, settings, options)
}

export const api = '/api/v1/open'

export function get({ key }: ShopData, path: string): Ask {
  return { method: 'GET', path, headers: { authorization: `Bearer ${key}` } }
}

export async function ask(server: Running, key: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(server.origin + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify({ ...body, idempotencyKey: randomUUID() }) }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

// A cart with this many lines and a code.
export async function newCart(server: Running, shop: ShopData, lines: number): Promise<string> {
  const items = shop.skuIds.slice(0, lines).map((skuId) => ({ skuId, quantity: 2 }))
  const { data } = (await ask(server, shop.key, 'POST', `${api}/storefront/carts`, { items })) as {
    data: { id: string }
  }
  await ask(server, shop.key, 'PUT', `${api}/storefront/carts/${data.id}/promotion`, { code: 'CODE7' })
  return data.id
}

// Slugs from all over the catalog: follows the pages and takes every nth.
export async function someSlugs(server: Running, key: string, everyNth: number): Promise<string[]> {
  const slugs: string[] = []
  let link: string | null = `${api}/catalog/products`
  while (link) {
    const page = (await ask(server, key, 'GET', link)) as { data: { slug: string }[]; meta: { next: string | null } }
    slugs.push(...page.data.filter((_, index) => index % everyNth === 0).map(({ slug }) => slug))
    link = page.meta.next
  }
  return slugs
}
