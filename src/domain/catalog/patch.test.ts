import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../contract/limits.ts'
import { applyProductPatch, applySkuPatch, changePriceByPercent, productStatus, roundToPriceEnding } from './patch.ts'
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
  measure: null,
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
  maker: null,
  warnings: [],
  withdrawalExempt: null,
  digital: false,
  guarantee: null,
  seoTitle: null,
  seoDescription: null,
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
const at = (instant: number) => ({ now: instant, currency: 'EUR' })

test('a price is raised and lowered by basis points, rounded half up', () => {
  for (const [price, percentage, becomes] of [
    [450, 500, 473], // 472.5
    [450, -500, 428], // 427.5
    [100, 1, 100],
    [0, 5_000, 0],
    [999, -9_999, 0],
    [limits.amountMax, 0, limits.amountMax],
  ] as const)
    assert.equal(changePriceByPercent(price, percentage), becomes, `${price} by ${percentage}`)
})

test('a price is rounded to the nearest price with the requested ending', () => {
  for (const [price, ending, currency, becomes] of [
    [4_673, '99', 'EUR', 4_699],
    [4_640, '99', 'EUR', 4_599],
    [4_649, '99', 'EUR', 4_699],
    [4_699, '99', 'EUR', 4_699],
    [4_673, '95', 'EUR', 4_695],
    [4_673, 'whole', 'EUR', 4_700],
    [4_649, 'whole', 'EUR', 4_600],
    [10, '99', 'EUR', 99],
    [10, 'whole', 'EUR', 100],
    [0, '99', 'EUR', 0],
    [4_673, undefined, 'EUR', 4_673],
    [4_673, '99', 'JPY', 4_673],
    [46_730, '99', 'KWD', 46_990],
  ] as const)
    assert.equal(roundToPriceEnding(price, ending, currency), becomes, `${price} to ${ending} in ${currency}`)
  const card = { ...sku, delivery: 'digital' } as const
  const raise = { pricePercentage: 500, priceEnding: '99', shippedOnly: true } as const
  const { skus } = applyProductPatch({ ...product, skus: [sku, card] }, raise, at(now))
  assert.deepEqual(
    skus.map(({ price }) => price),
    [499, 450],
  )
})

test('a price that is too high, or not below its compare-at price, is refused', () => {
  assert.throws(() => applySkuPatch(sku, { price: limits.amountMax + 1 }), { code: 'price_not_possible' })
  assert.throws(() => applySkuPatch(sku, { compareAtPrice: 450 }), { code: 'price_not_possible' })
  assert.throws(
    () => applyProductPatch({ ...product, skus: [{ ...sku, compareAtPrice: 460 }] }, { pricePercentage: 500 }, at(now)),
    {
      code: 'price_not_possible',
    },
  )
  assert.deepEqual(applySkuPatch({ ...sku, compareAtPrice: 500 }, { compareAtPrice: null }), sku)
})

test('setting a status sets its dates, and setting the current status changes nothing', () => {
  const hidden = applyProductPatch(product, { status: 'hidden' }, at(now))
  assert.deepEqual([hidden.publishedAt, hidden.archivedAt, productStatus(hidden)], [null, null, 'hidden'])
  const archived = applyProductPatch(product, { status: 'archived' }, at(now))
  assert.deepEqual([archived.publishedAt, archived.archivedAt, productStatus(archived)], [null, now, 'archived'])
  assert.deepEqual(applyProductPatch(archived, { status: 'archived' }, at(now + 1)), archived)
  const again = applyProductPatch(archived, { status: 'published' }, at(now + 1))
  assert.deepEqual([again.publishedAt, again.archivedAt], [now + 1, null])
  assert.deepEqual(applyProductPatch(product, { status: 'published' }, at(now)), product)
})

test('categories and tags are added, removed and limited in number', () => {
  const changed = applyProductPatch(product, { addCategory: 'green', removeTag: 'new', addTag: 'sale' }, at(now))
  assert.deepEqual([changed.categories, changed.tags], [['black', 'green'], ['sale']])
  assert.deepEqual(applyProductPatch(product, { addCategory: 'black', removeCategory: 'green' }, at(now)), product)
  const full = { ...product, tags: Array.from({ length: 50 }, (_, index) => `tag-${index}`) }
  assert.throws(() => applyProductPatch(full, { addTag: 'one more' }, at(now)), { code: 'product_list_full' })
})
