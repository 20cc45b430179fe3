// Turns for slices of long computations. The event loop has one queue for everything, so a request that waits for the database twice
// would wait for three slices. Here a slice begins only when the loop has nothing else to do and waits for no answer of the database,
// and one at a time, however many computations there are. A server that is never idle lets a slice begin after 10 ms.

import type { Turns } from './turns.ts'

const waitMsMax = 10

export interface LoopState {
  clock: () => number
  // How many answers of the operating system the loop has handled: requests, answers of the database, files.
  eventsSeen: () => number
  // How many statements wait for their answer.
  answersAwaited: () => number
}

let awaited = 0

// Notes that an answer of the database is awaited, so that no slice delays what goes on with it.
export async function awaitAnswer<Answer>(answer: Promise<Answer>): Promise<Answer> {
  awaited += 1
  try {
    return await answer
  } finally {
    awaited -= 1
  }
}

const thisLoop: LoopState = {
  clock: () => performance.now(),
  eventsSeen: () => performance.nodeTiming.uvMetricsInfo.events,
  answersAwaited: () => awaited,
}

export function createSliceTurns({ clock, eventsSeen, answersAwaited }: LoopState = thisLoop): Turns {
  const waiting: (() => void)[] = []
  // A turn is scheduled or under way.
  let isActive = false
  let endedAt = 0
  let seen = 0

  function schedule(): void {
    seen = eventsSeen()
    if (answersAwaited() > 0) setTimeout(turn, 1)
    else setImmediate(turn)
  }

  function turn(): void {
    const isBusy = eventsSeen() !== seen || answersAwaited() > 0
    if (isBusy && clock() - endedAt < waitMsMax) schedule()
    else begin()
  }

  function begin(): void {
    waiting.shift()?.()
    // A tick that a microtask asks for comes when all of them are done: then the slice has ended, or waits for the database.
    queueMicrotask(() => process.nextTick(goOn))
  }

  function goOn(): void {
    endedAt = clock()
    isActive = waiting.length > 0
    if (isActive) schedule()
  }

  return {
    take: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (isActive) return
        isActive = true
        endedAt = clock()
        schedule()
      }),
    get waiting() {
      return waiting.length
    },
  }
}
