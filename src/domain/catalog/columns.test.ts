import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reader } from '../../platform/storage/storage.ts'
import { createColumnsCache } from './columns.ts'

const columnsRow = { key: 1, productId: 'prd_1', publishedAt: 1, priceMax: 9, liveInStock: 1, testInStock: 1 }

test('concurrent searches in several snapshots read the columns one after the other, and the newest version stays cached', async () => {
  const cache = createColumnsCache()
  let reading = 0
  let most = 0
  // A read in an older snapshot takes longer.
  const snapshot = (version: number): Reader =>
    ({
      engine: 'sqlite',
      async sql() {
        reading += 1
        most = Math.max(most, reading)
        for (let turn = version; turn < 4; turn += 1) await new Promise(setImmediate)
        reading -= 1
        return [{ ...columnsRow, priceMin: version, nameKey: '', facets: '', fields: '', changed: version }]
      },
    }) as unknown as Reader
  const [, , newest] = await Promise.all(
    [1, 2, 3].map((version) => cache.columnsOf(snapshot(version), 'mer_1', version)),
  )
  assert.equal(most, 1)
  assert.equal(newest?.version, 3)
  assert.equal(newest?.priceMin[0], 3)
  assert.deepEqual(newest?.changedSince(2), [0])
})

// A shop with this many products, and how often its rows were read.
function shopOf(products: number): { reader: Reader; reads: () => number } {
  let reads = 0
  const rows = Array.from({ length: products }, (_, place) => ({
    ...{ ...columnsRow, key: place, priceMin: 1, nameKey: '', facets: '', fields: '', changed: 1 },
    productId: `prd_${place}`,
  }))
  const sql = async () => {
    reads += 1
    return rows
  }
  return { reader: { engine: 'sqlite', sql } as unknown as Reader, reads: () => reads }
}

test('the columns of many small shops stay cached', async () => {
  const cache = createColumnsCache()
  const { reader, reads } = shopOf(10)
  for (let round = 0; round < 2; round += 1)
    for (let shop = 0; shop < 200; shop += 1) await cache.columnsOf(reader, `mer_${shop}`, 1)
  assert.equal(reads(), 200)
})

test('the words of one search stay cached together, even if every product has them', async () => {
  const products = 100_000
  const { known } = await createColumnsCache(products + 1).columnsOf(shopOf(products).reader, 'mer_1', 1)
  const places = new Uint32Array(products)
  for (let word = 0; word < 12; word += 1) known.set(`word ${word}`, { version: 1, places })
  assert.equal(known.size, 12)
  for (let word = 0; word < 100; word += 1) known.set(`other ${word}`, { version: 1, places })
  assert.ok(known.size < 50, `${known.size} lists`)
})

test('words without results are evicted too, once their letters take too much memory', async () => {
  const reader = { engine: 'sqlite', sql: async () => [] } as unknown as Reader
  const { known } = await createColumnsCache().columnsOf(reader, 'mer_1', 1)
  const places = new Uint32Array(0)
  for (let word = 0; word < 50_000; word += 1) known.set(String(word).padStart(300), { version: 1, places })
  assert.ok(known.size > 500)
  let keyLength = 0
  for (const [key] of known) keyLength += key.length
  assert.ok(keyLength < 2 ** 19, `${keyLength} letters`)
})
