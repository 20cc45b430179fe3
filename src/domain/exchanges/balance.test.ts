import assert from 'node:assert/strict'
import { test } from 'node:test'
import { balanceOf } from './balance.ts'

test('what is left of the credit goes back, to the cent, and dearer or free items are refused', () => {
  for (const [credit, total, moneyBack] of [
    [2995, 2995, 0],
    [2995, 2994, 1],
    [5990, 999, 4991],
    [1, 1, 0],
  ] as const)
    assert.deepEqual(balanceOf(credit, total), { credit, total, moneyBack })
  assert.equal(balanceOf(2995, 2996), 'costs_more')
  assert.equal(balanceOf(0, 1), 'costs_more')
  assert.equal(balanceOf(2995, 0), 'nothing_to_pay')
})
