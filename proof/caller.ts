// A client of the API: real HTTP over a bounded number of keep-alive connections. A missing answer is an error of the
// caller, which is what a killed server looks like from here.

import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { AdminErrorResponse } from '../src/contract/admin/errors.ts'
import { type AdminOperationId, adminOperations } from '../src/contract/admin/operations.ts'
import { PublicErrorResponse } from '../src/contract/errors.ts'
import type { Issue } from '../src/contract/issues.ts'
import { type OperationId, operations } from '../src/contract/open/operations.ts'
import { type RefusalCode, refusals } from '../src/contract/refusals.ts'
import type { Operation } from '../src/contract/surface.ts'
import { compileSchema } from '../src/contract/validator.ts'

const answerMsMax = 60_000

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  tookMs: number
}

export interface Call {
  method: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
}

export interface Asked {
  path?: Readonly<Record<string, string>>
  key?: string | null
  headers?: Readonly<Record<string, string>>
  // A string is sent unchanged.
  body?: unknown
  // With its question mark.
  query?: string
}

// Of the open surface or the admin surface.
export type AnyOperationId = OperationId | AdminOperationId

export interface Caller {
  call(origin: string, call: Call): Promise<Answer>
  ask(origin: string, id: AnyOperationId, asked: Asked): Promise<Answer>
  close(): void
}

export function createCaller(connections: number): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections })

  function call(origin: string, { method, path, headers = {}, body }: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now()
      const { hostname, port } = new URL(origin)
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const sent = request({ agent, hostname, port, method, path, headers: { ...headers, ...length } }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('aborted', () => reject(new Error('the answer was cut off')))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
            tookMs: performance.now() - startedAt,
          }),
        )
      })
      sent.setTimeout(answerMsMax, () => sent.destroy(new Error(`no answer within ${answerMsMax / 1000} s`)))
      sent.on('error', reject)
      sent.end(body)
    })
  }

  return {
    call,
    ask(origin, id, { path = {}, key = null, headers = {}, body, query = '' }) {
      const { method, path: pattern } = rowOf(id)
      const address = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
      return call(origin, {
        method,
        path: address + query,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      })
    },
    close: () => agent.destroy(),
  }
}

// Refusals that any operation may return before it runs.
const commonCodes = new Set<RefusalCode>([
  'invalid_request',
  'malformed_json',
  'body_required',
  'body_not_allowed',
  'body_too_large',
  'unsupported_media_type',
  'idempotency_key_required',
  'idempotency_key_invalid',
  'idempotency_key_ambiguous',
  'unauthenticated',
  'scope_missing',
  'idempotency_key_reused',
  'rate_limited',
])
const checks = new Map<AnyOperationId | 'open error' | 'admin error', (value: unknown) => Issue[]>([
  ['open error', compileSchema(PublicErrorResponse)],
  ['admin error', compileSchema(AdminErrorResponse)],
])

function isAdmin(id: AnyOperationId): id is AdminOperationId {
  return id in adminOperations
}

function rowOf(id: AnyOperationId): Operation {
  return isAdmin(id) ? adminOperations[id] : operations[id]
}

// Undefined if the answer is one that the row declares, in its schema.
export function undeclared(id: AnyOperationId, answer: Answer): string | undefined {
  const { status, text, headers } = answer
  const row = rowOf(id)
  const name = `${id} answered ${status}`
  if (headers['content-type'] !== 'application/json; charset=utf-8') return `${name} as ${headers['content-type']}`
  if (!/^req_[0-9a-z]{26}$/.test(String(headers['x-request-id']))) return `${name} without its request id`
  const body = JSON.parse(text) as { error?: { code: RefusalCode; status: number; requestId: string } }
  if (status === 200) {
    if (!row.reply.schema) return undefined
    const check = checks.get(id) ?? compileSchema(row.reply.schema)
    checks.set(id, check)
    const [issue] = check(body)
    return issue && `${name} against its schema: ${issue.path} ${issue.message}`
  }
  const [issue] = (checks.get(isAdmin(id) ? 'admin error' : 'open error') as (value: unknown) => Issue[])(body)
  if (issue || !body.error) return `${name} with an error of another shape: ${text.slice(0, 300)}`
  const { code, status: said, requestId } = body.error
  if (said !== status || refusals[code].status !== status || requestId !== headers['x-request-id'])
    return `${name} and says otherwise: ${text.slice(0, 300)}`
  const own: readonly RefusalCode[] = row.refusals
  return own.includes(code) || commonCodes.has(code) ? undefined : `${name} ${code}, which the row does not declare`
}

export function codeOf({ status, text }: Answer): string {
  if (status === 200) return 'ok'
  try {
    return (JSON.parse(text) as { error: { code: string } }).error.code
  } catch {
    return `status_${status}`
  }
}

export function dataOf<T>({ status, text }: Answer): T {
  if (status !== 200) throw new Error(`a valid request was answered ${status}: ${text.slice(0, 300)}`)
  return (JSON.parse(text) as { data: T }).data
}

// Runs the work for each value, this many at a time, and returns the results in the order of the values.
export async function crowd<T, R>(
  values: readonly T[],
  atOnce: number,
  work: (value: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  async function go(): Promise<void> {
    for (;;) {
      const index = next
      next += 1
      if (index >= values.length) return
      results[index] = await work(values[index] as T, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, values.length) }, go))
  return results
}
