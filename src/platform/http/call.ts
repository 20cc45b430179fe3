// Turns an HTTP request into a call. Each step may refuse with one status, and the order of the steps is the order of lines.

import type { IncomingMessage } from 'node:http'
import { issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { Principal } from '../access/principal.ts'
import { addressBucket, type Throttle } from '../access/throttle.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'
import { hasBody, readJsonBody } from './body.ts'
import type { Checks } from './checks.ts'
import type { Cursors } from './cursors.ts'
import type { Gate, Passed } from './gates.ts'
import type { Receive } from './limiter.ts'
import type { Incoming, Trace } from './message.ts'
import { type Call, cursorSubject, type Performable } from './perform.ts'

export interface Callable extends Performable {
  // Null for operations that anyone may call.
  gate: Gate | null
  checks: Checks
}

// A missing throttle admits every caller.
export interface Throttles {
  byCredential: Throttle | null
  byAddress: Throttle | null
  byFailedAddress: Throttle | null
  // Visitors of pages with a publishable key, each by the address of the client.
  byVisitor: Throttle | null
}

export interface CallParts {
  throttles: Throttles
  receive: Receive
  cursors: Cursors
  // Whether some publishable key is bound to the origin.
  isKnownOrigin: (origin: string, now: number) => Promise<boolean>
  clock: () => Date
}

export interface ReadCall {
  call: Call
  // Sent with the answer.
  headers: Readonly<Record<string, string>>
}

const noHeaders = {}

export function createCallReader({ throttles, receive, cursors, isKnownOrigin, clock }: CallParts) {
  return async (callable: Callable, request: Incoming, trace: Trace): Promise<ReadCall> => {
    const { id, operation, gate, checks } = callable
    const { raw, path } = request
    const now = clock()
    refuseTwice(raw, 'authorization')
    const passed = gate && (await passGate(gate, request, trace, now)) // 401
    const principal = passed?.principal ?? null
    if (principal) trace.callerId = principal.id
    if (principal?.origins) trace.pageOrigin = pageOf(raw, principal.origins)
    admit(callable, principal, request, now) // 429
    if (passed?.claim) await claimPass(passed, request, now) // 401
    checks.refuseMissingScope(principal) // 403
    if (principal?.origins && trace.pageOrigin === null) await refuseOrigin(request, trace, now) // 403
    const { values: query, cursor } = checks.query.read(queryOf(raw)) // 400
    const after = cursors.read(cursorSubject(id, operation, { principal, query }), cursor) // 400
    const body = await readBody(callable, request, principal, trace) // 400
    checks.refuseScopesBeyond(principal, body) // 403
    const key = checks.keyOf(body, raw.headers['idempotency-key'] as string | undefined) // 400
    if (principal?.origins && key !== null) refuseGuessable(key) // 400
    return {
      call: { principal, path, query, body, after, key, requestId: trace.requestId, now },
      headers: passed?.headers ?? noHeaders,
    }
  }

  async function passGate(gate: Gate, request: Incoming, trace: Trace, now: Date): Promise<Passed<Principal>> {
    const passed = await gate(request, now)
    if ('principal' in passed) return passed
    await showToPage(request, trace, now)
    throw passed.isSuspicious
      ? failure(request, now, passed.headers)
      : refuse('unauthenticated', { headers: passed.headers })
  }

  // A page may read the refusal if some key is bound to its origin. Then its developer sees what is wrong.
  async function showToPage({ raw, address }: Incoming, trace: Trace, now: Date): Promise<void> {
    const { origin } = raw.headers
    if (origin === undefined || throttles.byVisitor?.take(addressBucket(address), now.getTime())) return
    if (await isKnownOrigin(origin, now.getTime())) trace.pageOrigin = origin
  }

  // Browsers name the origin of the page in every request to another one, and a page cannot change it.
  async function refuseOrigin(request: Incoming, trace: Trace, now: Date): Promise<never> {
    await showToPage(request, trace, now)
    const message =
      request.raw.headers.origin === undefined
        ? 'A publishable key works on the pages of a storefront: the request names no Origin.'
        : 'The publishable key is not bound to the origin of this page.'
    throw refuse('scope_missing', { message })
  }

  async function claimPass({ claim }: Passed<Principal>, request: Incoming, now: Date): Promise<void> {
    const denied = await claim?.()
    if (denied) throw failure(request, now, denied.headers)
  }

  function failure(request: Incoming, now: Date, headers: Readonly<Record<string, string>>): Refusal {
    const waitMs = throttles.byFailedAddress?.take(addressBucket(request.address), now.getTime()) ?? 0
    return waitMs > 0 ? refuse('rate_limited', { retryAfterMs: waitMs }) : refuse('unauthenticated', { headers })
  }

  function admit({ operation }: Callable, principal: Principal | null, request: Incoming, now: Date): void {
    const at = now.getTime()
    const { cost = 1, idempotency } = operation
    const waitMs = principal?.origins
      ? throttles.byVisitor?.take(visitorOf(principal, request), at, idempotency === 'none' ? cost : changeCost)
      : principal
        ? throttles.byCredential?.take(principal.throttleKey, at, cost)
        : throttles.byAddress?.take(addressBucket(request.address), at, cost)
    if (waitMs) throw refuse('rate_limited', { retryAfterMs: waitMs })
  }

  async function readBody(
    { operation, checks }: Callable,
    request: Incoming,
    principal: Principal | null,
    trace: Trace,
  ): Promise<unknown> {
    const { raw } = request
    if (operation.body === null) {
      if (hasBody(raw)) throw refuse('body_not_allowed')
      return null
    }
    refuseTwice(raw, 'content-type')
    const limit = principal?.origins
      ? { key: visitorOf(principal, request), most: bodiesPerVisitorMax }
      : { key: trace.callerId ?? '', most: bodiesPerCallerMax }
    const body = await receive(raw, limit, () => readJsonBody(raw, operation.bodyBytesMax ?? limits.bodyBytesMax))
    checks.refuseBadBody(body)
    return body
  }
}

// More than a busy storefront sends at one moment.
const bodiesPerCallerMax = 128

// More than a page sends at one moment; there may be several people behind one address.
const bodiesPerVisitorMax = 16

// A change costs a visitor as much as this many reads.
const changeCost = 2

// All visitors of a page share its key, so none of them may use up what the others need.
function visitorOf({ throttleKey }: Principal, { address }: Incoming): string {
  return `${throttleKey} ${addressBucket(address)}`
}

function pageOf({ headers: { origin } }: IncomingMessage, origins: readonly string[]): string | null {
  return origin !== undefined && origins.includes(origin) ? origin : null
}

// The keys of all visitors have one place, and who guesses one gets the answer that it got.
function refuseGuessable(key: string): void {
  if (key.length >= visitorKeyLengthMin) return
  const message = `With a publishable key, an idempotency key must be random and have at least ${visitorKeyLengthMin} characters.`
  throw refuse('idempotency_key_invalid', { message })
}

const visitorKeyLengthMin = 16

// A request should not hold a fragment; the router cuts it off too.
function queryOf({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?')
  if (mark < 0) return ''
  const end = url.indexOf('#')
  if (end >= 0 && end < mark) return ''
  return url.slice(mark + 1, end < 0 ? undefined : end)
}

// Node takes the first of two such headers and says nothing, while a proxy in front may have judged the other one.
function refuseTwice(raw: IncomingMessage, name: string): void {
  let seen = 0
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const header = raw.rawHeaders[i] as string
    if (header.length === name.length && header.toLowerCase() === name) seen += 1
  }
  if (seen > 1) throw refuse('invalid_request', { issues: [issueAt(`/headers/${name}`, 'header_repeated')] })
}
