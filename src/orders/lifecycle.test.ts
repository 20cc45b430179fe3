import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fulfillmentStatuses, orderPaymentStatuses, orderStatuses } from '../contract/words.ts'
import {
  cancellableReason,
  fulfillmentStatusFor,
  orderLifecycle,
  orderMove,
  paymentLifecycle,
  paymentMove,
  refundVerb,
  sendingReason,
  usualPolicy,
} from './lifecycle.ts'

test('the moves of an order, all pairs', () => {
  const moves = [...new Set(orderLifecycle.map(([verb]) => verb))].flatMap((verb) =>
    orderStatuses.map((from) => [verb, from, orderMove(verb, from)?.to ?? null]),
  )
  assert.deepEqual(
    moves.filter(([, , to]) => to !== null),
    [
      ['start', 'placed', 'processing'],
      ['go_on', 'processing', 'processing'],
      ['complete', 'processing', 'completed'],
      ['cancel', 'placed', 'cancelled'],
      ['cancel', 'processing', 'cancelled'],
    ],
  )
})

test('the moves of its money, all pairs', () => {
  const moves = [...new Set(paymentLifecycle.map(([verb]) => verb))].flatMap((verb) =>
    orderPaymentStatuses.map((from) => [verb, from, paymentMove(verb, from)?.to ?? null]),
  )
  assert.deepEqual(
    moves.filter(([, , to]) => to !== null),
    [
      ['pay', 'pending', 'paid'],
      ['void', 'pending', 'voided'],
      ['owe', 'paid', 'refunding'],
      ['owe', 'partially_refunded', 'refunding'],
      ['owe', 'refunding', 'refunding'],
      ['refund_some', 'refunding', 'refunding'],
      ['refund_part', 'refunding', 'partially_refunded'],
      ['refund_rest', 'refunding', 'refunded'],
    ],
  )
})

test('no move leaves an end', () => {
  const ends = ['completed', 'cancelled', 'refunded', 'voided']
  for (const [, from] of [...orderLifecycle, ...paymentLifecycle]) assert.ok(!ends.includes(from))
})

test('what a refund that arrived makes of the money', () => {
  assert.equal(refundVerb({ total: 100, back: 40, onItsWay: 60 }), 'refund_some')
  assert.equal(refundVerb({ total: 100, back: 40, onItsWay: 0 }), 'refund_part')
  assert.equal(refundVerb({ total: 100, back: 100, onItsWay: 0 }), 'refund_rest')
})

test('the parcels are counted from the lines', () => {
  const lines = (...counts: [quantity: number, fulfilled: number][]) =>
    fulfillmentStatusFor(counts.map(([quantity, fulfilled]) => ({ quantity, fulfilled })))
  assert.equal(lines([2, 0], [1, 0]), 'unfulfilled')
  assert.equal(lines([2, 1], [1, 0]), 'partially_fulfilled')
  assert.equal(lines([2, 2], [1, 0]), 'partially_fulfilled')
  assert.equal(lines([2, 2], [1, 1]), 'fulfilled')
})

test('why an order cannot be cancelled, all pairs and both policies', () => {
  const generous = { from: ['placed', 'processing'] } as const
  for (const status of orderStatuses) {
    for (const fulfillmentStatus of fulfillmentStatuses) {
      const sent = fulfillmentStatus === 'unfulfilled' ? undefined : 'already_fulfilled'
      const expected = {
        placed: [sent, sent],
        processing: [sent ?? 'already_processing', sent],
        completed: ['already_completed', 'already_completed'],
        cancelled: ['already_cancelled', 'already_cancelled'],
      }[status]
      const order = { status, fulfillmentStatus }
      assert.deepEqual([cancellableReason(order, usualPolicy), cancellableReason(order, generous)], expected)
    }
  }
})

test('why an order is not to be sent, by its money', () => {
  const reasons = (awaited: { isPaidOnDelivery: boolean } | undefined) =>
    orderPaymentStatuses.map((status) => sendingReason(status, awaited))
  const went = ['paid_back', 'paid_back', undefined]
  assert.deepEqual(reasons(undefined), ['not_paid', undefined, undefined, ...went])
  assert.deepEqual(reasons({ isPaidOnDelivery: false }), ['not_paid', undefined, undefined, ...went])
  assert.deepEqual(reasons({ isPaidOnDelivery: true }), [undefined, undefined, undefined, ...went])
})
