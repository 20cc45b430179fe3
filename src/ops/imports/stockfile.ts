// Reads a stock file: one row per SKU with the new count, and preferably the count on which it is based, so a sale in between is not
// undone. The columns are those of Shopify's inventory file. A file written by Shopify has a row per location, or a column per location
// if it is older, and names product and options instead of a code; the counts of its locations are added. Pure.

import { skuCodeLengthMax } from '../../contract/entries.ts'
import { type Remark, remark } from '../../contract/remarks.ts'
import { type CsvRow, parseCsvCodeCell, removeFormulaGuard } from './csv.ts'
import { isNoOption, slugOfHandle } from './shopify.ts'

export type StockOutcome =
  | { kind: 'level'; line: number; code: string; onHand: number; expectedOnHand: number | null; variant?: VariantName }
  // The row has no new count, so nothing changes.
  | { kind: 'same'; line: number; code: string }
  | { kind: 'refused'; line: number; code: string; reason: Remark }

export type StockLevelRow = Extract<StockOutcome, { kind: 'level' }>

export interface VariantName {
  slug: string
  // Values in the order of the product's options.
  values: readonly string[]
}

const names = {
  sku: ['sku', 'variant sku'],
  wanted: ['on hand (new)', 'on hand'],
  expected: ['on hand (current)'],
  location: ['location'],
  handle: ['handle', 'url handle'],
  option1: ['option1 value'],
  option2: ['option2 value'],
  option3: ['option3 value'],
} as const

type Places = Readonly<Record<keyof typeof names, number>>

const codeLengthMax = skuCodeLengthMax
const onHandMax = 1_000_000_000

export async function* readStock(rows: AsyncIterable<CsvRow> | Iterable<CsvRow>): AsyncGenerator<StockOutcome> {
  let places: Places | undefined
  let locations: Locations | undefined
  let wide: readonly number[] = []
  const met = new Map<string, number>()
  for await (const { line, cells } of rows) {
    if (!places) {
      places = placesOf(cells)
      wide = wideColumns(cells, places)
      locations = wide.length > 0 || (places.location >= 0 && places.handle >= 0) ? new Locations() : undefined
      if (wide.length > 0) continue
      if (places.wanted >= 0 && (places.sku >= 0 || locations)) continue
      yield { kind: 'refused', line, code: '', reason: remark('stock_columns_missing') }
      return
    }
    if (cells.every((cell) => cell.trim() === '')) continue
    const found = places
    const cell = (of: keyof Places) => (found[of] < 0 ? '' : removeFormulaGuard((cells[found[of]] ?? '').trim()))
    const row = {
      line,
      code: parseCsvCodeCell((cells[found.sku] ?? '').trim()),
      wanted: cell('wanted'),
      expected: cell('expected'),
    }
    if (!locations) {
      yield readRow(met, row)
      continue
    }
    const variant = { handle: cell('handle'), values: [cell('option1'), cell('option2'), cell('option3')] }
    if (wide.length === 0) yield* locations.add({ ...row, ...variant })
    for (const place of wide)
      yield* locations.add({ ...row, ...variant, wanted: removeFormulaGuard((cells[place] ?? '').trim()) })
  }
  if (locations) yield* locations.end()
  if (!places) yield { kind: 'refused', line: 1, code: '', reason: remark('file_empty') }
}

// Returns whether the header is that of a stock file. A product file may also have a column with counts.
export function isStockFile(header: CsvRow | undefined): boolean {
  if (!header) return false
  const places = placesOf(header.cells)
  const { wanted, sku, location } = places
  return (wanted >= 0 && (sku >= 0 || location >= 0)) || wideColumns(header.cells, places).length > 0
}

// Returns the location columns of Shopify's older inventory file: all columns after the country of origin (`COO`).
function wideColumns(cells: readonly string[], { handle, sku, wanted, location }: Places): number[] {
  const header = cells.map((cell) => cell.trim().toLowerCase())
  const origin = header.indexOf('coo')
  if (handle < 0 || sku < 0 || wanted >= 0 || location >= 0 || origin < 0 || !header.includes('hs code')) return []
  return header.flatMap((name, place) => (place > origin && name !== '' ? [place] : []))
}

function placesOf(cells: readonly string[]): Places {
  const header = cells.map((cell) => cell.trim().toLowerCase())
  const placeOf = (of: readonly string[]) => header.findIndex((name) => of.includes(name))
  return {
    sku: placeOf(names.sku),
    wanted: placeOf(names.wanted),
    expected: placeOf(names.expected),
    location: placeOf(names.location),
    handle: placeOf(names.handle),
    option1: placeOf(names.option1),
    option2: placeOf(names.option2),
    option3: placeOf(names.option3),
  }
}

interface Cells {
  line: number
  code: string
  wanted: string
  expected: string
}

function readRow(met: Map<string, number>, { line, code, wanted, expected }: Cells): StockOutcome {
  const refused = (reason: Remark) => refusal(line, code, reason)
  if (code === '') return refused(remark('sku_missing'))
  if (code.length > codeLengthMax) return refused(remark('sku_too_long', { max: codeLengthMax }))
  const other = met.get(code)
  if (other !== undefined) return refused(remark('sku_repeated', { otherLine: other }))
  met.set(code, line)
  if (wanted === '') return { kind: 'same', line, code }
  const [onHand, expectedOnHand] = [countOf(wanted), expected === '' ? null : countOf(expected)]
  if (onHand === undefined) return refused(notANumber(wanted))
  if (expectedOnHand === undefined)
    return refused(remark('current_stock_not_a_number', { value: expected.slice(0, 40), max: onHandMax }))
  return { kind: 'level', line, code, onHand, expectedOnHand }
}

function notANumber(text: string): Remark {
  return remark('stock_not_a_number', { value: text.slice(0, 40), max: onHandMax })
}

function refusal(line: number, code: string, reason: Remark): StockOutcome {
  return { kind: 'refused', line, code: code.slice(0, codeLengthMax), reason }
}

// Adds up the consecutive rows of a variant, one per location. The counts are Shopify's, so no expected count is compared with the stock
// of this shop.
class Locations {
  readonly #met = new Map<string, number>()
  #variant: { key: string; row: StockLevelRow; problem?: Remark } | undefined;

  *add({
    line,
    handle,
    values,
    ...row
  }: Cells & { handle: string; values: readonly string[] }): Generator<StockOutcome> {
    if (handle === '') return yield refusal(line, row.code, remark('handle_missing'))
    const given = isNoOption(values) ? [] : values.filter((value) => value !== '')
    const variant = { slug: slugOfHandle(handle), values: given }
    const key = JSON.stringify(variant)
    if (key !== this.#variant?.key) {
      yield* this.end()
      const other = this.#met.get(key)
      if (other !== undefined)
        return yield refusal(line, row.code || handle, remark('variant_repeated', { otherLine: other }))
      this.#met.set(key, line)
      const code = row.code.slice(0, codeLengthMax)
      this.#variant = { key, row: { kind: 'level', line, code, onHand: 0, expectedOnHand: null, variant } }
    }
    const text = row.wanted || row.expected
    // Shopify writes "not stocked" for a product that the location does not stock.
    const count = /^not stocked$/i.test(text) || text === '' ? 0 : signedCountOf(text)
    if (count === undefined) this.#variant.problem = notANumber(text)
    else this.#variant.row.onHand += count
  }

  *end(): Generator<StockOutcome> {
    if (!this.#variant) return
    const { row, problem } = this.#variant
    this.#variant = undefined
    if (problem !== undefined) yield refusal(row.line, row.code || (row.variant?.slug ?? ''), problem)
    else yield { ...row, onHand: Math.min(onHandMax, Math.max(0, row.onHand)) }
  }
}

function countOf(text: string): number | undefined {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  return count <= onHandMax ? count : undefined
}

// Shopify can sell more than it has, so counts may be negative.
function signedCountOf(text: string): number | undefined {
  const count = countOf(text.replace(/^-/, ''))
  return count === undefined || !text.startsWith('-') ? count : -count
}
