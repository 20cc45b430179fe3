// The deliveries of each endpoint that this process has claimed: current calls, deliveries that wait for a call, and outcomes that are
// not written yet.

import type { ClaimedDelivery } from './claim.ts'
import { inFlightMax } from './schedule.ts'

interface Line {
  // Deliveries that wait until a call ends. They are not called after `staleAt`, a time of the monotonic clock.
  waiting: { claimed: ClaimedDelivery; staleAt: number }[]
  calls: number
  // Number of waiting deliveries, current calls and outcomes that are not written yet.
  held: number
}

export interface NextDelivery {
  claimed: ClaimedDelivery
  // Number of deliveries that still wait after this one.
  left: number
}

// Number of deliveries per possible call that a process may claim in addition, over all endpoints.
const aheadPerCall = 2

export class HeldDeliveries {
  readonly #lines = new Map<string, Line>()

  get endpointIds(): string[] {
    return [...this.#lines.keys()]
  }

  get isAnyWaiting(): boolean {
    return this.#lines.values().some(({ waiting }) => waiting.length > 0)
  }

  // Returns how many calls may be made now, and how many deliveries may wait. Outcomes that are not written count too, so they cannot
  // fill the memory while the database is unreachable. `leaving`: deliveries that the claiming transaction also writes or releases.
  room(callsMax: number, leaving: readonly ClaimedDelivery[] = []): { limit: number; aheadLimit: number } {
    let [limit, aheadLimit] = [callsMax, aheadPerCall * callsMax]
    const leavingBy = Map.groupBy(leaving, ({ endpointId }) => endpointId)
    for (const [endpointId, line] of this.#lines) {
      const held = line.held - (leavingBy.get(endpointId)?.length ?? 0)
      limit -= Math.min(held, inFlightMax)
      aheadLimit -= Math.max(0, held - inFlightMax)
    }
    return { limit: Math.max(0, limit), aheadLimit: Math.max(0, aheadLimit) }
  }

  add(claimed: ClaimedDelivery, staleAt: number): void {
    const line = this.#lines.get(claimed.endpointId) ?? { waiting: [], calls: 0, held: 0 }
    this.#lines.set(claimed.endpointId, line)
    line.held += 1
    line.waiting.push({ claimed, staleAt })
  }

  // Removes deliveries that this process no longer holds: their outcome was written, they were released, or their lease has expired.
  release(claims: readonly ClaimedDelivery[]): void {
    for (const { endpointId } of claims) {
      const line = this.#lines.get(endpointId)
      if (!line) continue
      line.held -= 1
      if (line.held === 0) this.#lines.delete(endpointId)
    }
  }

  // Begins the next call. Returns undefined if no delivery waits, or the endpoint has its maximum number of calls.
  begin(endpointId: string): NextDelivery | undefined {
    const line = this.#lines.get(endpointId)
    if (!line || line.calls >= inFlightMax) return undefined
    const next = line.waiting.shift()
    if (!next) return undefined
    line.calls += 1
    return { claimed: next.claimed, left: line.waiting.length }
  }

  end(endpointId: string): void {
    const line = this.#lines.get(endpointId)
    if (line) line.calls -= 1
  }

  // Removes and returns the waiting deliveries. They count as held until `release`.
  takeWaiting(endpointId: string): ClaimedDelivery[] {
    return (
      this.#lines
        .get(endpointId)
        ?.waiting.splice(0)
        .map(({ claimed }) => claimed) ?? []
    )
  }

  // Checks the first waiting delivery, which is the oldest. Both clocks are compared: while a machine sleeps, only the time of day
  // advances, and another node may have claimed the delivery.
  isStale(endpointId: string, now: { time: number; monotonic: number }): boolean {
    const first = this.#lines.get(endpointId)?.waiting[0]
    if (!first) return false
    return first.claimed.leaseExpiresAt <= now.time || first.staleAt < now.monotonic
  }
}
