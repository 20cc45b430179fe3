// A clock that was set far ahead by mistake would expire every cart and session and delete data too early, and correcting the clock would
// not restore anything. So the wall clock is compared with the monotonic clock, and work that expires or deletes by time waits while they
// differ.

// Much more than an NTP correction or a leap second.
const aheadMsMax = 24 * 3_600_000

export class ClockJumped extends Error {
  constructor(aheadMs: number) {
    const days = Math.round(aheadMs / (24 * 3_600_000))
    super(`the clock jumped ahead by about ${days} days while the server ran; restart the server if the clock is right`)
    this.name = 'ClockJumped'
  }
}

// Throws while the clock is more than a day ahead of the expected time. Both clocks count milliseconds.
export function createClockGuard(clock: () => number, monotonic: () => number = () => performance.now()): () => void {
  const offsetMs = clock() - monotonic()
  return () => {
    const aheadMs = clock() - monotonic() - offsetMs
    if (aheadMs > aheadMsMax) throw new ClockJumped(aheadMs)
  }
}

// If the clock is set back, instants that loops wait for were written by the earlier clock, and are further ahead than intended.
export interface ClockSetBack {
  now: number
  backMs: number
}

export interface SetBackWatch {
  // Returns how far the clock was set back since the last `dealtWith`, or undefined below one minute, which is harmless.
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
      // The monotonic clock has fractions, but stored instants are whole milliseconds.
      const backMs = Math.round(offsetMs - (now - monotonic()))
      // After the clock jumped ahead, instants are written by the new time.
      if (backMs < 0) offsetMs -= backMs
      return backMs >= backMsMin ? { now, backMs } : undefined
    },
    dealtWith() {
      offsetMs = clock() - monotonic()
    },
  }
}
