import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endsOf, matrixOf, unreachableOf } from '../../../harness/lifecycle.ts'
import { paymentStatuses } from '../../contract/words.ts'
import { isGivenUp, isUndecided, paymentLifecycle, type StoredPaymentStatus, shownStatus } from './lifecycle.ts'

const statuses: readonly StoredPaymentStatus[] = [...paymentStatuses, 'challenge']

test('the lifecycle of a payment has exactly these moves', () => {
  assert.deepEqual(matrixOf(paymentLifecycle, statuses), [
    ['start', null, 'processing'],
    ['challenge', 'processing', 'challenge'],
    ['challenge', 'challenge', 'challenge'],
    ['decline', 'processing', 'declined'],
    ['decline', 'challenge', 'declined'],
    ['await', 'processing', 'pending'],
    ['await', 'challenge', 'pending'],
    ['collect', 'processing', 'succeeded'],
    ['collect', 'pending', 'succeeded'],
    ['collect', 'challenge', 'succeeded'],
    ['await_late', 'declined', 'pending'],
    ['await_late', 'voided', 'pending'],
    ['collect_late', 'declined', 'succeeded'],
    ['collect_late', 'voided', 'succeeded'],
    ['void', 'pending', 'voided'],
    ['void', 'succeeded', 'voided'],
  ])
  assert.deepEqual(unreachableOf(paymentLifecycle, statuses), [])
  assert.deepEqual(endsOf(paymentLifecycle, statuses), [], 'money may arrive late for what was given up')
})

test('each payment status is undecided, abandoned or neither, and has a public status', () => {
  const those = (is: (payment: { status: StoredPaymentStatus }) => boolean) =>
    statuses.filter((status) => is({ status }))
  assert.deepEqual(those(isUndecided), ['processing', 'challenge'])
  assert.deepEqual(those(isGivenUp), ['declined', 'voided'])
  assert.deepEqual(statuses.map(shownStatus), [...paymentStatuses, 'processing'])
})
