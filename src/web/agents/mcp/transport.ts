// One POST of the Model Context Protocol: reads the message and answers with one JSON document. No streams and no sessions.

import { refusals } from '../../../contract/refusals.ts'
import { addressBucket } from '../../../platform/access/throttle.ts'
import { readBytes } from '../../../platform/http/body.ts'
import type { ReceiveBody } from '../../../platform/http/limiter.ts'
import { type Incoming, jsonType, type Outgoing } from '../../../platform/http/message.ts'
import { parseJson } from '../../../platform/kit/json.ts'
import { Refusal, refuse } from '../../../platform/kit/refuse.ts'
import {
  commonResult,
  type McpEra,
  type McpServerFacts,
  mayBatch,
  mcpEraOf,
  modernResultMembers,
  RpcError,
  type RpcHeaders,
  type RpcId,
  type RpcRequest,
  readRequest,
  rpcFailure,
  rpcReply,
} from './rpc.ts'

export interface McpServer {
  facts: McpServerFacts
  listTools(): Promise<readonly object[]>
  // Returns the contents of the result.
  callTool(name: string, args: Readonly<Record<string, unknown>>, bytes: Buffer): Promise<object>
  // Called before each message of a batch after the first. Throws to refuse the message.
  admitAnother?(): void
}

const bytesMax = 128 * 1024
const depthMax = 24
const batchMax = 20
const plainHeaders = { 'content-type': jsonType, 'cache-control': 'no-store' }

export async function answerPost(
  { raw, address }: Incoming,
  receive: ReceiveBody,
  ownOrigin: string,
  server: McpServer,
): Promise<Outgoing> {
  if (raw.method !== 'POST') throw refuse('route_not_found', { status: 405, headers: { allow: 'POST' } })
  try {
    // Refused, because a page of another origin could act for the person who opens it.
    if (raw.headers.origin !== undefined && raw.headers.origin !== ownOrigin)
      throw new RpcError(403, -32600, 'Pages of other origins must not call this address.')
    const limit = { key: `address ${addressBucket(address)}`, most: 16 }
    const bytes = await receive(raw, limit, () => readBytes(raw, bytesMax))
    if (typeof bytes === 'string')
      throw new RpcError(bytes === 'too_large' ? 413 : 400, -32600, 'The body is too large or incomplete.')
    const parsed = parseJson(bytes.toString('utf8'), depthMax)
    if (!('value' in parsed)) throw new RpcError(400, -32700, 'The body is not well-formed JSON.')
    const message: Posted = {
      value: parsed.value,
      bytes,
      headers: {
        version: one(raw.headers['mcp-protocol-version']),
        method: one(raw.headers['mcp-method']),
        name: one(raw.headers['mcp-name']),
      },
    }
    return await (Array.isArray(parsed.value) ? answerBatch(server, message, parsed.value) : answerOne(server, message))
  } catch (error) {
    return failed(undefined, error)
  }
}

interface Posted {
  value: unknown
  bytes: Buffer
  headers: RpcHeaders
}

async function answerOne(server: McpServer, { value, bytes, headers }: Posted): Promise<Outgoing> {
  let id: RpcId | undefined
  try {
    const request = readRequest(value)
    id = request.id
    if (id === undefined) return { status: 202, body: '', headers: { 'cache-control': 'no-store' } }
    const result = await resultOf(server, request, mcpEraOf(request, headers), bytes)
    return { status: 200, body: rpcReply(id, result), headers: { ...plainHeaders } }
  } catch (error) {
    return failed(id, error)
  }
}

// Performs the messages in sequence, because each may change what the next one reads.
async function answerBatch(
  server: McpServer,
  { bytes, headers }: Posted,
  values: readonly unknown[],
): Promise<Outgoing> {
  if (values.length === 0 || values.length > batchMax || !mayBatch(headers))
    throw new RpcError(
      400,
      -32600,
      `The body must be one JSON-RPC request, or a batch of up to ${batchMax} in version 2025-03-26.`,
    )
  const bodies: string[] = []
  for (const [at, value] of values.entries()) {
    const { body } = await answerNext(server, { value, bytes, headers }, at)
    if (body !== '') bodies.push(String(body))
  }
  if (bodies.length === 0) return { status: 202, body: '', headers: { 'cache-control': 'no-store' } }
  return { status: 200, body: `[${bodies.join()}]`, headers: { ...plainHeaders } }
}

async function answerNext(server: McpServer, message: Posted, at: number): Promise<Outgoing> {
  try {
    if (at > 0) server.admitAnother?.()
  } catch (error) {
    return failed(undefined, error)
  }
  return answerOne(server, message)
}

// Errors of other classes are defects or outages, and are rethrown to be logged.
function failed(id: RpcId | undefined, error: unknown): Outgoing {
  const failure = error instanceof Refusal ? asRpcError(error) : error
  if (!(failure instanceof RpcError)) throw error
  return { status: failure.status, body: rpcFailure(id, failure), headers: { ...plainHeaders, ...failure.headers } }
}

function asRpcError({ code, message, details }: Refusal): RpcError {
  const { status = refusals[code].status, retryAfterMs, headers } = details
  const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000)
  const data = { code, ...(seconds !== undefined && { retry_after: seconds }) }
  return new RpcError(status, status === 500 ? -32603 : -32000, message, data, {
    ...headers,
    ...(seconds !== undefined && { 'retry-after': String(seconds) }),
  })
}

function one(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined
}

async function resultOf(server: McpServer, request: RpcRequest, era: McpEra, bytes: Buffer): Promise<object> {
  const { facts } = server
  const { method, params } = request
  const common = commonResult(request, era, facts)
  if (common) return common
  const frame = (isCacheable: boolean) => (era === 'modern' ? modernResultMembers(facts, isCacheable) : {})
  if (method === 'tools/list') return { ...frame(true), tools: await server.listTools() }
  if (method === 'tools/call') {
    const { name, arguments: args = {} } = params
    if (typeof name !== 'string' || typeof args !== 'object' || args === null || Array.isArray(args))
      throw new RpcError(
        era === 'modern' ? 400 : 200,
        -32602,
        'The params of tools/call must contain the name of a tool and an object of arguments.',
      )
    return { ...frame(false), ...(await server.callTool(name, args as Record<string, unknown>, bytes)) }
  }
  throw new RpcError(era === 'modern' ? 404 : 200, -32601, 'There is no such method.')
}
