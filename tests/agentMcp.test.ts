// MCP for shoppers: the tools of a shop, in both eras of the protocol.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { berlinDestination, buyer, letAgentsIn, paidBy, shippingTo, testProfile } from '../harness/agents.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { type Answer, openTestServer, type TestServer } from '../harness/testServer.ts'

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function openShop(given: Given): Promise<TestServer> {
  const testServer = await openTestServer(given)
  await letAgentsIn(testServer)
  return testServer
}

const post = (testServer: TestServer, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  testServer.fetch('/ucp/bloom/test/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

eachEngine('MCP for shoppers', (given) => {
  for (const era of ['legacy', 'modern'] as const) {
    const params = (more: object) => ({ ...more, ...(era === 'modern' && { _meta: modern }) })
    const call = async (testServer: TestServer, name: string, args: object) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: params({ name, arguments: args }) }
      return (await post(testServer, message)).body.result
    }

    test(`${era}: a chat program without a profile finds a product and hands over to the page, where it is paid`, async () => {
      const testServer = await openShop(given)
      const method = era === 'modern' ? 'server/discover' : 'initialize'
      const hello = await post(testServer, {
        jsonrpc: '2.0',
        id: 0,
        method,
        params: params(era === 'legacy' ? { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} } : {}),
      })
      assert.match(hello.body.result.instructions, /Buy from Bloom/)
      const list = await post(testServer, { jsonrpc: '2.0', id: 'x', method: 'tools/list', params: params({}) })
      assert.equal(list.body.id, 'x')
      assert.ok(list.text.length < 24 * 1024)
      const names = list.body.result.tools.map(({ name }: { name: string }) => name)
      assert.ok(names.includes('search_catalog') && names.includes('complete_checkout'))

      const found = await call(testServer, 'search_catalog', { catalog: { query: 'roses' } })
      const [variant] = found.structuredContent.products[0].variants
      const opened = await call(testServer, 'create_checkout', {
        checkout: {
          line_items: [{ item: { id: variant.id }, quantity: 1 }],
          buyer,
          fulfillment: shippingTo(berlinDestination),
        },
      })
      const { id, status, continue_url: url } = opened.structuredContent
      assert.equal(status, 'requires_escalation', opened.content[0].text)
      const { checkout } = testServer.app
      const secret = url.split('/').at(-1)
      const page = await testServer.fetch(new URL(url).pathname)
      assert.equal(page.status, 200)
      const view = await checkout.look(secret)
      const result = await checkout.pay(secret, {
        version: view?.session.version ?? 0,
        expectedTotal: view?.session.totals.total ?? 0,
        provider: 'test',
        method: 'card',
        details: { number: '4242424242424242', expiry: '12 / 40', cvc: '123', name: 'Ada Lovelace' },
        attempt: 'one-attempt-of-the-shopper',
      })
      assert.equal(result?.view.session.status, 'completed')
      const seen = await call(testServer, 'get_checkout', { id })
      assert.equal(seen.structuredContent.status, 'completed')
      assert.ok(seen.structuredContent.order.permalink_url)
    })

    test(`${era}: a platform with a profile pays by itself`, async () => {
      const testServer = await openShop(given)
      const meta = { 'ucp-agent': { profile: testProfile }, 'idempotency-key': '0123456789012345678901' }
      const opened = await call(testServer, 'create_checkout', {
        meta: { 'ucp-agent': { profile: testProfile } },
        checkout: {
          line_items: [{ item: { id: 'ROSE-12' }, quantity: 1 }],
          buyer,
          fulfillment: shippingTo(berlinDestination),
        },
      })
      const { id } = opened.structuredContent
      const keyless = await call(testServer, 'complete_checkout', {
        meta: { 'ucp-agent': { profile: testProfile } },
        id,
        checkout: paidBy('success_token'),
      })
      assert.equal(keyless.isError, true)
      const paid = await call(testServer, 'complete_checkout', { meta, id, checkout: paidBy('success_token') })
      assert.equal(paid.structuredContent.status, 'completed', paid.content[0].text)
    })
  }

  test('mistakes: what a model can mend is a result, what a client can is an error', async () => {
    const testServer = await openShop(given)
    const wrong = await post(testServer, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create_checkout', arguments: { checkout: {} } },
    })
    assert.deepEqual([wrong.status, wrong.body.result.isError], [200, true])
    const cases: [unknown, number, number, Record<string, string>?][] = [
      [[], 400, -32600],
      [{ jsonrpc: '2.0', id: 1, method: 'nope' }, 200, -32601],
      [{ jsonrpc: '2.0', id: 1, method: 'nope', params: { _meta: modern } }, 404, -32601],
      [
        { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modern } },
        400,
        -32020,
        { 'mcp-method': 'ping' },
      ],
      [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }, 400, -32022, { 'mcp-protocol-version': '1999-01-01' }],
      [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }, 403, -32600, { origin: 'https://evil.example' }],
      ...[
        'https://p.example/\u202egnp',
        'https://p.exam\nple/a',
        'https://q.example@p.example/a',
        'https://p.example/a#b',
      ].map((profile): [unknown, number, number] => {
        const params = { name: 'search_catalog', arguments: { meta: { 'ucp-agent': { profile } }, catalog: {} } }
        return [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, 400, -32001]
      }),
    ]
    for (const [body, status, code, headers] of cases) {
      const answer = await post(testServer, body, headers)
      assert.deepEqual([answer.status, answer.body.error.code], [status, code], JSON.stringify(body))
    }
    assert.equal((await post(testServer, { jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202)
    assert.equal((await testServer.fetch('/ucp/bloom/test/mcp')).status, 405)
  })
})
