// The headers by which a browser lets a page of another origin read an answer (Fetch Standard, CORS protocol). They allow no
// cookies.

// Beside those that every page may read.
const shownHeaders = 'x-request-id, idempotency-replayed, retry-after'

export function readableBy(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': shownHeaders,
    vary: 'origin',
  }
}
