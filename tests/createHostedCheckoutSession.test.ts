import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'

eachEngine('createHostedCheckoutSession', (given) => {
  test('200 from items creates a cart, a session that holds the stock, and an event without the URL of the checkout page', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, open, read } = await checkoutOf(testServer)
    const { body } = await open(
      { 'ROSE-24': 2, CARD: 1 },
      { clientReferenceId: 'A-17', metadata: { fakeProvider: '3' }, customer: { email: 'ada@example.com' } },
    )
    const { data } = body
    assert.deepEqual(
      [data.version, data.status, data.paymentStatus, data.mode, data.locale, data.clientReferenceId, data.metadata],
      [1, 'open', 'unpaid', 'test', 'auto', 'A-17', { fakeProvider: '3' }],
    )
    assert.match(data.url, new RegExp(`^${testServer.origin}/c/[\\w-]{43}$`))
    assert.deepEqual(data.customer, { emailMasked: 'a***@example.com' })
    assert.deepEqual(data.hold, { status: 'held', expiresAt: '2026-06-01T12:15:00.000Z' })
    assert.equal(data.expiresAt, '2026-06-01T12:30:00.000Z')
    assert.equal(data.totals.total, 2 * 5900 + 333)
    // Two of three are promised: another cart sees one, this one sees its own.
    const other = await carts.put(await carts.create(), 'ROSE-24', 2)
    assertError(other, 'insufficient_stock')
    assert.equal(other.body.error.current.available, 1)
    assert.equal(data.items[0].availableQuantity, 3)
    const cart = (await carts.read(data.cartId)).body.data
    assert.deepEqual([cart.checkoutSessionId, cart.status, cart.messages], [data.id, 'open', []])
    assert.deepEqual((await read(data.id)).body.data, data)
    const [created, ...more] = await eventsOf(testServer, data.id)
    assert.deepEqual([created?.type, created?.sequence, more], ['checkout_session.created', 1, []])
    assert.deepEqual(created?.body.data.checkoutSession, { ...data, url: null, withdrawalUrl: null })
    assert.ok(!JSON.stringify(created?.body).includes(data.url.split('/').at(-1)))
  })

  test('200 from a cart; another request for this cart returns the same session with the new promotion code, locale and success URL', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts } = await checkoutOf(testServer)
    const cartId = await carts.create({ CARD: 2 })
    const create = (key: string, more: object = {}) =>
      testServer.ask('createHostedCheckoutSession', {
        body: { idempotencyKey: key, cartId, successUrl: 'https://localhost/a', ...more },
      })
    const first = (await create('one', { expectedCartVersion: 1 })).body.data
    await carts.patch(cartId, 'CARD', 5)
    const second = (
      await create('two', { successUrl: 'http://127.0.0.1:1/b', locale: 'de', promotionCode: 'welcome10' })
    ).body.data
    assert.deepEqual(
      [second.id, second.url, second.successUrl, second.locale],
      [first.id, first.url, 'http://127.0.0.1:1/b', 'de'],
    )
    assert.deepEqual(second.promotion, { state: 'applied', code: 'WELCOME10', amount: 167 })
    assert.ok(second.version > first.version)
    assertError(await create('three', { expectedCartVersion: 1 }), 'version_conflict')
    // A code that is refused does not stop the checkout, and the earlier one stays.
    assert.equal((await create('four', { promotionCode: 'NOSUCH' })).body.data.promotion.code, 'WELCOME10')
  })

  test('each change of the cart changes the hold in the same transaction, or is refused', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, open } = await checkoutOf(testServer)
    const { id, cartId } = (await open({ 'ROSE-24': 1 })).body.data
    assert.equal((await carts.patch(cartId, 'ROSE-24', 3)).status, 200)
    const held = () =>
      testServer.storage.read(
        (db) => db.sql<{ quantity: number }>`select quantity from holds where owner_id = ${id} order by quantity`,
      )
    assert.deepEqual(await held(), [{ quantity: 3 }])
    assertError(await carts.patch(cartId, 'ROSE-24', 4), 'insufficient_stock')
    assert.deepEqual(await held(), [{ quantity: 3 }])
    await carts.put(cartId, 'CARD', 7)
    assert.deepEqual(await held(), [{ quantity: 3 }, { quantity: 7 }])
    await carts.remove(cartId, 'ROSE-24')
    assert.deepEqual(await held(), [{ quantity: 7 }])
  })

  test('400 for redirect URLs that are not allowed, with their path', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { open } = await checkoutOf(testServer)
    for (const [change, path] of [
      [{ successUrl: 'https://evil.example/x' }, '/successUrl'],
      [{ successUrl: 'http://shop.example/x' }, '/successUrl'],
      [{ successUrl: 'https://user:pass@localhost/x' }, '/successUrl'],
      [{ cancelUrl: 'https://localhost.evil.example/x' }, '/cancelUrl'],
      [{ successUrl: 'javascript:alert(1)' }, '/successUrl'],
      // A browser goes to localhost, a client that follows RFC 3986 to evil.example.
      [{ successUrl: 'https://localhost\\@evil.example/x' }, '/successUrl'],
      [{ cancelUrl: 'https://@localhost/x' }, '/cancelUrl'],
      [{ cancelUrl: 'https://%6cocalhost/x' }, '/cancelUrl'],
    ] as const) {
      const answer = await open({ CARD: 1 }, change)
      assertError(answer, 'invalid_request')
      assert.deepEqual(
        answer.body.error.issues.map((issue: { path: string }) => issue.path),
        [path],
      )
    }
  })

  test('an allowed host without a port allows only port 443, and one with a port only that port', async () => {
    const shop = {
      ...market,
      installations: [{ name: 'Live', mode: 'live' as const, redirectHosts: ['Bücher.example', 'a.example:8443'] }],
    }
    const testServer = await openTestServer(given, { shops: [shop] })
    const { open } = await checkoutOf(testServer)
    for (const successUrl of ['https://xn--bcher-kva.example/x', 'https://a.example:8443/x'])
      assert.equal((await open({ CARD: 1 }, { successUrl })).status, 200)
    for (const successUrl of ['https://xn--bcher-kva.example:8443/x', 'https://a.example/x', 'http://localhost/x'])
      assertError(await open({ CARD: 1 }, { successUrl }), 'invalid_request')
  })

  test('400 for both or neither of cart and items; 404 for a foreign cart; 409 for an empty cart and for missing stock', async () => {
    const testServer = await openTestServer(given, { shops: [market, rival] })
    const { carts, open } = await checkoutOf(testServer)
    const cartId = await carts.create({ CARD: 1 })
    assertError(await open({ CARD: 1 }, { cartId }), 'invalid_request')
    assertError(await open({}, { items: undefined }), 'invalid_request')
    const foreign = await testServer.ask('createHostedCheckoutSession', {
      key: testServer.keys.rival,
      body: { idempotencyKey: 'f', cartId, successUrl: 'http://localhost/x' },
    })
    assertError(foreign, 'cart_not_found')
    assertError(await open({}, { items: undefined, cartId: await carts.create() }), 'cart_empty')
    assertError(await open({ 'ROSE-24': 4 }), 'insufficient_stock')
    assertError(await open({ TULIP: 1 }), 'item_unavailable')
    assert.deepEqual(await testServer.storage.read((db) => db.sql`select id from checkout_sessions`), [])
  })
})
