// Shared by the readers of other systems' product files. Each reader converts its rows to Shopify's columns, which `shopify.ts` reads, so
// limits, names, notes and refusals are the same for all systems. Pure.

import { skusMax } from '../../../contract/entries.ts'
import { type Remark, remark } from '../../../contract/remarks.ts'
import { inSlices } from '../../../platform/kit/breath.ts'
import { type CsvRow, FileError, removeFormulaGuard } from '../csv.ts'
import { optionColumns, type ShopifyColumn } from '../shopify.ts'

export interface ProductFormat {
  name: string
  isThis(columns: ReadonlySet<string>): boolean
  // Returns whether the column is imported. A note lists the other columns.
  reads(column: string): boolean
  // Returns the Shopify columns that the converted rows may fill. The product's values for other columns do not change.
  columnsOf(columns: ReadonlySet<string>): readonly ShopifyColumn[]
  convert(rows: AsyncIterable<FileRow>, columns: ReadonlySet<string>, context: FileContext): AsyncIterable<ConvertedRow>
}

export interface FileContext {
  currency: string
  findKnown: FindKnown
}

// A product with a mark, such as its id in the other system, which stays the same when the product is renamed and its slug changes.
export interface MarkedProduct {
  slug: string
  mark: string
  // The last part of the slug, after the last hyphen, which stays the same when the product is renamed.
  end: string
  // SKU codes of the product in the file.
  codes: readonly string[]
}

// Finds products of the shop that have another slug than in the file. Returns their slugs by mark. The mark is stored in the given member
// of the product's metadata.
export type FindKnown = (member: string, products: readonly MarkedProduct[]) => Promise<ReadonlyMap<string, string>>

export type ShopifyCells = Partial<Record<ShopifyColumn, string>>

export type ConvertedRow =
  | { line: number; cells: ShopifyCells; notes?: readonly Remark[] }
  | { line: number; handle: string; refused: Remark }

export interface FileRow {
  line: number
  // Returns '' if the file does not have the column.
  cell(name: string): string
}

export function columnName(text: string): string {
  return text
    .replaceAll('_', ' ')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toLowerCase()
}

export function fileRow({ line, cells }: CsvRow, places: ReadonlyMap<string, number>): FileRow {
  const cell = (name: string) => cells[places.get(name) ?? -1] ?? ''
  return { line, cell: (name) => removeFormulaGuard(cell(name).slice(0, lengthMaxOf(name)).trim()) }
}

// Longer cells are truncated before they are processed.
function lengthMaxOf(name: string): number {
  return name.endsWith('description') ? 512 * 1024 : 32 * 1024
}

export const heldRowsMax = 200_000
export const heldMebibytesMax = 128
export const heldCharactersMax = heldMebibytesMax * 1024 * 1024
// Approximate memory of a cell in addition to its text, in characters.
const cellCharacters = 8

// Holds all rows in memory, because in some files the rows of a product are not consecutive.
export async function holdRows(rows: AsyncIterable<FileRow>, names: readonly string[]): Promise<FileRow[]> {
  const held: FileRow[] = []
  let characters = 0
  for await (const { line, cell } of inSlices(rows)) {
    const cells = new Map<string, string>()
    for (const name of names) {
      const text = cell(name)
      if (text === '') continue
      cells.set(name, text)
      characters += cellCharacters + text.length
    }
    if (held.length >= heldRowsMax || characters > heldCharactersMax)
      throw new FileError(line, remark('too_many_rows', { max: heldRowsMax, mebibytes: heldMebibytesMax }))
    held.push({ line, cell: (name) => cells.get(name) ?? '' })
  }
  return held
}

// Groups rows by key. Groups are in the order of their first rows; rows without a key are left out.
export async function groupRows<Key>(
  rows: readonly FileRow[],
  keyOf: (row: FileRow) => Key | undefined,
): Promise<Map<Key, FileRow[]>> {
  const groups = new Map<Key, FileRow[]>()
  for await (const row of inSlices(rows)) {
    const key = keyOf(row)
    const group = key === undefined ? undefined : groups.get(key)
    if (group) group.push(row)
    else if (key !== undefined) groups.set(key, [row])
  }
  return groups
}

// Yields a refusal for each row beyond the maximum number of variants, and returns the rows before.
export function* variantsOf(handle: string, rows: readonly FileRow[]): Generator<ConvertedRow, readonly FileRow[]> {
  for (const { line } of rows.slice(skusMax))
    yield { line, handle, refused: remark('too_many_variants', { max: skusMax }) }
  return rows.slice(0, skusMax)
}

// Returns a row for each variant, the first of which also has the product's cells, and a row for each further picture.
export function productRows(
  handle: string,
  product: ShopifyCells,
  variants: readonly { line: number; cells: ShopifyCells }[],
  pictures: readonly string[],
): ConvertedRow[] {
  const [first, ...others] = pictures
  const line = variants[0]?.line ?? 1
  return [
    ...variants.map((variant, index) => ({
      line: variant.line,
      cells: { handle, ...(index === 0 && { ...product, imageUrl: first ?? '' }), ...variant.cells },
    })),
    ...others.map((imageUrl) => ({ line, cells: { handle, imageUrl } })),
  ]
}

// Fills the option columns, starting at the index `first`.
export function optionsOf(options: readonly { name: string; value: string }[], first = 0): ShopifyCells {
  const cells: ShopifyCells = {}
  for (const [index, [name, value]] of optionColumns.slice(first).entries()) {
    const option = options[index]
    if (!option) break
    cells[name] = option.name
    cells[value] = option.value
  }
  return cells
}

// One of several variants that are made from a single row: its index, the number of variants, and the end of its code.
export interface VariantShare {
  index: number
  count: number
  end: string
}

export const combinedVariantsMax = 500

// Returns the combinations of one element from each list, at most `countMax`.
export function combineValues(lists: readonly (readonly string[])[], countMax: number): string[][] {
  let combinations: string[][] = [[]]
  for (const list of lists) {
    const longer: string[][] = []
    for (const one of combinations)
      for (const value of list.length === 0 ? [''] : list) if (longer.length < countMax) longer.push([...one, value])
    combinations = longer
  }
  return combinations
}

// Returns the cells of one of several variants that are made from a single row. Each variant gets its own code and a share of the row's
// stock, and only the first one gets the barcode.
export function sharedCells(cells: ShopifyCells, share: VariantShare | undefined): ShopifyCells {
  if (!share) return cells
  const { index, count, end } = share
  const stock = Number(cells.quantity)
  const part = Math.floor(stock / count) + (index < stock % count ? 1 : 0)
  return {
    ...cells,
    ...(cells.sku && { sku: `${cells.sku}-${end}` }),
    ...(stock > 0 && { quantity: String(part) }),
    ...(index > 0 && { barcode: '' }),
  }
}

// Splits a cell at the commas between its URLs.
export function listOf(text: string): string[] {
  return text
    .split(/,\s*(?=https?:)/)
    .map((url) => url.trim())
    .filter((url) => url !== '')
}
