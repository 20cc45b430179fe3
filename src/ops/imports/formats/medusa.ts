// Medusa's product file: the rows of a product are consecutive, and each currency and each picture has its own column.

import { remark } from '../../../contract/remarks.ts'
import { plainTextToHtml } from '../../../domain/catalog/plaintext.ts'
import { optionColumns } from '../shopify.ts'
import { type ConvertedRow, type FileRow, optionsOf, type ProductFormat, type ShopifyCells } from './format.ts'

const picturesMax = 50
const tagsMax = 50

// Numbered columns are listed with the number 1, and price columns without their currency.
// biome-ignore format: a list of words
const read = new Set([
  'product handle', 'product title', 'product description', 'product type', 'product status', 'product tags', 'product tag 1',
  'product thumbnail', 'product image 1', 'product image 1 url', 'image 1 url', 'product weight', 'variant sku', 'variant barcode',
  'variant price', 'price', 'variant manage inventory', 'variant inventory quantity', 'variant allow backorder', 'variant weight',
  'variant option 1 name', 'option 1 name', 'variant option 1 value', 'option 1 value',
])

export const medusa: ProductFormat = {
  name: 'Medusa',
  isThis: (columns) => columns.has('product handle') && columns.has('product title'),
  reads: (column) => read.has(column.replace(/ \d+/, ' 1').replace(/(price) [a-z]{3}$/, '$1')),
  columnsOf: (columns) => [
    ...(['handle', 'title', 'body', 'tags', 'status', 'sku', 'barcode', 'price', 'tracker', 'policy'] as const),
    ...optionColumns.flat(),
    ...(['grams', 'imageUrl'] as const),
    ...(columns.has('product type') ? (['type'] as const) : []),
    ...(columns.has('variant inventory quantity') ? (['quantity'] as const) : []),
  ],
  async *convert(rows, columns, { currency }) {
    const price = [`variant price ${currency}`, `price ${currency}`].map((name) => name.toLowerCase())
    const priceColumn = price.find((name) => columns.has(name))
    if (priceColumn === undefined) {
      yield { line: 1, handle: '', refused: remark('currency_column_missing', { currency }) }
      return
    }
    let handle = ''
    for await (const row of rows) {
      const itsHandle = row.cell('product handle')
      const isFirst = itsHandle.toLowerCase() !== handle.toLowerCase()
      handle = itsHandle
      yield { line: row.line, cells: { handle, ...(isFirst && productCells(row)), ...variantCells(row, priceColumn) } }
      if (isFirst) yield* furtherPictures(row)
    }
  },
}

function productCells(row: FileRow): ShopifyCells {
  const status = row.cell('product status').toLowerCase()
  return {
    title: row.cell('product title'),
    body: plainTextToHtml(row.cell('product description')),
    type: row.cell('product type'),
    tags: row.cell('product tags') || numbered(row, 'product tag', tagsMax).join(', '),
    status: status === 'published' ? 'active' : status,
    imageUrl: picturesOf(row)[0] ?? '',
  }
}

function variantCells(row: FileRow, priceColumn: string): ShopifyCells {
  const options = [1, 2, 3].map((number) => ({
    name: row.cell(`variant option ${number} name`) || row.cell(`option ${number} name`),
    value: row.cell(`variant option ${number} value`) || row.cell(`option ${number} value`),
  }))
  return {
    ...optionsOf(options),
    sku: row.cell('variant sku'),
    barcode: row.cell('variant barcode'),
    price: row.cell(priceColumn),
    tracker: row.cell('variant manage inventory').toLowerCase() === 'false' ? '' : 'medusa',
    quantity: row.cell('variant inventory quantity'),
    policy: row.cell('variant allow backorder'),
    grams: row.cell('variant weight') || row.cell('product weight'),
  }
}

function* furtherPictures(row: FileRow): Generator<ConvertedRow> {
  for (const imageUrl of picturesOf(row).slice(1))
    yield { line: row.line, cells: { handle: row.cell('product handle'), imageUrl } }
}

function picturesOf(row: FileRow): string[] {
  const urls = [...numbered(row, 'product image', picturesMax, ' url'), ...numbered(row, 'image', picturesMax, ' url')]
  return [...new Set([row.cell('product thumbnail'), ...urls].filter((url) => url !== ''))]
}

function numbered(row: FileRow, name: string, max: number, rest = ''): string[] {
  const texts = Array.from({ length: max }, (_, index) => row.cell(`${name} ${index + 1}${rest}`))
  return texts.filter((text) => text !== '')
}
