// Headers that let a page of another origin read a response in a browser (Fetch Standard, CORS protocol). Cookies are not allowed.

// Headers that pages may read in addition to those that are always readable.
const shownHeaders = 'x-request-id, idempotency-replayed, retry-after'

export function corsHeadersFor(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': shownHeaders,
    vary: 'origin',
  }
}
