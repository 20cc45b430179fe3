// What a provider knows of a payment that was made: refunds that others made there, and refunds of ours that failed later. It is
// learnt by looking, when a webhook says that something happened.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BankShop, openBankShop } from '../harness/bankShop.ts'
import { answerOf } from '../harness/refused.ts'
import { eachEngine } from '../harness/storage.ts'
import { closePayment } from '../src/domain/checkout/pay/close.ts'

const hour = 3_600_000

async function look(shop: BankShop, paymentId: string) {
  // A payment is looked up at most once in five seconds.
  shop.testServer.clock.now += 5_000
  await shop.notice(paymentId)
  await shop.check()
}

async function money(shop: BankShop, orderId: string) {
  const { paymentStatus, totals, refunds } = await shop.order(orderId)
  const { refunded, refundPending } = totals
  return { paymentStatus, refunded, refundPending, refunds: refunds.map(({ amount, status }) => [amount, status]) }
}

eachEngine('what a look-up finds about refunds and outcomes', (given) => {
  test('a refund made at the provider is recorded at the order once, with its event', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId, payment, total } = await shop.place()
    shop.bank.refundThere(paymentId, 400)
    await look(shop, paymentId)
    await look(shop, paymentId)
    assert.deepEqual(await money(shop, orderId), {
      paymentStatus: 'partially_refunded',
      refunded: 400,
      refundPending: 0,
      refunds: [[400, 'succeeded']],
    })
    assert.deepEqual(await shop.events(orderId), ['order.refunded'])
    const { collected, givenBack, checkAt, status } = await payment()
    assert.deepEqual([collected, givenBack, checkAt, status], [total, 400, null, 'succeeded'])
    // The rest, after which the charge is looked up as declined.
    shop.bank.refundThere(paymentId, total - 400)
    await look(shop, paymentId)
    assert.equal((await money(shop, orderId)).paymentStatus, 'refunded')
    assert.deepEqual(await shop.events(orderId), ['order.refunded', 'order.refunded'])
    assert.deepEqual([(await payment()).status, (await payment()).checkAt], ['succeeded', null])
    assert.deepEqual(shop.incidents(), {})
    assert.deepEqual([await shop.owed(), await shop.violations()], [[], []])
  })

  test('a refund that was made before the order was placed is recorded after it', async () => {
    const shop = await openBankShop(given)
    const { paymentId, payment } = await shop.begin()
    shop.bank.act(paymentId, 'pay')
    shop.bank.refundThere(paymentId, 100)
    shop.testServer.clock.now += 6 * 60_000
    await shop.check()
    shop.testServer.clock.now += 5_000
    await shop.check()
    const { orderId } = await payment()
    assert.equal((await money(shop, orderId ?? '')).refunded, 100)
  })

  test('a pending refund made at the provider counts once it succeeds, which is looked up without a webhook', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId } = await shop.place()
    const reference = shop.bank.refundThere(paymentId, 300, 'pending')
    await look(shop, paymentId)
    assert.equal((await money(shop, orderId)).refunded, 0)
    shop.bank.turn(reference, 'succeeded')
    shop.testServer.clock.now += 6 * hour
    await shop.check()
    assert.equal((await money(shop, orderId)).refunded, 300)
  })

  for (const namesKeys of [true, false]) {
    test(`a refund of ours is never counted twice, ${namesKeys ? 'if the provider reports its key' : 'even if the provider does not report its key'}`, async () => {
      const shop = await openBankShop(given)
      shop.bank.namesKeys = namesKeys
      const { orderId, paymentId } = await shop.place()
      // The answer is lost, so it is on its way here while a look finds it there.
      shop.bank.loseNext('refund')
      await shop.refund(orderId, 300)
      await shop.pay()
      await look(shop, paymentId)
      assert.deepEqual((await money(shop, orderId)).refunds, [[300, 'pending']])
      shop.testServer.clock.now += 2_000
      assert.deepEqual(await shop.pay(), ['succeeded'])
      shop.testServer.clock.now += hour
      await shop.check()
      await look(shop, paymentId)
      assert.deepEqual((await money(shop, orderId)).refunds, [[300, 'succeeded']])
      // One of the same amount by the merchant is another one.
      shop.bank.refundThere(paymentId, 300)
      await look(shop, paymentId)
      await look(shop, paymentId)
      assert.deepEqual(await money(shop, orderId), {
        paymentStatus: 'partially_refunded',
        refunded: 600,
        refundPending: 0,
        refunds: [
          [300, 'succeeded'],
          [300, 'succeeded'],
        ],
      })
      assert.deepEqual(await shop.events(orderId), ['order.refunded', 'order.refunded'])
      assert.deepEqual(await shop.violations(), [])
    })
  }

  test('if a look-up finds that a refund of ours has ended, its state is queried immediately', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId } = await shop.place()
    shop.bank.nextRefund('pending')
    await shop.refund(orderId, 300)
    await shop.pay()
    shop.testServer.clock.now += hour
    await shop.pay()
    shop.bank.turn(shop.bank.books.get(paymentId)?.refunds[0]?.reference ?? '', 'succeeded')
    await look(shop, paymentId)
    assert.deepEqual(await shop.pay(), ['succeeded'])
    assert.equal((await money(shop, orderId)).paymentStatus, 'partially_refunded')
  })

  test('a refund recorded by hand is matched with the one that the operator made in the provider’s dashboard', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId } = await shop.place()
    shop.bank.refundThere(paymentId, 250)
    await shop.refund(orderId, 250, true)
    await look(shop, paymentId)
    assert.deepEqual((await money(shop, orderId)).refunds, [[250, 'succeeded']])
  })

  test('a refund of ours that fails later is announced, reported by doctor, and can be repeated', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId, total } = await shop.place()
    const refund = await shop.refund(orderId)
    await shop.pay()
    await look(shop, paymentId)
    assert.equal((await money(shop, orderId)).paymentStatus, 'refunded')
    shop.bank.turn(shop.bank.books.get(paymentId)?.refunds[0]?.reference ?? '', 'failed')
    await look(shop, paymentId)
    await look(shop, paymentId)
    assert.deepEqual(await money(shop, orderId), {
      paymentStatus: 'paid',
      refunded: 0,
      refundPending: 0,
      refunds: [[total, 'failed']],
    })
    assert.deepEqual(await shop.events(orderId), ['order.refunded', 'order.refund_failed'])
    assert.deepEqual(shop.incidents(), { refund_failed_later: 1 })
    assert.deepEqual(await shop.owed(), [['refund_failed', [`${orderId} ${refund.id} (test)`]]])
    await shop.refund(orderId)
    assert.deepEqual(await shop.pay(), ['succeeded'])
    assert.equal((await money(shop, orderId)).paymentStatus, 'refunded')
    assert.deepEqual([await shop.owed(), await shop.violations(), shop.bank.givenBack(paymentId)], [[], [], total])
  })

  test('a refund made at the provider that fails later is subtracted again, and added again if it succeeds after all', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId } = await shop.place()
    const reference = shop.bank.refundThere(paymentId, 400)
    for (const [state, refunded] of [
      ['succeeded', 400],
      ['failed', 0],
      ['succeeded', 400],
    ] as const) {
      shop.bank.turn(reference, state)
      await look(shop, paymentId)
      assert.equal((await money(shop, orderId)).refunded, refunded)
    }
    assert.deepEqual(await shop.events(orderId), ['order.refunded', 'order.refund_failed', 'order.refunded'])
    assert.deepEqual([await shop.owed(), await shop.violations()], [[], []])
  })

  test('a refund of ours that was abandoned and is then found at the provider is counted, and needs no person', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId } = await shop.place()
    shop.bank.dropNext('refund')
    const refund = await shop.refund(orderId, 400)
    await shop.pay()
    shop.testServer.clock.now += 48 * hour
    assert.deepEqual(await shop.pay(), ['failed'])
    // The request had been held up on its way.
    const charge = shop.bank.books.get(paymentId)?.charge
    assert.ok(charge)
    await shop.bank.refund({ key: refund.id, charge, amount: 400 }, new AbortController().signal)
    await look(shop, paymentId)
    await look(shop, paymentId)
    assert.deepEqual(await money(shop, orderId), {
      paymentStatus: 'partially_refunded',
      refunded: 400,
      refundPending: 0,
      refunds: [
        [400, 'failed'],
        [400, 'succeeded'],
      ],
    })
    assert.deepEqual([shop.incidents().contradiction, await shop.owed(), await shop.violations()], [1, [], []])
  })

  test('a refund made at the provider while a full refund of ours is pending is counted after ours has failed', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId, total } = await shop.place()
    shop.bank.dropNext('refund')
    await shop.refund(orderId)
    await shop.pay()
    shop.bank.refundThere(paymentId, 200)
    await look(shop, paymentId)
    assert.deepEqual((await money(shop, orderId)).refunds, [[total, 'pending']])
    shop.testServer.clock.now += 2_000
    assert.deepEqual(await shop.pay(), ['failed'])
    shop.testServer.clock.now += hour
    await shop.check()
    assert.deepEqual(await money(shop, orderId), {
      paymentStatus: 'partially_refunded',
      refunded: 200,
      refundPending: 0,
      refunds: [
        [total, 'failed'],
        [200, 'succeeded'],
      ],
    })
    assert.deepEqual(await shop.violations(), [])
  })

  test('refunds of more than was paid are recorded up to the amount paid, and reported', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId, total } = await shop.place()
    const { lookUp } = shop.bank
    const refunds = [
      { reference: 'a', key: null, amount: total - 100, state: 'succeeded' },
      { reference: 'b', key: null, amount: 300, state: 'succeeded' },
    ] as const
    shop.bank.lookUp = async (...asked) => ({ ...(await lookUp(...asked)), providerState: { refunds, dispute: null } })
    await look(shop, paymentId)
    await look(shop, paymentId)
    assert.deepEqual((await money(shop, orderId)).refunds, [
      [total - 100, 'succeeded'],
      [100, 'succeeded'],
    ])
    assert.equal(shop.incidents().refunds_exceed, 1)
    assert.deepEqual(await shop.owed(), [['given_back_too_much', [`${paymentId} ${total + 200} of ${total} (test)`]]])
    assert.deepEqual(await shop.violations(), [])
  })

  test('an invalid refund is reported and changes nothing', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId } = await shop.place()
    const { lookUp } = shop.bank
    for (const refund of [
      { reference: '', key: null, amount: 1, state: 'succeeded' },
      { reference: 'a', key: null, amount: 0.5, state: 'succeeded' },
      { reference: 'a', key: null, amount: -1, state: 'succeeded' },
      { reference: 'a', key: null, amount: 1, state: 'cancelled' },
    ]) {
      const providerState = { refunds: [refund], dispute: null } as unknown as { refunds: []; dispute: null }
      shop.bank.lookUp = async (...asked) => ({ ...(await lookUp(...asked)), providerState })
      await look(shop, paymentId)
    }
    assert.deepEqual(
      [await money(shop, orderId), shop.incidents()].map((value) => JSON.stringify(value)),
      [
        JSON.stringify({ paymentStatus: 'paid', refunded: 0, refundPending: 0, refunds: [] }),
        JSON.stringify({ unreadable_standing: 4 }),
      ],
    )
  })

  test('a webhook during a look-up causes another look-up', async () => {
    const shop = await openBankShop(given)
    const { paymentId, payment } = await shop.place()
    const { lookUp } = shop.bank
    shop.bank.lookUp = async (...asked) => {
      const found = await lookUp(...asked)
      shop.testServer.clock.now += 10
      await shop.notice(paymentId)
      shop.bank.lookUp = lookUp
      return found
    }
    await look(shop, paymentId)
    assert.ok(((await payment()).checkAt ?? Number.NaN) <= shop.testServer.clock.now)
    shop.testServer.clock.now += 5_000
    await shop.check()
    assert.equal((await payment()).checkAt, null)
  })

  test('a payment that is reported as declined is no contradiction while its full refund is pending, but is one otherwise', async () => {
    const shop = await openBankShop(given)
    const { paymentId, total } = await shop.place()
    const reference = shop.bank.refundThere(paymentId, total, 'pending')
    const { lookUp } = shop.bank
    shop.bank.lookUp = async (...asked) => {
      const found = await lookUp(...asked)
      return { ...found, kind: 'declined', code: 'declined', brand: null, last4: null }
    }
    await look(shop, paymentId)
    assert.deepEqual(shop.incidents(), {})
    shop.bank.turn(reference, 'failed')
    await look(shop, paymentId)
    assert.deepEqual(shop.incidents(), { contradiction: 1 })
  })

  test('a payment that succeeded is neither closed nor abandoned, whatever the provider reports later', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId, payment } = await shop.place()
    const { lookUp } = shop.bank
    const closed = shop.bank.calls.close
    for (const kind of ['absent', 'unknown', 'declined'] as const) {
      shop.bank.lookUp = async () =>
        kind === 'declined' ? { kind, code: 'declined', brand: null, last4: null } : { kind }
      shop.testServer.clock.now += 48 * hour
      await look(shop, paymentId)
      assert.deepEqual(
        [(await payment()).status, (await payment()).checkAt === null],
        ['succeeded', kind === 'declined'],
      )
      if (kind !== 'unknown') continue
      const { installationId } = shop.testServer
      const close = shop.testServer.storage.write((tx) =>
        closePayment(shop.tools, tx, { installationId, id: paymentId }, 'declined'),
      )
      assert.match(JSON.stringify(await answerOf(close)), /payment_not_closable/)
      assert.deepEqual(await shop.owed(), [])
    }
    shop.bank.lookUp = lookUp
    assert.deepEqual([shop.bank.calls.close, (await money(shop, orderId)).paymentStatus], [closed, 'paid'])
    assert.deepEqual(shop.incidents(), { contradiction: 1 })
  })
})

eachEngine('a payment that succeeds too late', (given) => {
  test('is refunded if it was abandoned before', async () => {
    const shop = await openBankShop(given)
    const { paymentId, payment, total } = await shop.begin()
    await shop.testServer.storage.write(
      (tx) => tx.sql`update payments set status = 'declined', check_at = null where id = ${paymentId}`,
    )
    shop.bank.act(paymentId, 'pay')
    await look(shop, paymentId)
    assert.deepEqual([(await payment()).status, shop.incidents()], ['succeeded', { late_success: 1 }])
    assert.deepEqual(await shop.pay(), ['succeeded'])
    await look(shop, paymentId)
    assert.deepEqual([(await payment()).status, shop.bank.givenBack(paymentId)], ['voided', total])
    assert.deepEqual(await shop.violations(), [])
  })

  test('is refunded if it is a direct debit whose failure cancelled the order, which stays cancelled', async () => {
    const shop = await openBankShop(given)
    const { orderId, paymentId, payment, total } = await shop.place('bank')
    shop.bank.act(paymentId, 'fail')
    await look(shop, paymentId)
    const state = async () => {
      const { status, paymentStatus } = await shop.order(orderId)
      return [status, paymentStatus, (await payment()).status]
    }
    assert.deepEqual(await state(), ['cancelled', 'voided', 'voided'])
    assert.deepEqual(await shop.events(orderId), ['order.cancelled'])
    Object.assign(shop.bank.books.get(paymentId) ?? {}, { state: 'paid', collected: total })
    await look(shop, paymentId)
    assert.deepEqual(await shop.pay(), ['succeeded'])
    await look(shop, paymentId)
    assert.deepEqual([await shop.pay(), await state()], [[], ['cancelled', 'voided', 'voided']])
    assert.deepEqual([shop.bank.givenBack(paymentId), shop.incidents()], [total, { late_success: 1 }])
    assert.deepEqual(await shop.violations(), [])
  })
})
