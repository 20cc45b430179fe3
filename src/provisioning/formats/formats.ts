// Which system wrote a product file, by its header, and its rows in Shopify's columns.

import { inSlices } from '../../kit/breath.ts'
import { type CsvRow, codeCell, guarded } from '../csv.ts'
import { type ShopifyColumn, shopifyColumns } from '../shopify.ts'
import { columnName, type FileRow, fileRow, type ProductFormat } from './format.ts'
import { google } from './google.ts'
import { medusa } from './medusa.ts'
import { woocommerce } from './woocommerce.ts'

const formats: readonly ProductFormat[] = [medusa, woocommerce, google]

export async function* productFileRows(
  rows: AsyncIterable<CsvRow>,
  currency: string,
): AsyncGenerator<CsvRow, void, undefined> {
  const iterator = rows[Symbol.asyncIterator]()
  try {
    const first = await iterator.next()
    if (first.done) return
    const header: CsvRow = first.value
    const places = placesOf(header.cells)
    const columns = new Set(places.keys())
    const format = isShopify(columns) ? undefined : formats.find((known) => known.isThis(columns))
    if (format) yield* converted(format, header, places, remaining(iterator), currency)
    else {
      yield header
      yield* remaining(iterator)
    }
  } finally {
    await iterator.return?.()
  }
}

function isShopify(columns: ReadonlySet<string>): boolean {
  return shopifyColumns.handle.some((name) => columns.has(name))
}

// The first of those that repeat.
function placesOf(header: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  for (const [place, text] of header.entries()) if (!places.has(columnName(text))) places.set(columnName(text), place)
  places.delete('')
  return places
}

async function* converted(
  format: ProductFormat,
  header: CsvRow,
  places: ReadonlyMap<string, number>,
  rows: AsyncIterable<CsvRow>,
  currency: string,
): AsyncGenerator<CsvRow> {
  const columns = new Set(places.keys())
  const wanted = format.columnsOf(columns)
  yield { ...header, cells: wanted.map((column) => shopifyColumns[column][0]) }
  for await (const row of inSlices(format.convert(fileRows(rows, places), columns, currency))) {
    const { line } = row
    if ('refused' in row) yield { line, cells: [], refused: { handle: row.handle, reason: row.refused } }
    else {
      const cells = wanted.map((column) => cellText(column, row.cells[column] ?? ''))
      yield { line, cells, ...(row.notes && { notes: row.notes }) }
    }
  }
}

// The reader takes a guard away.
function cellText(column: ShopifyColumn, text: string): string {
  return guarded(column === 'sku' || column === 'barcode' ? codeCell(text) : text)
}

async function* fileRows(rows: AsyncIterable<CsvRow>, places: ReadonlyMap<string, number>): AsyncGenerator<FileRow> {
  for await (const row of rows) if (row.cells.some((text) => text.trim() !== '')) yield fileRow(row, places)
}

async function* remaining(iterator: AsyncIterator<CsvRow>): AsyncGenerator<CsvRow> {
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
}
