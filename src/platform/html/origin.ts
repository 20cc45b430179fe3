// Where a post comes from, by what the browser says. Always the second lock: the first is a secret in the address, or a cookie
// that browsers do not send from other sites.

import type { IncomingMessage } from 'node:http'

// For pages with a session cookie: whoever posts says where from, and it is our own page. They send `Referrer-Policy:
// same-origin`, or browsers would not name their origin.
export function isSameOrigin({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site']
  return headers.origin === origin && (site === undefined || site === 'same-origin')
}

// For pages whose address is the secret. They send no referrer, so browsers without Sec-Fetch-Site say `Origin: null` for their
// forms too (Fetch, 3.2), and only another origin that is named is refused.
export function isCrossSite({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return headers.origin !== undefined && headers.origin !== 'null' && headers.origin !== origin
}
