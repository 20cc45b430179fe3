// A failing row does not stop a loop: all other rows of the round are handled, and the failing row is deferred, each time for longer. The
// query for due rows skips deferred rows (`isNotDeferred`).

import { type Storage, StorageRefused } from '../storage/storage.ts'
import type { LoopName } from './names.ts'
import { countDeferred, type DeferredRow, deferRow, deleteHandled, type RowKey } from './store.ts'

export interface LoopRound {
  storage: Storage
  loop: LoopName
  now: number
  // Number of groups that are handled concurrently (default: 1).
  atOnce?: number
}

export interface RowFailure extends DeferredRow {
  error: unknown
}

// Thrown at the end of a round in which rows failed. All other rows were handled, and the failed rows are deferred.
export class RowsFailed extends AggregateError {
  readonly failures: readonly RowFailure[]
  // Number of rows handled or failed. If it equals the maximum of the round, more rows may be due.
  readonly rows: number
  // Whether a turn of several rounds ended before all due rows were handled.
  readonly isMore: boolean

  constructor(failures: readonly RowFailure[], handled: number, isMore = false) {
    super(
      failures.map(({ error }) => error),
      `${failures.length} rows could not be handled`,
    )
    this.name = 'RowsFailed'
    this.failures = failures
    this.rows = handled + failures.length
    this.isMore = isMore
  }
}

// Handles each row by itself: `work` is one transaction and returns the number of handled rows, 0 or 1.
export async function handleEach<Row>(
  round: LoopRound,
  rows: readonly Row[],
  keyOf: (row: Row) => RowKey,
  work: (row: Row) => Promise<number>,
): Promise<number> {
  const groups = rows.map((row): [Row] => [row])
  return handleRows(round, groups, keyOf, async ([row]) => (row === undefined ? 0 : work(row)))
}

// Handles each group by one call of `work`, which is one transaction and returns the number of handled rows. If a group fails, it is
// divided until the failing row is found.
export async function handleRows<Row>(
  round: LoopRound,
  groups: Iterable<readonly Row[]>,
  keyOf: (row: Row) => RowKey,
  work: (rows: readonly Row[]) => Promise<number>,
): Promise<number> {
  const failures: RowFailure[] = []

  async function handle(rows: readonly Row[]): Promise<number> {
    const [first] = rows
    if (first === undefined) return 0
    try {
      return await work(rows)
    } catch (error) {
      if (rows.length === 1) {
        failures.push(await deferFailedRow(round, keyOf(first), error))
        return 0
      }
      await round.storage.rolledBack()
      const middle = Math.ceil(rows.length / 2)
      return (await handle(rows.slice(0, middle))) + (await handle(rows.slice(middle)))
    }
  }

  let handled = 0
  const queue = groups[Symbol.iterator]()
  async function handleQueue(): Promise<void> {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      const rows = await handle(next.value)
      handled += rows
    }
  }
  // All workers finish their groups before an error is thrown.
  const ends = await Promise.allSettled(Array.from({ length: round.atOnce ?? 1 }, handleQueue))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  if (failures.length > 0) throw new RowsFailed(failures, handled)
  return handled
}

// Claims many rows by one statement, so nodes share the work. If the statement fails, each row is claimed by itself, and a row that
// cannot be claimed is deferred.
export async function claimRows<Row>(
  round: LoopRound,
  failures: RowFailure[],
  claim: (only: RowKey | null) => Promise<Row[]>,
  listDue: () => Promise<RowKey[]>,
): Promise<Row[]> {
  try {
    return await claim(null)
  } catch (error) {
    if (error instanceof StorageRefused) throw error
  }
  await round.storage.rolledBack()
  const due = await listDue()
  const claimed: Row[] = []
  const claimOne = async (key: RowKey) => claimed.push(...(await claim(key)))
  await collectFailures(
    failures,
    handleEach(round, due, (key) => key, claimOne),
  )
  return claimed
}

export interface RowClaims<Row> {
  claim(only: RowKey | null): Promise<Row[]>
  listDue(): Promise<RowKey[]>
}

// Runs a whole round: claims due rows, and handles each by itself. Returns the number of handled rows.
export async function handleClaimed<Row>(
  round: LoopRound,
  { claim, listDue }: RowClaims<Row>,
  keyOf: (row: Row) => RowKey,
  work: (row: Row) => Promise<number>,
): Promise<number> {
  const failures: RowFailure[] = []
  const claimed = await claimRows(round, failures, claim, listDue)
  const unclaimed = failures.length
  const rows = await collectFailures(failures, handleEach(round, claimed, keyOf, work))
  const handled = rows + unclaimed - failures.length
  if (failures.length > 0) throw new RowsFailed(failures, handled)
  return handled
}

// Collects the failed rows of one step of a round, so the next step can run. Returns the number of rows in the step, including failed
// ones.
export async function collectFailures(failures: RowFailure[], step: Promise<number>): Promise<number> {
  try {
    return await step
  } catch (error) {
    if (!(error instanceof RowsFailed)) throw error
    failures.push(...error.failures)
    return error.rows
  }
}

// Defers the row. A row that stays locked or takes too long causes the same errors as an unavailable storage. If the failure can be
// written, the row was the cause; otherwise the storage is unavailable, and the round fails.
export async function deferFailedRow(
  { storage, loop, now }: LoopRound,
  key: RowKey,
  error: unknown,
): Promise<RowFailure> {
  if (error instanceof StorageRefused) throw error
  const row = await storage.write((tx) => deferRow(tx, loop, key, { errorCode: errorCodeOf(error), now }))
  return { ...row, error }
}

function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return code.slice(0, 64)
}

const handledMs = 3_600_000

// Deletes the failures of rows that were due for a retry an hour ago and have not failed again. Returns the number of deferred rows per
// loop.
export async function sweepDeferred(storage: Storage, now: number): Promise<Map<LoopName, number>> {
  const before = now - handledMs
  const counts = await storage.read((db) => countDeferred(db, { now, before }))
  if (counts.some(({ handled }) => handled > 0)) await storage.write((tx) => deleteHandled(tx, before))
  return new Map(counts.filter(({ rows }) => rows > 0).map(({ loop, rows }) => [loop, rows]))
}
