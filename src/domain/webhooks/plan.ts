// Divides the calls that a process can make among endpoints. Pure.

import { inFlightMax, inFlightMaxFor } from './schedule.ts'

export interface Candidate {
  id: string
  // When to check a blocked delivery again: when the event that blocks it is due, or its lease ends. Null if the delivery is not blocked.
  blockedUntil: number | null
}

export interface Capacity {
  // Number of calls that this process can make in addition to its current calls.
  calls: number
  // Number of deliveries that this process may claim in addition to its calls.
  ahead: number
}

// How many calls and further deliveries one endpoint may still get.
export interface EndpointRoom {
  // Calls in addition to the current ones; negative if the endpoint already has more than it should have now.
  calls: number
  ahead: number
}

export interface EndpointFacts {
  consecutiveFailures: number
  // `sending`: number of deliveries that all nodes have claimed. `ofOthers`: how many of them other nodes have claimed.
  sending: number
  ofOthers: number
  // How many deliveries may be claimed ahead, by how long the last calls took.
  ahead: number
}

// Deliveries are claimed ahead only if the endpoint has no failures and no other node calls it: the limit of concurrent calls holds
// across nodes.
export function roomFor({ consecutiveFailures, sending, ofOthers, ahead }: EndpointFacts): EndpointRoom {
  const isSteady = consecutiveFailures === 0 && ofOthers === 0
  const heldAhead = Math.max(0, sending - inFlightMax)
  return { calls: inFlightMaxFor(consecutiveFailures) - sending, ahead: isSteady ? Math.max(0, ahead - heldAhead) : 0 }
}

// How many more deliveries are read than can be claimed, because some of them may be blocked.
export const passedOverMax = 16

// How many due deliveries are read to fill the room.
export function candidatesMax({ calls, ahead }: EndpointRoom): number {
  return Math.max(0, calls) + ahead + passedOverMax
}

// Enough to keep a quick endpoint busy until the next step. An endpoint may get this many even if its equal share is smaller, because
// others may not use theirs.
const aheadShareMin = 64

// Number of deliveries that each endpoint of a step may claim ahead. Reading a candidate costs 3 µs on SQLite, so few more are read than are
// taken.
export function aheadShareMax(aheadLimit: number, endpoints: number): number {
  return Math.min(aheadLimit, Math.max(aheadShareMin, Math.ceil(aheadLimit / endpoints)))
}

export interface EndpointDue<Row extends Candidate = Candidate> {
  room: EndpointRoom
  // In the order of the queue, at most `candidatesMax`.
  candidates: readonly Row[]
}

export interface EndpointPlan<Row extends Candidate = Candidate> {
  taken: readonly Row[]
  // Deliveries that an earlier event of their subject blocks.
  parked: readonly Row[]
}

export interface ClaimPlan<Row extends Candidate = Candidate> {
  // In the order of the requested endpoints.
  endpoints: readonly EndpointPlan<Row>[]
  // Whether more deliveries may be due: blocked ones filled the query, or there was no room.
  isMore: boolean
}

// Each endpoint in turn gets an equal share of the remaining capacity, so the first endpoints do not use up all of it.
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
    // Claims ahead only if the endpoint gets all calls that it may have.
    const aheadNow = room.calls <= share ? Math.min(room.ahead, Math.ceil(ahead / left)) : 0
    const free = candidates.filter(({ blockedUntil }) => blockedUntil === null)
    const taken = free.slice(0, callsNow + aheadNow)
    calls -= Math.min(taken.length, callsNow)
    ahead -= Math.max(0, taken.length - callsNow)
    // A delivery that is not blocked may follow after the candidates that were read.
    const isCutOff = taken.length < callsNow && candidates.length >= candidatesMax(room)
    const isLeftOver = taken.length < free.length && share <= room.calls
    if (isCutOff || isLeftOver) isMore = true
    return { taken, parked: candidates.filter(({ blockedUntil }) => blockedUntil !== null) }
  })
  return { endpoints, isMore }
}
