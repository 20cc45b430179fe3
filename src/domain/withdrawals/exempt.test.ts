import assert from 'node:assert/strict'
import { test } from 'node:test'
import { itemExemptions } from '../../contract/words.ts'
import { isWithdrawable } from './exempt.ts'

test('one can withdraw from what has no reason against it, and from sealed goods', () => {
  const withdrawable = [null, ...itemExemptions].filter((withdrawalExempt) => isWithdrawable({ withdrawalExempt }))
  assert.deepEqual(withdrawable, [null, 'sealed_hygiene', 'sealed_media'])
})
