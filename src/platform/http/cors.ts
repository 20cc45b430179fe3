// Headers that let a page of another origin read an answer in a browser (Fetch Standard, CORS protocol). They allow no cookies.

// Headers in addition to those that every page may read.
const shownHeaders = 'x-request-id, idempotency-replayed, retry-after'

export function corsHeadersFor(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': shownHeaders,
    vary: 'origin',
  }
}
