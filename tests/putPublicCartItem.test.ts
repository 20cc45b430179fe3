import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cartsOf, eventsOf, market } from '../harness/carts.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'

eachEngine('putPublicCartItem', (given) => {
  test('200 adds the line, then sets its quantity, with one version and one event each', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create()
    const added = await carts.put(cartId, 'CARD', 2)
    assert.deepEqual([added.body.data.version, added.body.data.itemCount], [2, 2])
    const set = await carts.put(cartId, 'CARD', 5, { expectedVersion: 2 })
    assert.deepEqual([set.body.data.version, set.body.data.items.length, set.body.data.itemCount], [3, 1, 5])
    const events = await eventsOf(testServer, cartId)
    assert.deepEqual(
      events.map(({ type, sequence }) => [type, sequence]),
      [
        ['cart.created', 1],
        ['cart.updated', 2],
        ['cart.updated', 3],
      ],
    )
    assert.deepEqual(events[2]?.body.data.cart, set.body.data)
  })

  test('404 with the same bytes for an unknown SKU and another merchant’s; 409 for a SKU that is not on sale', async () => {
    const testServer = await openTestServer(given, { shops: [market, rival] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create()
    const [foreign] = await testServer.storage.read(
      (db) => db.sql<{ id: string }>`select id from skus where merchant_id <> ${testServer.merchantId}`,
    )
    const bodies = new Set<string>()
    for (const skuId of ['sku_01h455vb4pex5vsknk084sn02q', foreign?.id ?? '', 'nonsense']) {
      const answer = await testServer.ask('putPublicCartItem', {
        path: { cartId, skuId },
        body: { idempotencyKey: skuId, quantity: 1 },
      })
      assertError(answer, 'cart_item_not_found')
      bodies.add(answer.text.replace(answer.body.error.requestId, ''))
    }
    assert.equal(bodies.size, 1)
    assertError(await carts.put(cartId, 'TULIP', 1), 'item_unavailable')
  })

  test('409 for the 101st line, and the hundred lines stay', async () => {
    const products = Array.from({ length: 101 }, (_, index) => ({
      slug: `p${index}`,
      name: `P ${index}`,
      skus: [{ code: `P${index}`, price: 101 + index, stock: 9 }],
    }))
    const testServer = await openTestServer(given, { shops: [{ ...market, products, promotions: [] }] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create(Object.fromEntries(products.slice(0, 100).map((_, index) => [`P${index}`, 1])))
    const refused = await carts.put(cartId, 'P100', 1)
    assertError(refused, 'quantity_limit_exceeded')
    assert.deepEqual(refused.body.error.current, { limit: 100 })
    assert.equal((await carts.put(cartId, 'P99', 3)).body.data.items.length, 100)
    await carts.remove(cartId, 'P0')
    const { body } = await carts.put(cartId, 'P100', 1)
    assert.equal(body.data.items.at(-1).code, 'P100')
    assert.equal(body.data.items.length, 100)
  })
})
