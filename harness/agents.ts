// Platforms for tests: they call a shop by UCP or MCP, as software of others would.

import { randomUUID } from 'node:crypto'
import type { AgentLevel } from '../src/contract/agents/settings.ts'
import { setAgentLevel } from '../src/domain/agents/settings.ts'
import type { Answer, TestServer } from './testServer.ts'

// It cannot be read: ports below 1024 are not called. In test mode that says nothing.
export const testProfile = 'http://127.0.0.1:9/profile.json'

export interface Platform {
  // Below the address of the shop, in test mode.
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
}

export async function letAgentsIn(testServer: TestServer, level: AgentLevel = 'buy'): Promise<void> {
  await testServer.storage.write((tx) => setAgentLevel(tx, testServer.seller, level, testServer.clock.now))
}

export function platformOf(
  testServer: TestServer,
  profile: string | null = testProfile,
  shop = 'bloom/test',
): Platform {
  return {
    ask: (method, path, body, headers = {}) =>
      testServer.fetch(`/ucp/${shop}${path}`, {
        method,
        headers: {
          ...(profile !== null && { 'ucp-agent': `profile="${profile}"` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          'idempotency-key': randomUUID(),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  }
}

export const berlinDestination = {
  street_address: 'Ackerstraße 1',
  address_locality: 'Berlin',
  postal_code: '10115',
  address_country: 'DE',
  first_name: 'Ada',
  last_name: 'Lovelace',
}

export const buyer = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' }

export const shippingTo = (destination: object, optionId?: string) => ({
  methods: [
    {
      type: 'shipping',
      destinations: [destination],
      ...(optionId !== undefined && { groups: [{ selected_option_id: optionId }] }),
    },
  ],
})

export const paidBy = (token: string) => ({
  payment: {
    instruments: [
      {
        id: 'one',
        handler_id: 'mock_payment_handler',
        type: 'card',
        selected: true,
        credential: { type: 'token', token },
      },
    ],
  },
})
