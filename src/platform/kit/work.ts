// Tracks which piece of work uses the event loop: a request, a page or a loop, by name. Only one piece runs at a time, so there is one
// state per process. A mark is set when work begins or continues, and when it starts to wait or ends. The time between two marks is
// attributed to the work that ran in between.

import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'

export interface NamedWork {
  name: string
}

export interface LoopStall {
  work: string
  ms: number
}

// Longer than a computation should take before other work gets its turn.
export const stallMsMin = 100
// Name for time that belongs to no known work: commits of the database, callbacks without a mark, and time in which the process was not
// scheduled.
export const otherWork = 'other'

const current = new AsyncLocalStorage<NamedWork>()
const listeners = new Set<(stall: LoopStall) => void>()
let clock = () => performance.now()
let running: NamedWork | undefined
let since = clock()

export function runWork<Result>(work: NamedWork, run: () => Result): Result {
  mark(running, work)
  return current.run(work, run)
}

// Called when waiting work continues.
export function resumeWork(work = current.getStore()): void {
  mark(running, work)
}

// Called when work starts to wait, or has ended.
export function pauseWork(work = current.getStore()): void {
  mark(work, undefined)
}

// Ends the work that is running, if any.
export function endTurn(): void {
  mark(running, undefined)
}

// For routes with several pages, whose name is only known after the request was read.
export function renameWork(name: string): void {
  const work = current.getStore()
  if (work) work.name = name
}

function mark(owner: NamedWork | undefined, next: NamedWork | undefined): void {
  const now = clock()
  const ms = now - since
  since = now
  running = next
  if (ms >= stallMsMin) for (const listener of listeners) listener({ work: owner?.name ?? otherWork, ms })
}

// Returns a function that is tracked as the work that called asOwnWork, wherever it runs: SQLite runs the transactions of many requests
// in one callback.
export function asOwnWork<Args extends unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const work = current.getStore()
  if (!work) return run
  return (...args) =>
    runWork(work, async () => {
      try {
        return await run(...args)
      } finally {
        pauseWork(work)
      }
    })
}

export function listenForStalls(listener: (stall: LoopStall) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

// Replaces the clock and returns the previous one. Tests replace it by the CPU time of the thread.
export function setWorkClock(other: () => number): () => number {
  const before = clock
  clock = other
  since = clock()
  return before
}

// Published when a database response arrives, in the async context of the work that sent the statement.
subscribe('cartwright.storage.answered', () => resumeWork())
