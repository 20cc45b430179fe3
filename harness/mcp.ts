// Calls by the Model Context Protocol, in both eras. Every answer is checked against the protocol's published schemas: those of the version
// that the request names, or of all that begin with a handshake.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TSchema } from '../src/contract/schema.ts'
import { compileSchema } from '../src/contract/validator.ts'
import type { Answer, TestServer } from './testServer.ts'

export const modernVersion = '2026-07-28'
const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26']

// What every request of 2026-07-28 carries.
export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': modernVersion,
  'io.modelcontextprotocol/clientCapabilities': {},
}

export interface McpMessage {
  jsonrpc: '2.0'
  id?: unknown
  method: string
  params?: { name?: unknown; _meta?: object; [member: string]: unknown }
}

// What a client of 2026-07-28 repeats in the headers.
export function mcpHeaders({ method, params }: McpMessage): Record<string, string> {
  if (params?._meta !== modernMeta) return {}
  const name = method === 'tools/call' && { 'mcp-name': String(params.name) }
  return { 'mcp-protocol-version': modernVersion, 'mcp-method': method, ...name }
}

export async function mcpPost(
  testServer: TestServer,
  path: string,
  message: McpMessage,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const answer = await testServer.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...mcpHeaders(message), ...headers },
    body: JSON.stringify(message),
  })
  if (answer.body?.jsonrpc === '2.0') assertMcpAnswer(message, answer.body)
  return answer
}

const results: Readonly<Record<string, string>> = {
  'server/discover': 'DiscoverResult',
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export function assertMcpAnswer({ id, method, params }: McpMessage, body: any): void {
  const versions = params?._meta === modernMeta ? [modernVersion] : legacyVersions
  for (const version of versions) {
    // The versions before ask for an id that could not be read.
    if (body.error && (body.id !== undefined || version >= '2025-11-25'))
      assertMcp(`${version}.JSONRPCErrorResponse`, body)
    if (body.error) continue
    assert.equal(body.id, id)
    assertMcp(`${version}.JSONRPCResultResponse`, body)
    const name = results[method]
    if (name) assertMcp(`${version}.${name}`, body.result)
  }
}

const checks = new Map<string, ReturnType<typeof compileSchema>>()
let definitions: object | undefined

export function assertMcp(name: string, value: unknown): void {
  definitions ??= (
    JSON.parse(readFileSync(new URL('../tests/data/mcp.json', import.meta.url), 'utf8')) as { $defs: object }
  ).$defs
  const check = checks.get(name) ?? compileSchema({ $defs: definitions, $ref: `#/$defs/${name}` } as unknown as TSchema)
  checks.set(name, check)
  assert.deepEqual(check(value), [], `${name}: ${JSON.stringify(value)}`)
}
