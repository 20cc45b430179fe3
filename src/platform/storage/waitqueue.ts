// A first-come, first-served queue for a few things that are taken and given back. A waiter is rejected when nothing
// was given back for a while, or when it has waited too long in total.

export interface WaitQueue<T> {
  // Rejects with a WaitTimeout.
  take(): Promise<T>
  // Called whenever something was given back, and may be free.
  pump(): void
  readonly waiting: number
}

export class WaitTimeout extends Error {}

interface WaitQueueOptions<T> {
  isFree: () => boolean
  // Called when something is free, and takes it.
  take: () => Promise<T>
  // How long nothing may be given back, and how long a waiter waits in total.
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
