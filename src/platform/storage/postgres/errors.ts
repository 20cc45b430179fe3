// Classifies errors of PostgreSQL: whether the server refused a statement or the connection is lost, and whether a retry may succeed.

import pg from 'pg'
import { errorMessageOf } from '../inside.ts'
import { StorageOutage, StorageUnavailable } from '../storage.ts'
import { UnreadableValue } from './values.ts'

export class RetryableError extends Error {}

export const READ_ONLY = 'the database is read-only'

// Error codes of a server that is shutting down, full or unreachable, and of exceeded time limits (lock and statement time-outs).
const UNAVAILABLE = /^(08|53|57|58|55P03|25P03|25P04)/
const CONNECTION_LOST = /^(08|57P|53300|25P03|25P04)/
const OUTDATED = /^(0A000|26000)$/

// Returns whether the server refused a statement and the connection is still usable.
export function isRefusal(error: unknown): boolean {
  if (error instanceof UnreadableValue) return true
  return error instanceof pg.DatabaseError && !CONNECTION_LOST.test(error.code ?? '')
}

export function nullColumnOf(error: unknown): { table: string; column: string } | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== '23502') return undefined
  const { table, column } = error
  return table !== undefined && column !== undefined ? { table, column } : undefined
}

export function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25006'
}

export function asUnavailable(error: unknown): StorageUnavailable | undefined {
  if (isRefusal(error) && !(error instanceof pg.DatabaseError && UNAVAILABLE.test(error.code ?? ''))) return undefined
  const Kind = isLost(error) ? StorageOutage : StorageUnavailable
  return new Kind(`PostgreSQL: ${errorMessageOf(error)}`, error)
}

// Returns whether the connection to the server is lost. False if the server has ended it because this process was too slow.
export function isLost(error: unknown): boolean {
  if (error instanceof StorageUnavailable || isRefusal(error)) return false
  return !(error instanceof pg.DatabaseError && /^25P0/.test(error.code ?? ''))
}

// Returns whether a prepared statement is outdated: a migration changed its result, or a proxy forgot it. A new connection prepares it
// again.
export function isOutdated(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || !OUTDATED.test(error.code ?? '')) return false
  return error.code === '26000' || error.message.includes('cached plan')
}

// Returns an error if a retry of the same work may succeed, otherwise undefined. Nothing was committed: the work lost a race, its plan
// was outdated, or its connection was dead before the first response, like all idle connections after a restart of the database. A lock
// time-out is not retried, since the work has already waited five seconds.
export function asRetryable(error: unknown, answered: boolean): RetryableError | undefined {
  const isRace = error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')
  const isDead = !answered && !isRefusal(error)
  return isRace || isDead || isOutdated(error)
    ? new RetryableError('the transaction must be tried again', { cause: error })
    : undefined
}

export function gaveUpError(tries: number, cause: unknown): StorageUnavailable {
  if (isReadOnly(cause)) return new StorageOutage(READ_ONLY, cause)
  const Kind = isLost(cause) ? StorageOutage : StorageUnavailable
  return new Kind(`gave up after ${tries} tries`, cause)
}

// Returns whether the server, the role or the database has too many connections.
export function isFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53300'
}

// Returns whether the pool timed out waiting for a connection because all of them are busy.
export function isPoolTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}
