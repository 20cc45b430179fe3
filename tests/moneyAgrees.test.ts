// Random interleavings of refunds here, refunds at the provider, failures later, lost calls, notices and processes that end between
// asking and recording: in the end the provider's books and ours agree.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type BankShop, openBankShop } from '../harness/bankShop.ts'
import { eachEngine } from '../harness/storage.ts'
import { isWide } from '../harness/wide.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'
import { leaseMs } from '../src/domain/payments/schedule.ts'
import { claimPaymentsToCheck } from '../src/domain/payments/store.ts'
import { Refusal } from '../src/platform/kit/refuse.ts'

const hour = 3_600_000
type Placed = Awaited<ReturnType<BankShop['place']>>

const amount = fc.constantFrom(100, 200, 300)
const move = fc.oneof(
  fc.record({ do: fc.constant('refund' as const), amount }),
  fc.record({ do: fc.constant('refund_there' as const), amount, state: fc.constantFrom('pending', 'succeeded') }),
  fc.record({ do: fc.constant('turn' as const), which: fc.nat(5), state: fc.constantFrom('succeeded', 'failed') }),
  fc.record({ do: fc.constant('next' as const), state: fc.constantFrom('pending', 'failed', 'refused') }),
  fc.record({ do: fc.constant('lose' as const), call: fc.constantFrom('refund', 'refundState', 'lookUp') }),
  fc.record({ do: fc.constant('drop' as const), call: fc.constantFrom('refund', 'refundState', 'lookUp') }),
  fc.record({ do: fc.constantFrom('notice', 'pay', 'check', 'both', 'end_paying', 'end_looking') }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 2_000, leaseMs, hour, 7 * hour, 25 * hour) }),
)
type Made = typeof move extends fc.Arbitrary<infer Move> ? Move : never

async function make(shop: BankShop, { orderId, paymentId }: Placed, made: Made): Promise<void> {
  const { bank, testServer } = shop
  switch (made.do) {
    case 'refund':
      await shop.refund(orderId, made.amount).catch((error) => assert.ok(error instanceof Refusal, error))
      return
    case 'refund_there': {
      const { collected } = bank.books.get(paymentId) ?? { collected: 0 }
      if (bank.givenBack(paymentId) + made.amount <= collected) bank.refundThere(paymentId, made.amount, made.state)
      return
    }
    case 'turn': {
      const refund = bank.books.get(paymentId)?.refunds[made.which]
      if (refund && refund.state !== 'failed') bank.turn(refund.reference, made.state)
      return
    }
    case 'next':
      return bank.nextRefund(made.state)
    case 'lose':
      return bank.loseNext(made.call)
    case 'drop':
      return bank.dropNext(made.call)
    case 'wait':
      testServer.clock.now += made.ms
      if (made.ms > 24 * hour) bank.forgetKeys()
      return
    case 'notice':
      await shop.notice(paymentId)
      return
    case 'pay':
      await shop.pay()
      return
    case 'check':
      await shop.check()
      return
    case 'both':
      await Promise.all([shop.pay(), shop.check(), shop.pay(), shop.notice(paymentId)])
      return
    case 'end_paying': {
      const onPaid = async () => {
        throw new Error('the process ended')
      }
      await payRefunds({ ...shop.refundTools, onPaid }, testServer.clock.now)
      return
    }
    case 'end_looking':
      await testServer.storage.write((tx) => claimPaymentsToCheck(tx, testServer.clock.now, leaseMs, 20))
      return
  }
}

// The bank ends what is on its way there, and says so; the loops run until nothing is due.
async function settle(shop: BankShop, { paymentId }: Placed): Promise<void> {
  const { bank, testServer } = shop
  for (let round = 0; round < 40; round += 1) {
    testServer.clock.now += 7 * hour
    for (const { reference, state } of bank.books.get(paymentId)?.refunds ?? [])
      if (state === 'pending') bank.turn(reference, 'succeeded')
    await shop.pay()
    if (round % 4 === 3) {
      const [row] = await testServer.storage.read(
        (db) => db.sql<{ open: number }>`
          select (select count(*) from refunds where try_at is not null)
            + (select count(*) from payments where check_at is not null) as "open"`,
      )
      if (row?.open === 0 && round > 4) return
      if (round < 30) await shop.notice(paymentId)
      testServer.clock.now += 1
    }
    await shop.check()
  }
  assert.fail('something is still due')
}

eachEngine('the refunds at the provider and at the order', (given) => {
  test('agree in the end, after any sequence of events', async () => {
    const shop = await openBankShop(given)
    const property = fc.asyncProperty(
      fc.boolean(),
      fc.array(move, { minLength: 5, maxLength: 30 }),
      async (namesKeys, moves) => {
        const placed = await shop.place()
        shop.bank.namesKeys = namesKeys
        for (const made of moves) await make(shop, placed, made)
        await settle(shop, placed)
        const listed = shop.bank.books.get(placed.paymentId)?.refunds ?? []
        const there = listed.filter(({ state }) => state === 'succeeded').reduce((sum, one) => sum + one.amount, 0)
        const { totals, paymentStatus } = await shop.order(placed.orderId)
        assert.deepEqual([totals.refunded, totals.refundPending], [there, 0])
        const expected = there === 0 ? 'paid' : there < placed.total ? 'partially_refunded' : 'refunded'
        assert.equal(paymentStatus, expected)
        assert.deepEqual(await shop.violations(), [])
        assert.equal((await placed.payment()).givenBack, there)
      },
    )
    await fc.assert(property, { numRuns: isWide ? 300 : 8, endOnFailure: !isWide })
  })
})
