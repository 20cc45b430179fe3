// What this process holds of each endpoint: calls under way, deliveries that were claimed ahead of them, and outcomes that are
// not written yet.

import type { Claimed } from './claim.ts'
import { inFlightMax } from './schedule.ts'

interface Line {
  // Claimed, and waiting for one of the calls to end. Not called after `staleAt`, by a clock that never steps back.
  waiting: { claimed: Claimed; staleAt: number }[]
  calls: number
  // Waiting ones, calls, and outcomes that are not written yet.
  held: number
}

export interface Next {
  claimed: Claimed
  // How many wait behind it.
  left: number
}

// Deliveries that a process may hold beyond its calls, over all endpoints, for each call that it may make.
const aheadPerCall = 2

export class HeldDeliveries {
  readonly #lines = new Map<string, Line>()

  get endpointIds(): string[] {
    return [...this.#lines.keys()]
  }

  get isAnyWaiting(): boolean {
    return this.#lines.values().some(({ waiting }) => waiting.length > 0)
  }

  // Calls that may be made now, and what may wait beside them. What is not written yet counts, so a database that is away
  // does not fill the memory. `leaving`: what the transaction that claims also writes or gives back.
  room(callsMax: number, leaving: readonly Claimed[] = []): { limit: number; aheadLimit: number } {
    let [limit, aheadLimit] = [callsMax, aheadPerCall * callsMax]
    const leavingBy = Map.groupBy(leaving, ({ endpointId }) => endpointId)
    for (const [endpointId, line] of this.#lines) {
      const held = line.held - (leavingBy.get(endpointId)?.length ?? 0)
      limit -= Math.min(held, inFlightMax)
      aheadLimit -= Math.max(0, held - inFlightMax)
    }
    return { limit: Math.max(0, limit), aheadLimit: Math.max(0, aheadLimit) }
  }

  add(claimed: Claimed, staleAt: number): void {
    const line = this.#lines.get(claimed.endpointId) ?? { waiting: [], calls: 0, held: 0 }
    this.#lines.set(claimed.endpointId, line)
    line.held += 1
    line.waiting.push({ claimed, staleAt })
  }

  // They are written, or no longer ours.
  release(claims: readonly Claimed[]): void {
    for (const { endpointId } of claims) {
      const line = this.#lines.get(endpointId)
      if (!line) continue
      line.held -= 1
      if (line.held === 0) this.#lines.delete(endpointId)
    }
  }

  // Undefined where nothing waits, or the endpoint has all its calls under way. The call begins.
  begin(endpointId: string): Next | undefined {
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

  // Takes out what waits. It stays held until it is given back.
  takeWaiting(endpointId: string): Claimed[] {
    return (
      this.#lines
        .get(endpointId)
        ?.waiting.splice(0)
        .map(({ claimed }) => claimed) ?? []
    )
  }

  // The oldest comes first. While a machine sleeps only the time of day goes on, and another node may have taken over.
  isStale(endpointId: string, now: { time: number; monotonic: number }): boolean {
    const first = this.#lines.get(endpointId)?.waiting[0]
    if (!first) return false
    return first.claimed.leaseExpiresAt <= now.time || first.staleAt < now.monotonic
  }
}
