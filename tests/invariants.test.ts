// A rule that cannot fail guards nothing: each of those about carts, sessions, keys and the test provider's books is broken
// by hand, and must be what finds it. (Those about orders are broken in orders.test.ts, those about the catalog in
// provisioning.test.ts.)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cards, checkoutOf } from '../harness/checkout.ts'
import { orderMarket } from '../harness/orders.ts'
import { planOf } from '../harness/plans.ts'
import { assertFound } from '../harness/sabotage.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, testSecret } from '../harness/testServer.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { invariants } from '../src/domain/health/invariants.ts'

const unasked = '4000000000000275'

eachEngine('an invariant', (given) => {
  test('holds while a payment is in progress, and each violation is found', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const checkout = await checkoutOf(testServer)
    const bought = await checkout.ready({ CARD: 2 }, { promotionCode: 'WELCOME10' })
    assert.equal((await checkout.pay(bought.secret, bought.view)).problem, null)
    const { cartId, orderId } = (await checkout.read(bought.sessionId)).body.data
    const declined = await checkout.ready({ CARD: 1 })
    await checkout.pay(declined.secret, declined.view, cards.declined)
    const waiting = await checkout.ready({ CARD: 1 })
    await checkout.pay(waiting.secret, waiting.view, unasked)
    assert.equal((await checkout.read(waiting.sessionId)).body.data.status, 'processing')

    const { sessionId } = bought
    await issueDocuments(testServer.storage, testSecret, { now: testServer.clock.now, limit: 10 })
    await assertFound(testServer.storage, [
      ['cart_is_told', (tx) => tx.sql`delete from events where subject_id = ${cartId} and sequence = 1`],
      ['cart_is_told', (tx) => tx.sql`update carts set version = version + 1 where id = ${cartId}`],
      ['cart_is_told', (tx) => tx.sql`delete from events where subject_type = 'cart'`],
      ['session_ends_once', (tx) => tx.sql`update checkout_sessions set status = 'open' where id = ${sessionId}`],
      ['session_ends_once', (tx) => tx.sql`update checkout_sessions set status = 'expired' where id = ${sessionId}`],
      [
        'session_ends_once',
        (tx) => tx.sql`
          update events set type = 'checkout_session.expired'
          where subject_id = ${sessionId} and type <> 'checkout_session.completed'`,
      ],
      ['order_ends_once', (tx) => tx.sql`update events set type = 'order.cancelled' where subject_id = ${orderId}`],
      ['order_ends_once', (tx) => tx.sql`update orders set status = 'completed' where id = ${orderId}`],
      ['completed_has_order', (tx) => tx.sql`update checkout_sessions set status = 'completed'`],
      [
        'completed_has_order',
        (tx) => tx.sql`update checkout_sessions set status = 'cancelled' where id = ${sessionId}`,
      ],
      ['locked_while_processing', (tx) => tx.sql`update carts set status = 'locked' where id = ${cartId}`],
      ['locked_while_processing', (tx) => tx.sql`update carts set status = 'open'`],
      [
        'over_holds_nothing',
        (tx) => tx.sql`update holds set owner_id = ${sessionId} where owner_id = ${waiting.sessionId}`,
      ],
      ['key_has_answer', (tx) => tx.sql`update idempotency_keys set answer = null`],
      ['charge_has_payment', (tx) => tx.sql`update payments set amount = amount + 1 where order_id = ${orderId}`],
      ['charge_has_payment', (tx) => tx.sql`update test_charges set key = key || 'x'`],
      ['paid_order_has_charge', (tx) => tx.sql`update test_charges set state = 'declined'`],
      ['paid_order_has_charge', (tx) => tx.sql`delete from test_charges`],
      ['charged_once', (tx) => tx.sql`update test_charges set state = 'approved'`],
      [
        'charged_once',
        async (tx) => {
          await tx.sql`update test_charges set state = 'approved'`
          await tx.sql`
            update payments set checkout_session_id = ${sessionId}, order_id = ${orderId}
            where checkout_session_id = ${declined.sessionId}`
        },
      ],
      ['given_back_is_refunds', (tx) => tx.sql`update test_charges set refunded = 1`],
      ['documents_sum_up', (tx) => tx.sql`update document_rates set tax = tax + 1`],
      ['credited_at_most', (tx) => tx.sql`update documents set kind = 'credit_note'`],
      ['promotion_use_is_of_order', (tx) => tx.sql`delete from promotion_uses`],
      ['promotion_use_is_of_order', (tx) => tx.sql`update promotion_uses set given_back_at = 1`],
      ['promotion_used_is_uses', (tx) => tx.sql`delete from promotion_uses`],
    ])
  })

  test('about listed products uses an index for each product, however many the merchant has', async () => {
    const { storage } = await openTestServer(given, { shops: [orderMarket] })
    const { violations } = invariants.find(({ name }) => name === 'listed_as_sold') ?? assert.fail()
    const plan = await storage.read((db) => planOf(db, violations))
    // PostgreSQL reads each table once and joins them by hashes.
    if (given.engine === 'sqlite')
      assert.match(plan, /SEARCH l USING INDEX \w+ \(merchant_id=\? AND mode=\? AND product_id=\?\)/)
  })
})
