// Conditional reads: if the client already has the current ETag, the response is a 304 without a body (RFC 9110, 13.1.2).

import type { IncomingMessage } from 'node:http'

// Compares weakly, as the standard requires. `tags` are the ETags of the possible responses, with their quotation marks.
export function matchesIfNoneMatch({ headers }: IncomingMessage, ...tags: readonly string[]): boolean {
  const given = headers['if-none-match']
  if (given === undefined) return false
  const known = given.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known.some((tag) => tag === '*' || tags.includes(tag))
}
