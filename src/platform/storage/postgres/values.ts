// Values as they are received from and sent to PostgreSQL.

import type { SqlValue } from '../storage.ts'

export class UnreadableValue extends Error {}

// Parsers that return the same values as SQLite: numbers for integers, including `sum()`, which is numeric here, and 1 or 0 for booleans.
const PARSERS = new Map<number, (text: string) => unknown>([
  [16, (text) => (text === 't' ? 1 : 0)],
  [20, integer],
  [21, Number],
  [23, Number],
  [26, Number],
  [700, Number],
  [701, Number],
  [1700, integer],
])

export function parserFor(oid: number): (text: string) => unknown {
  return PARSERS.get(oid) ?? String
}

function integer(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new UnreadableValue(`a bigint of the database must be a safe integer, not ${text}`)
  return value
}

// Writes an array in PostgreSQL's syntax: elements are quoted, with a backslash before quotation marks and backslashes.
export function formatArray(values: readonly SqlValue[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`)).join(',')}}`
}
