// Schedules expensive work in turns. The event loop answers everything that has arrived before it polls again, and connections that it
// has just answered come first again: sixteen callers of a slow operation wait for all the others twice. Here each piece of work has one
// turn of the loop, in the order of arrival, and cheaper requests are answered in between. If these take so long that work waits, a turn
// performs more of it, for as long as they took.

export interface EventLoopTurns {
  take(): Promise<void>
  // Number of calls that wait for their turn.
  readonly waiting: number
}

// About the time of sixteen pieces of work of 3 ms.
const waitMsMax = 50

export function createLoopTurns(clock: () => number = () => performance.now()): EventLoopTurns {
  const waiting: { since: number; begin: () => void }[] = []
  // Whether a turn is scheduled or running.
  let isActive = false
  let lastEndAt = 0

  function turn(): void {
    const startedAt = clock()
    beginNext(startedAt + (startedAt - lastEndAt))
  }

  function beginNext(endAt: number): void {
    waiting.shift()?.begin()
    // A tick that a microtask schedules runs after all microtasks: by then the work is done, or waits for the database.
    queueMicrotask(() => process.nextTick(goOn, endAt))
  }

  function goOn(endAt: number): void {
    const now = clock()
    const [next] = waiting
    isActive = next !== undefined
    if (!next) return
    if (now < endAt && now - next.since > waitMsMax) beginNext(endAt)
    else {
      lastEndAt = now
      setImmediate(turn)
    }
  }

  return {
    take: () =>
      new Promise((begin) => {
        const since = clock()
        waiting.push({ since, begin })
        if (isActive) return
        isActive = true
        lastEndAt = since
        setImmediate(turn)
      }),
    get waiting() {
      return waiting.length
    },
  }
}
