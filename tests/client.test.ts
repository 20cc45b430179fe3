// The typed client against a real server, and against one that fails.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { bankAccounts } from '../harness/admin/payments.ts'
import { type AdminTestServer, goodAdminRequest } from '../harness/admin/world.ts'
import { cartsOf } from '../harness/carts.ts'
import { lasting } from '../harness/lasting.ts'
import { goodRequest } from '../harness/openRequests.ts'
import { orderMarket, ordersOf } from '../harness/orders.ts'
import type { RowRequest } from '../harness/rows.ts'
import { rival } from '../harness/shops.ts'
import { anyEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { createAdminClient } from '../packages/client/src/admin.ts'
import { CartwrightError, createClient, verifyWebhook } from '../packages/client/src/index.ts'
import { adminOperationIds, adminOperations } from '../src/contract/admin/operations.ts'
import { clientMethodNames } from '../src/contract/methods.ts'
import { operationIds, operations } from '../src/contract/open/operations.ts'
import type { Operation } from '../src/contract/surface.ts'
import { compileSchema } from '../src/contract/validator.ts'

type Method = (...given: unknown[]) => Promise<unknown>

function methodOf(client: unknown, name: string): Method {
  const found = name.split('.').reduce((at, part) => (at as Record<string, unknown>)[part], client)
  assert.ok(typeof found === 'function', `the client has no ${name}`)
  return found as Method
}

// The arguments as a caller writes them: the names of the path, and what is sent.
function argumentsOf({ path: pattern, query, body }: Operation, request: RowRequest): unknown[] {
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => request.path?.[name])
  if (body) {
    const { idempotencyKey: _, ...input } = request.body as Record<string, unknown>
    return [...names, input]
  }
  return query ? [...names, queryOf(query, request.query)] : names
}

function queryOf(schema: object, text = ''): Record<string, unknown> {
  const { properties } = schema as { properties: Record<string, { type?: string }> }
  const search = new URLSearchParams(text)
  return Object.fromEntries(
    [...new Set(search.keys())].map((name) => [
      name,
      properties[name]?.type === 'array' ? search.getAll(name) : search.get(name),
    ]),
  )
}

async function refusal(call: Promise<unknown>): Promise<CartwrightError> {
  const error = await call.then(
    () => assert.fail('it was answered'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof CartwrightError, String(error))
  return error
}

anyEngine('the client on a real server', (given) => {
  let testServer: TestServer
  before(async () => {
    testServer = await openTestServer(given)
  })
  const shopOf = (key = testServer.keys.full) => createClient({ baseUrl: testServer.origin, key })

  for (const id of operationIds.filter((id) => operations[id].caller !== 'oauth')) {
    test(`${clientMethodNames.open.get(id)}() calls ${id}`, async () => {
      const row: Operation = operations[id]
      const call = methodOf(shopOf(), clientMethodNames.open.get(id) ?? '')
      const { headers, ...request } = await goodRequest(testServer, id)
      const options = headers ? [{ customerSession: headers['customer-session'] }] : []
      const reply = await call(...argumentsOf(row, request), ...options)
      assert.ok(row.reply.schema)
      assert.deepEqual(compileSchema(row.reply.schema)(reply), [])
    })
  }

  test('an error has code, status, request id, issues and the current state of the resource', async () => {
    const carts = await cartsOf(testServer)
    const shop = shopOf()
    const skuId = carts.sku('ROSE-12')
    const { data: cart } = await shop.carts.create({ items: [{ skuId, quantity: 1 }] })
    const stale = await refusal(shop.carts.putItem(cart.id, skuId, { quantity: 2, expectedVersion: cart.version + 5 }))
    assert.deepEqual([stale.code, stale.status, stale.current?.version], ['version_conflict', 409, cart.version])
    assert.match(stale.requestId ?? '', /^req_/)
    const wrong = await refusal(shop.carts.putItem(cart.id, skuId, { quantity: -1 }))
    assert.deepEqual([wrong.code, wrong.issues[0]?.path], ['invalid_request', '/quantity'])
    const missing = await refusal(shop.catalog.product('no such product/..'))
    assert.equal(missing.code, 'product_not_found')
    assert.equal((await refusal(shopOf(testServer.keys.none).orders.list())).code, 'scope_missing')
  })

  test('public products need no key', async () => {
    const { data } = await createClient({ baseUrl: `${testServer.origin}/` }).catalog.merchantProduct(
      'bloom',
      'red-roses',
    )
    assert.equal(data.slug, 'red-roses')
  })

  test('creating a cart again with the same idempotency key returns the same cart', async () => {
    const options = { idempotencyKey: 'mine' }
    const [first, second] = [await shopOf().carts.create({}, options), await shopOf().carts.create({}, options)]
    assert.equal(first.data.id, second.data.id)
    assert.notEqual((await shopOf().carts.create()).data.id, first.data.id)
  })

  test('an empty slug, a dot segment and a missing slug throw before a request is sent', async () => {
    for (const slug of ['', '.', '..', undefined as unknown as string])
      assert.throws(() => shopOf().catalog.product(slug), /slug is missing/)
  })

  test('verifyWebhook accepts and rejects every vector of the fixture as expected', async () => {
    const { endpointId } = await webhooksOf(testServer).given('failed')
    const { data } = await shopOf().webhooks.signatureFixture(endpointId)
    assert.ok(data.vectors.length >= 20)
    for (const { name, expect, now, headers, bodyBase64 } of data.vectors) {
      const body = Buffer.from(bodyBase64, 'base64')
      const verified = verifyWebhook(body, headers, data.secret, { now: new Date(now * 1000) })
      if (expect === 'accept') assert.ok((await verified).id, name)
      else assert.equal((await refusal(verified)).code, 'webhook_invalid', name)
    }
    const event = await verifyWebhook(data.fresh.body, new Headers(data.fresh.headers), data.secret, {
      now: new Date(testServer.clock.now),
    })
    // The type tells the data.
    assert.ok(event.type === 'webhook.fixture' && !('truncated' in event.data))
    assert.equal(event.data.endpointId, endpointId)
    await assert.rejects(verifyWebhook('{}', {}, 'whsec_!'), /not the secret/)
  })

  test('no printed form of the client contains the key', async () => {
    const shop = shopOf(testServer.keys.none)
    const error = await refusal(shop.orders.list())
    const lost = await refusal(
      createClient({ baseUrl: 'http://127.0.0.1:9', key: testServer.keys.none, maxRetries: 0 }).identity(),
    )
    const printed = [shop, error, lost].map((value) => inspect(value, { depth: 9 }) + JSON.stringify(value)).join()
    assert.ok(!printed.includes(testServer.keys.none))
  })

  test('a live key is refused in a browser unless the option for that is set', (context) => {
    const scope = globalThis as { document?: unknown }
    context.after(() => delete scope.document)
    const options = { baseUrl: testServer.origin, key: 'cwk_live_x' }
    createClient(options)
    scope.document = {}
    assert.throws(() => createClient(options), /live key in a browser/)
    assert.throws(() => createAdminClient(options), /live key in a browser/)
    createClient({ ...options, dangerouslyAllowBrowser: true })
    createClient({ ...options, key: 'cwk_test_x' })
    assert.throws(() => createClient({ ...options, key: 'cwk_test_x\r\ny' }), /not an API key/)
    assert.throws(() => createClient({ ...options, baseUrl: 'shop.example' }))
  })
})

anyEngine('the admin client on a real server', (given) => {
  let testServer: AdminTestServer
  before(async () => {
    const opened = await openTestServer(given, { shops: [orderMarket, rival], accountProviders: bankAccounts() })
    testServer = { ...opened, orders: await ordersOf(opened) }
  })

  for (const id of adminOperationIds) {
    test(`${clientMethodNames.admin.get(id)}() calls ${id}`, async () => {
      const row: Operation = adminOperations[id]
      const admin = createAdminClient({ baseUrl: testServer.origin, key: testServer.keys.admin })
      const reply = await methodOf(
        admin,
        clientMethodNames.admin.get(id) ?? '',
      )(...argumentsOf(row, await goodAdminRequest(testServer, id)))
      assert.ok(row.reply.schema)
      assert.deepEqual(compileSchema(row.reply.schema)(reply), [])
    })
  }
})

describe('the client with a failing server', () => {
  type Handle = (response: ServerResponse, request: IncomingMessage, body: string) => void
  let handles: Handle[] = []
  let received: { method: string; url: string; body: string }[] = []
  const server = createServer(lasting, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ method: request.method ?? '', url: request.url ?? '', body })
    const handle = handles.shift()
    if (handle) handle(response, request, body)
    else response.end('{"data":{"id":"cart_1"}}')
  })
  let baseUrl = ''
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  function given(...next: Handle[]) {
    handles = next
    received = []
    return createClient({ baseUrl, key: 'cwk_test_x', retryDelayMs: 1 })
  }
  const answer =
    (status: number, headers: Record<string, string> = {}, body = ''): Handle =>
    (response) =>
      response.writeHead(status, headers).end(body)
  const refuse = (status: number, code: string, headers: Record<string, string> = {}) =>
    answer(
      status,
      headers,
      JSON.stringify({ error: { code, message: 'No.', status, requestId: 'req_1', issues: [], current: null } }),
    )
  const drop: Handle = (response) => response.destroy()
  const dropHalfWay: Handle = (response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"data":')
    setImmediate(() => response.destroy())
  }
  const never: Handle = () => {}

  test('a write is retried with the same body after lost connections and a 503', async () => {
    const shop = given(drop, dropHalfWay, refuse(503, 'unavailable'))
    assert.equal((await shop.carts.create({ items: [] })).data.id, 'cart_1')
    assert.equal(received.length, 4)
    assert.equal(new Set(received.map(({ body }) => body)).size, 1)
    assert.match(JSON.parse(received[0]?.body ?? '').idempotencyKey, /^[0-9a-f]{32}$/)
  })

  for (const [name, handle, code] of [
    ['429', refuse(429, 'rate_limited', { 'retry-after': '0' }), 'rate_limited'],
    ['502', answer(502, {}, '<h1>Bad gateway</h1>'), 'unexpected_answer'],
    ['503', refuse(503, 'unavailable'), 'unavailable'],
    ['504', answer(504), 'unexpected_answer'],
    ['a dropped connection', drop, 'connection_failed'],
  ] as const) {
    test(`${name} is retried three times and then thrown`, async () => {
      const error = await refusal(given(handle, handle, handle, handle).identity())
      assert.equal(error.code, code)
      assert.equal(received.length, 4)
    })
  }

  for (const [name, handle, code] of [
    ['400', refuse(400, 'invalid_request'), 'invalid_request'],
    ['401', refuse(401, 'unauthenticated'), 'unauthenticated'],
    ['409', refuse(409, 'version_conflict'), 'version_conflict'],
    ['500', refuse(500, 'internal_error'), 'internal_error'],
    ['a redirect', answer(307, { location: 'http://127.0.0.1:9/' }), 'unexpected_answer'],
    ['an answer that is not JSON', answer(200, {}, '<h1>Welcome to our hotel</h1>'), 'unexpected_answer'],
    ['a 503 with a Retry-After of an hour', refuse(503, 'unavailable', { 'retry-after': '3600' }), 'unavailable'],
  ] as const) {
    test(`${name} is not retried`, async () => {
      assert.equal((await refusal(given(handle).carts.create())).code, code)
      assert.equal(received.length, 1)
    })
  }

  test('the number of retries can be set for the client and for a single call', async () => {
    assert.equal((await refusal(given(drop).identity({ maxRetries: 0 }))).code, 'connection_failed')
    given(drop, drop)
    const shop = createClient({ baseUrl, maxRetries: 1, retryDelayMs: 1 })
    await refusal(shop.identity())
    assert.equal(received.length, 2)
  })

  test('the client waits for Retry-After', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const shop = given(refuse(429, 'rate_limited', { 'retry-after': '7' }))
    const answered = shop.identity()
    while (received.length === 0) await new Promise(setImmediate)
    // The pause begins when the answer has been read.
    let isAnswered = false
    void answered.then(() => {
      isAnswered = true
    })
    context.mock.timers.tick(6_999)
    await new Promise(setImmediate)
    assert.equal(isAnswered, false)
    while (!isAnswered) {
      context.mock.timers.tick(7_000)
      await new Promise(setImmediate)
    }
    assert.equal(received.length, 2)
  })

  test('an attempt that times out is retried', async () => {
    assert.equal((await given(never).carts.create({}, { timeoutMs: 50 })).data.id, 'cart_1')
    assert.equal((await refusal(given(never).identity({ timeoutMs: 20, maxRetries: 0 }))).code, 'timed_out')
  })

  test('an AbortSignal aborts calls and waits between retries, with its own reason', async () => {
    const reason = new Error('the shopper left')
    const abort = new AbortController()
    const open = given(never).identity({ signal: abort.signal })
    while (received.length === 0) await new Promise(setImmediate)
    abort.abort(reason)
    await assert.rejects(open, (error) => error === reason)
    await assert.rejects(given().identity({ signal: abort.signal }), (error) => error === reason)
    assert.equal(received.length, 0)
    const later = new AbortController()
    const pausing = given(refuse(503, 'unavailable', { 'retry-after': '20' })).identity({ signal: later.signal })
    while (received.length === 0) await new Promise(setImmediate)
    setTimeout(() => later.abort(reason), 20)
    await assert.rejects(pausing, (error) => error === reason)
    assert.equal(received.length, 1)
  })

  const page = (slugs: string[], next: string | null) =>
    answer(200, {}, JSON.stringify({ data: slugs.map((slug) => ({ slug })), meta: { count: slugs.length, next } }))
  const products = '/api/v1/open/catalog/products'

  test('a list returns its first page, and iterating over it returns the rows of all pages', async () => {
    const pages = [page(['a', 'b'], `${products}?cursor=2`), page(['c'], null)]
    const { data, meta } = await given(...pages).catalog.products()
    assert.deepEqual([data.map(({ slug }) => slug), meta?.next], [['a', 'b'], `${products}?cursor=2`])
    const slugs: string[] = []
    for await (const { slug } of given(...pages).catalog.products()) slugs.push(slug)
    assert.deepEqual(slugs, ['a', 'b', 'c'])
    assert.deepEqual(
      received.map(({ url }) => url),
      [products, `${products}?cursor=2`],
    )
    await given(page(['c'], null)).catalog.products({ next: `${products}?cursor=2` })
    assert.equal(received[0]?.url, `${products}?cursor=2`)
  })

  test('iteration finds the rows if they are a member of data', async () => {
    const orders = '/api/v1/open/storefront/orders'
    const reply = (ids: string[], next: string | null) =>
      answer(200, {}, JSON.stringify({ data: { orders: ids.map((id) => ({ id })), next } }))
    const found: string[] = []
    for await (const { id } of given(reply(['1'], `${orders}?cursor=2`), reply(['2'], null)).orders.list())
      found.push(id)
    assert.deepEqual(found, ['1', '2'])
  })

  test('a next link is not followed unless it is to another page of the same list', async () => {
    for (const next of [
      'https://evil.example/',
      '//evil.example/',
      `${products}/../../x?y`,
      products,
      `${products}@evil?`,
    ])
      await assert.rejects(given().catalog.products({ next }), TypeError)
    await assert.rejects(async () => {
      for await (const _ of given(page(['a'], '//evil.example/x?y')).catalog.products());
    }, TypeError)
    assert.equal(received.length, 1)
  })
})
