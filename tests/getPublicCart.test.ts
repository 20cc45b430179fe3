import assert from 'node:assert/strict'
import { test } from 'node:test'
import { berlin, cartsOf, eventsOf, market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'
import { expireCarts } from '../src/domain/carts/sweep.ts'

const day = 24 * 3_600_000

eachEngine('getPublicCart', (given) => {
  test('200 reports a changed price until the line is written again', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 2 })
    const products = (market.products ?? []).map((product) =>
      product.slug === 'card' ? { ...product, skus: product.skus.map((sku) => ({ ...sku, price: 400 })) } : product,
    )
    await testServer.apply({ ...market, products })
    const { body } = await carts.read(cartId)
    assert.deepEqual(body.data.messages, [
      {
        code: 'price_changed',
        message: 'The price of Card has changed.',
        skuId: carts.sku('CARD'),
        previous: 333,
        current: 400,
      },
    ])
    assert.deepEqual([body.data.version, body.data.items[0].unitPrice, body.data.totals.subtotal], [1, 400, 800])
    assert.deepEqual((await carts.patch(cartId, 'CARD', 3)).body.data.messages, [])
  })

  test('200 shows the present name and limit of a product, also if it was just cached', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 5 })
    assert.equal((await carts.read(cartId)).body.data.items[0].name, 'Card')
    const change = (more: object, sku: object) =>
      (market.products ?? []).map((product) =>
        product.slug === 'card'
          ? { ...product, ...more, skus: product.skus.map((one) => ({ ...one, ...sku })) }
          : product,
      )
    await testServer.apply({ ...market, products: change({ name: 'Postcard' }, { maxPerOrder: 4 }) })
    const renamed = (await carts.read(cartId)).body.data
    assert.deepEqual([renamed.items[0].name, renamed.items[0].maxQuantity], ['Postcard', 4])
    assert.deepEqual(
      renamed.messages.map(({ code }: { code: string }) => code),
      ['quantity_limit_exceeded'],
    )
    await testServer.apply({ ...market, products: change({ name: 'Postcard', published: false }, { maxPerOrder: 4 }) })
    const gone = (await carts.read(cartId)).body.data
    assert.equal(gone.messages[0].code, 'item_unavailable')
    assertError(await carts.patch(cartId, 'CARD', 2), 'item_unavailable')
  })

  test('200 reports lower stock, a lower limit and an unpublished product', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 5, BOOK: 5, 'ROSE-12': 5 })
    const products = (market.products ?? []).map((product) => ({
      ...product,
      published: product.slug !== 'book',
      skus: product.skus.map((sku) =>
        sku.code === 'CARD' ? { ...sku, stock: 2 } : sku.code === 'ROSE-12' ? { ...sku, maxPerOrder: 4 } : sku,
      ),
    }))
    await testServer.apply({ ...market, products, promotions: [] }, { stock: true })
    const { body } = await carts.read(cartId)
    assert.deepEqual(
      body.data.messages.map(({ code, skuId, previous, current }: Record<string, unknown>) => [
        code,
        skuId,
        previous,
        current,
      ]),
      [
        ['insufficient_stock', carts.sku('CARD'), 5, 2],
        ['item_unavailable', carts.sku('BOOK'), null, null],
        ['quantity_limit_exceeded', carts.sku('ROSE-12'), 5, 4],
      ],
    )
    assert.equal(body.data.items[1].availability, 'out_of_stock')
  })

  test('200 shows the cart as expired from the exact time on, before and after the sweep, which increases the version and emits the event', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const [idle, busy] = [await carts.create({ CARD: 1 }), await carts.create({ CARD: 1 })]
    testServer.clock.now += 30 * day - 1
    assert.equal((await carts.read(idle)).body.data.status, 'open')
    await carts.patch(busy, 'CARD', 2)
    testServer.clock.now += 1
    assert.equal((await carts.read(idle)).body.data.status, 'expired')
    assertError(await carts.patch(idle, 'CARD', 2), 'cart_not_open')
    const sweeps = await Promise.all(
      [1, 2, 3].map(() => expireCarts(testServer.storage, testServer.app.cartTools, testServer.clock.now)),
    )
    assert.equal(
      sweeps.reduce((sum, swept) => sum + swept, 0),
      1,
    )
    const { body } = await carts.read(idle)
    assert.deepEqual([body.data.status, body.data.version], ['expired', 2])
    const events = await eventsOf(testServer, idle)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['cart.created', 'cart.expired'],
    )
    assert.deepEqual([events[1]?.body.cause, events[1]?.body.data.cart], [null, body.data])
    assert.equal((await carts.read(busy)).body.data.status, 'open')
  })

  test('200 without the address a week after it was stored', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 1 })
    await carts.address(cartId, berlin)
    testServer.clock.now += 7 * day
    const { body } = await carts.read(cartId)
    assert.equal(body.data.address, null)
    assert.deepEqual(
      body.data.messages.map(({ code }: { code: string }) => code),
      ['address_expired'],
    )
    assert.deepEqual(body.data.shipping, { optionId: null, options: [] })
  })

  test('404 is the same for unknown and malformed ids and for carts of another installation', async () => {
    const testServer = await openTestServer(given, { shops: [market, rival] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create()
    const bodies = new Set<string>()
    for (const [id, key] of [
      [cartId, testServer.keys.rival],
      ['cart_01h455vb4pex5vsknk084sn02q', testServer.keys.full],
      ['x', testServer.keys.full],
    ] as const) {
      const answer = await testServer.ask('getPublicCart', { path: { cartId: id }, key })
      assertError(answer, 'cart_not_found')
      bodies.add(answer.text.replace(answer.body.error.requestId, ''))
    }
    assert.equal(bodies.size, 1)
  })

  test('200 for a converted cart shows what was charged, even if prices and codes have changed since', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { ready, pay, read } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready({ 'ROSE-12': 2 }, { promotionCode: 'WELCOME10' })
    await pay(secret, view)
    const { cartId, orderId } = (await read(sessionId)).body.data
    const order = (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
    const { refunded: _, refundPending: __, ...charged } = order.totals
    assert.ok(charged.shipping > 0 && charged.discount > 0)
    const [told] = await testServer.storage.read(
      (db) => db.sql<{ body: string }>`select body from events where type = 'cart.converted'`,
    )
    assert.deepEqual(JSON.parse(told?.body ?? '').data.cart.totals, charged)
    await testServer.storage.write(async (tx) => {
      await tx.sql`update promotions set disabled_at = ${testServer.clock.now}`
      await tx.sql`update skus set price = price + 1000`
    })
    const cart = (await testServer.ask('getPublicCart', { path: { cartId } })).body.data
    assert.deepEqual(cart.totals, charged)
    assert.deepEqual(
      [cart.status, cart.promotion.code, cart.promotion.amount],
      ['converted', 'WELCOME10', charged.discount],
    )
    assert.equal(cart.items[0].total, charged.subtotal - charged.discount)
    assert.deepEqual(
      cart.shipping.options.map(({ amount }: { amount: number }) => amount),
      [charged.shipping],
    )
    // The rest of the server holds listed prices against the SKUs'.
    await testServer.storage.write((tx) => tx.sql`update skus set price = price - 1000`)
  })
})
