// Stripe's facts about a paid charge, in the port's words: its refunds and its dispute. Pure.

import type { ProviderDispute, ProviderRefund, RefundAnswer } from '../../port.ts'
import { fromStripeAmount } from './amounts.ts'
import type { Stripe } from './client.ts'
import { UnexpectedAnswer } from './unexpected.ts'

// Member of a refund's metadata with our id. The refund of a void also has a mark of its own.
export const refundMark = 'cartwright_refund'
export const voidMark = 'cartwright_void'

export function providerRefundOf(refund: Stripe.Refund): ProviderRefund {
  const amount = fromStripeAmount(refund.amount, refund.currency.toUpperCase())
  if (amount === undefined) throw new UnexpectedAnswer('AMOUNT_UNREADABLE')
  return { reference: refund.id, key: refund.metadata?.[refundMark] ?? null, amount, state: stateOf(refund) }
}

function stateOf({ status }: Stripe.Refund): ProviderRefund['state'] {
  if (status === 'succeeded') return 'succeeded'
  // A refund that was cancelled in the dashboard did not move money either.
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending'
}

// A refund that failed never succeeds later, and its key allows no other refund.
export function stripeRefundAnswer(refund: Stripe.Refund): RefundAnswer {
  const state = stateOf(refund)
  return state === 'failed' ? 'refused' : state
}

// Whether the refund was made for an order, and not to void the payment.
export function isOfOrder({ metadata }: Stripe.Refund): boolean {
  return metadata?.[refundMark] !== undefined && metadata[voidMark] === undefined
}

const disputeStates: Readonly<Record<string, ProviderDispute['state']>> = {
  won: 'won',
  // The shopper's bank made an inquiry, and took no money.
  warning_closed: 'won',
  prevented: 'won',
  lost: 'lost',
}

// `amount`: the amount of the charge, used if the dispute is in another currency.
export function providerDisputeOf(dispute: Stripe.Dispute, currency: string, amount: number): ProviderDispute {
  const isSame = dispute.currency.toUpperCase() === currency
  const dueBy = dispute.evidence_details?.due_by ?? null
  return {
    reference: dispute.id,
    amount: (isSame ? fromStripeAmount(dispute.amount, currency) : undefined) ?? amount,
    state: disputeStates[dispute.status] ?? 'open',
    reason: dispute.reason,
    dueAt: dueBy === null ? null : dueBy * 1000,
  }
}
