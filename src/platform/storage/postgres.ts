// Stores data in PostgreSQL, shared by any number of nodes. Its cost is the round trip: `begin` is sent together with
// the first statement, statements that do not depend on each other are pipelined, and callers do not wait for a
// rollback.
import { hash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { guardFailure, type RowMoved } from './guard.ts'
import { asMigration, ENDED, type InsideTx, type Log, runAll, Signals, withinTime, wordsOf } from './inside.ts'
import { cut, openNotices, streamOf } from './notices.ts'
import { type Outage, watchOutage } from './outage.ts'
import { keepListeners } from './signals.ts'
import { keepStatements, valuesOf } from './statement.ts'
import {
  type ColumnType,
  Fragment,
  READS_ONLY,
  type Reader,
  type SignalName,
  type SqlValue,
  type Storage,
  type StorageOptions,
  StorageOutage,
  StorageRefused,
  StorageUnavailable,
  type Tx,
} from './storage.ts'
import { keepTurns, WaitTimeout } from './turns.ts'

// Whatever the network does, a request fails within ten seconds if there is no answer.
export const DEFAULTS = {
  workMsMax: 20_000,
  queueMax: 10_000,
  connectionsMax: 16,
  connectMsMax: 5_000,
  waitMsMax: 10_000,
  stallMsMax: 5_000,
  statementMsMax: 9_000,
  lockMsMax: 5_000,
  signalMsMax: 5_000,
}
// The server answers every statement within its time limit, if only to say that it took too long. No answer for this
// much longer means that the network, or the server, is gone.
export const silenceMs = 500
const IDLE_IN_TRANSACTION_MS = 15_000
const LEAVE_MS_MAX = 5_000
const TRIES_MAX = 5
const NAMES_MAX = 2_000
// While the server is unreachable: work that arrives this soon after a failed attempt is refused at once.
const SILENT_MS = 1_000
const REFUSED_MS = 250
// After this long the pool may grow again to its full size.
const FEWER_MS = 30_000

// For who watches what runs after an answer.
const answered = channel('cartwright.storage.answered')

const BEGIN_WRITE = 'begin isolation level read committed'
const BEGIN_READ = 'begin isolation level repeatable read read only'

export async function openPostgres(url: string, options: StorageOptions): Promise<Storage> {
  const bounds = { ...DEFAULTS, ...options }
  const log = options.log ?? (() => {})
  const pool = openPool(url, bounds)
  const outage = watchOutage(log)
  // The pool itself removes an idle connection that breaks; without a listener the event would end the process.
  pool.on('error', (error) => outage.begin(error))
  pool.on('connect', (client) => client.on('error', () => {}))
  let schema: string
  try {
    schema = await checkServer(pool, log)
    await checkPooler(pool, bounds.connectionsMax)
  } catch (error) {
    await pool.end()
    if (error instanceof StorageRefused) throw error
    throw new StorageRefused(`PostgreSQL cannot be used: ${wordsOf(error)}`, error)
  }
  return storage({ url, pool, bounds, schema, outage, log })
}

function openPool(url: string, bounds: typeof DEFAULTS): pg.Pool {
  try {
    return new pg.Pool({
      connectionString: url,
      pipeline: true,
      max: bounds.connectionsMax,
      connectionTimeoutMillis: bounds.connectMsMax,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      application_name: 'cartwright',
      statement_timeout: bounds.statementMsMax,
      lock_timeout: bounds.lockMsMax,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      types: { getTypeParser: (oid: number) => parserOf(oid) },
    })
  } catch {
    // The parser's own error repeats the URL, password included.
    throw new StorageRefused('the PostgreSQL URL cannot be read: postgres://user:password@host:port/database')
  }
}

interface ServerFacts {
  version: number
  encoding: string
  standby: number
  role: string
  schema: string | null
  // The schema in which the search path finds our tables.
  found: string | null
  unlimited: string
}

// Returns the schema that holds our tables.
async function checkServer(pool: pg.Pool, log: Log): Promise<string> {
  const { rows } = await pool
    .query<ServerFacts>(`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
      pg_is_in_recovery() as standby, current_user as role, current_schema() as schema,
      (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.oid = to_regclass('schema_migrations')) as found, (
        select coalesce(string_agg(name, ', ' order by name), '') from pg_settings
        where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') and setting = '0'
      ) as unlimited`)
    .catch((error: unknown) => {
      throw /unsupported startup parameter/.test(wordsOf(error)) ? new StorageRefused(STARTUP_PARAMETERS, error) : error
    })
  const [server] = rows
  if (!server) throw new StorageRefused('PostgreSQL did not report its version')
  if (server.version < 150_000) throw new StorageRefused('PostgreSQL is older than version 15')
  if (server.encoding !== 'UTF8') throw new StorageRefused(`the database is encoded in ${server.encoding}, not in UTF8`)
  if (server.standby) throw new StorageRefused('this PostgreSQL server is a standby and cannot be written')
  if (server.schema === null) throw new StorageRefused('none of the schemas in the search path of PostgreSQL exists')
  // Some tables would be read there, and new ones created here.
  if (server.found !== null && server.found !== server.schema)
    throw new StorageRefused(
      `the search path finds the tables of another Cartwright in the schema ${server.found}, and none in ${server.schema}: set the search path to one schema`,
    )
  const unlimited = server.unlimited.split(', ').filter(Boolean)
  if (unlimited.length > 0)
    log('time limits are off, because a connection pooler drops them: set them on the role and reconnect', {
      set: unlimited.map(
        (name) => `alter role ${pg.escapeIdentifier(server.role)} set ${name} = '${roleLimits[name]}'`,
      ),
    })
  return server.schema
}

// As docs/growing.md recommends.
const roleLimits: Readonly<Record<string, string>> = {
  statement_timeout: '9s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '15s',
}

const STARTUP_PARAMETERS =
  'the connection pooler refuses our time limits: set PgBouncer to ignore_startup_parameters = statement_timeout, ' +
  'lock_timeout, idle_in_transaction_session_timeout, and set the three on the role'

// Checks that a prepared statement is still known in the next transaction. A pooler that assigns transactions to any
// connection must keep track of prepared statements (PgBouncer from 1.21 on); otherwise every second statement would
// fail, or a statement of another process would run under our name.
async function checkPooler(pool: pg.Pool, connectionsMax: number): Promise<void> {
  const statement = { name: 'cartwright_check', text: 'select 1' }
  const client = await pool.connect()
  let other: pg.PoolClient | undefined
  try {
    await client.query(statement)
    // Takes the connection that was just returned to the pooler. A pool of one has no other, and would wait for it until the
    // time-out.
    if (connectionsMax > 1) other = await pool.connect().catch(() => undefined)
    await other?.query('begin')
    await client.query(statement)
  } catch (error) {
    throw new StorageRefused(
      'the connection pooler forgets prepared statements: use PgBouncer 1.21 or later with max_prepared_statements above 0, or session mode',
      error,
    )
  } finally {
    await other?.query('rollback').catch(() => {})
    other?.release()
    client.release()
  }
}

interface Parts {
  url: string
  pool: pg.Pool
  bounds: typeof DEFAULTS & StorageOptions
  schema: string
  outage: Outage
  log: Log
}

function storage({ url, pool, bounds, schema, outage, log }: Parts): Storage {
  const planFor = keepStatements('$', planNamer())
  const listeners = keepListeners(log)
  const notices = openNotices({ url, pool, schema, bounds, listeners, outage, log })
  const connections = keepConnections(pool, bounds)
  const leaving = new Set<Promise<void>>()
  // Without a statement timeout there is no limit on the wait for an answer either.
  const silentMsMax = bounds.statementMsMax > 0 ? bounds.statementMsMax + silenceMs : Number.POSITIVE_INFINITY
  let commits = 0
  let retries = 0
  let running = 0
  let closing: Promise<void> | undefined
  let drained: (() => void) | undefined

  async function readOnce<T>(work: (db: Reader) => Promise<T>): Promise<T> {
    const session = new Session(await connections.acquire(), BEGIN_READ, planFor)
    const value = await perform(session, () => work(new PostgresReader(session)))
    // The caller has its result; the end of a read can neither change nor fail it.
    void session.leave('commit')
    return value
  }

  async function writeOnce<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const session = new Session(await connections.acquire(), BEGIN_WRITE, planFor, connections.distrust)
    const tx = new PostgresTx(session)
    const value = await perform(session, () => work(tx))
    await session.commit(Math.min(bounds.workMsMax, silentMsMax))
    commits += 1
    runAll(tx.afterwards, log)
    raise(await tx.signals.given())
    return value
  }

  // Listeners in this process need not wait for PostgreSQL to notify them. One node that sends deliveries is enough, so
  // the others are not woken for those.
  function raise(signals: ReadonlySet<SignalName>): void {
    if (signals.size === 0) return
    listeners.call(signals)
    const others = [...signals].filter((name) => name !== 'deliveries' || !listeners.has(name))
    if (others.length > 0) notices.send(new Set(others))
  }

  // A standby accepts reads, so only this shows that such an outage has ended.
  async function checkWrites(): Promise<void> {
    const startedAt = performance.now()
    const [state] = await writeOnce(
      (tx) => tx.sql<{ standby: number; readOnly: string }>`
        select pg_is_in_recovery() as "standby", current_setting('transaction_read_only') as "readOnly"`,
    )
    if (state?.standby || state?.readOnly !== 'off') {
      connections.distrust()
      throw new StorageOutage(READ_ONLY)
    }
    outage.end(startedAt)
  }

  let checkedAt = Number.NEGATIVE_INFINITY

  function noteSuccess(startedAt: number): void {
    if (!outage.isReadOnly) outage.end(startedAt)
    else if (performance.now() - checkedAt >= RECHECK_MS) {
      checkedAt = performance.now()
      checkWrites().catch(() => {})
    }
  }

  function noteFailure(error: unknown): void {
    if (error instanceof StorageOutage && !closing) outage.begin(error, { isReadOnly: error.message === READ_ONLY })
  }

  async function perform<T>(session: Session, work: () => Promise<T>): Promise<T> {
    try {
      const value = await withinPatience(work(), { workMsMax: bounds.workMsMax, silentMsMax }, session)
      // Work that swallowed the failure of a statement must not count as a success: PostgreSQL will not commit it.
      if (session.failure) throw session.failure.shown
      session.end()
      return value
    } catch (error) {
      session.end()
      const left = session.leave('rollback')
      leaving.add(left)
      void left.finally(() => leaving.delete(left))
      throw session.failure?.again ?? error
    }
  }

  async function retried<T>(attempt: () => Promise<T>): Promise<T> {
    if (closing) throw new StorageUnavailable('the storage is closed')
    running += 1
    try {
      for (let tries = 1; ; tries++) {
        const startedAt = performance.now()
        try {
          const value = await attempt()
          noteSuccess(startedAt)
          return value
        } catch (error) {
          if (!(error instanceof TryAgain)) throw error
          if (tries >= TRIES_MAX) throw gaveUp(tries, error.cause)
        }
        retries += 1
        await pause(backoffMs(tries))
      }
    } catch (error) {
      noteFailure(error)
      throw error
    } finally {
      running -= 1
      if (running === 0) drained?.()
    }
  }

  // Plans depend on table statistics, and new tables count as empty: an import would grow slower with every product,
  // and carts would be read slowly until autovacuum runs. `analyze` waits for a vacuum of these tables, and gives up if
  // that takes too long.
  async function afterBulkLoad(tables: readonly string[]): Promise<void> {
    try {
      await retried(() => writeOnce((tx) => tx.sql`analyze ${new Fragment(tables.join(', '))}`))
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
    }
  }

  async function close(): Promise<void> {
    listeners.close()
    if (running > 0) await new Promise<void>((resolve) => (drained = resolve))
    await notices.close()
    await pool.end()
  }

  return {
    engine: 'postgres',
    hasOneServer: false,
    read: (work) => retried(() => readOnce(work)),
    write: (work) => (bounds.readsOnly ? Promise.reject(new Error(READS_ONLY)) : retried(() => writeOnce(work))),
    rolledBack: async () => void (await Promise.all(leaving)),
    listen(name, onSignal) {
      const stop = listeners.add(name, onSignal)
      notices.listen()
      return stop
    },
    afterBulkLoad,
    checkWrites: () => retried(checkWrites),
    async space() {
      const [size] = await retried(() =>
        readOnce((db) => db.sql<{ bytes: number }>`select pg_database_size(current_database()) as "bytes"`),
      )
      return { bytes: size?.bytes ?? 0, freeBytes: null }
    },
    stats: () => ({
      engine: 'postgres',
      connections: { open: pool.totalCount, idle: pool.idleCount, waiting: connections.waiting() },
      writes: { commits, works: commits, queued: 0, retries },
    }),
    close() {
      closing ??= close()
      return closing
    },
  }
}

const READ_ONLY = 'the database is read-only'
const RECHECK_MS = 250

function gaveUp(tries: number, cause: unknown): StorageUnavailable {
  if (isReadOnly(cause)) return new StorageOutage(READ_ONLY, cause)
  const Kind = isLost(cause) ? StorageOutage : StorageUnavailable
  return new Kind(`gave up after ${tries} tries`, cause)
}

interface Connections {
  acquire(): Promise<pg.PoolClient>
  // Existing connections are not used again: they lead to a server that is no longer the primary.
  distrust(): void
  waiting(): number
}

function keepConnections(pool: pg.Pool, bounds: typeof DEFAULTS): Connections {
  const connectedAt = new WeakMap<pg.PoolClient, number>()
  let distrustedAt = -1
  let refusedAt = Number.NEGATIVE_INFINITY
  // The pool has one time limit for opening a connection and for waiting for one, so the waiting is done here.
  const turns = keepTurns({
    isFree: () => pool.waitingCount < pool.idleCount + pool.options.max - pool.totalCount,
    take: () => pool.connect(),
    stallMsMax: bounds.stallMsMax,
    waitMsMax: bounds.waitMsMax,
  })
  pool.on('connect', (client) => connectedAt.set(client, performance.now()))
  // The pool emits the event before it has the connection back.
  pool.on('release', () => process.nextTick(turns.pump))
  pool.on('remove', () => process.nextTick(turns.pump))

  async function connect(): Promise<pg.PoolClient> {
    const isOut = performance.now() - refusedAt < REFUSED_MS && pool.idleCount === 0
    if (isOut) throw new StorageOutage('PostgreSQL cannot be reached: the last try failed a moment ago')
    for (;;) {
      const startedAt = performance.now()
      try {
        return await turns.take()
      } catch (error) {
        if (error instanceof WaitTimeout) throw error
        // The place of a connection that could not be opened is free again.
        turns.pump()
        const now = performance.now()
        if (now - startedAt > SILENT_MS && pool.totalCount === 0) refusedAt = now
        if (!isFull(error) || pool.totalCount === 0) throw error
        // The server refuses more connections: use those that exist, and wait for one of them.
        shrink()
      }
    }
  }

  function shrink(): void {
    pool.options.max = Math.max(1, pool.totalCount)
    setTimeout(() => {
      pool.options.max = bounds.connectionsMax
    }, FEWER_MS).unref()
  }

  return {
    async acquire() {
      if (turns.waiting >= bounds.queueMax) throw new StorageUnavailable('too many pieces of work are waiting')
      try {
        for (;;) {
          const client = await connect()
          if ((connectedAt.get(client) ?? 0) >= distrustedAt) return client
          client.release(true)
        }
      } catch (error) {
        if (error instanceof StorageUnavailable) throw error
        if (error instanceof WaitTimeout || isPoolTimeout(error))
          throw new StorageUnavailable('no connection to PostgreSQL was free in time', error)
        throw new StorageOutage(`PostgreSQL cannot be reached: ${wordsOf(error)}`, error)
      }
    },
    distrust() {
      distrustedAt = performance.now()
    },
    waiting: () => turns.waiting + pool.waitingCount,
  }
}

// Too many connections: of the server, of the role, or of the database.
function isFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53300'
}

// The pool's own wait for one of its connections timed out: they are busy.
function isPoolTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}

// Random, so two transactions that met in a deadlock do not meet again in step.
function backoffMs(tries: number): number {
  return 5 * 2 ** tries * (0.5 + Math.random())
}

// Like `withinTime`, but gives up sooner on a session that receives no answers.
function withinPatience<T>(
  working: Promise<T>,
  { workMsMax, silentMsMax }: { workMsMax: number; silentMsMax: number },
  session: Session,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let isOver = false
    let timer = setTimeout(look, Math.min(workMsMax, silentMsMax))

    // After a pause of the process, an answer may have arrived that was not read yet.
    function look(): void {
      setImmediate(judge)
    }

    function judge(): void {
      if (isOver || session.unhurried) return
      const now = performance.now()
      const leftMs = workMsMax - (now - startedAt)
      if (leftMs <= 0) return void reject(new StorageUnavailable(`a piece of work took longer than ${workMsMax} ms`))
      const quietMs = silentMsMax - session.silentMs(now)
      if (quietMs <= 0) {
        session.giveUp()
        return void reject(new StorageOutage(`PostgreSQL did not answer within ${silentMsMax} ms`))
      }
      timer = setTimeout(look, Math.min(leftMs, quietMs))
    }

    working.then(resolve, reject).finally(() => {
      isOver = true
      clearTimeout(timer)
    })
  })
}

interface Plan {
  text: string
  name?: string
}

type PlanFor = (template: TemplateStringsArray, parts: readonly (SqlValue | Fragment)[]) => Plan

// One name per distinct text, the same in every process, so a pooler may mix up their connections. Beyond the bound a
// statement is parsed each time instead of filling the server's memory.
function planNamer(): (text: string) => Plan {
  const names = new Map<string, string>()
  return (text) => {
    let name = names.get(text)
    if (name === undefined && names.size < NAMES_MAX) {
      name = `cartwright_${hash('sha256', text, 'base64url').slice(0, 22)}`
      names.set(text, name)
    }
    return name === undefined ? { text } : { text, name }
  }
}

// The first error of a statement: `shown` to the caller, and `again` if a retry may help.
interface Failure {
  shown: unknown
  again: TryAgain | undefined
}

class TryAgain extends Error {}

// One transaction on one connection.
class Session {
  failure: Failure | undefined
  unhurried = false
  readonly #client: pg.PoolClient
  readonly #begin: string
  readonly #planFor: PlanFor
  readonly #onReadOnly: (() => void) | undefined
  #begun = false
  #answered = false
  #unfit = false
  #ended = false
  #isGathering = false
  #unanswered = 0
  #lastAnswerAt = 0

  constructor(client: pg.PoolClient, begin: string, planFor: PlanFor, onReadOnly?: () => void) {
    this.#client = client
    this.#begin = begin
    this.#planFor = planFor
    this.#onReadOnly = onReadOnly
  }

  async sql<Row>(template: TemplateStringsArray, parts: readonly (SqlValue | Fragment)[]): Promise<Row[]> {
    this.check()
    const { rows } = await this.#send(this.#queryOf(template, parts), parts)
    answered.publish(undefined)
    // The author of the statement declares the shape of its rows; it cannot be checked here.
    return rows as Row[]
  }

  // A statement that cannot be built has failed too: it may not be awaited, and nothing may be committed without it.
  #queryOf(template: TemplateStringsArray, parts: readonly (SqlValue | Fragment)[]): pg.QueryConfig {
    try {
      const values = valuesOf(parts)
      return { ...this.#planFor(template, parts), values }
    } catch (error) {
      this.failure ??= { shown: error, again: undefined }
      throw error
    }
  }

  async script(text: string): Promise<void> {
    this.check()
    await this.#send({ text })
  }

  check(): void {
    this.checkOpen()
    if (this.failure) throw this.failure.shown
  }

  checkOpen(): void {
    if (this.#ended) throw new Error(ENDED)
  }

  end(): void {
    this.#ended = true
  }

  // How long it has been waiting for the next answer.
  silentMs(now: number): number {
    return this.#unanswered > 0 ? now - this.#lastAnswerAt : 0
  }

  // Nothing more is sent on this connection.
  giveUp(): void {
    this.#unfit = true
  }

  // A commit whose answer is lost may have happened, so it is never retried.
  async commit(msMax: number): Promise<void> {
    if (!this.#begun) return this.#client.release()
    let result: pg.QueryResult
    try {
      result = await withinTime(this.#client.query('commit'), msMax, { unhurried: false })
    } catch (error) {
      if (!isRefusal(error)) {
        this.#destroy()
        const Kind = isLost(error) ? StorageOutage : StorageUnavailable
        throw new Kind('PostgreSQL did not answer the commit: its outcome is unknown', error)
      }
      this.#client.release()
      throw retryable(error, true) ?? unavailable(error) ?? error
    }
    if (this.#unfit) this.#destroy()
    else this.#client.release()
    // PostgreSQL answers the commit of a failed transaction with ROLLBACK: a statement failed that the work did not
    // await.
    if (result.command !== 'COMMIT')
      throw this.failure?.again ?? this.failure?.shown ?? new Error('nothing was committed')
  }

  // Ends the transaction and releases the connection. Never fails, and need not be awaited.
  async leave(last: 'commit' | 'rollback'): Promise<void> {
    if (!this.#begun) this.#client.release()
    else if (this.#unfit) this.#destroy()
    else {
      await withinTime(this.#client.query(last), LEAVE_MS_MAX, { unhurried: false }).then(
        () => this.#client.release(),
        () => this.#destroy(),
      )
    }
  }

  // What is sent on one connection in one turn of the event loop leaves in one packet.
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const stream = streamOf(this.#client)
    stream.cork()
    process.nextTick(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }

  async #send(query: pg.QueryConfig, parts: readonly (SqlValue | Fragment)[] = []): Promise<pg.QueryResult> {
    try {
      this.#gather()
      if (!this.#begun) {
        this.#begun = true
        // Not awaited: the statement is sent with it, and fails with it.
        this.#client.query(this.#begin).catch((error) => this.#fail(error))
      }
      if (this.#unanswered === 0) this.#lastAnswerAt = performance.now()
      this.#unanswered += 1
      const result = await this.#client.query(query)
      this.#noteAnswer()
      this.#answered = true
      return result
    } catch (error) {
      this.#noteAnswer()
      throw this.#fail(error, guardFailure(parts, nullColumnOf(error), error)).shown
    }
  }

  #noteAnswer(): void {
    this.#unanswered -= 1
    this.#lastAnswerAt = performance.now()
  }

  // Statements sent behind a failed one are refused only because of it, so the first error is the one to report.
  #fail(error: unknown, moved?: RowMoved): Failure {
    this.#answered ||= isRefusal(error)
    this.#unfit ||= !isRefusal(error) || isOutdated(error)
    if (this.#onReadOnly && isReadOnly(error)) return this.#failReadOnly(this.#onReadOnly, error)
    this.failure ??= { shown: moved ?? unavailable(error) ?? error, again: retryable(error, this.#answered) }
    return this.failure
  }

  // Work that may write reached a read-only server: the primary became a standby. A new connection may find the new
  // primary, and nothing was written.
  #failReadOnly(onReadOnly: () => void, error: unknown): Failure {
    onReadOnly()
    this.#unfit = true
    this.failure ??= {
      shown: new StorageOutage(READ_ONLY, error),
      again: new TryAgain('try again', { cause: error }),
    }
    return this.failure
  }

  #destroy(): void {
    cut(this.#client)
    this.#client.release(true)
  }
}

class PostgresReader implements Reader {
  readonly engine = 'postgres'
  protected readonly session: Session

  constructor(session: Session) {
    this.session = session
  }

  sql<Row>(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): Promise<Row[]> {
    const rows = this.session.sql<Row>(text, values)
    // The session stores the failure of a statement that is not awaited; an unhandled rejection would end the process.
    rows.catch(() => {})
    return rows
  }
}

// Not `for update`: that would wait for the key-share locks that foreign keys take, so two buyers who put the same SKU
// into their carts and then want its stock would deadlock.
const FOR_UPDATE = new Fragment('for no key update')
const SKIP_LOCKED = new Fragment('for no key update skip locked')

const lockTemplates = new WeakMap<TemplateStringsArray, TemplateStringsArray>()

// A template is the key of its statement, so the same template must give the same result.
function lockTemplateOf(template: TemplateStringsArray): TemplateStringsArray {
  let locking = lockTemplates.get(template)
  if (!locking) {
    const texts = [...template.slice(0, -1), `${template.at(-1)} ${FOR_UPDATE.text}`]
    locking = Object.assign(texts, { raw: texts })
    lockTemplates.set(template, locking)
  }
  return locking
}

class PostgresTx extends PostgresReader implements InsideTx {
  readonly isAlone = false
  readonly forUpdate = FOR_UPDATE
  readonly skipLocked = SKIP_LOCKED
  readonly afterwards: (() => void)[] = []
  readonly signals = new Signals()

  // `sql` stores a failure, and the commit then fails.
  send(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): void {
    void this.sql(text, ...values)
  }

  async lockRow(text: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): Promise<void> {
    await this.sql(lockTemplateOf(text), ...values)
  }

  // One parameter per column. As a list of values, a statement of a thousand parameters was planned at each call: 24
  // ms, where running it took 3 ms.
  rows(rows: readonly (readonly SqlValue[])[], types: readonly ColumnType[]): Fragment {
    const columns = types.map((type) => `cast(? as ${type}[])`).join(', ')
    const values = types.map((_, column) => arrayOf(rows.map((row) => row[column] as SqlValue)))
    return new Fragment(`select * from unnest(${columns})`, values)
  }

  forUpdateOf(alias: string): Fragment {
    return new Fragment(`${FOR_UPDATE.text} of ${alias}`)
  }

  skipLockedOf(alias: string): Fragment {
    return new Fragment(`${FOR_UPDATE.text} of ${alias} skip locked`)
  }

  afterCommit(then: () => void): void {
    this.session.check()
    this.afterwards.push(then)
  }

  signal(name: SignalName, ifAny?: Promise<readonly unknown[]>): void {
    this.session.checkOpen()
    this.signals.add(name, ifAny)
  }

  async [asMigration](): Promise<(command: string) => Promise<void>> {
    this.session.unhurried = true
    await this.session.script(`set local statement_timeout = 0; set local lock_timeout = 0;
      set local idle_in_transaction_session_timeout = 0`)
    return (command) => this.session.script(command)
  }
}

// PostgreSQL's array syntax: each element in quotation marks, with a backslash before quotation marks and backslashes.
function arrayOf(values: readonly SqlValue[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`)).join(',')}}`
}

// The server is shutting down, full or unreachable; or one of our own time limits was exceeded (lock and statement
// timeout).
const UNAVAILABLE = /^(08|53|57|58|55P03|25P03|25P04)/
const CONNECTION_LOST = /^(08|57P|53300|25P03|25P04)/
const OUTDATED = /^(0A000|26000)$/

// The server refused a statement, and the connection is still usable.
function isRefusal(error: unknown): boolean {
  if (error instanceof UnreadableValue) return true
  return error instanceof pg.DatabaseError && !CONNECTION_LOST.test(error.code ?? '')
}

function nullColumnOf(error: unknown): { table: string; column: string } | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== '23502') return undefined
  const { table, column } = error
  return table !== undefined && column !== undefined ? { table, column } : undefined
}

function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25006'
}

function unavailable(error: unknown): StorageUnavailable | undefined {
  if (isRefusal(error) && !(error instanceof pg.DatabaseError && UNAVAILABLE.test(error.code ?? ''))) return undefined
  const Kind = isLost(error) ? StorageOutage : StorageUnavailable
  return new Kind(`PostgreSQL: ${wordsOf(error)}`, error)
}

// The connection is gone, and not because we were too slow on it.
function isLost(error: unknown): boolean {
  if (error instanceof StorageUnavailable || isRefusal(error)) return false
  return !(error instanceof pg.DatabaseError && /^25P0/.test(error.code ?? ''))
}

// A migration changed what a prepared statement returns, or a proxy forgot it. A new connection prepares it again.
function isOutdated(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || !OUTDATED.test(error.code ?? '')) return false
  return error.code === '26000' || error.message.includes('cached plan')
}

// Nothing was committed, and the same work may succeed: it lost a race, its plan was outdated, or its connection turned
// out to be dead before any answer, as all idle ones are after a restart of the database. A lock timeout is not
// retried: it has already waited five seconds.
function retryable(error: unknown, answered: boolean): TryAgain | undefined {
  const isRace = error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')
  const isDead = !answered && !isRefusal(error)
  return isRace || isDead || isOutdated(error) ? new TryAgain('try again', { cause: error }) : undefined
}

class UnreadableValue extends Error {}

// As SQLite returns them: integers as numbers, also from `sum()`, which is numeric here, and booleans as 1 or 0.
const PARSERS = new Map<number, (text: string) => unknown>([
  [16, (text) => (text === 't' ? 1 : 0)],
  [20, integer],
  [21, Number],
  [23, Number],
  [26, Number],
  [700, Number],
  [701, Number],
  [1700, integer],
])

function parserOf(oid: number): (text: string) => unknown {
  return PARSERS.get(oid) ?? String
}

function integer(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new UnreadableValue(`${text} is not a safe integer`)
  return value
}
