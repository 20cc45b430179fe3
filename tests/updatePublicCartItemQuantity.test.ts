import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cartsOf, eventsOf, market } from '../harness/carts.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'

eachEngine('updatePublicCartItemQuantity', (given) => {
  test('200 sets the quantity, and 0 removes the line', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 1, 'ROSE-12': 1 })
    const set = await carts.patch(cartId, 'CARD', 7)
    assert.deepEqual(
      [set.body.data.version, set.body.data.items[0].quantity, set.body.data.items[0].subtotal],
      [2, 7, 7 * 333],
    )
    const removed = await carts.patch(cartId, 'CARD', 0)
    assert.deepEqual(
      removed.body.data.items.map((item: { code: string }) => item.code),
      ['ROSE-12'],
    )
    assert.equal((await eventsOf(testServer, cartId)).length, 3)
  })

  test('404 for a SKU that is not in the cart, for an unknown cart and for a cart of another installation', async () => {
    const testServer = await openTestServer(given, { shops: [market, rival] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 1 })
    assertError(await carts.patch(cartId, 'ROSE-12', 1), 'cart_item_not_found')
    const path = { cartId, skuId: carts.sku('CARD') }
    const body = { idempotencyKey: 'x', quantity: 1 }
    const bodies = new Set<string>()
    for (const [options, key] of [
      [{ ...path }, testServer.keys.rival],
      [{ ...path, cartId: 'cart_01h455vb4pex5vsknk084sn02q' }, testServer.keys.full],
      [{ ...path, cartId: 'nonsense' }, testServer.keys.full],
      [{ ...path, cartId: "x'--" }, testServer.keys.full],
    ] as const) {
      const answer = await testServer.ask('updatePublicCartItemQuantity', { path: options, key, body })
      assertError(answer, 'cart_not_found')
      bodies.add(answer.text.replace(answer.body.error.requestId, ''))
    }
    assert.equal(bodies.size, 1)
  })

  test('409 for a quantity above stock or limit, with the available one, and the cart stays unchanged', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'ROSE-24': 1, 'ROSE-12': 1 })
    const before = await carts.read(cartId)
    const short = await carts.patch(cartId, 'ROSE-24', 4)
    assertError(short, 'insufficient_stock')
    assert.deepEqual(short.body.error.current, { skuId: carts.sku('ROSE-24'), available: 3 })
    const limited = await carts.patch(cartId, 'ROSE-12', 11)
    assertError(limited, 'quantity_limit_exceeded')
    assert.equal(limited.body.error.current.limit, 10)
    assert.equal((await carts.read(cartId)).text, before.text)
    assert.equal((await eventsOf(testServer, cartId)).length, 1)
  })

  test('409 for an outdated version, with the current one, and 200 with the current version', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 1 })
    await carts.patch(cartId, 'CARD', 2)
    const stale = await carts.patch(cartId, 'CARD', 3, { expectedVersion: 1 })
    assertError(stale, 'version_conflict')
    assert.deepEqual(stale.body.error.current, { status: 'open', version: 2 })
    assert.equal(stale.body.error.message, 'The cart is at version 2; the request expected 1.')
    assert.equal((await carts.patch(cartId, 'CARD', 3, { expectedVersion: 2 })).status, 200)
  })

  test('409 for a cart in any status but open', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    for (const [status, code] of [
      ['locked', 'cart_locked'],
      ['converted', 'cart_not_open'],
      ['expired', 'cart_not_open'],
    ] as const) {
      const cartId = await carts.create({ CARD: 1 })
      await testServer.storage.write((tx) => tx.sql`update carts set status = ${status} where id = ${cartId}`)
      for (const answer of [
        await carts.patch(cartId, 'CARD', 2),
        await carts.put(cartId, 'CARD', 2),
        await carts.remove(cartId, 'CARD'),
        await carts.promote(cartId, 'WELCOME10'),
        await carts.address(cartId, { name: 'A', line1: 'B 1', city: 'C', postalCode: '10117', country: 'DE' }),
      ]) {
        assertError(answer, code)
        assert.deepEqual(answer.body.error.current, { status, version: 1 })
      }
      assert.equal((await carts.read(cartId)).body.data.status, status)
      // No session of ours has locked or sold it.
      await testServer.storage.write((tx) => tx.sql`update carts set status = 'open' where id = ${cartId}`)
    }
  })

  test('50 concurrent changes all count, and the totals are right', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 1, BOOK: 1, 'ROSE-12': 1 })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        carts.patch(cartId, ['CARD', 'BOOK', 'ROSE-12'][index % 3] as string, 1 + (index % 10)),
      ),
    )
    assert.deepEqual(
      answers.map(({ body }) => body.data.version).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, index) => index + 2),
    )
    const { body } = await carts.read(cartId)
    assert.equal(body.data.version, 51)
    const last = answers.find((answer) => answer.body.data.version === 51)
    assert.deepEqual(body.data, last?.body.data)
    const subtotal = body.data.items.reduce(
      (sum: number, item: { unitPrice: number; quantity: number }) => sum + item.unitPrice * item.quantity,
      0,
    )
    assert.equal(body.data.totals.subtotal, subtotal)
    const events = await eventsOf(testServer, cartId)
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      Array.from({ length: 51 }, (_, index) => index + 1),
    )
  })
})
