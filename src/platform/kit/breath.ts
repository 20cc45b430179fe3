// Lets others have a turn during a long computation: after 3 ms of it, the event loop answers what has arrived meanwhile.

import { createSliceTurns } from './slices.ts'
import type { Turns } from './turns.ts'
import { pauseWork, resumeWork } from './work.ts'

// As long as a request takes.
export const sliceMs = 3
// One for all, so ten computations at once hold the loop for one slice at a time too.
const allTurns = createSliceTurns()

// One for each computation, which asks often: `if (breath.isDue()) await breath.take()`.
export interface Breath {
  isDue(): boolean
  take(): Promise<void>
}

export function createBreath(clock: () => number = () => performance.now(), turns: Turns = allTurns): Breath {
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

// Does work that stops after each small step.
export async function runSteps<Result>(breath: Breath, steps: Iterator<void, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (breath.isDue()) await breath.take()
  }
}

// The same work at once, where it is short.
export function finished<Result>(steps: Iterator<void, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

// Items that are there already, or come without waiting for anything, such as the lines of a text in memory.
export async function* inSlices<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<Item, void, undefined> {
  const breath = createBreath()
  for await (const item of items) {
    yield item
    if (breath.isDue()) await breath.take()
  }
}
