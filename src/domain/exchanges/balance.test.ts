import assert from 'node:assert/strict'
import { test } from 'node:test'
import { computeBalance, subtractCredit } from './balance.ts'

test('unused credit is refunded and a missing amount must be paid, both exactly, and an exchange with a total of 0 is refused', () => {
  for (const [credit, total, moneyBack, difference] of [
    [2995, 2995, 0, 0],
    [2995, 2994, 1, 0],
    [5990, 999, 4991, 0],
    [2995, 2996, 0, 1],
    [1, 1, 0, 0],
  ] as const)
    assert.deepEqual(computeBalance(credit, total), { credit, total, moneyBack, difference })
  assert.equal(computeBalance(2995, 0), undefined)
})

test('the shopper sees the new items with the credit as a discount', () => {
  const totals = { subtotal: 5000, discount: 0, shipping: 0, tax: 950, taxIncluded: false, total: 5950 }
  const shipping = { optionId: null, options: [], amount: 0, discount: 0, tax: 0, taxRateBps: null, taxes: null }
  const promotion = { state: 'none', reason: null, amount: 0, allocations: [] } as const
  const shown = subtractCredit({ lines: [], promotion, shipping, totals }, 2000)
  assert.deepEqual(shown.totals, { ...totals, discount: 2000, total: 3950 })
})
