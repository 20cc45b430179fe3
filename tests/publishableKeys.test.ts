// Publishable keys: what a page of a storefront may do with a key that everyone can read, and what it may not.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { berlin, cartsOf, market } from '../harness/carts.ts'
import { checkoutOf, secretOf } from '../harness/checkout.ts'
import { examplePath } from '../harness/openRequests.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { type AskOptions, assertError, openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { type OperationId, operationIds, operations } from '../src/contract/open/operations.ts'
import { fillPath } from '../src/contract/surface.ts'
import { publishableScopes } from '../src/contract/words.ts'
import { createKey, endKey } from '../src/platform/access/keys.ts'
import { deleteDeadKeys } from '../src/platform/access/retention.ts'
import type { Tx } from '../src/platform/storage/storage.ts'

const page = 'https://shop.example'

interface Visitor {
  id: string
  key: string
  ask(id: OperationId, options?: AskOptions): ReturnType<TestServer['ask']>
}

// With a random idempotency key where the operation wants one.
async function visitorOf(testServer: TestServer, origins: readonly string[] = [page]): Promise<Visitor> {
  const owner = { id: testServer.installationId, ...testServer.seller }
  const input = { name: 'pages', scopes: publishableScopes, origins, expiresAt: null }
  const { id, key } = await testServer.storage.write((tx) =>
    createKey(tx, testSecret, owner, input, testServer.clock.now),
  )
  return {
    id,
    key,
    ask: (operation, { headers = {}, body, ...options } = {}) =>
      testServer.ask(operation, {
        ...options,
        key,
        headers: { origin: page, ...headers },
        ...(operations[operation].idempotency === 'required' && {
          body: { idempotencyKey: randomUUID(), ...(body as object | undefined) },
        }),
      }),
  }
}

function preflight(testServer: TestServer, id: OperationId, headers: Record<string, string>) {
  return testServer.fetch(fillPath(operations[id].path, examplePath), { method: 'OPTIONS', headers })
}

eachEngine('publishable keys', (given) => {
  test('a page can create a cart and a checkout, and never gets stock numbers or the link to the order page', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ask, key } = await visitorOf(testServer)
    assert.match(key, /^cwp_test_/)
    const { sku } = await cartsOf(testServer)
    const { look, pay } = await checkoutOf(testServer)
    const listed = await ask('listApiKeyCatalogProducts')
    assert.equal(listed.headers.get('access-control-allow-origin'), page)
    assert.equal(listed.headers.get('vary'), 'origin, accept-encoding')
    const { slug } = listed.body.data[0]
    const product = (await ask('getApiKeyCatalogProduct', { path: { slug } })).body.data
    assert.deepEqual(
      product.skus.map(({ availableQuantity }: { availableQuantity: number | null }) => availableQuantity),
      product.skus.map(() => null),
    )
    const cart = (await ask('createPublicCart', { body: { items: [{ skuId: sku('ROSE-12'), quantity: 1 }] } })).body
      .data
    const path = { cartId: cart.id, skuId: sku('ROSE-12') }
    assert.equal((await ask('putPublicCartItem', { path, body: { quantity: 2 } })).status, 200)
    assert.equal((await ask('setPublicCartAddress', { path, body: { address: berlin } })).status, 200)
    assert.equal((await ask('setPublicCartShipping', { path, body: { optionId: 'express' } })).status, 200)
    for (const times of ['fresh', 'cached']) assert.equal((await ask('getPublicCart', { path })).status, 200, times)
    const session = (
      await ask('createHostedCheckoutSession', {
        body: { cartId: cart.id, successUrl: 'http://localhost/x', customer: { email: 'ada@example.com' } },
      })
    ).body.data
    const secret = secretOf(session.url)
    await pay(secret, await look(secret))
    const paid = (await ask('getHostedCheckoutSession', { path: { sessionId: session.id } })).body.data
    assert.deepEqual([paid.status, paid.statusUrl], ['completed', null])
    const owner = (await testServer.ask('getHostedCheckoutSession', { path: { sessionId: session.id } })).body.data
    assert.match(owner.statusUrl, /\/o\//)
  })

  test('403 for each operation that is not allowed for pages, and for the admin API', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ask, key } = await visitorOf(testServer)
    const ours = operationIds.filter((id) => operations[id].caller === 'key')
    const refused = ours.filter((id) => !('forPages' in operations[id]))
    assert.deepEqual(refused.toSorted(), [
      'cancelStorefrontOrder',
      'getInstallationCredentialIdentity',
      'getInstallationWebhookSignatureFixture',
      'getStorefrontOrder',
      'listInstallationWebhooks',
      'listStorefrontOrders',
      'replayInstallationWebhookDelivery',
    ])
    for (const id of refused) assertError(await ask(id, { path: { ...examplePath, id: 'x' } }), 'scope_missing')
    const admin = await testServer.askAdmin('getAdminHome', { key, headers: { origin: page } })
    assert.deepEqual([admin.status, admin.body.error.code], [403, 'scope_missing'])
  })

  test('404 for carts and sessions that were created with other keys, as for unknown ones', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ask } = await visitorOf(testServer)
    const other = await visitorOf(testServer, [page, 'https://www.shop.example'])
    const { carts, open } = await checkoutOf(testServer)
    const cartId = await carts.create({ CARD: 1 })
    await carts.read(cartId)
    const path = { cartId, skuId: carts.sku('CARD') }
    const before = await carts.read(cartId)
    for (const [id, body] of [
      ['getPublicCart', {}],
      ['putPublicCartItem', { quantity: 2 }],
      ['updatePublicCartItemQuantity', { quantity: 2 }],
      ['removePublicCartItem', {}],
      ['applyPublicCartPromotion', { code: 'WELCOME10' }],
      ['setPublicCartAddress', { address: berlin }],
      ['setPublicCartShipping', { optionId: 'express' }],
    ] as const)
      assertError(await ask(id, { path, body }), 'cart_not_found')
    const successUrl = 'http://localhost/x'
    assertError(await ask('createHostedCheckoutSession', { body: { cartId, successUrl } }), 'cart_not_found')
    assert.deepEqual((await carts.read(cartId)).body, before.body)
    const session = (await open({ CARD: 1 })).body.data
    const of = { path: { sessionId: session.id } }
    assertError(await ask('getHostedCheckoutSession', of), 'checkout_session_not_found')
    assertError(await ask('cancelHostedCheckoutSession', of), 'checkout_session_not_found')

    // What such keys made is found by each of them, so a key can be replaced, and by the shop's own servers.
    const made = (await ask('createPublicCart')).body.data
    const mine = { path: { cartId: made.id } }
    assert.equal((await other.ask('getPublicCart', mine)).status, 200)
    assert.equal((await testServer.ask('getPublicCart', mine)).status, 200)
  })

  test('idempotency keys of pages are separate from those of the shop’s servers, and must have at least 16 characters', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ask } = await visitorOf(testServer)
    const idempotencyKey = 'made-by-a-server-0001'
    const body = { idempotencyKey, successUrl: 'http://localhost/x' }
    const { sku } = await cartsOf(testServer)
    const items = [{ skuId: sku('CARD'), quantity: 1 }]
    const server = await testServer.ask('createHostedCheckoutSession', { body: { ...body, items } })
    const page = await ask('createHostedCheckoutSession', { body: { ...body, items } })
    assert.equal(page.headers.get('idempotency-replayed'), null)
    assert.notEqual(page.body.data.id, server.body.data.id)
    const short = await ask('createPublicCart', { body: { idempotencyKey: 'cart' } })
    assertError(short, 'idempotency_key_invalid')
    assert.match(short.body.error.message, /at least 16/)
  })

  test('403 for a page of another origin and for requests without an origin', async () => {
    const testServer = await openTestServer(given, { shops: [market, rival] })
    const { ask } = await visitorOf(testServer)
    await visitorOf(testServer, ['https://other.example'])
    const without = await ask('listApiKeyCatalogProducts', { headers: { origin: 'null' } })
    assertError(without, 'scope_missing')
    assert.equal(without.headers.get('access-control-allow-origin'), null)
    for (const origin of [
      'http://shop.example',
      'https://shop.example:8443',
      'https://evil.shop.example',
      `${page}.evil`,
    ]) {
      const foreign = await ask('createPublicCart', { headers: { origin } })
      assertError(foreign, 'scope_missing')
      assert.equal(foreign.headers.get('access-control-allow-origin'), null, 'the page cannot read it')
    }
    // Known here, so the developer of that page is told what is wrong.
    const known = await ask('createPublicCart', { headers: { origin: 'https://other.example' } })
    assertError(known, 'scope_missing')
    assert.match(known.body.error.message, /not among the origins/)
    assert.equal(known.headers.get('access-control-allow-origin'), 'https://other.example')
    const rows = await testServer.storage.read((db) => db.sql`select id from carts`)
    assert.equal(rows.length, 0)
  })

  test('preflight: 204 for an origin of a key; 403 for other origins, and for that origin before the key exists and after it is revoked', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const asked = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' }
    assert.equal((await preflight(testServer, 'putPublicCartItem', { ...asked, origin: page })).status, 403)
    testServer.clock.now += 10_000
    const { ask, id } = await visitorOf(testServer)
    const good = await preflight(testServer, 'putPublicCartItem', { ...asked, origin: page })
    assert.deepEqual(
      [good.status, good.text, good.headers.get('access-control-allow-origin'), good.headers.get('vary')],
      [204, '', page, 'origin'],
    )
    assert.equal(good.headers.get('access-control-allow-headers'), 'authorization, content-type, idempotency-key')
    assert.deepEqual(good.headers.get('access-control-allow-methods')?.split(', ').sort(), ['DELETE', 'PATCH', 'PUT'])
    assert.equal(good.headers.get('access-control-allow-credentials'), null)
    const foreign = await preflight(testServer, 'putPublicCartItem', { ...asked, origin: 'https://evil.example' })
    assert.deepEqual([foreign.status, foreign.headers.get('access-control-allow-origin')], [403, null])
    const orders = await preflight(testServer, 'listStorefrontOrders', { ...asked, origin: page })
    assert.equal(orders.headers.get('access-control-allow-origin'), null, 'not for pages')
    const plain = await preflight(testServer, 'putPublicCartItem', {})
    assert.deepEqual(
      [plain.status, plain.headers.get('allow')?.split(', ').sort(), plain.headers.get('access-control-allow-origin')],
      [204, ['DELETE', 'OPTIONS', 'PATCH', 'PUT'], null],
    )

    await testServer.storage.write((tx) => endKey(tx, id, testServer.clock.now))
    testServer.clock.now += 10_000
    assert.equal((await preflight(testServer, 'putPublicCartItem', { ...asked, origin: page })).status, 403)
    assertError(await ask('listApiKeyCatalogProducts'), 'unauthenticated')
  })

  test('a response to a secret key has no CORS header', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    await visitorOf(testServer)
    const answer = await testServer.ask('listApiKeyCatalogProducts', { headers: { origin: page } })
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, null])
  })

  test('429 limits each network address separately', async () => {
    const testServer = await openTestServer(given, {
      shops: [market],
      rateLimit: { perSecond: 1, burst: 1 },
      trustedProxies: ['127.0.0.1'],
    })
    const { ask } = await visitorOf(testServer)
    const from = (address: string) => ask('listApiKeyCatalogCategories', { headers: { 'x-forwarded-for': address } })
    const answers = await Promise.all(Array.from({ length: 61 }, () => from('203.0.113.7')))
    assert.deepEqual(
      answers.map(({ status }) => status).filter((status) => status !== 200),
      [429],
    )
    const refused = answers.find(({ status }) => status === 429)
    assert.equal(refused?.headers.get('access-control-allow-origin'), page, 'the page can read it')
    assert.equal((await from('203.0.113.8')).status, 200)
  })

  test('a key stops working if its origins are changed or deleted in the database', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    for (const change of [
      (tx: Tx) => tx.sql`update key_origins set origin = 'https://evil.example'`,
      (tx: Tx) => tx.sql`delete from key_origins`,
    ]) {
      const { ask, id } = await visitorOf(testServer)
      await testServer.storage.write(change)
      testServer.forget(id)
      assertError(await ask('listApiKeyCatalogProducts'), 'unauthenticated')
    }
  })

  test('the origins of a key are deleted together with the key', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { id } = await visitorOf(testServer)
    await testServer.storage.write((tx) => endKey(tx, id, testServer.clock.now))
    await deleteDeadKeys(testServer.storage, { endedBy: testServer.clock.now, now: testServer.clock.now })
    assert.deepEqual(await testServer.storage.read((db) => db.sql`select * from key_origins`), [])
  })
})
