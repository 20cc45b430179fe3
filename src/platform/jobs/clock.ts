// Guards against clocks that are set wrong. A clock set far ahead would expire every cart and session and delete data too early, and
// correcting it would restore nothing. So the wall clock is compared with the monotonic clock, and work that expires or deletes by time
// waits while the wall clock is far ahead.

// Far more than an NTP correction or a leap second.
const aheadMsMax = 24 * 3_600_000

export class ClockJumped extends Error {
  constructor(aheadMs: number) {
    const days = Math.round(aheadMs / (24 * 3_600_000))
    super(`the clock jumped ahead by about ${days} days while the server ran; restart the server if the clock is right`)
    this.name = 'ClockJumped'
  }
}

// The returned function throws while the clock is more than a day ahead of the monotonic clock. Both count milliseconds.
export function createClockGuard(clock: () => number, monotonic: () => number = () => performance.now()): () => void {
  const offsetMs = clock() - monotonic()
  return () => {
    const aheadMs = clock() - monotonic() - offsetMs
    if (aheadMs > aheadMsMax) throw new ClockJumped(aheadMs)
  }
}

// How far the clock was set back. Instants for which loops wait were written by the earlier clock, so they are further ahead than
// intended.
export interface ClockSetBack {
  now: number
  backMs: number
}

export interface SetBackWatch {
  // Returns how far the clock was set back since the last `dealtWith`. Less than a minute is harmless and returns undefined.
  look(): ClockSetBack | undefined
  dealtWith(): void
}

const backMsMin = 60_000

export function createSetBackWatch(
  clock: () => number,
  monotonic: () => number = () => performance.now(),
): SetBackWatch {
  let offsetMs = clock() - monotonic()
  return {
    look() {
      const now = clock()
      // The monotonic clock counts fractions, but stored instants are whole milliseconds.
      const backMs = Math.round(offsetMs - (now - monotonic()))
      // After the clock jumped ahead, new instants are written by the new time, so this time is the new reference.
      if (backMs < 0) offsetMs -= backMs
      return backMs >= backMsMin ? { now, backMs } : undefined
    },
    dealtWith() {
      offsetMs = clock() - monotonic()
    },
  }
}
