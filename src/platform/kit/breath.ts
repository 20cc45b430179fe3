// Interrupts a long computation: after 3 ms of it, the event loop answers what has arrived meanwhile.

import { createEventLoopTurns } from './slices.ts'
import type { EventLoopTurns } from './turns.ts'
import { pauseWork, resumeWork } from './work.ts'

// About the time of a request.
export const sliceMs = 3
// All computations share the turns, so ten concurrent ones also hold the event loop for one slice at a time.
const allTurns = createEventLoopTurns()

// One per computation, which checks often: `if (breath.isDue()) await breath.take()`.
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

// Runs work that yields after each small step, with interruptions.
export async function runSteps<Result>(breath: SlicePauses, steps: Iterator<void, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (breath.isDue()) await breath.take()
  }
}

// Runs the same kind of work without interruptions, if it is short.
export function runToEnd<Result>(steps: Iterator<void, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

// Yields items with interruptions, for items that are available without waiting, such as the lines of a text in memory.
export async function* inSlices<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<Item, void, undefined> {
  const breath = createSlicePauses()
  for await (const item of items) {
    yield item
    if (breath.isDue()) await breath.take()
  }
}
