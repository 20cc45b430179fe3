// Writes to a SQLite file, which has one writer at a time. Pieces of work are queued and committed in groups: they run one after the
// other, then one commit (one sync of the disk) follows, and only then do their callers get the results. A savepoint around each piece
// would allow undoing it alone, but costs a tenth more. So a group runs without savepoints until a piece fails, and is then run again
// with savepoints. Work must be repeatable anyway, since PostgreSQL repeats it after a lost race.
import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, isBusy } from './connection.ts'
import { asMigration, CommitSignals, errorMessageOf, type InsideTx, type Log, runAll } from './inside.ts'
import { SqliteReader } from './reader.ts'
import {
  type ColumnType,
  Fragment,
  type SignalName,
  type SqlValue,
  StorageOutage,
  StorageUnavailable,
  type Tx,
} from './storage.ts'

export interface Writer {
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  stats(): { commits: number; works: number; queued: number }
  // Finishes the queued work.
  close(): Promise<void>
}

export interface WriterBounds {
  workMsMax: number
  queueMax: number
  busyMsMax: number
  groupWorksMax: number
  groupMsMax: number
}

interface Queued {
  work: (tx: Tx) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  queuedAt: number
}

// A piece of work that has run, and how its caller is answered. The caller is only answered after the commit, even with a refusal: what
// the work read may have been written by another piece in the group.
interface Done {
  queued: Queued
  tell: () => void
  // Whether the work took too long, so it is not run a second time.
  isHopeless: boolean
}

// After a failure, this many groups run with savepoints, so few groups run twice if refusals are frequent.
const CAUTIOUS_GROUPS = 64

// `raise` is called after a commit, with the signals of the whole group.
export function openWriter(
  connection: Connection,
  bounds: WriterBounds,
  raise: (signals: ReadonlySet<SignalName>) => void,
  log: Log,
): Writer {
  return new GroupWriter(connection, bounds, raise, log)
}

class GroupWriter implements Writer {
  readonly #connection: Connection
  readonly #bounds: WriterBounds
  readonly #raise: (signals: ReadonlySet<SignalName>) => void
  readonly #log: Log
  readonly #queue: Queued[] = []
  readonly #watch: NodeJS.Timeout
  #commits = 0
  #works = 0
  #isDraining = false
  #isClosed = false
  #cautiousGroups = 0
  #running: { tx: SqliteTx; startedAt: number; giveUp: (error: Error) => void } | undefined
  #drained: (() => void) | undefined

  constructor(
    connection: Connection,
    bounds: WriterBounds,
    raise: (signals: ReadonlySet<SignalName>) => void,
    log: Log,
  ) {
    this.#connection = connection
    this.#bounds = bounds
    this.#raise = raise
    this.#log = log
    this.#watch = setInterval(() => this.#abandonLongWork(), bounds.workMsMax / 4).unref()
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#isClosed) throw new StorageUnavailable('the storage is closed')
      if (this.#queue.length >= this.#bounds.queueMax) throw new StorageUnavailable('too many writes are waiting')
      // The cast holds: each entry resolves with the result of its own work, which is a T.
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject, queuedAt: performance.now() })
      this.#schedule()
    })
  }

  stats(): { commits: number; works: number; queued: number } {
    return { commits: this.#commits, works: this.#works, queued: this.#queue.length }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#isDraining) await new Promise<void>((resolve) => (this.#drained = resolve))
    clearInterval(this.#watch)
  }

  // Work awaits only its statements. Work that awaits something else would delay all other work, so it is abandoned.
  #abandonLongWork(): void {
    const { workMsMax } = this.#bounds
    if (!this.#running || this.#running.tx.unhurried || performance.now() - this.#running.startedAt < workMsMax) return
    this.#running.giveUp(new StorageUnavailable(`a write took longer than ${workMsMax} ms`))
  }

  // Runs later in this turn of the event loop, so all requests that arrived together share a commit.
  #schedule(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    setImmediate(() => this.#drain())
  }

  async #drain(): Promise<void> {
    if (await this.#begin()) await this.#commitGroup()
    this.#isDraining = false
    if (this.#queue.length > 0) this.#schedule()
    else this.#drained?.()
  }

  // Another process, such as a command, may be writing. The lock is retried by timer, not waited for inside SQLite.
  async #begin(): Promise<boolean> {
    for (let waitMs = 1; this.#queue.length > 0; waitMs = Math.min(waitMs * 2, 20)) {
      try {
        this.#abandonTransaction()
        this.#connection.command('begin immediate')
        return true
      } catch (error) {
        const isBusyTooLong = ({ queuedAt }: Queued) => performance.now() - queuedAt >= this.#bounds.busyMsMax
        this.#giveUpOn(isBusy(error) ? isBusyTooLong : () => true, error)
      }
      await pause(waitMs)
    }
    return false
  }

  // The queue is in the order of arrival, so the work to give up is at its head.
  #giveUpOn(isHopeless: (queued: Queued) => boolean, error: unknown): void {
    for (let head = this.#queue[0]; head && isHopeless(head); head = this.#queue[0]) {
      this.#queue.shift()
      head.reject(new StorageOutage(`the SQLite file cannot be written: ${errorMessageOf(error)}`, error))
    }
  }

  async #commitGroup(): Promise<void> {
    const group: Done[] = []
    const signals = new Set<SignalName>()
    try {
      await this.#performGroup(group, signals)
      this.#connection.command('commit')
    } catch (error) {
      const failure = new StorageOutage(`the SQLite commit failed: ${errorMessageOf(error)}`, error)
      for (const done of group) done.queued.reject(failure)
      this.#abandonTransaction()
      return
    } finally {
      this.#running = undefined
    }
    this.#commits += 1
    this.#works += group.length
    for (const done of group) done.tell()
    if (signals.size > 0) this.#raise(signals)
  }

  async #performGroup(group: Done[], signals: Set<SignalName>): Promise<void> {
    const { groupWorksMax, groupMsMax } = this.#bounds
    const startedAt = performance.now()
    let isCautious = this.#cautiousGroups > 0
    if (isCautious) this.#cautiousGroups -= 1
    while (this.#queue.length > 0 && group.length < groupWorksMax && performance.now() - startedAt < groupMsMax) {
      const done: Done = { queued: this.#queue.shift() as Queued, tell: () => {}, isHopeless: false }
      group.push(done)
      const isDone = await this.#perform(done, signals, isCautious)
      if (isDone || isCautious) continue
      isCautious = true
      await this.#startOver(group, signals)
    }
  }

  // The last piece of the group failed, and its changes cannot be separated from those of the others.
  async #startOver(group: readonly Done[], signals: Set<SignalName>): Promise<void> {
    this.#cautiousGroups = CAUTIOUS_GROUPS
    this.#connection.command('rollback')
    await this.#beginAgain()
    signals.clear()
    // If the piece was alone in its group, there is nothing to run again.
    if (group.length === 1) return
    for (const done of group) if (!done.isHopeless) await this.#perform(done, signals, true)
  }

  async #beginAgain(): Promise<void> {
    const hopelessAt = performance.now() + this.#bounds.busyMsMax
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 20)) {
      try {
        this.#connection.command('begin immediate')
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() > hopelessAt) throw error
      }
      await pause(waitMs)
    }
  }

  // If even the rollback fails, the transaction stays open: `begin` then fails, and all writes are refused until the disk works again.
  #abandonTransaction(): void {
    try {
      if (this.#connection.db.isTransaction) this.#connection.command('rollback')
    } catch (error) {
      this.#log('SQLite could not roll back', { error })
    }
  }

  // Returns false if the work failed; with a savepoint, its changes are undone. Throws only if the whole transaction is lost.
  async #perform(done: Done, signals: Set<SignalName>, hasSavepoint: boolean): Promise<boolean> {
    const { queued } = done
    const tx = new SqliteTx(this.#connection)
    if (hasSavepoint) this.#connection.command('savepoint work')
    try {
      const value = await new Promise((resolve, reject) => {
        this.#running = { tx, startedAt: performance.now(), giveUp: reject }
        queued.work(tx).then(resolve, reject)
      })
      tx.end()
      // Work that ignored a failed statement is rolled back, as in PostgreSQL.
      if (tx.failure) throw tx.failure
      if (hasSavepoint) this.#connection.command('release work')
      for (const name of await tx.signals.given()) signals.add(name)
      done.tell = () => tellDone(queued, tx, value, this.#log)
      return true
    } catch (error) {
      tx.end()
      // A full disk or a failed read ends the whole transaction, including the other work in it.
      if (!this.#connection.db.isTransaction) throw error
      if (hasSavepoint) {
        this.#connection.command('rollback to work')
        this.#connection.command('release work')
      }
      done.tell = () => queued.reject(error)
      done.isHopeless = error instanceof StorageUnavailable
      return false
    }
  }
}

function tellDone(queued: Queued, tx: SqliteTx, value: unknown, log: Log): void {
  runAll(tx.afterwards, log)
  queued.resolve(value)
}

const NOTHING = new Fragment('')
const ALWAYS = new Fragment('1')

class SqliteTx extends SqliteReader implements InsideTx {
  readonly isAlone = true
  // Empty, because a single writer needs no row locks.
  readonly forUpdate = NOTHING
  readonly skipLocked = NOTHING
  readonly afterwards: (() => void)[] = []
  readonly signals = new CommitSignals()
  unhurried = false

  // `sql` stores a failure, so the commit fails.
  send(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): void {
    void this.sql(text, ...values)
  }

  async lockRow(): Promise<void> {}

  // To limit the number of distinct statements, padded to a power of two with rows of nulls, which never match a join.
  rows(rows: readonly (readonly SqlValue[])[], types: readonly ColumnType[]): Fragment {
    let size = 1
    while (size < rows.length) size *= 2
    const values: SqlValue[] = rows.flat()
    while (values.length < size * types.length) values.push(null)
    const row = `(${'?, '.repeat(types.length - 1)}?)`
    return new Fragment(`values ${row}${`, ${row}`.repeat(size - 1)}`, values)
  }

  forUpdateOf(): Fragment {
    return NOTHING
  }

  skipLockedOf(): Fragment {
    return NOTHING
  }

  isAsFound(): Fragment {
    return ALWAYS
  }

  afterCommit(then: () => void): void {
    this.check()
    this.afterwards.push(then)
  }

  signal(name: SignalName, ifAny?: Promise<readonly unknown[]>): void {
    this.checkOpen()
    this.signals.add(name, ifAny)
  }

  async [asMigration](): Promise<(command: string) => Promise<void>> {
    this.unhurried = true
    return async (command) => {
      this.check()
      this.attempt(() => this.connection.script(command))
    }
  }
}
