// Counts the rows of each table repeatedly during a run, and draws a picture of it. Tables with a retention must stop
// growing once it has passed.

import type { Storage } from '../src/platform/storage/storage.ts'
import { median } from './quantile.ts'

// Rows that are deleted some time after their end; `docs/operating.md` names what bounds each table.
export const boundedTables = [
  'carts',
  'cart_lines',
  'checkout_sessions',
  'holds',
  'idempotency_keys',
  'events',
  'webhook_deliveries',
  'webhook_attempts',
  'deferred_rows',
] as const
// The merchant's records, which are never deleted.
export const keptTables = ['orders', 'order_lines', 'payments', 'refunds', 'stock_movements', 'addresses'] as const

const tables = [...boundedTables, ...keptTables]
export type TableName = (typeof tables)[number]

export interface Sample {
  atMs: number
  rows: Readonly<Record<TableName, number>>
}

export async function countRows(storage: Storage): Promise<Readonly<Record<TableName, number>>> {
  const [row] = await storage.read(
    (db) => db.sql<Record<TableName, number>>`
      select (select count(*) from carts) as carts, (select count(*) from cart_lines) as cart_lines,
        (select count(*) from checkout_sessions) as checkout_sessions, (select count(*) from holds) as holds,
        (select count(*) from idempotency_keys) as idempotency_keys, (select count(*) from events) as events,
        (select count(*) from webhook_deliveries) as webhook_deliveries,
        (select count(*) from webhook_attempts) as webhook_attempts,
        (select count(*) from deferred_rows) as deferred_rows, (select count(*) from orders) as orders,
        (select count(*) from order_lines) as order_lines, (select count(*) from payments) as payments,
        (select count(*) from refunds) as refunds, (select count(*) from stock_movements) as stock_movements,
        (select count(*) from addresses) as addresses`,
  )
  if (!row) throw new Error('the tables were not counted')
  return row
}

// A busy machine creates more rows in one minute than in another; a table that is not swept doubles in the last half.
const growthMax = 1.5
// Fewer rows than this are not judged.
const rowsMin = 200

// Compares the last third of the run with the one before it. A run shorter than three times the retention is not
// judged.
export function judgeTables(samples: readonly Sample[], settledMs: number): string[] {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.atMs - first.atMs < 3 * settledMs) return []
  const third = (last.atMs - first.atMs) / 3
  return boundedTables.flatMap((table) => {
    const within = (from: number) =>
      samples.filter(({ atMs }) => atMs >= first.atMs + from * third && atMs <= first.atMs + (from + 1) * third)
    const [before, after] = [1, 2].map((from) => median(within(from).map(({ rows }) => rows[table])))
    if (before === undefined || after === undefined || after < rowsMin || after <= growthMax * before) return []
    return [`${table} had ${before} rows in the middle of the run and ${after} at its end`]
  })
}

const ink = { line: '#2f7d5b', books: '#616e7c', grid: '#d9dee4', text: '#1f2933', soft: '#616e7c' }
const [columns, width, height, gap, top] = [3, 260, 90, 46, 78] as const

export function tablesPlot(samples: readonly Sample[], caption: string): string {
  const rows = Math.ceil(tables.length / columns)
  const [whole, tall] = [columns * (width + gap) + gap, top + rows * (height + gap)]
  const endMs = Math.max(1, samples.at(-1)?.atMs ?? 1)
  const charts = tables.flatMap((table, index) => {
    const [x0, y0] = [gap + (index % columns) * (width + gap), top + Math.floor(index / columns) * (height + gap)]
    const most = Math.max(1, ...samples.map(({ rows }) => rows[table]))
    const points = samples.map(({ atMs, rows }) => {
      const x = x0 + (atMs / endMs) * width
      return `${x.toFixed(1)},${(y0 + height - (rows[table] / most) * height).toFixed(1)}`
    })
    const isKept = keptTables.some((kept) => kept === table)
    return [
      `<rect x="${x0}" y="${y0}" width="${width}" height="${height}" fill="none" stroke="${ink.grid}"/>`,
      `<polyline points="${points.join(' ')}" fill="none" stroke="${isKept ? ink.books : ink.line}" stroke-width="1.5"/>`,
      `<text x="${x0}" y="${y0 - 6}" font-size="12" fill="${ink.text}">${table}${isKept ? ' (kept)' : ''}</text>`,
      `<text x="${x0 + width}" y="${y0 - 6}" font-size="11" fill="${ink.soft}" text-anchor="end">up to ${most.toLocaleString('en')}</text>`,
    ]
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole} ${tall}" width="${whole}" height="${tall}" font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">
<rect width="${whole}" height="${tall}" fill="#ffffff"/>
<text x="${gap}" y="28" font-size="17" font-weight="600" fill="${ink.text}">Rows of each table, over ${Math.round(endMs / 60_000)} minutes</text>
<text x="${gap}" y="48" font-size="12" fill="${ink.soft}">${caption}</text>
${charts.join('\n')}
</svg>
`
}
