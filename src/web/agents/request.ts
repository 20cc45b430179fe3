// Steps of REST requests that all protocols of agents share: finding the row of a path, and reading and checking a body of bounded
// length.

import { limits } from '../../contract/limits.ts'
import type { TSchema } from '../../contract/schema.ts'
import { compileSchema } from '../../contract/validator.ts'
import { addressBucket } from '../../platform/access/throttle.ts'
import { hasBody, readBytes } from '../../platform/http/body.ts'
import { parseJson } from '../../platform/kit/json.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { ShopContext } from './context.ts'
import { AgentError } from './error.ts'

export interface RestRow {
  method: 'GET' | 'POST' | 'PUT'
  // Relative to the base URL of the shop; `{id}` stands for the id of the resource.
  path: string
  body: TSchema | null
}

export interface FoundRow<Id extends string, Row extends RestRow> {
  rowId: Id
  row: Row
  id: string
}

export function findRowAt<Id extends string, Row extends RestRow>(
  rows: Readonly<Record<Id, Row>>,
  method: string,
  path: string,
): FoundRow<Id, Row> {
  const here = rowsHere(rows, path)
  if (here.length === 0) throw refuse('route_not_found')
  const route = here.find(({ row }) => row.method === (method === 'HEAD' ? 'GET' : method))
  if (!route) {
    const allow = here.map(({ row }) => row.method).join(', ')
    throw refuse('route_not_found', { status: 405, headers: { allow } })
  }
  return { ...route, id: decoded(route.id) }
}

// Finds the rows of a path. If no row has exactly this path, its second segment is taken as the id.
function rowsHere<Id extends string, Row extends RestRow>(
  rows: Readonly<Record<Id, Row>>,
  path: string,
): FoundRow<Id, Row>[] {
  const byPath = rowsByPath(rows) as ReadonlyMap<string, readonly FoundRow<Id, Row>[]>
  const plain = byPath.get(path)
  if (plain) return [...plain]
  const [, collection = '', id = '', ...more] = path.split('/')
  if (id === '') return []
  return (byPath.get(['', collection, '{id}', ...more].join('/')) ?? []).map((found) => ({ ...found, id }))
}

const kept = new WeakMap<object, ReadonlyMap<string, readonly FoundRow<string, RestRow>[]>>()

function rowsByPath(rows: Readonly<Record<string, RestRow>>) {
  const known = kept.get(rows)
  if (known) return known
  const byPath = new Map<string, FoundRow<string, RestRow>[]>()
  for (const [rowId, row] of Object.entries(rows))
    byPath.set(row.path, [...(byPath.get(row.path) ?? []), { rowId, row, id: '' }])
  kept.set(rows, byPath)
  return byPath
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return ''
  }
}

export async function readBodyBytes({ request, parts }: ShopContext, { body }: RestRow): Promise<Buffer> {
  const { raw, address } = request
  if (!hasBody(raw)) {
    if (body === null) return Buffer.alloc(0)
    throw new AgentError(400, 'invalid_request', 'The request must have a body.')
  }
  if (body !== null && !/^application\/json\s*(;|$)/i.test(raw.headers['content-type'] ?? ''))
    throw new AgentError(400, 'invalid_request', 'The body must be sent as application/json.')
  const limit = { key: `address ${addressBucket(address)}`, most: 16 }
  const bytes = await parts.receive(raw, limit, () => readBytes(raw, limits.bodyBytesMax))
  if (bytes === 'too_large') throw new AgentError(413, 'request_too_large', 'The body must have at most 64 KiB.')
  if (bytes === 'ended_early') throw new AgentError(400, 'invalid_request', 'The body ended before it was complete.')
  return bytes
}

export function parseJsonBody(bytes: Buffer): unknown {
  const parsed = parseJson(bytes.toString('utf8'))
  if ('value' in parsed) return parsed.value
  throw new AgentError(400, 'invalid_request', 'The body is not well-formed JSON.', { issues: [parsed.issue] })
}

const checks = new Map<TSchema, ReturnType<typeof compileSchema>>()

// Returns the body if it has the shape of the row; throws otherwise.
export function checkBody({ body: schema }: Pick<RestRow, 'body'>, body: unknown): unknown {
  if (schema === null) return null
  const check = checks.get(schema) ?? compileSchema(schema)
  checks.set(schema, check)
  const issues = check(body)
  if (issues.length === 0) return body
  const [first] = issues
  throw new AgentError(400, 'invalid_request', `${first?.path} ${first?.message}`, { issues })
}
