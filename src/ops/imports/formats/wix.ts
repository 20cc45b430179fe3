// Wix's product file, in the format of its older stores (`handleId`, rows Product and Variant) and of its newer ones (`handle`, rows
// PRODUCT, VARIANT and MEDIA). The first row of a product has the options, and the rows of its variants have the values.

import { remark } from '../../../contract/remarks.ts'
import { plainTextToHtml } from '../../../domain/catalog/plaintext.ts'
import { decimalAmount, parseDecimal, roundHalfUpDivide } from '../../../platform/kit/money.ts'
import { slugify } from '../../../platform/kit/slug.ts'
import { optionColumns, slugOfHandle } from '../shopify.ts'
import {
  type ConvertedRow,
  combinedVariantsMax,
  combineValues,
  type FileRow,
  groupRows,
  holdRows,
  type MarkedProduct,
  optionsOf,
  type ProductFormat,
  productRows,
  type ShopifyCells,
  sharedCells,
  type VariantShare,
  variantsOf,
} from './format.ts'

const optionsMax = 6
const sectionsMax = 6
const markMember = 'wixId'

// Numbered columns are listed without their number.
// biome-ignore format: a list of words
const read = new Set([
  'handleid', 'handle', 'fieldtype', 'name', 'description', 'plaindescription', 'productimageurl', 'media', 'collection', 'sku', 'barcode',
  'brand', 'price', 'surcharge', 'strikethroughprice', 'visible', 'discountmode', 'discountvalue', 'inventory', 'productoptionname',
  'productoptiontype', 'productoptiondescription', 'productoptionchoices', 'additionalinfotitle', 'additionalinfodescription',
])

export const wix: ProductFormat = {
  name: 'Wix',
  isThis: (columns) => columns.has('fieldtype') && (columns.has('handleid') || columns.has('handle')),
  reads: (column) => read.has(column.replace(/\d+$/, '')),
  columnsOf: (columns) => [
    ...(['handle', 'metadata', 'title', 'body', 'published', 'sku', 'price', 'compareAtPrice'] as const),
    ...(['tracker', 'quantity', 'policy', 'imageUrl'] as const),
    ...optionColumns.flat(),
    ...(columns.has('collection') ? (['type', 'furtherTypes'] as const) : []),
    ...(columns.has('brand') ? (['vendor'] as const) : []),
    ...(columns.has('barcode') ? (['barcode'] as const) : []),
  ],
  async *convert(rows, columns, { currency, findKnown }) {
    const held = await holdRows(rows, [...columns])
    const groups = await groupRows(held, idOf)
    const products = [...groups.values()].flatMap((group) =>
      group.filter((row) => kindOf(row) === 'product').slice(0, 1),
    )
    const known = await findKnown(markMember, products.flatMap(markedProduct))
    for (const [id, group] of groups) {
      const row = group.find((one) => kindOf(one) === 'product')
      if (row) yield* productOf(row, group, { currency, known: known.get(id) })
      else
        for (const { line } of group) yield { line, handle: id.slice(0, 100), refused: remark('row_without_product') }
    }
  },
}

function idOf(row: FileRow): string {
  return row.cell('handleid') || row.cell('handle')
}

function kindOf(row: FileRow): string {
  return row.cell('fieldtype').toLowerCase()
}

// Ids that Wix generated are not shown to shoppers.
const madeId = /^product_([0-9a-f]{8})-[0-9a-f-]{27}$/

function handleOf(row: FileRow): string {
  const end = madeId.exec(idOf(row))?.[1]
  return end === undefined ? idOf(row) : `${slugify(row.cell('name')).slice(0, 90) || 'product'}-${end}`
}

function markedProduct(row: FileRow): MarkedProduct[] {
  const end = madeId.exec(idOf(row))?.[1]
  return end === undefined ? [] : [{ slug: slugOfHandle(handleOf(row)), mark: idOf(row), end, codes: [] }]
}

interface Variant {
  row: FileRow
  values: readonly string[]
  share?: VariantShare
}

function* productOf(
  row: FileRow,
  group: readonly FileRow[],
  { currency, known }: { currency: string; known: string | undefined },
): Generator<ConvertedRow> {
  const handle = known ?? handleOf(row)
  const found = yield* variantsOf(
    handle,
    group.filter((one) => kindOf(one) === 'variant'),
  )
  const { names, variants } = optionsIn(row, found)
  if (names.length > 3) return yield { line: row.line, handle, refused: remark('too_many_attributes') }
  const [type = '', ...furtherTypes] = listIn(row.cell('collection'))
  const product: ShopifyCells = {
    title: row.cell('name'),
    body: bodyOf(row),
    published: row.cell('visible').toLowerCase() === 'false' ? 'FALSE' : 'TRUE',
    type,
    furtherTypes: furtherTypes.join('\n'),
    vendor: row.cell('brand'),
    ...(madeId.test(idOf(row)) && { metadata: `${markMember}\t${idOf(row)}` }),
  }
  const cells = variants.map(({ row: variant, values, share }) => ({
    line: variant.line,
    cells: {
      ...sharedCells(variantCells(variant, row, currency), share),
      ...optionsOf(names.map((name, index) => ({ name, value: values[index] ?? '' }))),
    },
  }))
  const pictures = group.flatMap((one) => listIn(one.cell('productimageurl') || one.cell('media')).map(addressOf))
  yield* productRows(handle, product, cells, [...new Set(pictures)])
}

// A product without variant rows is sold in each combination of its choices.
function optionsIn(row: FileRow, rows: readonly FileRow[]): { names: string[]; variants: Variant[] } {
  const valuesAt = (one: FileRow, number: number) =>
    listIn(one.cell(`productoptiondescription${number}`) || one.cell(`productoptionchoices${number}`)).map(
      withoutColour,
    )
  const all = Array.from({ length: optionsMax }, (_, index) => index + 1)
  const named = all.filter(
    (number) => row.cell(`productoptionname${number}`) !== '' && valuesAt(rows[0] ?? row, number).length > 0,
  )
  const differs = (number: number) =>
    new Set((rows.length > 0 ? rows : [row]).flatMap((one) => valuesAt(one, number))).size > 1
  const numbers = named.length <= 3 ? named : named.filter(differs)
  const names = numbers.map((number) => row.cell(`productoptionname${number}`))
  if (rows.length > 0) {
    const variants = rows.map((one) => ({ row: one, values: numbers.map((number) => valuesAt(one, number)[0] ?? '') }))
    return { names, variants }
  }
  const combinations = combineValues(
    numbers.map((number) => valuesAt(row, number)),
    combinedVariantsMax,
  )
  const count = combinations.length
  const variants = combinations.map((values, index) => {
    const end = values.map((value) => slugify(value) || value).join('-')
    return { row, values, ...(count > 1 && { share: { index, count, end } }) }
  })
  return { names, variants }
}

// For example "#ff0000:Red" and "rgb(255,0,0):Red".
function withoutColour(value: string): string {
  return value.replace(/^(?:#[0-9a-f]{3,8}|rgba?\([^)]*\)):/i, '')
}

function listIn(text: string): string[] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

// A picture stored by Wix is given as a file name.
function addressOf(picture: string): string {
  return /^https?:/.test(picture) ? picture : `https://static.wixstatic.com/media/${encodeURIComponent(picture)}`
}

// Appends the sections of a product to its description.
function bodyOf(row: FileRow): string {
  const sections = Array.from({ length: sectionsMax }, (_, index) => {
    const [title, text] = [
      row.cell(`additionalinfotitle${index + 1}`),
      row.cell(`additionalinfodescription${index + 1}`),
    ]
    return text === '' ? '' : `<h3>${title}</h3>${text}`
  })
  const text = row.cell('description') || row.cell('plaindescription')
  return (/<\w+[^>]*>/.test(text) ? text : plainTextToHtml(text)) + sections.join('')
}

function variantCells(variant: FileRow, product: FileRow, currency: string): ShopifyCells {
  const of = (name: string) => variant.cell(name) || product.cell(name)
  const inventory = of('inventory').toLowerCase().replaceAll('_', '')
  const isNumber = /^-?\d+$/.test(inventory)
  return {
    sku: variant.cell('sku'),
    barcode: variant.cell('barcode'),
    ...pricesOf(variant, product, currency),
    tracker: isNumber || inventory === 'outofstock' ? 'wix' : '',
    quantity: isNumber ? inventory : '0',
    policy: inventory === 'preorder' ? 'continue' : 'deny',
  }
}

// In older stores a variant costs the product's price plus a surcharge. Text that is not an amount is passed on to the reader, which
// refuses it.
function pricesOf(
  variant: FileRow,
  product: FileRow,
  currency: string,
): Pick<ShopifyCells, 'price' | 'compareAtPrice'> {
  const minor = (text: string) => parseDecimal(text.replace(/(\.\d+?)0+$/, '$1').replace(/\.$/, ''), currency)
  const given = variant.cell('price') || product.cell('price')
  const compareAtPrice = variant.cell('strikethroughprice') || product.cell('strikethroughprice')
  const [price, surcharge] = [minor(given), minor(variant.cell('surcharge') || '0')]
  if (price === undefined || surcharge === undefined) return { price: given, compareAtPrice }
  const whole = price + (variant === product ? 0 : surcharge)
  const discount = discountOf(whole, product, minor)
  if (discount <= 0 || discount > whole) return { price: decimalAmount(whole, currency), compareAtPrice }
  return { price: decimalAmount(whole - discount, currency), compareAtPrice: decimalAmount(whole, currency) }
}

function discountOf(amount: number, product: FileRow, minor: (text: string) => number | undefined): number {
  const [mode, value] = [product.cell('discountmode').toUpperCase(), product.cell('discountvalue')]
  if (mode === 'AMOUNT') return minor(value) ?? 0
  if (mode !== 'PERCENT' || !/^\d{1,3}(?:\.\d{1,4})?$/.test(value)) return 0
  return Number(roundHalfUpDivide(BigInt(amount) * BigInt(Math.round(Number(value) * 10_000)), 1_000_000n))
}
