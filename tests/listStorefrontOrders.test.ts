import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOrderTestServer } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'

eachEngine('listStorefrontOrders', (given) => {
  test('200 with no orders', async () => {
    const testServer = await openOrderTestServer(given)
    const answer = await testServer.ask('listStorefrontOrders')
    assert.deepEqual(answer.body, { data: { orders: [], next: null } })
  })

  test('200 with the order summaries, newest first', async () => {
    const testServer = await openOrderTestServer(given)
    const first = await testServer.orders.place()
    testServer.clock.now += 1_000
    const second = await testServer.orders.place({ isManual: true, items: { CARD: 1 } })
    const { body } = await testServer.ask('listStorefrontOrders')
    assert.equal(body.data.next, null)
    assert.deepEqual(body.data.orders, [
      {
        id: second.orderId,
        number: 'T-1002',
        mode: 'test',
        status: 'placed',
        paymentStatus: 'pending',
        fulfillmentStatus: 'unfulfilled',
        currency: 'EUR',
        total: 333 + 490,
        itemCount: 1,
        checkoutSessionId: second.sessionId,
        cartId: second.cartId,
        clientReferenceId: 'ref-1',
        customer: { emailMasked: 'a***@example.com' },
        version: 1,
        placedAt: '2026-06-01T12:00:01.000Z',
        updatedAt: '2026-06-01T12:00:01.000Z',
      },
      {
        id: first.orderId,
        number: 'T-1001',
        mode: 'test',
        status: 'placed',
        paymentStatus: 'paid',
        fulfillmentStatus: 'unfulfilled',
        currency: 'EUR',
        total: first.quote.totals.total,
        itemCount: 5,
        checkoutSessionId: first.sessionId,
        cartId: first.cartId,
        clientReferenceId: 'ref-1',
        customer: { emailMasked: 'a***@example.com' },
        version: 2,
        placedAt: '2026-06-01T12:00:00.000Z',
        updatedAt: '2026-06-01T12:00:00.000Z',
      },
    ])
  })

  test('200 in pages: 250 orders, each once, even with equal timestamps and while others are placed', async () => {
    const testServer = await openOrderTestServer(given)
    const quote = await testServer.orders.quote({ items: { CARD: 1 } })
    const placed: string[] = []
    for (let round = 0; round < 10; round++) {
      // Twenty-five share an instant.
      const now = testServer.clock.now + round * 1_000
      const batch = await Promise.all(Array.from({ length: 25 }, () => testServer.orders.place({ quote, now })))
      placed.push(...batch.map(({ orderId }) => orderId))
    }
    const seen: { id: string; placedAt: string }[] = []
    const sizes: number[] = []
    let answer = await testServer.ask('listStorefrontOrders')
    for (;;) {
      const { orders, next } = answer.body.data
      seen.push(...orders)
      sizes.push(orders.length)
      // Newer ones do not move the pages.
      await testServer.orders.place({ quote, now: testServer.clock.now + 60_000 })
      if (next === null) break
      assert.match(next, /^\/api\/v1\/open\/storefront\/orders\?cursor=[\w.-]+$/)
      answer = await testServer.ask('listStorefrontOrders', { query: next.slice(next.indexOf('?')) })
    }
    assert.deepEqual(sizes, [100, 100, 50])
    assert.deepEqual(seen.map(({ id }) => id).sort(), placed.toSorted())
    const order = seen.map(({ id, placedAt }) => `${placedAt} ${id}`)
    assert.deepEqual(order, order.toSorted().reverse())
    const numbers = await testServer.storage.read(
      (db) => db.sql<{ number: string }>`select number from orders order by number`,
    )
    assert.deepEqual(
      numbers.map(({ number }) => Number(number.slice('T-'.length))),
      Array.from({ length: 253 }, (_, index) => 1_001 + index),
    )
  })

  test('200 with only the orders of the installation; 400 for a page link of another installation', async () => {
    const testServer = await openOrderTestServer(given)
    const quote = await testServer.orders.quote({ items: { CARD: 1 } })
    for (let count = 0; count < 101; count++) await testServer.orders.place({ quote })
    const foreign = await testServer.ask('listStorefrontOrders', { key: testServer.keys.rival })
    assert.deepEqual(foreign.body, { data: { orders: [], next: null } })
    const { next } = (await testServer.ask('listStorefrontOrders')).body.data
    const query = next.slice(next.indexOf('?'))
    assert.equal((await testServer.ask('listStorefrontOrders', { key: testServer.keys.rival, query })).status, 400)
    assert.equal((await testServer.ask('listStorefrontOrders', { query: '?page=2' })).status, 400)
    assert.equal((await testServer.ask('listStorefrontOrders', { key: testServer.keys.none })).status, 403)
  })
})
