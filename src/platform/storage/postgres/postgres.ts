// Stores data in PostgreSQL, shared by any number of nodes. What costs time is the round trip: `begin` is sent together with the first
// statement, independent statements are pipelined, and callers do not wait for a rollback.

import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { errorMessageOf, type Log, runAll } from '../inside.ts'
import { type Outage, watchOutage } from '../outage.ts'
import { createSignalListeners, type SignalListeners } from '../signals.ts'
import { createStatementCache } from '../statement.ts'
import {
  Fragment,
  READS_ONLY,
  type Reader,
  type SignalName,
  type Storage,
  type StorageOptions,
  StorageOutage,
  StorageRefused,
  type StorageSpace,
  StorageUnavailable,
  type Tx,
} from '../storage.ts'
import { DEFAULTS, type PostgresBounds, silenceMs } from './bounds.ts'
import { createPooledConnections, type PooledConnections } from './connections.ts'
import { gaveUpError, READ_ONLY, RetryableError } from './errors.ts'
import { openSignalConnection, type SignalConnection } from './notices.ts'
import { checkPooler, checkServer, openPool } from './server.ts'
import { type PlanFor, planNamer, Session, withinPatience } from './session.ts'
import { PostgresReader, PostgresTx } from './transaction.ts'

const TRIES_MAX = 5
const RECHECK_MS = 250

const BEGIN_WRITE = 'begin isolation level read committed'
const BEGIN_READ = 'begin isolation level repeatable read read only'

export async function openPostgres(url: string, options: StorageOptions): Promise<Storage> {
  const bounds = { ...DEFAULTS, ...options }
  const log = options.log ?? (() => {})
  const pool = openPool(url, bounds)
  const outage = watchOutage(log)
  // The pool removes a broken idle connection itself. Without a listener, its error event would end the process.
  pool.on('error', (error) => outage.begin(error))
  pool.on('connect', (client) => client.on('error', () => {}))
  let schema: string
  try {
    schema = await checkServer(pool, log)
    await checkPooler(pool, bounds.connectionsMax)
  } catch (error) {
    await pool.end()
    if (error instanceof StorageRefused) throw error
    throw new StorageRefused(`PostgreSQL cannot be used: ${errorMessageOf(error)}`, error)
  }
  return storageOf(new Server({ url, pool, bounds, schema, outage, log }))
}

function storageOf(server: Server): Storage {
  return {
    engine: 'postgres',
    hasOneServer: false,
    read: (work) => server.retried(() => server.readOnce(work)),
    write: (work) => server.write(work),
    rolledBack: () => server.rolledBack(),
    // Undefined, since finding out would need a round trip.
    commitMark: () => undefined,
    listen: (name, onSignal) => server.listen(name, onSignal),
    afterBulkLoad: (tables) => server.afterBulkLoad(tables),
    checkWrites: () => server.retried(() => server.checkWrites()),
    space: () => server.space(),
    stats: () => server.stats(),
    close: () => server.close(),
  }
}

interface Parts {
  url: string
  pool: pg.Pool
  bounds: PostgresBounds & StorageOptions
  schema: string
  outage: Outage
  log: Log
}

class Server {
  readonly #pool: pg.Pool
  readonly #bounds: Parts['bounds']
  readonly #outage: Outage
  readonly #log: Log
  readonly #planFor: PlanFor = createStatementCache('$', planNamer())
  readonly #listeners: SignalListeners
  readonly #notices: SignalConnection
  readonly #connections: PooledConnections
  readonly #silentMsMax: number
  // Rollbacks in progress.
  readonly #leaving = new Set<Promise<void>>()
  #commits = 0
  #retries = 0
  #running = 0
  #checkedAt = Number.NEGATIVE_INFINITY
  #closing: Promise<void> | undefined
  #drained: (() => void) | undefined

  constructor({ url, pool, bounds, schema, outage, log }: Parts) {
    this.#pool = pool
    this.#bounds = bounds
    this.#outage = outage
    this.#log = log
    this.#listeners = createSignalListeners(log)
    this.#notices = openSignalConnection({ url, pool, schema, bounds, listeners: this.#listeners, outage, log })
    this.#connections = createPooledConnections(pool, bounds)
    // Without a statement time-out, a response may take any time.
    this.#silentMsMax = bounds.statementMsMax > 0 ? bounds.statementMsMax + silenceMs : Number.POSITIVE_INFINITY
  }

  async readOnce<T>(work: (db: Reader) => Promise<T>): Promise<T> {
    const session = new Session(await this.#connections.acquire(), BEGIN_READ, this.#planFor)
    const value = await this.#perform(session, () => work(new PostgresReader(session)))
    // The caller already has the result, and ending a read-only transaction cannot change it, so this is not awaited.
    void session.leave('commit')
    return value
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#bounds.readsOnly ? Promise.reject(new Error(READS_ONLY)) : this.retried(() => this.#writeOnce(work))
  }

  async #writeOnce<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const { acquire, distrust } = this.#connections
    const session = new Session(await acquire(), BEGIN_WRITE, this.#planFor, distrust)
    const tx = new PostgresTx(session)
    const value = await this.#perform(session, () => work(tx))
    await session.commit(Math.min(this.#bounds.workMsMax, this.#silentMsMax))
    this.#commits += 1
    runAll(tx.afterwards, this.#log)
    this.#raise(await tx.signals.given())
    return value
  }

  // Calls the listeners of this process directly, without waiting for PostgreSQL. If this node sends deliveries itself, the other nodes
  // need not be notified of them.
  #raise(signals: ReadonlySet<SignalName>): void {
    if (signals.size === 0) return
    this.#listeners.call(signals)
    const others = [...signals].filter((name) => name !== 'deliveries' || !this.#listeners.has(name))
    if (others.length > 0) this.#notices.send(new Set(others))
  }

  // A standby accepts reads, so only this check detects the end of a read-only outage.
  async checkWrites(): Promise<void> {
    const startedAt = performance.now()
    const [state] = await this.#writeOnce(
      (tx) => tx.sql<{ standby: number; readOnly: string }>`
        select pg_is_in_recovery() as "standby", current_setting('transaction_read_only') as "readOnly"`,
    )
    if (state?.standby || state?.readOnly !== 'off') {
      this.#connections.distrust()
      throw new StorageOutage(READ_ONLY)
    }
    this.#outage.end(startedAt)
  }

  #noteSuccess(startedAt: number): void {
    if (!this.#outage.isReadOnly) this.#outage.end(startedAt)
    else if (performance.now() - this.#checkedAt >= RECHECK_MS) {
      this.#checkedAt = performance.now()
      this.checkWrites().catch(() => {})
    }
  }

  #noteFailure(error: unknown): void {
    if (error instanceof StorageOutage && !this.#closing)
      this.#outage.begin(error, { isReadOnly: error.message === READ_ONLY })
  }

  async #perform<T>(session: Session, work: () => Promise<T>): Promise<T> {
    try {
      const { workMsMax } = this.#bounds
      const value = await withinPatience(work(), { workMsMax, silentMsMax: this.#silentMsMax }, session)
      // Work that ignored a failed statement must not count as a success, because PostgreSQL will not commit it.
      if (session.failure) throw session.failure.shown
      session.end()
      return value
    } catch (error) {
      session.end()
      const left = session.leave('rollback')
      this.#leaving.add(left)
      void left.finally(() => this.#leaving.delete(left))
      throw session.failure?.again ?? error
    }
  }

  async retried<T>(attempt: () => Promise<T>): Promise<T> {
    if (this.#closing) throw new StorageUnavailable('the storage is closed')
    this.#running += 1
    try {
      for (let tries = 1; ; tries++) {
        const startedAt = performance.now()
        try {
          const value = await attempt()
          this.#noteSuccess(startedAt)
          return value
        } catch (error) {
          if (!(error instanceof RetryableError)) throw error
          if (tries >= TRIES_MAX) throw gaveUpError(tries, error.cause)
        }
        this.#retries += 1
        await pause(backoffMs(tries))
      }
    } catch (error) {
      this.#noteFailure(error)
      throw error
    } finally {
      this.#running -= 1
      if (this.#running === 0) this.#drained?.()
    }
  }

  async rolledBack(): Promise<void> {
    await Promise.all(this.#leaving)
  }

  listen(name: SignalName, onSignal: () => void): () => void {
    const stop = this.#listeners.add(name, onSignal)
    this.#notices.listen()
    return stop
  }

  // Query plans depend on table statistics, and new tables count as empty: an import would become slower with every product, and carts
  // would be read slowly until autovacuum runs. `analyze` waits for a vacuum of these tables, and gives up if this takes too long.
  async afterBulkLoad(tables: readonly string[]): Promise<void> {
    try {
      await this.retried(() => this.#writeOnce((tx) => tx.sql`analyze ${new Fragment(tables.join(', '))}`))
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
    }
  }

  async space(): Promise<StorageSpace> {
    const [size] = await this.retried(() =>
      this.readOnce((db) => db.sql<{ bytes: number }>`select pg_database_size(current_database()) as "bytes"`),
    )
    const tables = await this.retried(() =>
      this.readOnce(
        (db) => db.sql<{ name: string; bytes: number }>`
          select relname as "name", pg_total_relation_size(oid) as "bytes" from pg_class
          where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
      ),
    )
    return {
      bytes: size?.bytes ?? 0,
      freeBytes: null,
      tables: Object.fromEntries(tables.map(({ name, bytes }) => [name, bytes])),
    }
  }

  stats(): ReturnType<Storage['stats']> {
    const { totalCount: open, idleCount: idle } = this.#pool
    return {
      engine: 'postgres',
      connections: { open, idle, waiting: this.#connections.waiting() },
      writes: { commits: this.#commits, works: this.#commits, queued: 0, retries: this.#retries },
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#listeners.close()
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#drained = resolve))
    await this.#notices.close()
    await this.#pool.end()
  }
}

// Random, so two transactions that deadlocked do not retry at the same time.
function backoffMs(tries: number): number {
  return 5 * 2 ** tries * (0.5 + Math.random())
}
