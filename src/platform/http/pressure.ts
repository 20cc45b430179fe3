// Sheds load before the process is overloaded: a 503 after a microsecond is better than a response after a minute. Watches the number of
// requests in progress and the delay of timers.

export interface Pressure {
  // Returns false if the request must be refused. After true, leave() must be called once.
  enter(): boolean
  leave(): void
  // A request does not count as in progress while it waits for its client. Each pause() is followed by one resume(), which never refuses.
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

// Returns the smoothed lag of the event loop after a timer was late by `lateMs`. Half of the old value remains, and a sample is capped at
// 1.5 times the maximum. So a single pause, however long (a checkpoint, a slow disk, a machine that was asleep), refuses no requests:
// those that arrived meanwhile can now be answered. Two pauses in a row may refuse some.
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
