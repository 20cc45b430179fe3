// Checks where a post comes from, by the headers of the browser. Always a second protection: the first is a secret in the URL, or a
// cookie that browsers do not send from other sites.

import type { IncomingMessage } from 'node:http'

// For pages with a session cookie: the browser must name an origin, and it must be ours. The pages send `Referrer-Policy: same-origin`,
// since browsers would not name their origin otherwise.
export function isSameOrigin({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site']
  return headers.origin === origin && (site === undefined || site === 'same-origin')
}

// For pages whose URL is the secret. They send no referrer, so browsers without Sec-Fetch-Site send `Origin: null` for their forms too
// (Fetch, 3.2), and only a different origin is refused.
export function isCrossSite({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return headers.origin !== undefined && headers.origin !== 'null' && headers.origin !== origin
}
