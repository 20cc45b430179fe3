// Instants are epoch milliseconds inside and RFC 3339 texts (UTC, milliseconds, `Z`) outside.

import { Lru } from './lru.ts'

// How far the clocks of two nodes may be apart.
export const clockSkewMsMax = 60_000

// The runtime's own way takes ten times as long (1 µs), and an answer tells many instants of a few days.
export function toInstant(ms: number): string {
  if (!(ms >= 0 && ms < yearTenThousand && Number.isInteger(ms))) return new Date(ms).toISOString()
  const day = Math.floor(ms / dayMs)
  const rest = ms - day * dayMs
  const seconds = Math.floor(rest / 1_000)
  const time = `${twoDigits[Math.floor(seconds / 3_600)]}:${twoDigits[Math.floor(seconds / 60) % 60]}:${twoDigits[seconds % 60]}`
  return `${dateOf(day)}T${time}.${threeDigits[rest % 1_000]}Z`
}

const dayMs = 86_400_000
const yearTenThousand = 253_402_300_800_000
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
const threeDigits = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'))
const dates = new Lru<number, string>(1_000)

function dateOf(day: number): string {
  const kept = dates.peek(day)
  if (kept !== undefined) return kept
  const date = new Date(day * dayMs).toISOString().slice(0, 10)
  dates.set(day, date)
  return date
}

const written = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

// Milliseconds may be left out. Undefined when it is not an instant: Date.parse alone takes the 30th of February for the 2nd of March.
export function fromInstant(text: string): number | undefined {
  const ms = written.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(ms) && toInstant(ms).slice(0, 19) === text.slice(0, 19) ? ms : undefined
}
