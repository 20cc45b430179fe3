// Authenticates shoppers who call the open interface from a storefront: by an API key, and by the session that they opened at this
// origin.

import type { KeyCaller } from '../../platform/access/identify.ts'
import { networkBucket } from '../../platform/access/throttle.ts'
import type { CallerDenial, Gate } from '../../platform/http/gates.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { CustomerCaller, VisitorCaller } from '../../platform/http/open.ts'
import { decryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { customerSessionPurpose, isToken, storefrontTokenHash } from './signin.ts'
import { findCustomerSession } from './store.ts'

export const sessionHeader = 'customer-session'

export function createVisitorGate(keyGate: Gate<KeyCaller>): Gate<VisitorCaller> {
  return async (request, now) => {
    const passed = await keyGate(request, now)
    if (!('principal' in passed)) return passed
    const { principal } = passed
    return {
      principal: { ...principal, origin: originOf(principal, request), network: networkBucket(request.address) },
    }
  }
}

const denied: CallerDenial = {
  headers: {
    'www-authenticate':
      'Bearer error="invalid_token", error_description="the session of the customer is missing or has ended"',
  },
  isSuspicious: true,
}

export function createCustomerGate(
  keyGate: Gate<KeyCaller>,
  { storage, rootSecret }: { storage: Storage; rootSecret: RootSecret },
): Gate<CustomerCaller> {
  return async (request, now) => {
    const passed = await keyGate(request, now)
    if (!('principal' in passed)) return passed
    const { principal } = passed
    const token = request.raw.headers[sessionHeader]
    if (typeof token !== 'string' || !isToken(token)) return denied
    const hash = storefrontTokenHash(originOf(principal, request), token)
    const session = await storage.read((db) => findCustomerSession(db, principal, hash, now.getTime()))
    const email = session && decryptByRootSecret(rootSecret, customerSessionPurpose, session.emailSealed, session.id)
    if (!session || email === undefined) return denied
    // Idempotency keys and cursors are separate for each session.
    return { principal: { ...principal, claimant: `${principal.claimant} ${session.id}`, email } }
  }
}

// Requests from a server have no origin. Whether a page of this origin may use the key is decided after the gate.
function originOf({ origins }: KeyCaller, { raw }: Incoming): string {
  return origins ? (raw.headers.origin ?? '') : ''
}
