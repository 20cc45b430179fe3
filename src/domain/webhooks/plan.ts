// Shares the calls that a process can make among endpoints. Pure.

import { inFlightMax, inFlightMaxFor } from './schedule.ts'

export interface Candidate {
  id: string
  // Until when the delivery is blocked: when the earlier event that it waits for is due, or when the lease of that event ends. Null if it
  // waits for none.
  blockedUntil: number | null
}

export interface Capacity {
  // Calls that this process can make in addition to its current ones.
  calls: number
  // Deliveries that this process may hold beyond its calls.
  ahead: number
}

// The calls and deliveries that one endpoint may still get.
export interface EndpointRoom {
  // Calls in addition to current ones; negative if the endpoint has more than it should have now.
  calls: number
  ahead: number
}

export interface EndpointFacts {
  consecutiveFailures: number
  // `sending`: deliveries that any node is calling or holds. `ofOthers`: how many of them other nodes have.
  sending: number
  ofOthers: number
  // Deliveries that may be claimed ahead, by how quickly the last calls ended.
  ahead: number
}

// Deliveries are claimed ahead only for an endpoint without failures, and not if another node has calls to it: the limit on concurrent
// calls holds across nodes.
export function roomFor({ consecutiveFailures, sending, ofOthers, ahead }: EndpointFacts): EndpointRoom {
  const isSteady = consecutiveFailures === 0 && ofOthers === 0
  const heldAhead = Math.max(0, sending - inFlightMax)
  return { calls: inFlightMaxFor(consecutiveFailures) - sending, ahead: isSteady ? Math.max(0, ahead - heldAhead) : 0 }
}

// Minimum of blocked deliveries that one query may skip.
export const passedOverMax = 16

// Number of due deliveries that are read to fill the room.
export function candidatesMax({ calls, ahead }: EndpointRoom): number {
  return Math.max(0, calls) + ahead + passedOverMax
}

export interface EndpointDue<Row extends Candidate = Candidate> {
  room: EndpointRoom
  // In the order of the queue, at most `candidatesMax`.
  candidates: readonly Row[]
}

export interface EndpointPlan<Row extends Candidate = Candidate> {
  taken: readonly Row[]
  // Deliveries that wait for an earlier event of their subject.
  parked: readonly Row[]
}

export interface ClaimPlan<Row extends Candidate = Candidate> {
  // In the order of the requested endpoints.
  endpoints: readonly EndpointPlan<Row>[]
  // Whether more deliveries may be due: blocked ones filled the query, or there was no room.
  isMore: boolean
}

// Each endpoint in turn gets its share of the remaining capacity, so the first ones do not take everything.
export function planClaims<Row extends Candidate>(
  due: readonly EndpointDue<Row>[],
  capacity: Capacity,
): ClaimPlan<Row> {
  let { calls, ahead } = capacity
  let isMore = false
  const endpoints = due.map(({ room, candidates }, index): EndpointPlan<Row> => {
    const left = due.length - index
    const share = Math.ceil(calls / left)
    const callsNow = Math.max(0, Math.min(room.calls, share))
    // Claims ahead only if the endpoint gets all the calls that it may have.
    const aheadNow = room.calls <= share ? Math.min(room.ahead, Math.ceil(ahead / left)) : 0
    const free = candidates.filter(({ blockedUntil }) => blockedUntil === null)
    const taken = free.slice(0, callsNow + aheadNow)
    calls -= Math.min(taken.length, callsNow)
    ahead -= Math.max(0, taken.length - callsNow)
    // There may be a free delivery beyond the candidates that were read.
    const isCutOff = taken.length < callsNow && candidates.length >= candidatesMax(room)
    const isLeftOver = taken.length < free.length && share <= room.calls
    if (isCutOff || isLeftOver) isMore = true
    return { taken, parked: candidates.filter(({ blockedUntil }) => blockedUntil !== null) }
  })
  return { endpoints, isMore }
}
