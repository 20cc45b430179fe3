// Platforms for tests: they call a shop by UCP or MCP, as software of others would. Every answer of UCP is checked against the protocol's
// published schemas.

import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync, type JsonWebKey, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSigner, createVerifier, httpbis } from 'http-message-signatures'
import type { AgentLevel } from '../src/contract/agents/settings.ts'
import { setAgentSettings } from '../src/domain/agents/settings.ts'
import { contentDigestOf } from '../src/platform/kit/httpsig.ts'
import type { Given } from './storage.ts'
import type { Answer, TestServer } from './testServer.ts'
import { assertUcpAnswer } from './ucp.ts'

// It cannot be read: ports below 1024 are not called. In test mode that says nothing.
export const testProfile = 'http://127.0.0.1:9/profile.json'

export interface Platform {
  // Below the address of the shop, in test mode.
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
}

export async function letAgentsIn(testServer: TestServer, level: AgentLevel = 'buy'): Promise<void> {
  await testServer.storage.write((tx) =>
    setAgentSettings(tx, testServer.seller, { level, who: 'anyone' }, testServer.clock.now),
  )
}

export function platformOf(
  testServer: TestServer,
  profile: string | null = testProfile,
  shop = 'bloom/test',
): Platform {
  return {
    ask: async (method, path, body, headers = {}) => {
      const answer = await testServer.fetch(`/ucp/${shop}${path}`, {
        method,
        headers: {
          ...(profile !== null && { 'ucp-agent': `profile="${profile}"` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          'idempotency-key': randomUUID(),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      assertUcpAnswer(path, answer.body)
      return answer
    },
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

// The shopper opens the page of a checkout and gives another contact and address there.
export async function typeOnPage({ app }: TestServer, url: string): Promise<void> {
  const secret = url.split('/').at(-1) ?? ''
  const view = await app.checkout.look(secret)
  const result = await app.checkout.setDetails(secret, view?.session.version ?? 0, {
    contact: { email: 'planted@example.com', name: 'Planted Name', phone: '' },
    address: { name: 'Planted Name', line1: 'Plantedstreet 7', city: 'Hamburg', postalCode: '20095', country: 'DE' },
    shippingOptionId: null,
  })
  assert.equal(result?.problem, null)
}

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

export interface SigningPlatform extends Platform {
  profileUrl: string
  // The keys that its profile shows from now on, to those who read it anew.
  setKeys(keys: readonly object[]): void
  // What was sent to its webhook.
  calls: { headers: IncomingHttpHeaders; body: string; path: string }[]
}

// A platform that hosts a profile and signs what it sends, by an implementation of RFC 9421 that is not ours. Headers that are given to `ask` are put in after signing.
export async function signingPlatform(
  given: Given,
  testServer: TestServer,
  version = '2026-08-25',
): Promise<SigningPlatform> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const own = { kid: 'platform-1', ...publicKey.export({ format: 'jwk' }) }
  let keys: readonly object[] = [own]
  const calls: SigningPlatform['calls'] = []
  const names = ['checkout', 'cart', 'order', 'fulfillment', 'discount', 'catalog.search', 'catalog.lookup']
  const host = createServer((request, response) => {
    if (request.method === 'GET') return void response.end(JSON.stringify(profile()))
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      calls.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), path: request.url ?? '' })
      response.end()
    })
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  given.later(async () => void host.close())
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const profileUrl = `${origin}/profile.json`

  function profile(): object {
    const config = { webhook_url: `${origin}/orders?from=shop` }
    const capabilities = names.map((name) => [
      `dev.ucp.shopping.${name}`,
      [{ version, ...(name === 'order' && { config }) }],
    ])
    return { ucp: { version, capabilities: Object.fromEntries(capabilities) }, keys, signing_keys: keys }
  }

  return {
    profileUrl,
    calls,
    setKeys: (wanted) => {
      keys = wanted
    },
    ask: async (method, path, body, more = {}) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const headers: Record<string, string> = {
        'ucp-agent': `profile="${profileUrl}"`,
        'idempotency-key': randomUUID(),
        ...(text !== '' && { 'content-type': 'application/json', 'content-digest': contentDigestOf(text) }),
      }
      const target = `/ucp/bloom/test${path}`
      const signed = await httpbis.signMessage(
        {
          key: createSigner(privateKey, 'ecdsa-p256-sha256', 'platform-1'),
          fields: ['@method', '@authority', '@path', ...Object.keys(headers)],
          params: ['created', 'keyid'],
          paramValues: { created: new Date(testServer.clock.now) },
        },
        { method, url: testServer.origin + target, headers },
      )
      const answer = await testServer.fetch(target, {
        method,
        headers: { ...signed.headers, ...more },
        ...(text !== '' && { body: text }),
      })
      assertUcpAnswer(path, answer.body)
      return answer
    },
  }
}

// Whether an answer is signed by one of these keys, as an independent implementation checks it.
export function isSignedAnswer({ status, headers, text }: Answer, keys: readonly JsonWebKey[]): Promise<boolean> {
  return isSigned({ status, headers: Object.fromEntries(headers) }, text, keys)
}

// The same for what was sent to its webhook.
export function isSignedCall(
  { headers, body, path }: SigningPlatform['calls'][number],
  keys: readonly JsonWebKey[],
): Promise<boolean> {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  return isSigned({ method: 'POST', url: `http://${texts.host}${path}`, headers: texts }, body, keys)
}

type Headed = { headers: Record<string, string> }
type Signable = Headed & ({ method: string; url: string } | { status: number })

const requestFields = ['@method', '@authority', '@path', 'content-digest']

async function isSigned(message: Signable, body: string, keys: readonly JsonWebKey[]): Promise<boolean> {
  const digest = createHash('sha256').update(body).digest('base64')
  if (message.headers['content-digest'] !== `sha-256=:${digest}:`) return false
  const keyLookup = async ({ keyid }: { keyid?: string }) => {
    const jwk = keys.find((key) => (key as { kid?: string }).kid === keyid)
    if (!jwk) return null
    return { verify: createVerifier(createPublicKey({ key: jwk, format: 'jwk' }), 'ecdsa-p256-sha256') }
  }
  const held =
    'status' in message
      ? await httpbis.verifyMessage({ keyLookup, requiredFields: ['@status', 'content-digest'] }, message)
      : await httpbis.verifyMessage({ keyLookup, requiredFields: requestFields }, message)
  return held === true
}
