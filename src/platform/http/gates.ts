// Who is calling. Each kind of caller has a gate, which finds out by the credential that a request shows; the gates of the
// kinds that live upstairs are given to the server.

import type { KeyCaller } from '../access/identify.ts'
import type { Principal } from '../access/principal.ts'
import type { Incoming } from './message.ts'

export type Gate<Caller extends Principal = Principal> = (
  request: Incoming,
  now: Date,
) => Promise<Passed<Caller> | Denied>

export interface Passed<Caller extends Principal> {
  principal: Caller
  // Sent with the answer.
  headers?: Readonly<Record<string, string>>
  // Uses up what the caller has shown; denies when it was used before.
  claim?(): Promise<Denied | null>
}

export interface Denied {
  // The challenge; `Bearer` where none is named.
  headers: Readonly<Record<string, string>>
  // Whether this may have been a guess. Guesses are limited by address.
  isSuspicious: boolean
}

const denied: Denied = { headers: {}, isSuspicious: true }

// An app's token shown to an operation that takes a key.
const deniedToken: Denied = {
  headers: {
    'www-authenticate':
      'Bearer error="invalid_token", error_description="an API key is required; create one at /api/v1/oauth/installation-keys"',
  },
  isSuspicious: true,
}

// The key is looked up even when its address has used up its failures: behind one address there may be many callers, and a
// right key must work whatever is guessed beside it. The look-up of a wrong one is bounded by the load that we carry, its
// checksum is proved before the database is asked, and a guess has 178 bits to find.
export function createKeyGate(
  identify: (authorization: string | undefined, now: number) => Promise<KeyCaller | undefined>,
): Gate<KeyCaller> {
  return async ({ raw }, now) => {
    const principal = await identify(raw.headers.authorization, now.getTime())
    if (principal) return { principal }
    return /^dpop /i.test(raw.headers.authorization ?? '') ? deniedToken : denied
  }
}
