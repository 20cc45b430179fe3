// How the calls that a process can make are shared among endpoints. Pure.

import { inFlightFor, inFlightMax } from './schedule.ts'

export interface Candidate {
  id: string
  // When the earlier event of the subject that it waits for is due or was claimed until; null where it waits for none.
  blockedUntil: number | null
}

export interface Capacity {
  // Calls that this process can make beside those under way.
  calls: number
  // Deliveries that it may hold beyond its calls.
  ahead: number
}

// What one endpoint may take.
export interface Room {
  // Calls beside those under way; below zero where more are under way than it should get by now.
  calls: number
  ahead: number
}

export interface EndpointFacts {
  consecutiveFailures: number
  // Deliveries under way or held, by any node, and of those what other nodes have.
  sending: number
  ofOthers: number
  // What it takes quickly, by the calls that ended just now.
  ahead: number
}

// Deliveries are claimed ahead only for an endpoint that is well, and not where another node has calls: the bound on calls
// under way holds across nodes.
export function roomFor({ consecutiveFailures, sending, ofOthers, ahead }: EndpointFacts): Room {
  const isSteady = consecutiveFailures === 0 && ofOthers === 0
  const heldAhead = Math.max(0, sending - inFlightMax)
  return { calls: inFlightFor(consecutiveFailures) - sending, ahead: isSteady ? Math.max(0, ahead - heldAhead) : 0 }
}

// How many that wait for an earlier event one look passes over, at least.
export const passedOverMax = 16

// How many due deliveries are looked at to fill the room.
export function candidatesMax({ calls, ahead }: Room): number {
  return Math.max(0, calls) + ahead + passedOverMax
}

export interface EndpointDue<Row extends Candidate = Candidate> {
  room: Room
  // In the order of the queue, at most as many as are looked at.
  candidates: readonly Row[]
}

export interface EndpointPlan<Row extends Candidate = Candidate> {
  taken: readonly Row[]
  // They wait for an earlier event of their subject.
  parked: readonly Row[]
}

export interface ClaimPlan<Row extends Candidate = Candidate> {
  // In the order of what was asked.
  endpoints: readonly EndpointPlan<Row>[]
  // There may be more that is due: something blocked was in the way, or there was no room.
  isMore: boolean
}

// Each endpoint in its turn gets its share of what is left, so the first ones do not take everything.
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
    // Claim ahead only where the endpoint gets all the calls that it may have.
    const aheadNow = room.calls <= share ? Math.min(room.ahead, Math.ceil(ahead / left)) : 0
    const free = candidates.filter(({ blockedUntil }) => blockedUntil === null)
    const taken = free.slice(0, callsNow + aheadNow)
    calls -= Math.min(taken.length, callsNow)
    ahead -= Math.max(0, taken.length - callsNow)
    // Behind the candidates there may be one that is free.
    const isCutOff = taken.length < callsNow && candidates.length >= candidatesMax(room)
    const isLeftOver = taken.length < free.length && share <= room.calls
    if (isCutOff || isLeftOver) isMore = true
    return { taken, parked: candidates.filter(({ blockedUntil }) => blockedUntil !== null) }
  })
  return { endpoints, isMore }
}
