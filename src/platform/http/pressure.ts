// Sheds load before the process is overloaded: a 503 after a microsecond is better than an answer after a minute. Two values are watched:
// the number of requests in progress, and the delay of the event loop's timers.

export interface Pressure {
  // Returns false if the request must be refused. After true, leave() must be called once.
  enter(): boolean
  leave(): void
  // While a request waits for its caller it does not count as in progress. Each pause is followed by one resume, which is never refused.
  pause(): void
  resume(): void
  readonly inFlight: number
  readonly shed: number
  close(): void
}

export interface PressureOptions {
  inFlightMax?: number
  lagMsMax?: number
}

const sampleMs = 200

// Returns the new lag of the event loop after a timer was late by `lateMs`. Half of the old value stays, and a sample counts at most half
// more than the maximum. So a single pause, however long (a checkpoint, a slow disk, a machine that was asleep), refuses no request:
// those that arrived during the pause can be answered now. Two pauses in a row may refuse some.
export function lagAfter(lagMs: number, lateMs: number, lagMsMax: number): number {
  return lagMs / 2 + Math.min(Math.max(0, lateMs), 1.5 * lagMsMax) / 2
}

export function createPressure({ inFlightMax = 1_000, lagMsMax = 1_000 }: PressureOptions = {}): Pressure {
  let inFlight = 0
  let shed = 0
  let lagMs = 0
  let dueAt = performance.now() + sampleMs
  const timer = setInterval(() => {
    const now = performance.now()
    lagMs = lagAfter(lagMs, now - dueAt, lagMsMax)
    dueAt = now + sampleMs
  }, sampleMs)
  timer.unref()

  return {
    enter() {
      if (inFlight >= inFlightMax || lagMs > lagMsMax) {
        shed += 1
        return false
      }
      inFlight += 1
      return true
    },
    leave: () => {
      inFlight -= 1
    },
    pause: () => {
      inFlight -= 1
    },
    resume: () => {
      inFlight += 1
    },
    get inFlight() {
      return inFlight
    },
    get shed() {
      return shed
    },
    close: () => clearInterval(timer),
  }
}
