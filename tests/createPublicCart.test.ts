import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cartsOf, eventsOf, market } from '../harness/carts.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'

eachEngine('createPublicCart', (given) => {
  test('200 creates an empty cart with its event', async () => {
    const testServer = await openTestServer(given, { shops: [market, rival] })
    const { body } = await testServer.ask('createPublicCart', {
      body: { idempotencyKey: 'a', metadata: { source: 'till' } },
    })
    const { id } = body.data
    assert.deepEqual(body.data, {
      id,
      version: 1,
      status: 'open',
      currency: 'EUR',
      items: [],
      itemCount: 0,
      promotion: { state: 'none', code: null, amount: 0 },
      address: null,
      shipping: { optionId: null, options: [] },
      totals: { subtotal: 0, discount: 0, shipping: 0, tax: 0, taxIncluded: true, total: 0 },
      messages: [],
      checkoutSessionId: null,
      orderId: null,
      metadata: { source: 'till' },
      createdAt: '2026-06-01T12:00:00.000Z',
      updatedAt: '2026-06-01T12:00:00.000Z',
      expiresAt: '2026-07-01T12:00:00.000Z',
    })
    const [event, ...more] = await eventsOf(testServer, id)
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'cart.created')
    assert.deepEqual(event.body, {
      id: event.body.id,
      type: 'cart.created',
      apiVersion: 'v1',
      mode: 'test',
      timestamp: '2026-06-01T12:00:00.000Z',
      installationId: testServer.installationId,
      subject: { type: 'cart', id },
      sequence: 1,
      cause: { operationId: 'createPublicCart', requestId: event.body.cause.requestId },
      data: { cart: body.data },
    })
  })

  test('200 with priced items in the order of the request', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const { body } = await carts.read(await carts.create({ CARD: 3, 'ROSE-12': 2 }))
    assert.deepEqual(
      body.data.items.map((item: { code: string; quantity: number }) => [item.code, item.quantity]),
      [
        ['CARD', 3],
        ['ROSE-12', 2],
      ],
    )
    assert.equal(body.data.totals.subtotal, 3 * 333 + 2 * 3500)
    assert.equal(body.data.itemCount, 5)
    assert.equal(body.data.items[1].imageUrl, `${testServer.origin}/media/demo/red-roses.svg`)
    assert.deepEqual([body.data.items[1].availableQuantity, body.data.items[1].maxQuantity], [40, 10])
  })

  test('400 names an unknown SKU, another merchant’s SKU and a duplicate by their path; the first two have the same message', async () => {
    const testServer = await openTestServer(given, { shops: [market, rival] })
    const carts = await cartsOf(testServer)
    const [foreign] = await testServer.storage.read(
      (db) => db.sql<{ id: string }>`select id from skus where merchant_id <> ${testServer.merchantId}`,
    )
    const items = [carts.sku('CARD'), 'sku_01h455vb4pex5vsknk084sn02q', foreign?.id ?? '', carts.sku('CARD')].map(
      (skuId) => ({ skuId, quantity: 1 }),
    )
    const answer = await testServer.ask('createPublicCart', { body: { idempotencyKey: 'a', items } })
    assertError(answer, 'invalid_request')
    assert.deepEqual(answer.body.error.issues, [
      { path: '/items/1/skuId', code: 'unknown_sku', values: {}, message: 'is not a SKU of this merchant' },
      { path: '/items/2/skuId', code: 'unknown_sku', values: {}, message: 'is not a SKU of this merchant' },
      { path: '/items/3/skuId', code: 'duplicate', values: {}, message: 'must not appear twice' },
    ])
  })

  test('409 for items that cannot be bought, and no cart is stored', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    for (const [code, quantity, refusal, current] of [
      ['VASE-1', 1, 'insufficient_stock', { available: 0 }],
      ['ROSE-24', 4, 'insufficient_stock', { available: 3 }],
      ['ROSE-12', 11, 'quantity_limit_exceeded', { limit: 10 }],
      ['TULIP', 1, 'item_unavailable', {}],
    ] as const) {
      const items = [
        { skuId: carts.sku('CARD'), quantity: 1 },
        { skuId: carts.sku(code), quantity },
      ]
      const answer = await testServer.ask('createPublicCart', { body: { idempotencyKey: `${code}`, items } })
      assertError(answer, refusal)
      assert.deepEqual(answer.body.error.current, { skuId: carts.sku(code), ...current })
    }
    assert.deepEqual(
      await testServer.storage.read(
        (db) => db.sql`select id from carts union all select id from events union all select key from idempotency_keys`,
      ),
      [],
    )
  })

  test('200 for a backordered quantity beyond the stock', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const { body } = await carts.read(await carts.create({ PEONY: 7 }))
    assert.deepEqual(
      [body.data.items[0].availability, body.data.items[0].availableQuantity, body.data.messages],
      ['backorder', null, []],
    )
  })

  test('200 for any quantity of a SKU without a stock count', async () => {
    const products = market.products?.map((product) => ({
      ...product,
      skus: product.skus.map((sku) =>
        sku.code === 'PEONY' ? { ...sku, stock: 0, backorder: false, counted: false } : sku,
      ),
    }))
    const testServer = await openTestServer(given, { shops: [{ ...market, products: products ?? [] }] })
    const carts = await cartsOf(testServer)
    const { body } = await carts.read(await carts.create({ PEONY: 7 }))
    assert.deepEqual(
      [body.data.items[0].availability, body.data.items[0].availableQuantity, body.data.messages],
      ['in_stock', null, []],
    )
    const { data } = (await testServer.ask('getApiKeyCatalogProduct', { path: { slug: 'peonies' } })).body
    const [sku] = data.skus
    assert.deepEqual([data.availability, sku.availability, sku.availableQuantity], ['in_stock', 'in_stock', null])
  })
})
