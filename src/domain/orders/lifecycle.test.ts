import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endsOf, matrixOf, unreachableOf } from '../../../harness/lifecycle.ts'
import { fulfillmentStatuses, orderPaymentStatuses, orderStatuses } from '../../contract/words.ts'
import {
  cancellationStatusFor,
  cancelObstacle,
  fulfillmentStatusFor,
  isOverdue,
  orderLifecycle,
  orderPaymentLifecycle,
  refundVerb,
  returnObstacle,
  sendObstacle,
} from './lifecycle.ts'

test('the lifecycle of an order has exactly these moves, events and debts', () => {
  assert.deepEqual(matrixOf(orderLifecycle, orderStatuses), [
    ['place', null, 'placed', 'order.placed', null],
    ['start', 'placed', 'processing', 'order.processing', null],
    ['go_on', 'processing', 'processing', 'order.processing', null],
    ['fulfil', 'processing', 'processing', 'order.fulfilled', null],
    ['complete', 'processing', 'completed', 'order.completed', null],
    ['cancel', 'placed', 'cancelled', 'order.cancelled', 'money_back'],
    ['cancel', 'processing', 'cancelled', 'order.cancelled', 'money_back'],
    ['edit', 'placed', 'placed', 'order.edited', null],
    ['edit', 'processing', 'processing', 'order.edited', null],
    ['return', 'processing', 'cancelled', 'order.cancelled', 'money_back'],
    ['return', 'completed', 'completed', 'order.returned', 'money_back'],
  ])
  assert.deepEqual(endsOf(orderLifecycle, orderStatuses), ['completed', 'cancelled'])
  assert.deepEqual(unreachableOf(orderLifecycle, orderStatuses), [])
})

test('the lifecycle of the payment status of an order has exactly these moves and events', () => {
  assert.deepEqual(matrixOf(orderPaymentLifecycle, orderPaymentStatuses), [
    ['await', null, 'pending', null],
    ['pay', 'pending', 'paid', 'order.paid'],
    ['pay', 'voided', 'paid', 'order.paid'],
    ['void', 'pending', 'voided', null],
    ['queue', 'paid', 'refunding', null],
    ['queue', 'partially_refunded', 'refunding', null],
    ['queue', 'refunding', 'refunding', null],
    ['refund_some', 'refunding', 'refunding', 'order.refunded'],
    ['refund_part', 'paid', 'partially_refunded', 'order.refunded'],
    ['refund_part', 'partially_refunded', 'partially_refunded', 'order.refunded'],
    ['refund_part', 'refunding', 'partially_refunded', 'order.refunded'],
    ['refund_rest', 'paid', 'refunded', 'order.refunded'],
    ['refund_rest', 'partially_refunded', 'refunded', 'order.refunded'],
    ['refund_rest', 'refunding', 'refunded', 'order.refunded'],
    ['fail_some', 'refunding', 'refunding', 'order.refund_failed'],
    ['fail_part', 'partially_refunded', 'partially_refunded', 'order.refund_failed'],
    ['fail_part', 'refunding', 'partially_refunded', 'order.refund_failed'],
    ['fail_part', 'refunded', 'partially_refunded', 'order.refund_failed'],
    ['fail_all', 'partially_refunded', 'paid', 'order.refund_failed'],
    ['fail_all', 'refunding', 'paid', 'order.refund_failed'],
    ['fail_all', 'refunded', 'paid', 'order.refund_failed'],
  ])
  // No status is final: money may still arrive after an order is voided, and a refund may fail after it had succeeded.
  assert.deepEqual(endsOf(orderPaymentLifecycle, orderPaymentStatuses), [])
  assert.deepEqual(unreachableOf(orderPaymentLifecycle, orderPaymentStatuses), [])
})

test('how a finished refund changes the payment status depends on the refunded and pending amounts', () => {
  const verbs = (back: number, pending: number) =>
    (['succeeded', 'failed'] as const).map((outcome) => refundVerb(outcome, { total: 100, back, pending }))
  assert.deepEqual(verbs(40, 60), ['refund_some', 'fail_some'])
  assert.deepEqual(verbs(40, 0), ['refund_part', 'fail_part'])
  assert.deepEqual(verbs(0, 60), ['refund_some', 'fail_some'])
  assert.equal(refundVerb('succeeded', { total: 100, back: 100, pending: 0 }), 'refund_rest')
  assert.equal(refundVerb('failed', { total: 100, back: 0, pending: 0 }), 'fail_all')
})

test('the status of a cancellation follows from the refunded, pending and failed amounts', () => {
  const statuses = (back: number, pending: number, failed = 0) =>
    orderPaymentStatuses.map((status) => cancellationStatusFor(status, { total: 100, back, pending, failed }))
  const all = (status: string) => orderPaymentStatuses.map(() => status)
  assert.deepEqual(statuses(40, 60), all('refund_pending'))
  assert.deepEqual(statuses(40, 10), all('refund_pending'))
  assert.deepEqual(statuses(100, 0), all('completed'))
  const due = (status: string) => ['completed', status, status, status, status, 'completed']
  assert.deepEqual(statuses(40, 0, 60), due('refund_failed'))
  assert.deepEqual(statuses(40, 0), due('refund_pending'))
  assert.deepEqual(statuses(100, 0, 60), all('completed'))
  assert.equal(cancellationStatusFor('paid', { total: 0, back: 0, pending: 0, failed: 0 }), 'completed')
})

test('the fulfillment status follows from the lines', () => {
  const lines = (...counts: [quantity: number, fulfilled: number][]) =>
    fulfillmentStatusFor(counts.map(([quantity, fulfilled]) => ({ quantity, fulfilled })))
  assert.equal(lines([2, 0], [1, 0]), 'unfulfilled')
  assert.equal(lines([2, 1], [1, 0]), 'partially_fulfilled')
  assert.equal(lines([2, 2], [1, 0]), 'partially_fulfilled')
  assert.equal(lines([2, 2], [1, 1]), 'fulfilled')
})

test('each pair of order and fulfillment status allows a cancellation, or gives the reason against it', () => {
  for (const status of orderStatuses) {
    for (const fulfillmentStatus of fulfillmentStatuses) {
      const sent = fulfillmentStatus === 'unfulfilled' ? undefined : 'already_fulfilled'
      const expected = {
        placed: sent,
        processing: sent ?? 'already_processing',
        completed: 'already_completed',
        cancelled: 'already_cancelled',
      }[status]
      assert.equal(cancelObstacle({ status, fulfillmentStatus }), expected)
    }
  }
})

test('each pair of payment and fulfillment status allows an unpaid return, or gives the reason against it', () => {
  for (const paymentStatus of orderPaymentStatuses) {
    for (const fulfillmentStatus of fulfillmentStatuses) {
      const isSent = fulfillmentStatus !== 'unfulfilled'
      const expected = paymentStatus === 'pending' ? (isSent ? undefined : 'not_sent') : 'not_awaited'
      assert.equal(returnObstacle({ paymentStatus, fulfillmentStatus }), expected)
    }
  }
})

test('each payment status allows shipping, or gives the reason against it', () => {
  const reasons = (awaited: { isPaidOnDelivery: boolean } | undefined) =>
    orderPaymentStatuses.map((status) => sendObstacle(status, awaited))
  const went = ['paid_back', 'paid_back', undefined]
  assert.deepEqual(reasons(undefined), ['not_paid', undefined, undefined, ...went])
  assert.deepEqual(reasons({ isPaidOnDelivery: false }), ['not_paid', undefined, undefined, ...went])
  assert.deepEqual(reasons({ isPaidOnDelivery: true }), [undefined, undefined, undefined, ...went])
})

test('an order is overdue if it is placed, not shipped, and still unpaid at its due date', () => {
  const overdue = orderStatuses.flatMap((status) =>
    orderPaymentStatuses.flatMap((paymentStatus) =>
      fulfillmentStatuses
        .filter((fulfillmentStatus) =>
          isOverdue({ status, paymentStatus, fulfillmentStatus, paymentDueAt: 1_000 }, 1_000),
        )
        .map((fulfillmentStatus) => [status, paymentStatus, fulfillmentStatus]),
    ),
  )
  assert.deepEqual(overdue, [['placed', 'pending', 'unfulfilled']])
  const awaited = { status: 'placed', paymentStatus: 'pending', fulfillmentStatus: 'unfulfilled' } as const
  assert.equal(isOverdue({ ...awaited, paymentDueAt: 1_000 }, 999), false)
  assert.equal(isOverdue({ ...awaited, paymentDueAt: null }, Number.MAX_SAFE_INTEGER), false)
})
