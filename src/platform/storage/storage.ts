// The interface of storage for the other folders. A Reader reads, a Tx may also write, and the pool or file behind them
// is not accessible.

// For display to an operator. Code asks for traits instead: `isAlone`, `lockRow`, `hasOneServer`, `afterBulkLoad`.
export type Engine = 'sqlite' | 'postgres'

// Booleans are absent on purpose: a nullable instant says more. Undefined is a defect and throws.
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

// `where ${allOf(conditions)}`: at least one.
export function allOf(conditions: readonly Fragment[]): Fragment {
  return new Fragment(
    conditions.map(({ text }) => text).join(' and '),
    conditions.flatMap(({ values }) => [...values]),
  )
}

// `in (${list(ids)})`: one parameter per value. The count is padded to a power of two by repeating the last value, to
// limit the number of distinct statements.
export function list(values: readonly SqlValue[]): Fragment {
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

export type ColumnType = 'text' | 'bigint'

// Reads and writes. Everything is committed together, or nothing.
export interface Tx extends Reader {
  // A statement whose result is not needed. It is not awaited: on PostgreSQL it is sent together with the next one, and
  // it runs before every statement sent after it. If it fails, the commit fails.
  send(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): void
  // No other transaction writes at the same time, so what was read does not change until this one ends. Statements are
  // then not round trips either, and sending one early gains nothing.
  readonly isAlone: boolean
  // `` tx.lockRow`select id from carts where …` ``: locks the rows until the transaction ends. Does nothing if
  // `isAlone`.
  lockRow(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): Promise<void>
  // The same, as part of a statement whose rows are needed.
  readonly forUpdate: Fragment
  readonly skipLocked: Fragment
  // The same, in a statement that joins tables: only the rows of these are locked, one after the other in this order.
  forUpdateOf(...aliases: string[]): Fragment
  skipLockedOf(alias: string): Fragment
  // Selected by a statement that locks a row of this table: 1 if the row is still the one that the statement found. 0 if the lock had to wait for
  // a change of it: the row is as that left it, but whatever the statement read without a lock is from before.
  isAsFound(table: string, alias: string, key: readonly string[]): Fragment
  // `with done (id, at) as (${tx.rows(rows, ['text', 'bigint'])})`: our values as a table, to write many rows at once.
  rows(rows: readonly (readonly SqlValue[])[], types: readonly ColumnType[]): Fragment
  // Runs once the commit is durable, never if the work is rolled back. Only for signals and caches of this process.
  afterCommit(then: () => void): void
  // Calls the listeners, on this node and on the others, once the commit is durable. A signal may be lost with its
  // process or its connection, so listeners also poll from time to time. With `ifAny`, a statement of this transaction,
  // it signals only if that returned rows; the caller need not await it. It does not throw after a failed statement:
  // there will be no commit.
  signal(name: SignalName, ifAny?: Promise<readonly unknown[]>): void
}

// For caching what was read: runs at once if that was committed before, otherwise after the commit. Data seen by work
// that was rolled back is never cached.
export function onceDurable(db: Reader | Tx, then: () => void): void {
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
  // `waiting`: pieces of work waiting for a connection. SQLite's writer counts as open, and its queue is below.
  connections: { open: number; idle: number; waiting: number }
  // SQLite: commits, and how many pieces of work they contained. PostgreSQL: one piece per commit.
  writes: { commits: number; works: number; queued: number; retries: number }
}

export interface StorageSpace {
  bytes: number
  freeBytes: number | null
  // Bytes of each table with its indexes, where the engine knows them without reading the tables.
  tables: Readonly<Record<string, number>> | null
}

export interface Storage {
  readonly engine: Engine
  // At most one server uses this database, so what an earlier one claimed and did not finish can be claimed again.
  readonly hasOneServer: boolean
  read<T>(work: (db: Reader) => Promise<T>): Promise<T>
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  // Failed work is rolled back without its caller waiting. This waits until all work that failed before has released
  // its locks, for callers that skip locked rows and must not skip their own.
  rolledBack(): Promise<void>
  // Another number after each commit, of this process or of another. Undefined where it cannot be known without waiting.
  commitMark(): number | undefined
  // Calls `onSignal` at least once, soon after each commit that signalled. Several signals may become one call.
  listen(name: SignalName, onSignal: () => void): () => void
  // After a bulk insert into these tables: updates the statistics, so statements are planned for the new rows.
  afterBulkLoad(tables: readonly string[]): Promise<void>
  // Rejects with a StorageUnavailable if writes are known to fail: a standby, a full disk.
  checkWrites(): Promise<void>
  // How much the database takes, and how much is free on its disk where that can be known. Rejects if it cannot be reached.
  space(): Promise<StorageSpace>
  stats(): StorageStats
  close(): Promise<void>
}

// Bounds that tests narrow. Each has a default.
export interface StorageOptions {
  // True for a server: only one may use a SQLite file, and the file is checked after an unclean shutdown.
  server?: boolean
  // Writes are refused.
  readsOnly?: boolean
  // The check runs before anything else, instead of in parallel.
  checksFirst?: boolean
  // The check found the file damaged. It is no longer read or written, and the server must shut down.
  onDamage?: (damage: StorageRefused) => void
  log?: (line: string, fields?: object) => void
  // One piece of work, from its first statement to its end.
  workMsMax?: number
  // Pieces of work that may queue.
  queueMax?: number
  // SQLite: how long to wait for another process that holds the write lock.
  busyMsMax?: number
  // SQLite: pieces of work, and milliseconds, in one commit.
  groupWorksMax?: number
  groupMsMax?: number
  // SQLite: rejects while the disk has no room.
  tryRoom?: () => Promise<void>
  // PostgreSQL: connections, and how long opening one may take. How long a piece of work waits for a busy one: in
  // total, and while none is released.
  connectionsMax?: number
  connectMsMax?: number
  waitMsMax?: number
  stallMsMax?: number
  statementMsMax?: number
  lockMsMax?: number
  // PostgreSQL: how long a signal to ourselves may take before it counts as lost.
  signalMsMax?: number
}

// For a command of the operator, who prefers waiting for a server or another command to trying again: an import locks
// its merchant for seconds on a slow machine.
export const patient: StorageOptions = {
  workMsMax: 120_000,
  statementMsMax: 60_000,
  lockMsMax: 30_000,
  busyMsMax: 30_000,
}

export const READS_ONLY = 'this storage was opened read-only'

// A unique constraint refused an insert, on PostgreSQL.
export function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

// Another transaction held a lock for longer than we wait, on PostgreSQL.
export function isLockTimeout(error: unknown): boolean {
  return error instanceof StorageUnavailable && (error.cause as { code?: unknown } | undefined)?.code === '55P03'
}

// The database is unreachable, busy beyond our time limits, or its queue is full: not the caller's fault, try later.
export class StorageUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageUnavailable'
  }
}

// The same, already logged by the storage: callers need not log it again.
export class StorageOutage extends StorageUnavailable {}

// The store cannot be opened at all; the message is one line for the operator.
export class StorageRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageRefused'
  }
}
