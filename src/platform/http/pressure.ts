// Sheds load before the process drowns: an answer of 503 after a microsecond is kinder to everyone than one after a
// minute. Two signs are watched: how many requests are under way, and how late the event loop runs its timers.

export interface Pressure {
  // False when the request must be refused. Every true is followed by one leave().
  enter(): boolean
  leave(): void
  // While a request waits for its caller it is not under way. Each pause is followed by one resume, which is never refused.
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

// How late the loop is, after a timer that was late by so much. Half of the old value stays and a sample counts at most
// half more than is allowed, so one pause, however long (a checkpoint, a disk that hangs, a machine that was asleep),
// refuses no request: those that came during it can be answered now. Two in a row can refuse some.
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
