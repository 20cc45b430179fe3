// The interface of storage for the other folders. A Reader reads, a Tx may also write, and the pool or file behind them is not
// accessible.

// For display to an operator. Code uses traits instead: `isAlone`, `lockRow`, `hasOneServer`, `afterBulkLoad`.
export type Engine = 'sqlite' | 'postgres'

// Booleans are intentionally missing: a nullable instant says more. Undefined is a defect and throws.
export type SqlValue = string | number | null

// A piece of SQL text that storage itself supplies, such as a row lock. Its values are numbered with the statement's own.
export class Fragment {
  readonly text: string
  readonly values: readonly SqlValue[]
  constructor(text: string, values: readonly SqlValue[] = []) {
    this.text = text
    this.values = values
  }
}

// A quarter of what SQLite binds in one statement (32,766), so a statement with three full lists still runs.
const LIST_MAX = 8192

// `where ${allOf(conditions)}`, with at least one condition.
export function allConditions(conditions: readonly Fragment[]): Fragment {
  return new Fragment(
    conditions.map(({ text }) => text).join(' and '),
    conditions.flatMap(({ values }) => [...values]),
  )
}

// `in (${list(ids)})`: one parameter per value. The count is padded to a power of two by repeating the last value, to
// limit the number of distinct statements.
export function listFragment(values: readonly SqlValue[]): Fragment {
  if (values.length === 0) throw new Error('list() of no values: `in ()` is not SQL')
  if (values.length > LIST_MAX) throw new Error(`list() of more than ${LIST_MAX} values`)
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

// One more than what lists show by default, or can be asked to show.
const rowSteps = [6, 21, 51, 101, 201]

// `limit ${firstRows(count)}`: at least so many rows, as a literal; the caller leaves out the others. With a limit as a parameter, PostgreSQL
// takes a plan for any limit for dearer than it is, and plans a list of orders anew at each call, which takes longer than running it.
export function firstRows(count: number): Fragment {
  return new Fragment(String(rowSteps.find((step) => step >= count) ?? count))
}

export type ColumnType = 'text' | 'bigint'

// Reads and writes. Everything is committed together, or nothing is.
export interface Tx extends Reader {
  // Sends a statement whose result is not needed. It is not awaited: on PostgreSQL it is sent together with the next one, and it runs
  // before every statement sent after it. If it fails, the commit fails.
  send(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): void
  // Whether no other transaction writes at the same time, so what was read does not change until this one ends. Statements are then not
  // round trips either, and sending one early gains nothing.
  readonly isAlone: boolean
  // `` tx.lockRow`select id from carts where …` ``: locks the rows until the transaction ends. Does nothing if
  // `isAlone`.
  lockRow(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): Promise<void>
  // Suffix that locks the selected rows, for a statement whose rows are needed.
  readonly forUpdate: Fragment
  readonly skipLocked: Fragment
  // Suffix for a statement that joins tables: only the rows of these tables are locked, one table after the other in this order.
  forUpdateOf(...aliases: string[]): Fragment
  skipLockedOf(alias: string): Fragment
  // Selected by a statement that locks a row of this table: 1 if the row has not changed since the statement found it. 0 if the lock had
  // to wait for a change: the row has its new values, but everything that the statement read without a lock is older.
  isAsFound(table: string, alias: string, key: readonly string[]): Fragment
  // `with done (id, at) as (${tx.rows(rows, ['text', 'bigint'])})`: values as a table, to write many rows with one statement.
  rows(rows: readonly (readonly SqlValue[])[], types: readonly ColumnType[]): Fragment
  // Runs once the commit is durable, and never if the work is rolled back. Only for signals and caches of this process.
  afterCommit(then: () => void): void
  // Calls the listeners, on this node and on the others, once the commit is durable. A signal may be lost with its process or its
  // connection, so listeners also poll from time to time. With `ifAny`, a statement of this transaction, it signals only if the statement
  // returned rows; the caller need not await it. It does not throw after a failed statement, since nothing will be committed.
  signal(name: SignalName, ifAny?: Promise<readonly unknown[]>): void
}

// For caching values that were read: runs immediately if they were committed before, otherwise after the commit. Values that rolled-back
// work has seen are never cached.
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
  // `waiting`: pieces of work that wait for a connection. SQLite's writer counts as open, and `queued` below is its queue.
  connections: { open: number; idle: number; waiting: number }
  // SQLite: commits, and how many pieces of work they contained. PostgreSQL: one piece per commit.
  writes: { commits: number; works: number; queued: number; retries: number }
}

export interface StorageSpace {
  bytes: number
  freeBytes: number | null
  // Bytes of each table with its indexes, or null if the engine would have to read the tables for it.
  tables: Readonly<Record<string, number>> | null
}

export interface Storage {
  readonly engine: Engine
  // Whether at most one server uses this database, so rows that an earlier server claimed and did not finish can be claimed again.
  readonly hasOneServer: boolean
  read<T>(work: (db: Reader) => Promise<T>): Promise<T>
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  // Failed work is rolled back without its caller waiting. This waits until all work that failed before has released
  // its locks, for callers that skip locked rows and must not skip their own.
  rolledBack(): Promise<void>
  // Returns a number that changes with each commit, of this process or of another, or undefined if it cannot be known without waiting.
  commitMark(): number | undefined
  // Calls `onSignal` at least once, soon after each commit that signalled. Several signals may become one call.
  listen(name: SignalName, onSignal: () => void): () => void
  // After a bulk insert into these tables: updates the statistics, so statements are planned for the new rows.
  afterBulkLoad(tables: readonly string[]): Promise<void>
  // Rejects with a StorageUnavailable if writes are known to fail: a standby, a full disk.
  checkWrites(): Promise<void>
  // Size of the database, and free space on its disk if it can be known. Rejects if the database cannot be reached.
  space(): Promise<StorageSpace>
  stats(): StorageStats
  close(): Promise<void>
}

// Options and limits of a storage. Each has a default; tests set smaller limits.
export interface StorageOptions {
  // True for a server: only one may use a SQLite file, and the file is checked after an unclean shutdown.
  server?: boolean
  // Whether writes are refused.
  readsOnly?: boolean
  // Whether the check runs before anything else, instead of in parallel.
  checksFirst?: boolean
  // Called if the check found the file damaged. The file is no longer read or written, and the server must shut down.
  onDamage?: (damage: StorageRefused) => void
  log?: (line: string, fields?: object) => void
  // Time limit of a piece of work, from its first statement to its end.
  workMsMax?: number
  // Number of pieces of work that may queue.
  queueMax?: number
  // SQLite: how long to wait for another process that holds the write lock.
  busyMsMax?: number
  // SQLite: maximum number of pieces of work, and of milliseconds, in one commit.
  groupWorksMax?: number
  groupMsMax?: number
  // SQLite: rejects while the disk is full.
  tryRoom?: () => Promise<void>
  // PostgreSQL: number of connections, and time limits: for opening one, and for a piece of work that waits for a busy one, in total and
  // while none is released.
  connectionsMax?: number
  connectMsMax?: number
  waitMsMax?: number
  stallMsMax?: number
  statementMsMax?: number
  lockMsMax?: number
  // PostgreSQL: how long a signal to this process itself may take before it counts as lost.
  signalMsMax?: number
}

// Limits for a command of the operator, who prefers waiting for a server or another command to trying again: an import locks its merchant
// for seconds on a slow machine.
export const commandLimits: StorageOptions = {
  workMsMax: 120_000,
  statementMsMax: 60_000,
  lockMsMax: 30_000,
  busyMsMax: 30_000,
}

export const READS_ONLY = 'this storage was opened read-only'

// Returns whether a unique constraint refused an insert, on PostgreSQL.
export function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

// Returns whether another transaction held a lock for longer than the time limit, on PostgreSQL.
export function isLockTimeout(error: unknown): boolean {
  return error instanceof StorageUnavailable && (error.cause as { code?: unknown } | undefined)?.code === '55P03'
}

// The database is unreachable or busy beyond the time limits, or its queue is full: not the caller's fault, a later retry may succeed.
export class StorageUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageUnavailable'
  }
}

// A StorageUnavailable that the storage has already logged, so callers need not log it again.
export class StorageOutage extends StorageUnavailable {}

// The store cannot be opened at all. The message is one line for the operator.
export class StorageRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageRefused'
  }
}
