import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cartsOf, eventsOf, market } from '../harness/carts.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'

eachEngine('removePublicCartItem', (given) => {
  test('200 removes the line, and repeats the response for the same idempotency key; 404 for a new key', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 1, BOOK: 2 })
    const first = await carts.remove(cartId, 'BOOK', { idempotencyKey: 'gone', reason: 'changed my mind' })
    assert.deepEqual(
      first.body.data.items.map((item: { code: string }) => item.code),
      ['CARD'],
    )
    const again = await carts.remove(cartId, 'BOOK', { idempotencyKey: 'gone', reason: 'changed my mind' })
    assert.equal(again.text, first.text)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assertError(await carts.remove(cartId, 'BOOK'), 'cart_item_not_found')
    assert.equal((await eventsOf(testServer, cartId)).length, 2)
  })

  test('400 if a proxy dropped the body, and the line stays', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 1 })
    const path = { cartId, skuId: carts.sku('CARD') }
    assertError(
      await testServer.ask('removePublicCartItem', { path, headers: { 'idempotency-key': 'k' } }),
      'body_required',
    )
    assert.equal((await carts.read(cartId)).body.data.itemCount, 1)
  })
})
