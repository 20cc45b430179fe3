import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { remarkText } from '../../../contract/remarks.ts'
import { readCsv } from '../csv.ts'
import { type ReadProduct, readShopifyProducts } from '../shopify.ts'
import { productFileRows } from './formats.ts'

const fixtures = new URL('../../../../tests/fixtures/imports/', import.meta.url)

async function read(name: string, { currency = 'EUR', encoding }: { currency?: string; encoding?: string } = {}) {
  const rows = readCsv(createReadStream(new URL(name, fixtures)), encoding ? { encoding } : {})
  const outcomes = await Array.fromAsync(readShopifyProducts(productFileRows(rows, { currency }), { currency }))
  const products = outcomes.filter((outcome) => outcome.kind === 'product')
  return {
    products: new Map<string, ReadProduct>(products.map((product) => [product.entry.slug, product])),
    refused: outcomes.flatMap((outcome) =>
      outcome.kind === 'refused' ? [[outcome.line, remarkText(outcome.reason)]] : [],
    ),
  }
}

test('a WooCommerce file is read', async () => {
  const { products, refused } = await read('woocommerce.csv')
  assert.deepEqual([...products.keys()], ['v-neck-t-shirt-44', 'hoodie-logo-45', 'album-46', 'cap-47', 'cap-64'])
  assert.deepEqual(refused, [
    [8, 'the parent of the variation is not a product of the file'],
    [9, 'products of the type "grouped" are not imported'],
  ])
  const shirt = products.get('v-neck-t-shirt-44')
  assert.deepEqual(shirt?.entry, {
    slug: 'v-neck-t-shirt-44',
    name: 'V-Neck T-Shirt',
    published: true,
    summary: 'A soft shirt.',
    description: 'A soft shirt.\n\nMade of cotton.\nWash cold.\n\nDries fast.',
    descriptionHtml: null,
    categories: ['clothing-t-shirts', 'sale'],
    tags: ['summer', 'cotton'],
    metadata: { woocommerceId: '44' },
    options: [
      { name: 'Color', values: ['Red', 'Blue'] },
      { name: 'Size', values: ['S', 'M'] },
    ],
    images: ['vneck', 'vneck-back'].map((name) => ({ url: `https://cdn.example.com/${name}.jpg`, alt: '' })),
    skus: [
      {
        code: 'vneck-red-s',
        options: { Color: 'Red', Size: 'S' },
        price: 2000,
        compareAtPrice: null,
        backorder: false,
        counted: true,
        requiresShipping: true,
        stock: 4,
        weightGrams: 227,
        image: 'https://cdn.example.com/vneck-red.jpg',
        barcode: null,
      },
      {
        code: 'v-neck-t-shirt-44-blue-m',
        options: { Color: 'Blue', Size: 'M' },
        price: 1800,
        compareAtPrice: 2000,
        backorder: false,
        counted: false,
        requiresShipping: true,
        stock: 0,
        weightGrams: 227,
        image: null,
        barcode: null,
      },
    ],
  })
  assert.deepEqual(
    shirt?.categories.map(({ name }) => name),
    ['Clothing', 'T-shirts', 'Sale'],
  )
  const [hoodie, album, cap, hidden] = ['hoodie-logo-45', 'album-46', 'cap-47', 'cap-64'].map(
    (slug) => products.get(slug)?.entry,
  )
  assert.equal(hoodie?.name, 'Hoodie, "Logo"')
  assert.deepEqual(
    [
      hoodie?.skus[0]?.price,
      hoodie?.skus[0]?.compareAtPrice,
      hoodie?.skus[0]?.stock,
      hoodie?.skus[0]?.backorder,
      hoodie?.skus[0]?.barcode,
    ],
    [4200, 4500, 12, true, '4006381333931'],
  )
  assert.deepEqual([album?.skus[0]?.requiresShipping, album?.skus[0]?.counted], [false, false])
  assert.deepEqual([cap?.published, cap?.skus[0]?.stock, cap?.skus[0]?.backorder], [false, 0, false])
  assert.equal(hidden?.published, false)
})

test('a Medusa file is read, with the prices in the shop’s currency', async () => {
  const { products, refused } = await read('medusa.csv')
  assert.deepEqual(refused, [])
  const mug = products.get('coffee-mug')?.entry
  assert.deepEqual(
    mug?.skus.map(({ code, price, options, backorder, counted, weightGrams }) => [
      ...[code, price, options, backorder, counted, weightGrams],
    ]),
    [
      ['MUG-1', 1000, { Size: 'One' }, false, true, 1000],
      ['MUG-2', 1250, { Size: 'Two' }, true, false, 1000],
    ],
  )
  assert.deepEqual(
    [mug?.description, mug?.tags, mug?.categories],
    ['A mug for coffee & tea', ['kitchen', 'new'], ['mugs']],
  )
  assert.deepEqual(
    mug?.images?.map(({ url }) => url),
    ['https://cdn.example.com/mug.png', 'https://cdn.example.com/mug-2.png'],
  )
  assert.equal(products.get('sketch-pad')?.entry.published, false)
  assert.equal((await read('medusa.csv', { currency: 'USD' })).products.get('coffee-mug')?.entry.skus[1]?.price, 1700)
  assert.deepEqual((await read('medusa.csv', { currency: 'GBP' })).refused, [
    [1, 'the file has no prices in GBP: the column "Variant Price GBP" is missing'],
  ])
})

test('a Google feed is read', async () => {
  const { products, refused } = await read('google.tsv')
  assert.deepEqual(refused, [[5, 'the price is in USD, but the shop sells in EUR']])
  const shears = products.get('shears')?.entry
  assert.deepEqual(
    shears?.skus.map(({ code, options, price, compareAtPrice, counted, weightGrams, image }) => [
      ...[code, options, price, compareAtPrice, counted, weightGrams, image],
    ]),
    [
      ['GS-RED', { Color: 'Red' }, 2490, 2990, false, 250, 'https://cdn.example.com/red.jpg'],
      ['GS-BLUE', { Color: 'Blue' }, 2990, null, true, null, 'https://cdn.example.com/blue.jpg'],
    ],
  )
  assert.deepEqual([shears?.name, shears?.brand, shears?.images?.length], ['Garden shears red', 'Loewe', 4])
  const rope = [...products.values()].find(({ entry }) => entry.name === 'Rope')?.entry
  assert.deepEqual([rope?.slug, rope?.skus[0]?.stock, rope?.skus[0]?.backorder], ['rope', 0, false])
})

test('items of a group without attributes are distinguished by their titles, or else by their ids', async () => {
  const file = async (...items: string[]) => {
    const lines = [
      'id\titem_group_id\ttitle\tprice\tavailability\tcolor',
      ...items.map((item) => item.replaceAll('|', '\t')),
    ]
    const rows = productFileRows(readCsv(Readable.from([Buffer.from(`${lines.join('\n')}\n`)])), { currency: 'EUR' })
    const outcomes = await Array.fromAsync(readShopifyProducts(rows, { currency: 'EUR' }))
    return outcomes.map((outcome) =>
      outcome.kind === 'product'
        ? [
            outcome.entry.name,
            ...outcome.entry.skus.map(({ code, options }) => [code, ...Object.values(options ?? {})]),
          ]
        : remarkText(outcome.reason),
    )
  }
  const end = '4.00 EUR|in_stock'
  assert.deepEqual(await file(`R-5|rope|Rope – 5 m|${end}|`, `R-10|rope|Rope – 10 m|${end}|`), [
    ['Rope', ['R-5', '5 m'], ['R-10', '10 m']],
  ])
  assert.deepEqual(await file(`A|rope|Rope|${end}|`, `B|rope|Rope|${end}|`), [['Rope', ['A', 'A'], ['B', 'B']]])
  const some = [`A|rope|Rope red S|${end}|red`, `B|rope|Rope red M|${end}|red`, `C|rope|Rope blue|${end}|blue`]
  assert.deepEqual(await file(...some), [['Rope', ['A', 'red', 'red S'], ['B', 'red', 'red M'], ['C', 'blue', 'blue']]])
  // If an attribute distinguishes the items, their titles are not shortened.
  assert.deepEqual(await file(`A|rope|Rope red|${end}|red`, `B|rope|Rope blue|${end}|blue`), [
    ['Rope red', ['A', 'red'], ['B', 'blue']],
  ])
})

const odd: [file: string, expected: (string | number | null | undefined)[][], encoding?: string][] = [
  ['utf16.csv', [['the-vert', 'Thé vert 🍵', 'TV', 450, 3]]],
  ['windows-1252.csv', [['the-vert', 'Thé vert – 5 €', 'TV', 450, 3]], 'windows-1252'],
  ['padded-quotes.csv', [['mug', 'Mug, blue', 'M 1', 450, 3]]],
  ['decimal-comma.csv', [['mug', 'Mug', 'M', 450, 3]]],
  ['carriage-returns.csv', [['mug', 'Mug', 'M', 450, 3]]],
  ['no-quantities.csv', [['mug', 'Mug', 'M', 450, undefined]]],
  [
    'scripts.csv',
    [
      ['1-DIGEST', 'Футболка', 'A', 450, 3],
      ['1-DIGEST', 'Брюки', 'B', 450, 3],
    ],
  ],
  [
    'repeated-codes.csv',
    [
      ['shoe', 'Shoe', 'SHOE', 4900, 1],
      ['shoe', 'Shoe', 'SHOE-DIGEST', 4900, 2],
      ['shoe', 'Shoe', 'SHOE-DIGEST', 4900, 3],
      ['boot', 'Boot', 'SHOE-DIGEST', 9900, 1],
    ],
  ],
]
for (const [file, expected, encoding] of odd) {
  test(`the unusual file ${file} is read`, async () => {
    const { products, refused } = await read(file, encoding ? { encoding } : {})
    assert.deepEqual(refused, [])
    const found = [...products.values()].flatMap(({ entry }) =>
      entry.skus.map((sku) => [entry.slug, entry.name, sku.code, sku.price, sku.stock]),
    )
    const withoutDigests = found.map((row) =>
      row.map((cell) => (typeof cell === 'string' ? cell.replace(/-[0-9a-f]{8}$/, '-DIGEST') : cell)),
    )
    assert.deepEqual(withoutDigests, expected)
  })
}

test('of several brands of a WooCommerce product the first is used, and of a brand path the last part', async () => {
  async function brandOf(header: string, cell: string) {
    const text = `ID,Type,Name,Published,Regular price,${header}\n1,simple,Cap,1,4.50,"${cell}"\n`
    const rows = productFileRows(readCsv(Readable.from([Buffer.from(text)])), { currency: 'EUR' })
    const [outcome] = await Array.fromAsync(readShopifyProducts(rows, { currency: 'EUR' }))
    return outcome?.kind === 'product' ? outcome.entry.brand : outcome
  }
  assert.equal(await brandOf('Brands', 'Acme > Acme Kids, Other'), 'Acme Kids')
  assert.equal(await brandOf('Brands', 'Smith\\, Son & Co'), 'Smith, Son & Co')
  assert.equal(await brandOf('Brand', 'Acme'), 'Acme')
  assert.equal(await brandOf('Brands', ''), null, 'an empty cell takes it off')
  assert.equal(await brandOf('Colours', 'Acme'), undefined, 'a file without the column says nothing')
})
