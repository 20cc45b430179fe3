// A clock that was set far ahead by mistake would end every cart and session and delete what is kept for a time, and putting it
// right would bring nothing back. So the wall clock is held against one that only ever counts on, and what ends or deletes by
// the time of day waits while they are apart.

// Neither a correction by NTP nor a leap comes near it.
const aheadMsMax = 24 * 3_600_000

export class ClockJumped extends Error {
  constructor(aheadMs: number) {
    const days = Math.round(aheadMs / (24 * 3_600_000))
    super(`the clock went ahead by about ${days} days while the server ran; restart it if the clock is right`)
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

// Instants of which somebody waits were written by the clock of before when it is set back, and lie further ahead than they
// were meant to.
export interface SetBack {
  now: number
  backMs: number
}

export interface SetBackWatch {
  // Since the last time that it was dealt with. Undefined for less than a minute, which harms nobody.
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
      const backMs = offsetMs - (now - monotonic())
      // Set ahead, it is written from there on.
      if (backMs < 0) offsetMs -= backMs
      return backMs >= backMsMin ? { now, backMs } : undefined
    },
    dealtWith() {
      offsetMs = clock() - monotonic()
    },
  }
}
