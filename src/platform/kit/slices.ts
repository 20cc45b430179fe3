// Schedules time slices of long computations. The event loop has one queue for everything, so a request that waits for the database twice
// would wait for three slices. Here a slice only starts when the event loop is idle and no response of the database is awaited, and
// slices of all computations run one at a time. On a server that is never idle, a slice starts after 10 ms.

import { subscribe } from 'node:diagnostics_channel'
import type { EventLoopTurns } from './turns.ts'

const waitMsMax = 10

export interface EventLoopState {
  clock: () => number
  // Number of operating system events that the event loop has handled: requests, database responses, files.
  eventsSeen: () => number
  // Number of SQL statements whose result is awaited.
  answersAwaited: () => number
}

let awaited = 0

// The storage publishes 1 when it sends a statement, and -1 when it gets the result.
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
    // A tick that is scheduled by a microtask runs after all microtasks: by then the slice has ended or awaits the database.
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
