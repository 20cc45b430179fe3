// A PostgreSQL database that tests use one after the other (leases.ts). Rows that a transaction has written since it was loaded show which
// tables must be reset, whoever wrote them.

import pg from 'pg'
import { openStorage } from '../src/platform/storage/open.ts'
import type { StorageOptions } from '../src/platform/storage/storage.ts'
import type { Content, Store } from './leases.ts'
import { freshDatabase } from './postgres.ts'
import { templates } from './templates.ts'

// The rows of a table, as JSON.
interface Rows {
  json: string
  count: number
}
type Loaded = ReadonlyMap<string, Rows>

// Deleted rows stay in the files of a table, where every scan meets them.
const usesMax = 40
const leftoverRowsMax = 2_000

// A change of the definitions is noted by the database itself: looking for one in the catalogs takes longer than most resets.
const noteDefinitions = `
  create schema harness;
  create table harness.changes (tag text);
  create function harness.note() returns event_trigger language plpgsql as
    $$ begin insert into harness.changes values (tg_tag); end $$;
  create event trigger harness_note on ddl_command_end execute function harness.note();
  set session_replication_role = replica;
  set lock_timeout = '100ms'`

export async function openPostgresStore(options: StorageOptions): Promise<Store> {
  const database = await freshDatabase({ template: (await templates()).postgres })
  const storage = await openStorage(database.url, options)
  const client = new pg.Client({ connectionString: database.url, pipeline: true })
  client.on('error', () => {})
  await client.connect()
  await client.query(noteDefinitions)
  template ??= readTemplate(client)
  const { tables, initial, changed } = await template
  let loaded: Loaded = initial
  let since = await nextTransaction(client)
  let uses = 0

  // With their numbers of rows, or undefined if the definitions or the statistics have changed.
  async function listChanged(): Promise<Map<string, number> | undefined> {
    const counts = tables.map((name) => loaded.get(name)?.count ?? 0)
    const values: unknown[] = [since, counts]
    const { rows } = await client.query<{ place: number; count: number }>({ name: 'changed', text: changed, values })
    if (rows.some(({ place }) => place < 0)) return undefined
    return new Map(rows.map(({ place, count }) => [tables[place] as string, count]))
  }

  return {
    url: database.url,
    storage,
    async load(content: Content = initial) {
      const next = content as Loaded
      uses += 1
      const written = uses > usesMax ? undefined : await listChanged()
      const leftovers = [...(written ?? [])].map(([name, count]) => count - (loaded.get(name)?.count ?? 0))
      if (!written || leftovers.reduce((sum, count) => sum + count, 0) > leftoverRowsMax) return false
      const isOther = (name: string) => written.has(name) || loaded.get(name)?.json !== next.get(name)?.json
      // Sent together: the answers come in this order.
      const replaced = replaceRows(client, tables.filter(isOther), next)
      const [id] = await Promise.all([nextTransaction(client), replaced])
      loaded = next
      since = id
      return true
    },
    // Asking each of the tables takes 40 ms of processor time, most of it to plan, and most are empty.
    async read() {
      const written = await listChanged()
      const filled = written && new Set([...loaded.keys(), ...written.keys()])
      return readRows(client, filled ? tables.filter((name) => filled.has(name)) : tables)
    },
    async remove() {
      await storage.close()
      await client.end().catch(() => {})
      await database.drop()
    },
  }
}

interface Template {
  tables: readonly string[]
  initial: Loaded
  // Finds what a test has changed.
  changed: string
}

// Read once, from the first copy.
let template: Promise<Template> | undefined

async function readTemplate(client: pg.Client): Promise<Template> {
  const found = await client.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1`,
  )
  const tables = found.rows.map(({ name }) => name)
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${analyzed}`)
  return { tables, initial: await readRows(client, tables), changed: changedOf(tables, rows[0]?.count ?? 0) }
}

// The tables that have statistics, which statements are planned by.
const analyzed = `pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples >= 0`

// Finds the tables whose rows were written since the transaction `$1`, or whose number is not that in `$2`. -1 stands for a change of the
// definitions or the statistics.
function changedOf(tables: readonly string[], analyzedCount: number): string {
  const ofTable = tables.map(
    (name, place) => `select ${place} as place, count(*)::int as count from ${name}
      having count(*) <> ($2::int[])[${place + 1}] or count(*) filter (where xmin::text::bigint >= $1) > 0`,
  )
  const others = [
    'select -1, count(*)::int from harness.changes having count(*) > 0',
    `select -1, count(*)::int from ${analyzed} having count(*) <> ${analyzedCount}`,
  ]
  return [...ofTable, ...others].join(' union all ')
}

async function readRows(client: pg.Client, tables: readonly string[]): Promise<Loaded> {
  const ofTable = tables.map(
    (name) => `select '${name}' as name, json_agg(t)::text as json, count(*)::int as count from ${name} t
      having count(*) > 0`,
  )
  const { rows } = await client.query<Rows & { name: string }>(ofTable.join(' union all '))
  return new Map(rows.map(({ name, json, count }) => [name, { json, count }]))
}

// Named, so the connection keeps their plans, and sent at once.
async function replaceRows(client: pg.Client, tables: readonly string[], content: Loaded): Promise<void> {
  if (tables.length === 0) return
  const sent: Promise<unknown>[] = [client.query('begin')]
  for (const name of tables) {
    sent.push(client.query({ name: `delete ${name}`, text: `delete from ${name}` }))
    const rows = content.get(name)
    const text = `insert into ${name} select * from json_populate_recordset(null::${name}, $1::json)`
    if (rows) sent.push(client.query({ name: `insert ${name}`, text, values: [rows.json] }))
  }
  sent.push(client.query('commit'))
  await Promise.all(sent)
}

async function nextTransaction(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ id: string }>(`select pg_snapshot_xmax(pg_current_snapshot())::text as id`)
  return Number(rows[0]?.id)
}
