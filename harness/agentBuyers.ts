// Platforms for tests that buy by each protocol, behind one face: what is wanted, and what became of it in the words of UCP.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { acpBerlin, acpBuyer, acpPaidBy, acpPlatform } from './acp.ts'
import { berlinDestination, buyer, paidBy, platformOf, shippingTo, signingPlatform } from './agents.ts'
import { mcpPost, modernMeta } from './mcp.ts'
import type { Given } from './storage.ts'
import type { Answer, TestServer } from './testServer.ts'
import { assertUcpAnswer } from './ucp.ts'

export interface Wanted {
  code: string
  quantity?: number
  discounts?: readonly string[]
  // Without its postal code, or none at all.
  address?: 'whole' | 'partial' | 'none'
}

export interface Seen {
  status: number
  // In the words of UCP.
  state: string
  id: string
  total: number
  quantities: readonly number[]
  // Codes of messages, in the words of the protocol.
  codes: readonly string[]
  continueUrl: string
  orderId: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: answers of every protocol
  body: any
}

export interface AgentBuyer {
  name: string
  open(wanted: Wanted): Promise<Seen>
  change(id: string, wanted: Wanted): Promise<Seen>
  pay(id: string, token: string, key?: string): Promise<Seen>
  look(id: string): Promise<Seen>
  cancel(id: string): Promise<Seen>
  // The order as the protocol shows it; undefined where it comes by calls only.
  order?(id: string): Promise<Seen['body']>
}

type Rest = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

export async function ucpBuyer(given: Given, testServer: TestServer, version: string): Promise<AgentBuyer> {
  // The older one hosts a profile that names its version, and signs: it cannot choose a key afterwards.
  const { ask } = version === '2026-08-25' ? platformOf(testServer) : await signingPlatform(given, testServer, version)
  const at = (id: string) => `/checkout-sessions/${id}`
  return {
    name: `UCP ${version}`,
    open: async (wanted) => ucpSeen(await ask('POST', '/checkout-sessions', ucpBody(wanted)), version),
    change: async (id, wanted) => ucpSeen(await ask('PUT', at(id), ucpBody(wanted)), version),
    pay: async (id, token, key) =>
      ucpSeen(await payBy(ask, version === '2026-08-25' ? key : undefined)(`${at(id)}/complete`, token), version),
    look: async (id) => ucpSeen(await ask('GET', at(id)), version),
    cancel: async (id) => ucpSeen(await ask('POST', `${at(id)}/cancel`), version),
    order: async (id) => (await ask('GET', `/orders/${id}`)).body,
  }
}

const payBy = (ask: Rest, key: string | undefined) => (path: string, token: string) =>
  ask('POST', path, paidBy(token), key === undefined ? {} : { 'idempotency-key': key })

export function mcpBuyer(testServer: TestServer, era: 'legacy' | 'modern'): AgentBuyer {
  const profile = `http://127.0.0.1:9/${era}.json`
  const call = async (name: string, args: object, key: string = randomUUID()): Promise<Answer['body']> => {
    const meta = { 'ucp-agent': { profile }, 'idempotency-key': key }
    const params = { name, arguments: { meta, ...args }, ...(era === 'modern' && { _meta: modernMeta }) }
    const message = { jsonrpc: '2.0' as const, id: 1, method: 'tools/call', params }
    const { body, status, text } = await mcpPost(testServer, '/ucp/bloom/test/mcp', message)
    assert.equal(status, 200, text)
    const { structuredContent: structured } = body.result
    assert.equal(body.result.content[0].text, body.result.isError ? structured.content : JSON.stringify(structured))
    assertUcpAnswer(name, structured)
    return structured
  }
  const seen = (body: Answer['body']) => ucpSeen({ status: 200, body } as Answer, '2026-08-25')
  return {
    name: `MCP ${era}`,
    open: async (wanted) => seen(await call('create_checkout', { checkout: ucpBody(wanted) })),
    change: async (id, wanted) => seen(await call('update_checkout', { id, checkout: ucpBody(wanted) })),
    pay: async (id, token, key) => seen(await call('complete_checkout', { id, checkout: paidBy(token) }, key)),
    look: async (id) => seen(await call('get_checkout', { id })),
    cancel: async (id) => seen(await call('cancel_checkout', { id })),
    order: (id) => call('get_order', { id }),
  }
}

// Tools of the catalog, as a chat program without a profile calls them.
export function mcpCatalog(testServer: TestServer): (name: string, catalog: object) => Promise<void> {
  return async (name, catalog) => {
    const params = { name, arguments: { catalog } }
    const message = { jsonrpc: '2.0' as const, id: 1, method: 'tools/call', params }
    const { body } = await mcpPost(testServer, '/ucp/bloom/test/mcp', message)
    assertUcpAnswer(name, body.result.structuredContent)
  }
}

function ucpBody({ code, quantity = 1, discounts, address = 'whole' }: Wanted): object {
  const { postal_code: _, ...partial } = berlinDestination
  return {
    line_items: [{ item: { id: code }, quantity }],
    buyer,
    ...(discounts && { discounts: { codes: discounts } }),
    ...(address !== 'none' && { fulfillment: shippingTo(address === 'whole' ? berlinDestination : partial) }),
  }
}

function ucpSeen({ status, body, text }: Answer, version: string): Seen {
  if (status < 300) assert.equal(body.ucp?.version ?? version, version, text)
  return {
    status: body.code === undefined ? status : status === 200 ? 409 : status,
    state: body.status ?? body.ucp?.status ?? body.code,
    id: body.id,
    total: totalOf(body),
    quantities: (body.line_items ?? []).map(({ quantity }: { quantity: number }) => quantity),
    codes: [...(body.messages ?? []).map(({ code }: { code: string }) => code), ...(body.code ? [body.code] : [])],
    continueUrl: body.continue_url ?? '',
    orderId: body.order?.id,
    body,
  }
}

const totalOf = ({ totals = [] }: { totals?: { type: string; amount: number }[] }) =>
  totals.find(({ type }) => type === 'total')?.amount ?? 0

const states: Readonly<Record<string, string>> = {
  not_ready_for_payment: 'incomplete',
  ready_for_payment: 'ready_for_complete',
  in_progress: 'complete_in_progress',
  expired: 'canceled',
}

export async function acpBuyerOf(testServer: TestServer): Promise<AgentBuyer> {
  const { ask } = await acpPlatform(testServer)
  const at = (id: string) => `/checkout_sessions/${id}`
  const seen = ({ status, body }: Answer): Seen => ({
    status,
    state: states[body.status] ?? body.status ?? body.code,
    id: body.id,
    total: totalOf(body),
    quantities: (body.line_items ?? []).map(({ quantity }: { quantity: number }) => quantity),
    codes: [
      ...(body.messages ?? []).map(({ code, type }: { code?: string; type: string }) => code ?? type),
      ...(body.discounts?.rejected ?? []).map(({ reason }: { reason: string }) => reason),
    ],
    continueUrl: body.continue_url ?? '',
    orderId: body.order?.id,
    body,
  })
  return {
    name: 'ACP',
    open: async (wanted) => seen(await ask('POST', '/checkout_sessions', acpBody(wanted))),
    change: async (id, wanted) => seen(await ask('POST', at(id), acpBody(wanted))),
    pay: async (id, token, key) =>
      seen(
        await ask('POST', `${at(id)}/complete`, acpPaidBy(token), key === undefined ? {} : { 'idempotency-key': key }),
      ),
    look: async (id) => seen(await ask('GET', at(id))),
    cancel: async (id) => seen(await ask('POST', `${at(id)}/cancel`)),
  }
}

function acpBody({ code, quantity = 1, discounts, address = 'whole' }: Wanted): object {
  const { postal_code: _, ...partial } = acpBerlin
  const place = address === 'whole' ? acpBerlin : partial
  return {
    line_items: [{ id: code, quantity }],
    currency: 'eur',
    capabilities: {},
    buyer: acpBuyer,
    ...(discounts && { discounts: { codes: discounts } }),
    ...(address !== 'none' && { fulfillment_details: { name: 'Ada Lovelace', address: place } }),
  }
}
