// One POST of the Model Context Protocol: reads the message, and answers with one JSON. No streams and no sessions.

import { addressBucket } from '../../../platform/access/throttle.ts'
import { readBytes } from '../../../platform/http/body.ts'
import type { Receive } from '../../../platform/http/limiter.ts'
import { type Incoming, jsonType, type Outgoing } from '../../../platform/http/message.ts'
import { parseJson } from '../../../platform/kit/json.ts'
import { refuse } from '../../../platform/kit/refuse.ts'
import {
  commonResult,
  type Era,
  eraOf,
  type McpFacts,
  modernFrame,
  RpcError,
  type RpcRequest,
  readRequest,
  rpcFailure,
  rpcReply,
} from './rpc.ts'

export interface McpServer {
  facts: McpFacts
  listTools(): Promise<readonly object[]>
  // The contents of the result.
  callTool(name: string, args: Readonly<Record<string, unknown>>, bytes: Buffer): Promise<object>
}

const bytesMax = 128 * 1024
const depthMax = 24
const headers = { 'content-type': jsonType, 'cache-control': 'no-store' }

export async function answerPost(
  { raw, address }: Incoming,
  receive: Receive,
  ownOrigin: string,
  server: McpServer,
): Promise<Outgoing> {
  if (raw.method !== 'POST') throw refuse('route_not_found', { status: 405, headers: { allow: 'POST' } })
  let request: RpcRequest | undefined
  try {
    // A page of another origin could otherwise act for the person who looks at it.
    if (raw.headers.origin !== undefined && raw.headers.origin !== ownOrigin)
      throw new RpcError(403, -32600, 'Pages of other origins may not call this address.')
    const limit = { key: `address ${addressBucket(address)}`, most: 16 }
    const bytes = await receive(raw, limit, () => readBytes(raw, bytesMax))
    if (typeof bytes === 'string')
      throw new RpcError(bytes === 'too_large' ? 413 : 400, -32600, 'The body is too large or incomplete.')
    const parsed = parseJson(bytes.toString('utf8'), depthMax)
    if (!('value' in parsed)) throw new RpcError(400, -32700, 'The body is not JSON as it should be.')
    request = readRequest(parsed.value)
    if (request.id === undefined) return { status: 202, body: '', headers: { 'cache-control': 'no-store' } }
    const era = eraOf(request, {
      version: one(raw.headers['mcp-protocol-version']),
      method: one(raw.headers['mcp-method']),
      name: one(raw.headers['mcp-name']),
    })
    return {
      status: 200,
      body: rpcReply(request.id, await resultOf(server, request, era, bytes)),
      headers: { ...headers },
    }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { status: error.status, body: rpcFailure(request?.id, error), headers: { ...headers, ...error.headers } }
  }
}

function one(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined
}

async function resultOf(server: McpServer, request: RpcRequest, era: Era, bytes: Buffer): Promise<object> {
  const { facts } = server
  const { method, params } = request
  const common = commonResult(request, era, facts)
  if (common) return common
  const frame = (isCacheable: boolean) => (era === 'modern' ? modernFrame(facts, isCacheable) : {})
  if (method === 'tools/list') return { ...frame(true), tools: await server.listTools() }
  if (method === 'tools/call') {
    const { name, arguments: args = {} } = params
    if (typeof name !== 'string' || typeof args !== 'object' || args === null || Array.isArray(args))
      throw new RpcError(
        era === 'modern' ? 400 : 200,
        -32602,
        'A tool is called by its name, with an object of arguments.',
      )
    return { ...frame(false), ...(await server.callTool(name, args as Record<string, unknown>, bytes)) }
  }
  throw new RpcError(era === 'modern' ? 404 : 200, -32601, 'There is no such method.')
}
