import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endsOf, matrixOf, unreachableOf } from '../../../harness/lifecycle.ts'
import { returnStatuses } from '../../contract/words.ts'
import { isReturnOpen, isReturnRefundable, returnLifecycle } from './lifecycle.ts'

test('the lifecycle of a return has exactly these moves and events', () => {
  assert.deepEqual(matrixOf(returnLifecycle, returnStatuses), [
    ['request', null, 'requested', 'return.requested'],
    ['open', null, 'approved', 'return.approved'],
    ['approve', 'requested', 'approved', 'return.approved'],
    ['refuse', 'requested', 'refused', 'return.refused'],
    ['receive', 'approved', 'received', 'return.received'],
    ['receive', 'received', 'received', 'return.received'],
    ['exchange', 'approved', 'approved', 'return.exchanged'],
    ['exchange', 'received', 'received', 'return.exchanged'],
    ['close', 'approved', 'closed', 'return.closed'],
    ['close', 'received', 'closed', 'return.closed'],
  ])
  assert.deepEqual(endsOf(returnLifecycle, returnStatuses), ['refused', 'closed'])
  assert.deepEqual(unreachableOf(returnLifecycle, returnStatuses), [])
})

test('a return is open until it is refused or closed, and can be refunded once it is approved', () => {
  assert.deepEqual(returnStatuses.filter(isReturnOpen), ['requested', 'approved', 'received'])
  assert.deepEqual(returnStatuses.filter(isReturnRefundable), ['approved', 'received'])
})
