// Instants are epoch milliseconds internally, and RFC 3339 text (UTC, milliseconds, `Z`) in interfaces.

// Maximum difference between the clocks of two nodes.
export const clockSkewMsMax = 60_000

export function toInstant(ms: number): string {
  return new Date(ms).toISOString()
}

const written = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

// Parses an instant; its milliseconds are optional. Returns undefined if the text is not an instant. Date.parse alone would read February
// 30 as March 2.
export function fromInstant(text: string): number | undefined {
  const ms = written.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(ms) && toInstant(ms).slice(0, 19) === text.slice(0, 19) ? ms : undefined
}
