// Money that an operator, a second look-up or a cancellation got hold of meanwhile: it moves once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BankShop, openBankShop } from '../harness/bankShop.ts'
import { answerOf } from '../harness/refused.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import type { ClosedOutcome } from '../src/contract/words.ts'
import { closePayment } from '../src/domain/checkout/pay/close.ts'
import { queryPaymentNow } from '../src/domain/checkout/pay/redirect.ts'
import { cancelOrder } from '../src/domain/orders/cancel.ts'
import { returnPayment } from '../src/domain/orders/operator.ts'
import { listRefundsOfPayment } from '../src/domain/payments/store.ts'

const hour = 3_600_000

async function openShop(given: Given) {
  const shop = await openBankShop(given)
  const { storage, installationId, clock } = shop.testServer
  return {
    ...shop,
    clock,
    refunds: async (paymentId: string) =>
      (await storage.read((db) => listRefundsOfPayment(db, installationId, paymentId))).map(
        ({ kind, status }) => `${kind} ${status}`,
      ),
    // A webhook, and the look-up that follows it.
    hear: async (paymentId: string) => {
      clock.now += 6_000
      await shop.notice(paymentId)
      await shop.check()
    },
  }
}

interface Gate {
  arrived: PromiseWithResolvers<void>
  opened: PromiseWithResolvers<void>
}

function gate(): Gate {
  return { arrived: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() }
}

function close({ testServer, tools }: BankShop, id: string, outcome: ClosedOutcome) {
  const { storage, installationId } = testServer
  return storage.write((tx) => closePayment(tools, tx, { installationId, id }, outcome))
}

async function stockOf({ testServer: { storage, merchantId } }: BankShop): Promise<number> {
  const [row] = await storage.read(
    (db) => db.sql<{ onHand: number }>`
      select sum(on_hand) as "onHand" from stock where merchant_id = ${merchantId}`,
  )
  return Number(row?.onHand)
}

eachEngine('a charge that the operator refunded by hand', (given) => {
  test('is not refunded again by the provider', async () => {
    const shop = await openShop(given)
    const { bank, testServer, clock } = shop
    const { paymentId, secret, payment } = await shop.begin()
    await testServer.app.checkout.goBack(secret)
    assert.equal((await payment()).status, 'declined')
    // The bank takes the money all the same, and refuses once to give it back.
    Object.assign(bank.books.get(paymentId) ?? {}, { state: 'open' })
    bank.act(paymentId, 'pay')
    bank.nextRefund('refused')
    await shop.hear(paymentId)
    assert.deepEqual(await shop.pay(), ['failed'])
    const moment = { now: clock.now, cause: null }
    await testServer.storage.write(async (tx) => {
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

eachEngine('a direct debit whose outcome the operator records', (given) => {
  for (const outcome of ['succeeded', 'declined'] as const)
    test(`as ${outcome} has an order that is ${outcome === 'succeeded' ? 'paid' : 'cancelled'}`, async () => {
      const shop = await openShop(given)
      const { orderId, paymentId, payment } = await shop.place('bank')
      const left = () => stockOf(shop)
      const sold = await left()
      shop.clock.now += 15 * 24 * hour
      assert.deepEqual(await shop.owed(), [['outcome_unknown', [`${paymentId} (test)`]]])
      await close(shop, paymentId, outcome)
      const { status, checkAt, closedByHandAt } = await payment()
      const order = await shop.order(orderId)
      if (outcome === 'succeeded') {
        assert.deepEqual([order.status, order.paymentStatus, status], ['placed', 'paid', 'succeeded'])
        assert.equal(await left(), sold)
      } else {
        assert.deepEqual([order.status, order.paymentStatus, status], ['cancelled', 'voided', 'voided'])
        assert.equal(await left(), sold + 3)
      }
      assert.deepEqual([checkAt, closedByHandAt, await shop.owed()], [null, shop.clock.now, []])
      const again = await answerOf(close(shop, paymentId, outcome))
      assert.match(JSON.stringify(again), /payment_not_closable/)
      assert.deepEqual(await shop.violations(), [])
      assert.deepEqual(shop.incidents(), {})
    })
})

eachEngine('a direct debit during two concurrent look-ups', (given) => {
  for (const second of ['pending', 'approved'] as const)
    test(`stays pending if the second look-up, recorded after the first, finds ${second}, and a later one marks its order as paid`, async () => {
      const shop = await openShop(given)
      const { bank, clock, testServer } = shop
      const { paymentId, payment } = await shop.begin()
      bank.act(paymentId, 'bank')
      const { lookUp } = bank
      const looks = [gate(), gate()]
      const [first, last] = looks as [Gate, Gate]
      let asked = 0
      bank.lookUp = async (...charge) => {
        const look = looks[asked]
        asked += 1
        look?.arrived.resolve()
        await look?.opened.promise
        return lookUp(...charge)
      }
      const { installationId } = testServer
      const before = queryPaymentNow(shop.tools, { installationId, id: paymentId })
      await first.arrived.promise
      // One look-up at a time, unless the first takes so long that its process may have died.
      clock.now += 60_000
      const after = shop.hear(paymentId)
      await last.arrived.promise
      first.opened.resolve()
      await before
      const { orderId } = await payment()
      assert.ok(orderId)
      if (second === 'approved') bank.act(paymentId, 'pay')
      last.opened.resolve()
      await after
      assert.deepEqual(
        [(await payment()).status, (await shop.order(orderId)).paymentStatus, shop.incidents()],
        ['pending', 'pending', {}],
      )
      assert.notEqual((await payment()).checkAt, null)
      if (second === 'pending') bank.act(paymentId, 'pay')
      clock.now += second === 'pending' ? 2 * hour : 6_000
      await shop.check()
      assert.equal((await shop.order(orderId)).paymentStatus, 'paid')
      assert.deepEqual(await shop.violations(), [])
    })
})

eachEngine('a direct debit whose order is cancelled', (given) => {
  for (const what of ['pay', 'fail'] as const)
    for (const answer of ['unknown', 'refused'] as const)
      test(`is ${what === 'pay' ? 'given back once it is paid' : 'voided once it is refused'}, after the outcome of the first void was ${answer}`, async () => {
        const shop = await openShop(given)
        const { bank, clock, testServer } = shop
        const { orderId, paymentId, payment, total } = await shop.place('bank')
        const input = {
          by: 'operator',
          expectedVersion: undefined,
          reason: null,
          note: null,
          isRestocked: true,
        } as const
        const key = { installationId: testServer.installationId, orderId }
        await testServer.storage.write((tx) => cancelOrder(tx, key, input, { now: clock.now, cause: null }))
        // Nothing can be taken back while the bank is at work.
        const { void: take } = bank
        bank.void = async () => answer
        assert.deepEqual(await shop.pay(), [answer === 'unknown' ? 'later' : 'failed'])
        // By now it would be tried once in a quarter of an hour.
        for (let round = 0; round < 5; round += 1) {
          clock.now += hour
          await shop.pay()
        }
        bank.void = take
        bank.act(paymentId, what)
        await shop.hear(paymentId)
        assert.equal((await payment()).checkAt, null)
        const order = await shop.order(orderId)
        assert.deepEqual([order.status, order.paymentStatus], ['cancelled', 'voided'])
        assert.deepEqual(await shop.pay(), ['succeeded'])
        assert.equal(bank.givenBack(paymentId), what === 'pay' ? total : 0)
        assert.equal(bank.calls.void, 1)
        assert.equal((await payment()).status, 'voided')
        assert.deepEqual(await shop.violations(), [])
      })
})
