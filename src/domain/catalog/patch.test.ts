import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../contract/limits.ts'
import { patchedProduct, patchedSku, productStatus, raisedPrice } from './patch.ts'
import type { ProductRow, SkuRow } from './product.ts'

const level = { onHand: 3, held: 0 }
const sku: SkuRow = {
  id: 'sku_1',
  code: 'TEA',
  name: 'Tea',
  options: [],
  price: 450,
  compareAtPrice: null,
  priorPrice: null,
  whenSoldOut: 'refuse',
  maxPerOrder: 9,
  delivery: 'shipped',
  weightGrams: null,
  taxClass: 'standard',
  image: null,
  barcode: null,
  stock: { live: level, test: level },
}
const product: ProductRow = {
  id: 'prd_1',
  slug: 'tea',
  name: 'Tea',
  brand: null,
  summary: '',
  description: '',
  descriptionHtml: null,
  categories: ['black'],
  tags: ['new'],
  images: [],
  options: [],
  metadata: {},
  publishedAt: 5,
  createdAt: 1,
  updatedAt: 1,
  archivedAt: null,
  version: 3,
  skus: [sku],
}
const now = 100

test('a price is raised and lowered by basis points, and half a unit is rounded up', () => {
  for (const [price, percentage, becomes] of [
    [450, 500, 473], // 472.5
    [450, -500, 428], // 427.5
    [100, 1, 100],
    [0, 5_000, 0],
    [999, -9_999, 0],
    [limits.amountMax, 0, limits.amountMax],
  ] as const)
    assert.equal(raisedPrice(price, percentage), becomes, `${price} by ${percentage}`)
})

test('a price that is too high or not below its compare-at price is refused', () => {
  assert.throws(() => patchedSku(sku, { price: limits.amountMax + 1 }), { code: 'price_not_possible' })
  assert.throws(() => patchedSku(sku, { compareAtPrice: 450 }), { code: 'price_not_possible' })
  assert.throws(
    () => patchedProduct({ ...product, skus: [{ ...sku, compareAtPrice: 460 }] }, { pricePercentage: 500 }, now),
    {
      code: 'price_not_possible',
    },
  )
  assert.deepEqual(patchedSku({ ...sku, compareAtPrice: 500 }, { compareAtPrice: null }), sku)
})

test('a status sets the instants, and one that holds already changes nothing', () => {
  const hidden = patchedProduct(product, { status: 'hidden' }, now)
  assert.deepEqual([hidden.publishedAt, hidden.archivedAt, productStatus(hidden)], [null, null, 'hidden'])
  const archived = patchedProduct(product, { status: 'archived' }, now)
  assert.deepEqual([archived.publishedAt, archived.archivedAt, productStatus(archived)], [null, now, 'archived'])
  assert.deepEqual(patchedProduct(archived, { status: 'archived' }, now + 1), archived)
  const again = patchedProduct(archived, { status: 'published' }, now + 1)
  assert.deepEqual([again.publishedAt, again.archivedAt], [now + 1, null])
  assert.deepEqual(patchedProduct(product, { status: 'published' }, now), product)
})

test('categories and tags are added at the end, removed, and bounded', () => {
  const changed = patchedProduct(product, { addCategory: 'green', removeTag: 'new', addTag: 'sale' }, now)
  assert.deepEqual([changed.categories, changed.tags], [['black', 'green'], ['sale']])
  assert.deepEqual(patchedProduct(product, { addCategory: 'black', removeCategory: 'green' }, now), product)
  const full = { ...product, tags: Array.from({ length: 50 }, (_, index) => `tag-${index}`) }
  assert.throws(() => patchedProduct(full, { addTag: 'one more' }, now), { code: 'product_list_full' })
})
