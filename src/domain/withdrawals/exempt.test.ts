import assert from 'node:assert/strict'
import { test } from 'node:test'
import { itemExemptions } from '../../contract/words.ts'
import { isWithdrawable } from './exempt.ts'

test('only items without a final exemption, and sealed goods, can be withdrawn from', () => {
  const withdrawable = [null, ...itemExemptions].filter((withdrawalExempt) => isWithdrawable({ withdrawalExempt }))
  assert.deepEqual(withdrawable, [null, 'sealed_hygiene', 'sealed_media'])
})
