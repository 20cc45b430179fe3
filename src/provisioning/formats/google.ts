// A product feed as Google Merchant Center takes it, with tabs or commas: a row for each item, and the items of one product
// share their `item_group_id`.

import { htmlOf } from '../../catalog/plaintext.ts'
import { optionColumns } from '../shopify.ts'
import {
  type ConvertedRow,
  type FileRow,
  holdRows,
  listOf,
  optionsOf,
  type ProductFormat,
  productRows,
  type ShopifyCells,
} from './format.ts'

// As a feed in XML has it. One of text may name several, between commas.
export const productTypePath = 'product type path'
const optionAttributes = ['color', 'size', 'material', 'pattern'] as const

export const google: ProductFormat = {
  name: 'a Google feed',
  isThis: (columns) => ['id', 'title', 'price', 'availability'].every((name) => columns.has(name)),
  columnsOf: (columns) => [
    ...(['handle', 'title', 'body', 'sku', 'price', 'compareAtPrice', 'tracker', 'quantity', 'policy'] as const),
    ...optionColumns.flat(),
    ...(['imageUrl', 'variantImage'] as const),
    ...(columns.has('brand') ? (['vendor'] as const) : []),
    ...(columns.has('gtin') ? (['barcode'] as const) : []),
    ...(columns.has('product type') || columns.has(productTypePath) ? (['type'] as const) : []),
    ...(columns.has('shipping weight') ? (['weight', 'weightUnit'] as const) : []),
  ],
  async *convert(rows, columns, currency) {
    const groups = Map.groupBy(await holdRows(rows, [...columns]), (row) => row.cell('item group id') || row.cell('id'))
    for (const [handle, items] of groups) yield* productOf(handle, items, currency)
  },
}

function* productOf(handle: string, items: readonly FileRow[], currency: string): Generator<ConvertedRow> {
  const taken: FileRow[] = []
  for (const item of items) {
    const found = [item.cell('price'), item.cell('sale price')].filter((text) => text !== '').map(currencyOf)
    const foreign = found.find((code) => code !== currency)
    if (foreign === undefined) taken.push(item)
    else
      yield {
        line: item.line,
        handle,
        refused: `the price is in ${foreign || 'no currency'}, and the shop sells in ${currency}`,
      }
  }
  const [first] = taken
  if (!first) return
  const names = optionAttributes.filter((name) => taken.some((item) => item.cell(name) !== '')).slice(0, 3)
  const options = taken.length === 1 ? [] : names
  const product: ShopifyCells = {
    title: first.cell('title'),
    body: bodyOf(first.cell('description')),
    vendor: first.cell('brand'),
    type: first.cell(productTypePath) || (first.cell('product type').split(',', 1)[0] ?? ''),
  }
  const variants = taken.map((item) => ({
    line: item.line,
    cells: {
      ...variantCells(item),
      ...optionsOf(options.map((name) => ({ name: name[0]?.toUpperCase() + name.slice(1), value: item.cell(name) }))),
      ...(taken.length > 1 && { variantImage: item.cell('image link') }),
    },
  }))
  const pictures = taken.flatMap((item) => [item.cell('image link'), ...listOf(item.cell('additional image link'))])
  yield* productRows(handle, product, variants, [...new Set(pictures.filter((url) => url !== ''))])
}

// A description may have some HTML. A text that only mentions a tag has no end tag.
function bodyOf(description: string): string {
  return /<\/(?:p|div|ul|ol|li|b|strong|i|em|h\d|table)>|<br\s*\/?>/i.test(description)
    ? description
    : htmlOf(description)
}

// "12.90 EUR"
const priceExpression = /^(\S+)\s*([A-Z]{3})$/

function currencyOf(text: string): string {
  return priceExpression.exec(text)?.[2] ?? ''
}

function amountOf(text: string): string {
  return priceExpression.exec(text)?.[1] ?? text
}

function variantCells(item: FileRow): ShopifyCells {
  const [price, sale] = [amountOf(item.cell('price')), amountOf(item.cell('sale price'))]
  const availability = item.cell('availability').toLowerCase().replaceAll(' ', '_')
  const [, weight = '', unit = ''] = /^(\S+)\s*(g|kg|oz|lb)$/.exec(item.cell('shipping weight')) ?? []
  return {
    sku: item.cell('id'),
    barcode: item.cell('gtin'),
    price: sale || price,
    compareAtPrice: sale === '' ? '' : price,
    // A feed says whether an item can be bought, and no number.
    tracker: availability === 'in_stock' ? '' : 'google',
    quantity: availability === 'in_stock' ? '' : '0',
    policy: ['backorder', 'preorder'].includes(availability) ? 'continue' : 'deny',
    weight,
    weightUnit: unit,
  }
}
