// Interrupts a long computation every 3 ms, so the event loop can handle what has arrived meanwhile.

import { createEventLoopTurns } from './slices.ts'
import type { EventLoopTurns } from './turns.ts'
import { pauseWork, resumeWork } from './work.ts'

// About as long as a request takes.
export const sliceMs = 3
// All computations share one queue, so even ten concurrent computations block the event loop for only one slice at a time.
const allTurns = createEventLoopTurns()

// Created once per computation, which calls `if (breath.isDue()) await breath.take()` often.
export interface SlicePauses {
  isDue(): boolean
  take(): Promise<void>
}

export function createSlicePauses(
  clock: () => number = () => performance.now(),
  turns: EventLoopTurns = allTurns,
): SlicePauses {
  let dueAt = clock() + sliceMs
  return {
    isDue: () => clock() >= dueAt,
    async take() {
      pauseWork()
      await turns.take()
      resumeWork()
      dueAt = clock() + sliceMs
    },
  }
}

// Runs a computation that yields after each small step, with interruptions.
export async function runSteps<Result>(breath: SlicePauses, steps: Iterator<void, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (breath.isDue()) await breath.take()
  }
}

// Runs such a computation without interruptions, if it is known to be short.
export function runToEnd<Result>(steps: Iterator<void, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

// Yields items with interruptions. For items that are available without waiting, such as the lines of a text in memory.
export async function* inSlices<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<Item, void, undefined> {
  const breath = createSlicePauses()
  for await (const item of items) {
    yield item
    if (breath.isDue()) await breath.take()
  }
}
