// A clock that was set far ahead by mistake would expire every cart and session and delete data before its time, and
// correcting the clock would bring nothing back. So the wall clock is compared with the monotonic clock, and work that
// expires or deletes by the time of day waits while they differ.

// Neither an NTP correction nor a leap second comes near it.
const aheadMsMax = 24 * 3_600_000

export class ClockJumped extends Error {
  constructor(aheadMs: number) {
    const days = Math.round(aheadMs / (24 * 3_600_000))
    super(`the clock jumped ahead by about ${days} days while the server ran; restart the server if the clock is right`)
    this.name = 'ClockJumped'
  }
}

// Throws while the clock is more than a day ahead of where it should be. Both clocks count milliseconds.
export function createClockGuard(clock: () => number, monotonic: () => number = () => performance.now()): () => void {
  const offsetMs = clock() - monotonic()
  return () => {
    const aheadMs = clock() - monotonic() - offsetMs
    if (aheadMs > aheadMsMax) throw new ClockJumped(aheadMs)
  }
}

// When the clock is set back, instants that loops wait for were written by the earlier clock, and lie further ahead
// than intended.
export interface SetBack {
  now: number
  backMs: number
}

export interface SetBackWatch {
  // Measured since the last `dealtWith`. Undefined below one minute, which does no harm.
  look(): SetBack | undefined
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
      // The monotonic clock has fractions; what is stored is whole milliseconds.
      const backMs = Math.round(offsetMs - (now - monotonic()))
      // After a jump ahead, instants are written by the new time.
      if (backMs < 0) offsetMs -= backMs
      return backMs >= backMsMin ? { now, backMs } : undefined
    },
    dealtWith() {
      offsetMs = clock() - monotonic()
    },
  }
}
