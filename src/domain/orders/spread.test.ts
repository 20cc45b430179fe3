import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type PaidMoney, refundableAmount, splitLinesByShare, splitRefund } from './spread.ts'

const paidArbitrary: fc.Arbitrary<PaidMoney> = fc
  .array(
    fc.record({
      amount: fc.integer({ min: 1, max: 5_000 }),
      status: fc.constantFrom('succeeded' as const, 'succeeded' as const, 'declined' as const, 'voided' as const),
      back: fc.array(
        fc.record({
          part: fc.double({ min: 0, max: 1, noNaN: true }),
          status: fc.constantFrom('pending', 'succeeded', 'failed'),
        }),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 5 },
  )
  .map((rows) => {
    const payments = rows.map(({ amount, status }, at) => ({ id: `pay_${at}`, amount, status }))
    const refunds = rows.flatMap(({ amount, back }, at) => {
      let left = amount
      return back.map(({ part, status }) => {
        const gone = Math.floor(left * part)
        if (status !== 'failed') left -= gone
        return { paymentId: `pay_${at}`, amount: gone, status: status as 'pending' }
      })
    })
    return { payments, refunds }
  })

test('the shares add up to the refund, and no payment refunds more than is left of it', () => {
  fc.assert(
    fc.property(paidArbitrary, fc.integer({ min: 1, max: 12_000 }), (paid, amount) => {
      const shares = splitRefund(paid, amount)
      const left = refundableAmount(paid)
      if (amount > left) return assert.deepEqual(shares, [])
      assert.equal(
        shares.reduce((sum, share) => sum + share.amount, 0),
        amount,
      )
      const after = {
        ...paid,
        refunds: [...paid.refunds, ...shares.map((share) => ({ ...share, status: 'pending' as const }))],
      }
      assert.equal(refundableAmount(after), left - amount)
      assert.ok(shares.every((share) => share.amount > 0))
      // The newest payments are refunded first, and all but the last of them completely.
      for (const { paymentId } of shares.slice(0, -1))
        assert.equal(refundableAmount({ ...after, payments: paid.payments.filter(({ id }) => id === paymentId) }), 0)
      const order = shares.map(({ paymentId }) => paid.payments.findIndex(({ id }) => id === paymentId))
      assert.deepEqual(
        order,
        order.toSorted((one, other) => other - one),
      )
    }),
  )
})

test('the newest payment is refunded first, then the one before', () => {
  const paid: PaidMoney = {
    payments: [
      { id: 'card', amount: 3000, status: 'succeeded' },
      { id: 'declined', amount: 900, status: 'declined' },
      { id: 'link', amount: 500, status: 'succeeded' },
    ],
    refunds: [{ paymentId: 'link', amount: 100, status: 'succeeded' }],
  }
  assert.deepEqual(splitRefund(paid, 400), [{ paymentId: 'link', amount: 400 }])
  assert.deepEqual(splitRefund(paid, 1000), [
    { paymentId: 'link', amount: 400 },
    { paymentId: 'card', amount: 600 },
  ])
  assert.deepEqual(splitRefund(paid, 3401), [])
})

test('the lines of all shares add up to the refunded lines, with each unit once', () => {
  const lineArbitrary = fc.record({
    quantity: fc.integer({ min: 1, max: 9 }),
    amount: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3_000 })),
  })
  const shareArbitrary = fc.record({ amount: fc.integer({ min: 1, max: 3_000 }) })
  fc.assert(
    fc.property(
      fc.array(lineArbitrary, { maxLength: 5 }),
      fc.array(shareArbitrary, { minLength: 1, maxLength: 4 }),
      (drawn, shares) => {
        const lines = drawn.map((line, at) => ({ skuId: at === 0 ? '' : `sku_${at}`, ...line }))
        const parts = splitLinesByShare(shares, lines)
        assert.equal(parts.length, shares.length)
        for (const { skuId, quantity, amount } of lines) {
          const own = parts.flat().filter((part) => part.skuId === skuId)
          assert.equal(
            own.reduce((sum, part) => sum + part.quantity, 0),
            quantity,
          )
          assert.equal(
            own.reduce((sum, part) => sum + part.amount, 0),
            amount,
          )
          assert.equal(own.filter((part) => part.quantity > 0).length, 1)
        }
        for (const [at, part] of parts.slice(0, -1).entries())
          assert.ok(part.reduce((sum, { amount }) => sum + amount, 0) <= (shares[at]?.amount ?? 0))
        for (const part of parts) assert.equal(new Set(part.map(({ skuId }) => skuId)).size, part.length)
      },
    ),
  )
})
