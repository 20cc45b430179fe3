// The schema of SQLite after many migrations as one script. An empty database starts from it instead of running each migration, which
// took a third of a start on two cores. It is printed from time to time (`npm run schema:print`); later migrations run one by one.

import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Reader, Storage } from './storage.ts'

const FILE = join(import.meta.dirname, 'schema.sqlite.sql')

export interface PrintedSchema {
  // Number of migrations in the script, from the first one.
  count: number
  script: string
}

interface Recorded {
  version: number
  checksum: string
}

// Returns undefined if the script was printed from other migrations.
export async function readPrinted(migrations: readonly Recorded[]): Promise<PrintedSchema | undefined> {
  const script = await readFile(FILE, 'utf8')
  const [, count = '', digest] = /^-- migrations: (\d+), (\S+)$/m.exec(script) ?? []
  const covered = migrations.slice(0, Number(count))
  return covered.length === Number(count) && digest === digestOf(covered) ? { count: Number(count), script } : undefined
}

function digestOf(migrations: readonly Recorded[]): string {
  const text = migrations.map(({ version, checksum }) => `${version} ${checksum}`).join('\n')
  return createHash('sha256').update(text).digest('base64url')
}

// `storage` is a new SQLite database in which every migration has run.
export async function printSchema(storage: Storage): Promise<void> {
  const [things, migrations] = await storage.read(async (db) => [
    await listThings(db),
    await db.sql<Recorded>`select version, checksum from schema_migrations order by version`,
  ])
  const head = [
    '-- The tables and indexes of SQLite as the migrations make them, for databases that are new.',
    '-- Printed by `npm run schema:print`; not to be edited.',
    `-- migrations: ${migrations.length}, ${digestOf(migrations)}`,
  ]
  const body = things.filter(({ name }) => name !== 'schema_migrations').map(({ sql }) => `${sql};`)
  await writeFile(FILE, `${[...head, ...body].join('\n')}\n`)
}

interface Thing {
  name: string
  sql: string
}

// Returns tables and indexes in the order of their creation, except those that SQLite creates itself: indexes of keys, and the tables
// behind a full-text index.
export async function listThings(db: Reader): Promise<Thing[]> {
  return db.sql<Thing>`
    select name, sql from sqlite_master
    where sql is not null and name not in (select name from pragma_table_list where type = 'shadow')
    order by rowid`
}
