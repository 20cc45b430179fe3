// When a call is repeated, how long an endpoint is not called after failures, and when it is disabled. Everything is computed from stored
// values, so a restart changes nothing and a test can set the clock.

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
// Maximum wait that a receiver can request with `Retry-After`.
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

// How many deliveries a process may claim ahead per endpoint, because the next call should not wait for the disk: at most `aheadMax`, and
// not more than the endpoint handles within `aheadMs` at its present speed. Deliveries that are not called in time are released.
const aheadMax = 120
const aheadMs = 250

// Returns the wait after `attempts` failed attempts; undefined if there is no further attempt. Jitter prevents many deliveries from being
// repeated at the same moment; it only makes the waits of the table longer.
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

// Returns how long the circuit breaker stays open after this many failures. While it is open, nothing is sent, and no attempts are
// counted. Each probe that fails doubles the time.
export function breakerPauseMs(consecutiveFailures: number, askedMs: number | null): number {
  const asked = Math.min(askedMs ?? 0, retryAfterMsMax)
  if (consecutiveFailures < breakerFailures) return asked
  const doubled = breakerMsMin * 2 ** Math.min(consecutiveFailures - breakerFailures, 10)
  return Math.max(asked, Math.min(doubled, breakerMsMax))
}

// Maximum number of concurrent calls to one endpoint. Each failure reduces it, down to a single probe, so a failing endpoint cannot
// occupy the process with calls that end in timeouts.
export function inFlightMaxFor(consecutiveFailures: number): number {
  return Math.max(1, inFlightMax - consecutiveFailures)
}

// Returns how many deliveries may wait for an endpoint whose calls took this long.
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
