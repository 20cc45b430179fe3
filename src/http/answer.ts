// The road of every request: one straight function in which each step may refuse with one status of the contract, and
// the order of steps is the order of lines. Knows no domain; the handlers are given to it.

import type { KeyObject } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../access/identify.ts'
import { addressBucket, type Throttle } from '../access/throttle.ts'
import { type Operation, type OperationId, operations } from '../contract/open/operations.ts'
import { refusals } from '../contract/refusals.ts'
import { compile } from '../contract/validator.ts'
import type { Scope } from '../contract/words.ts'
import type { Cause } from '../events/announce.ts'
import { type Claim, fingerprintOf, type Keeper, once } from '../idempotency/once.ts'
import { badCursor } from '../kit/cursor.ts'
import { newId } from '../kit/ids.ts'
import { type Issue, Refusal, refuse } from '../kit/refuse.ts'
import { readToken, signToken } from '../kit/secrets.ts'
import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { type Reader, type Storage, StorageOutage, StorageUnavailable } from '../storage/storage.ts'
import { hasBody, readJsonBody } from './body.ts'
import { hasCurrent } from './conditional.ts'
import { type OAuthCaller, type Paging, Rendered } from './handler.ts'
import type { Pressure } from './pressure.ts'
import { createReceive, type Seats } from './seats.ts'

export interface Incoming {
  raw: IncomingMessage
  path: Readonly<Record<string, string>>
  address: string
}

export interface Outgoing {
  status: number
  body: string | Buffer
  headers: Record<string, string>
}

export interface Refused extends Outgoing {
  body: string
}

// The check of a caller with an access token, which lives upstairs.
export type OAuthGate = (request: Incoming, now: Date) => Promise<OAuthPass | OAuthRefusal>

export interface OAuthPass {
  caller: OAuthCaller
  // Sent with the answer.
  headers: Readonly<Record<string, string>>
  // Uses up what the caller has shown; refuses when it was used before.
  claim(): Promise<OAuthRefusal | null>
}

export interface OAuthRefusal {
  // The challenge.
  headers: Readonly<Record<string, string>>
  // Whether this may have been a guess.
  isSuspicious: boolean
}

export interface RoadParts {
  storage: Storage
  identify: (authorization: string | undefined, now: number) => Promise<Caller | undefined>
  oauthGate: OAuthGate
  throttles: Throttles
  pressure: Pressure
  // Of bodies that are awaited.
  bodySeats: Seats
  // The first signs; a cursor by any of them is read, since another node may sign with another version of the root secret.
  cursorKeys: readonly [KeyObject, ...KeyObject[]]
  // How answers that hold a secret are kept for the retry.
  sealedKeeper: Keeper
  // How long they are stored.
  answersMs: number
  clock: () => Date
  log: Log
  metrics: Metrics
}

// A missing throttle admits everybody.
export interface Throttles {
  byCredential: Throttle | null
  byAddress: Throttle | null
  byFailedAddress: Throttle | null
}

// The handlers arrive with their types already checked against the rows, in `app.ts`. Here they are all alike.
export type AnyHandler = (ask: {
  db: Reader
  caller: AnyCaller | null
  path: Readonly<Record<string, string>>
  body: unknown
  paging: Paging
  now: Date
  cause: Cause
}) => Promise<object>

type AnyCaller = Caller | OAuthCaller

interface Trace {
  requestId: string
  // An installed app is named by its installation.
  credentialId: string | null
  code: string | null
}

export function createRoad(parts: RoadParts) {
  const { storage, throttles, pressure, clock, log, metrics } = parts
  const receive = createReceive(parts.bodySeats, pressure)

  async function travel(id: OperationId, handler: AnyHandler, request: Incoming, trace: Trace): Promise<Outgoing> {
    const operation: Operation = operations[id]
    const now = clock()
    refuseTwice(request.raw, 'authorization')
    const pass = operation.caller === 'oauth' ? await passGate(request, now) : null // 401
    const caller = pass ? pass.caller : await identifyCaller(operation, request, now) // 401
    if (caller) trace.credentialId = caller.kind === 'key' ? caller.credentialId : caller.installationId
    admit(caller, request, now) // 429
    if (pass) await claimPass(pass, request, now) // 401
    refuseMissingScope(operation, caller) // 403
    const after = parseQuery(id, operation, request, caller) // 400
    const body = await parseBody(id, operation, request, (read) =>
      receive(request.raw, { key: trace.credentialId ?? '', most: bodiesPerCallerMax }, read),
    )
    refuseScopesBeyond(caller, body) // 403
    const paging: Paging = { after, next: (position) => nextLink(id, operation, request, caller, position) }
    const cause: Cause = { operationId: id, requestId: trace.requestId }
    const ask = { caller, path: request.path, body, paging, now, cause }
    if (operation.idempotency === 'none')
      return replyFor(await storage.read((db) => handler({ ...ask, db })), pass?.headers) // 404, 200
    const claim = { ...claimFor(id, request, caller, body, now), keptMs: parts.answersMs }
    const { text, replayed } = await once(
      storage,
      claim,
      async (tx) => textOf(await handler({ ...ask, db: tx })),
      secretAnswers.has(id) ? parts.sealedKeeper : undefined,
    ) // 409, 404, 409, 200
    const told = replayed && { 'idempotency-replayed': 'true' }
    return { status: 200, body: text, headers: { ...privately, ...pass?.headers, ...told } }
  }

  async function identifyCaller(operation: Operation, request: Incoming, now: Date): Promise<Caller | null> {
    if (operation.caller === 'anyone') return null
    // Looked up even when this address has used up its failures: behind one address there may be many callers, and a
    // right key must work whoever guesses beside it. The look-up of a wrong one is bounded by the load that we carry, its
    // checksum is proved before the database is asked, and a guess has 178 bits to find.
    const caller = await parts.identify(request.raw.headers.authorization, now.getTime())
    if (caller) return caller
    throw failure(request, now)
  }

  function failure(request: Incoming, now: Date, headers: Readonly<Record<string, string>> = {}): Refusal {
    const waitMs = throttles.byFailedAddress?.take(addressBucket(request.address), now.getTime()) ?? 0
    return waitMs > 0 ? refuse('rate_limited', { retryAfterMs: waitMs }) : refuse('unauthenticated', { headers })
  }

  async function passGate(request: Incoming, now: Date): Promise<OAuthPass> {
    const passed = await parts.oauthGate(request, now)
    if ('caller' in passed) return passed
    throw passed.isSuspicious
      ? failure(request, now, passed.headers)
      : refuse('unauthenticated', { headers: passed.headers })
  }

  async function claimPass(pass: OAuthPass, request: Incoming, now: Date): Promise<void> {
    const refusal = await pass.claim()
    if (refusal) throw failure(request, now, refusal.headers)
  }

  function admit(caller: AnyCaller | null, request: Incoming, now: Date): void {
    const waitMs = caller
      ? throttles.byCredential?.take(caller.kind === 'key' ? caller.credentialId : caller.grantId, now.getTime())
      : throttles.byAddress?.take(addressBucket(request.address), now.getTime())
    if (waitMs) throw refuse('rate_limited', { retryAfterMs: waitMs })
  }

  // The operations declare no query parameter. A list that has more rows names its next page by a link with a signed
  // cursor, and that cursor is the only parameter ever accepted.
  function parseQuery(
    id: OperationId,
    operation: Operation,
    request: Incoming,
    caller: AnyCaller | null,
  ): string | null {
    // A fragment is no business of ours, and a request should not hold one; the router cuts it off too.
    const url = (request.raw.url ?? '').split('#', 1)[0] ?? ''
    const mark = url.indexOf('?')
    if (mark < 0 || mark === url.length - 1) return null
    const query = new URLSearchParams(url.slice(mark + 1))
    if (query.size === 0) return null
    const issues: Issue[] = []
    for (const name of new Set(query.keys())) {
      if (!operation.paged || name !== 'cursor')
        issues.push({ path: pointer('query', name), message: 'is not a parameter of this operation' })
      if (issues.length === 20) break
    }
    if (issues.length > 0) throw refuse('invalid_request', { issues })
    const [cursor, second] = query.getAll('cursor')
    const payload = second === undefined ? readCursor(cursor ?? '') : undefined
    const subject = cursorSubject(id, caller)
    if (!payload?.startsWith(subject)) throw badCursor()
    return payload.slice(subject.length)
  }

  function readCursor(cursor: string): string | undefined {
    for (const key of parts.cursorKeys) {
      const payload = readToken(key, cursor)
      if (payload !== undefined) return payload
    }
    return undefined
  }

  // The row's own path: what stood in the request line may have named another host.
  function nextLink(
    id: OperationId,
    operation: Operation,
    request: Incoming,
    caller: AnyCaller | null,
    position: string,
  ): string {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(request.path[name] ?? ''),
    )
    return `${path}?cursor=${signToken(parts.cursorKeys[0], cursorSubject(id, caller) + position)}`
  }

  // Answers one request, whatever happens on the way.
  return async function answer(id: OperationId, handler: AnyHandler, request: Incoming): Promise<Outgoing> {
    const startedAt = performance.now()
    const trace: Trace = { requestId: newId('req'), credentialId: null, code: null }
    let outgoing: Outgoing
    if (!pressure.enter()) outgoing = refusalAnswer(refuse('unavailable', { retryAfterMs: 1000 }), trace)
    else {
      try {
        outgoing = orNotModified(await travel(id, handler, request, trace), request.raw)
      } catch (error) {
        outgoing = refusalAnswer(asRefusal(error, log, { requestId: trace.requestId, operation: id }), trace)
      } finally {
        pressure.leave()
      }
    }
    // What was sent and not read must not be taken for the next request.
    if (hasBody(request.raw) && !request.raw.readableEnded) outgoing.headers.connection = 'close'
    // What needs no key may be read by a page of any origin, the refusals included.
    if (operations[id].caller === 'anyone') outgoing.headers['access-control-allow-origin'] = '*'
    outgoing.headers['x-request-id'] = trace.requestId
    const durationMs = performance.now() - startedAt
    metrics.countRequest(id, outgoing.status, durationMs)
    log.info('request', {
      requestId: trace.requestId,
      credentialId: trace.credentialId,
      operation: id,
      method: request.raw.method,
      status: outgoing.status,
      code: trace.code,
      durationMs: Math.round(durationMs * 1000) / 1000,
      ...callerRequestId(request.raw),
    })
    return outgoing
  }

  function refusalAnswer(refusal: Refusal, trace: Trace): Outgoing {
    trace.code = refusal.code
    return answerFor(refusal, trace.requestId)
  }
}

// Our own ids are unique, and stand in events and errors, so a caller's never takes their place. It is logged beside ours, to
// join the logs of a proxy with these. What looks like one of our keys or secrets is not an id.
export function callerRequestId({ headers }: IncomingMessage): { callerRequestId?: string } {
  const id = headers['x-request-id']
  return typeof id === 'string' && /^(?!cw|whs)[\w.:-]{1,128}$/i.test(id) ? { callerRequestId: id } : {}
}

// What the caller has already is not sent again.
function orNotModified(outgoing: Outgoing, raw: IncomingMessage): Outgoing {
  const { etag } = outgoing.headers
  return etag !== undefined && hasCurrent(raw, etag) ? { ...outgoing, status: 304, body: '' } : outgoing
}

// More than a busy storefront has on their way at one moment.
const bodiesPerCallerMax = 128

// Whoever has such an answer can pay, or call.
const secretAnswers: ReadonlySet<OperationId> = new Set(['createHostedCheckoutSession', 'createInstallationKey'])

// Nothing between us and the caller may keep an answer to a credential.
const privately = { 'cache-control': 'no-store' }

function replyFor(reply: object, more?: Readonly<Record<string, string>>): Outgoing {
  if (!(reply instanceof Rendered))
    return { status: 200, body: JSON.stringify(reply), headers: { ...privately, ...more } }
  return { status: 200, body: reply.body, headers: { ...privately, ...reply.headers, ...more } }
}

// As it is kept with its key.
function textOf(reply: object): string {
  return reply instanceof Rendered ? String(reply.body) : JSON.stringify(reply)
}

// The key is a member of the body or a header, and both may be sent if they agree.
function claimFor(id: OperationId, request: Incoming, caller: AnyCaller | null, body: unknown, now: Date): Claim {
  // Only operations with a credential change anything.
  if (!caller) throw new Error(`${id} changes something and knows no caller`)
  const { idempotencyKey: member } = body as { idempotencyKey?: string }
  const header = request.raw.headers['idempotency-key'] as string | undefined
  if (member === undefined && header === undefined) throw refuse('idempotency_key_required')
  if (header !== undefined && !/^[\x21-\x7e]{1,255}$/.test(header)) {
    const issues = [{ path: '/headers/idempotency-key', message: 'must be 1 to 255 visible ASCII characters' }]
    throw refuse('idempotency_key_invalid', { issues })
  }
  if (member !== undefined && header !== undefined && member !== header) throw refuse('idempotency_key_ambiguous')
  const fingerprint = fingerprintOf(id, request.path, body as object)
  return { installationId: caller.installationId, key: member ?? header ?? '', fingerprint, now: now.getTime() }
}

function refuseMissingScope(operation: Operation, caller: AnyCaller | null): void {
  if (operation.scope === null || caller?.scopes.includes(operation.scope)) return
  throw refuse('scope_missing', { current: { requiredScope: operation.scope } })
}

// A token hands on no scope that it does not carry itself. Judged here and not by the handler, because an earlier answer to
// the same idempotency key may hold a secret that a token with more scopes was given.
function refuseScopesBeyond(caller: AnyCaller | null, body: unknown): void {
  if (caller?.kind !== 'oauth' || body === null) return
  const { scopes = [] } = body as { scopes?: readonly Scope[] }
  const missing = scopes.find((scope) => !caller.tokenScopes.includes(scope))
  if (missing !== undefined) throw refuse('scope_missing', { current: { requiredScope: missing } })
}

async function parseBody(
  id: OperationId,
  operation: Operation,
  request: Incoming,
  receive: <Body>(read: () => Promise<Body>) => Promise<Body>,
): Promise<unknown> {
  if (operation.body === null) {
    if (hasBody(request.raw)) throw refuse('body_not_allowed')
    return null
  }
  refuseTwice(request.raw, 'content-type')
  const body = await receive(() => readJsonBody(request.raw))
  const issues = validatorFor(id, operation)(body)
  if (issues.length === 0) return body
  const onlyTheKey = issues.every((issue) => issue.path === '/idempotencyKey')
  throw refuse(onlyTheKey ? 'idempotency_key_invalid' : 'invalid_request', { issues })
}

const validators = new Map<OperationId, (value: unknown) => readonly Issue[]>()

function validatorFor(id: OperationId, operation: Operation): (value: unknown) => readonly Issue[] {
  const kept = validators.get(id)
  if (kept) return kept
  if (!operation.body) throw new Error(`${id} declares no body`)
  const validate = compile(operation.body)
  validators.set(id, validate)
  return validate
}

// Node keeps the first of two such headers and says nothing, so that a proxy in front may have judged the other one.
function refuseTwice(raw: IncomingMessage, name: string): void {
  let seen = 0
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const header = raw.rawHeaders[i] as string
    if (header.length === name.length && header.toLowerCase() === name) seen += 1
  }
  if (seen > 1)
    throw refuse('invalid_request', { issues: [{ path: `/headers/${name}`, message: 'must be sent once' }] })
}

// A cursor leads on in the list it came from, for the caller it was given to, and nowhere else.
function cursorSubject(id: OperationId, caller: AnyCaller | null): string {
  return `${id} ${caller?.installationId ?? ''} `
}

function pointer(...names: string[]): string {
  return names.map((name) => `/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

// Everything that is not a refusal is a defect or an outage of ours: logged whole, answered without detail.
export function asRefusal(error: unknown, log: Log, fields: Readonly<Record<string, unknown>>): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof StorageUnavailable) {
    // The storage reports an outage itself, once.
    const level = error instanceof StorageOutage ? 'debug' : 'warn'
    log[level]('storage unavailable', { ...fields, reason: error.message })
    return refuse('unavailable', { retryAfterMs: 1000 })
  }
  log.error('defect', error, fields)
  return refuse('internal_error')
}

export function answerFor({ code, message, details }: Refusal, requestId: string): Refused {
  const { status } = refusals[code]
  const error = { code, message, status, requestId, issues: details.issues ?? [], current: details.current ?? null }
  const headers: Record<string, string> = { 'cache-control': 'no-store', 'x-request-id': requestId }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  Object.assign(headers, details.headers)
  if (details.retryAfterMs) headers['retry-after'] = String(Math.ceil(details.retryAfterMs / 1000))
  return { status, body: JSON.stringify({ error }), headers }
}
