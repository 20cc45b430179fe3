import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shopPathFor } from './places.ts'

test('a single merchant has the path /shop, each of several a path with its slug, and test mode is below /test', () => {
  const alone = { only: 'bloom', demo: undefined }
  const several = { only: undefined, demo: undefined }
  assert.deepEqual(
    (['live', 'test'] as const).map((mode) => shopPathFor({ slug: 'bloom', mode }, alone)),
    ['/shop', '/test/shop'],
  )
  assert.deepEqual(
    (['live', 'test'] as const).map((mode) => shopPathFor({ slug: 'bloom', mode }, several)),
    ['/shops/bloom', '/test/shops/bloom'],
  )
})

test('the demo shop is at /shop in test mode, alone and beside other shops', () => {
  for (const only of ['alder-finch', undefined]) {
    const neighbours = { only, demo: 'alder-finch' }
    assert.equal(shopPathFor({ slug: 'alder-finch', mode: 'test' }, neighbours), '/shop')
    assert.equal(shopPathFor({ slug: 'alder-finch', mode: 'live' }, neighbours), '/shops/alder-finch')
    assert.equal(shopPathFor({ slug: 'bloom', mode: 'live' }, neighbours), '/shops/bloom')
  }
})
