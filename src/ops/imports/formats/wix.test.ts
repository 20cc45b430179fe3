import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { test } from 'node:test'
import { remarkText } from '../../../contract/remarks.ts'
import { readCsv } from '../csv.ts'
import { readShopifyProducts } from '../shopify.ts'
import type { FindKnown } from './format.ts'
import { productFileRows } from './formats.ts'

const fixtures = new URL('../../../../tests/fixtures/imports/', import.meta.url)

async function read(name: string, findKnown?: FindKnown) {
  const rows = readCsv(createReadStream(new URL(name, fixtures)))
  const context = { currency: 'EUR', ...(findKnown && { findKnown }) }
  const outcomes = await Array.fromAsync(readShopifyProducts(productFileRows(rows, context), { currency: 'EUR' }))
  return {
    products: outcomes.flatMap((outcome) => (outcome.kind === 'product' ? [outcome] : [])),
    refused: outcomes.flatMap((outcome) =>
      outcome.kind === 'refused' ? [[outcome.line, remarkText(outcome.reason)]] : [],
    ),
  }
}

test('a file of an older Wix store is read', async () => {
  const { products, refused } = await read('wix.csv')
  assert.deepEqual(refused, [[7, 'the row does not belong to a product of the file']])
  const [mug, twine, felt] = products.map(({ entry }) => entry)
  assert.equal(products[0]?.notes.map(remarkText)[0], 'these columns are not imported: ribbon, weight')
  assert.deepEqual(
    [mug?.slug, mug?.name, mug?.brand, mug?.categories, mug?.description, mug?.metadata],
    [
      ...['field-mug-aa6471bb', 'Field mug', 'Kiln', ['cups', 'sale'], 'Fired twice.\n\nCare\n\nWash by hand.'],
      { wixId: 'product_aa6471bb-72d8-874e-f885-8f50d6f92812' },
    ],
  )
  assert.deepEqual(
    mug?.images?.map(({ url }) => url),
    ['https://static.wixstatic.com/media/a1b2_mug~mv2.jpg', 'https://cdn.example.com/mug-2.jpg'],
  )
  const skus = [mug, twine, felt].map((entry) =>
    entry?.skus.map(({ code, options, price, compareAtPrice, counted, stock }) => [
      ...[
        code,
        Object.values(options ?? {}).join(' '),
        price,
        compareAtPrice,
        counted === false ? 'not counted' : stock,
      ],
    ]),
  )
  assert.deepEqual(skus, [
    [
      ['MUG-RS', 'Red S', 1750, 2000, 3],
      ['MUG-BL', 'Blue L', 2144, 2450, 'not counted'],
    ],
    [['TWINE', '', 600, 690, 0]],
    // Choices without variant rows become variants that share the stock.
    [
      ['FELT-grey', 'Grey', 900, null, 3],
      ['FELT-sand', 'Sand', 900, null, 2],
    ],
  ])
  assert.deepEqual([mug?.published, twine?.published, twine?.description], [true, false, 'Strong & brown'])
})

test('a file of a newer Wix store, with handles like those of Shopify, is read', async () => {
  const { products, refused } = await read('wix-new.csv')
  assert.deepEqual(refused, [])
  const [mug] = products.map(({ entry }) => entry)
  assert.deepEqual(
    [mug?.slug, mug?.brand, mug?.metadata, mug?.images?.map(({ url }) => url)],
    ['field-mug', 'Kiln', undefined, ['https://cdn.example.com/mug.jpg']],
  )
  assert.deepEqual(
    mug?.skus.map(({ code, options, price, compareAtPrice, stock, barcode }) => [
      ...[code, options?.Size, price, compareAtPrice, stock, barcode],
    ]),
    [
      ['MUG-S', 'S', 2150, 2500, 4, '4006381333931'],
      ['MUG-L', 'L', 2000, 2500, 0, null],
    ],
  )
})

test('a product that was renamed at Wix is found by its id', async () => {
  const { products } = await read('wix.csv', async (member, marked) => {
    assert.deepEqual([member, marked.length, marked[0]?.end], ['wixId', 1, 'aa6471bb'])
    return new Map([[marked[0]?.mark ?? '', 'old-mug-aa6471bb']])
  })
  assert.equal(products[0]?.entry.slug, 'old-mug-aa6471bb')
})
