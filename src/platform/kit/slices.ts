// Schedules slices of long computations. The event loop has one queue for everything, so a request that waits for the database twice
// would wait for three slices. Here a slice begins only when the loop has nothing else to do and no answer of the database is awaited,
// and one at a time, however many computations there are. On a server that is never idle, a slice begins after 10 ms.

import { subscribe } from 'node:diagnostics_channel'
import type { EventLoopTurns } from './turns.ts'

const waitMsMax = 10

export interface EventLoopState {
  clock: () => number
  // Number of events of the operating system that the loop has handled: requests, answers of the database, files.
  eventsSeen: () => number
  // Number of statements that wait for their answer.
  answersAwaited: () => number
}

let awaited = 0

// The storage publishes 1 when a statement is sent, and -1 when it is answered.
subscribe('cartwright.storage.awaited', (change) => {
  awaited += change as number
})

const thisLoop: EventLoopState = {
  clock: () => performance.now(),
  eventsSeen: () => performance.nodeTiming.uvMetricsInfo.events,
  answersAwaited: () => awaited,
}

export function createEventLoopTurns({ clock, eventsSeen, answersAwaited }: EventLoopState = thisLoop): EventLoopTurns {
  const waiting: (() => void)[] = []
  // Whether a slice is scheduled or running.
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
    // A tick that a microtask schedules runs after all microtasks: by then the slice has ended, or waits for the database.
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
