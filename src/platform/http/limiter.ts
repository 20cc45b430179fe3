// Limits requests whose body is still arriving: so many in all and fewer for one caller or address. Senders that are slow, or
// never finish, use up this limit and not that of requests that are being worked on.

import type { IncomingMessage } from 'node:http'
import { pauseWork } from '../kit/work.ts'
import type { Pressure } from './pressure.ts'
import { unavailable } from './refusal.ts'

export interface BodyLimiter {
  // False when the limit is reached, or that of the key.
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

// Waits for a body under the limit of the given key. The request does not count as under way meanwhile. A body that has
// arrived is not limited: a shop's server may send hundreds of requests in one moment.
export type Receive = <Body>(
  raw: Pick<IncomingMessage, 'complete'>,
  limit: { key: string; most: number },
  read: () => Promise<Body>,
) => Promise<Body>

export function createReceive(limiter: BodyLimiter, pressure: Pressure): Receive {
  return async ({ complete }, { key, most }, read) => {
    if (complete) return read()
    if (!limiter.enter(key, most)) throw unavailable()
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
