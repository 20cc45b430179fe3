// Sheds load before the process drowns: an answer of 503 after a microsecond is kinder to everyone than one after a
// minute. Two signs are watched: how many requests are under way, and how late the event loop runs its timers.

export interface Pressure {
  // False when the request must be refused. Every true is followed by one leave().
  enter(): boolean
  leave(): void
  readonly inFlight: number
  readonly shed: number
  close(): void
}

export interface PressureOptions {
  inFlightMax?: number
  lagMsMax?: number
}

const sampleMs = 200

export function createPressure({ inFlightMax = 1_000, lagMsMax = 1_000 }: PressureOptions = {}): Pressure {
  let inFlight = 0
  let shed = 0
  let lagMs = 0
  let dueAt = performance.now() + sampleMs
  const timer = setInterval(() => {
    const now = performance.now()
    // Half of the old value is kept, so that one long pause (a garbage collection, a checkpoint) does not refuse anyone.
    lagMs = lagMs / 2 + Math.max(0, now - dueAt) / 2
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
    get inFlight() {
      return inFlight
    },
    get shed() {
      return shed
    },
    close: () => clearInterval(timer),
  }
}
