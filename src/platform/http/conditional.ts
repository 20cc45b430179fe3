// Conditional reads: an ETag that the caller has already is answered by a 304 without a body (RFC 9110, 13.1.2).

import type { IncomingMessage } from 'node:http'

// Compares weakly, as the standard asks. `tags` are the forms of what would be answered, each in quotation marks.
export function hasCurrent({ headers }: IncomingMessage, ...tags: readonly string[]): boolean {
  const given = headers['if-none-match']
  if (given === undefined) return false
  const known = given.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known.some((tag) => tag === '*' || tags.includes(tag))
}
