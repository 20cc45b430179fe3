// UCP by REST. The order of the lines is the order of the checks.

import { hash } from 'node:crypto'
import { type UcpRow, type UcpRowId, ucpRows } from '../../../contract/agents/rows.ts'
import { limits } from '../../../contract/limits.ts'
import { compile } from '../../../contract/validator.ts'
import { addressBucket } from '../../../platform/access/throttle.ts'
import { hasBody, readBytes } from '../../../platform/http/body.ts'
import { jsonType, type Outgoing } from '../../../platform/http/message.ts'
import { readDictionary, stringIn } from '../../../platform/kit/fields.ts'
import { parseJson } from '../../../platform/kit/json.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import type { ShopContext } from '../context.ts'
import { admit, introduce } from './caller.ts'
import { performUcp, UcpError } from './perform.ts'
import { signedAnswer } from './sign.ts'

export async function answerRest(context: ShopContext, path: string): Promise<Outgoing> {
  try {
    return await answer(context, path)
  } catch (error) {
    if (!(error instanceof UcpError)) throw error
    const { status, code, message, issues, headers } = error
    context.trace.code = code
    const body = JSON.stringify({ code, content: message, ...(issues.length > 0 && { issues }) })
    return { status, body, headers: { ...plainHeaders, ...headers } }
  }
}

const plainHeaders = { 'content-type': jsonType, 'cache-control': 'no-store' }

async function answer(context: ShopContext, path: string): Promise<Outgoing> {
  const { request, trace, parts, shop, now } = context
  const { rowId, row, id } = routeOf(request.raw.method ?? '', path) // 404, 405
  trace.name = rowId
  const profileUrl = profileIn(request.raw.headers['ucp-agent']) // 400
  const introduced = await introduce(context, row, profileUrl) // 401, 403, 400, 422, 424, 503
  const bytes = await bytesOf(context, row) // 413, 400
  const { caller, view } = await admit(context, introduced, row, { protocol: 'ucp', body: bytes }) // 401, 400, 429
  const key = row.kind === 'read' ? null : idempotencyKeyIn(request.raw.headers['idempotency-key']) // 400
  const body = row.body === null ? null : checked(rowId, jsonIn(bytes)) // 400
  const digest = hash('sha256', bytes, 'base64url')
  const moment = { now, cause: { operationId: rowId, requestId: trace.requestId } }
  const done = await performUcp(parts, { rowId, shop, caller, view, id, body, digest, key, moment })
  const replayed = done.isReplayed && { 'idempotency-replayed': 'true' }
  const answered = { status: done.status, body: JSON.stringify(done.body), headers: { ...plainHeaders, ...replayed } }
  return row.kind === 'complete' ? signedAnswer(context, answered) : answered
}

function routeOf(method: string, path: string): { rowId: UcpRowId; row: UcpRow; id: string } {
  const rows = Object.entries(ucpRows) as [UcpRowId, UcpRow][]
  const here = rows.flatMap(([rowId, row]) => {
    const found = new RegExp(`^${row.path.replace('{id}', '([^/]+)')}$`).exec(path)
    return found ? [{ rowId, row, id: found[1] ?? '' }] : []
  })
  if (here.length === 0) throw refuse('route_not_found')
  const route = here.find(({ row }) => row.method === (method === 'HEAD' ? 'GET' : method))
  const allow = here.map(({ row }) => row.method).join(', ')
  if (!route) throw refuse('route_not_found', { status: 405, headers: { allow } })
  return { ...route, id: decoded(route.id) }
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return ''
  }
}

// `profile="https://…"`, one member of a dictionary (RFC 8941). Undefined where the header does not name one.
export function profileNamed(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? stringIn(readDictionary(header)?.get('profile')) : undefined
}

function profileIn(header: string | string[] | undefined): string {
  const found = profileNamed(header)
  if (found === undefined)
    throw new UcpError(400, 'invalid_profile_url', 'The header UCP-Agent names the profile: profile="https://…".')
  return found
}

async function bytesOf({ request, parts }: ShopContext, row: UcpRow): Promise<Buffer> {
  const { raw, address } = request
  if (!hasBody(raw)) {
    if (row.body === null) return Buffer.alloc(0)
    throw new UcpError(400, 'invalid_request', 'The request needs a body.')
  }
  if (row.body !== null && !/^application\/json\s*(;|$)/i.test(raw.headers['content-type'] ?? ''))
    throw new UcpError(400, 'invalid_request', 'The body is sent as application/json.')
  const limit = { key: `address ${addressBucket(address)}`, most: 16 }
  const bytes = await parts.receive(raw, limit, () => readBytes(raw, limits.bodyBytesMax))
  if (bytes === 'too_large') throw new UcpError(413, 'request_too_large', 'The body has at most 64 KiB.')
  if (bytes === 'ended_early') throw new UcpError(400, 'invalid_request', 'The body ended early.')
  return bytes
}

function jsonIn(bytes: Buffer): unknown {
  const parsed = parseJson(bytes.toString('utf8'))
  if ('value' in parsed) return parsed.value
  throw new UcpError(400, 'invalid_request', 'The body is not JSON as it should be.', { issues: [parsed.issue] })
}

const checks = new Map<UcpRowId, ReturnType<typeof compile>>()

// The body of a row, once it has the right shape.
export function checked(rowId: UcpRowId, body: unknown): unknown {
  const { body: schema } = ucpRows[rowId]
  if (schema === null) return null
  const check = checks.get(rowId) ?? compile(schema)
  checks.set(rowId, check)
  const issues = check(body)
  if (issues.length === 0) return body
  const [first] = issues
  throw new UcpError(400, 'invalid_request', `${first?.path} ${first?.message}`, { issues })
}

const keyPattern = /^[\w.-]{22,255}$/

// Of some length and chance: callers without a profile share one place for their keys.
export function idempotencyKeyIn(header: unknown): string {
  if (typeof header === 'string' && keyPattern.test(header)) return header
  const content = 'An idempotency key is needed: random, with 22 to 255 letters, digits, dots and hyphens.'
  throw new UcpError(400, 'idempotency_key_required', content)
}
