// A platform for tests that calls a shop by the Agentic Commerce Protocol, with a key that the merchant made for it. Every answer is checked
// against the protocol's published schemas.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TSchema } from '../src/contract/schema.ts'
import { compileSchema } from '../src/contract/validator.ts'
import type { Platform } from './agents.ts'
import type { Answer, TestServer } from './testServer.ts'

const { $defs } = JSON.parse(readFileSync(new URL('../tests/data/acp-2026-04-17.json', import.meta.url), 'utf8')) as {
  $defs: Record<string, object>
}

const checks = new Map<string, ReturnType<typeof compileSchema>>()

// By the name of a definition in the published file.
export function assertAcp(name: string, value: unknown): void {
  const check = checks.get(name) ?? compileSchema({ $defs, $ref: `#/$defs/${name}` } as unknown as TSchema)
  checks.set(name, check)
  assert.deepEqual(check(value), [], JSON.stringify(value))
}

export interface AcpPlatform extends Platform {
  id: string
  key: string
}

export async function acpPlatform(
  testServer: TestServer,
  { profileUrl = 'http://127.0.0.1:8443/acp', shop = 'bloom/test' }: { profileUrl?: string; shop?: string } = {},
): Promise<AcpPlatform> {
  const change = (id: 'createAdminAgentPlatform' | 'createAdminAgentKey', body: object, path = {}) =>
    testServer.askAdmin(id, { path, body: { idempotencyKey: randomUUID(), ...body } })
  const { id } = (await change('createAdminAgentPlatform', { profileUrl })).body.data
  const key: string = (await change('createAdminAgentKey', {}, { platformId: id })).body.data.secret
  return {
    id,
    key,
    ask: async (method, path, body, headers = {}) => {
      const answer = await testServer.fetch(`/acp/${shop}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          'api-version': '2026-04-17',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      assertAcp(schemaOf(answer), answer.body)
      return answer
    },
  }
}

function schemaOf({ status, body }: Answer): string {
  if (status >= 400) return 'Error'
  return body.status === 'completed' ? 'CheckoutSessionWithOrder' : 'CheckoutSession'
}

export const acpBuyer = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' }

export const acpBerlin = {
  name: 'Ada Lovelace',
  line_one: 'Ackerstraße 1',
  city: 'Berlin',
  state: '',
  country: 'DE',
  postal_code: '10115',
}

export const acpWhole = (code = 'ROSE-12', quantity = 1) => ({
  line_items: [{ id: code, quantity }],
  currency: 'eur',
  capabilities: {},
  buyer: acpBuyer,
  fulfillment_details: { name: 'Ada Lovelace', address: acpBerlin },
})

export const acpPaidBy = (token: string, handlerId = 'mock_payment_handler') => ({
  payment_data: {
    handler_id: handlerId,
    instrument: { type: 'card', credential: { type: 'spt', token } },
  },
})
