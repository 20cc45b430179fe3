// Turns an HTTP request into a call. Each step may refuse with one status, and the order of the steps is the order of lines.

import type { IncomingMessage } from 'node:http'
import type { Principal } from '../access/principal.ts'
import { addressBucket, type Throttle } from '../access/throttle.ts'
import { limits } from '../contract/limits.ts'
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
}

export interface CallParts {
  throttles: Throttles
  receive: Receive
  cursors: Cursors
  clock: () => Date
}

export interface ReadCall {
  call: Call
  // Sent with the answer.
  headers: Readonly<Record<string, string>>
}

const noHeaders = {}

export function createCallReader({ throttles, receive, cursors, clock }: CallParts) {
  return async (callable: Callable, request: Incoming, trace: Trace): Promise<ReadCall> => {
    const { id, operation, gate, checks } = callable
    const { raw, path } = request
    const now = clock()
    refuseTwice(raw, 'authorization')
    const passed = gate && (await passGate(gate, request, now)) // 401
    const principal = passed?.principal ?? null
    if (principal) trace.callerId = principal.id
    admit(principal, request, now, operation.cost) // 429
    if (passed?.claim) await claimPass(passed, request, now) // 401
    checks.refuseMissingScope(principal) // 403
    const { values: query, cursor } = checks.query.read(queryOf(raw)) // 400
    const after = cursors.read(cursorSubject(id, operation, { principal, query }), cursor) // 400
    const body = await readBody(callable, raw, trace) // 400
    checks.refuseScopesBeyond(principal, body) // 403
    const key = checks.keyOf(body, raw.headers['idempotency-key'] as string | undefined) // 400
    return {
      call: { principal, path, query, body, after, key, requestId: trace.requestId, now },
      headers: passed?.headers ?? noHeaders,
    }
  }

  async function passGate(gate: Gate, request: Incoming, now: Date): Promise<Passed<Principal>> {
    const passed = await gate(request, now)
    if ('principal' in passed) return passed
    throw passed.isSuspicious
      ? failure(request, now, passed.headers)
      : refuse('unauthenticated', { headers: passed.headers })
  }

  async function claimPass({ claim }: Passed<Principal>, request: Incoming, now: Date): Promise<void> {
    const denied = await claim?.()
    if (denied) throw failure(request, now, denied.headers)
  }

  function failure(request: Incoming, now: Date, headers: Readonly<Record<string, string>>): Refusal {
    const waitMs = throttles.byFailedAddress?.take(addressBucket(request.address), now.getTime()) ?? 0
    return waitMs > 0 ? refuse('rate_limited', { retryAfterMs: waitMs }) : refuse('unauthenticated', { headers })
  }

  function admit(principal: Principal | null, request: Incoming, now: Date, cost = 1): void {
    const waitMs = principal
      ? throttles.byCredential?.take(principal.throttleKey, now.getTime(), cost)
      : throttles.byAddress?.take(addressBucket(request.address), now.getTime(), cost)
    if (waitMs) throw refuse('rate_limited', { retryAfterMs: waitMs })
  }

  async function readBody({ operation, checks }: Callable, raw: IncomingMessage, trace: Trace): Promise<unknown> {
    if (operation.body === null) {
      if (hasBody(raw)) throw refuse('body_not_allowed')
      return null
    }
    refuseTwice(raw, 'content-type')
    const limit = { key: trace.callerId ?? '', most: bodiesPerCallerMax }
    const body = await receive(raw, limit, () => readJsonBody(raw, operation.bodyBytesMax ?? limits.bodyBytesMax))
    checks.refuseBadBody(body)
    return body
  }
}

// More than a busy storefront sends at one moment.
const bodiesPerCallerMax = 128

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
  if (seen > 1)
    throw refuse('invalid_request', { issues: [{ path: `/headers/${name}`, message: 'must be sent once' }] })
}
