// Schedules expensive work fairly. The event loop answers everything that has arrived before it polls again, and connections that were
// just answered are polled first, so one of sixteen callers of a slow operation may wait for all the others twice. Here each turn of the
// event loop runs one piece of work, in the order of arrival, and cheaper requests are answered in between. If those take so long that
// work waits, a turn runs several pieces, for as long as they took.

export interface EventLoopTurns {
  take(): Promise<void>
  // Number of calls of take() that wait for their turn.
  readonly waiting: number
}

// About as long as sixteen pieces of work of 3 ms.
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
    // A tick that is scheduled by a microtask runs after all microtasks: by then the work is done or awaits the database.
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
