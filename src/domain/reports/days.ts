// Days by a merchant's calendar: from midnight to midnight in their time zone. Pure.

// Such as 2026-06-01.
export type Day = string

const formats = new Map<string, Intl.DateTimeFormat>()

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  // Swedish dates are in the format of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, ...parts })
  formats.set(timeZone, format)
  return format
}

export function dayAt(at: number, timeZone: string): Day {
  return formatIn(timeZone).format(at)
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const starts = new Map<string, number>()
const startsMax = 10_000

// Returns the first instant of a day. Cached, because most reports need the same days, and finding the instant formats 27 dates.
export function startOfDay(day: Day, timeZone: string): number {
  const key = `${day} ${timeZone}`
  const known = starts.get(key)
  if (known !== undefined) return known
  const start = findStart(day, timeZone)
  if (starts.size >= startsMax) starts.clear()
  starts.set(key, start)
  return start
}

// The day begins at most 14 hours before and 12 hours after midnight in UTC, so exactly one instant of that range is its first.
function findStart(day: Day, timeZone: string): number {
  const midnight = Date.parse(`${day}T00:00:00.000Z`)
  let before = midnight - 15 * hourMs
  let after = midnight + 13 * hourMs
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (dayAt(middle, timeZone) < day) before = middle
    else after = middle
  }
  return after
}

export function addDays(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + days * dayMs).toISOString().slice(0, 10)
}

// Returns the number of days, including both. Zero or negative if `to` is before `from`.
export function daysBetween(from: Day, to: Day): number {
  return (Date.parse(`${to}T00:00:00.000Z`) - Date.parse(`${from}T00:00:00.000Z`)) / dayMs + 1
}

export type Period = 'day' | 'week' | 'month'

// Returns the first day of the period that contains a day. Weeks begin on Monday (ISO 8601).
export function startOfPeriod(day: Day, period: Period): Day {
  if (period === 'day') return day
  if (period === 'month') return `${day.slice(0, 7)}-01`
  const weekday = new Date(`${day}T00:00:00.000Z`).getUTCDay()
  return addDays(day, -((weekday + 6) % 7))
}

// Accepts the years 1900 to 2999: the day after the last one of 9999 has no four-digit year.
export function isDay(text: string): boolean {
  const at = /^(19|2\d)\d\d-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text
}

// Such as 2026-06.
export type Month = string

export function monthOfDay(day: Day): Month {
  return day.slice(0, 7)
}

// Returns day 31 for the last day of a month, whatever the month's length; other days are returned unchanged.
export function lastDayAs31(day: Day): Day {
  return monthOfDay(addDays(day, 1)) === monthOfDay(day) ? day : `${monthOfDay(day)}-31`
}

export interface DayRange {
  // Both days are included.
  from: Day
  to: Day
}

// Returns the parts of a range outside of these months, which are sorted and lie within the range.
export function rangesWithout({ from, to }: DayRange, months: readonly Month[]): DayRange[] {
  const ranges: DayRange[] = []
  let next = from
  for (const month of months) {
    const first = `${month}-01`
    if (next < first) ranges.push({ from: next, to: addDays(first, -1) })
    next = `${monthOfDay(addDays(`${month}-28`, 4))}-01`
  }
  if (next <= to) ranges.push({ from: next, to })
  return ranges
}
