// A shop in which only the stock matters, and its visible state afterwards.

import assert from 'node:assert/strict'
import { eventSchemas } from '../src/contract/open/events.ts'
import type { EventKind, Mode } from '../src/contract/words.ts'
import { refreshStaleProducts } from '../src/domain/catalog/refresh.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import type { Shortage, StockLine } from '../src/domain/inventory/stock.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import type { MerchantMode } from '../src/platform/kit/mode.ts'
import type { Storage, Tx } from '../src/platform/storage/storage.ts'
import { issuesOf } from './schemas.ts'
import type { Given } from './storage.ts'

export interface StockedSku {
  product: string
  stock: number
  backorder?: boolean
}

export interface World {
  // On hand and held.
  skus: Record<string, [number, number]>
  // Owner, SKU, quantity, expiry.
  holds: [string, string, number, number][]
  // SKU, kind, delta, backordered, owner; without openings.
  movements: [string, string, number, number, string | null][]
  // Installation, kind, SKU, available, sequence.
  events: [string, string, string, number, number][]
  stale: string[]
}

export interface Stockroom {
  storage: Storage
  merchantId: string
  // In test mode.
  seller: MerchantMode
  // The lines of a request: `{ A: 2 }` is two units of the SKU with the code A.
  lines(quantities: Readonly<Record<string, number>>): StockLine[]
  codes(told: readonly (StockLine | Shortage)[]): Record<string, number>
  skuId(code: string): string
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  // The state of a mode, including what is stale at this instant.
  world(now?: number, mode?: Mode): Promise<World>
  apply(change: (file: ShopFile) => ShopFile, options?: { stock?: boolean }): Promise<void>
}

export const start = Date.parse('2026-06-01T12:00:00.000Z')

// In test mode one installation is active and receives events, and one is disabled and does not; in live mode there is
// another. The low-stock threshold is 5.
export async function openStockroom(
  given: Given,
  skus: Readonly<Record<string, StockedSku>>,
  storage?: Storage,
): Promise<Stockroom> {
  const opened = storage ?? (await given.open())
  let file = shopOf(skus)
  const { merchantId, refused } = await applyShop(opened, file, { now: start, stock: false, dryRun: false })
  assert.deepEqual(refused, [])
  await opened.write((tx) => tx.sql`update installations set disabled_at = 1 where name = 'Closed'`)
  const ids = await opened.read((db) => db.sql<{ id: string; code: string }>`select id, code from skus`)
  const idOf = new Map(ids.map(({ id, code }) => [code, id]))
  const codeOf = new Map(ids.map(({ id, code }) => [id, code]))
  const code = (id: string) => codeOf.get(id) ?? id
  const skuId = (name: string) => idOf.get(name) ?? name

  return {
    storage: opened,
    merchantId,
    seller: { merchantId, mode: 'test' },
    skuId,
    lines: (quantities) => Object.entries(quantities).map(([name, quantity]) => ({ skuId: skuId(name), quantity })),
    codes: (told) =>
      Object.fromEntries(
        told.map((line) => [code(line.skuId), 'quantity' in line ? line.quantity : line.available] as const),
      ),
    write: (work) => opened.write(work),
    async apply(change, { stock = false } = {}) {
      file = change(file)
      await applyShop(opened, file, { now: start + 1, stock, dryRun: false })
    },
    async world(now = start, mode = 'test') {
      return opened.read(async (db) => {
        assert.deepEqual(await findViolations(db), [])
        const kept = await db.sql<{ code: string; onHand: number; held: number }>`
          select s.code, t.on_hand as "onHand", t.held from skus s
          join stock t on t.merchant_id = s.merchant_id and t.sku_id = s.id and t.mode = ${mode} order by s.code`
        const holds = await db.sql<{ owner: string; sku: string; quantity: number; expiresAt: number }>`
          select owner_id as "owner", sku_id as "sku", quantity, expires_at as "expiresAt" from holds where mode = ${mode}`
        const movements = await db.sql<{
          sku: string
          kind: string
          delta: number
          backordered: number
          owner: string | null
        }>`select sku_id as "sku", kind, delta, backordered, owner_id as "owner" from stock_movements
          where kind <> 'opening' and mode = ${mode} order by id`
        const events = await db.sql<{ body: string; installation: string }>`
          select e.body, i.name as "installation" from events e join installations i on i.id = e.installation_id
          where i.mode = ${mode} order by e.id`
        const stale = await db.sql<{ slug: string }>`
          select slug from listed_products where stale_at <= ${now} and mode = ${mode} order by slug`
        return {
          skus: Object.fromEntries(kept.map((sku) => [sku.code, [sku.onHand, sku.held]])),
          holds: holds
            .map((hold): World['holds'][number] => [hold.owner, code(hold.sku), hold.quantity, hold.expiresAt])
            .sort(),
          movements: movements.map((move) => [code(move.sku), move.kind, move.delta, move.backordered, move.owner]),
          events: events.map(({ body, installation }) => eventOf(body, installation)),
          stale: stale.map(({ slug }) => slug),
        }
      })
    },
  }
}

// Renders until nothing is stale.
export async function refreshAll({ storage }: Stockroom, now: number): Promise<void> {
  while ((await refreshStaleProducts(storage, now, 50)) > 0);
}

function eventOf(text: string, installation: string): World['events'][number] {
  const event = JSON.parse(text)
  const schema = eventSchemas.get(event.type as EventKind)
  assert.ok(schema)
  assert.deepEqual(issuesOf(schema, event), [])
  assert.equal(event.subject.id, event.data.sku.id)
  return [installation, event.type, event.data.sku.code, event.data.sku.availableQuantity, event.sequence]
}

function shopOf(skus: Readonly<Record<string, StockedSku>>): ShopFile {
  const products = Map.groupBy(Object.entries(skus), ([, { product }]) => product)
  return {
    merchant: { slug: 'stocked', name: 'Stocked', currency: 'EUR', country: 'DE', lowStockAt: 5 },
    products: [...products].map(([slug, theirs]) => ({
      slug,
      name: slug.toUpperCase(),
      ...(theirs.length > 1 ? { options: [{ name: 'Kind', values: theirs.map(([code]) => code) }] } : {}),
      skus: theirs.map(([code, { stock, backorder = false }]) => ({
        code,
        price: 100,
        stock,
        backorder,
        ...(theirs.length > 1 ? { options: { Kind: code } } : {}),
      })),
    })),
    installations: [
      { name: 'Web', mode: 'test' },
      { name: 'Closed', mode: 'test' },
      { name: 'Till', mode: 'live' },
    ],
  }
}
