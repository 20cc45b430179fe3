// Values of `<input type="datetime-local">`, in the shop's time zone. Pure.

export function toLocalTime(instant: string, timeZone: string): string {
  return local(Date.parse(instant), timeZone)
}

// Returns undefined if the text is not a date. A time that is skipped when the clocks change becomes the time one hour later.
export function fromLocalTime(text: string, timeZone: string): string | undefined {
  const wanted = Date.parse(`${text.slice(0, 16)}:00Z`)
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) || Number.isNaN(wanted)) return undefined
  const short = (at: number) => wanted - Date.parse(`${local(at, timeZone)}:00Z`)
  let at = wanted
  // The offset depends on the result, so the first guess can be wrong when the clocks change.
  for (let round = 0; round < 2; round++) at += short(at)
  // The result is still short of a skipped time in zones west of Greenwich.
  return new Date(at + Math.max(0, short(at))).toISOString()
}

function local(at: number, timeZone: string): string {
  // The Swedish locale formats as 2026-12-01 00:00.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return format.format(at).replace(' ', 'T')
}

// Returns the instant at which a day begins in the shop's time zone: a day such as 2026-11-16, or the day `daysLater` days after it.
// Returns undefined if the text is not a day.
export function dayBegin(day: string | null | undefined, timeZone: string, daysLater = 0): string | undefined {
  if (!day || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined
  const noon = Date.parse(`${day}T12:00:00Z`)
  if (Number.isNaN(noon)) return undefined
  return fromLocalTime(`${new Date(noon + daysLater * 86_400_000).toISOString().slice(0, 10)}T00:00`, timeZone)
}
