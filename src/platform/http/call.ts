// Converts an HTTP request to a call of an operation. The steps run in the order of the lines. The comment of a step is the usual status
// with which it refuses.

import type { IncomingMessage } from 'node:http'
import { limits } from '../../contract/limits.ts'
import type { Principal } from '../access/principal.ts'
import { refuse } from '../kit/refuse.ts'
import { type AdmissionParts, createAdmission, refuseRepeatedHeader, visitorBucket } from './admission.ts'
import { hasBody, readJsonBody } from './body.ts'
import type { Checks } from './checks.ts'
import type { Cursors } from './cursors.ts'
import type { Gate } from './gates.ts'
import type { ReceiveBody } from './limiter.ts'
import type { Incoming, Trace } from './message.ts'
import { cursorSubject, type Performable, type PerformedCall } from './perform.ts'

export interface Callable extends Performable {
  // Null for operations that need no credential.
  gate: Gate | null
  checks: Checks
}

export interface CallParts extends AdmissionParts {
  receive: ReceiveBody
  cursors: Cursors
  clock: () => Date
}

export interface ReadCall {
  call: PerformedCall
  // Headers to send with the response.
  headers: Readonly<Record<string, string>>
}

const noHeaders = {}

export function createCallReader(parts: CallParts) {
  const { receive, cursors, clock } = parts
  const { passGate, admit, claimPass, refuseOrigin } = createAdmission(parts)
  return async (callable: Callable, request: Incoming, trace: Trace): Promise<ReadCall> => {
    const { id, operation, gate, checks } = callable
    const { raw, path } = request
    const now = clock()
    const passed = gate && (await passGate(gate, request, trace, now)) // 401
    const principal = passed?.principal ?? null
    if (principal) trace.callerId = principal.id
    if (principal?.origins) trace.pageOrigin = pageOf(raw, principal.origins)
    admit(operation, principal, request, now) // 429
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
      call: { principal, path: withoutZeros(path), query, body, after, key, requestId: trace.requestId, now },
      headers: passed?.headers ?? noHeaders,
    }
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
    refuseRepeatedHeader(raw, 'content-type')
    const limit = principal?.origins
      ? { key: visitorBucket(principal, request), most: bodiesPerVisitorMax }
      : { key: trace.callerId ?? '', most: bodiesPerCallerMax }
    const body = await receive(raw, limit, () => readJsonBody(raw, operation.bodyBytesMax ?? limits.bodyBytesMax))
    checks.refuseBadBody(body)
    return body
  }
}

// More bodies than a busy storefront sends at once.
const bodiesPerCallerMax = 128

// More bodies than a page sends at once; several visitors may share an address.
const bodiesPerVisitorMax = 16

function pageOf({ headers: { origin } }: IncomingMessage, origins: readonly string[]): string | null {
  return origin !== undefined && origins.includes(origin) ? origin : null
}

// All visitors with a publishable key share a namespace of idempotency keys: a visitor who guesses another visitor's idempotency key
// would get that visitor's response.
function refuseGuessable(key: string): void {
  if (key.length >= visitorKeyLengthMin) return
  const message = `With a publishable key, an idempotency key must be random and have at least ${visitorKeyLengthMin} characters.`
  throw refuse('idempotency_key_invalid', { message })
}

const visitorKeyLengthMin = 16

// The database cannot store U+0000, so it is replaced in path parameters, which then name nothing: the response is "not found".
function withoutZeros(path: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (!Object.values(path).some((value) => value.includes('\0'))) return path
  return Object.fromEntries(Object.entries(path).map(([name, value]) => [name, value.replaceAll('\0', '\ufffd')]))
}

// The fragment is removed, as in the router, although clients should not send one.
function queryOf({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?')
  if (mark < 0) return ''
  const end = url.indexOf('#')
  if (end >= 0 && end < mark) return ''
  return url.slice(mark + 1, end < 0 ? undefined : end)
}
