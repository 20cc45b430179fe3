import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { leastOf, threadCpuMs } from '../../../../harness/timed.ts'
import { skuCodeLengthMax } from '../../../contract/entries.ts'
import { limits } from '../../../contract/limits.ts'
import type { CategoryRow } from '../../../domain/catalog/answer.ts'
import { productRecord } from '../../../domain/catalog/normal.ts'
import type { ProductRow, SkuRow } from '../../../domain/catalog/product.ts'
import { feedEnd, feedHead, feedItems } from '../googlefeed.ts'
import { readShopifyProducts } from '../shopify.ts'
import { categoryMap } from '../shopifyrows.ts'
import { type FileOptions, readFile } from './file.ts'
import { productFileRows } from './formats.ts'

async function* chunks(bytes: Buffer, size = bytes.length): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(file: string | Buffer, options: FileOptions = {}, size?: number) {
  const rows = productFileRows(readFile(chunks(Buffer.from(file), size), options), { currency: 'EUR' })
  return Array.fromAsync(readShopifyProducts(rows, { currency: 'EUR', origin: 'https://api.example' }))
}

async function entries(file: string | Buffer, options: FileOptions = {}, size?: number) {
  return (await read(file, options, size)).map((outcome) => (outcome.kind === 'product' ? outcome.entry : outcome))
}

const item = (members: string) => `<item>${members}</item>`
const rss = (items: string, begin = '<?xml version="1.0"?>') =>
  `${begin}<rss xmlns:g="http://base.google.com/ns/1.0" xmlns:m="http://search.yahoo.com/mrss/" version="2.0"><channel><title>Shop</title>\n${items}</channel></rss>`
const mug = '<g:id>MUG</g:id><title>Mug</title><g:price>12.50 EUR</g:price><g:availability>in_stock</g:availability>'

test('RSS with groups, CDATA, comments and foreign elements is read', async () => {
  const shirt = (id: string, size: string) => `
    <item><!-- <g:id>no</g:id> --><g:id>${id}</g:id><g:item_group_id>shirt</g:item_group_id>
    <title><![CDATA[Shirt & <tie>]]></title><m:title>no</m:title><description>Soft &amp; &#x77;arm &lt;3</description>
    <g:shipping><g:price>5.00 EUR</g:price></g:shipping><g:price>20.00 EUR</g:price><g:sale_price>18.00 EUR</g:sale_price>
    <g:availability>out of stock</g:availability><g:size>${size}</g:size><g:product_type>Clothes > Tops, new</g:product_type>
    <g:image_link>https://cdn.example/${id}.jpg</g:image_link><g:additional_image_link>https://cdn.example/a.jpg?x=1,2</g:additional_image_link>
    <g:additional_image_link>https://cdn.example/b.jpg</g:additional_image_link><link/></item>`
  const text = rss(shirt('S-1', 'S') + shirt('S-2', 'M') + item(mug))
  const [first, second] = await entries(text)
  assert.ok(first && 'slug' in first && second && 'slug' in second)
  assert.deepEqual(
    [first.slug, first.name, first.description, first.categories, second.slug],
    ['shirt', 'Shirt & <tie>', 'Soft & warm <3', ['clothes-tops-new'], 'mug'],
  )
  assert.deepEqual(
    first.images?.map(({ url }) => url),
    ['S-1.jpg', 'a.jpg?x=1,2', 'b.jpg', 'S-2.jpg'].map((name) => `https://cdn.example/${name}`),
  )
  assert.deepEqual(
    first.skus.map(({ code, options, price, compareAtPrice, stock }) => [code, options, price, compareAtPrice, stock]),
    [
      ['S-1', { Size: 'S' }, 1800, 2000, 0],
      ['S-2', { Size: 'M' }, 1800, 2000, 0],
    ],
  )
  assert.deepEqual(await entries(text, {}, 1), [first, second], 'however it is cut')
})

test('Atom, other prefixes and HTML in a description are read', async () => {
  const text = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:x="http://base.google.com/ns/1.0"><entry><x:id>A</x:id><title>Cup</title>
    <summary>&lt;p&gt;Fired &lt;b&gt;twice&lt;/b&gt;&lt;/p&gt;</summary><x:price>3.00 EUR</x:price><x:availability>preorder</x:availability></entry></feed>`
  const [cup] = await entries(text)
  assert.ok(cup && 'slug' in cup)
  assert.deepEqual([cup.description, cup.descriptionHtml], ['Fired twice', '<p>Fired <b>twice</b></p>'])
  assert.deepEqual([cup.skus[0]?.backorder, cup.skus[0]?.price], [true, 300])
})

test('the declared encoding of a file is used, unless the file was decoded before', async () => {
  const text = rss(item(mug.replace('Mug<', 'Thé – 5 €<')), '<?xml version="1.0" encoding="windows-1252"?>')
  const bytes = Buffer.from(text.replace('é', '\xe9').replace('–', '\x96').replace('€', '\x80'), 'latin1')
  const nameOf = async (file: string | Buffer, options: FileOptions = {}) => {
    const [first] = await entries(file, options)
    return first && 'name' in first ? first.name : first
  }
  assert.equal(await nameOf(bytes), 'Thé – 5 €')
  assert.equal(await nameOf(text, { isUtf8: true }), 'Thé – 5 €')
  assert.equal(await nameOf(`\ufeff ${rss(item(mug))}`), 'Mug')
  const utf16 = Buffer.from(`\ufeff${rss(item(mug), '<?xml version="1.0" encoding="UTF-16"?>')}`, 'utf16le')
  assert.equal(await nameOf(utf16), 'Mug')
})

const laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
const refused: [name: string, file: string | Buffer, reason: RegExp][] = [
  [
    'a document type',
    laughs + rss(item(mug), ''),
    /^line 1: the file contains a document type declaration \(DOCTYPE\), which is not supported$/,
  ],
  [
    'a document type in lower case',
    `<!doctype rss>${rss('', '')}`,
    /the file contains a document type declaration \(DOCTYPE\), which is not supported/,
  ],
  [
    'another kind of XML',
    '<?xml version="1.0"?>\n<urlset></urlset>',
    /^line 2: the root element <urlset> is not that of/,
  ],
  [
    'an export of WordPress',
    `<?xml version="1.0"?>\n<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel><item><title>Cap</title></item></channel></rss>`,
    /^line 2: this is an export of WordPress, .* import that CSV file$/,
  ],
  ['an HTML page', '<html><body>Not found</body></html>', /<html> is not that of an RSS or Atom feed/],
  ['an end tag that does not match', rss('<item>\n<g:id>x</id></item>'), /^line 3: an end tag does not close <g:id>$/],
  ['an end tag without a start tag', `${rss('')}</rss>`, /does not close anything/],
  ['a second root', rss('') + rss('', ''), /a second root element/],
  ['a truncated file', rss(item(mug)).slice(0, -20), /ends within/],
  ['a truncated tag', '<rss><channel', /ends within the element rss/],
  ['text outside the root element', `${rss('')}x`, /text outside of the root element/],
  ['an element that is nested too deep', `<rss>${'<a>'.repeat(100)}`, /nested deeper than 64/],
  ['a text longer than 1 MiB', `<rss><a>${'x'.repeat(1_100_000)}`, /longer than 1 MiB/],
  [
    'a text that is longer than 1 MiB with all its parts',
    `<rss><a>${'x<!-- -->'.repeat(20)}${'x'.repeat(1_100_000)}</a></rss>`,
    /longer than 1 MiB/,
  ],
  ['a tag longer than 64 KiB', `<rss ${'a="" '.repeat(100_000)}`, /a tag is longer than 64 KiB/],
  ['many elements without an item', `<rss>${'<a/>'.repeat(20_000)}`, /more than 10000 elements/],
  ['many empty items', `<rss>${'<item/>'.repeat(20_000)}`, /more than 10000 elements/],
  [
    'many elements in an item',
    rss(item(`${mug}${'<g:color>red</g:color>'.repeat(20_000)}`)),
    /more than 10000 elements/,
  ],
  [
    'an attribute value without quotes',
    '<rss version=2></rss>',
    /^line 1: the XML is not well-formed: unquoted attribute value$/,
  ],
  ['an attribute twice', '<rss a="1" a="2"></rss>', /^line 1: the XML is not well-formed: duplicate attribute: a$/],
  ['a bare &', rss(item('<g:id>a & b;</g:id>')), /an ampersand is not written as &amp;/],
  ['a comment longer than 1 MiB', `<rss><!-- ${'x'.repeat(1_100_000)}`, /longer than 1 MiB/],
  ['a file with bytes that are not UTF-8', Buffer.concat([Buffer.from('<rss>'), Buffer.from([0xff])]), /is not UTF-8/],
  ['an unknown encoding', rss('', '<?xml version="1.0" encoding="klingon"?>'), /the encoding klingon is not supported/],
]
for (const [name, file, reason] of refused) {
  test(`${name} is refused`, async () => {
    await assert.rejects(read(file), (error: Error) => error.name === 'FileError' && reason.test(error.message))
  })
}

test('any content of a tag is read in linear time', async () => {
  for (const inside of ['b'.repeat(60_000), 'a="" '.repeat(12_000), ' '.repeat(60_000), `a=${' '.repeat(60_000)}`]) {
    const refused = () => assert.rejects(read(`<rss ${inside}>`), /the XML is not well-formed|ends within/)
    const tookMs = await leastOf(250, () => threadCpuMs(refused))
    assert.ok(tookMs < 250, `${inside.slice(0, 10)} ${tookMs} ms`)
  }
})

test('an entity that XML does not define stays as it is written', async () => {
  const [first] = await entries(rss(item(mug.replace('Mug<', '&a;&nbsp;&xxe;&#0;&#xD800;<'))))
  assert.ok(first && 'name' in first)
  assert.equal(first.name, '&a;&nbsp;&xxe;&#0;&#xD800;')
})

const sku: SkuRow = {
  ...{
    id: 'sku_1',
    code: 'MUG-S',
    name: 'Mug',
    price: 1_250,
    compareAtPrice: 1_500,
    priorPrice: 1_500,
    maxPerOrder: 9,
  },
  options: [
    { name: 'Farbe', value: 'Plum & <oat>' },
    { name: 'Handle', value: '"S"' },
    { name: 'Size', value: '=1' },
  ],
  ...{ whenSoldOut: 'not_counted', delivery: 'shipped', weightGrams: 340, taxClass: 'standard' },
  measure: { amount: 250, unit: 'g', per: '100g' },
  ...{ image: '/media/pottery/mug.jpg', barcode: '4006381333931' },
  stock: { live: { onHand: 0, held: 0 }, test: { onHand: 0, held: 0 } },
}
const product: ProductRow = {
  ...{ id: 'prd_1', slug: 'mug', name: 'Mug – "=1"', summary: '', description: 'A mug.\n\nOf clay & <fire>.' },
  ...{ maker: null, warnings: [], withdrawalExempt: null, digital: false, guarantee: null },
  ...{ seoTitle: null, seoDescription: null },
  ...{ brand: 'Kiln & Co', descriptionHtml: null, categories: ['cups'], tags: [] },
  images: ['/media/pottery/mug.jpg', 'https://cdn.example/1.jpg?a=1&b=2'].map((url) => ({
    ...{ url, alt: '', width: null, height: null },
  })),
  options: [
    { name: 'Farbe', values: ['Plum & <oat>'] },
    { name: 'Handle', values: ['"S"', 'L'] },
    { name: 'Size', values: ['=1'] },
  ],
  ...{ metadata: {}, publishedAt: 1, createdAt: 1, updatedAt: 1, archivedAt: null, version: 1 },
  skus: [
    sku,
    {
      ...{
        ...sku,
        id: 'sku_2',
        code: '=MUG-L',
        compareAtPrice: null,
        priorPrice: null,
        whenSoldOut: 'backorder',
        barcode: null,
      },
      ...{
        weightGrams: null,
        measure: { amount: 53_300, unit: 'cm2', per: 'm2' },
        options: [
          { name: 'Farbe', value: 'Plum & <oat>' },
          { name: 'Handle', value: 'L' },
          { name: 'Size', value: '=1' },
        ],
      },
    },
  ],
}
const single: ProductRow = {
  ...product,
  id: 'prd_2',
  slug: 'plate',
  name: "'=Plate",
  // Longer than the 70 characters that Google accepts.
  brand: `=${'Kiln '.repeat(20)}& Co`,
  options: [],
  skus: [{ ...sku, code: 'PLATE-1', options: [] }],
}

function feedOf(products: readonly ProductRow[]): string {
  const category: CategoryRow = {
    ...{ id: 'cat_1', slug: 'cups', name: 'Cups', description: '', parentId: null, position: 0 },
    ...{ image: null, productCount: 1, updatedAt: 1, version: 1 },
  }
  const context = {
    ...({ shopName: 'Pottery', currency: 'EUR', mode: 'live', origin: 'https://api.example', now: 1_000 } as const),
    ...{ link: 'https://shop.example/p/{slug}', categories: categoryMap([category]), makers: new Map() },
  }
  return feedHead(context) + products.map((one) => feedItems(one, context)).join('') + feedEnd
}

// An import replaces the non-breaking space in the title, and must still find the option at its end.
test('a product whose options contain non-breaking spaces keeps its name', async () => {
  const options = [{ name: 'Handle', value: 'L\u00a0 XL' }]
  const text = feedOf([{ ...single, name: 'Mug', skus: [{ ...sku, options }] }])
  const [found] = await entries(text)
  assert.ok(found && 'name' in found)
  assert.equal(found.name, 'Mug')
})

test('importing our own feed gives the same products, as far as a feed can contain them', async () => {
  const found = await entries(feedOf([product, single]))
  // Returns the members that are compared. A feed does not contain the others, such as tags and counts of stock.
  const carried = ({ slug, name, brand, description, categories, images, options, skus }: ProductRow) => ({
    ...{ slug, name, brand, description, categories, images, options },
    skus: skus.map(({ code, options, price, compareAtPrice, whenSoldOut, weightGrams, measure, barcode }) => ({
      ...{ code, options, price, compareAtPrice, whenSoldOut, weightGrams, measure, barcode },
    })),
  })
  const again = found.map((entry) => {
    assert.ok('slug' in entry, JSON.stringify(entry))
    return carried(productRecord(entry, null, 1) as ProductRow)
  })
  assert.deepEqual(again, [product, single].map(carried))
})

// Google accepts ids of up to 50 characters.
test('products with slugs and SKU codes of any length are recognized in our own feed', async () => {
  const letters = (most: number) =>
    fc.oneof(fc.integer({ min: 1, max: most }), fc.constantFrom(49, 50, 51, most)).map((length) => 'a'.repeat(length))
  const draft = fc.record({
    slug: letters(limits.slugLengthMax - 2),
    codes: fc.array(letters(skuCodeLengthMax - 4), { minLength: 1, maxLength: 3 }),
    value: fc.constantFrom('Default Title', 'S'),
    hasOptions: fc.boolean(),
  })
  const productOf = (
    { slug, codes, value, hasOptions }: typeof draft extends fc.Arbitrary<infer Draft> ? Draft : never,
    at: number,
  ) => {
    const taken = hasOptions ? codes : codes.slice(0, 1)
    const skus = taken.map((code, place) => ({
      ...{ ...sku, id: `sku_${at}_${place}`, code: `${code}-${at}=${place}` },
      options: hasOptions ? [{ name: 'Title', value: place === 0 ? value : `${value} ${place}` }] : [],
    }))
    return { ...single, id: `prd_${at}`, slug: `${slug}-${at}`, skus }
  }
  await fc.assert(
    fc.asyncProperty(fc.array(draft, { minLength: 1, maxLength: 4 }), async (drafts) => {
      const products = drafts.map(productOf)
      const text = feedOf(products)
      for (const [, id = ''] of text.matchAll(/<g:(?:id|item_group_id)>([^<]*)</g)) assert.ok(id.length <= 50, id)
      const identity = ({ slug, skus }: Pick<ProductRow, 'slug' | 'skus'>) => [
        slug,
        skus.map(({ code, options }) => [code, options]),
      ]
      const found = (await entries(text)).map((entry) => {
        assert.ok('slug' in entry, JSON.stringify(entry))
        return productRecord(entry, null, 1) as ProductRow
      })
      assert.deepEqual(found.map(identity), products.map(identity))
    }),
  )
})
