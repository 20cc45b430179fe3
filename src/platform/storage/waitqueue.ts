// A first-come, first-served queue for a limited number of things, such as connections. A waiter is rejected if nothing is released for a
// while, or if it has waited too long in total.

export interface WaitQueue<T> {
  // Resolves with a free thing, or rejects with a WaitTimeout.
  take(): Promise<T>
  // Called after something was released. Serves the waiters while anything is free.
  pump(): void
  readonly waiting: number
}

export class WaitTimeout extends Error {}

interface WaitQueueOptions<T> {
  isFree: () => boolean
  // Takes a thing. Called when one is free.
  take: () => Promise<T>
  // Time limits of a waiter: while nothing is released, and in total.
  stallMsMax: number
  waitMsMax: number
}

interface Waiter<T> {
  resolve: (taken: Promise<T>) => void
  timer: NodeJS.Timeout
}

export function createWaitQueue<T>({ isFree, take, stallMsMax, waitMsMax }: WaitQueueOptions<T>): WaitQueue<T> {
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
          reject(new WaitTimeout(`nothing was free for ${Math.round(now - waitedFrom)} ms`))
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
