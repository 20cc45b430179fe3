// Seats for requests whose body is still arriving: a bounded number in all and fewer for one caller or address, so senders
// that are slow, or never finish, fill these seats and not the places of requests that are being worked on.

import type { IncomingMessage } from 'node:http'
import { refuse } from '../kit/refuse.ts'
import type { Pressure } from './pressure.ts'

export interface Seats {
  // False when there is none, or the key has as many as it may.
  take(key: string, most: number): boolean
  leave(key: string): void
  readonly taken: number
}

export function createSeats({ seatsMax }: { seatsMax: number }): Seats {
  const byKey = new Map<string, number>()
  let taken = 0
  return {
    take(key, most) {
      const own = byKey.get(key) ?? 0
      if (taken >= seatsMax || own >= most) return false
      taken += 1
      byKey.set(key, own + 1)
      return true
    },
    leave(key) {
      const own = byKey.get(key) ?? 0
      if (own === 0) return
      taken -= 1
      if (own === 1) byKey.delete(key)
      else byKey.set(key, own - 1)
    },
    get taken() {
      return taken
    },
  }
}

// Waits for a body in a seat of the given key. The request gives its place among those under way back meanwhile. A body that is
// here already waits for nobody and needs no seat: a shop's server may send hundreds of requests in one moment.
export type Receive = <Body>(
  raw: Pick<IncomingMessage, 'complete'>,
  seat: { key: string; most: number },
  read: () => Promise<Body>,
) => Promise<Body>

export function createReceive(seats: Seats, pressure: Pressure): Receive {
  return async ({ complete }, { key, most }, read) => {
    if (complete) return read()
    if (!seats.take(key, most)) throw refuse('unavailable', { retryAfterMs: 1000 })
    pressure.pause()
    try {
      return await read()
    } finally {
      pressure.resume()
      seats.leave(key)
    }
  }
}
