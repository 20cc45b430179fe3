// Cells: several Cartwright databases as schemas of one PostgreSQL database. Each cell has its own role, which cannot read the other
// cells. With Citus, a cell is distributed: all of it is on one machine. Only the operator's commands use this file; a server does not
// know that its database is a cell.

import { randomBytes } from 'node:crypto'
import { type MigrateOptions, migrate } from './migrate.ts'
import { openStorage } from './open.ts'
import { Fragment, type Storage, StorageRefused } from './storage.ts'

export interface Cell {
  name: string
  bytes: number
  migrations: number
  merchants: number
  // The machine on which Citus has placed the cell. Null without Citus.
  worker: string | null
}

const nameForm = /^[a-z][a-z0-9_]{0,30}$/

export function isCellName(name: string): boolean {
  return nameForm.test(name) && !name.startsWith('pg_') && !['public', 'citus', 'information_schema'].includes(name)
}

export interface CreatedCell {
  name: string
  // Database URL with the password of the cell's role, which is not stored anywhere else.
  url: string
  applied: string[]
  isDistributed: boolean
}

// Creates the role and the schema in one transaction, then runs the migrations as that role. Citus distributes the schema last, because
// the oldest migrations cannot run in a distributed schema.
export async function addCell(
  storage: Storage,
  operatorUrl: string,
  name: string,
  options: MigrateOptions & { like?: string },
): Promise<CreatedCell> {
  const { like } = options
  if (like !== undefined && !(await listCells(storage)).some((cell) => cell.name === like))
    throw new StorageRefused(`there is no cell ${like}`)
  const password = randomBytes(24).toString('base64url')
  await storage.write(async (tx) => {
    const [taken] = await tx.sql`
      select 1 from pg_namespace where nspname = ${name} union all select 1 from pg_roles where rolname = ${name}`
    if (taken) throw new StorageRefused(`a schema or role ${name} already exists: choose another name`)
    for (const command of [
      `create role ${name} login password '${password}'`,
      `grant ${name} to current_user`,
      `create schema ${name} authorization ${name}`,
      `alter role ${name} set search_path = ${name}`,
    ])
      await tx.sql`${new Fragment(command)}`
  })
  const applied = await inCell(operatorUrl, name, (cell) => migrate(cell, options))
  if (like !== undefined) await copyKeys(storage, like, name)
  return { name, url: urlOf(operatorUrl, name, password), applied, isDistributed: await distribute(storage, name) }
}

// Copies the keys of another cell. Merchants can only be moved between cells with the same keys, by which customers are recognized.
async function copyKeys(storage: Storage, like: string, name: string): Promise<void> {
  for (const table of ['root_secrets', 'database_keys'])
    await storage.write(
      (tx) => tx.sql`
        insert into ${new Fragment(`${name}.${table}`)} select * from ${new Fragment(`${like}.${table}`)}`,
    )
}

// Citus leaves hidden copies of the former tables on the coordinator, where they would block later migrations.
async function distribute(storage: Storage, name: string): Promise<boolean> {
  if (!(await hasCitus(storage))) return false
  await storage.write(async (tx) => {
    await tx.sql`select citus_schema_distribute(${name}::regnamespace)`
    await tx.sql`
      select truncate_local_data_after_distributing_table(c.oid) from pg_class c
      where c.relnamespace = ${name}::regnamespace and c.relkind = 'r'`
  })
  return true
}

async function hasCitus(storage: Storage): Promise<boolean> {
  const rows = await storage.read((db) => db.sql`select 1 from pg_extension where extname = 'citus'`)
  return rows.length > 0
}

// Returns the cells, the smallest first.
export async function listCells(storage: Storage): Promise<Cell[]> {
  const found = await storage.read(
    (db) => db.sql<{ name: string; bytes: number; hasMerchants: number }>`
      select n.nspname as "name",
        (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c
          where c.relnamespace = n.oid and c.relkind = 'r') as "bytes",
        (select count(*) from pg_class c where c.relnamespace = n.oid and c.relname = 'merchants') as "hasMerchants"
      from pg_namespace n
      where n.nspname <> 'public'
        and exists (select 1 from pg_class c where c.relnamespace = n.oid and c.relname = 'schema_migrations')
      order by "bytes", n.nspname`,
  )
  const places = await listPlaces(storage)
  const cells: Cell[] = []
  for (const { name, bytes, hasMerchants } of found.filter((cell) => isCellName(cell.name))) {
    const count = async (table: string) => {
      const from = new Fragment(`${name}.${table}`)
      const rows = await storage.read((db) => db.sql<{ count: number }>`select count(*) as "count" from ${from}`)
      return rows[0]?.count ?? 0
    }
    const placed = places.get(name)
    cells.push({
      name,
      bytes: placed?.bytes ?? bytes,
      migrations: await count('schema_migrations'),
      merchants: hasMerchants > 0 ? await count('merchants') : 0,
      worker: placed?.worker ?? null,
    })
  }
  return cells.sort((a, b) => a.bytes - b.bytes)
}

// Citus moves the cell while it is in use: it copies the tables, and only delays writes while it switches to the copy.
export async function moveCell(storage: Storage, name: string, to: CitusWorker): Promise<void> {
  if (!(await hasCitus(storage)))
    throw new StorageRefused(
      'only Citus can move a cell to another machine, and Citus is not installed in this PostgreSQL',
    )
  const workers = await listWorkers(storage)
  if (!workers.some(({ host, port }) => host === to.host && port === to.port))
    throw new StorageRefused(
      `Citus has no worker ${to.host}:${to.port}; its workers are ${workers.map(({ host, port }) => `${host}:${port}`).join(', ')}`,
    )
  const cell = (await listCells(storage)).find((found) => found.name === name)
  if (!cell) throw new StorageRefused(`there is no cell ${name}`)
  if (cell.worker === `${to.host}:${to.port}`) return
  // Logical replication requires a primary key in each table. A test of the migrations checks that there is one.
  await storage.write((tx) => tx.sql`select citus_schema_move(${name}::regnamespace, ${to.host}, ${to.port}::int)`)
}

export interface CitusWorker {
  host: string
  port: number
}

export function listWorkers(storage: Storage): Promise<CitusWorker[]> {
  return storage.read(
    (db) => db.sql<CitusWorker>`
      select nodename as "host", nodeport::bigint as "port" from pg_dist_node
      where noderole = 'primary' and isactive and shouldhaveshards order by 1, 2`,
  )
}

async function listPlaces(storage: Storage): Promise<Map<string, { worker: string; bytes: number }>> {
  if (!(await hasCitus(storage))) return new Map()
  const rows = await storage.read(
    (db) => db.sql<{ name: string; worker: string; bytes: number }>`
      select n.nspname as "name", min(s.nodename || ':' || s.nodeport) as "worker", sum(s.shard_size)::bigint as "bytes"
      from citus_shards s join pg_class c on c.oid = s.table_name join pg_namespace n on n.oid = c.relnamespace
      group by n.nspname`,
  )
  return new Map(rows.map(({ name, worker, bytes }) => [name, { worker, bytes }]))
}

export function migrateCell(operatorUrl: string, name: string, options: MigrateOptions): Promise<string[]> {
  return inCell(operatorUrl, name, (cell) => migrate(cell, options))
}

// Runs the work as the role of the cell, so this role owns the tables that are created.
async function inCell<T>(operatorUrl: string, name: string, work: (cell: Storage) => Promise<T>): Promise<T> {
  const url = new URL(operatorUrl)
  const given = url.searchParams.get('options')
  url.searchParams.set('options', `${given === null ? '' : `${given} `}-c role=${name} -c search_path=${name}`)
  const cell = await openStorage(url.href, { connectionsMax: 2 })
  try {
    return await work(cell)
  } finally {
    await cell.close()
  }
}

function urlOf(operatorUrl: string, name: string, password: string): string {
  const url = new URL(operatorUrl)
  url.username = name
  url.password = password
  return url.href
}
