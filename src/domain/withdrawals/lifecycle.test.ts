import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withdrawalStatuses } from '../../contract/words.ts'
import { moveFor, onlyMove } from '../../platform/kit/lifecycle.ts'
import { withdrawalLifecycle } from './lifecycle.ts'

test('a withdrawal is received once, and can be settled repeatedly', () => {
  const matrix = withdrawalStatuses.map((status) => [status, moveFor(withdrawalLifecycle, 'settle', status)?.to])
  assert.deepEqual(matrix, [
    ['received', 'settled'],
    ['settled', 'settled'],
  ])
  assert.deepEqual(onlyMove(withdrawalLifecycle, 'receive'), {
    from: null,
    to: 'received',
    announces: 'withdrawal.received',
    due: undefined,
  })
})
