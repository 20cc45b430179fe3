// JSON-RPC as used by both eras of the Model Context Protocol: version 2026-07-28, in which requests are independent, and older versions,
// which begin with a handshake. Pure.

export const modernVersion = '2026-07-28'
// Newest first.
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

export type RpcId = string | number

export interface RpcRequest {
  // Undefined for a notification.
  id: RpcId | undefined
  method: string
  params: Readonly<Record<string, unknown>>
}

export interface RpcHeaders {
  version: string | undefined
  method: string | undefined
  name: string | undefined
}

export type McpEra = 'modern' | 'legacy'

export class RpcError extends Error {
  readonly status: number
  readonly code: number
  readonly data: object | undefined
  readonly headers: Readonly<Record<string, string>>
  constructor(
    status: number,
    code: number,
    message: string,
    data?: object,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.data = data
    this.headers = headers
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function readRequest(value: unknown): RpcRequest {
  if (!isObject(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string')
    throw new RpcError(400, -32600, 'The body must be one JSON-RPC request.')
  const { id, method, params = {} } = value
  if (id !== undefined && typeof id !== 'string' && !Number.isInteger(id))
    throw new RpcError(400, -32600, 'The id of a request must be a string or an integer.')
  if (!isObject(params)) throw new RpcError(400, -32602, 'The params of a request must be an object.')
  return { id: id as RpcId | undefined, method, params }
}

const versionMember = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesMember = 'io.modelcontextprotocol/clientCapabilities'

// Returns the era of a request. In a modern request the headers and the body must agree, because a proxy may have relied on the headers.
export function mcpEraOf({ method, params }: RpcRequest, headers: RpcHeaders): McpEra {
  const meta = isObject(params._meta) ? params._meta : undefined
  const named = meta?.[versionMember]
  if (named === undefined && headers.version !== modernVersion) {
    const isKnown = headers.version === undefined || legacyVersions.some((known) => known === headers.version)
    if (!isKnown && method !== 'initialize') throw unsupported(headers.version ?? '')
    return 'legacy'
  }
  if (typeof named !== 'string' || !isObject(meta?.[capabilitiesMember]))
    throw new RpcError(400, -32602, `params._meta must contain ${versionMember} and ${capabilitiesMember}.`)
  if (headers.version !== named) throw mismatch('mcp-protocol-version')
  if (named !== modernVersion) throw unsupported(named)
  if (headers.method !== method) throw mismatch('mcp-method')
  if (method === 'tools/call' && decodedName(headers.name) !== params.name) throw mismatch('mcp-name')
  return 'modern'
}

// Names that are not plain ASCII are encoded as `=?base64?…?=`.
function decodedName(header: string | undefined): string | undefined {
  const encoded = /^=\?base64\?([\w+/]*={0,2})\?=$/.exec(header ?? '')?.[1]
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString('utf8')
}

// Only the oldest version, which requests without a version are assumed to use, allows several messages in one body.
export function mayBatch({ version }: RpcHeaders): boolean {
  return version === undefined || version === legacyVersions.at(-1)
}

function unsupported(requested: string): RpcError {
  const supported = [modernVersion, ...legacyVersions]
  return new RpcError(400, -32022, 'This protocol version is not supported.', { supported, requested })
}

function mismatch(header: string): RpcError {
  return new RpcError(400, -32020, `The header ${header} is missing or does not match the body.`)
}

export interface McpServerFacts {
  name: string
  title: string
  version: string
  instructions: string
  // Whether all callers have the same tools.
  cacheScope: 'public' | 'private'
}

// Returns the result of a method that all MCP servers share, or undefined for tools/list, tools/call and unknown methods.
export function commonResult({ method, params }: RpcRequest, era: McpEra, facts: McpServerFacts): object | undefined {
  const { name, title, version, instructions } = facts
  const serverInfo = { name, title, version }
  const capabilities = { tools: {} }
  if (era === 'modern' && method === 'server/discover')
    return {
      ...modernResultMembers(facts, true),
      supportedVersions: [modernVersion],
      capabilities,
      instructions,
    }
  if (era === 'legacy' && method === 'initialize') {
    const protocolVersion = legacyVersions.find((known) => known === params.protocolVersion) ?? legacyVersions[0]
    return { protocolVersion, capabilities, serverInfo, instructions }
  }
  return era === 'legacy' && method === 'ping' ? {} : undefined
}

// Returns the members that the modern era adds to a result.
export function modernResultMembers(
  { name, title, version, cacheScope }: McpServerFacts,
  isCacheable: boolean,
): object {
  return {
    resultType: 'complete',
    ...(isCacheable && { ttlMs: 300_000, cacheScope }),
    _meta: { 'io.modelcontextprotocol/serverInfo': { name, title, version } },
  }
}

export interface ToolResult {
  structured: object | undefined
  text: string
  isError: boolean
}

export function toolResult({ structured, text, isError }: ToolResult): object {
  return {
    content: [{ type: 'text', text }],
    ...(structured && { structuredContent: structured }),
    ...(isError && { isError }),
  }
}

export function rpcReply(id: RpcId, result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

// `id`: undefined if the request's id could not be read.
export function rpcFailure(id: RpcId | undefined, { code, message, data }: RpcError): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    error: { code, message, ...(data && { data }) },
  })
}
