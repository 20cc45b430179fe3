// A database as a released version left it, with data: orders, holds, promotion uses and events of both modes. Version
// 0.1.0 (migrations 0001 to 0009) has bought, cancelled, refunded and set stock in it; its tables are stored as rows.

import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { migrate } from '../src/storage/migrate.ts'
import { Fragment, type SqlValue, type Storage } from '../src/storage/storage.ts'

const MIGRATIONS = join(import.meta.dirname, '../src/storage/migrations')
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
