// Reads a stock file: a row for each SKU, with the count that is to be, and better also the count that was seen, so a sale in
// between is not undone. The columns are those of Shopify's inventory file. Pure.

import { skuCodeLengthMax } from '../contract/entries.ts'
import { type CsvRow, withoutGuard } from '../provisioning/csv.ts'

export type StockOutcome =
  | { kind: 'level'; line: number; code: string; onHand: number; expectedOnHand: number | null }
  // The row has no new count.
  | { kind: 'same'; line: number; code: string }
  | { kind: 'refused'; line: number; code: string; reason: string }

const names = {
  sku: ['sku', 'variant sku'],
  wanted: ['on hand (new)', 'on hand'],
  expected: ['on hand (current)'],
} as const

const codeLengthMax = skuCodeLengthMax
const onHandMax = 1_000_000_000

export async function* readStock(rows: AsyncIterable<CsvRow> | Iterable<CsvRow>): AsyncGenerator<StockOutcome> {
  let places: Readonly<Record<keyof typeof names, number>> | undefined
  const met = new Map<string, number>()
  for await (const { line, cells } of rows) {
    if (!places) {
      const header = cells.map((cell) => cell.trim().toLowerCase())
      const placeOf = (of: readonly string[]) => header.findIndex((name) => of.includes(name))
      places = { sku: placeOf(names.sku), wanted: placeOf(names.wanted), expected: placeOf(names.expected) }
      if (places.sku < 0 || places.wanted < 0) {
        yield {
          kind: 'refused',
          line,
          code: '',
          reason: 'the first row must name the columns "SKU" and "On hand (new)"',
        }
        return
      }
      continue
    }
    if (cells.every((cell) => cell.trim() === '')) continue
    const { sku, wanted, expected } = places
    const cell = (place: number) => withoutGuard((cells[place] ?? '').trim())
    yield readRow(met, { line, code: cell(sku), wanted: cell(wanted), expected: expected < 0 ? '' : cell(expected) })
  }
  if (!places) yield { kind: 'refused', line: 1, code: '', reason: 'the file is empty' }
}

interface Cells {
  line: number
  code: string
  wanted: string
  expected: string
}

function readRow(met: Map<string, number>, { line, code, wanted, expected }: Cells): StockOutcome {
  const refused = (reason: string): StockOutcome => ({
    kind: 'refused',
    line,
    code: code.slice(0, codeLengthMax),
    reason,
  })
  if (code === '') return refused('the SKU is missing')
  if (code.length > codeLengthMax) return refused(`the SKU has more than ${codeLengthMax} characters`)
  const other = met.get(code)
  if (other !== undefined) return refused(`the SKU is already on line ${other}`)
  met.set(code, line)
  if (wanted === '') return { kind: 'same', line, code }
  const [onHand, expectedOnHand] = [countOf(wanted), expected === '' ? null : countOf(expected)]
  if (onHand === undefined)
    return refused(`the stock "${wanted.slice(0, 40)}" is not a whole number up to ${onHandMax}`)
  if (expectedOnHand === undefined)
    return refused(`the current stock "${expected.slice(0, 40)}" is not a whole number up to ${onHandMax}`)
  return { kind: 'level', line, code, onHand, expectedOnHand }
}

function countOf(text: string): number | undefined {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  return count <= onHandMax ? count : undefined
}
