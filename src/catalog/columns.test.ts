import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reader } from '../storage/storage.ts'
import { createColumnsCache } from './columns.ts'

const columnsRow = { key: 1, productId: 'prd_1', publishedAt: 1, priceMax: 9, liveInStock: 1, testInStock: 1 }

test('searches of several snapshots at once read one after the other, and the newest row stays', async () => {
  const cache = createColumnsCache()
  let reading = 0
  let most = 0
  // The answer of an older snapshot takes longer.
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

test('words that find nothing are forgotten too, before they take more memory than is counted', async () => {
  const reader = { engine: 'sqlite', sql: async () => [] } as unknown as Reader
  const { known } = await createColumnsCache().columnsOf(reader, 'mer_1', 1)
  const places = new Uint32Array(0)
  for (let word = 0; word < 50_000; word += 1) known.set(String(word).padStart(300), { version: 1, places })
  assert.ok(known.size > 1_000)
  let keyLength = 0
  for (const [key] of known) keyLength += key.length
  assert.ok(keyLength < 4 * 2 ** 20, `${keyLength} letters`)
})
