// UCP by REST. The order of the statements in `answer` is the order of the checks; the comments beside them are the statuses of failed
// checks.

import { hash } from 'node:crypto'
import { type UcpRow, type UcpRowId, ucpRows } from '../../../contract/agents/rows.ts'
import { jsonType, type Outgoing } from '../../../platform/http/message.ts'
import { fieldString, readDictionary } from '../../../platform/kit/fields.ts'
import type { ShopContext } from '../context.ts'
import { AgentError } from '../error.ts'
import { checkBody, findRowAt, parseJsonBody, readBodyBytes } from '../request.ts'
import { admitPlatform, identifyPlatform } from './caller.ts'
import { performUcp } from './perform.ts'
import { signAnswer } from './sign.ts'

export async function answerRest(context: ShopContext, path: string): Promise<Outgoing> {
  try {
    return await answer(context, path)
  } catch (error) {
    if (!(error instanceof AgentError)) throw error
    const { status, code, message, issues, headers } = error
    context.trace.code = code
    const body = JSON.stringify({ code, content: message, ...(issues.length > 0 && { issues }) })
    return { status, body, headers: { ...plainHeaders, ...headers } }
  }
}

const plainHeaders = { 'content-type': jsonType, 'cache-control': 'no-store' }

async function answer(context: ShopContext, path: string): Promise<Outgoing> {
  const { request, trace, parts, shop, now, standing } = context
  const { rowId, row, id } = findRowAt<UcpRowId, UcpRow>(ucpRows, request.raw.method ?? '', path) // 404, 405
  trace.name = rowId
  if (context.named.profileUrl === null) throw withoutProfile() // 400
  const introduced = await identifyPlatform(context, row, context.named.profileUrl) // 401, 403, 400, 422, 424, 503
  const bytes = await readBodyBytes(context, row) // 413, 400
  const { caller, view } = await admitPlatform(context, introduced, row, { protocol: 'ucp', body: bytes }) // 401, 400, 429
  const key = row.kind === 'read' ? null : readIdempotencyKey(request.raw.headers['idempotency-key']) // 400
  const body = row.body === null ? null : checkBody(row, parseJsonBody(bytes)) // 400
  const digest = hash('sha256', bytes, 'base64url')
  const moment = { now, cause: { operationId: rowId, requestId: trace.requestId } }
  const done = await performUcp(parts, { rowId, shop, caller, view, standing, id, body, digest, key, moment })
  const replayed = done.isReplayed && { 'idempotency-replayed': 'true' }
  const answered = { status: done.status, body: done.body, headers: { ...plainHeaders, ...replayed } }
  return row.kind === 'complete' ? signAnswer(context, answered) : answered
}

// Reads `profile="https://…"`, a member of a structured field dictionary (RFC 8941). Returns undefined if the header does not name a
// profile.
export function parseProfileHeader(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? fieldString(readDictionary(header)?.get('profile')) : undefined
}

function withoutProfile(): AgentError {
  const content = 'The header UCP-Agent names the profile: profile="https://…".'
  return new AgentError(400, 'invalid_profile_url', content)
}

const keyPattern = /^[\w.-]{22,255}$/

// Keys must be long and random, because callers without a profile share one namespace of idempotency keys.
export function readIdempotencyKey(header: unknown): string {
  if (typeof header === 'string' && keyPattern.test(header)) return header
  const content = 'An idempotency key is needed: random, with 22 to 255 letters, digits, dots and hyphens.'
  throw new AgentError(400, 'idempotency_key_required', content)
}
