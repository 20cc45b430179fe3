// Reads a product file of an unknown system by the meanings that a person assigned to its columns. Rows with the same product name are
// variants of one product. Pure.

import { type Issue, issueAt } from '../../../contract/issues.ts'
import type { ColumnMeaning } from '../../../contract/words.ts'
import { plainTextToHtml } from '../../../domain/catalog/plaintext.ts'
import { dropsLetters, slugify } from '../../../platform/kit/slug.ts'
import type { ShopifyColumn } from '../shopify.ts'
import {
  columnName,
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

export interface AssignedColumn {
  column: string
  as: ColumnMeaning
}

// Maximum numbers of columns with the same meaning: each option has its own column, and each picture may have one.
const optionsMax = 3
const picturesMax = 50
export function countMaxOf(meaning: ColumnMeaning): number {
  if (meaning === 'option') return optionsMax
  return meaning === 'picture' ? picturesMax : 1
}

export const neededMeanings = ['title', 'price'] as const satisfies readonly ColumnMeaning[]

// Without `columns`, it is not checked that the file has the assigned columns.
export function* assignmentProblems(
  columns: readonly { name: string }[] | undefined,
  assigned: readonly AssignedColumn[],
): Generator<Issue> {
  const known = columns && new Set(columns.map(({ name }) => columnName(name)))
  const met = new Set<string>()
  const counts = new Map<ColumnMeaning, number>()
  for (const [index, { column, as }] of assigned.entries()) {
    const name = columnName(column)
    const count = (counts.get(as) ?? 0) + 1
    counts.set(as, count)
    if (known && !known.has(name)) yield issueAt(`/columns/${index}/column`, 'unknown_column')
    else if (met.has(name)) yield issueAt(`/columns/${index}/column`, 'duplicate')
    else if (count > countMaxOf(as)) yield issueAt(`/columns/${index}/as`, 'meaning_repeated', { max: countMaxOf(as) })
    met.add(name)
  }
  for (const meaning of neededMeanings)
    if (!counts.has(meaning)) yield issueAt('/columns', 'meaning_missing', { member: meaning })
}

const filledBy: Readonly<Record<ColumnMeaning, readonly ShopifyColumn[]>> = {
  title: ['title', 'handle'],
  price: ['price'],
  sku: ['sku'],
  product: [],
  option: ['option1Name', 'option1Value', 'option2Name', 'option2Value', 'option3Name', 'option3Value'],
  compareAtPrice: ['compareAtPrice'],
  quantity: ['tracker', 'quantity'],
  description: ['body'],
  brand: ['vendor'],
  category: ['type', 'furtherTypes'],
  tags: ['tags'],
  barcode: ['barcode'],
  weightGrams: ['grams'],
  weightKilograms: ['grams'],
  picture: ['imageUrl'],
}

export function assignedFormat(assigned: readonly AssignedColumn[], hasDecimalComma: boolean): ProductFormat {
  const names = new Set(assigned.map(({ column }) => columnName(column)))
  const reading = new Reading(assigned, hasDecimalComma)
  return {
    name: 'assigned columns',
    isThis: () => true,
    reads: (column) => names.has(column),
    columnsOf: () => [...new Set(assigned.flatMap(({ as }) => filledBy[as]))],
    async *convert(rows) {
      const held = await holdRows(rows, [...names])
      for (const [key, group] of await groupRows(held, (row) => reading.keyOf(row))) {
        const handle = reading.handleOf(key, group[0] as FileRow)
        const variants = yield* variantsOf(handle, group)
        yield* reading.product(handle, variants)
      }
    },
  }
}

class Reading {
  readonly #assigned: readonly AssignedColumn[]
  readonly #hasDecimalComma: boolean

  constructor(assigned: readonly AssignedColumn[], hasDecimalComma: boolean) {
    this.#assigned = assigned
    this.#hasDecimalComma = hasDecimalComma
  }

  // A row without a product name gets a unique key, so it is refused with its line.
  keyOf(row: FileRow): string {
    return (this.#text(row, 'product') || this.#text(row, 'title')).toLowerCase() || `\0${row.line}`
  }

  // Returns the slug of the product name. If a slug would omit letters of the name, returns the key instead: its slug gets a digest
  // later, so different names get different slugs.
  handleOf(key: string, row: FileRow): string {
    const name = this.#text(row, 'product') || this.#text(row, 'title')
    if (name === '') return ''
    const slug = slugify(name)
    return slug === '' || dropsLetters(name) ? key : slug
  }

  product(handle: string, rows: readonly FileRow[]) {
    const first = rows[0] as FileRow
    const options = this.#named('option').filter(({ column }) => rows.some((row) => row.cell(column) !== ''))
    const variants = rows.map((row) => ({ line: row.line, cells: this.#variant(row, options) }))
    const pictures = rows.flatMap((row) => this.#named('picture').flatMap(({ column }) => picturesIn(row.cell(column))))
    return productRows(handle, this.#product(first), variants, [...new Set(pictures)])
  }

  #product(row: FileRow): ShopifyCells {
    const description = this.#text(row, 'description')
    const [type = '', ...furtherTypes] = partsOf(this.#text(row, 'category'))
    return {
      title: this.#text(row, 'title'),
      body: /<[a-z][^<>]*>/i.test(description) ? description : plainTextToHtml(description),
      vendor: this.#text(row, 'brand'),
      type,
      furtherTypes: furtherTypes.join('\n'),
      tags: partsOf(this.#text(row, 'tags')).join(', '),
    }
  }

  #variant(row: FileRow, options: readonly { name: string; column: string }[]): ShopifyCells {
    const kilograms = Number(this.#number(row, 'weightKilograms'))
    return {
      ...optionsOf(options.map(({ name, column }) => ({ name, value: row.cell(column) }))),
      sku: this.#text(row, 'sku'),
      barcode: this.#text(row, 'barcode'),
      price: this.#number(row, 'price'),
      compareAtPrice: this.#number(row, 'compareAtPrice'),
      // A row without a quantity is a variant whose stock is not counted.
      tracker: this.#text(row, 'quantity') === '' ? '' : 'file',
      quantity: this.#number(row, 'quantity'),
      grams: kilograms > 0 ? String(Math.round(kilograms * 1000)) : this.#number(row, 'weightGrams'),
    }
  }

  #named(meaning: ColumnMeaning): { name: string; column: string }[] {
    return this.#assigned
      .filter(({ as }) => as === meaning)
      .map(({ column }) => ({ name: column.trim(), column: columnName(column) }))
  }

  #text(row: FileRow, meaning: ColumnMeaning): string {
    const [named] = this.#named(meaning)
    return named ? row.cell(named.column) : ''
  }

  #number(row: FileRow, meaning: ColumnMeaning): string {
    return plainNumber(this.#text(row, meaning), this.#hasDecimalComma)
  }
}

// Reads `€ 1.299,00`, `1,299.00 EUR` and `1299`. Text that is not a number is returned unchanged, so it is refused later with its line.
export function plainNumber(text: string, hasDecimalComma: boolean): string {
  const digits = text.replace(/[\s'’]|\p{Sc}|[A-Z]{3}/gu, '')
  if (!/^-?[\d.,]*\d$/.test(digits)) return text
  const last = Math.max(digits.lastIndexOf(','), digits.lastIndexOf('.'))
  if (last === -1) return digits
  const sign = digits[last] as string
  const isRepeated = digits.indexOf(sign) !== last
  const isMixed = digits.includes(sign === ',' ? '.' : ',')
  const isThousands = digits.length - last === 4 && !isMixed && (sign === ',') !== hasDecimalComma
  if (isRepeated || isThousands) return digits.replaceAll(/[.,]/g, '')
  return `${digits.slice(0, last).replaceAll(/[.,]/g, '')}.${digits.slice(last + 1)}`
}

function partsOf(text: string): string[] {
  return text
    .split(/[|;\n]|,\s*/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

// The expression takes linear time on any cell.
function picturesIn(text: string): string[] {
  return listOf(
    text.replaceAll(/[|;\s]+(https?:)?/g, (whole, scheme?: string) => (scheme === undefined ? whole : `,${scheme}`)),
  )
}
