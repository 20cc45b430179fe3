// Copies a whole database from one engine to the other: all tables, from one snapshot of the source, in one transaction of the target.
// The target commits only if every row, read back, equals the source's. A copy that is interrupted, or differs, leaves the target
// unchanged.
import { hash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { DERIVED_TABLES, inOrderOfReferences, listTables, type Table } from './catalogue.ts'
import { sqlitePath } from './file.ts'
import { migrate, schemaGap } from './migrate.ts'
import { openStorage } from './open.ts'
import { signalChannelFor } from './signals.ts'
import {
  Fragment,
  type Reader,
  type SqlValue,
  type Storage,
  type StorageOptions,
  StorageRefused,
  type Tx,
} from './storage.ts'

export interface CopyOptions {
  now: Date
  // Whether the tables of the target are emptied first, in the same transaction.
  clearTarget: boolean
  onProgress?: (step: { doing: 'copying' | 'verifying'; table: string; rows: number }) => void
}

export interface RowOptions extends Pick<CopyOptions, 'onProgress'> {
  // A condition that selects the rows to copy (default: all rows).
  only?: Fragment | undefined
}

const all = new Fragment('1 = 1')

export interface CopyResult {
  tables: CopiedTable[]
  // The first differences, described without values. If there are none, the copy was committed.
  differences: string[]
  // Tables of the source that do not belong to Cartwright.
  left: string[]
}

export interface CopiedTable {
  name: string
  rows: number
  isSame: boolean
}

const DAY_MS = 86_400_000

// For work whose duration grows with the amount of data.
export const unlimitedTime: StorageOptions = { workMsMax: DAY_MS, statementMsMax: DAY_MS }

export async function copyStore(fromUrl: string, toUrl: string, options: CopyOptions): Promise<CopyResult> {
  refuseSameEngine(fromUrl, toUrl)
  if (isSqlite(fromUrl)) refuseMissing(sqlitePath(fromUrl))
  const from = await openAlone(fromUrl)
  try {
    const to = await openAlone(toUrl)
    try {
      return await copyBetween(from, to, options)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

export function refuseSameEngine(fromUrl: string, toUrl: string): void {
  if (isSqlite(fromUrl) === isSqlite(toUrl))
    throw new StorageRefused('one database must be SQLite and the other PostgreSQL: name them with --from and --to')
}

function isSqlite(url: string): boolean {
  return url.startsWith('sqlite:')
}

function refuseMissing(file: string): void {
  if (!existsSync(file) || statSync(file).size === 0) throw new StorageRefused(`there is no database at ${file}`)
}

// No server may use either database, since what it writes after the snapshot would not be copied. On SQLite, a server holds the lock; on
// PostgreSQL, every server of the schema has a connection on which it listens for signals.
async function openAlone(url: string): Promise<Storage> {
  const storage = await openStorage(url, { ...unlimitedTime, server: true, checksFirst: true })
  try {
    if (storage.engine === 'postgres') await storage.read(refuseServers)
    return storage
  } catch (error) {
    await storage.close()
    throw error
  }
}

async function refuseServers(db: Reader): Promise<void> {
  const [place] = await db.sql<{ schema: string }>`select current_schema() as "schema"`
  const servers = await db.sql`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = ${signalChannelFor(place?.schema ?? '')}`
  if (servers.length > 0)
    throw new StorageRefused(`servers are connected to the PostgreSQL database (${servers.length}): stop them first`)
}

async function copyBetween(from: Storage, to: Storage, options: CopyOptions): Promise<CopyResult> {
  if ((await schemaGap(from)).pending > 0)
    throw new StorageRefused('the source lacks migrations: run `migrate` on the source first')
  await migrate(to, { now: options.now })
  try {
    const copied = await from.read(async (source) => {
      // The source's transaction is idle while the target writes.
      if (source.engine === 'postgres') await source.sql`set local idle_in_transaction_session_timeout = 0`
      return to.write((target) => copyAll(source, target, options))
    })
    // Without `analyze`, PostgreSQL would plan queries for empty tables until autovacuum runs.
    if (to.engine === 'postgres') await to.write((tx) => tx.sql`analyze`)
    return copied
  } catch (error) {
    if (error instanceof Differs) return error.copied
    throw error
  }
}

// Thrown to roll back the copy.
class Differs extends Error {
  readonly copied: CopyResult
  constructor(copied: CopyResult) {
    super('the copy differs')
    this.copied = copied
  }
}

async function copyAll(source: Reader, target: Tx, options: CopyOptions): Promise<CopyResult> {
  const { tables, left } = await commonTables(source, target)
  await lockTables(target, tables)
  await emptyOrRefuse(target, tables, options.clearTarget)
  const taken = new Map<string, TableChecksum>()
  for (const table of tables) taken.set(table.name, await copyTable(source, target, table, options))

  const copied: CopyResult = { tables: [], differences: [], left }
  for (const table of tables) {
    const sum = taken.get(table.name) as TableChecksum
    const isSame = isEqual(sum, await computeTableChecksum(target, table, options))
    copied.tables.push({ name: table.name, rows: sum.rows, isSame })
    if (!isSame) copied.differences.push(...(await differencesOf(source, target, table)))
  }
  if (copied.tables.every(({ isSame }) => isSame)) return copied
  throw new Differs(copied)
}

// Both databases have the same migrations, so a table that exists in only one of them does not belong to Cartwright.
async function commonTables(source: Reader, target: Reader): Promise<{ tables: Table[]; left: string[] }> {
  const [here, there] = [await listMigrations(source), await listMigrations(target)]
  if (here !== there)
    throw new StorageRefused(
      'the source has migrations that this program does not know: use the version that migrated the source',
    )
  const targets = new Map((await listTables(target)).map((table) => [table.name, table]))
  const all = (await listTables(source)).filter(({ name }) => !DERIVED_TABLES.includes(name))
  const tables = all.filter(({ name }) => targets.has(name))
  for (const table of tables) {
    if (shapeOf(table) !== shapeOf(targets.get(table.name) as Table))
      throw new StorageRefused(`the table ${table.name} has different columns in source and target`)
  }
  const left = all.map(({ name }) => name).filter((name) => !targets.has(name))
  return { tables: inOrderOfReferences(tables), left }
}

export async function listMigrations(db: Reader): Promise<string> {
  return JSON.stringify(await db.sql`select version, checksum from schema_migrations order by version`)
}

// Every value is a text or an integer. Each engine could spell values of other types differently.
function shapeOf({ name, columns, key }: Table): string {
  const odd = columns.find(({ type }) => type !== 'text' && type !== 'bigint')
  if (odd) throw new Error(`the column ${name}.${odd.name} has the type ${odd.type}, which cannot be copied`)
  if (key.length === 0) throw new Error(`the table ${name} has no primary key`)
  return JSON.stringify([columns.map((column) => `${column.name} ${column.type}`).sort(), key])
}

// Locks the tables until the transaction ends, so no other connection can write to them or start a second copy.
export async function lockTables(
  target: Tx,
  tables: readonly Table[],
  mode: 'exclusive' | 'share row exclusive' = 'share row exclusive',
): Promise<void> {
  if (target.engine !== 'postgres') return
  const names = tables.map(({ name }) => quoteName(name)).join(', ')
  await target.sql`${new Fragment(`lock table ${names} in ${mode} mode`)}`
}

// A server writes these rows at its first start. While nothing was encrypted with these keys, the rows are not needed, and the source's
// rows replace them.
const KEY_TABLES = ['root_secrets', 'forgotten_root_secrets', 'database_keys']

async function emptyOrRefuse(target: Tx, tables: readonly Table[], clear: boolean): Promise<void> {
  const filled: string[] = []
  for (const { name } of tables.filter((table) => !KEY_TABLES.includes(table.name))) {
    const rows = await target.sql`${new Fragment(`select 1 from ${quoteName(name)} limit 1`)}`
    if (rows.length > 0) filled.push(name)
  }
  if (filled.length > 0 && !clear)
    throw new StorageRefused(
      `the target is not empty (${filled.slice(0, 3).join(', ')}${filled.length > 3 ? ', …' : ''}): name another database, or delete everything in the target with --clear-target`,
    )
  for (const name of DERIVED_TABLES) await target.sql`${new Fragment(`delete from ${quoteName(name)}`)}`
  for (const { name } of tables.toReversed()) await target.sql`${new Fragment(`delete from ${quoteName(name)}`)}`
}

export type Row = Readonly<Record<string, SqlValue>>

export async function copyTable(source: Reader, target: Tx, table: Table, options: RowOptions): Promise<TableChecksum> {
  const sum = newSum()
  const later = columnsForLater(table)
  const names = table.columns.map(({ name }) => name)
  const valuesOf = (row: Row) => names.map((name) => (later.has(name) ? null : (row[name] as SqlValue)))
  // The next batch is read while this one is written.
  let writing = Promise.resolve()
  for await (const rows of readBatches(source, table, options.only)) {
    for (const row of rows) add(sum, table, row)
    await writing
    writing = insertRows(target, table, rows.map(valuesOf))
    // Marks a rejection as handled: the promise is awaited later, unless reading the next batch fails first.
    writing.catch(() => {})
    options.onProgress?.({ doing: 'copying', table: table.name, rows: sum.rows })
  }
  await writing
  if (later.size > 0) await fillIn(source, target, table, [...later], options.only)
  return sum
}

// A row may reference a later row of its own table. Such columns are null until all rows are inserted.
function columnsForLater({ name, columns, key, references }: Table): Set<string> {
  const later = new Set<string>()
  for (const reference of references.filter(({ target }) => target === name)) {
    const free = columns.filter((column) => reference.columns.includes(column.name) && !column.isRequired)
    const [column] = free.filter((candidate) => !key.includes(candidate.name))
    if (!column) throw new Error(`the table ${name} refers to itself by columns that cannot be null`)
    later.add(column.name)
  }
  return later
}

async function fillIn(
  source: Reader,
  target: Tx,
  table: Table,
  later: readonly string[],
  only: Fragment | undefined,
): Promise<void> {
  const set = later.map((name) => `${quoteName(name)} = ?`).join(', ')
  const text = `update ${quoteName(table.name)} set ${set} where ${isKey(table)}`
  for await (const rows of readBatches(source, table, only)) {
    const open = rows.filter((row) => later.some((name) => row[name] !== null))
    const update = (row: Row) =>
      target.sql`${new Fragment(
        text,
        [...later, ...table.key].map((name) => row[name] as SqlValue),
      )}`
    await Promise.all(open.map(update))
  }
}

const INSERT_ROWS_MAX = 500
// Parameters per statement. PostgreSQL accepts four times as many; what it costs is the round trip. The cost of SQLite grows with the
// square of the parameters: a row of eight columns took 69 µs in a statement of 500 rows, and 14 µs in one of 20 rows.
const PARAMETERS_MAX = { postgres: 16_000, sqlite: 160 } as const

export async function insertRows(target: Tx, { name, columns }: Table, rows: readonly SqlValue[][]): Promise<void> {
  const size = Math.max(1, Math.min(INSERT_ROWS_MAX, Math.floor(PARAMETERS_MAX[target.engine] / columns.length)))
  const head = `insert into ${quoteName(name)} (${columns.map((column) => quoteName(column.name)).join(', ')}) values `
  const one = `(${columns.map(() => '?').join(', ')})`
  for (let start = 0; start < rows.length; start += size) {
    const some = rows.slice(start, start + size)
    const text = head + some.map(() => one).join(', ')
    await target.sql`${new Fragment(text, some.flat())}`.catch((error: Error) => {
      throw new StorageRefused(`a row of ${name} cannot be copied: ${error.message}`, error)
    })
  }
}

const BATCH_ROWS_FIRST = 100
const BATCH_ROWS_MAX = 2_000
const BATCH_CHARACTERS = 4_000_000

// Yields rows in the order of the primary key. The engines may sort texts differently. Only the division into batches depends on the
// order. A table with large texts is read in smaller batches.
export async function* readBatches(db: Reader, table: Table, only = all): AsyncGenerator<Row[]> {
  const columns = table.columns.map(({ name }) => quoteName(name)).join(', ')
  const key = table.key.map(quoteName).join(', ')
  const marks = table.key.map(() => '?').join(', ')
  const text = (where: string) => `select ${columns} from ${quoteName(table.name)} ${where} order by ${key} limit ?`
  const [first, next] = [text(`where ${only.text}`), text(`where ${only.text} and (${key}) > (${marks})`)]
  let size = BATCH_ROWS_FIRST
  let last: Row | undefined
  for (;;) {
    const after = last ? table.key.map((name) => (last as Row)[name] as SqlValue) : []
    const rows = await db.sql<Row>`${new Fragment(last ? next : first, [...only.values, ...after, size])}`
    if (rows.length > 0) yield rows
    if (rows.length < size) return
    last = rows.at(-1)
    size = Math.min(BATCH_ROWS_MAX, Math.max(1, Math.floor((BATCH_CHARACTERS * rows.length) / charactersOf(rows))))
  }
}

function charactersOf(rows: readonly Row[]): number {
  let count = 0
  for (const row of rows) {
    for (const value of Object.values(row)) count += typeof value === 'string' ? value.length : 8
  }
  return count
}

// A checksum of a table, independent of the order of its rows: their number, and the sum of their digests, word by word. Tables that
// differ have the same checksum with a probability of 2^-256.
export interface TableChecksum {
  rows: number
  words: Uint32Array
}

const WORDS = 8

function newSum(): TableChecksum {
  return { rows: 0, words: new Uint32Array(WORDS) }
}

function add(sum: TableChecksum, { columns }: Table, row: Row): void {
  const digest = hash('sha256', JSON.stringify(columns.map(({ name }) => row[name])), 'buffer')
  sum.rows += 1
  for (let i = 0; i < WORDS; i++) sum.words[i] = (sum.words[i] as number) + digest.readUInt32LE(4 * i)
}

export function isEqual(one: TableChecksum, other: TableChecksum): boolean {
  return one.rows === other.rows && one.words.every((word, i) => word === other.words[i])
}

export async function computeTableChecksum(db: Reader, table: Table, options: RowOptions): Promise<TableChecksum> {
  const sum = newSum()
  for await (const rows of readBatches(db, table, options.only)) {
    for (const row of rows) add(sum, table, row)
    options.onProgress?.({ doing: 'verifying', table: table.name, rows: sum.rows })
  }
  return sum
}

const DIFFERENCES_MAX = 10

// Slow, and only called if the checksums differ. Values are not reported, since they may be personal data.
async function differencesOf(source: Reader, target: Reader, table: Table): Promise<string[]> {
  const found: string[] = []
  const note = (row: Row, words: string) =>
    found.push(`${table.name} ${table.key.map((name) => `${name}=${row[name]}`).join(' ')}: ${words}`)
  for await (const rows of readBatches(source, table)) {
    for (const row of rows) {
      const twin = await findRow(target, table, row)
      const names = table.columns.map(({ name }) => name).filter((name) => twin && twin[name] !== row[name])
      if (!twin) note(row, 'is missing in the target')
      else if (names.length > 0) note(row, `differs in ${names.join(', ')}`)
      if (found.length >= DIFFERENCES_MAX) return found
    }
  }
  for await (const rows of readBatches(target, table)) {
    for (const row of rows) {
      if (!(await findRow(source, table, row))) note(row, 'is only in the target')
      if (found.length >= DIFFERENCES_MAX) return found
    }
  }
  return found
}

async function findRow(db: Reader, table: Table, row: Row): Promise<Row | undefined> {
  const text = `select * from ${quoteName(table.name)} where ${isKey(table)}`
  const values = table.key.map((name) => row[name] as SqlValue)
  const [found] = await db.sql<Row>`${new Fragment(text, values)}`
  return found
}

function isKey({ key }: Table): string {
  return key.map((name) => `${quoteName(name)} = ?`).join(' and ')
}

// Quotes the name of a table or column. Refuses a question mark, which would be parsed as a parameter.
export function quoteName(name: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`${JSON.stringify(name)} is not a valid table or column name`)
  return `"${name}"`
}
