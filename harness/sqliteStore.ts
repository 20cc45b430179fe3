// A SQLite database that tests use one after the other (leases.ts). Its rows are compared with those that were loaded.

import { statSync } from 'node:fs'
import { copyFile, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { openStorage } from '../src/platform/storage/open.ts'
import { Fragment, type Storage, type StorageOptions } from '../src/platform/storage/storage.ts'
import { makeFolder } from './folder.ts'
import type { Content, Store } from './leases.ts'
import { templates } from './templates.ts'

type Rows = readonly (readonly SQLInputValue[])[]
type Loaded = ReadonlyMap<string, Rows>

// A larger file keeps its pages, and everyone who scans it meets them.
const growthMax = 4

export async function openSqliteStore(options: StorageOptions): Promise<Store> {
  const folder = await makeFolder()
  const file = join(folder, 'test.db')
  await copyFile((await templates()).sqlite, file)
  const url = `sqlite:${file}`
  const storage = await openStorage(url, options)
  const rows = openRows(file)
  const initial = rows.read()
  const surroundings = await readSurroundings(file, storage)
  return {
    url,
    storage,
    load: async (content: Content = initial) =>
      rows.replace(content as Loaded) && (await readSurroundings(file, storage)) === surroundings,
    read: async () => rows.read(),
    async remove() {
      await storage.close()
      rows.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

// Those that may be set within a transaction.
const pragmas = [
  ...['application_id', 'automatic_index', 'cache_size', 'ignore_check_constraints', 'max_page_count', 'query_only'],
  ...['recursive_triggers', 'reverse_unordered_selects', 'secure_delete', 'user_version', 'writable_schema'],
]
const settings = new Fragment(`
  select ${pragmas.map((name) => `(select * from pragma_${name}) as ${name}`).join(', ')},
    (select count(*) from temp.sqlite_schema) as temporary`)

// What a test could leave besides rows: another file in its place, files beside it, and settings of the connections.
async function readSurroundings(file: string, storage: Storage): Promise<string> {
  const names = await readdir(dirname(file))
  const writer = await storage.write((tx) => tx.sql`${settings}`)
  const reader = await storage.read((db) => db.sql`${settings}`)
  return JSON.stringify([statSync(file).ino, names.sort(), writer, reader])
}

interface TableStatements {
  list: StatementSync
  clear: StatementSync
  insert: StatementSync
}

function openRows(file: string) {
  const db = new DatabaseSync(file, {
    readBigInts: true,
    returnArrays: true,
    enableForeignKeyConstraints: false,
    // The tables behind the full-text index are written as if another process had done so.
    defensive: false,
  })
  db.exec('pragma synchronous = off')
  const one = (text: string) => Number((db.prepare(text).get() as unknown as bigint[])[0])
  const tables = namesOf(db.prepare(`select name from sqlite_schema where type = 'table' and rootpage > 0`))
  const filled = db.prepare(
    tables.map((name) => `select '${name}' where exists (select 1 from "${name}")`).join(' union all '),
  )
  const version = one('pragma schema_version')
  const pages = one('pragma page_count')
  const statementsOf = keepStatements(db)
  const rowsOf = (name: string) => statementsOf(name).list.all() as unknown as Rows

  function replaceAll(content: Loaded): void {
    for (const name of new Set([...namesOf(filled), ...content.keys()])) {
      const rows = content.get(name) ?? []
      if (areEqual(rowsOf(name), rows)) continue
      const { clear, insert } = statementsOf(name)
      clear.run()
      for (const row of rows) insert.run(...row)
    }
  }

  return {
    close: () => db.close(),
    read: (): Loaded => new Map(namesOf(filled).map((name) => [name, rowsOf(name)])),
    // False if the definitions have changed, or the file has grown.
    replace(content: Loaded): boolean {
      if (one('pragma schema_version') !== version || one('pragma page_count') > growthMax * pages) return false
      db.exec('begin immediate')
      try {
        replaceAll(content)
        db.exec('commit')
      } catch (error) {
        db.exec('rollback')
        throw error
      }
      return true
    },
  }
}

function keepStatements(db: DatabaseSync): (table: string) => TableStatements {
  const kept = new Map<string, TableStatements>()
  return (table) => {
    const known = kept.get(table)
    if (known) return known
    const list = db.prepare(`select * from "${table}"`)
    const places = list.columns().map(() => '?')
    const insert = db.prepare(`insert into "${table}" values (${places.join(', ')})`)
    const made = { list, insert, clear: db.prepare(`delete from "${table}"`) }
    kept.set(table, made)
    return made
  }
}

function namesOf(statement: StatementSync): string[] {
  return (statement.all() as unknown as string[][]).map(([name]) => name as string)
}

function areEqual(some: Rows, others: Rows): boolean {
  return some.length === others.length && some.every((row, i) => row.every((value, j) => isSame(value, others[i]?.[j])))
}

function isSame(one: SQLInputValue, other: SQLInputValue | undefined): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0
  return one === other
}
