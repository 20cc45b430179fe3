// A transaction on a connection of the pool.

import { hash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import type pg from 'pg'
import { guardFailure, type RowMoved } from '../guard.ts'
import { ENDED, withinTime } from '../inside.ts'
import { parameterValues } from '../statement.ts'
import { type Fragment, type SqlValue, StorageOutage, StorageUnavailable } from '../storage.ts'
import {
  asRetryable,
  asUnavailable,
  isLost,
  isOutdated,
  isReadOnly,
  isRefusal,
  nullColumnOf,
  READ_ONLY,
  RetryableError,
} from './errors.ts'
import { destroyConnection, socketOf } from './notices.ts'

const LEAVE_MS_MAX = 5_000
const NAMES_MAX = 2_000

// Diagnostics channel: published when a database response has arrived and the work that awaits it continues.
const answered = channel('cartwright.storage.answered')
// Diagnostics channel: publishes 1 when a database response is awaited, and -1 afterwards. Long computations give way to requests that
// await one.
const awaited = channel('cartwright.storage.awaited')

async function awaitAnswer<Answer>(answer: Promise<Answer>): Promise<Answer> {
  awaited.publish(1)
  try {
    return await answer
  } finally {
    awaited.publish(-1)
  }
}

// Like `withinTime`, but gives up sooner if the session receives no responses.
export function withinPatience<T>(
  working: Promise<T>,
  { workMsMax, silentMsMax }: { workMsMax: number; silentMsMax: number },
  session: Session,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let isOver = false
    let timer = setTimeout(look, Math.min(workMsMax, silentMsMax))

    // After a pause of the process, a response may have arrived that is not read yet.
    function look(): void {
      setImmediate(judge)
    }

    function judge(): void {
      if (isOver || session.unhurried) return
      const now = performance.now()
      const leftMs = workMsMax - (now - startedAt)
      if (leftMs <= 0) return void reject(new StorageUnavailable(`a read or write took longer than ${workMsMax} ms`))
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

export type PlanFor = (template: TemplateStringsArray, parts: readonly (SqlValue | Fragment)[]) => Plan

// Names prepared statements: one name per distinct text, the same in every process, so a pooler may mix the connections of several
// processes. Beyond `NAMES_MAX`, a statement has no name and is parsed each time, so the server's memory does not fill up.
export function planNamer(): (text: string) => Plan {
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

// The first failed statement: `shown` is the error for the caller, and `again` is set if a retry may succeed.
interface Failure {
  shown: unknown
  again: RetryableError | undefined
}

export class Session {
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
    // The cast cannot be checked here: the author of the statement declares the type of its rows.
    return rows as Row[]
  }

  // A statement that cannot be built counts as failed: the work may ignore the error, and without the statement nothing may be committed.
  #queryOf(template: TemplateStringsArray, parts: readonly (SqlValue | Fragment)[]): pg.QueryConfig {
    try {
      const values = parameterValues(parts)
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

  // Returns how long the session has been waiting for a response.
  silentMs(now: number): number {
    return this.#unanswered > 0 ? now - this.#lastAnswerAt : 0
  }

  // Marks the connection as unusable, so it is closed.
  giveUp(): void {
    this.#unfit = true
  }

  // If the response to a commit is lost, the commit may have succeeded, so it is never retried.
  async commit(msMax: number): Promise<void> {
    if (!this.#begun) return this.#client.release()
    let result: pg.QueryResult
    try {
      result = await withinTime(awaitAnswer(this.#client.query('commit')), msMax, { unhurried: false })
    } catch (error) {
      if (!isRefusal(error)) {
        this.#destroy()
        const Kind = isLost(error) ? StorageOutage : StorageUnavailable
        throw new Kind('PostgreSQL did not answer the commit: its outcome is unknown', error)
      }
      this.#client.release()
      throw asRetryable(error, true) ?? asUnavailable(error) ?? error
    }
    if (this.#unfit) this.#destroy()
    else this.#client.release()
    // PostgreSQL responds to `commit` with ROLLBACK if a statement failed that the work did not await.
    if (result.command !== 'COMMIT')
      throw this.failure?.again ?? this.failure?.shown ?? new Error('the transaction was not committed')
  }

  // Ends the transaction and releases the connection. Never rejects, and need not be awaited.
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

  // Sends the statements of one turn of the event loop in one packet.
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const stream = socketOf(this.#client)
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
        // Not awaited: the first statement is sent together with `begin`, and fails if `begin` fails.
        this.#client.query(this.#begin).catch((error) => this.#fail(error))
      }
      if (this.#unanswered === 0) this.#lastAnswerAt = performance.now()
      this.#unanswered += 1
      const result = await awaitAnswer(this.#client.query(query))
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

  // After a failed statement, all later ones are refused, so the first error is the one to report.
  #fail(error: unknown, moved?: RowMoved): Failure {
    this.#answered ||= isRefusal(error)
    this.#unfit ||= !isRefusal(error) || isOutdated(error)
    if (this.#onReadOnly && isReadOnly(error)) return this.#failReadOnly(this.#onReadOnly, error)
    this.failure ??= { shown: moved ?? asUnavailable(error) ?? error, again: asRetryable(error, this.#answered) }
    return this.failure
  }

  // Work that may write reached a read-only server: the primary has become a standby. Nothing was written, and a new connection may find
  // the new primary.
  #failReadOnly(onReadOnly: () => void, error: unknown): Failure {
    onReadOnly()
    this.#unfit = true
    this.failure ??= {
      shown: new StorageOutage(READ_ONLY, error),
      again: new RetryableError('the transaction must be tried again', { cause: error }),
    }
    return this.failure
  }

  #destroy(): void {
    destroyConnection(this.#client)
    this.#client.release(true)
  }
}
