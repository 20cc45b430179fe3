// Refunds at a provider that can be asked how far they are: a request is sent once, and repeated only where nothing was made of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBankShop } from '../harness/bankShop.ts'
import { anyEngine } from '../harness/storage.ts'
import { keyMs, payRefunds } from '../src/domain/payments/refunds.ts'
import { paymentWaitsMs } from '../src/domain/payments/schedule.ts'

const hour = 3_600_000
const day = 24 * hour

anyEngine('a refund at the provider', (given) => {
  test('is sent once, and queried on a schedule while it is pending', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId, total } = await shop.place()
    const { clock } = shop.testServer
    shop.bank.nextRefund('pending')
    const refund = await shop.refund(orderId)
    assert.deepEqual(await shop.pay(), ['later'])
    for (const waitMs of [...paymentWaitsMs, day, 2 * day]) {
      clock.now += waitMs
      assert.deepEqual(await shop.pay(), ['later'])
    }
    assert.deepEqual([shop.bank.calls.refund, shop.bank.calls.refundState], [1, paymentWaitsMs.length + 2])
    assert.equal((await shop.order(orderId)).paymentStatus, 'refunding')
    assert.deepEqual(await shop.owed(), [])
    const [booked] = shop.bank.books.get(paymentId)?.refunds ?? []
    shop.bank.turn(booked?.reference ?? '', 'succeeded')
    clock.now += day
    assert.deepEqual(await shop.pay(), ['succeeded'])
    const { paymentStatus, refunds } = await shop.order(orderId)
    assert.deepEqual(
      [paymentStatus, refunds.map(({ id, status }) => [id, status])],
      ['refunded', [[refund.id, 'succeeded']]],
    )
    assert.equal(shop.bank.givenBack(paymentId), total)
    assert.deepEqual(await shop.events(orderId), ['order.refunded'])
  })

  test('is reported by doctor if its state was not queried for a day, or if it is pending for two weeks', async () => {
    const shop = await openBankShop(given)
    const { orderId } = await shop.place()
    const { clock } = shop.testServer
    shop.bank.nextRefund('pending')
    const refund = await shop.refund(orderId)
    await shop.pay()
    const expected = [['refund_unanswered', [`${orderId} ${refund.id} (test)`]]]
    clock.now += day + 1
    assert.deepEqual(await shop.owed(), expected)
    await shop.pay()
    assert.deepEqual(await shop.owed(), [])
    clock.now += 13 * day
    await shop.pay()
    assert.deepEqual(await shop.owed(), expected)
  })

  test('that fails later is not repeated, and is reported for the operator', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId } = await shop.place()
    shop.bank.nextRefund('pending')
    const refund = await shop.refund(orderId)
    await shop.pay()
    const [booked] = shop.bank.books.get(paymentId)?.refunds ?? []
    shop.bank.turn(booked?.reference ?? '', 'failed')
    shop.testServer.clock.now += hour
    assert.deepEqual(await shop.pay(), ['failed'])
    assert.equal((await shop.order(orderId)).paymentStatus, 'paid')
    assert.deepEqual(await shop.events(orderId), ['order.refund_failed'])
    assert.deepEqual(shop.incidents(), { refund_failed: 1 })
    assert.deepEqual(await shop.owed(), [['refund_failed', [`${orderId} ${refund.id} (test)`]]])
  })

  test('that is refused is not repeated', async () => {
    const shop = await openBankShop(given)
    const { orderId } = await shop.place()
    shop.bank.nextRefund('refused')
    await shop.refund(orderId)
    assert.deepEqual(await shop.pay(), ['failed'])
    assert.deepEqual(await shop.events(orderId), ['order.refund_failed'])
    assert.equal(shop.bank.calls.refund, 1)
  })

  test('whose response is lost is queried; if its request is lost it is sent again with the same key', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId } = await shop.place()
    const { clock } = shop.testServer
    const { bank } = shop
    bank.loseNext('refund')
    await shop.refund(orderId, 100)
    assert.deepEqual(await shop.pay(), ['later'])
    bank.forgetKeys()
    clock.now += hour
    assert.deepEqual(await shop.pay(), ['succeeded'])
    assert.deepEqual([bank.calls.refund, bank.calls.refundState, bank.givenBack(paymentId)], [1, 1, 100])
    bank.dropNext('refund')
    const again = await shop.refund(orderId, 200)
    assert.deepEqual(await shop.pay(), ['later'])
    clock.now += hour
    assert.deepEqual(await shop.pay(), ['succeeded'])
    assert.deepEqual([bank.calls.refund, bank.givenBack(paymentId)], [3, 300])
    assert.equal(bank.books.get(paymentId)?.refunds.at(-1)?.key, again.id)
  })

  test('is not sent again before its state is known', async () => {
    const shop = await openBankShop(given)
    const { orderId } = await shop.place()
    shop.bank.dropNext('refund')
    await shop.refund(orderId, 100)
    await shop.pay()
    shop.bank.loseNext('refundState')
    shop.testServer.clock.now += hour
    assert.deepEqual(await shop.pay(), ['later'])
    assert.equal(shop.bank.calls.refund, 1)
  })

  test('is queried first if the process died between sending and recording it', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId } = await shop.place()
    await shop.refund(orderId, 100)
    // Nothing is recorded of what was sent.
    const ended = async () => {
      throw new Error('the process ended')
    }
    await payRefunds({ ...shop.refundTools, onPaid: ended }, shop.testServer.clock.now)
    assert.equal(shop.bank.calls.refund, 1)
    // A round passes over rows that are locked, and a rollback is not waited for: here it is.
    await shop.testServer.storage.write((tx) => tx.lockRow`select id from refunds`)
    shop.bank.forgetKeys()
    shop.testServer.clock.now += 2 * day
    assert.deepEqual(await shop.pay(), ['succeeded'])
    assert.deepEqual([shop.bank.calls.refund, shop.bank.givenBack(paymentId)], [1, 100])
  })

  test('that is unknown to the provider is no longer sent after 20 hours, and is reported for the operator', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId } = await shop.place()
    const { clock } = shop.testServer
    const refund = await shop.refund(orderId, 100)
    const askedAt = clock.now
    shop.bank.dropNext('refund')
    await shop.pay()
    clock.now = askedAt + keyMs - 1
    shop.bank.dropNext('refund')
    assert.deepEqual(await shop.pay(), ['later'])
    assert.equal(shop.bank.calls.refund, 2)
    clock.now = askedAt + 2 * day
    assert.deepEqual(await shop.pay(), ['failed'])
    assert.deepEqual([shop.bank.calls.refund, shop.bank.givenBack(paymentId)], [2, 0])
    assert.deepEqual(await shop.events(orderId), ['order.refund_failed'])
    assert.deepEqual(shop.incidents(), { refund_failed: 1 })
    assert.deepEqual(await shop.owed(), [['refund_failed', [`${orderId} ${refund.id} (test)`]]])
    // A new one has a key of its own.
    await shop.refund(orderId)
    assert.deepEqual(await shop.pay(), ['succeeded'])
    assert.equal(shop.bank.givenBack(paymentId), 100)
  })

  test('is not sent again if it is recorded as paid by hand in between', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId } = await shop.place()
    await shop.refund(orderId, 100)
    shop.bank.dropNext('refund')
    await shop.pay()
    const { refundState } = shop.bank
    shop.bank.refundState = async (...asked) => {
      await shop.refund(orderId, 100, true)
      return refundState?.(...asked) ?? 'absent'
    }
    shop.testServer.clock.now += hour
    assert.deepEqual(await shop.pay(), ['already_recorded'])
    assert.deepEqual([shop.bank.calls.refund, shop.bank.givenBack(paymentId)], [1, 0])
    assert.equal((await shop.order(orderId)).totals.refunded, 100)
  })

  test('that voids a paid payment is queried in the same way, and may be sent again at any time', async () => {
    const shop = await openBankShop(given)
    const { clock } = shop.testServer
    const { paymentId, payment, total } = await shop.begin()
    await shop.testServer.app.payTools.storage.write(
      (tx) => tx.sql`update payments set status = 'declined', check_at = ${clock.now} where id = ${paymentId}`,
    )
    shop.bank.act(paymentId, 'pay')
    await shop.check()
    shop.bank.dropNext('void')
    assert.deepEqual(await shop.pay(), ['later'])
    clock.now += 2 * day
    shop.bank.nextRefund('pending')
    assert.deepEqual(await shop.pay(), ['later'])
    assert.equal((await payment()).status, 'succeeded')
    clock.now += day
    shop.bank.turn(shop.bank.books.get(paymentId)?.refunds[0]?.reference ?? '', 'succeeded')
    assert.deepEqual(await shop.pay(), ['succeeded'])
    assert.deepEqual(
      [shop.bank.calls.void, shop.bank.givenBack(paymentId), (await payment()).status],
      [2, total, 'voided'],
    )
  })
})
