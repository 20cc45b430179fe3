import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { eventsOf } from '../harness/carts.ts'
import { openOrderTestServer, orderWorld } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, testSecret } from '../harness/testServer.ts'
import { orderPageSecrets } from '../src/domain/orders/secret.ts'
import { findOrderOfSecret, findSealedSecret } from '../src/domain/orders/store.ts'

eachEngine('getStorefrontOrder', (given) => {
  test('200 with all members of an order', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, sessionId, cartId, paymentId, statusSecret, quote } = await testServer.orders.place({
      code: 'WELCOME10',
    })
    const answer = await testServer.orders.read(orderId)
    const { totals } = quote
    assert.deepEqual(answer.body.data, {
      id: orderId,
      number: 'T-1001',
      mode: 'test',
      status: 'placed',
      paymentStatus: 'paid',
      fulfillmentStatus: 'unfulfilled',
      currency: 'EUR',
      total: totals.total,
      itemCount: 5,
      checkoutSessionId: sessionId,
      cartId: cartId,
      clientReferenceId: 'ref-1',
      customer: { emailMasked: 'a***@example.com' },
      version: 2,
      placedAt: '2026-06-01T12:00:00.000Z',
      updatedAt: '2026-06-01T12:00:00.000Z',
      items: quote.lines.map(({ image: _, taxRateBps: __, ...line }) => ({ ...line, fulfilled: 0 })),
      totals: { ...totals, refunded: 0, refundPending: 0 },
      consents: [],
      promotion: { code: 'WELCOME10', name: 'Welcome', type: 'percentage', amount: 800 },
      shippingAddress: { token: answer.body.data.shippingAddress.token, summary: 'Berlin, DE' },
      shipping: { optionId: 'standard', label: 'Standard', amount: 490 },
      payments: [
        {
          id: paymentId,
          provider: 'test',
          method: 'card',
          brand: 'visa',
          last4: '4242',
          amount: totals.total,
          status: 'succeeded',
          createdAt: '2026-06-01T12:00:00.000Z',
        },
      ],
      paymentDueAt: null,
      refunds: [],
      fulfillments: [],
      cancellation: null,
      timeline: [
        { at: '2026-06-01T12:00:00.000Z', type: 'placed', cancelledBy: null },
        { at: '2026-06-01T12:00:00.000Z', type: 'paid', cancelledBy: null },
      ],
      cancellable: true,
      metadata: { channel: 'test' },
      statusUrl: `${testServer.origin}/o/${statusSecret}`,
      withdrawalUrl: `${testServer.origin}/w/bloom?order=T-1001`,
    })
    assert.equal(totals.discount, 800)
  })

  test('events contain the order as it was when they were emitted, placed and then paid, without an address', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    const events = await eventsOf(testServer, orderId)
    assert.deepEqual((await orderWorld(testServer, orderId)).events, [
      ['order.placed', 1],
      ['order.paid', 2],
    ])
    const [placed, paid] = events.map(({ body }) => body.data.order)
    const read = (await testServer.orders.read(orderId)).body.data
    assert.deepEqual(paid, { ...read, statusUrl: null, withdrawalUrl: null }, 'without the address of its page')
    assert.deepEqual(
      [placed.version, placed.paymentStatus, placed.timeline.length, placed.cancellable],
      [1, 'pending', 1, true],
    )
    assert.deepEqual(
      { ...placed, version: 2, paymentStatus: 'paid', timeline: paid.timeline },
      paid,
      'nothing else differs',
    )
    assert.ok(!JSON.stringify(events).includes('Linden'))
  })

  test('200 for a free order without a payment; an order without shipping has no address', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, paymentId } = await testServer.orders.place({ items: { COURSE: 1 }, code: 'GIFT', isSent: false })
    assert.equal(paymentId, null)
    const { data } = (await testServer.orders.read(orderId)).body
    assert.deepEqual(
      [data.total, data.paymentStatus, data.payments, data.shippingAddress, data.shipping],
      [0, 'paid', [], null, null],
    )
  })

  test('404 with the same bytes for a missing order, a malformed id and an order of another installation', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    const bodies = new Set<string>()
    for (const [path, key] of [
      [orderId, testServer.keys.rival],
      ['ord_01h455vb4pex5vsknk084sn02q', testServer.keys.full],
      ['nonsense', testServer.keys.full],
      ["x'--", testServer.keys.full],
      ['T-1001', testServer.keys.full],
    ] as const) {
      const answer = await testServer.ask('getStorefrontOrder', { path: { orderId: path }, key })
      assertError(answer, 'order_not_found')
      bodies.add(answer.text.replace(answer.body.error.requestId, ''))
    }
    assert.equal(bodies.size, 1)
  })

  test('a session makes only one order, and the secret of the order page is stored hashed and encrypted', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, statusSecret } = await testServer.orders.place()
    const { installationId } = testServer
    const key = { installationId, orderId }
    await testServer.storage.read(async (db) => {
      const hash = createHash('sha256').update(statusSecret).digest('base64url')
      assert.deepEqual(await findOrderOfSecret(db, hash), key)
      const sealed = await findSealedSecret(db, key)
      assert.equal(orderPageSecrets.open(testSecret, sealed ?? '', orderId), statusSecret)
      const rows = JSON.stringify(await db.sql`select secret_hash, secret_sealed from orders`)
      assert.ok(!rows.includes(statusSecret))
    })
    assert.equal(Buffer.from(statusSecret, 'base64url').length, 32)
    await assert.rejects(
      testServer.storage.write(
        (tx) => tx.sql`
          insert into orders (installation_id, id, merchant_id, mode, number, version, status, payment_status, fulfillment_status,
            currency, subtotal, discount, shipping, shipping_tax, tax, price_tax, total, item_count, checkout_session_id,
            cart_id, locale, metadata, secret_hash, secret_sealed, placed_at, updated_at)
          select installation_id, 'ord_twin', merchant_id, mode, 'twin', 1, status, payment_status, fulfillment_status, currency,
            subtotal, discount, shipping, shipping_tax, tax, price_tax, total, item_count, checkout_session_id, cart_id,
            locale, metadata, 'other', secret_sealed, placed_at, updated_at
          from orders where id = ${orderId}`,
      ),
    )
  })

  test('200 names the API as canceller of an order that an earlier release cancelled without recording a canceller', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    await testServer.orders.cancel(orderId)
    await testServer.storage.write(async (tx) => {
      const [row] = await tx.sql<{ text: string }>`select cancellation as "text" from orders where id = ${orderId}`
      const { by: _, ...former } = JSON.parse(row?.text ?? '')
      await tx.sql`update orders set cancellation = ${JSON.stringify(former)} where id = ${orderId}`
    })
    const { timeline } = (await testServer.orders.read(orderId)).body.data
    assert.deepEqual([timeline[2].type, timeline[2].cancelledBy], ['cancelled', 'api'])
  })
})
