// A shop with a history: one order that was really bought is copied as often as requested, with everything that belongs
// to it (cart, session, payment, lines, timeline, events, stock movements), spread over the last day; and a day of sales is copied over a
// year. Buying a million orders would take hours and leave the same rows. The server is stopped meanwhile.

import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import pg from 'pg'

type Value = string | number | null
type Stored = Record<string, Value>

interface Database {
  // Parameters are numbered: $1.
  sql(text: string, values?: readonly Value[]): Promise<Stored[]>
  end(): Promise<void>
}

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

export async function repeatOrder(databaseUrl: string, sessionId: string, count: number): Promise<void> {
  await changed(databaseUrl, async (db) => {
    const [order] = await db.sql('select id, cart_id from orders where checkout_session_id = $1', [sessionId])
    const subjects = [order?.id ?? '', order?.cart_id ?? '', sessionId]
    const samples: { table: string; rows: Stored[] }[] = []
    for (const [table, [column]] of tables)
      samples.push({ table, rows: await db.sql(`select * from ${table} where ${column} in ($1, $2, $3)`, subjects) })
    // What must be new in every copy, wherever it occurs, including inside a JSON text.
    const ids = new Set(samples.flatMap(({ rows }) => rows.flatMap(({ id }) => (typeof id === 'string' ? id : []))))
    for (const { table, rows } of samples) for (const row of rows) await repeatRow(db, table, row, [...ids], count)
  })
}

async function repeatRow(db: Database, table: string, row: Stored, ids: readonly string[], count: number) {
  const values: Value[] = []
  const expressions = Object.entries(row).map(([column, value]) => {
    if (column === 'number') return `'T-H' || i`
    values.push(value)
    const given = `$${values.length}`
    if (value === null) return given
    if (column === 'secret_hash') return `cast(${given} as text) || i`
    if (isInstant(column)) return `cast(${given} as bigint) - cast((${count} - i) * ${dayMs}.0 / ${count} as bigint)`
    if (typeof value !== 'string') return given
    const own = ids.filter((id) => value.includes(id))
    return own.reduce(
      (text, id) => `replace(${text}, '${id}', ${copyOf(id, ids.indexOf(id))})`,
      own.length === 0 ? given : `cast(${given} as text)`,
    )
  })
  await db.sql(
    `insert into ${table} (${Object.keys(row).join(', ')})
     with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})
     select ${expressions.join(', ')} from numbers`,
    values,
  )
}

function isInstant(column: string): boolean {
  return ['at', 'created_at', 'updated_at', 'placed_at', 'completed_at', 'occurred_at'].includes(column)
}

// The prefix, then 26 digits, the last two of which distinguish copies of different rows.
function copyOf(id: string, place: number): string {
  const prefix = id.slice(0, id.lastIndexOf('_') + 1)
  const number = `(i * 100 + ${place})`
  return `'${prefix}' || substr('00000000000000000000000000' || ${number}, 1 + length('' || ${number}))`
}

// A year of sales: the day on which the order was bought, with its products, copied.
export async function spreadSales(databaseUrl: string): Promise<void> {
  const days = Array.from({ length: 364 }, (_, index) => `('${dayAgo(index + 1)}')`).join(', ')
  await changed(databaseUrl, async (db) => {
    const [sample] = await db.sql('select * from sales_days limit 1')
    const columns = Object.keys(sample ?? {}).filter((name) => name !== 'day' && name !== 'key')
    for (const [part, keys] of [
      ['all', 1],
      ['product', 100],
      ['country', 5],
    ] as const)
      await db.sql(`
        insert into sales_days (day, key, ${columns.join(', ')})
        with recursive days (d) as (values ${days}),
          keys (k) as (select 1 union all select k + 1 from keys where k < ${keys})
        select d, case when ${keys} = 1 then key else key || k end, ${columns.join(', ')}
        from sales_days, days, keys
        where part = '${part}' and key = (select min(key) from sales_days where part = '${part}')
        on conflict do nothing`)
    // The loop sums them when the server runs.
    await db.sql(`
      insert into sales_summed_months (merchant_id, mode, month)
      select distinct merchant_id, mode, substr(day, 1, 7) from sales_days where part = 'all'
      on conflict do nothing`)
  })
}

export function dayAgo(days: number): string {
  return new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)
}

async function changed(databaseUrl: string, work: (db: Database) => Promise<void>): Promise<void> {
  const file = databaseUrl.startsWith('sqlite:') ? databaseUrl.slice('sqlite:'.length) : null
  const db = file === null ? await openPostgres(databaseUrl) : openSqlite(file)
  try {
    await work(db)
  } finally {
    await db.end()
  }
}

function openSqlite(path: string): Database {
  const db = new DatabaseSync(path)
  // No other process has the file open: without the log it takes half the disk, and half the time.
  db.exec('pragma journal_mode = delete; pragma synchronous = off; pragma cache_size = -200000; begin')
  return {
    sql: async (text, values = []) =>
      db.prepare(text.replaceAll(/\$(?=\d)/g, '?')).all(...(values as SQLInputValue[])) as Stored[],
    async end() {
      db.exec('commit; pragma journal_mode = wal')
      db.close()
      // Otherwise the system would write it during the measurement.
      const file = openSync(path, 'r+')
      fsyncSync(file)
      closeSync(file)
    },
  }
}

async function openPostgres(url: string): Promise<Database> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    // Big integers are answered as texts, which are given back as they are.
    sql: async (text, values = []) => (await client.query<Stored>(text, [...values])).rows,
    async end() {
      // Otherwise autovacuum would do both during the measurement.
      await client.query('vacuum analyze')
      await client.query('checkpoint')
      await client.end()
    },
  }
}
