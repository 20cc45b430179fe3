// Refunds: https://docs.stripe.com/refunds. One that succeeded may still fail days later, and its money is back with the merchant then.

import type Stripe from 'stripe'
import type { Books } from './books.ts'
import { invalid } from './errors.ts'
import { newRefund, type RefundParams } from './objects.ts'

export function createRefund(
  books: Books,
  charge: Stripe.Charge | undefined,
  { amount, ...others }: Partial<RefundParams>,
): Stripe.Refund {
  if (charge?.status !== 'succeeded' || !charge.captured)
    throw invalid(
      `This PaymentIntent (${charge?.payment_intent ?? ''}) does not have a successful charge to refund.`,
      {},
    )
  if (
    charge.disputed &&
    [...books.disputes.values()].some((one) => one.charge === charge.id && !one.is_charge_refundable)
  )
    throw invalid(`Charge ${charge.id} has been charged back; cannot issue a refund.`, { code: 'charge_disputed' })
  const left = charge.amount_captured - charge.amount_refunded
  if (left === 0) throw invalid(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' })
  if (amount !== undefined && amount < 1)
    throw invalid('Invalid positive integer', { code: 'parameter_invalid_integer', param: 'amount' })
  if (amount !== undefined && amount > left)
    throw invalid(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, {
      param: 'amount',
    })

  const refund = newRefund(books.common, charge, { amount: amount ?? left, ...others })
  const { instrument } = books.attempts.get(`${charge.payment_intent}`) ?? {}
  if (instrument?.kind === 'sepa_debit' || (instrument?.kind === 'card' && instrument.refunds === 'pending')) {
    refund.status = 'pending'
    refund.pending_reason = 'processing'
  }
  books.refunds.set(refund.id, refund)
  addRefunded(charge, refund.amount)
  books.emit('refund.created', refund)
  books.emit('charge.refunded', charge)
  return refund
}

// The bank took a refund that was pending.
export function finishRefund(books: Books, refund: Stripe.Refund): void {
  if (refund.status !== 'pending') throw new Error(`${refund.id} is not pending: ${refund.status}`)
  refund.status = 'succeeded'
  delete refund.pending_reason
  changed(books, refund)
}

// Cancelled in the dashboard while it was pending.
export function cancelRefund(books: Books, refund: Stripe.Refund): void {
  if (refund.status !== 'pending') throw new Error(`${refund.id} is not pending: ${refund.status}`)
  refund.status = 'canceled'
  delete refund.pending_reason
  addRefunded(books.charge(`${refund.charge}`), -refund.amount)
  changed(books, refund)
}

// The bank gave it back, before or after the refund was called succeeded.
export function failRefund(books: Books, refund: Stripe.Refund, reason = 'expired_or_canceled_card'): void {
  if (refund.status !== 'pending' && refund.status !== 'succeeded')
    throw new Error(`${refund.id} cannot fail any more: ${refund.status}`)
  refund.status = 'failed'
  refund.failure_reason = reason
  delete refund.pending_reason
  addRefunded(books.charge(`${refund.charge}`), -refund.amount)
  changed(books, refund)
  books.emit('refund.failed', refund)
}

function addRefunded(charge: Stripe.Charge, amount: number): void {
  charge.amount_refunded += amount
  charge.refunded = charge.amount_refunded === charge.amount_captured
}

function changed(books: Books, refund: Stripe.Refund): void {
  books.emit('refund.updated', refund)
  books.emit('charge.refund.updated', refund)
}
