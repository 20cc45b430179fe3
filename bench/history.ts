// A shop with a history: one order that was really bought is copied as often as requested, with everything that belongs
// to it (cart, session, payment, lines, timeline, events, stock movements), spread over the last day. Buying a million
// orders would take hours and leave the same rows. SQLite only.

import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

type Kept = Record<string, SQLInputValue>

// In the order of their references, with the columns that name the order, its cart or its session.
const tables = [
  ['carts', ['id']],
  ['cart_lines', ['cart_id']],
  ['addresses', ['owner_id']],
  ['checkout_sessions', ['id']],
  ['payments', ['checkout_session_id']],
  ['orders', ['id']],
  ['order_lines', ['order_id']],
  ['order_timeline', ['order_id']],
  ['stock_movements', ['owner_id']],
  ['events', ['subject_id']],
] as const

const dayMs = 86_400_000

export function repeatOrder(path: string, sessionId: string, count: number): void {
  const db = new DatabaseSync(path)
  try {
    // No other process has the file open: without the log it takes half the disk, and half the time.
    db.exec('pragma journal_mode = delete; pragma synchronous = off; pragma cache_size = -200000; begin')
    const order = db.prepare('select id, cart_id from orders where checkout_session_id = ?').get(sessionId) as Kept
    const subjects = [order.id, order.cart_id, sessionId] as string[]
    const samples = tables.map(([table, columns]) => ({ table, rows: rowsOf(db, table, columns[0], subjects) }))
    // What must be new in every copy, wherever it occurs, including inside a JSON text.
    const ids = new Set(samples.flatMap(({ rows }) => rows.flatMap(({ id }) => (typeof id === 'string' ? id : []))))
    for (const { table, rows } of samples) for (const row of rows) repeatRow(db, table, row, [...ids], count)
    db.exec('commit; pragma journal_mode = wal')
  } finally {
    db.close()
  }
  // Otherwise the system would write it during the measurement.
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}

function rowsOf(db: DatabaseSync, table: string, column: string, subjects: readonly string[]): Kept[] {
  return db
    .prepare(`select * from ${table} where ${column} in (${subjects.map(() => '?').join(', ')})`)
    .all(...subjects) as Kept[]
}

function repeatRow(db: DatabaseSync, table: string, row: Kept, ids: readonly string[], count: number): void {
  const values: SQLInputValue[] = []
  const expressions = Object.entries(row).map(([column, value]) => {
    values.push(value)
    const kept = `?${values.length}`
    if (column === 'number') return `'T-H' || i`
    if (column === 'secret_hash') return `${kept} || i`
    if (isInstant(column) && value !== null) return `${kept} - cast((${count} - i) * ${dayMs}.0 / ${count} as integer)`
    if (typeof value !== 'string') return kept
    return ids
      .filter((id) => value.includes(id))
      .reduce((text, id) => `replace(${text}, '${id}', ${copyOf(id, ids.indexOf(id))})`, kept)
  })
  db.prepare(
    `insert into ${table} (${Object.keys(row).join(', ')})
     with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})
     select ${expressions.join(', ')} from numbers`,
  ).run(...values)
}

function isInstant(column: string): boolean {
  return ['at', 'created_at', 'updated_at', 'placed_at', 'completed_at', 'occurred_at'].includes(column)
}

// The prefix, then 26 digits, the last two of which distinguish copies of different rows.
function copyOf(id: string, place: number): string {
  const prefix = id.slice(0, id.lastIndexOf('_') + 1)
  return `'${prefix}' || substr('00000000000000000000000000' || (i * 100 + ${place}), -26)`
}
