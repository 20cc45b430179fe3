// Limits requests whose body is still arriving, in total and per caller or address. Slow senders use up this limit and not that of
// requests in progress.

import type { IncomingMessage } from 'node:http'
import { pauseWork } from '../kit/work.ts'
import type { Pressure } from './pressure.ts'
import { unavailableRefusal } from './refusal.ts'

export interface BodyLimiter {
  // Returns false if the total limit or the limit of the key is reached.
  enter(key: string, most: number): boolean
  leave(key: string): void
  readonly waiting: number
}

export function createBodyLimiter(waitingMax: number): BodyLimiter {
  const byKey = new Map<string, number>()
  let waiting = 0
  return {
    enter(key, most) {
      const own = byKey.get(key) ?? 0
      if (waiting >= waitingMax || own >= most) return false
      waiting += 1
      byKey.set(key, own + 1)
      return true
    },
    leave(key) {
      const own = byKey.get(key) ?? 0
      if (own === 0) return
      waiting -= 1
      if (own === 1) byKey.delete(key)
      else byKey.set(key, own - 1)
    },
    get waiting() {
      return waiting
    },
  }
}

// Waits for a body within the limit of the key. Meanwhile, the request does not count as in progress. Bodies that have already arrived
// are not limited: a shop's server may send hundreds of requests at once.
export type ReceiveBody = <Body>(
  raw: Pick<IncomingMessage, 'complete'>,
  limit: { key: string; most: number },
  read: () => Promise<Body>,
) => Promise<Body>

export function createReceiveBody(limiter: BodyLimiter, pressure: Pressure): ReceiveBody {
  return async ({ complete }, { key, most }, read) => {
    if (complete) return read()
    if (!limiter.enter(key, most)) throw unavailableRefusal()
    pressure.pause()
    try {
      pauseWork()
      return await read()
    } finally {
      pressure.resume()
      limiter.leave(key)
    }
  }
}
