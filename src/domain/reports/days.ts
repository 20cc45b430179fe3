// Days as a merchant counts them: from midnight to midnight in their time zone. Pure.

// 2026-06-01.
export type Day = string

const formats = new Map<string, Intl.DateTimeFormat>()

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  // Sweden writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, ...parts })
  formats.set(timeZone, format)
  return format
}

export function dayOf(at: number, timeZone: string): Day {
  return formatIn(timeZone).format(at)
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

// The first instant of a day. Midnight in UTC is at most 14 hours after it and 12 before; in between, the day changes once.
export function startOf(day: Day, timeZone: string): number {
  const midnight = Date.parse(`${day}T00:00:00.000Z`)
  let before = midnight - 15 * hourMs
  let after = midnight + 13 * hourMs
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (dayOf(middle, timeZone) < day) before = middle
    else after = middle
  }
  return after
}

export function plusDays(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + days * dayMs).toISOString().slice(0, 10)
}

// Both included. Negative when the second is before the first.
export function daysBetween(from: Day, to: Day): number {
  return (Date.parse(`${to}T00:00:00.000Z`) - Date.parse(`${from}T00:00:00.000Z`)) / dayMs + 1
}

export type Period = 'day' | 'week' | 'month'

// The first day of the period that a day lies in. Weeks begin on Monday (ISO 8601).
export function periodOf(day: Day, period: Period): Day {
  if (period === 'day') return day
  if (period === 'month') return `${day.slice(0, 7)}-01`
  const weekday = new Date(`${day}T00:00:00.000Z`).getUTCDay()
  return plusDays(day, -((weekday + 6) % 7))
}

// In the years 1900 to 2999: the day after the last of 9999 has no four-digit year.
export function isDay(text: string): boolean {
  const at = /^(19|2\d)\d\d-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text
}

// 2026-06.
export type Month = string

export function monthOf(day: Day): Month {
  return day.slice(0, 7)
}

// A day that is the last of its month, as if every month had 31; others as they are.
export function lastOf(day: Day): Day {
  return monthOf(plusDays(day, 1)) === monthOf(day) ? day : `${monthOf(day)}-31`
}

export interface DayRange {
  // Both included.
  from: Day
  to: Day
}

// What remains of a range without these months, which are in order and lie within it.
export function rangesWithout({ from, to }: DayRange, months: readonly Month[]): DayRange[] {
  const ranges: DayRange[] = []
  let next = from
  for (const month of months) {
    const first = `${month}-01`
    if (next < first) ranges.push({ from: next, to: plusDays(first, -1) })
    next = `${monthOf(plusDays(`${month}-28`, 4))}-01`
  }
  if (next <= to) ranges.push({ from: next, to })
  return ranges
}
