import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasSameTexts, indexTextsOf, splitBrand } from './indexed.ts'
import type { PublishedProduct, SkuRow } from './product.ts'

const seller = { id: 'mer_1', slug: 'pottery', name: 'Pottery', currency: 'EUR', lowStockAt: 5 }
const sku: SkuRow = {
  id: 'sku_1',
  code: 'MUG-250',
  name: 'Small',
  options: [{ name: 'Size', value: 'Small' }],
  price: 1_000,
  compareAtPrice: null,
  priorPrice: null,
  whenSoldOut: 'refuse',
  maxPerOrder: 10,
  delivery: 'shipped',
  weightGrams: 100,
  measure: null,
  taxClass: 'standard',
  image: null,
  barcode: '4000000000060',
  stock: { live: { onHand: 1, held: 0 }, test: { onHand: 1, held: 0 } },
}
const mug: PublishedProduct = {
  id: 'prd_1',
  slug: 'mug',
  name: 'Stone Mug',
  brand: 'Kiln & Co',
  maker: null,
  warnings: [],
  withdrawalExempt: null,
  digital: false,
  guarantee: null,
  seoTitle: null,
  seoDescription: null,
  summary: 'Made by hand.',
  description: 'Speckled.',
  descriptionHtml: null,
  categories: ['mugs'],
  tags: ['stone'],
  images: [],
  options: [{ name: 'Size', values: ['Small'] }],
  metadata: {},
  publishedAt: 1,
  createdAt: 1,
  updatedAt: 1,
  archivedAt: null,
  version: 1,
  skus: [sku],
}

test('index texts are equal exactly if everything that they are made of is equal', () => {
  const other: readonly Partial<PublishedProduct>[] = [
    { name: 'Stone mugs' },
    { brand: 'Kiln' },
    { brand: null },
    { summary: 'Made by foot.' },
    { description: 'Glazed.' },
    { categories: ['mugs', 'gifts'] },
    { tags: [] },
    { skus: [{ ...sku, code: 'MUG-251' }] },
    { skus: [{ ...sku, barcode: null }] },
    { skus: [{ ...sku, options: [{ name: 'Size', value: 'Large' }] }] },
    { skus: [{ ...sku, options: [] }] },
    { skus: [sku, { ...sku, code: 'MUG-500' }] },
  ]
  for (const members of other) {
    assert.equal(hasSameTexts(mug, { ...mug, ...members }), false, JSON.stringify(members))
    assert.notDeepEqual(
      indexTextsOf(seller, { ...mug, ...members }),
      indexTextsOf(seller, mug),
      JSON.stringify(members),
    )
  }
  const same: Partial<PublishedProduct> = { slug: 'cup', version: 2, skus: [{ ...sku, price: 1, name: 'S' }] }
  assert.equal(hasSameTexts(mug, { ...mug, ...same }), true)
  assert.deepEqual(indexTextsOf(seller, { ...mug, ...same }), indexTextsOf(seller, mug))
})

test('a summary with which the description begins adds no words to the index, and any other summary does', () => {
  const termsOf = (summary: string, description: string) => indexTextsOf(seller, { ...mug, summary, description }).terms
  for (const description of ['Made by hand.', 'Made by hand.\nGlazed.', 'Made by hand. Glazed.'])
    assert.equal(termsOf('Made by hand.', description), termsOf('', description))
  assert.notEqual(termsOf('Made by ha', 'Made by hand.'), termsOf('', 'Made by hand.'), 'a part of a word is a word')
})

test('a number with a unit is found, also in a long description', () => {
  const words = Array.from({ length: 500 }, (_, at) => `word${at}`).join(' ')
  const { terms } = indexTextsOf(seller, { ...mug, description: `Holds 350 ml. ${words}` })
  assert.ok(terms.split(' ').some((term) => term.endsWith('w350ml')))
  assert.ok(terms.split(' ').some((term) => term.endsWith('wword300')))
})

test('a brand is stored with the facets and split off again, so products that differ only in the brand share their facets', () => {
  for (const more of [{}, { categories: [] }, { skus: [{ ...sku, options: [] }] }]) {
    const product = { ...mug, ...more }
    const { facets } = indexTextsOf(seller, { ...product, brand: null })
    for (const brand of [null, 'Kiln', 'Kiln, Son & Co'])
      assert.deepEqual(splitBrand(indexTextsOf(seller, { ...product, brand }).facets), { facets, brand: brand ?? '' })
  }
})
