// Detects by the header which system wrote a product file, and converts its rows to Shopify's columns.

import { type Remark, remark } from '../../../contract/remarks.ts'
import { inSlices } from '../../../platform/kit/breath.ts'
import { type CsvRow, csvCodeCell, FileError, guardFormula } from '../csv.ts'
import { type ShopifyColumn, shopifyColumns, unreadNotes } from '../shopify.ts'
import { isStockFile } from '../stockfile.ts'
import { type AssignedColumn, assignedFormat } from './assigned.ts'
import { columnName, type FileContext, type FileRow, type FindKnown, fileRow, type ProductFormat } from './format.ts'
import { google } from './google.ts'
import { medusa } from './medusa.ts'
import { wix } from './wix.ts'
import { woocommerce } from './woocommerce.ts'
import { wooHeader } from './wooheader.ts'

const formats: readonly ProductFormat[] = [wix, medusa, woocommerce, google]

// Number of rows from which the content of columns is guessed.
const sampleRows = 50

// The system that wrote the file is unknown, so a person has to assign meanings to the columns.
export class UnknownColumns extends FileError {
  readonly header: readonly string[]
  readonly rows: readonly CsvRow[]

  constructor({ line, cells }: CsvRow, rows: readonly CsvRow[]) {
    super(line, remark('columns_unknown'))
    this.name = 'UnknownColumns'
    this.header = cells
    this.rows = rows
  }
}

export interface ProductFileOptions {
  currency: string
  findKnown?: FindKnown
  // Meanings that a person assigned to the columns of a file from an unknown system.
  assigned?: readonly AssignedColumn[] | null
}

export async function* productFileRows(
  rows: AsyncIterable<CsvRow>,
  { currency, findKnown = async () => new Map(), assigned = null }: ProductFileOptions,
): AsyncGenerator<CsvRow, void, undefined> {
  const iterator = rows[Symbol.asyncIterator]()
  try {
    const first = await iterator.next()
    if (first.done) return
    const header: CsvRow = first.value
    const places = placesOf(header.cells)
    if (assigned) {
      const format = assignedFormat(assigned, header.delimiter === ';')
      // The converter writes decimal points. Without its delimiter, the header does not suggest decimal commas.
      const plain: CsvRow = { line: header.line, cells: header.cells }
      yield* converted(format, plain, { places, notes: [] }, remainingOf([], iterator), { currency, findKnown })
      return
    }
    const columns = new Set(places.keys())
    const format = isShopify(columns) ? undefined : formats.find((known) => known.isThis(columns))
    const sample = format || isShopify(columns) ? [] : await take(iterator, sampleRows)
    const remaining = remainingOf(sample, iterator)
    const context = { currency, findKnown }
    if (format) yield* converted(format, header, { places, notes: [] }, remaining, context)
    else {
      const woo = wooHeader(header.cells, sample)
      if (woo && woocommerce.isThis(new Set(woo.places.keys())))
        yield* converted(woocommerce, header, woo, remaining, context)
      else if (woo) {
        yield { ...header, cells: ['handle', 'title', 'price'] }
        yield { line: header.line, cells: [], refused: { handle: '', reason: remark('woocommerce_language') } }
      } else if (isShopify(columns)) {
        yield header
        yield* remaining
      } else if (isStockFile(header)) throw new FileError(header.line, remark('stock_file'))
      else throw new UnknownColumns(header, sample)
    }
  } finally {
    await iterator.return?.()
  }
}

function isShopify(columns: ReadonlySet<string>): boolean {
  // Newer Wix files also have a handle column.
  return shopifyColumns.handle.some((name) => columns.has(name)) && !wix.isThis(columns)
}

// Returns the indexes of columns by name. If several columns have the same name, the first is used.
function placesOf(header: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  for (const [place, text] of header.entries()) if (!places.has(columnName(text))) places.set(columnName(text), place)
  places.delete('')
  return places
}

async function* converted(
  format: ProductFormat,
  header: CsvRow,
  { places, notes }: { places: ReadonlyMap<string, number>; notes: readonly Remark[] },
  rows: AsyncIterable<CsvRow>,
  context: FileContext,
): AsyncGenerator<CsvRow> {
  const columns = new Set(places.keys())
  const wanted = format.columnsOf(columns)
  const nameAt = new Map([...places].map(([name, place]) => [place, name]))
  const unread = header.cells.filter((text, place) => text.trim() !== '' && !format.reads(nameAt.get(place) ?? ''))
  const allNotes = [...notes, ...unreadNotes(unread.map((text) => text.trim()))]
  yield { ...header, cells: wanted.map((column) => shopifyColumns[column][0]), notes: allNotes }
  for await (const row of inSlices(format.convert(fileRows(rows, places), columns, context))) {
    const { line } = row
    if ('refused' in row) yield { line, cells: [], refused: { handle: row.handle, reason: row.refused } }
    else {
      const cells = wanted.map((column) => cellText(column, row.cells[column] ?? ''))
      yield { line, cells, ...(row.notes && { notes: row.notes }) }
    }
  }
}

// Adds a guard, because the reader of the row removes one.
function cellText(column: ShopifyColumn, text: string): string {
  return guardFormula(column === 'sku' || column === 'barcode' ? csvCodeCell(text) : text)
}

async function* fileRows(rows: AsyncIterable<CsvRow>, places: ReadonlyMap<string, number>): AsyncGenerator<FileRow> {
  for await (const row of rows) if (row.cells.some((text) => text.trim() !== '')) yield fileRow(row, places)
}

async function take(iterator: AsyncIterator<CsvRow>, count: number): Promise<CsvRow[]> {
  const rows: CsvRow[] = []
  while (rows.length < count) {
    const next = await iterator.next()
    if (next.done) break
    rows.push(next.value)
  }
  return rows
}

async function* remainingOf(taken: CsvRow[], iterator: AsyncIterator<CsvRow>): AsyncGenerator<CsvRow> {
  yield* taken
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
}
