// Checks from which site a form was posted, by headers of the browser. Only a second protection: the first is a secret in the URL, or a
// cookie that browsers do not send from other sites.

import type { IncomingMessage } from 'node:http'

// For pages with a session cookie: the browser must send an Origin, which must be that of this server. These pages send `Referrer-Policy:
// same-origin`, because browsers would otherwise not send the origin.
export function isSameOrigin({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site']
  return headers.origin === origin && (site === undefined || site === 'same-origin')
}

// For pages whose URL contains the secret. They send no referrer, so browsers without Sec-Fetch-Site send `Origin: null` even for their
// own forms (Fetch, 3.2). Only a different origin is refused.
export function isCrossSite({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return headers.origin !== undefined && headers.origin !== 'null' && headers.origin !== origin
}
