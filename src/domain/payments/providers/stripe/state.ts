// Converts the refunds and the dispute of a paid charge at Stripe to those of the port. Pure.

import type { ProviderDispute, ProviderRefund, RefundAnswer } from '../../port.ts'
import { fromStripeAmount } from './amounts.ts'
import type { Stripe } from './client.ts'
import { UnexpectedAnswer } from './unexpected.ts'

// Members of the metadata of a refund: our refund id, and a mark for the refund of a void.
export const refundMark = 'cartwright_refund'
export const voidMark = 'cartwright_void'

export function providerRefundOf(refund: Stripe.Refund): ProviderRefund {
  const amount = fromStripeAmount(refund.amount, refund.currency.toUpperCase())
  if (amount === undefined) throw new UnexpectedAnswer('AMOUNT_UNREADABLE')
  return { reference: refund.id, key: refund.metadata?.[refundMark] ?? null, amount, state: stateOf(refund) }
}

function stateOf({ status }: Stripe.Refund): ProviderRefund['state'] {
  if (status === 'succeeded') return 'succeeded'
  // A refund that was canceled in the dashboard did not move money either.
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending'
}

// A failed refund cannot succeed later, and no other refund is possible with its key.
export function stripeRefundAnswer(refund: Stripe.Refund): RefundAnswer {
  const state = stateOf(refund)
  return state === 'failed' ? 'refused' : state
}

// Whether the refund was made for an order, and does not void the payment.
export function isOfOrder({ metadata }: Stripe.Refund): boolean {
  return metadata?.[refundMark] !== undefined && metadata[voidMark] === undefined
}

const disputeStates: Readonly<Record<string, ProviderDispute['state']>> = {
  won: 'won',
  // An inquiry of the shopper's bank was closed without taking money.
  warning_closed: 'won',
  prevented: 'won',
  lost: 'lost',
}

// `amount`: the amount of the charge. It is used if the dispute is in another currency.
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
