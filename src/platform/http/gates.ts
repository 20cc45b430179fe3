// Gates identify callers. Each kind of caller has a gate, which reads the credential of a request. Domain folders pass their gates to the
// server.

import type { KeyCaller } from '../access/identify.ts'
import type { Principal } from '../access/principal.ts'
import type { Incoming } from './message.ts'

export type Gate<Caller extends Principal = Principal> = (
  request: Incoming,
  now: Date,
) => Promise<AdmittedCaller<Caller> | DeniedCaller>

export interface AdmittedCaller<Caller extends Principal> {
  principal: Caller
  // Headers to send with the answer.
  headers?: Readonly<Record<string, string>>
  // Marks a one-time credential as used; denies if it was used before.
  claim?(): Promise<DeniedCaller | null>
}

export interface DeniedCaller {
  // The `WWW-Authenticate` challenge (default: `Bearer`).
  headers: Readonly<Record<string, string>>
  // Whether this may have been a guess. Guesses are limited by address.
  isSuspicious: boolean
}

const denied: DeniedCaller = { headers: {}, isSuspicious: true }

// An app's token was presented to an operation that takes a key.
const deniedToken: DeniedCaller = {
  headers: {
    'www-authenticate':
      'Bearer error="invalid_token", error_description="an API key is required; create one at /api/v1/oauth/installation-keys"',
  },
  isSuspicious: true,
}

// The key is looked up even if its address has used up its allowed failures: many callers may share an address, and a valid key must work
// whatever others guess. The cost of guesses is limited: total load is bounded, the checksum is verified before the database is queried,
// and a guess has to find 178 bits.
export function createKeyGate(
  identify: (authorization: string | undefined, now: number) => Promise<KeyCaller | undefined>,
): Gate<KeyCaller> {
  return async ({ raw }, now) => {
    const principal = await identify(raw.headers.authorization, now.getTime())
    if (principal) return { principal }
    return /^dpop /i.test(raw.headers.authorization ?? '') ? deniedToken : denied
  }
}
