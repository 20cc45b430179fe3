// kill -9 at every step of a payment: afterwards there is exactly one order and one charge, or none of either.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  berlinDestination,
  buyer,
  letAgentsIn,
  paidBy,
  platformOf,
  shippingTo,
  testProfile,
} from '../harness/agents.ts'
import { market } from '../harness/carts.ts'
import { cards, checkoutOf } from '../harness/checkout.ts'
import { dieAtStep } from '../harness/dieAtStep.ts'
import { eachEngine, inTurns } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('kill -9 during a payment', (given) => {
  for (const [step, card, ends] of inTurns(given, [
    ['recorded', cards.approved, 'open'],
    ['called', cards.approved, 'completed'],
    ['settling', cards.approved, 'completed'],
    ['settled', cards.approved, 'completed'],
    ['called', cards.declined, 'open'],
  ] as const)) {
    test(`at step ${step} with a card that is ${card === cards.approved ? 'good' : 'declined'} leads to a session that is ${ends}`, async () => {
      const testServer = await openTestServer(given, { shops: [market] })
      const { ready, read, pay, look } = await checkoutOf(testServer)
      const { sessionId, secret, view } = await ready({ CARD: 2 })
      const input = {
        version: view.session.version,
        expectedTotal: view.session.totals.total,
        provider: 'test',
        method: 'card',
        details: { number: card, expiry: '12 / 40', cvc: '123', name: 'Ada' },
        attempt: newId('pay'),
      }
      await dieAtStep(testServer, step, { pay: secret, input })
      // The loop comes by a few times, as it would over the next minutes.
      for (let minute = 0; minute < 6; minute += 1) {
        testServer.clock.now += 60_000
        await recoverPayments(testServer.app.payTools)
      }
      const { body } = await read(sessionId)
      assert.equal(body.data.status, ends)
      const count = async () => {
        const [row] = await testServer.storage.read(
          (db) => db.sql<{ orders: number; charged: number }>`
          select (select count(*) from orders) as "orders", (select count(*) from test_charges where state = 'approved') as "charged"`,
        )
        return row
      }
      const expected = ends === 'completed' ? { orders: 1, charged: 1 } : { orders: 0, charged: 0 }
      assert.deepEqual(await count(), expected)
      if (ends === 'open') {
        // The shopper can simply try again.
        assert.equal((await pay(secret, await look(secret))).view.session.status, 'completed')
        assert.deepEqual(await count(), { orders: 1, charged: 1 })
      }
      const [sku] = await testServer.storage.read(
        (db) =>
          db.sql<{ onHand: number; held: number }>`
            select t.on_hand as "onHand", t.held from stock t join skus s on s.merchant_id = t.merchant_id and s.id = t.sku_id
            where s.code = 'CARD' and t.mode = 'test'`,
      )
      assert.deepEqual(sku, { onHand: 998, held: 0 })
    })
  }
})

eachEngine('kill -9 during a completion by an agent', (given) => {
  for (const step of inTurns(given, ['recorded', 'called', 'settling', 'settled'] as const)) {
    test(`at step ${step} leads to one charge and one order if the idempotency key is repeated`, async () => {
      const testServer = await openTestServer(given)
      await letAgentsIn(testServer)
      const { ask } = platformOf(testServer)
      const fulfillment = shippingTo(berlinDestination)
      const line_items = [{ item: { id: 'ROSE-12' }, quantity: 1 }]
      const path = `/checkout-sessions/${(await ask('POST', '/checkout-sessions', { line_items, buyer, fulfillment })).body.id}/complete`
      const key = '0123456789012345678901'
      const headers = {
        'ucp-agent': `profile="${testProfile}"`,
        'content-type': 'application/json',
        'idempotency-key': key,
      }
      const body = JSON.stringify(paidBy('success_token'))
      await dieAtStep(testServer, step, 'serve', {
        ask: (origin) => fetch(`${origin}/ucp/bloom/test${path}`, { method: 'POST', headers, body }),
      })
      for (let minute = 0; minute < 6; minute += 1) {
        testServer.clock.now += 60_000
        await recoverPayments(testServer.app.payTools)
      }
      const again = await ask('POST', path, body, { 'idempotency-key': key })
      const last = again.body.status === 'completed' ? again : await ask('POST', path, body)
      assert.equal(last.body.status, 'completed', `${again.text} ${last.text}`)
      const [row] = await testServer.storage.read(
        (db) => db.sql<{ orders: number; charged: number }>`
          select (select count(*) from orders) as "orders", (select count(*) from test_charges where state = 'approved') as "charged"`,
      )
      assert.deepEqual(row, { orders: 1, charged: 1 })
    })
  }
})
