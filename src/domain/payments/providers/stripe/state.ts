// What Stripe knows of a charge that was paid, in the words of the port: its refunds and its dispute. Pure.

import type { ProviderDispute, ProviderRefund, RefundAnswer } from '../../port.ts'
import { fromStripeAmount } from './amounts.ts'
import type { Stripe } from './client.ts'
import { UnexpectedAnswer } from './unexpected.ts'

// Our id of a refund, in its metadata. A void has a mark of its own beside it.
export const refundMark = 'cartwright_refund'
export const voidMark = 'cartwright_void'

export function providerRefundOf(refund: Stripe.Refund): ProviderRefund {
  const amount = fromStripeAmount(refund.amount, refund.currency.toUpperCase())
  if (amount === undefined) throw new UnexpectedAnswer('AMOUNT_UNREADABLE')
  return { reference: refund.id, key: refund.metadata?.[refundMark] ?? null, amount, state: stateOf(refund) }
}

function stateOf({ status }: Stripe.Refund): ProviderRefund['state'] {
  if (status === 'succeeded') return 'succeeded'
  // A refund that was cancelled, in the dashboard, did not move money either.
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending'
}

// Under its key nothing else will ever be done: one that failed never succeeds.
export function refundAnswerOf(refund: Stripe.Refund): RefundAnswer {
  const state = stateOf(refund)
  return state === 'failed' ? 'refused' : state
}

// Made for an order, and not to take a payment back as a whole.
export function isOfOrder({ metadata }: Stripe.Refund): boolean {
  return metadata?.[refundMark] !== undefined && metadata[voidMark] === undefined
}

const disputeStates: Readonly<Record<string, ProviderDispute['state']>> = {
  won: 'won',
  // The shopper's bank asked, and took nothing.
  warning_closed: 'won',
  prevented: 'won',
  lost: 'lost',
}

// `amount`: of the charge, for a dispute in another currency.
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
