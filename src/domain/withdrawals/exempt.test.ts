import assert from 'node:assert/strict'
import { test } from 'node:test'
import { itemExemptions } from '../../contract/words.ts'
import { isWithdrawable } from './exempt.ts'

test('items without an exemption and sealed goods can be withdrawn from, and others cannot', () => {
  const withdrawable = [null, ...itemExemptions].filter((withdrawalExempt) => isWithdrawable({ withdrawalExempt }))
  assert.deepEqual(withdrawable, [null, 'sealed_hygiene', 'sealed_media'])
})
