// Gates identify callers. There is a gate for each kind of caller, which reads its credential from the request. Domain folders define the
// gates that need their tables.

import type { KeyCaller } from '../access/identify.ts'
import type { Principal } from '../access/principal.ts'
import type { Incoming } from './message.ts'

export type Gate<Caller extends Principal = Principal> = (
  request: Incoming,
  now: Date,
) => Promise<AdmittedCaller<Caller> | CallerDenial>

export interface AdmittedCaller<Caller extends Principal> {
  principal: Caller
  // Headers to send with the response.
  headers?: Readonly<Record<string, string>>
  // Marks a one-time credential as used. Denies the caller if the credential was used before.
  claim?(): Promise<CallerDenial | null>
}

export interface CallerDenial {
  // The `WWW-Authenticate` challenge (default: `Bearer`).
  headers: Readonly<Record<string, string>>
  // Whether the credential may have been guessed. Guesses are limited by address.
  isSuspicious: boolean
}

const denied: CallerDenial = { headers: {}, isSuspicious: true }

// The token of an app was presented to an operation that requires a key.
const deniedToken: CallerDenial = {
  headers: {
    'www-authenticate':
      'Bearer error="invalid_token", error_description="an API key is required; create one at /api/v1/oauth/installation-keys"',
  },
  isSuspicious: true,
}

// The key is looked up even if its address has used up its limit of failures: many callers may share an address, and a valid key must
// work although others guess. Guessing is limited anyway: the total load is bounded, the checksum is verified before the database is
// queried, and a guess has to find 178 bits.
export function createKeyGate(
  identify: (authorization: string | undefined, now: number) => Promise<KeyCaller | undefined>,
): Gate<KeyCaller> {
  return async ({ raw }, now) => {
    const principal = await identify(raw.headers.authorization, now.getTime())
    if (principal) return { principal }
    return /^dpop /i.test(raw.headers.authorization ?? '') ? deniedToken : denied
  }
}
