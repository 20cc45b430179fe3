// When a call is repeated, how long an endpoint gets no calls after failures, and when it is given up. All of it is computed from stored
// values, so a restart changes nothing and a test can move the clock.

import { createHash } from 'node:crypto'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

// The wait before each attempt, counted from the end of the previous one. The first attempt is immediate.
// biome-ignore format: a table reads best in one line
export const deliveryWaitsMs = [
  0, 5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day, day,
] as const

export const attemptsMax = deliveryWaitsMs.length
const jitterShare = 0.2
// Upper limit for the wait that a receiver requests by `Retry-After`.
const retryAfterMsMax = hour

export const deliveryLeaseMs = minute
// How long the former secret still signs after a rotation.
export const rotationMs = day

const breakerFailures = 10
const breakerMsMin = 30 * second
const breakerMsMax = 15 * minute

const givenUpFailures = 12
const givenUpAfterMs = 5 * day

export const inFlightMax = 8

// Maximum number of deliveries that a process may claim ahead per endpoint, so the next call need not wait for the disk; and never more
// than the endpoint takes within this time at its current pace. Deliveries that are not called in time are released.
const aheadMax = 120
const aheadMs = 250

// The wait before the next attempt after `attempts` of them failed; undefined if there is no further attempt. Never shorter than the
// table says: the jitter, which prevents many deliveries from being repeated at the same moment, only adds.
export function waitMsAfter(deliveryId: string, attempts: number, askedMs: number | null): number | undefined {
  const base = deliveryWaitsMs[attempts]
  if (base === undefined) return undefined
  const wait = base * (1 + jitterShare * chance(deliveryId, attempts))
  return Math.round(Math.max(wait, Math.min(askedMs ?? 0, retryAfterMsMax)))
}

// Returns a number from 0 to 1 that is the same for an attempt on every node and in every run.
function chance(deliveryId: string, attempts: number): number {
  return createHash('sha256').update(`${deliveryId}.${attempts}`).digest().readUInt32BE(0) / 0xffff_ffff
}

// While the breaker is open nothing is sent, and no attempt is used up. Each probe that fails doubles the pause.
export function breakerPauseMs(consecutiveFailures: number, askedMs: number | null): number {
  const asked = Math.min(askedMs ?? 0, retryAfterMsMax)
  if (consecutiveFailures < breakerFailures) return asked
  const doubled = breakerMsMin * 2 ** Math.min(consecutiveFailures - breakerFailures, 10)
  return Math.max(asked, Math.min(doubled, breakerMsMax))
}

// Maximum number of concurrent calls to one endpoint. Each failure lowers it, down to a single probe, so a failing endpoint cannot fill
// the process with calls that wait for their deadline.
export function inFlightMaxFor(consecutiveFailures: number): number {
  return Math.max(1, inFlightMax - consecutiveFailures)
}

// Number of deliveries that may wait for calls to an endpoint whose calls took this long.
export function aheadMaxFor(tookMs: number): number {
  return Math.min(aheadMax, Math.floor((inFlightMax * aheadMs) / Math.max(1, tookMs)))
}

export function isGivenUp(consecutiveFailures: number, failingSince: number, now: number): boolean {
  return consecutiveFailures >= givenUpFailures && now - failingSince >= givenUpAfterMs
}

// `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3). Other values are ignored.
export function parseRetryAfter(retryAfter: string | null, now: number): number | null {
  if (retryAfter === null) return null
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * second
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun),? /.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
