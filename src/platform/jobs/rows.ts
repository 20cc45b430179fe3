// A failing row does not stop a loop: every other row of the round is handled, and the failing one is deferred, for
// longer each time. The statement that selects due rows skips deferred ones (`isNotDeferred`).

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

// Thrown at the end of a round, after everything that could be handled was. Its failed rows are already deferred.
export class RowsFailed extends AggregateError {
  readonly failures: readonly RowFailure[]
  // Number of rows that were handled or failed: after a full round more are waiting, even if rows failed.
  readonly rows: number
  // Whether a turn of several rounds ended before it had caught up.
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

// Each row is handled alone: `work` is one transaction and returns how many rows it handled, one or none.
export async function handleEach<Row>(
  round: LoopRound,
  rows: readonly Row[],
  keyOf: (row: Row) => RowKey,
  work: (row: Row) => Promise<number>,
): Promise<number> {
  const groups = rows.map((row): [Row] => [row])
  return handleRows(round, groups, keyOf, async ([row]) => (row === undefined ? 0 : work(row)))
}

// Each group is handled by one call of `work`, which is one transaction and returns how many rows it handled. If it
// fails, the group is divided until the failing row is found.
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
  // All workers finish their groups before a failure is thrown.
  const ends = await Promise.allSettled(Array.from({ length: round.atOnce ?? 1 }, handleQueue))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  if (failures.length > 0) throw new RowsFailed(failures, handled)
  return handled
}

// One statement claims many rows, because nodes share the work. If it fails, each row is claimed alone, and a row that cannot be claimed
// is deferred.
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

// Runs a round in one step: due rows are claimed, and each is handled alone. Returns the number of handled rows.
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

// For a round of several steps: rows that failed in one step do not prevent the next step. Returns the number of rows in the step,
// including failed ones.
export async function collectFailures(failures: RowFailure[], step: Promise<number>): Promise<number> {
  try {
    return await step
  } catch (error) {
    if (!(error instanceof RowsFailed)) throw error
    failures.push(...error.failures)
    return error.rows
  }
}

// Defers the row. A row that stays locked, or takes too long, looks like an unavailable storage: if the failure can be
// written, the row was the cause. If it cannot, the storage is unavailable, and the round fails.
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

// A row that was due an hour ago and has not failed again was handled. Returns how many rows of each loop are deferred.
export async function sweepDeferred(storage: Storage, now: number): Promise<Map<LoopName, number>> {
  const before = now - handledMs
  const counts = await storage.read((db) => countDeferred(db, { now, before }))
  if (counts.some(({ handled }) => handled > 0)) await storage.write((tx) => deleteHandled(tx, before))
  return new Map(counts.filter(({ rows }) => rows > 0).map(({ loop, rows }) => [loop, rows]))
}
