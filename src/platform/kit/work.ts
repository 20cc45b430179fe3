// Tracks which piece of work holds the event loop: a request, a page or a loop, by name. The loop does one thing at a time, so this is
// state of the process. A mark reads the clock: one when a piece of work begins or continues, one when it begins to wait or ends. The
// time between two marks counts for the work that ran then.

import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'

export interface NamedWork {
  name: string
}

export interface LoopStall {
  work: string
  ms: number
}

// Longer than any computation should take before other work gets a turn.
export const stallMsMin = 100
// Time that belongs to no known work: the database's own commit, an unmarked callback, a process that was not scheduled.
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

// Called when work that waited continues.
export function resumeWork(work = current.getStore()): void {
  mark(running, work)
}

// Called when work is about to wait, or has ended.
export function pauseWork(work = current.getStore()): void {
  mark(work, undefined)
}

// Ends whatever work is running.
export function endTurn(): void {
  mark(running, undefined)
}

// For pages that learn later which of several pages they are.
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

// Runs as the work that called it, wherever it is executed: SQLite runs the transactions of many requests in one callback.
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

// Replaces the clock and returns the previous one. Tests count the CPU time of the thread instead.
export function setWorkClock(other: () => number): () => number {
  const before = clock
  clock = other
  since = clock()
  return before
}

// Published when an answer of the database arrives, in the context of the work that sent the query.
subscribe('cartwright.storage.answered', () => resumeWork())
