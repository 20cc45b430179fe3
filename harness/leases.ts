// PostgreSQL databases that the tests of one process use one after the other, with their connections. Creating, opening and
// dropping a database takes as much processor time as most tests do with it: now only its changed tables are reset.

import pg from 'pg'
import { openStorage } from '../src/platform/storage/open.ts'
import { type Storage, type StorageOptions, StorageUnavailable } from '../src/platform/storage/storage.ts'
import { type FreshDatabase, freshDatabase } from './postgres.ts'
import { canShare, endLast } from './shared.ts'

export interface Lease {
  url: string
  // Refuses every work once the lease has ended.
  storage: Storage
  end(): Promise<void>
}

interface Kept {
  database: FreshDatabase
  storage: Storage
  // For the resets. It sees every table in one statement, whose plan it keeps.
  client: pg.Client
  // Rows with this transaction or a later one were written by a test.
  since: number
  uses: number
}

// More than this stay open only while they are used.
const idleMax = 4
// Deleted rows stay in the files of a table, where every scan meets them.
const usesMax = 40
const deletedMax = 2_000

const idle: { name: string; kept: Kept }[] = []
let isEndRegistered = false

function endIdleLast(): void {
  if (isEndRegistered) return
  isEndRegistered = true
  endLast(async () => void (await Promise.all(idle.splice(0).map(({ kept }) => discard(kept)))))
}

// A copy of the database `template`, which is not written to. The options are values, not functions.
export async function lease(template: string, options: StorageOptions = {}): Promise<Lease> {
  const name = JSON.stringify([template, options])
  const i = idle.findIndex((one) => one.name === name)
  const kept = idle.splice(i, i < 0 ? 0 : 1)[0]?.kept ?? (await openCopy(template, options))
  const leased = leaseOf(kept.storage)
  return {
    url: kept.database.url,
    storage: leased.storage,
    async end() {
      await leased.end()
      kept.uses += 1
      const isReset =
        canShare() && !leased.isClosed() && kept.uses < usesMax && (await reset(kept, template).catch(() => false))
      if (!isReset) return discard(kept)
      endIdleLast()
      idle.unshift({ name, kept })
      await Promise.all(idle.splice(idleMax).map((one) => discard(one.kept)))
    },
  }
}

async function openCopy(template: string, options: StorageOptions): Promise<Kept> {
  const database = await freshDatabase({ template })
  const storage = await openStorage(database.url, options)
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  await client.query(`set session_replication_role = replica`)
  return { database, storage, client, since: await nextTransaction(client), uses: 0 }
}

async function discard({ storage, client, database }: Kept): Promise<void> {
  await storage.close()
  await client.end().catch(() => {})
  await database.drop()
}

// What a test's parts still do after its end fails, as with a closed storage, and does not reach the next test.
function leaseOf(storage: Storage): { storage: Storage; end(): Promise<void>; isClosed(): boolean } {
  const running = new Set<Promise<unknown>>()
  const stops: (() => void)[] = []
  let isOver = false
  let isClosed = false
  function during<T>(work: () => Promise<T>): Promise<T> {
    if (isOver) return Promise.reject(new StorageUnavailable('the storage is closed'))
    const done = work()
    const settled = done.then(
      () => {},
      () => {},
    )
    running.add(settled)
    void settled.then(() => running.delete(settled))
    return done
  }
  return {
    storage: {
      ...storage,
      read: (work) => during(() => storage.read(work)),
      write: (work) => during(() => storage.write(work)),
      checkWrites: () => during(() => storage.checkWrites()),
      afterBulkLoad: (tables) => during(() => storage.afterBulkLoad(tables)),
      listen(name, onSignal) {
        const stop = storage.listen(name, onSignal)
        stops.push(stop)
        return stop
      },
      close() {
        isOver = true
        isClosed = true
        return storage.close()
      },
    },
    isClosed: () => isClosed,
    async end() {
      isOver = true
      for (const stop of stops) stop()
      await Promise.all(running)
      if (!isClosed) await storage.rolledBack()
    },
  }
}

// What the template contains: the rows of each table, as JSON.
interface Content {
  tables: { name: string; rows: string; count: number }[]
  // Finds the tables whose rows were written since `$1`, or deleted.
  changed: string
}

const contents = new Map<string, Promise<Content>>()

// The definitions, so the change of one is noticed: all but those that PostgreSQL begins with.
const catalogs: Readonly<Record<string, string>> = {
  pg_class: 'oid',
  pg_attribute: 'attrelid',
  pg_index: 'indexrelid',
  pg_constraint: 'oid',
  pg_trigger: 'oid',
  pg_proc: 'oid',
}
const ownOidMin = 16_384

async function readContent(template: string): Promise<Content> {
  // Asked of a copy, since a database with a connection cannot be copied.
  const copy = await freshDatabase({ template })
  const client = new pg.Client({ connectionString: copy.url })
  await client.connect()
  const found = await client.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1`,
  )
  const tables: Content['tables'] = []
  for (const { name } of found.rows) {
    const { rows } = await client.query<{ rows: string; count: number }>(
      `select coalesce(json_agg(t), '[]')::text as rows, count(*)::int as count from ${name} t`,
    )
    tables.push({ name, rows: rows[0]?.rows ?? '[]', count: rows[0]?.count ?? 0 })
  }
  const counts: [source: string, name: string, count: number][] = tables.map(({ name, count }) => [name, name, count])
  for (const [name, oid] of Object.entries(catalogs)) {
    const source = `${name} where ${oid} >= ${ownOidMin}`
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${source}`)
    counts.push([source, name, rows[0]?.count ?? 0])
  }
  await client.end()
  await copy.drop()
  const changed = counts
    .map(
      ([source, name, count]) => `select '${name}' as name, count(*)::int as count from ${source}
        having count(*) <> ${count} or count(*) filter (where xmin::text::bigint >= $1) > 0`,
    )
    .join(' union all ')
  return { tables, changed }
}

// False if the database must not be used again.
async function reset(kept: Kept, template: string): Promise<boolean> {
  const known = contents.get(template) ?? readContent(template)
  contents.set(template, known)
  const { tables, changed } = await known
  const { client } = kept
  const found = await client.query<{ name: string; count: number }>({
    name: 'changed',
    text: changed,
    values: [kept.since],
  })
  const names = new Set(found.rows.map(({ name }) => name))
  if (Object.keys(catalogs).some((name) => names.has(name))) return false
  if (found.rows.reduce((sum, { count }) => sum + count, 0) > deletedMax) return false
  await client.query('begin')
  for (const { name, rows, count } of tables) {
    if (!names.has(name)) continue
    await client.query(`delete from ${name}`)
    if (count > 0)
      await client.query(`insert into ${name} select * from json_populate_recordset(null::${name}, $1::json)`, [rows])
  }
  await client.query('commit')
  kept.since = await nextTransaction(client)
  return true
}

async function nextTransaction(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ id: string }>(`select pg_snapshot_xmax(pg_current_snapshot())::text as id`)
  return Number(rows[0]?.id)
}
