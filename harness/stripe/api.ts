// Answers requests to /v1/: authentication, parameters, idempotency, faults, and the check of every answer.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import Stripe from 'stripe'
import type { Account, AccountMode } from './account.ts'
import { checkedRequest, misfitOf, Unsupported } from './check.ts'
import { ApiError, type ErrorBody, invalid, missing } from './errors.ts'
import { type Form, parseForm } from './form.ts'
import type { Answer } from './idempotency.ts'
import type { Fault, Network } from './network.ts'
import { newId } from './objects.ts'
import { type Route, routeFor } from './routes.ts'
import { answerShopper } from './shopper.ts'

export interface ApiRequest {
  method: string
  path: string
  params: Form
  idempotencyKey: string | null
  status: number
  isReplay: boolean
  // The client did not get the answer.
  isLost: boolean
}

export interface ApiParts {
  accounts: readonly Account[]
  network: Network
  requests: ApiRequest[]
  defects: string[]
}

interface Incoming {
  method: string
  path: string
  form: Form
  key: string | null
  // The API version, if the client names one.
  version: string | undefined
}

interface Caller {
  account: Account
  mode: AccountMode
  isPublishable: boolean
}

// Undefined: the connection is to be broken.
type Reply = (Answer & { isReplay: boolean }) | undefined

export async function answerApi(parts: ApiParts, request: IncomingMessage, response: ServerResponse, body: string) {
  const url = new URL(request.url ?? '', 'http://stand-in')
  const method = request.method ?? ''
  const incoming: Incoming = {
    method,
    path: url.pathname,
    form: parseForm(method === 'POST' ? body : url.search),
    key: method === 'POST' ? (request.headers['idempotency-key']?.toString() ?? null) : null,
    version: request.headers['stripe-version']?.toString(),
  }
  const fault = parts.network.take(method, url.pathname)
  const requestId = newId('req')
  const halfMs = parts.network.latencyMs / 2
  if (halfMs > 0) await pause(halfMs)
  const reply = await replyTo(parts, request, incoming, fault, requestId)
  if (halfMs > 0) await pause(halfMs)
  const { path, form: params, key: idempotencyKey } = incoming
  const isLost = reply === undefined || (fault?.kind === 'lose' && fault.when === 'after')
  const isReplay = reply?.isReplay ?? false
  parts.requests.push({ method, path, params, idempotencyKey, status: reply?.status ?? 0, isReplay, isLost })
  if (isLost || reply === undefined) {
    parts.network.onLost()
    return void response.destroy()
  }
  response
    .writeHead(reply.status, {
      'content-type': 'application/json',
      'request-id': requestId,
      'stripe-version': Stripe.API_VERSION,
      // The script on the shop's page asks from another origin.
      'access-control-allow-origin': '*',
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey, 'original-request': reply.requestId } : {}),
      ...(isReplay ? { 'idempotent-replayed': 'true' } : {}),
    })
    .end(reply.body)
}

async function replyTo(
  parts: ApiParts,
  request: IncomingMessage,
  incoming: Incoming,
  fault: Fault | undefined,
  requestId: string,
): Promise<Reply> {
  const plain = (status: number, body: object) => ({ ...answered(status, body, requestId), isReplay: false })
  try {
    if (fault?.kind === 'lose' && fault.when === 'before') return undefined
    if (fault?.kind === 'fail')
      return plain(fault.status, { error: { type: 'api_error', message: 'The stand-in was told to fail.' } })
    const caller = callerOf(parts.accounts, request, incoming)
    checkHeaders(request)
    if (caller.isPublishable) {
      await held(fault)
      return plain(200, answerShopper(caller.mode.books, incoming))
    }
    return await replyToServer(parts, incoming, caller, fault, requestId)
  } catch (error) {
    if (error instanceof ApiError) return plain(error.status, { error: error.body })
    parts.defects.push(error instanceof Unsupported ? error.message : String((error as Error)?.stack ?? error))
    return plain(500, { error: { type: 'api_error', message: `The stand-in failed: ${String(error)}` } })
  }
}

async function replyToServer(
  parts: ApiParts,
  incoming: Incoming,
  { account, mode }: Caller,
  fault: Fault | undefined,
  requestId: string,
): Promise<Reply> {
  const { method, path, form, key } = incoming
  const found = routeFor(method, path)
  if (!found) throw new Unsupported(`the stand-in has no ${method} ${path}`)
  const params = JSON.stringify(sorted(form))
  const before = key === null ? undefined : mode.keys.find(key, path, params)
  if (before) return { ...before, isReplay: true }
  const checked = checkedRequest(found.route.schema, withPaymentMethod(incoming))
  if (key !== null) mode.keys.begin(key)
  let answer: Answer | undefined
  try {
    await held(fault)
    if (key !== null) await turn()
    const execute = () =>
      executed(parts, found, { account, mode, params: checked, request: { id: requestId, idempotency_key: key } })
    if (fault?.kind === 'break' && fault.isDone) execute()
    answer =
      fault?.kind === 'break'
        ? answered(500, { error: { type: 'api_error', message: 'The stand-in was told to break.' } }, requestId)
        : execute()
  } finally {
    if (key !== null) mode.keys.end(key, answer && { path, params, answer })
  }
  return { ...answer, isReplay: false }
}

interface Execution {
  account: Account
  mode: AccountMode
  params: Record<string, unknown>
  request: { id: string; idempotency_key: string | null }
}

// From here on an error is an answer like the others, and remembered like them.
function executed({ defects }: ApiParts, { route, id }: { route: Route; id: string }, execution: Execution): Answer {
  const { account, mode, params, request } = execution
  const { books } = mode
  books.request = request
  const check = (body: object) => {
    const misfit = misfitOf(body)
    if (misfit) defects.push(`${route.method} ${route.path}: ${misfit}`)
  }
  try {
    const body = route.answer({ books, id, params })
    check(body)
    return answered(200, body, request.id)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.body.payment_intent) check(error.body.payment_intent)
    return answered(error.status, { error: hinted(error.body, account, books.livemode, id) }, request.id)
  } finally {
    books.request = { id: null, idempotency_key: null }
  }
}

// An id of the other mode is told apart from an id that never was.
function hinted(body: ErrorBody, account: Account, livemode: boolean, id: string): ErrorBody {
  const other = livemode ? account.test.books : account.live.books
  if (body.code !== 'resource_missing' || !other.intents.has(id)) return body
  const [there, here] = livemode ? ['test', 'live'] : ['live', 'test']
  const hint = `; a similar object exists in ${there} mode, but a ${here} mode key was used to make this request.`
  return missing('payment_intent', id, hint).body
}

function callerOf(accounts: readonly Account[], request: IncomingMessage, { path, form }: Incoming): Caller {
  const { authorization = '' } = request.headers
  const [, bearer] = /^Bearer (\S+)$/.exec(authorization) ?? []
  const [, basic] = /^Basic (\S+)$/.exec(authorization) ?? []
  const { key: inForm } = form
  // Stripe.js sends its publishable key among the parameters, which needs no preflight.
  if (authorization === '') delete form.key
  const key = bearer ?? (basic ? Buffer.from(basic, 'base64').toString().split(':')[0] : inForm)
  if (typeof key !== 'string' || key === '')
    throw new ApiError(401, { type: 'invalid_request_error', message: 'You did not provide an API key.' })
  for (const account of accounts)
    for (const mode of [account.test, account.live]) {
      if (mode.isRevoked(key)) break
      if (key === mode.publishableKey) return { account, mode, isPublishable: true }
      if (key !== mode.secretKey && key !== mode.restrictedKey) continue
      if (mode.isDenied(key, path.split('/')[2] ?? '')) throw denied(key, account)
      return { account, mode, isPublishable: false }
    }
  throw new ApiError(401, { type: 'invalid_request_error', message: `Invalid API Key provided: ${masked(key)}` })
}

function denied(key: string, { id }: Account): ApiError {
  const message = `The provided key '${masked(key)}' does not have the required permissions for this endpoint on account '${id}'.`
  return new ApiError(403, { type: 'invalid_request_error', message })
}

function masked(key: string): string {
  return `${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`
}

function checkHeaders({ headers }: IncomingMessage): void {
  const { 'stripe-version': version, 'stripe-account': account, 'stripe-context': context } = headers
  if (account !== undefined || context !== undefined) throw new Unsupported('the stand-in has no connected accounts')
  const isKnown = version === Stripe.API_VERSION || /^\d{4}-\d\d-\d\d\.preview$/.test(version?.toString() ?? '')
  if (version !== undefined && !isKnown) throw invalid(`Invalid Stripe API version: ${version}`)
}

// https://docs.stripe.com/api/payment_intents/confirm: what pays may be given as data, with a token in it. That of a platform is known to
// previews of the API only.
function withPaymentMethod({ path, form, version }: Incoming): Form {
  const { payment_method_data: data, ...rest } = form
  if (!path.endsWith('/confirm') || typeof data !== 'object' || Array.isArray(data)) return form
  const { shared_payment_granted_token: shared, type, card, ...others } = data
  const [unknown] = Object.keys(others)
  if (unknown !== undefined || (shared !== undefined && !version?.endsWith('.preview')))
    throw invalid(`Received unknown parameter: payment_method_data[${unknown ?? 'shared_payment_granted_token'}]`, {
      code: 'parameter_unknown',
      param: 'payment_method_data',
    })
  if (shared !== undefined) return { ...rest, payment_method: shared }
  const token = typeof card === 'object' && !Array.isArray(card) ? card.token : undefined
  if (type !== 'card' || typeof token !== 'string')
    throw invalid('Missing required param: payment_method_data[card].', { code: 'parameter_missing', param: 'card' })
  return { ...rest, payment_method: token }
}

function answered(status: number, body: object, requestId: string): Answer {
  return { status, body: JSON.stringify(body, null, 2), requestId }
}

function sorted(form: Form): Form {
  return Object.fromEntries(Object.entries(form).sort(([one], [other]) => (one < other ? -1 : 1)))
}

async function held(fault: Fault | undefined): Promise<void> {
  if (fault?.kind !== 'hold') return
  fault.arrive()
  await fault.released
}

// Two requests with one key that arrive together collide, as they do at Stripe.
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
