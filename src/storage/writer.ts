// Writes to a SQLite file, which has one writer at a time. They queue here and commit in groups: each piece of work runs
// alone in its savepoint, then one commit, which is one sync of the disk, and only then is anyone answered.
import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, isBusy } from './connection.ts'
import { asMigration, type InsideTx, type Log, runAll, withinTime } from './inside.ts'
import { SqliteReader } from './reader.ts'
import { type ColumnType, Fragment, type SignalName, type SqlValue, StorageUnavailable, type Tx } from './storage.ts'

export interface Writer {
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  stats(): { commits: number; works: number; queued: number }
  // Finishes what is queued.
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

// A piece of work that ran, and how to tell its caller. That happens only after the commit, for a refusal too: what it
// saw may have been written by another piece of the same group.
interface Done {
  queued: Queued
  tell: () => void
}

// `raise` is called after a commit that signalled, with the names of its whole group.
export function openWriter(
  connection: Connection,
  bounds: WriterBounds,
  raise: (signals: ReadonlySet<SignalName>) => void,
  log: Log,
): Writer {
  const queue: Queued[] = []
  let commits = 0
  let works = 0
  let draining = false
  let closed = false
  let drained: (() => void) | undefined

  // Later in this turn of the event loop, so that all requests which arrived with this one share its commit.
  function schedule(): void {
    if (draining) return
    draining = true
    setImmediate(drain)
  }

  async function drain(): Promise<void> {
    if (await begin()) await commitGroup()
    draining = false
    if (queue.length > 0) schedule()
    else drained?.()
  }

  // Another process, such as the command line, may be writing. We come back for the lock instead of waiting inside SQLite.
  async function begin(): Promise<boolean> {
    for (let waitMs = 1; queue.length > 0; waitMs = Math.min(waitMs * 2, 20)) {
      try {
        abandon()
        connection.command('begin immediate')
        return true
      } catch (error) {
        if (isBusy(error)) giveUpOn((queued) => performance.now() - queued.queuedAt >= bounds.busyMsMax, error)
        else giveUpOn(() => true, error)
      }
      await pause(waitMs)
    }
    return false
  }

  // The queue is in the order of arrival, so whoever is to be given up stands at its head.
  function giveUpOn(isHopeless: (queued: Queued) => boolean, error: unknown): void {
    for (let head = queue[0]; head && isHopeless(head); head = queue[0]) {
      queue.shift()
      head.reject(new StorageUnavailable('SQLite: the file cannot be written now', error))
    }
  }

  async function commitGroup(): Promise<void> {
    const startedAt = performance.now()
    const group: Done[] = []
    const signals = new Set<SignalName>()
    try {
      while (
        queue.length > 0 &&
        group.length < bounds.groupWorksMax &&
        performance.now() - startedAt < bounds.groupMsMax
      ) {
        const done = { queued: queue.shift() as Queued, tell: () => {} }
        group.push(done)
        done.tell = await perform(done.queued, signals)
      }
      connection.command('commit')
    } catch (error) {
      const failure = new StorageUnavailable('SQLite: the commit failed', error)
      for (const done of group) done.queued.reject(failure)
      abandon()
      return
    }
    commits += 1
    works += group.length
    for (const done of group) done.tell()
    if (signals.size > 0) raise(signals)
  }

  // If even this fails the transaction stays open, `begin` fails, and every write is refused until the disk is well.
  function abandon(): void {
    try {
      if (connection.db.isTransaction) connection.command('rollback')
    } catch (error) {
      log('SQLite could not roll back', { error })
    }
  }

  // Throws only when the whole transaction is lost.
  async function perform(queued: Queued, signals: Set<SignalName>): Promise<() => void> {
    const tx = new SqliteTx(connection)
    connection.command('savepoint work')
    try {
      const value = await withinTime(queued.work(tx), bounds.workMsMax, tx)
      tx.end()
      // A work that swallowed the failure of a statement is rolled back, as it would be in PostgreSQL.
      if (tx.failure) throw tx.failure
      connection.command('release work')
      for (const name of tx.signals) signals.add(name)
      return () => tellDone(queued, tx, value, log)
    } catch (error) {
      tx.end()
      // A full disk or a failed read ends the transaction at once, the work of others in it included.
      if (!connection.db.isTransaction) throw error
      connection.command('rollback to work')
      connection.command('release work')
      return () => queued.reject(error)
    }
  }

  return {
    write<T>(work: (tx: Tx) => Promise<T>) {
      return new Promise<T>((resolve, reject) => {
        if (closed) throw new StorageUnavailable('the storage is closed')
        if (queue.length >= bounds.queueMax) throw new StorageUnavailable('too many writes are waiting')
        // Each entry resolves with what its own work gave, so the value is a T.
        queue.push({ work, resolve: resolve as (value: unknown) => void, reject, queuedAt: performance.now() })
        schedule()
      })
    },
    stats: () => ({ commits, works, queued: queue.length }),
    async close() {
      closed = true
      if (draining) await new Promise<void>((resolve) => (drained = resolve))
    },
  }
}

function tellDone(queued: Queued, tx: SqliteTx, value: unknown, log: Log): void {
  runAll(tx.afterwards, log)
  queued.resolve(value)
}

const NOTHING = new Fragment('')

class SqliteTx extends SqliteReader implements InsideTx {
  // The writer is alone, so there is no row to lock.
  readonly forUpdate = NOTHING
  readonly skipLocked = NOTHING
  readonly afterwards: (() => void)[] = []
  readonly signals = new Set<SignalName>()
  unhurried = false

  // Padded to a power of two, so that there are few distinct statements, by rows of nulls, which equal nothing.
  rows(rows: readonly (readonly SqlValue[])[], types: readonly ColumnType[]): Fragment {
    let size = 1
    while (size < rows.length) size *= 2
    const row = `(${types.map(() => '?').join(', ')})`
    const values: SqlValue[] = new Array(size * types.length).fill(null)
    for (const [index, value] of rows.flat().entries()) values[index] = value
    return new Fragment(`values ${Array.from({ length: size }, () => row).join(', ')}`, values)
  }

  afterCommit(then: () => void): void {
    this.check()
    this.afterwards.push(then)
  }

  signal(name: SignalName): void {
    this.check()
    this.signals.add(name)
  }

  async [asMigration](): Promise<(script: string) => Promise<void>> {
    this.unhurried = true
    return async (script) => {
      this.check()
      this.attempt(() => this.connection.script(script))
    }
  }
}
