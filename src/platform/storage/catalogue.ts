// The tables of a database, as the database itself reports them, so code that must visit all tables misses none.
import type { Reader } from './storage.ts'

export interface Table {
  name: string
  columns: Column[]
  // Columns of the primary key, in its order.
  key: string[]
  references: Reference[]
}

export interface Column {
  name: string
  type: string
  isRequired: boolean
}

export interface Reference {
  target: string
  columns: string[]
}

export const MIGRATIONS_TABLE = 'schema_migrations'

// The full-text index of the engine, and on SQLite the tables behind it.
const FULL_TEXT = /^product_index_words/

// Tables that each database fills from its products. A copy leaves them empty; they are filled after it.
export const DERIVED_TABLES: readonly string[] = ['product_index_words', 'product_index']

// Returns all tables except that of the migrations and the full-text index, which each database creates for itself.
export async function listTables(db: Reader): Promise<Table[]> {
  const [columns, references] =
    db.engine === 'sqlite'
      ? [await listSqliteColumns(db), await listSqliteReferences(db)]
      : [await listPostgresColumns(db), await listPostgresReferences(db)]
  const byTable = Map.groupBy(columns, ({ table }) => table)
  byTable.delete(MIGRATIONS_TABLE)
  const ours = [...byTable].filter(([name]) => !FULL_TEXT.test(name))
  return ours.map(([name, rows]) => ({
    name,
    columns: rows.map((row) => ({ name: row.name, type: row.type.toLowerCase(), isRequired: row.required === 1 })),
    key: rows
      .filter((row) => row.keyPosition > 0)
      .sort((one, other) => one.keyPosition - other.keyPosition)
      .map((row) => row.name),
    references: referencesOf(references.filter(({ table }) => table === name)),
  }))
}

export async function listTableNames(db: Reader): Promise<Set<string>> {
  const rows = await (db.engine === 'sqlite'
    ? db.sql<{ name: string }>`select name from sqlite_master where type = 'table'`
    : db.sql<{ name: string }>`
        select tablename as "name" from pg_tables where schemaname = current_schema()`)
  return new Set(rows.map(({ name }) => name))
}

interface ColumnRow {
  table: string
  name: string
  type: string
  required: number
  // Position in the primary key, from 1. 0 if the column is not in the key.
  keyPosition: number
}

interface ReferenceRow {
  table: string
  // Distinguishes several foreign keys of the same table.
  id: string | number
  target: string
  column: string
}

function referencesOf(rows: readonly ReferenceRow[]): Reference[] {
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((same) => ({
    target: (same[0] as ReferenceRow).target,
    columns: same.map(({ column }) => column),
  }))
}

function listSqliteColumns(db: Reader): Promise<ColumnRow[]> {
  return db.sql<ColumnRow>`
    select m.name as "table", c.name as "name", c.type as "type", c."notnull" as "required", c.pk as "keyPosition"
    from sqlite_master m join pragma_table_info(m.name) c
    where m.type = 'table' and m.name not like 'sqlite!_%' escape '!'
    order by m.name, c.cid`
}

function listSqliteReferences(db: Reader): Promise<ReferenceRow[]> {
  return db.sql<ReferenceRow>`
    select m.name as "table", r.id as "id", r."table" as "target", r."from" as "column"
    from sqlite_master m join pragma_foreign_key_list(m.name) r
    where m.type = 'table'
    order by m.name, r.id, r.seq`
}

function listPostgresColumns(db: Reader): Promise<ColumnRow[]> {
  return db.sql<ColumnRow>`
    select c.relname as "table", a.attname as "name", format_type(a.atttypid, a.atttypmod) as "type",
      a.attnotnull as "required", coalesce(array_position(k.conkey, a.attnum), 0) as "keyPosition"
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
    where c.relkind in ('r', 'p')
    order by c.relname, a.attnum`
}

function listPostgresReferences(db: Reader): Promise<ReferenceRow[]> {
  return db.sql<ReferenceRow>`
    select c.relname as "table", k.conname as "id", t.relname as "target", a.attname as "column"
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    join pg_class t on t.oid = k.confrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = any (k.conkey)
    where k.contype = 'f'
    order by c.relname, k.conname, array_position(k.conkey, a.attnum)`
}

// Orders tables: each comes after the tables that it references. References of a table to itself are ignored.
export function inOrderOfReferences(tables: readonly Table[]): Table[] {
  const ordered: Table[] = []
  const left = new Map(tables.map((table) => [table.name, table]))
  while (left.size > 0) {
    const free = [...left.values()].filter(({ name, references }) =>
      references.every(({ target }) => target === name || !left.has(target)),
    )
    if (free.length === 0) throw new Error(`the tables refer to each other in a cycle: ${[...left.keys()].join(', ')}`)
    for (const table of free) left.delete(table.name)
    ordered.push(...free)
  }
  return ordered
}
