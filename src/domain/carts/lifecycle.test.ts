import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endsOf, matrixOf, unreachableOf } from '../../../harness/lifecycle.ts'
import { cartStatuses } from '../../contract/words.ts'
import { cartLifecycle, cartStatusAt } from './lifecycle.ts'

test('the lifecycle of a cart has exactly these moves and events', () => {
  assert.deepEqual(matrixOf(cartLifecycle, cartStatuses), [
    ['create', null, 'open', 'cart.created'],
    ['change', 'open', 'open', 'cart.updated'],
    ['lock', 'open', 'locked', null],
    ['unlock', 'locked', 'open', null],
    ['convert', 'locked', 'converted', 'cart.converted'],
    ['expire', 'open', 'expired', 'cart.expired'],
  ])
  assert.deepEqual(endsOf(cartLifecycle, cartStatuses), ['converted', 'expired'])
  assert.deepEqual(unreachableOf(cartLifecycle, cartStatuses), [])
})

test('only an open cart expires, from its expiry time on', () => {
  const shown = (now: number) => cartStatuses.map((status) => cartStatusAt({ status, expiresAt: 1_000 }, now))
  assert.deepEqual(shown(999), [...cartStatuses])
  assert.deepEqual(shown(1_000), ['expired', 'locked', 'converted', 'expired'])
})
