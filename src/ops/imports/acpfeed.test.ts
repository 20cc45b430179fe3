import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProductRow, SkuRow } from '../../domain/catalog/product.ts'
import { acpLine } from './acpfeed.ts'
import type { FeedContext } from './googlefeed.ts'

const context: FeedContext = {
  shopName: 'Pottery',
  currency: 'EUR',
  mode: 'live',
  origin: 'https://api.example',
  link: 'https://shop.example/p/{slug}',
  categories: new Map(),
  now: 1_000,
}

const sku: SkuRow = {
  id: 'sku_1',
  code: 'MUG-S',
  name: 'Mug',
  options: [{ name: 'Colour', value: 'Plum' }],
  price: 1_250,
  compareAtPrice: 1_500,
  priorPrice: 1_400,
  whenSoldOut: 'refuse',
  maxPerOrder: 9,
  delivery: 'shipped',
  weightGrams: null,
  measure: null,
  taxClass: 'standard',
  image: '/media/pottery/mug.jpg',
  barcode: '4006381333931',
  stock: { live: { onHand: 2, held: 1 }, test: { onHand: 0, held: 0 } },
}

const product: ProductRow = {
  id: 'prd_1',
  slug: 'mug',
  name: 'Mug',
  brand: null,
  maker: null,
  warnings: [],
  withdrawalExempt: null,
  digital: false,
  guarantee: null,
  seoTitle: null,
  seoDescription: null,
  summary: 'Short.',
  description: 'A mug.\nTwo lines.',
  descriptionHtml: null,
  categories: [],
  tags: [],
  images: [{ url: 'https://cdn.example/1.jpg', alt: 'From above', width: null, height: null }],
  options: [],
  metadata: {},
  publishedAt: 1_000,
  createdAt: 1,
  updatedAt: 1,
  archivedAt: null,
  version: 1,
  skus: [sku, { ...sku, id: 'sku_2', options: [], priorPrice: null, barcode: 'none', image: null }],
}

test('a product is one line with the prices and availability of its variants', () => {
  const text = acpLine(product, context)
  assert.equal(text.split('\n').length, 2)
  const shared = { url: 'https://shop.example/p/mug', condition: ['new'], seller: { name: 'Pottery' } }
  assert.deepEqual(JSON.parse(text), {
    id: 'prd_1',
    title: 'Mug',
    description: { plain: 'A mug.\nTwo lines.' },
    url: 'https://shop.example/p/mug',
    media: [{ type: 'image', url: 'https://cdn.example/1.jpg', alt_text: 'From above' }],
    variants: [
      {
        id: 'sku_1',
        title: 'Mug – Plum',
        ...shared,
        price: { amount: 1_250, currency: 'EUR' },
        list_price: { amount: 1_400, currency: 'EUR' },
        availability: { available: true, status: 'in_stock' },
        barcodes: [{ type: 'GTIN', value: '4006381333931' }],
        variant_options: [{ name: 'Colour', value: 'Plum' }],
        media: [{ type: 'image', url: 'https://api.example/media/pottery/mug.jpg', alt_text: 'Mug' }],
      },
      {
        id: 'sku_2',
        title: 'Mug',
        ...shared,
        price: { amount: 1_250, currency: 'EUR' },
        availability: { available: true, status: 'in_stock' },
      },
    ],
  })
})

test('hidden products are left out, and sold-out variants are marked', () => {
  assert.equal(acpLine({ ...product, publishedAt: null }, context), '')
  assert.equal(acpLine({ ...product, publishedAt: 2_000 }, context), '')
  assert.equal(acpLine({ ...product, archivedAt: 1 }, context), '')
  assert.equal(acpLine({ ...product, skus: [] }, context), '')
  const soldOut = JSON.parse(acpLine(product, { ...context, mode: 'test' }))
  assert.deepEqual(soldOut.variants[0].availability, { available: false, status: 'out_of_stock' })
})
