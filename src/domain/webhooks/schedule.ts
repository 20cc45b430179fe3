// When a call is made again, for how long an endpoint is left alone, and when it is given up. All of it is computed from
// what is stored, so a restart changes nothing and a test can move the clock.

import { createHash } from 'node:crypto'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

// The wait before each attempt, counted from the end of the one before. The first is made at once.
// biome-ignore format: a table reads best in one line
export const waitsMs = [
  0, 5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day, day,
] as const

export const attemptsMax = waitsMs.length
const jitterShare = 0.2
// A receiver that asks for more patience than this gets this much.
const retryAfterMsMax = hour

export const leaseMs = minute
// How long the former secret still signs.
export const rotationMs = day

const breakerFailures = 10
const breakerMsMin = 30 * second
const breakerMsMax = 15 * minute

const givenUpFailures = 12
const givenUpAfterMs = 5 * day

export const inFlightMax = 8

// What a process may hold of one endpoint beyond the calls it makes, so the next call need not wait for the disk; and
// never more than the endpoint takes within this time at its present pace. What is not called in time is given back.
const aheadMax = 120
const aheadMs = 250

// The wait before the next attempt after `attempts` of them failed; undefined when there is none. Never earlier than the
// table says: the jitter, which keeps many deliveries from coming back in step, only adds.
export function waitMsAfter(deliveryId: string, attempts: number, askedMs: number | null): number | undefined {
  const base = waitsMs[attempts]
  if (base === undefined) return undefined
  const wait = base * (1 + jitterShare * chance(deliveryId, attempts))
  return Math.round(Math.max(wait, Math.min(askedMs ?? 0, retryAfterMsMax)))
}

// From 0 to 1, the same for the same attempt on every node and in every run.
function chance(deliveryId: string, attempts: number): number {
  return createHash('sha256').update(`${deliveryId}.${attempts}`).digest().readUInt32BE(0) / 0xffff_ffff
}

// While the breaker is open nothing is sent, and no attempt is spent. Each probe that fails doubles the rest.
export function restMsAfter(consecutiveFailures: number, askedMs: number | null): number {
  const asked = Math.min(askedMs ?? 0, retryAfterMsMax)
  if (consecutiveFailures < breakerFailures) return asked
  const doubled = breakerMsMin * 2 ** Math.min(consecutiveFailures - breakerFailures, 10)
  return Math.max(asked, Math.min(doubled, breakerMsMax))
}

// How many calls to one endpoint may be under way. One that fails is asked more gently, down to a single probe, so
// it cannot fill the process with calls that wait for their deadline.
export function inFlightFor(consecutiveFailures: number): number {
  return Math.max(1, inFlightMax - consecutiveFailures)
}

// How many deliveries may wait behind the calls to an endpoint whose calls took this long.
export function aheadFor(tookMs: number): number {
  return Math.min(aheadMax, Math.floor((inFlightMax * aheadMs) / Math.max(1, tookMs)))
}

export function isGivenUp(consecutiveFailures: number, failingSince: number, now: number): boolean {
  return consecutiveFailures >= givenUpFailures && now - failingSince >= givenUpAfterMs
}

// `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3). Anything else is ignored.
export function askedWaitMs(retryAfter: string | null, now: number): number | null {
  if (retryAfter === null) return null
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * second
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun),? /.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
