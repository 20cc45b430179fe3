// The interface's own operations carry a purchase, without any extension: a session from items, changes of its cart, the page,
// the order, and back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { berlin, market } from '../harness/carts.ts'
import { checkoutOf, secretOf } from '../harness/checkout.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'

eachEngine('the operations of the open interface', (given) => {
  test('lead from a checkout session to a paid order, and to its cancellation', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, pay, look } = await checkoutOf(testServer)
    const items = [
      { skuId: carts.sku('ROSE-12'), quantity: 1 },
      { skuId: carts.sku('CARD'), quantity: 1 },
    ]
    const session = (
      await testServer.ask('createHostedCheckoutSession', {
        body: {
          idempotencyKey: 'session',
          items,
          customer: { email: 'ada@example.com' },
          successUrl: 'http://localhost/thanks',
        },
      })
    ).body.data
    const { cartId } = session
    await testServer.ask('updatePublicCartItemQuantity', {
      path: { cartId, skuId: carts.sku('ROSE-12') },
      body: { idempotencyKey: 'more', quantity: 2 },
    })
    await testServer.ask('removePublicCartItem', {
      path: { cartId, skuId: carts.sku('CARD') },
      body: { idempotencyKey: 'less' },
    })
    await testServer.ask('applyPublicCartPromotion', {
      path: { cartId },
      body: { idempotencyKey: 'code', code: 'WELCOME10' },
    })
    await testServer.ask('setPublicCartAddress', {
      path: { cartId },
      body: { idempotencyKey: 'address', address: berlin },
    })
    const quoted = (await testServer.ask('getHostedCheckoutSession', { path: { sessionId: session.id } })).body.data
    // 2 × 35.00, 10 % off, 4.90 shipping.
    assert.deepEqual([quoted.totals.total, quoted.url], [6790, session.url])
    const secret = secretOf(session.url)
    const { view } = await pay(secret, await look(secret))
    assert.equal(view.session.status, 'completed')

    const { orders } = (await testServer.ask('listStorefrontOrders')).body.data
    assert.deepEqual(
      orders.map((order: { id: string; total: number }) => [order.id, order.total]),
      [[view.session.orderId, 6790]],
    )
    const path = { orderId: orders[0].id }
    const cancelled = (
      await testServer.ask('cancelStorefrontOrder', {
        path,
        body: { idempotencyKey: 'cancel', reason: 'customer_request' },
      })
    ).body.data
    assert.deepEqual(
      [cancelled.cancellation.status, cancelled.cancellation.refund.amount, cancelled.cancellation.restocked],
      ['refund_pending', 6790, [{ skuId: carts.sku('ROSE-12'), quantity: 2 }]],
    )
    await payRefunds({ ...testServer.app.payTools, onPaid: recordRefundEnd }, testServer.clock.now)
    const order = (await testServer.ask('getStorefrontOrder', { path })).body.data
    assert.deepEqual(
      [order.status, order.paymentStatus, order.totals.refunded, order.cancellation.status],
      ['cancelled', 'refunded', 6790, 'completed'],
    )
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ onHand: number; used: number; refunded: number }>`
      select (select t.on_hand from stock t join skus s on s.merchant_id = t.merchant_id and s.id = t.sku_id
          where s.code = 'ROSE-12' and t.mode = 'test') as "onHand",
        (select test_used from promotions where code = 'WELCOME10') as "used",
        (select refunded from test_charges) as "refunded"`,
    )
    assert.deepEqual(row, { onHand: 40, used: 0, refunded: 6790 })
  })
})
