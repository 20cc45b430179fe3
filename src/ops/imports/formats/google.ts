// A product feed in the format of Google Merchant Center, separated by tabs or commas: one row per item. Items of the same product share
// an `item_group_id`.

import { remark } from '../../../contract/remarks.ts'
import { optionAttributeOf, optionAttributes } from '../../../domain/catalog/attributes.ts'
import { plainTextToHtml } from '../../../domain/catalog/plaintext.ts'
import { isNoOption, optionColumns } from '../shopify.ts'
import {
  type ConvertedRow,
  type FileRow,
  groupRows,
  holdRows,
  listOf,
  optionsOf,
  type ProductFormat,
  productRows,
  type ShopifyCells,
  variantsOf,
} from './format.ts'

// Product type of an XML feed. In contrast, `product type` in a text feed may list several, separated by commas.
export const productTypePath = 'product type path'
// Options of an item in our own XML feed: one per line, as name and value separated by a tab.
export const optionDetails = 'option details'
// Section name of the `product_detail` elements that are options.
export const optionsSection = 'Options'

// Slug, SKU code and brand in our own XML feed, if they are longer than Google accepts.
export const wholeSlug = 'whole slug'
export const wholeCode = 'whole code'
export const wholeBrand = 'whole brand'
// The XML namespace of our own elements.
export const ownNamespace = 'urn:cartwright:feed'

interface Option {
  name: string
  value: string
}

// Returns what is added to the title of an item: the values of options for which Google has no attribute.
export function titleEndOf(options: readonly Option[]): string {
  return options
    .filter((option) => !optionAttributeOf(option.name))
    .map(({ value }) => ` – ${value}`)
    .join('')
}

// biome-ignore format: a list of words
const read = new Set<string>([
  'id', 'title', 'price', 'availability', 'description', 'item group id', 'sale price', 'brand', 'gtin', 'product type', ...optionAttributes,
  'image link', 'additional image link', 'shipping weight', 'unit pricing measure', 'unit pricing base measure', productTypePath, optionDetails, wholeSlug, wholeCode, wholeBrand,
])

const measureColumns = ['measure', 'measureUnit', 'measureBase', 'measureBaseUnit'] as const

export const google: ProductFormat = {
  name: 'a Google feed',
  isThis: (columns) => ['id', 'title', 'price', 'availability'].every((name) => columns.has(name)),
  reads: (column) => read.has(column),
  columnsOf: (columns) => [
    ...(['handle', 'title', 'body', 'sku', 'price', 'compareAtPrice', 'tracker', 'quantity', 'policy'] as const),
    ...optionColumns.flat(),
    ...(['imageUrl', 'variantImage'] as const),
    ...(columns.has('brand') ? (['vendor'] as const) : []),
    ...(columns.has('gtin') ? (['barcode'] as const) : []),
    ...(columns.has('product type') || columns.has(productTypePath) ? (['type'] as const) : []),
    ...(columns.has('shipping weight') ? (['weight', 'weightUnit'] as const) : []),
    ...(columns.has('unit pricing measure') ? measureColumns : []),
  ],
  async *convert(rows, columns, { currency }) {
    const held = await holdRows(rows, [...columns])
    const groups = await groupRows(held, (row) => row.cell(wholeSlug) || row.cell('item group id') || row.cell('id'))
    for (const [handle, items] of groups) yield* productOf(handle, yield* variantsOf(handle, items), currency)
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
        refused:
          foreign === ''
            ? remark('price_without_currency', { shopCurrency: currency })
            : remark('price_in_other_currency', { currency: foreign, shopCurrency: currency }),
      }
  }
  const [item] = taken
  if (!item) return
  const ends = titleEndsOf(taken)
  const options = optionReader(taken, ends)
  // In the first option columns, such values would mean that the product has no options.
  const first = taken.some((item) => isNoOption(options(item).map(({ value }) => value))) ? 1 : 0
  const product: ShopifyCells = {
    title:
      (taken.length > 1 && options(item).some(({ name }) => name === variantOption) && ends?.begin) || nameOf(item),
    body: bodyOf(item.cell('description')),
    vendor: item.cell(wholeBrand) || item.cell('brand'),
    type: item.cell(productTypePath) || (item.cell('product type').split(',', 1)[0] ?? ''),
  }
  const variants = taken.map((item) => ({
    line: item.line,
    cells: {
      ...variantCells(item),
      ...optionsOf(options(item), first),
      ...(taken.length > 1 && { variantImage: item.cell('image link') }),
    },
  }))
  const pictures = taken.flatMap((item) => [item.cell('image link'), ...listOf(item.cell('additional image link'))])
  yield* productRows(handle, product, variants, [...new Set(pictures.filter((url) => url !== ''))])
}

// Returns the options of an item: those in our own feed, otherwise the attributes that all items of the product have. If these do not
// distinguish the items, the ends of their titles are used, otherwise their ids.
function optionReader(items: readonly FileRow[], ends: TitleEnds | undefined): (item: FileRow) => Option[] {
  if (items.some((item) => detailsOf(item).length > 0)) return detailsOf
  if (items.length === 1) return () => []
  const names = optionAttributes.filter((name) => items.every((item) => item.cell(name) !== '')).slice(0, 3)
  const given = (item: FileRow) =>
    names.map((name) => ({ name: name[0]?.toUpperCase() + name.slice(1), value: item.cell(name) }))
  const combinations = new Set(items.map((item) => JSON.stringify(given(item))))
  if (combinations.size === items.length) return given
  return (item) => [...given(item).slice(0, 2), { name: variantOption, value: ends?.of.get(item) ?? item.cell('id') }]
}

const variantOption = 'Variant'

interface TitleEnds {
  // The words with which all titles begin.
  begin: string
  of: ReadonlyMap<FileRow, string>
}

// "Rope, 5 m" and "Rope, 10 m" have the ends "5 m" and "10 m". Returns undefined if two titles are equal, or if all titles begin with one
// of them.
function titleEndsOf(items: readonly FileRow[]): TitleEnds | undefined {
  const titles = items.map((item) => item.cell('title').split(/\s+/))
  const [first = []] = titles
  let common = 0
  while (common < first.length && titles.every((words) => words[common] === first[common])) common += 1
  const ends = titles.map((words) =>
    words
      .slice(common)
      .join(' ')
      .replace(/^[-–—|,:/(]+|\)+$/g, '')
      .trim(),
  )
  if (new Set(ends).size < items.length || ends.includes('')) return undefined
  const begin = first
    .slice(0, common)
    .join(' ')
    .replace(/[\s\-–—|,:/(]+$/, '')
  return { begin, of: new Map(items.map((item, index) => [item, ends[index] ?? ''])) }
}

function detailsOf(item: FileRow): Option[] {
  const lines = item.cell(optionDetails).split('\n')
  return lines.flatMap((line) => {
    const [name = '', value = ''] = line.split('\t')
    return name === '' || value === '' ? [] : [{ name, value }]
  })
}

function nameOf(item: FileRow): string {
  const [title, end] = [item.cell('title'), titleEndOf(detailsOf(item))]
  return title.endsWith(end) ? title.slice(0, title.length - end.length) : title
}

// An end tag or `<br>` shows that the description is HTML; plain text that only mentions a tag has neither.
function bodyOf(description: string): string {
  return /<\/(?:p|div|ul|ol|li|b|strong|i|em|h\d|table)>|<br\s*\/?>/i.test(description)
    ? description
    : plainTextToHtml(description)
}

// A price such as "12.90 EUR": the amount and the currency.
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
    sku: item.cell(wholeCode) || item.cell('id'),
    barcode: item.cell('gtin'),
    price: sale || price,
    compareAtPrice: sale === '' ? '' : price,
    // A Google feed has no quantities, only whether an item can be bought.
    tracker: availability === 'in_stock' ? '' : 'google',
    quantity: availability === 'in_stock' ? '' : '0',
    policy: ['backorder', 'preorder'].includes(availability) ? 'continue' : 'deny',
    weight,
    weightUnit: unit,
    ...measureCells(item),
  }
}

// Splits measures such as "750ml" and "100 ml" into amount and unit.
function measureCells(item: FileRow): ShopifyCells {
  const [content, base] = [item.cell('unit pricing measure'), item.cell('unit pricing base measure')].map((text) => {
    const [, amount = text, unit = ''] = /^([\d.,]{1,20})\s?([^\s\d.,]\S{0,9})$/.exec(text) ?? []
    return { amount, unit }
  })
  return {
    measure: content?.amount ?? '',
    measureUnit: content?.unit ?? '',
    measureBase: base?.amount ?? '',
    measureBaseUnit: base?.unit ?? '',
  }
}
