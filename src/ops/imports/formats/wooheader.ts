// Finds the columns of a WooCommerce file. Its header is in the language of the user who exported it. Columns are found by the words of
// the known languages; the others by values that only WooCommerce writes and by the order of its columns. Pure.

import { type Remark, remark } from '../../../contract/remarks.ts'
import type { CsvRow } from '../csv.ts'
import { listedColumns } from '../shopify.ts'
import { columnName } from './format.ts'
import { exportedColumns, wooColumns, wooUnits, wooWords } from './woowords.ts'

export interface WooHeader {
  // Indexes of the columns by their English names.
  places: Map<string, number>
  notes: Remark[]
}

const columnsMax = 1_000
const types = ['simple', 'variable', 'variation', 'grouped', 'external']
const number = /^\d*(?:[.,]\d+)?$/
// Checks of a column's cells. WooCommerce writes these values in English in every language.
const holds: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['type', (text) => text === '' || types.includes(text.split(',', 1)[0]?.trim() ?? '')],
  ['name', (text) => text !== ''],
  ['published', (text) => /^(?:-?1|0|)$/.test(text)],
  ['visibility in catalog', (text) => /^(?:visible|catalog|search|hidden|)$/.test(text)],
  ['tax status', (text) => /^(?:taxable|shipping|none|)$/.test(text)],
  ['in stock?', (text) => /^(?:0|1|backorder|)$/.test(text)],
  ['stock', (text) => text === 'parent' || /^-?\d*(?:[.,]\d+)?$/.test(text)],
  ['backorders allowed?', (text) => /^(?:0|1|notify|)$/.test(text)],
  ['sale price', (text) => number.test(text)],
  ['regular price', (text) => number.test(text)],
  ['images', (text) => text === '' || /^https?:/.test(text)],
])

// Returns undefined if WooCommerce did not write the file.
export function wooHeader(header: readonly string[], rows: readonly CsvRow[]): WooHeader | undefined {
  if (header.length > columnsMax) return undefined
  const columns = header.map((text, place): Column => ({ name: comparable(text), cells: cellsAt(rows, place) }))
  const known = namesOf(columns)
  if (rows.length === 0 || !isWoo(columns, known)) return undefined
  const ordered = nameByOrder(columns, known)
  const places = new Map<string, number>()
  for (const [place, name] of ordered.entries()) if (name !== undefined && !places.has(name)) places.set(name, place)
  const guessed = header.filter(
    (_, place) => known[place] === undefined && ordered[place] !== undefined && readByOrder(ordered[place]),
  )
  const notes = guessed.length === 0 ? [] : [remark('columns_by_place', { members: listedColumns(guessed) })]
  return { places, notes }
}

interface Column {
  name: string
  cells: readonly string[]
}

function cellsAt(rows: readonly CsvRow[], place: number): string[] {
  return rows.map(({ cells }) => (cells[place] ?? '').trim())
}

function comparable(text: string): string {
  return columnName(text.replaceAll('’', "'"))
}

// Uses the known language with the most matching column names. Columns that WooCommerce has not translated have English names.
function namesOf(columns: readonly Column[]): (string | undefined)[] {
  const languages = [...wordsOf.values()].map((words) => columns.map(({ name }) => nameIn(words, name)))
  const count = (names: readonly unknown[]) => names.filter((name) => name !== undefined).length
  const best = languages.reduce((one, other) => (count(other) > count(one) ? other : one))
  return best.map((name, place) => name ?? nameIn(english, columns[place]?.name ?? ''))
}

// Maps column names to their English names. In both, `%` stands for a number or a unit.
type Words = ReadonlyMap<string, string>
const english: Words = new Map(wooColumns.map((name) => [name, name]))
const wordsOf: ReadonlyMap<string, Words> = new Map([
  ['en', english],
  ...Object.entries(wooWords).map(([language, row]): [string, Words] => [
    language,
    new Map(row.flatMap((words, index) => words.split('|').map((word) => [word, wooColumns[index] ?? ''] as const))),
  ]),
])

function nameIn(words: Words, name: string): string | undefined {
  if (name === '') return undefined
  const plain = words.get(name)
  if (plain !== undefined) return plain
  const [, before = '', inner = '', after = ''] = /^([^(]*\()(.+)(\))$/.exec(name) ?? []
  const weight = inner === '' ? undefined : words.get(`${before}%${after}`)
  if (weight !== undefined) return weight.replace('%', wooUnits.get(inner) ?? inner)
  const [digits] = /\d+/.exec(name) ?? []
  return digits === undefined ? undefined : words.get(name.replace(digits, '%'))?.replace('%', digits)
}

function isWoo(columns: readonly Column[], known: readonly (string | undefined)[]): boolean {
  const isHeld = (name: string) =>
    columns.some(({ cells }) => cells.some((text) => text !== '') && cells.every(holds.get(name) ?? (() => false)))
  if (!isHeld('type')) return false
  return isHeld('visibility in catalog') || ['type', 'name', 'regular price'].every((name) => known.includes(name))
}

const orders = [['gtin', 'low'], ['low'], ['gtin'], []].map((taken) =>
  exportedColumns
    .filter((name) => !name.startsWith('[') || taken.some((word) => name.includes(word)))
    .map((name) => name.replace(/^\[|\]$/g, '')),
)

// If all known columns are in WooCommerce's order and the cells of the others fit, names the others by their position.
function nameByOrder(columns: readonly Column[], known: readonly (string | undefined)[]): (string | undefined)[] {
  const order = orders.find((names) => fits(names, columns, known))
  if (!order) return [...known]
  const named = columns.map(({ name }, place) => {
    if (known[place] !== undefined) return known[place]
    const unit = /\((.+)\)$/.exec(name)?.[1] ?? ''
    return order[place] === 'weight' ? `weight (${wooUnits.get(unit) ?? unit})` : order[place]
  })
  nameAttributes(columns, named, order.length)
  return named
}

function fits(names: readonly string[], columns: readonly Column[], known: readonly (string | undefined)[]): boolean {
  if (columns.length < names.length) return false
  return names.every((name, place) => {
    const knownName = known[place]?.replace(/^weight .*/, 'weight')
    if (knownName !== undefined) return knownName === name
    return columns[place]?.cells.every(holds.get(name) ?? (() => true))
  })
}

// Names groups of four columns that have the same number: name, values, and two switches.
function nameAttributes(columns: readonly Column[], named: (string | undefined)[], from: number): void {
  const isSwitch = ({ cells }: Column) => cells.every((text) => /^[01]?$/.test(text))
  for (let place = from; place + 3 < columns.length; place += 1) {
    const four = columns.slice(place, place + 4)
    const [digits, ...others] = four.map(({ name }) => /\d+/.exec(name)?.[0])
    const [, , visible, global] = four
    if (digits === undefined || others.some((other) => other !== digits) || !visible || !global) continue
    if (!isSwitch(visible) || !isSwitch(global)) continue
    const parts = ['name', 'value(s)', 'visible']
    for (const [index, part] of parts.entries()) named[place + index] ??= `attribute ${digits} ${part}`
    place += 3
  }
}

function readByOrder(name: string | undefined): boolean {
  return name !== undefined && isRead(name)
}

// Returns whether the import reads the column with this English name.
export function isRead(name: string): boolean {
  return nameIn(english, name) !== undefined || name === 'brand' || /^weight \(/.test(name)
}
