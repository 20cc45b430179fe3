// Money that an operator, a second look-up or a cancellation got hold of meanwhile: it moves once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBankShop } from '../harness/bankShop.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { returnPayment } from '../src/orders/operator.ts'
import { listRefundsOfPayment } from '../src/payments/store.ts'

async function openShop(given: Given) {
  const shop = await openBankShop(given)
  const { storage, installationId, clock } = shop.house
  return {
    ...shop,
    clock,
    refunds: async (paymentId: string) =>
      (await storage.read((db) => listRefundsOfPayment(db, installationId, paymentId))).map(
        ({ kind, status }) => `${kind} ${status}`,
      ),
    // A notice, and the look-up that follows it.
    hear: async (paymentId: string) => {
      clock.now += 6_000
      await shop.notice(paymentId)
      await shop.check()
    },
  }
}

eachEngine('money that was paid back by hand', (given) => {
  test('is not paid back again by the provider', async () => {
    const shop = await openShop(given)
    const { bank, house, clock } = shop
    const { paymentId, secret, payment } = await shop.begin()
    await house.app.checkout.goBack(secret)
    assert.equal((await payment()).status, 'declined')
    // The bank takes the money all the same, and refuses once to give it back.
    Object.assign(bank.books.get(paymentId) ?? {}, { state: 'open' })
    bank.act(paymentId, 'pay')
    bank.nextRefund('refused')
    await shop.hear(paymentId)
    assert.deepEqual(await shop.pay(), ['failed'])
    const moment = { now: clock.now, cause: null }
    await house.storage.write(async (tx) => {
      await returnPayment(tx, await payment(), { reason: null, isByHand: true }, moment)
    })
    const { void: voids, refund } = bank.calls
    for (let notices = 0; notices < 2; notices += 1) {
      await shop.hear(paymentId)
      assert.deepEqual(await shop.pay(), [])
    }
    assert.deepEqual(await shop.refunds(paymentId), ['void failed', 'void succeeded'])
    const { status, checkAt } = await payment()
    assert.deepEqual([status, checkAt], ['voided', null])
    assert.deepEqual([bank.calls.void, bank.calls.refund, bank.givenBack(paymentId)], [voids, refund, 0])
    assert.equal(shop.incidents().contradiction, 2)
    assert.deepEqual(await shop.violations(), [])
  })
})
