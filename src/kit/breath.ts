// Lets others have a turn during a long computation: after 10 ms of it, the event loop answers what has arrived meanwhile.

import { createTurns } from './turns.ts'

const sliceMs = 10
// One for all, so ten computations at once hold the loop for one slice at a time too.
const turns = createTurns()

// One for each computation, which asks often: `if (breath.isDue()) await breath.take()`.
export interface Breath {
  isDue(): boolean
  take(): Promise<void>
}

export function createBreath(clock: () => number = () => performance.now()): Breath {
  let dueAt = clock() + sliceMs
  return {
    isDue: () => clock() >= dueAt,
    async take() {
      await turns.take()
      dueAt = clock() + sliceMs
    },
  }
}

// `map` for long lists.
export async function mapInSlices<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Made,
): Promise<Made[]> {
  const breath = createBreath()
  const made: Made[] = []
  for (const [index, item] of items.entries()) {
    if (breath.isDue()) await breath.take()
    made.push(make(item, index))
  }
  return made
}
