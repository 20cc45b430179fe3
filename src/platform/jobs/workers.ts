// The loops of this process. Each loop works in turns with pauses, and can be drained. If a turn fails, the error is logged and counted,
// and the loop continues.

import { setImmediate as breathe } from 'node:timers/promises'
import { endTurn, pauseWork, resumeWork, runWork } from '../kit/work.ts'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { StorageOutage, StorageUnavailable } from '../storage/storage.ts'
import { ClockJumped } from './clock.ts'
import type { LoopName } from './names.ts'
import { rowLogger } from './report.ts'
import { type RowFailure, RowsFailed } from './rows.ts'

export interface Loop {
  name: LoopName
  everyMs: number
  // Runs one turn. Work of many rounds calls `isEnding` between them. Returns whether there is more to do, so the next turn starts soon.
  work: (isEnding: () => boolean) => Promise<boolean>
}

export interface Workers {
  // Starts the next turn of the loop immediately, or shortly after the turn in progress.
  wake(name: LoopName): void
  // Starts no further turns, and waits for the turns in progress.
  drain(): Promise<void>
  stats(): Readonly<Record<string, LoopStats>>
}

export interface LoopStats {
  // Epoch milliseconds, or null before the first success. A turn with failed rows counts as a success, since all other rows were handled.
  lastSuccessAt: number | null
  // The instant since which every turn has left work to do, or null if the last turn left none or failed. Undefined if a loop has no
  // turns.
  behindSince?: number | null
  failures: number
  rowFailures: number
}

// The first turn starts soon, so even a server that is restarted again and again does its work.
export function startWorkers(loops: readonly Loop[], log: Log, { firstMs = 2_000 } = {}): Workers {
  const running = loops.map((loop) => ({ name: loop.name, ...startLoop(loop, log, firstMs) }))
  return {
    wake: (name) => running.find((loop) => loop.name === name)?.wake(),
    drain: async () => void (await Promise.all(running.map(({ stop }) => stop()))),
    stats: () => Object.fromEntries(running.map(({ name, stats }) => [name, stats])),
  }
}

function startLoop(
  { name, everyMs, work }: Loop,
  log: Log,
  firstMs: number,
): { wake: () => void; stop: () => Promise<void>; stats: LoopStats } {
  const stats: LoopStats = { lastSuccessAt: null, behindSince: null, failures: 0, rowFailures: 0 }
  const logRow = rowLogger(name, log)
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  // Whether the loop is paused because the clock jumped. This is logged once.
  let isPaused = false
  let isTurning = false
  let isWoken = false
  let round: Promise<void> = Promise.resolve()

  function rest(ms: number): void {
    if (stopped) return
    timer = setTimeout(begin, ms)
    timer.unref()
  }

  function begin(): void {
    isTurning = true
    isWoken = false
    round = turn().then((isMore) => {
      stats.behindSince = isMore ? (stats.behindSince ?? Date.now()) : null
      endTurn()
      isTurning = false
      rest(isMore || isWoken ? Math.min(briefMs, everyMs) : everyMs)
    })
  }

  async function turn(): Promise<boolean> {
    try {
      const isMore = await runWork({ name }, () => work(() => stopped))
      stats.lastSuccessAt = Date.now()
      isPaused = false
      return isMore
    } catch (error) {
      if (error instanceof RowsFailed) {
        stats.lastSuccessAt = Date.now()
        stats.rowFailures += error.failures.length
        for (const failure of error.failures) logRow(failure)
        return error.isMore
      }
      stats.failures += 1
      if (error instanceof ClockJumped) {
        if (!isPaused) log.error('sweep paused because the clock jumped', error, { loop: name })
        isPaused = true
        return false
      }
      // An outage is temporary, and the storage has logged it once for all loops.
      if (error instanceof StorageOutage) log.debug('storage unavailable', { loop: name, reason: error.message })
      else if (error instanceof StorageUnavailable)
        log.warn('storage unavailable', { loop: name, reason: error.message })
      else log.error('background loop failed; retrying', error, { loop: name })
      return false
    }
  }

  rest(Math.min(firstMs, everyMs))
  return {
    stats,
    wake() {
      isWoken = true
      if (isTurning || stopped) return
      clearTimeout(timer)
      begin()
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await round
    },
  }
}

// Pause after a turn that left work to do.
const briefMs = 20

// Repeats rounds until one is not full, the time of the turn is up, or the loop ends. Other work can run between the rounds. Returns
// whether there is more to do. Failed rows are deferred, so the next round skips them, and are reported at the end.
export async function catchUp(
  full: number,
  isEnding: () => boolean,
  round: () => Promise<number>,
  turnMs = turnMsMax,
): Promise<boolean> {
  const failures: RowFailure[] = []
  const deadline = performance.now() + turnMs
  let isMore = true
  while (isMore && !isEnding()) {
    const rows = await round().catch((error: unknown) => {
      if (!(error instanceof RowsFailed)) throw error
      failures.push(...error.failures)
      return error.rows
    })
    isMore = rows >= full
    if (performance.now() >= deadline) break
    pauseWork()
    await breathe()
    resumeWork()
  }
  if (failures.length > 0) throw new RowsFailed(failures, 0, isMore)
  return isMore
}

const turnMsMax = 5_000

export interface CatchUpPart {
  // Maximum number of rows per round.
  full: number
  round: () => Promise<number>
}

// Runs the parts one after the other, each like `catchUp`. If a part fails, the others still run.
export async function catchUpAll(parts: readonly CatchUpPart[], isEnding: () => boolean): Promise<boolean> {
  const failures: RowFailure[] = []
  const errors: unknown[] = []
  let isMore = false
  for (const { full, round } of parts) {
    try {
      isMore = (await catchUp(full, isEnding, round)) || isMore
    } catch (error) {
      if (error instanceof RowsFailed) {
        failures.push(...error.failures)
        isMore ||= error.isMore
      } else errors.push(error)
    }
  }
  if (errors.length === 1 && failures.length === 0) throw errors[0]
  const outage = errors.find((error) => error instanceof StorageOutage)
  if (outage && failures.length === 0) throw outage
  if (errors.length > 0)
    throw new AggregateError([...errors, ...failures.map(({ error }) => error)], 'parts of a background loop failed')
  if (failures.length > 0) throw new RowsFailed(failures, 0, isMore)
  return isMore
}

export function registerLoopMetrics(
  metrics: Metrics,
  loops: () => Readonly<Record<string, LoopStats>>,
  deferred: () => ReadonlyMap<LoopName, number>,
): void {
  const byLoop = (pick: (stats: LoopStats) => number | null) =>
    Object.entries(loops()).flatMap(([loop, stats]) => {
      const value = pick(stats)
      return value === null ? [] : [{ labels: { loop }, value }]
    })
  metrics.read({
    name: 'cartwright_loop_last_success_timestamp_seconds',
    help: 'When a loop last completed a turn, even if single rows failed.',
    type: 'gauge',
    values: () => byLoop(({ lastSuccessAt }) => lastSuccessAt && lastSuccessAt / 1_000),
  })
  metrics.read({
    name: 'cartwright_loop_behind_seconds',
    help: 'For how long every turn of a loop has left work to do; 0 if the loop has caught up.',
    type: 'gauge',
    values: () =>
      byLoop(({ behindSince = null }) => (behindSince === null ? 0 : Math.max(0, Date.now() - behindSince) / 1_000)),
  })
  metrics.read({
    name: 'cartwright_loop_failures_total',
    help: 'Turns of a loop that failed as a whole.',
    type: 'counter',
    values: () => byLoop(({ failures }) => failures),
  })
  metrics.read({
    name: 'cartwright_loop_row_failures_total',
    help: 'Rows that a loop could not handle.',
    type: 'counter',
    values: () => byLoop(({ rowFailures }) => rowFailures),
  })
  metrics.read({
    name: 'cartwright_loop_rows_deferred',
    help: 'Rows that failed and are deferred, on all nodes.',
    type: 'gauge',
    values: () => [...deferred()].map(([loop, value]) => ({ labels: { loop }, value })),
  })
}
