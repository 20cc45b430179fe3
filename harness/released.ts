// A database as a released version left it, with data: orders, holds, promotion uses and events of both modes. Version
// 0.1.0 (migrations 0001 to 0009) has bought, cancelled, refunded and set stock in it; its tables are stored as rows.

import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { migrate } from '../src/platform/storage/migrate.ts'
import { Fragment, type SqlValue, type Storage } from '../src/platform/storage/storage.ts'

const MIGRATIONS = join(import.meta.dirname, '../src/platform/storage/migrations')
const newest = 9

interface Released {
  // The instant of its last change.
  now: number
  // In the order of their references.
  tables: Readonly<Record<string, readonly Readonly<Record<string, SqlValue>>[]>>
}

export async function fillAsReleased(storage: Storage): Promise<Released> {
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-released-'))
  try {
    for (const file of (await readdir(MIGRATIONS)).filter((name) => Number(name.slice(0, 4)) <= newest))
      await cp(join(MIGRATIONS, file), join(folder, file))
    await migrate(storage, { now: new Date(), directory: folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const kept = await readFile(join(import.meta.dirname, '../tests/fixtures/released/0009.json.gz'))
  const released = JSON.parse(gunzipSync(kept).toString('utf8')) as Released
  await storage.write(async (tx) => {
    for (const [table, rows] of Object.entries(released.tables)) {
      for (const row of rows) {
        const names = Object.keys(row)
        const places = names.map(() => '?').join(', ')
        const text = `insert into ${table} (${names.join(', ')}) values (${places})`
        await tx.sql`${new Fragment(text, Object.values(row))}`
      }
    }
  })
  return released
}

// Stays as it is: each copy belongs to the same merchants and installations.
const common = ['merchants', 'installations', 'credentials', 'order_numbers', 'shipping_zones', 'tax_rates']
const theSame = ['merchant_id', 'installation_id', 'client_reference_id']

// The same shop with that much more of everything: each copy has its own products, carts, orders and events, of which the
// ids differ in the last characters, and holds all invariants that the original holds. Events have no texts, as after 30 days.
export async function copyReleased(storage: Storage, { tables }: Released, copies: number): Promise<void> {
  if (copies > 9_999) throw new Error('a copy has four digits')
  await storage.write((tx) => tx.sql`create table copies (n bigint not null primary key)`)
  await storage.write(
    (tx) => tx.sql`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${copies})
      insert into copies (n) select n from numbers`,
  )
  for (const [table, [row]] of Object.entries(tables)) {
    if (!row || common.includes(table)) continue
    const names = Object.keys(row)
    const text = `insert into ${table} (${names.join(', ')})
      select ${names.map((name) => copyOf(table, name)).join(', ')} from ${table} t cross join copies`
    await storage.write((tx) => tx.sql`${new Fragment(text)}`)
    // Or the next references to it are checked as if it were still small.
    await storage.afterBulkLoad([table])
  }
  await storage.write((tx) => tx.sql`drop table copies`)
}

function copyOf(table: string, name: string): string {
  if (table === 'events' && name === 'body') return "''"
  if (theSame.includes(name)) return name
  if (/(^|_)(id|key)$/.test(name) || name === 'secret_hash')
    return `substr(${name}, 1, length(${name}) - 4) || substr(cast(10000 + n as text), 2)`
  if (/(^|_)slug$|^(code|number|reference)$/.test(name)) return `${name} || '-' || n`
  return name
}
