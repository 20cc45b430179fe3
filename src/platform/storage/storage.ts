// The interface of the storage for other folders. A Reader reads, and a Tx can also write. The connection pool or the file is not
// accessible.

// For this folder, and to show to an operator. Other code uses traits: `isAlone`, `lockRow`, `hasOneServer`, `afterBulkLoad`.
export type Engine = 'sqlite' | 'postgres'

// There are no booleans: a nullable instant says more. Undefined is a defect and throws.
export type SqlValue = string | number | null

// A piece of SQL with its values. The values are numbered together with those of the statement.
export class Fragment {
  readonly text: string
  readonly values: readonly SqlValue[]
  constructor(text: string, values: readonly SqlValue[] = []) {
    this.text = text
    this.values = values
  }
}

// A quarter of the parameters that SQLite allows in a statement (32,766), so a statement can have three full lists and further
// parameters.
const LIST_MAX = 8192

// Returns the conditions joined by `and`. There must be at least one.
export function allConditions(conditions: readonly Fragment[]): Fragment {
  return new Fragment(
    conditions.map(({ text }) => text).join(' and '),
    conditions.flatMap(({ values }) => [...values]),
  )
}

// For `in (${listFragment(ids)})`: one parameter per value. To limit the number of distinct statements, the count is padded to a power of
// two by repeating the last value.
export function listFragment(values: readonly SqlValue[]): Fragment {
  if (values.length === 0) throw new Error('list() must have at least one value, because `in ()` is not SQL')
  if (values.length > LIST_MAX) throw new Error(`list() must have at most ${LIST_MAX} values`)
  let size = 1
  while (size < values.length) size *= 2
  const padded = Array.from({ length: size }, (_, i) => values[Math.min(i, values.length - 1)] as SqlValue)
  return new Fragment(padded.map(() => '?').join(', '), padded)
}

// Reads from one consistent snapshot.
export interface Reader {
  readonly engine: Engine
  sql<Row>(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): Promise<Row[]>
}

// One more than the page sizes that lists use.
const rowSteps = [6, 21, 51, 101, 201]

// For `limit ${firstRows(count)}`: a literal of at least `count`; the caller ignores further rows. With a parameter, PostgreSQL
// overestimates the cost of a plan for any limit, and plans a list of orders again at each call, which takes longer than running it.
export function firstRows(count: number): Fragment {
  return new Fragment(String(rowSteps.find((step) => step >= count) ?? count))
}

export type ColumnType = 'text' | 'bigint'

// Reads and writes. All changes are committed together or not at all.
export interface Tx extends Reader {
  // Sends a statement whose result is not needed, without waiting. On PostgreSQL it is sent together with the next statement, and runs
  // before all statements sent later. If it fails, the commit fails.
  send(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): void
  // Whether no other transaction writes at the same time, so what was read does not change until this transaction ends. In that case
  // statements are not round trips either, so sending one early saves nothing.
  readonly isAlone: boolean
  // `` tx.lockRow`select id from carts where …` `` locks the rows until the transaction ends. Does nothing if `isAlone`.
  lockRow(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): Promise<void>
  // Suffix that locks the selected rows, for a query whose rows are needed.
  readonly forUpdate: Fragment
  readonly skipLocked: Fragment
  // Suffix for a query that joins tables: only locks the rows of these tables, in the given order of tables.
  forUpdateOf(...aliases: string[]): Fragment
  skipLockedOf(alias: string): Fragment
  // An expression for a query that locks a row of this table: 1 if the row has not changed since the query found it. 0 if the lock had to
  // wait for a change: the row then has its new values, but everything that the query read without a lock is older.
  isAsFound(table: string, alias: string, key: readonly string[]): Fragment
  // For `with done (id, at) as (${tx.rows(rows, ['text', 'bigint'])})`: values as a table, to write many rows by one statement.
  rows(rows: readonly (readonly SqlValue[])[], types: readonly ColumnType[]): Fragment
  // Runs once the commit is durable, and never if the work is rolled back. Only for signals and caches of this process.
  afterCommit(then: () => void): void
  // Calls the listeners on all nodes once the commit is durable. A signal may be lost with its process or connection, so listeners must
  // also poll from time to time. `ifAny` is the result of a statement in this transaction: there is a signal only if it returned rows.
  // The caller need not await it. If the statement fails, this does not throw, since nothing will be committed.
  signal(name: SignalName, ifAny?: Promise<readonly unknown[]>): void
}

// To cache values that were read: runs immediately if they were already committed, otherwise after the commit. Values that rolled-back
// work has read are never cached.
export function runAfterCommit(db: Reader | Tx, then: () => void): void {
  if ('afterCommit' in db) db.afterCommit(then)
  else then()
}

export type SignalName =
  | 'deliveries'
  | 'credentials'
  | 'payments'
  | 'transfers'
  | 'sites'
  | 'pictures'
  | 'remote_pictures'

export interface StorageStats {
  engine: Engine
  // `waiting`: pieces of work that wait for a connection. SQLite's writer counts as open; its own queue is `queued`.
  connections: { open: number; idle: number; waiting: number }
  // SQLite: commits, and the pieces of work in them. PostgreSQL: each commit is one piece of work.
  writes: { commits: number; works: number; queued: number; retries: number }
}

export interface StorageSpace {
  bytes: number
  freeBytes: number | null
  // Bytes of each table with its indexes, or null if the engine would have to read the tables.
  tables: Readonly<Record<string, number>> | null
}

export interface Storage {
  readonly engine: Engine
  // Whether at most one server uses this database. If so, rows that an earlier server claimed and did not finish can be claimed again.
  readonly hasOneServer: boolean
  read<T>(work: (db: Reader) => Promise<T>): Promise<T>
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  // Callers do not wait for the rollback of failed work. This waits until all work that failed before has released its locks, for callers
  // that skip locked rows and must not skip rows locked by their own failed work.
  rolledBack(): Promise<void>
  // Returns a number that changes with each commit of any process, or undefined if it cannot be known without waiting.
  commitMark(): number | undefined
  // Calls `onSignal` at least once, soon after each commit with this signal. Several signals may result in one call.
  listen(name: SignalName, onSignal: () => void): () => void
  // Updates the statistics of tables after a bulk insert, so queries are planned for the new rows.
  afterBulkLoad(tables: readonly string[]): Promise<void>
  // Rejects with a StorageUnavailable if writes are known to fail, as on a standby or a full disk.
  checkWrites(): Promise<void>
  // Returns the size of the database, and the free space on its disk if it is known. Rejects if the database cannot be reached.
  space(): Promise<StorageSpace>
  stats(): StorageStats
  close(): Promise<void>
}

// Options and limits of a storage. Each has a default, and tests set lower limits.
export interface StorageOptions {
  // True for a server: only one server may use a SQLite file, and the file is checked after an unclean shutdown.
  server?: boolean
  // Whether writes are refused.
  readsOnly?: boolean
  // Whether the file is checked before it is used, instead of at the same time.
  checksFirst?: boolean
  // Called if the check finds that the file is damaged. The file is no longer read or written, and the server must shut down.
  onDamage?: (damage: StorageRefused) => void
  log?: (line: string, fields?: object) => void
  // Time limit of a piece of work, without its time in the queue.
  workMsMax?: number
  // Maximum number of queued pieces of work.
  queueMax?: number
  // SQLite: maximum wait for another process that holds the write lock.
  busyMsMax?: number
  // SQLite: maximum number of pieces of work in one commit, and maximum time for them.
  groupWorksMax?: number
  groupMsMax?: number
  // SQLite: rejects while the disk is full.
  tryRoom?: () => Promise<void>
  // PostgreSQL: number of connections, and time limits: for opening a connection, for waiting for a connection in total, and for waiting
  // while no connection is released.
  connectionsMax?: number
  connectMsMax?: number
  waitMsMax?: number
  stallMsMax?: number
  statementMsMax?: number
  lockMsMax?: number
  // PostgreSQL: time after which a signal that this process sends to itself counts as lost.
  signalMsMax?: number
}

// Limits for commands of the operator. They wait long rather than fail while a server or another command holds a lock: an import locks
// its merchant for seconds on a slow machine.
export const commandLimits: StorageOptions = {
  workMsMax: 120_000,
  statementMsMax: 60_000,
  lockMsMax: 30_000,
  busyMsMax: 30_000,
}

export const READS_ONLY = 'this storage was opened read-only'

// Returns whether a unique constraint of PostgreSQL refused an insert.
export function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

// Returns whether a lock of another transaction caused a time-out, on PostgreSQL.
export function isLockTimeout(error: unknown): boolean {
  return error instanceof StorageUnavailable && (error.cause as { code?: unknown } | undefined)?.code === '55P03'
}

// The database is unreachable, busy beyond the time limits, or its queue is full. The caller did not cause this, and a later retry may
// succeed.
export class StorageUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageUnavailable'
  }
}

// A StorageUnavailable that the storage has already logged, so callers need not log it.
export class StorageOutage extends StorageUnavailable {}

// The database cannot be opened at all. The message is one line for the operator.
export class StorageRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageRefused'
  }
}
