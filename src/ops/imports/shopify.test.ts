import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { csvLine, shopifyChunks, variantCount } from '../../../harness/catalog.ts'
import { anyText } from '../../../harness/texts.ts'
import { isWide } from '../../../harness/wide.ts'
import { CategoryEntry, ProductEntry } from '../../contract/entries.ts'
import { remarkText } from '../../contract/remarks.ts'
import { productProblems } from '../../domain/catalog/problems.ts'
import { type CsvRow, readCsv } from './csv.ts'
import { readShopifyProducts, type ShopifyOutcome } from './shopify.ts'

type Product = Extract<ShopifyOutcome, { kind: 'product' }>

const isProductEntry = Compile(ProductEntry)
const isCategoryEntry = Compile(CategoryEntry)
const fixtures = new URL('../../../tests/fixtures/shopify/', import.meta.url)

async function outcomesOf(rows: AsyncIterable<CsvRow>, currency = 'EUR'): Promise<ShopifyOutcome[]> {
  const outcomes = await Array.fromAsync(readShopifyProducts(rows, { currency }))
  for (const outcome of outcomes) if (outcome.kind === 'product') assertValid(outcome)
  return outcomes
}

function assertValid({ entry, categories }: Product): void {
  assert.ok(isProductEntry.Check(entry), JSON.stringify([entry, isProductEntry.Errors(entry)]))
  for (const category of categories) assert.ok(isCategoryEntry.Check(category), JSON.stringify(category))
  assert.deepEqual(
    entry.categories ?? [],
    categories.slice(-1).map((category) => category.slug),
  )
  assert.deepEqual([...productProblems(entry, 0)], [])
  // A database or a page cannot represent lone surrogates and some control characters.
  assert.ok(JSON.stringify(entry).isWellFormed())
  assert.doesNotMatch(JSON.stringify(entry), /\\u00[01]/)
  assert.equal(new Set(entry.skus.map((sku) => sku.code)).size, entry.skus.length)
  const names = (entry.options ?? []).map((option) => option.name)
  for (const sku of entry.skus) assert.deepEqual(Object.keys(sku.options ?? {}).sort(), names.toSorted())
}

function fixture(name: string): Promise<ShopifyOutcome[]> {
  return outcomesOf(readCsv(createReadStream(new URL(name, fixtures))))
}

function refusals(outcomes: readonly ShopifyOutcome[]): [line: number, handle: string, reason: string][] {
  return outcomes.flatMap((outcome) =>
    outcome.kind === 'refused'
      ? [[outcome.line, outcome.handle, remarkText(outcome.reason)] as [number, string, string]]
      : [],
  )
}

function productsBySlug(outcomes: readonly ShopifyOutcome[]): Map<string, Product> {
  const products = outcomes.filter((outcome) => outcome.kind === 'product')
  return new Map(products.map((product) => [product.entry.slug, product]))
}

// The cells of a row by column name.
type Cells = Record<string, string>
const good: Cells = { Handle: 'mug', Title: 'Mug', 'Variant SKU': 'MUG', 'Variant Price': '24.50' }

async function* table(rows: readonly Cells[]): AsyncGenerator<CsvRow> {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  yield { line: 1, cells: header }
  for (const [index, row] of rows.entries()) yield { line: index + 2, cells: header.map((name) => row[name] ?? '') }
}

async function oneProduct(...rows: Cells[]): Promise<Product> {
  const outcomes = await outcomesOf(table(rows))
  assert.deepEqual(refusals(outcomes), [])
  const [product] = outcomes
  assert.ok(product?.kind === 'product' && outcomes.length === 1)
  return product
}

test('an export with the older headers is read', async (t) => {
  const outcomes = await fixture('classic.csv')
  const products = productsBySlug(outcomes)
  const entryOf = (slug: string) => products.get(slug)?.entry as ProductEntry

  await t.test('exactly the invalid rows are refused, with line, handle and reason', () => {
    assert.deepEqual(refusals(outcomes), [
      [25, 'oak-board', 'the price "44,00" has a comma: write it like 1299.00'],
      [26, 'oak-board', 'the price "on request" is not a plain decimal number like 1299.00'],
      [30, 'wool-socks', 'the variant has the same options as line 27'],
      [31, 'sample-swatch', 'the price is missing; the product is left out'],
      [34, 'untitled', 'the title is missing; the product is left out'],
      [
        37,
        'stoneware-mug',
        'the handle is already used on line 14: the rows of a product must be consecutive; the product is left out',
      ],
    ])
  })

  await t.test('the other rows are read in order', () => {
    assert.deepEqual(
      [...products.values()].map(({ line, entry }) => [line, entry.slug, entry.published, entry.skus.length]),
      [
        [2, 'linen-apron', true, 4],
        [14, 'stoneware-mug', true, 1],
        [15, 'the-matcha-set', true, 1],
        [19, 'winter-scarf', false, 2],
        [21, 'copper-kettle', false, 1],
        [22, 'beeswax-candle', true, 2],
        [24, 'oak-board', true, 1],
        [27, 'wool-socks', true, 3],
        [32, 'gift-card', true, 2],
        [35, 'garden-gloves-00a8054c', true, 2],
        [38, 'retired-lamp', false, 1],
      ],
    )
  })

  await t.test('variants cover several lines, and images are in order of position', () => {
    const images = 'https://cdn.example.com/s/files/1/0001/apron'
    const { skus, ...rest } = entryOf('linen-apron')
    assert.deepEqual(rest, {
      slug: 'linen-apron',
      name: 'Linen Apron',
      published: true,
      summary: 'A sturdy apron of washed linen — cut wide, with two pockets.',
      description:
        'A sturdy apron of washed linen — cut wide, with two pockets.\n\n• 100 % European linen\n• Straps cross at the back\n' +
        '• Washable at 60°\n\nMade in Porto & shipped flat.',
      descriptionHtml:
        '<p>A sturdy apron of washed linen — cut wide, with two pockets.</p>\n<ul>\n<li>100&nbsp;% European linen</li>\n' +
        '<li>Straps cross at the back</li>\n<li>Washable at 60°</li>\n</ul>\n<p>Made in Porto &amp; shipped flat.</p>',
      categories: ['aprons'],
      tags: ['linen', 'kitchen', 'gift'],
      brand: 'Hollow & Oak',
      seoTitle: 'Linen Apron | Hollow & Oak',
      seoDescription: null,
      options: [
        { name: 'Color', values: ['Sand', 'Ink'] },
        { name: 'Size', values: ['Regular', 'Tall'] },
      ],
      images: [
        { url: `${images}-sand.jpg?v=1`, alt: 'Linen apron in sand' },
        { url: `${images}-detail.jpg?v=1`, alt: 'Pocket, seen close' },
        { url: `${images}-ink.jpg?v=1`, alt: 'Linen apron in ink' },
        { url: `${images}-back.jpg?v=1`, alt: 'The crossed straps' },
      ],
    })
    assert.deepEqual(skus[0], {
      code: 'APR-SAND-R',
      options: { Color: 'Sand', Size: 'Regular' },
      price: 4900,
      compareAtPrice: 5900,
      stock: 18,
      backorder: false,
      counted: true,
      barcode: '4006381333931',
      requiresShipping: true,
      weightGrams: 420,
      image: `${images}-sand.jpg?v=1`,
    })
    assert.deepEqual(
      skus.map((sku) => [sku.code, sku.price, sku.stock, sku.backorder]),
      [
        ['APR-SAND-R', 4900, 18, false],
        ['APR-SAND-T', 5200, 7, false],
        ['APR-INK-R', 4900, 0, false],
        ['APR-INK-T', 5200, 3, true],
      ],
    )
  })

  await t.test('a product category becomes a tree, and the product belongs to its leaf', () => {
    assert.deepEqual(products.get('stoneware-mug')?.categories, [
      { slug: 'home-garden', name: 'Home & Garden', parent: null },
      { slug: 'home-garden-kitchen-dining', name: 'Kitchen & Dining', parent: 'home-garden' },
      { slug: 'home-garden-kitchen-dining-tableware', name: 'Tableware', parent: 'home-garden-kitchen-dining' },
      {
        slug: 'home-garden-kitchen-dining-tableware-mugs',
        name: 'Mugs',
        parent: 'home-garden-kitchen-dining-tableware',
      },
    ])
  })

  await t.test('a product may lack options and SKU codes, and cells may contain Unicode and line breaks', () => {
    const { name, description, options, skus } = entryOf('the-matcha-set')
    assert.equal(name, 'Thé Matcha 抹茶 — coffret')
    assert.equal(description, 'Coffret d’initiation\n\nUn fouet, un bol et 30 g de matcha 🍵.')
    assert.deepEqual(options, [])
    assert.deepEqual(
      skus.map((sku) => [sku.code, sku.options]),
      [['the-matcha-set', undefined]],
    )
  })

  await t.test('missing codes are made from slug and options', () => {
    assert.deepEqual(
      entryOf('gift-card').skus.map((sku) => sku.code),
      ['gift-card-25', 'gift-card-50'],
    )
    assert.deepEqual(
      entryOf('garden-gloves-00a8054c').skus.map((sku) => sku.code),
      ['garden-gloves-00a8054c-left-m-none', 'garden-gloves-00a8054c-right-m-none'],
    )
  })

  await t.test('a missing stock or weight stays unknown', () => {
    const [sku] = entryOf('retired-lamp').skus
    assert.equal(sku?.weightGrams, null)
    assert.equal('stock' in (sku ?? {}), false)
  })

  await t.test('changed values are reported, and columns that are not read are reported once', () => {
    const notes = [...products.values()].flatMap((product) => product.notes)
    assert.deepEqual(notes.map(remarkText), [
      'these columns are not imported: Variant Fulfillment Service, ' +
        'Google Shopping / Google Product Category, Variant Tax Code, Cost per item',
      'line 22: the compare-at price 12.00 is not above the price and was left out',
      'line 22: the stock -4 is negative and was changed to 0',
      'line 23: the compare-at price 18.00 is not above the price and was left out',
      'line 29: the SKU "SOCK-2" is already used on line 28 and was changed to "SOCK-2-0a84810b"',
      'line 32: the variant is tax-free at Shopify, but here the tax table applies',
      'line 33: the variant is tax-free at Shopify, but here the tax table applies',
      'line 35: the handle "Garden_Gloves" was changed to the slug "garden-gloves-00a8054c"',
      'line 35: the image "http://old.example.com/gloves.jpg" is downloaded by https instead of http',
    ])
  })

  await t.test('the same file gives the same products again', async () => {
    assert.deepEqual(await fixture('classic.csv'), outcomes)
  })
})

test('an export with the newer headers and a byte order mark is read', async () => {
  const outcomes = await fixture('new-headers.csv')
  assert.deepEqual(refusals(outcomes), [])
  const products = productsBySlug(outcomes)
  const tote = products.get('canvas-tote')?.entry
  assert.deepEqual(tote?.categories, ['apparel-accessories-handbags-totes'])
  assert.deepEqual(
    tote?.images?.map((image) => image.alt),
    ['Canvas tote', 'The tote, worn'],
  )
  assert.deepEqual(
    tote?.skus.map((sku) => [sku.code, sku.price, sku.compareAtPrice, sku.stock, sku.backorder]),
    [
      ['TOTE-NAT', 3500, 4200, 60, false],
      ['TOTE-BLK', 3500, null, 12, true],
    ],
  )
  const pattern = products.get('canvas-tote-pattern')?.entry
  assert.equal(pattern?.published, false)
  assert.equal(pattern?.skus[0]?.requiresShipping, false)
})

test('a file that a German spreadsheet saved is read: with semicolons, WAHR, and weights with units', async () => {
  const outcomes = await fixture('semicolon.csv')
  assert.deepEqual(refusals(outcomes), [])
  assert.equal(productsBySlug(outcomes).get('saatgut')?.entry.skus[0]?.price, 490)
  const entry = productsBySlug(outcomes).get('gaertner-schere')?.entry
  assert.equal(entry?.published, true)
  assert.deepEqual(
    entry?.skus.map((sku) => [sku.options, sku.weightGrams]),
    [
      [{ Größe: 'Klein' }, 250],
      [{ Größe: 'Groß' }, 255],
    ],
  )
})

const badRows: [name: string, rows: Cells[], refused: [line: number, reason: RegExp][]][] = [
  ['no handle', [{ ...good, Handle: ' ' }], [[2, /handle is missing/]]],
  ['no title', [{ ...good, Title: '\n' }], [[2, /title is missing/]]],
  ['no price', [{ ...good, 'Variant Price': '' }], [[2, /price is missing/]]],
  ['a decimal comma', [{ ...good, 'Variant Price': '19,99' }], [[2, /"19,99" has a comma/]]],
  ['a thousands separator', [{ ...good, 'Variant Price': '1,299.00' }], [[2, /has a comma/]]],
  ['a currency sign', [{ ...good, 'Variant Price': '€5' }], [[2, /not a plain decimal/]]],
  ['an exponent', [{ ...good, 'Variant Price': '1e3' }], [[2, /not a plain decimal/]]],
  ['two points', [{ ...good, 'Variant Price': '10.0.0' }], [[2, /not a plain decimal/]]],
  ['a negative price', [{ ...good, 'Variant Price': '-5.00' }], [[2, /is negative/]]],
  ['half a cent', [{ ...good, 'Variant Price': '1.005' }], [[2, /more decimal places than EUR/]]],
  [
    'many digits that are not rounding noise',
    [{ ...good, 'Variant Price': '1.0051234567' }],
    [[2, /more decimal places than EUR/]],
  ],
  ['a price of 17 digits', [{ ...good, 'Variant Price': '99999999999999999' }], [[2, /not a plain decimal/]]],
  ['a long SKU', [{ ...good, 'Variant SKU': 'x'.repeat(256) }], [[2, /SKU has more than 255/]]],
  ['a long option value', [{ ...good, 'Option1 Value': 'x'.repeat(201) }], [[2, /option value has more than 200/]]],
  [
    'neither a variant nor an image',
    [good, { Handle: 'mug', 'Image Alt Text': 'x' }],
    [[3, /neither a variant nor an image/]],
  ],
  ['the options of an earlier variant', [good, { ...good, 'Variant SKU': 'MUG-2' }], [[3, /same options as line 2/]]],
  [
    'a missing option value',
    [
      { ...good, 'Option1 Name': 'Size', 'Option1 Value': 'S', 'Option2 Name': 'Color', 'Option2 Value': 'Red' },
      { ...good, 'Option1 Value': 'M', 'Variant SKU': 'M2' },
    ],
    [[3, /option "Color" has no value/]],
  ],
  [
    'the handle of an earlier product',
    [good, { ...good, Handle: 'cup', 'Variant SKU': 'C' }, good, good],
    [[4, /the handle is already used on line 2/]],
  ],
]
for (const [name, rows, refused] of badRows) {
  test(`a row with ${name} is refused`, async () => {
    const found = refusals(await outcomesOf(table(rows)))
    assert.deepEqual(
      found.map(([line]) => line),
      refused.map(([line]) => line),
      JSON.stringify(found),
    )
    for (const [index, [, reason]] of refused.entries()) assert.match(found[index]?.[2] ?? '', reason)
  })
}

test('a row with more cells than the header is refused, and so is a product that begins with such a row', async () => {
  const text = 'Handle,Title,Variant Price\na,A,1.00\na,,2.00,,\na,,3.00,x\nb,B,C,1.00\nb,,1.00\n'
  const outcomes = await outcomesOf(readCsv(chunksOf(text)))
  assert.deepEqual(refusals(outcomes), [
    [3, 'a', 'the variant has the same options as line 2'],
    [4, 'a', 'the row has 4 cells, but the header has 3'],
    [5, 'b', 'the row has 4 cells, but the header has 3; the product is left out'],
  ])
})

test('a file without products is refused with one reason', async () => {
  const cases: [text: string, reason: RegExp][] = [
    ['', /the file is empty/],
    ['Title,Variant Price\nMug,1.00\n', /does not name the column "handle" or "url handle"/],
    ['Handle,Variant Price\nmug,1.00\n', /does not name the column "title"/],
    ['Handle,Title,SKU,HS Code,COO,Berlin\nmug,Mug,M,,,4\n', /the file contains stock/],
    ['<!DOCTYPE html>\n<html>\n', /not a product file of Shopify/],
  ]
  for (const [text, reason] of cases) {
    const found = refusals(await outcomesOf(readCsv(chunksOf(text))))
    assert.equal(found.length, 1)
    assert.match(found[0]?.[2] ?? '', reason)
  }
  assert.deepEqual(await outcomesOf(readCsv(chunksOf('Handle,Title,Variant Price\n,,\n'))), [])
})

test('headers may be in any letter case and order, and missing columns set nothing', async () => {
  const { entry } = await oneProduct({ ' PRICE ': '3', 'url HANDLE': 'mug', TITLE: 'Mug' })
  assert.deepEqual(entry, {
    slug: 'mug',
    name: 'Mug',
    published: true,
    options: [],
    skus: [{ code: 'mug', price: 300, backorder: false, requiresShipping: true }],
  })
  for (const name of ['Body (HTML)', 'Body', 'Description'])
    assert.equal((await oneProduct({ ...good, [name]: 'Holds tea.' })).entry.description, 'Holds tea.', name)
})

const sku: [name: string, cells: Cells, expected: Partial<ProductEntry['skus'][number]>, note?: RegExp][] = [
  ['a whole price', { 'Variant Price': '5' }, { price: 500 }],
  ['a price with one decimal', { 'Variant Price': '19.9' }, { price: 1990 }],
  ['a price with zeros at the end', { 'Variant Price': '19.9900' }, { price: 1999 }],
  ['a price with the rounding noise of a spreadsheet', { 'Variant Price': '58.120000000000005' }, { price: 5812 }],
  [
    'rounding noise below the exact numbers',
    { 'Variant Price': '58.119999999999997', 'Variant Grams': '.1999999999999999' },
    { price: 5812, weightGrams: 0 },
  ],
  ['a barcode with a formula guard', { 'Variant Barcode': "'7350177880121" }, { barcode: '7350177880121' }],
  ['a code with a formula guard', { 'Variant SKU': "'00169" }, { code: '00169' }],
  ['another column name of the quantity', { 'Variant Inventory Quantity': '3' }, { stock: 3 }],
  ['a price of zero', { 'Variant Price': '0.00' }, { price: 0 }],
  ['a higher compare-at price', { 'Variant Compare At Price': '30.00' }, { compareAtPrice: 3000 }],
  [
    'an equal compare-at price',
    { 'Variant Compare At Price': '24.50' },
    { compareAtPrice: null },
    /not above the price/,
  ],
  [
    'a bad compare-at price',
    { 'Variant Compare At Price': '30,00' },
    { compareAtPrice: null },
    /compare-at price was left out/,
  ],
  ['the inventory policy continue', { 'Variant Inventory Policy': 'CONTINUE' }, { backorder: true }],
  [
    'an unknown policy',
    { 'Variant Inventory Policy': 'perhaps' },
    { backorder: false },
    /the inventory policy "perhaps" is unknown/,
  ],
  [
    'no tracker',
    { 'Variant Inventory Tracker': '', 'Variant Inventory Qty': '0' },
    { backorder: false, counted: false, stock: 0 },
  ],
  [
    'no tracker, but stock',
    { 'Variant Inventory Tracker': '', 'Variant Inventory Qty': '3' },
    { backorder: false, counted: true, stock: 3 },
    /not tracked at Shopify but has a quantity/,
  ],
  [
    'no tracker, and sold below zero',
    { 'Variant Inventory Tracker': '', 'Variant Inventory Qty': '-12' },
    { backorder: false, counted: false, stock: 0 },
  ],
  ['negative stock', { 'Variant Inventory Qty': '-12' }, { stock: 0 }, /-12 is negative and was changed to 0/],
  ['stock that is not a number', { 'Variant Inventory Qty': 'many' }, {}, /stock "many"/],
  ['half a piece in stock', { 'Variant Inventory Qty': '1.5' }, {}, /stock "1.5"/],
  ['too much stock', { 'Variant Inventory Qty': '1000000001' }, {}, /stock "1000000001"/],
  ['a weight in grams', { 'Variant Grams': '410.0', 'Variant Weight Unit': 'kg' }, { weightGrams: 410 }],
  ['a weight in kilograms', { 'Variant Weight': '1.255', 'Variant Weight Unit': 'kg' }, { weightGrams: 1255 }],
  ['a weight in pounds', { 'Variant Weight': '2', 'Variant Weight Unit': 'LB' }, { weightGrams: 907 }],
  ['a weight in ounces', { 'Variant Weight': '1', 'Variant Weight Unit': 'oz' }, { weightGrams: 28 }],
  ['a weight without a unit', { 'Variant Weight': '2' }, { weightGrams: null }, /not a weight/],
  [
    'an unknown unit of weight',
    { 'Variant Weight': '2', 'Variant Weight Unit': 'constructor' },
    { weightGrams: null },
    /not a weight/,
  ],
  ['a negative weight', { 'Variant Grams': '-1' }, { weightGrams: null }, /not a weight/],
  ['nothing to ship', { 'Variant Requires Shipping': 'false' }, { requiresShipping: false }],
  ['a gift card', { 'Gift Card': 'TRUE' }, { requiresShipping: false }],
  [
    'a gift card that is shipped',
    { 'Gift Card': 'TRUE', 'Variant Requires Shipping': 'true' },
    { requiresShipping: true },
  ],
  ['a variant image', { 'Variant Image': 'https://x.example/a b.jpg' }, { image: 'https://x.example/a%20b.jpg' }],
  [
    'an image by http',
    { 'Variant Image': 'http://x.example/a.jpg' },
    { image: 'https://x.example/a.jpg' },
    /downloaded by https/,
  ],
  [
    'an http image at another port',
    { 'Variant Image': 'http://x.example:8080/a.jpg' },
    { image: null },
    /not an https address/,
  ],
  ['an image without https', { 'Variant Image': 'javascript:alert(1)' }, { image: null }, /not an https address/],
  ['no tax', { 'Variant Taxable': 'FALSE' }, {}, /tax-free at Shopify/],
]
for (const [name, cells, expected, note] of sku) {
  test(`a variant with ${name} is read`, async () => {
    const { entry, notes } = await oneProduct({ ...good, ...cells })
    assert.deepEqual(entry.skus, [{ code: 'MUG', price: 2450, backorder: false, requiresShipping: true, ...expected }])
    const own = notes.filter(({ line }) => line !== undefined).map(remarkText)
    assert.equal(own.length, note ? 1 : 0, own.join())
    if (note) assert.match(own[0] ?? '', note)
  })
}

test('yen and dinars are read with their own decimals', async () => {
  const priceIn = async (currency: string, price: string) => {
    const [outcome] = await outcomesOf(table([{ ...good, 'Variant Price': price }]), currency)
    return outcome?.kind === 'product'
      ? outcome.entry.skus[0]?.price
      : outcome && remarkText({ ...outcome.reason, leavesOut: false })
  }
  assert.equal(await priceIn('JPY', '1200.00'), 1200)
  assert.equal(await priceIn('JPY', '1200.50'), 'the price "1200.50" has more decimal places than JPY')
  assert.equal(await priceIn('KWD', '1.255'), 1255)
  assert.equal(await priceIn('EUR', '450000000.00'), 45_000_000_000)
  assert.equal(await priceIn('EUR', '450000000.01'), 'the price "450000000.01" is above €450,000,000.00')
  assert.equal(await priceIn('EUR', '4006381333931.00'), 'the price "4006381333931.00" is above €450,000,000.00')
  assert.equal(await priceIn('JPY', '45000000001'), 'the price "45000000001" is above ¥45,000,000,000')
})

test('a product is published only if it is active and on the online store', async () => {
  const cases: [status: string, published: string, expected: boolean][] = [
    ['', '', true],
    ['active', 'true', true],
    ['Active', 'TRUE', true],
    ['active', 'false', false],
    ['draft', 'true', false],
    ['archived', '', false],
    ['unlisted', 'true', false],
    ['sleeping', 'true', false],
    ['active', 'perhaps', false],
  ]
  for (const [Status, Published, expected] of cases) {
    const { entry } = await oneProduct({ ...good, Status, Published })
    assert.equal(entry.published, expected, `${Status}/${Published}`)
  }
})

test('generated codes do not depend on the order of the rows, and are different for each variant', async () => {
  const rows = ['Rosé', 'Rose', '红色', 'Blue'].map((value) => ({
    ...good,
    'Variant SKU': '',
    'Option1 Name': 'Color',
    'Option1 Value': value,
  }))
  const codes = async (given: Cells[]) =>
    new Map((await oneProduct(...given)).entry.skus.map((sku) => [sku.options?.Color ?? '', sku.code]))
  const one = await codes(rows)
  const other = await codes(rows.toReversed())
  for (const [color, code] of one) assert.equal(other.get(color), code)
  assert.equal(new Set(one.values()).size, 4)
  assert.equal(one.get('Blue'), 'mug-blue')
  assert.match(one.get('Rose') ?? '', /^mug-rose-[0-9a-f]{8}$/)
  assert.match(one.get('红色') ?? '', /^mug-[0-9a-f]{8}$/)
})

test('any handle gives a slug, and long values are truncated', async () => {
  const japanese = await oneProduct({ ...good, Handle: '抹茶' })
  assert.match(japanese.entry.slug, /^product-[0-9a-f]{8}$/)
  const long = await oneProduct({
    ...good,
    Handle: 'ab-'.repeat(100),
    Title: '🍵'.repeat(150),
    'Body (HTML)': `<p>${'word '.repeat(20_000)}</p>`,
    Tags: [...Array.from({ length: 60 }, (_, index) => `tag ${index}`), 'x'.repeat(61)].join(','),
    'Variant SKU': '',
    Type: Array.from({ length: 10 }, (_, index) => `level ${index}`).join(' > '),
  })
  assert.equal(long.entry.slug.length <= 120, true)
  assert.equal(long.entry.name, '🍵'.repeat(100))
  assert.equal(long.entry.description?.length, 49_999)
  assert.equal(long.entry.summary, `${'word '.repeat(39).trim()}…`)
  assert.equal(long.entry.tags?.length, 50)
  assert.equal(long.categories.length, 8)
  assert.equal(long.entry.skus[0]?.code, long.entry.slug)
  assert.equal(long.notes.length, 7)
})

test('HTML that is too long is replaced by its text', async () => {
  const long = await oneProduct({ ...good, 'Body (HTML)': '<b>x</b> &amp; '.repeat(5_000) })
  assert.equal(long.entry.descriptionHtml, null)
  assert.equal(long.entry.description?.length, 19_999)
  assert.match(long.notes.map(remarkText).join(), /more than 65536 characters, so only its plain text was imported/)
})

test('two handles give two products unless they differ only in letter case, in one file and in two files', async () => {
  const handle = fc
    .oneof(fc.stringMatching(/^[a-zA-Zа-яé0-9_ -]{1,8}$/), anyText({ minLength: 1, maxLength: 8 }))
    .map((text) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim())
    .filter((text) => text !== '' && !text.startsWith("'"))
  const slugOf = async (Handle: string) => (await oneProduct({ ...good, Handle })).entry.slug
  await fc.assert(
    fc.asyncProperty(handle, handle, async (one, other) => {
      const isSame = one.toLowerCase() === other.toLowerCase()
      assert.equal((await slugOf(one)) === (await slugOf(other)), isSame)
      const rows = [
        { ...good, Handle: one },
        { ...good, Handle: other, 'Variant SKU': 'B' },
      ]
      const outcomes = await outcomesOf(table(rows))
      assert.equal(productsBySlug(outcomes).size, isSame ? 1 : 2)
    }),
    {
      numRuns: 300,
      examples: [
        ['футболка-1', 'брюки-1'],
        ['MÜG', 'mueg'],
        ['Rosé', 'rose'],
        ['A', 'a'],
      ],
    },
  )
})

test('different product types in other scripts give different categories', async () => {
  const slugOf = async (Type: string) => (await oneProduct({ ...good, Type })).entry.categories?.[0]
  assert.notEqual(await slugOf('Обувь 1'), await slugOf('Одежда 1'))
  assert.notEqual(await slugOf('Tea 🍵'), await slugOf('Tea 🍶'))
  assert.match((await slugOf('Обувь 1')) ?? '', /^1-[0-9a-f]{8}$/)
  assert.equal(await slugOf('T-Shirts'), await slugOf('t shirts'))
  assert.equal(await slugOf('Crème & Co'), 'creme-co')
})

test('a repeated SKU code is replaced by a generated one, which is the same in every order of the rows', async () => {
  const rows = ['S', 'M', 'L'].map((size) => ({ ...good, 'Option1 Name': 'Size', 'Option1 Value': size }))
  const cup = { ...good, Handle: 'cup', Title: 'Cup' }
  const outcomes = await outcomesOf(table([...rows, cup]))
  assert.deepEqual(refusals(outcomes), [])
  const codes = [...productsBySlug(outcomes).values()].flatMap(({ entry }) => entry.skus.map(({ code }) => code))
  assert.equal(new Set(codes).size, 4)
  assert.deepEqual(
    codes.map((code) => code.replace(/[0-9a-f]{8}$/, '')),
    ['MUG', 'MUG-', 'MUG-', 'MUG-'],
  )
  const other = await outcomesOf(table([rows[0], rows[2], rows[1], cup] as Cells[]))
  assert.deepEqual(
    new Set([...productsBySlug(other).values()].flatMap(({ entry }) => entry.skus.map((sku) => sku.code))),
    new Set(codes),
  )
  const notes = [...productsBySlug(outcomes).values()].flatMap((product) => product.notes)
  assert.equal(
    notes.filter((note) => /SKU "MUG" is already used on line 2 and was changed to/.test(remarkText(note))).length,
    3,
  )
})

test('SKU codes keep their length and inner spaces', async () => {
  const code = `A  1 ${'x'.repeat(250)}`
  assert.equal((await oneProduct({ ...good, 'Variant SKU': ` ${code}` })).entry.skus[0]?.code, code)
})

test('a file with semicolons may have decimal commas, and a file with commas may not', async () => {
  const read = async (delimiter: string, price: string, compareAt = '') => {
    const cells = [
      ['Handle', 'Title', 'Variant Price', 'Variant Compare At Price', 'Variant Grams', 'Variant Inventory Qty'],
      ['mug', 'Mug', price, compareAt, '12,0', '3,0'],
    ]
    const text = cells.map((row) => csvLine(row, delimiter)).join('')
    const [outcome] = await outcomesOf(readCsv(chunksOf(text)))
    return outcome?.kind === 'product' ? outcome.entry.skus[0] : outcome && remarkText(outcome.reason)
  }
  assert.deepEqual(await read(';', '12,90', '1.299,00'), {
    ...{ code: 'mug', price: 1290, compareAtPrice: 129_900, backorder: false, requiresShipping: true },
    ...{ stock: 3, weightGrams: 12 },
  })
  assert.match(String(await read(';', '1.299')), /more decimal places than EUR/)
  assert.match(String(await read(';', '1,299')), /more decimal places than EUR/)
  assert.match(String(await read(';', '12.90,00')), /has a comma/)
  assert.match(String(await read(',', '12,90')), /has a comma/)
})

test('a file without quantities gives a warning, and a default stock can be set', async () => {
  const { notes } = await oneProduct(good)
  assert.match(notes.map(remarkText)[0] ?? '', /^warning: the file has no quantities, so new SKUs have no stock/)
  const counted = { ...good, 'Variant Inventory Qty': '' }
  const [outcome] = await Array.fromAsync(readShopifyProducts(table([counted]), { currency: 'EUR', stockDefault: 7 }))
  assert.ok(outcome?.kind === 'product')
  assert.equal(outcome.entry.skus[0]?.stock, 7)
  assert.deepEqual(outcome.notes, [])
  const zero = { ...good, 'Variant Inventory Qty': '0' }
  const [known] = await Array.fromAsync(readShopifyProducts(table([zero]), { currency: 'EUR', stockDefault: 7 }))
  assert.ok(known?.kind === 'product')
  assert.equal(known.entry.skus[0]?.stock, 0)
})

test('the summary consists of whole sentences if at least one fits', async () => {
  const first = 'The first sentence is long enough to stand alone.'
  const summaryOf = async (body: string) => (await oneProduct({ ...good, 'Body (HTML)': body })).entry.summary
  assert.equal(await summaryOf(`<p>${first}</p><p>More.</p>`), first)
  assert.equal(await summaryOf(`<p>${first} ${'And it goes on and on '.repeat(10)}.</p>`), first)
  assert.match((await summaryOf(`No. ${'7 goes on and on '.repeat(20)}`)) ?? '', /^No\. 7 goes.*…$/)
  assert.equal(await summaryOf('字'.repeat(300)), `${'字'.repeat(199)}…`)
})

test('options without a name, or with the name of another option, get a name', async () => {
  const { entry, notes } = await oneProduct({
    ...good,
    'Option1 Name': '__proto__',
    'Option1 Value': 'a',
    'Option2 Name': 'Size',
    'Option2 Value': 'b',
    'Option3 Name': 'Size',
    'Option3 Value': 'c',
  })
  assert.deepEqual(entry.skus[0]?.options, { 'Option 1': 'a', Size: 'b', 'Size 3': 'c' })
  assert.equal(notes.filter(({ code }) => code === 'option_named').length, 2)
  const title = await oneProduct({ ...good, 'Option1 Name': 'Title', 'Option1 Value': 'Deluxe' })
  assert.deepEqual(title.entry.options, [{ name: 'Title', values: ['Deluxe'] }])
})

test('the size of one product is limited', async () => {
  const rows = Array.from({ length: 2_098 }, (_, index) => ({
    ...good,
    'Option1 Name': 'Number',
    'Option1 Value': String(index),
    'Variant SKU': `M-${index}`,
    'Variant Inventory Qty': '-1',
    'Image Src': `https://x.example/${index}.jpg`,
    'Image Position': String(3_000 - index),
  }))
  const outcomes = await outcomesOf(table(rows))
  const found = refusals(outcomes)
  assert.equal(found.length, 50)
  assert.deepEqual(found[0], [2_050, 'mug', 'the product has more than 2048 variants'])
  const product = outcomes.at(-1)
  assert.ok(product?.kind === 'product')
  assert.equal(product.entry.skus.length, 2_048)
  assert.equal(product.entry.images?.length, 50)
  assert.equal(product.entry.images?.[0]?.url, 'https://x.example/249.jpg')
  assert.equal(product.notes.length, 31)
})

test('a category has the same slug in the whole file', async () => {
  const products = (
    await outcomesOf(
      table([
        { ...good, 'Product Category': 'Men > Shirts' },
        { ...good, Handle: 'b', 'Variant SKU': 'B', 'Product Category': 'Women > Shirts' },
        { ...good, Handle: 'c', 'Variant SKU': 'C', Type: 'men shirts' },
        { ...good, Handle: 'd', 'Variant SKU': 'D', Type: '衣服' },
      ]),
    )
  ).filter((outcome) => outcome.kind === 'product')
  const men = [
    { slug: 'men', name: 'Men', parent: null },
    { slug: 'men-shirts', name: 'Shirts', parent: 'men' },
  ]
  assert.deepEqual(products[0]?.categories, men)
  assert.equal(products[1]?.categories[1]?.slug, 'women-shirts')
  assert.deepEqual(products[2]?.categories, men)
  assert.match(products[3]?.categories[0]?.slug ?? '', /^category-[0-9a-f]{8}$/)
})

test('for any cells, an entry is valid, and a refusal has a line and a reason', async () => {
  const names = (
    'Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Status,Gift Card,Option1 Name,Option1 Value,' +
    'Option2 Name,Option2 Value,Option3 Name,Option3 Value,Variant SKU,Variant Price,Variant Compare At Price,' +
    'Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Grams,Variant Weight,' +
    'Variant Weight Unit,Variant Requires Shipping,Variant Image,Image Src,Image Position,Image Alt Text,Unknown'
  ).split(',')
  const cell = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('', 'a', 'b', 'A', 'red', '1', '2.50', '19.99', 'true', 'https://x.example/1.jpg'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '__proto__',
        'constructor',
        'Default Title',
        'Title',
        'x > y > x',
        '-1',
        '红',
        'kg',
        ',,a,',
        '<p>x',
      ),
    },
    { weight: 1, arbitrary: anyText({ maxLength: 300 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(anyText({ minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 400 }))
        .map(([text, times]) => text.repeat(times)),
    },
  )
  const row = fc
    .tuple(
      fc.constantFrom('a', 'a', 'b', 'c'),
      fc.array(cell, { minLength: names.length, maxLength: names.length + 1 }),
      fc.boolean(),
    )
    .map(([handle, cells, isSane]) =>
      isSane ? [handle, 'Title', ...cells.slice(2, 17), '5.00', ...cells.slice(18)] : cells,
    )
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 12 }), async (rows) => {
      const text = [names, ...rows].map((cells) => csvLine(cells)).join('')
      for (const outcome of await outcomesOf(readCsv(chunksOf(text)))) {
        if (outcome.kind === 'refused') assert.ok(outcome.line > 1 && remarkText(outcome.reason).length > 0)
      }
    }),
    { numRuns: 100 },
  )
})

test('products are returned while the file is still being read, and memory is limited', async () => {
  const products = isWide ? 20_000 : 6_000
  let chunksAsked = 0
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of shopifyChunks(products)) {
      chunksAsked++
      yield chunk
    }
  }
  let count = 0
  let skus = 0
  let firstAt = 0
  let heapMax = 0
  const heapBefore = process.memoryUsage().heapUsed
  for await (const outcome of readShopifyProducts(readCsv(counted()), { currency: 'EUR' })) {
    assert.equal(outcome.kind, 'product')
    if (outcome.kind !== 'product') continue
    if (count === 0) firstAt = chunksAsked
    count++
    skus += outcome.entry.skus.length
    assert.equal(outcome.entry.skus.length, variantCount(count))
    if (count % 500 === 0) heapMax = Math.max(heapMax, process.memoryUsage().heapUsed)
  }
  assert.equal(count, products)
  assert.equal(skus, products * 2.5)
  assert.equal(firstAt, 1)
  assert.ok(chunksAsked > products / 200)
  // The largest file has 15 MB, and its entries as objects several times as much. The measured bytes include garbage that is not collected yet.
  assert.ok(heapMax - heapBefore < 150 * 1024 * 1024, `${heapMax - heapBefore} bytes`)
})

async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
