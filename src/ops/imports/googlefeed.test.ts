import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProductRow, SkuRow } from '../../domain/catalog/product.ts'
import { countLeftOutItems, feedItems, type GoogleContext, isGtin } from './googlefeed.ts'

const context: GoogleContext = {
  shopName: 'Pottery',
  currency: 'EUR',
  mode: 'live',
  origin: 'https://api.example',
  link: 'https://shop.example/p/{slug}',
  categories: new Map(),
  makers: new Map([
    [
      'kiln',
      {
        slug: 'kiln',
        name: 'Kiln & Co',
        address: ['1 Oven St'],
        country: 'GB',
        contact: 'a@kiln.example',
        responsible: {
          name: 'Kiln EU',
          address: ['Ofenweg 9', '10115 Berlin'],
          country: 'DE',
          contact: 'https://kiln.example',
        },
      },
    ],
  ]),
  now: 1_000,
}

const sku: SkuRow = {
  id: 'sku_1',
  code: 'MUG-S',
  name: 'Mug',
  options: [
    { name: 'Colour', value: 'Plum & <oat>' },
    { name: 'Handle', value: 'Left' },
  ],
  price: 1_250,
  compareAtPrice: 1_500,
  priorPrice: 1_400,
  whenSoldOut: 'refuse',
  maxPerOrder: 9,
  delivery: 'shipped',
  weightGrams: 340,
  measure: { amount: 12, unit: 'piece', per: 'piece' },
  taxClass: 'standard',
  image: '/media/pottery/mug.jpg',
  barcode: '4006381333931',
  stock: { live: { onHand: 2, held: 1 }, test: { onHand: 0, held: 0 } },
}

const product: ProductRow = {
  id: 'prd_1',
  slug: 'mug',
  name: 'Mug',
  brand: 'Kiln',
  maker: null,
  warnings: [],
  withdrawalExempt: null,
  digital: false,
  guarantee: null,
  seoTitle: null,
  seoDescription: null,
  summary: 'Short.',
  description: 'A mug.\u0001',
  descriptionHtml: null,
  categories: [],
  tags: [],
  images: [{ url: 'https://cdn.example/1.jpg', alt: '', width: null, height: null }],
  options: [],
  metadata: {},
  publishedAt: 1_000,
  createdAt: 1,
  updatedAt: 1,
  archivedAt: null,
  version: 1,
  skus: [
    sku,
    { ...sku, id: 'sku_2', code: 'M'.repeat(51), compareAtPrice: null, priorPrice: null, barcode: '123', image: null },
  ],
}

const valuesOf = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) => text)

test('the manufacturer and the warnings are product details', () => {
  const xml = feedItems({ ...product, maker: 'kiln', warnings: [{ language: 'en', text: 'Hot < when used' }] }, context)
  const details = xml.split('</item>')[0]?.replaceAll('\n', '') ?? ''
  const detail = (section: string, name: string, value: string) =>
    `<g:product_detail><g:section_name>${section}</g:section_name><g:attribute_name>${name}</g:attribute_name><g:attribute_value>${value}</g:attribute_value></g:product_detail>`
  for (const expected of [
    detail('Manufacturer', 'Name', 'Kiln &amp; Co'),
    detail('Manufacturer', 'Address', '1 Oven St, GB'),
    detail('Responsible person in the EU', 'Contact', 'https://kiln.example'),
    detail('Safety', 'Warning', 'Hot &lt; when used'),
  ])
    assert.ok(details.includes(expected), expected)
})

test('each SKU is one item, with the attributes that Google defines', () => {
  const xml = feedItems(product, context)
  const expected = {
    'g:id': ['MUG-S', 'sku_2'],
    'g:item_group_id': ['mug', 'mug'],
    title: ['Mug – Left', 'Mug – Left'],
    description: ['A mug.', 'A mug.'],
    link: ['https://shop.example/p/mug', 'https://shop.example/p/mug'],
    'g:image_link': ['https://api.example/media/pottery/mug.jpg', 'https://cdn.example/1.jpg'],
    'g:additional_image_link': ['https://cdn.example/1.jpg'],
    'g:availability': ['in_stock', 'in_stock'],
    'g:price': ['14.00 EUR', '12.50 EUR'],
    'g:sale_price': ['12.50 EUR'],
    'g:gtin': ['4006381333931'],
    'g:brand': ['Kiln', 'Kiln'],
    'g:color': ['Plum &amp; &lt;oat&gt;', 'Plum &amp; &lt;oat&gt;'],
    'g:shipping_weight': ['340 g', '340 g'],
    'g:section_name': ['Options', 'Options', 'Options', 'Options'],
    'g:attribute_name': ['Colour', 'Handle', 'Colour', 'Handle'],
    'g:attribute_value': ['Plum &amp; &lt;oat&gt;', 'Left', 'Plum &amp; &lt;oat&gt;', 'Left'],
    'g:identifier_exists': ['no'],
  }
  for (const [name, values] of Object.entries(expected)) assert.deepEqual(valuesOf(xml, name), values, name)
})

test('items that Merchant Center would refuse are left out and counted', () => {
  const free = { ...sku, code: 'FREE--1, no picture -->', price: 0 }
  const bare = { ...product, images: [], skus: [{ ...sku, image: null }, free, sku] }
  const xml = feedItems(bare, context)
  assert.deepEqual(valuesOf(xml, 'g:id'), ['MUG-S'])
  assert.deepEqual(
    [...countLeftOutItems(xml)],
    [
      ['no picture', 1],
      ['no price', 1],
    ],
  )
  // An XML comment must not contain two hyphens.
  for (const [, comment = ''] of xml.matchAll(/<!--(.*?)-->/g)) assert.doesNotMatch(comment, /--/)
})

test('the availability is that of the mode, backorder for a SKU with backorders, and in_stock for a SKU whose stock is not counted', () => {
  const availability = (more: Partial<SkuRow>, mode: 'live' | 'test') =>
    valuesOf(feedItems({ ...product, skus: [{ ...sku, ...more }] }, { ...context, mode }), 'g:availability')[0]
  assert.equal(availability({}, 'test'), 'out_of_stock')
  assert.equal(availability({ whenSoldOut: 'backorder' }, 'test'), 'backorder')
  assert.equal(availability({ whenSoldOut: 'not_counted' }, 'test'), 'in_stock')
})

test('hidden products are left out', () => {
  for (const hidden of [{ publishedAt: null }, { publishedAt: 1_001 }, { archivedAt: 5 }])
    assert.equal(feedItems({ ...product, ...hidden }, context), '')
})

test('only a barcode that is a GTIN is included, without spaces and hyphens', () => {
  const told = (barcode: string) =>
    /<g:gtin>(.*)<\/g:gtin>/.exec(
      feedItems({ ...product, skus: product.skus.map((sku) => ({ ...sku, barcode })) }, context),
    )?.[1]
  assert.equal(told('4006381 333-931'), '4006381333931')
  assert.equal(told('SHELF-7'), undefined)
})

test('a GTIN has a valid check digit', () => {
  for (const right of ['4006381333931', '96385074', '036000291452', '10614141000415']) assert.ok(isGtin(right), right)
  for (const wrong of ['4006381333932', '123', '', 'X006381333931', '40063813339']) assert.ok(!isGtin(wrong), wrong)
})
