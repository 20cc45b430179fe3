// Who waits for one of a few things that are given back, first come, first served. Waiting is worth it while something is
// given back; once nothing was for a while, or it has taken too long in all, whoever waits is told.

export interface Turns<T> {
  // Rejects with a WaitOver.
  take(): Promise<T>
  // One may have become free. Called whenever one was given back.
  pump(): void
  readonly waiting: number
}

export class WaitOver extends Error {}

interface TurnsOptions<T> {
  isFree: () => boolean
  // Called where one is free, which it is not any more afterwards.
  take: () => Promise<T>
  // How long nothing may be given back, and how long one waits at most.
  stallMsMax: number
  waitMsMax: number
}

interface Waiter<T> {
  resolve: (taken: Promise<T>) => void
  timer: NodeJS.Timeout
}

export function keepTurns<T>({ isFree, take, stallMsMax, waitMsMax }: TurnsOptions<T>): Turns<T> {
  const waiters = new Set<Waiter<T>>()
  let pumpedAt = Number.NEGATIVE_INFINITY

  function wait(): Promise<T> {
    const waitedFrom = performance.now()
    return new Promise((resolve, reject) => {
      const waiter: Waiter<T> = { resolve, timer: setTimeout(look, Math.min(stallMsMax, waitMsMax)) }
      waiters.add(waiter)
      function look(): void {
        const now = performance.now()
        const leftMs = Math.min(Math.max(pumpedAt, waitedFrom) + stallMsMax, waitedFrom + waitMsMax) - now
        if (leftMs > 0) waiter.timer = setTimeout(look, leftMs)
        else {
          waiters.delete(waiter)
          reject(new WaitOver(`nothing was free for ${Math.round(now - waitedFrom)} ms`))
        }
      }
    })
  }

  return {
    take: () => (waiters.size === 0 && isFree() ? take() : wait()),
    pump() {
      pumpedAt = performance.now()
      for (const waiter of waiters) {
        if (!isFree()) return
        waiters.delete(waiter)
        clearTimeout(waiter.timer)
        waiter.resolve(take())
      }
    },
    get waiting() {
      return waiters.size
    },
  }
}
