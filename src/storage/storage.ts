// The face of storage: what the rest of the house may do with facts. A Reader looks, a Tx may write, and the pool or
// file behind them is out of reach.

// To be named to an operator. What differs between the engines is asked as a trait, below: `isAlone`, `lockRow`, `hasOneServer`,
// `afterBulkLoad`.
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

// `in (${list(ids)})`: one parameter per value. The count is padded up to a power of two by repeating the last value, so
// that the number of distinct statements stays small.
export function list(values: readonly SqlValue[]): Fragment {
  if (values.length === 0) throw new Error('list() of nothing: `in ()` is not SQL')
  if (values.length > LIST_MAX) throw new Error(`list() of more than ${LIST_MAX} values`)
  let size = 1
  while (size < values.length) size *= 2
  const padded = Array.from({ length: size }, (_, i) => values[Math.min(i, values.length - 1)] as SqlValue)
  return new Fragment(padded.map(() => '?').join(', '), padded)
}

// Looks at one consistent snapshot.
export interface Reader {
  readonly engine: Engine
  sql<Row>(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): Promise<Row[]>
}

export type ColumnType = 'text' | 'bigint'

// May write. All of it is committed together, or none of it.
export interface Tx extends Reader {
  // A statement whose rows nobody needs. It is not awaited: on PostgreSQL it leaves together with what comes next, and it runs
  // before everything that is sent after it. If it fails, so does the commit.
  send(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): void
  // No other transaction writes beside this one: what it has read stays so until it ends. Then a statement is no round trip
  // either, and nothing is gained by sending one before its turn.
  readonly isAlone: boolean
  // `` tx.lockRow`select id from carts where …` ``: locks the rows until the transaction ends. Nothing where it is alone.
  lockRow(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): Promise<void>
  // The same as part of a statement whose rows are wanted.
  readonly forUpdate: Fragment
  readonly skipLocked: Fragment
  // The same where a statement joins tables: only the rows of this one are locked.
  forUpdateOf(alias: string): Fragment
  skipLockedOf(alias: string): Fragment
  // `with done (id, at) as (${tx.rows(rows, ['text', 'bigint'])})`: values of ours as a table, to write many rows at once.
  rows(rows: readonly (readonly SqlValue[])[], types: readonly ColumnType[]): Fragment
  // Runs once the commit is durable, never if the work is rolled back. For signals and caches of this process only.
  afterCommit(then: () => void): void
  // Tells whoever listens, on this node and on the others, that there is something new, once the commit is durable. A signal
  // may be lost with its process or its connection, so whoever listens also looks by itself from time to time. With a
  // statement of this transaction, only if it gave any rows; nobody need wait for that. It throws nothing where a statement
  // before it has failed: there will be no commit.
  signal(name: SignalName, ifAny?: Promise<readonly unknown[]>): void
}

// For what is kept in memory of what was read: at once when it was committed before, otherwise once it is. What a rolled back
// work has seen never was.
export function onceDurable(db: Reader | Tx, then: () => void): void {
  if ('afterCommit' in db) db.afterCommit(then)
  else then()
}

export type SignalName = 'deliveries' | 'credentials'

export interface StorageStats {
  engine: Engine
  // `waiting`: pieces of work that wait for a connection. SQLite's writer is one of the open ones, and its queue is below.
  connections: { open: number; idle: number; waiting: number }
  // SQLite: commits, and how many pieces of work they carried. PostgreSQL: one piece per commit.
  writes: { commits: number; works: number; queued: number; retries: number }
}

export interface Storage {
  readonly engine: Engine
  // At most one server works on this database, so what an earlier one has claimed and not finished is free.
  readonly hasOneServer: boolean
  read<T>(work: (db: Reader) => Promise<T>): Promise<T>
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  // Work that failed is rolled back behind its caller's back. Waits until the work that failed before this call has let go of
  // its locks, for whoever skips rows that are locked and must not skip its own.
  rolledBack(): Promise<void>
  // Calls back, soon and at least once, after each commit that signalled. Several signals may become one call.
  listen(name: SignalName, heard: () => void): () => void
  // After many rows were written into these tables: the database looks at them anew, so statements are planned for what is there.
  afterBulkLoad(tables: readonly string[]): Promise<void>
  // Rejects with a StorageUnavailable where writes are known to fail: a standby, a full disk.
  checkWrites(): Promise<void>
  stats(): StorageStats
  close(): Promise<void>
}

// Bounds that tests narrow. Each has a default where it applies.
export interface StorageOptions {
  // True for a server: it alone may serve a SQLite file, and it has the file checked after an unclean end.
  server?: boolean
  // Whoever writes is refused.
  readsOnly?: boolean
  // The check comes before everything else, instead of running beside it.
  checksFirst?: boolean
  // That check has found the file damaged. From now on nothing is read from it or written to it, and the server is to end.
  onDamage?: (damage: StorageRefused) => void
  log?: (line: string, fields?: object) => void
  // One piece of work, from its first statement to its end.
  workMsMax?: number
  // Pieces of work that may wait.
  queueMax?: number
  // SQLite: patience with another process that holds the write lock.
  busyMsMax?: number
  // SQLite: pieces of work, and milliseconds, in one commit.
  groupWorksMax?: number
  groupMsMax?: number
  // PostgreSQL: connections, and how long making one may take. How long a piece of work waits for one that is busy, in all and
  // while none is given back.
  connectionsMax?: number
  connectMsMax?: number
  waitMsMax?: number
  stallMsMax?: number
  statementMsMax?: number
  lockMsMax?: number
  // PostgreSQL: how long a signal to ourselves may take before it counts as lost.
  signalMsMax?: number
}

// For a command of the operator, who rather waits behind a server or another command than be told to come back: an import
// holds its merchant for seconds on a slow machine.
export const patient: StorageOptions = {
  workMsMax: 120_000,
  statementMsMax: 60_000,
  lockMsMax: 30_000,
  busyMsMax: 30_000,
}

export const READS_ONLY = 'this storage was opened to be read'

// A row stood in the way of an insert, on PostgreSQL.
export function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

// The database cannot be reached, is busy beyond our patience, or its queue is full: not the caller's fault, try later.
export class StorageUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageUnavailable'
  }
}

// The same, where the storage itself has reported it: whoever meets it need not log it again.
export class StorageOutage extends StorageUnavailable {}

// The store cannot be opened at all; the message is one clear line for the operator.
export class StorageRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageRefused'
  }
}
