// Admits a caller: identifies it, checks its rate limits, and refuses one-time credentials that were used before. Every HTTP request for
// an operation passes this.

import type { IncomingMessage } from 'node:http'
import { issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { Operation } from '../../contract/surface.ts'
import type { Principal } from '../access/principal.ts'
import { addressBucket, type Throttle } from '../access/throttle.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'
import { hasBody } from './body.ts'
import type { AdmittedCaller, Gate } from './gates.ts'
import type { Incoming, Trace } from './message.ts'

// A throttle that is null admits every request.
export interface Throttles {
  byCredential: Throttle | null
  byAddress: Throttle | null
  byFailedAddress: Throttle | null
  // Limits visitors of pages with a publishable key, by key and client address, and look-ups of origins, by client address.
  byVisitor: Throttle | null
}

export interface AdmissionParts {
  throttles: Throttles
  // Returns whether a publishable key of any shop is bound to the origin.
  isKnownOrigin: (origin: string, now: number) => Promise<boolean>
}

type Weighed = Pick<Operation, 'cost' | 'idempotency' | 'bodyBytesMax'>

export function createAdmission({ throttles, isKnownOrigin }: AdmissionParts) {
  async function passGate(gate: Gate, request: Incoming, trace: Trace, now: Date): Promise<AdmittedCaller<Principal>> {
    refuseRepeatedHeader(request.raw, 'authorization')
    const passed = await gate(request, now)
    if ('principal' in passed) return passed
    await showToPage(request, trace, now)
    throw passed.isSuspicious
      ? failure(request, now, passed.headers)
      : refuse('unauthenticated', { headers: passed.headers })
  }

  // Lets a page read the refusal if any key is bound to its origin, so its developer sees the reason.
  async function showToPage({ raw, address }: Incoming, trace: Trace, now: Date): Promise<void> {
    const { origin } = raw.headers
    if (origin === undefined || throttles.byVisitor?.take(addressBucket(address), now.getTime())) return
    if (await isKnownOrigin(origin, now.getTime())) trace.pageOrigin = origin
  }

  // Browsers send the page's origin with every cross-origin request, and scripts cannot change it.
  async function refuseOrigin(request: Incoming, trace: Trace, now: Date): Promise<never> {
    await showToPage(request, trace, now)
    const message =
      request.raw.headers.origin === undefined
        ? 'A publishable key only works on the pages of a storefront, and the request has no Origin header.'
        : 'The origin of this page is not among the origins of the publishable key.'
    throw refuse('scope_missing', { message })
  }

  async function claimPass({ claim }: AdmittedCaller<Principal>, request: Incoming, now: Date): Promise<void> {
    const denied = await claim?.()
    if (denied) throw failure(request, now, denied.headers)
  }

  function failure(request: Incoming, now: Date, headers: Readonly<Record<string, string>>): Refusal {
    const waitMs = throttles.byFailedAddress?.take(addressBucket(request.address), now.getTime()) ?? 0
    return waitMs > 0 ? refuse('rate_limited', { retryAfterMs: waitMs }) : refuse('unauthenticated', { headers })
  }

  function admit(operation: Weighed, principal: Principal | null, request: Incoming, now: Date): void {
    const at = now.getTime()
    const { idempotency } = operation
    const cost = Math.max(operation.cost ?? 1, bodyCost(operation, request.raw))
    const waitMs = principal?.origins
      ? throttles.byVisitor?.take(visitorBucket(principal, request), at, idempotency === 'none' ? cost : changeCost)
      : principal
        ? throttles.byCredential?.take(principal.throttleKey, at, cost)
        : throttles.byAddress?.take(addressBucket(request.address), at, cost)
    if (waitMs) throw refuse('rate_limited', { retryAfterMs: waitMs })
  }

  return { passGate, admit, claimPass, refuseOrigin }
}

// Bytes per token, for bodies above the usual limit. If each of a hundred file chunks per second cost one token, garbage collection would
// delay the requests of shoppers.
const bytesPerToken = 16_384

function bodyCost({ bodyBytesMax }: Weighed, raw: IncomingMessage): number {
  if (bodyBytesMax === undefined || !hasBody(raw)) return 1
  const bytes = Number(raw.headers['content-length'] ?? bodyBytesMax)
  return bytes <= limits.bodyBytesMax ? 1 : Math.ceil(Math.min(bytes, bodyBytesMax) / bytesPerToken)
}

// Tokens that a change by a visitor costs. A read costs as much as for other callers.
const changeCost = 2

// All visitors of a page share its key, so each visitor is limited separately, by address.
export function visitorBucket({ throttleKey }: Principal, { address }: Incoming): string {
  return `${throttleKey} ${addressBucket(address)}`
}

// If the header is repeated, Node silently uses the first one, while a proxy in front may have checked another.
export function refuseRepeatedHeader(raw: IncomingMessage, name: string): void {
  let seen = 0
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const header = raw.rawHeaders[i] as string
    if (header.length === name.length && header.toLowerCase() === name) seen += 1
  }
  if (seen > 1) throw refuse('invalid_request', { issues: [issueAt(`/headers/${name}`, 'header_repeated')] })
}
