// Prints the data of an operation for people: a list as a table, an object as its members.

import { escapeControlCharacters } from '../../platform/audit/change.ts'
import { formatAmount } from '../../platform/kit/money.ts'

// Path of a member, with dots between the names, or a function of the row.
export type Column<Row> = string | ((row: Row) => string)

export function tableLines<Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]): string[] {
  const cells = rows.map((row) =>
    columns.map((column) =>
      escapeControlCharacters(typeof column === 'string' ? cellAt(row, column.split('.')) : column(row)),
    ),
  )
  if (cells.length === 0) return []
  const widths = columns.map((_, at) => Math.max(...cells.slice(0, widthRowsMax).map((row) => row[at]?.length ?? 0)))
  return cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

// Only the first rows of a list decide the widths of its columns.
const widthRowsMax = 1_000

function cellAt(row: object, [name = '', ...deeper]: readonly string[]): string {
  const value = (row as Record<string, unknown>)[name]
  if (deeper.length > 0) return isThing(value) ? cellAt(value, deeper) : '–'
  return textOf(name, value, row)
}

// A secret is printed first, alone on its line, so a script can read it.
export function recordLines(data: object): string[] {
  const { secret, link, ...rest } = data as { secret?: unknown; link?: unknown }
  const once = secret ?? link ?? null
  const members = membersOf(rest, '')
  const rows = members.map(({ name, path, text }) => {
    const isUnique = members.every((other) => other.path === path || other.name !== name)
    return [isUnique ? name : path, text] as const
  })
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return [
    ...(once === null ? [] : [String(once), 'shown only once']),
    ...rows.map(([name, text]) => escapeControlCharacters(`  ${name.padEnd(width)}  ${text}`)),
  ]
}

interface Shown {
  name: string
  // Path of the member, printed instead of the name if several members have the same name.
  path: string
  text: string
}

function membersOf(thing: object, before: string): Shown[] {
  return Object.entries(thing).flatMap(([member, value]): Shown[] => {
    const name = member.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    const path = before + name
    if (isThing(value)) return membersOf(value, `${path} `)
    if (Array.isArray(value) && value.some(isThing))
      return value.map((one) => ({ name, path, text: isThing(one) ? textsOf(one).join('  ') : String(one) }))
    return [{ name, path, text: textOf(member, value, thing) }]
  })
}

function textsOf(thing: object): string[] {
  return Object.entries(thing)
    .filter(([, value]) => value !== null && !isThing(value))
    .map(([member, value]) => textOf(member, value, thing))
}

function isThing(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const moneyMembers = /^(amount|total|refunded|minimumSubtotal)$/

function textOf(member: string, value: unknown, thing: object): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.join(',') || '–'
  const { currency } = thing as { currency?: unknown }
  if (typeof value === 'number' && typeof currency === 'string' && moneyMembers.test(member))
    return formatAmount(value, currency, 'en')
  return String(value)
}
