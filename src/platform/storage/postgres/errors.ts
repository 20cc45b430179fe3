// Classifies errors of PostgreSQL: whether the server refused a statement or the connection is lost, and whether a retry may succeed.

import pg from 'pg'
import { errorMessageOf } from '../inside.ts'
import { StorageOutage, StorageUnavailable } from '../storage.ts'
import { UnreadableValue } from './values.ts'

export class RetryableError extends Error {}

export const READ_ONLY = 'the database is read-only'

// Codes of errors if the server is shutting down, full or unreachable, or if a time limit of this process was exceeded (lock and
// statement timeout).
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

// The connection is lost, and not because this process was too slow.
export function isLost(error: unknown): boolean {
  if (error instanceof StorageUnavailable || isRefusal(error)) return false
  return !(error instanceof pg.DatabaseError && /^25P0/.test(error.code ?? ''))
}

// Returns true if a migration changed what a prepared statement returns, or a proxy forgot the statement. A new connection prepares it
// again.
export function isOutdated(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || !OUTDATED.test(error.code ?? '')) return false
  return error.code === '26000' || error.message.includes('cached plan')
}

// Returns an error if the same work may succeed when it is retried, otherwise undefined. Nothing was committed: the work lost a race, its
// plan was outdated, or its connection turned out to be dead before any answer, as all idle ones are after a restart of the database. A
// lock timeout is not retried, since it has already waited five seconds.
export function asRetryable(error: unknown, answered: boolean): RetryableError | undefined {
  const isRace = error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')
  const isDead = !answered && !isRefusal(error)
  return isRace || isDead || isOutdated(error) ? new RetryableError('try again', { cause: error }) : undefined
}

export function gaveUpError(tries: number, cause: unknown): StorageUnavailable {
  if (isReadOnly(cause)) return new StorageOutage(READ_ONLY, cause)
  const Kind = isLost(cause) ? StorageOutage : StorageUnavailable
  return new Kind(`gave up after ${tries} tries`, cause)
}

// Returns whether there are too many connections: of the server, of the role, or of the database.
export function isFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53300'
}

// Returns whether the pool's own wait for a connection timed out because all are busy.
export function isPoolTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}
