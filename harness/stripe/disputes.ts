// Disputes: https://docs.stripe.com/disputes/how-disputes-work. A shopper's bank takes the money back; an inquiry only asks.

import type Stripe from 'stripe'
import type { Books } from './books.ts'
import { newDispute } from './objects.ts'

export interface DisputeOptions {
  amount?: number
  reason?: string
  isInquiry?: boolean
}

export function openDispute(
  books: Books,
  charge: Stripe.Charge,
  { amount = charge.amount_captured, reason = 'fraudulent', isInquiry = false }: DisputeOptions = {},
): Stripe.Dispute {
  const status = isInquiry ? 'warning_needs_response' : 'needs_response'
  const dispute = newDispute(books.common, charge, { amount, reason, status })
  books.disputes.set(dispute.id, dispute)
  charge.disputed = true
  books.emit('charge.dispute.created', dispute)
  if (!isInquiry) books.emit('charge.dispute.funds_withdrawn', dispute)
  return dispute
}

export function closeDispute(books: Books, dispute: Stripe.Dispute, outcome: 'won' | 'lost'): void {
  const isInquiry = dispute.status.startsWith('warning_')
  if (dispute.status === 'won' || dispute.status === 'lost' || dispute.status === 'warning_closed')
    throw new Error(`${dispute.id} is closed already: ${dispute.status}`)
  dispute.status = isInquiry ? 'warning_closed' : outcome
  books.emit('charge.dispute.closed', dispute)
  if (!isInquiry && outcome === 'won') books.emit('charge.dispute.funds_reinstated', dispute)
}
