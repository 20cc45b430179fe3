// The error response to an app's OAuth client if a request did not reach the authorization server or its database. Pure.

// RFC 6749, 5.2 has no error code for a token endpoint that is busy or fails. The two registered codes of the authorization endpoint for
// these cases (4.1.2.1) are used instead. `slow_down` (RFC 8628) would tell a polling client that its authorization is still pending.
export function clientErrorFor(status: number, reason = ''): { error: string; error_description: string } {
  if (status === 429) return { error: busy, error_description: 'too many requests, try again after Retry-After' }
  if (status === 503) return { error: busy, error_description: 'the server cannot answer now, try again' }
  if (status >= 500) return { error: 'server_error', error_description: 'something went wrong on our side' }
  return { error: 'invalid_request', error_description: reason.replaceAll(unspeakable, '?') }
}

const busy = 'temporarily_unavailable'

// Characters that RFC 6749, 5.2 does not allow in `error_description`.
const unspeakable = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/g
