// Which piece of work holds the event loop: a request, a page or a loop, by name. The loop does one thing at a time, so this is the
// state of the process. A mark costs a look at the clock: one where a piece of work begins or goes on, one where it begins to wait or
// ends. What lies between two marks is the time of the one that ran there.

import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'

export interface Work {
  name: string
}

export interface Stall {
  work: string
  ms: number
}

// Longer than anything should compute before others get a turn.
export const stallMsMin = 100
// What no piece of work is known to have done: the database's own commit, an unmarked callback, a process that was not scheduled.
export const otherWork = 'other'

const current = new AsyncLocalStorage<Work>()
const listeners = new Set<(stall: Stall) => void>()
let clock = () => performance.now()
let running: Work | undefined
let since = clock()

export function runWork<Result>(work: Work, run: () => Result): Result {
  mark(running, work)
  return current.run(work, run)
}

// Work that waited goes on.
export function resumeWork(work = current.getStore()): void {
  mark(running, work)
}

// Work is about to wait, or has ended.
export function pauseWork(work = current.getStore()): void {
  mark(work, undefined)
}

// What ran does not run any longer, whatever it was.
export function endTurn(): void {
  mark(running, undefined)
}

// For pages that find out later which of several they are.
export function renameWork(name: string): void {
  const work = current.getStore()
  if (work) work.name = name
}

function mark(owner: Work | undefined, next: Work | undefined): void {
  const now = clock()
  const ms = now - since
  since = now
  running = next
  if (ms >= stallMsMin) for (const listener of listeners) listener({ work: owner?.name ?? otherWork, ms })
}

// Runs as the work that asked for it, wherever it is called from: SQLite runs the transactions of many requests in one callback.
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

export function onStall(listener: (stall: Stall) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

// Tests count the CPU of the thread instead. Answers the clock before.
export function setWorkClock(other: () => number): () => number {
  const before = clock
  clock = other
  since = clock()
  return before
}

// Published where an answer of the database arrives, in the name of the work that asked.
subscribe('cartwright.storage.answered', () => resumeWork())
