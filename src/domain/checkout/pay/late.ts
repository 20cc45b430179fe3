// Outcomes that arrive after a payment has ended here. If money arrived, the same transaction records that it must be refunded.

import { newId } from '../../../platform/kit/ids.ts'
import { moveFor } from '../../../platform/kit/lifecycle.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import {
  isAwaitedFromProvider,
  isGivenUp,
  paymentLifecycle,
  type StoredPaymentStatus,
} from '../../payments/lifecycle.ts'
import type { ProviderOutcome } from '../../payments/port.ts'
import { checksAnswered, nextTryAt } from '../../payments/schedule.ts'
import { listRefundsOfPayment, type PaymentRow, queueVoid, savePayment } from '../../payments/store.ts'
import type { PayTools } from '../tools.ts'
import { providerStateIn, recordProviderDispute } from './dispute.ts'
import { queuePaymentReturn } from './return.ts'
import type { PaymentOutcome } from './settlement.ts'

export async function recordOutcomeAfterEnd(
  tools: PayTools,
  tx: Tx,
  payment: PaymentRow,
  outcome: PaymentOutcome,
): Promise<void> {
  const now = tools.clock().getTime()
  if (isAwaitedFromProvider(payment)) {
    // Another look-up placed the order after this look-up began. A new outcome must be recorded with the order, so the payment is looked
    // up again.
    if (outcome.kind !== 'pending' && outcome.kind !== 'unknown')
      await savePayment(tx, { ...payment, checkAt: now, updatedAt: now })
    return
  }
  // A payment can be disputed even after its refund.
  const dispute = providerStateIn(tools, tx, payment, outcome)?.dispute
  if (dispute) await recordProviderDispute(tools, tx, payment, dispute)
  const facts = { provider: payment.provider, paymentId: payment.id }
  const booked = bookedFor(payment, outcome)
  if (booked && (await isReturnedByHand(tx, payment))) {
    // The merchant has already paid the shopper back by hand, so the charge itself is not refunded.
    await savePayment(tx, { ...payment, checkAt: null, updatedAt: now })
    return warnOfContradiction(tools, tx, payment, outcome)
  }
  if (booked) {
    const reason = 'approved after the payment had ended'
    // A charge that is still pending at the provider has not left the shopper's account, so it is voided.
    if (outcome.kind === 'approved') await queuePaymentReturn(tx, payment, reason, now)
    else await queueVoid(tx, payment, { id: newId('rfd'), reason }, now)
    // A payment with an order keeps its status: the order was cancelled and no longer awaits money.
    await savePayment(tx, { ...payment, ...(payment.orderId === null ? booked : {}), checkAt: null, updatedAt: now })
    const message = 'payment was approved after it had ended; it is refunded'
    tx.afterCommit(() => tools.watch.warn('late_success', message, facts, { status: payment.status }))
    return
  }
  if (payment.checkAt !== null) {
    const checks = isCertain(payment, outcome) ? checksAnswered : payment.checks + 1
    const checkAt = isCertain(payment, outcome) ? null : nextTryAt(checks, now)
    await savePayment(tx, { ...payment, checks, checkAt, updatedAt: now })
  }
  if (isContradiction(payment, outcome)) warnOfContradiction(tools, tx, payment, outcome)
}

export function warnOfContradiction(
  { watch }: PayTools,
  tx: Tx,
  { provider, id, status }: PaymentRow,
  outcome: ProviderOutcome,
): void {
  const message = 'payment provider contradicts its earlier answer; check the payment at the provider'
  const more = { status, outcome: outcome.kind }
  tx.afterCommit(() => watch.warn('contradiction', message, { provider, paymentId: id }, more))
}

async function isReturnedByHand(tx: Tx, { installationId, id }: PaymentRow): Promise<boolean> {
  const refunds = await listRefundsOfPayment(tx, installationId, id)
  return refunds.some(({ kind, status, paidByHandAt }) => {
    return kind === 'void' && status === 'succeeded' && paidByHandAt !== null
  })
}

// Whether the provider need not be queried again unless an event arrives.
function isCertain(payment: PaymentRow, outcome: PaymentOutcome): boolean {
  if (isGivenUp(payment)) return outcome.kind === 'declined' && !outcome.isDoubtful
  return outcome.kind !== 'unknown'
}

// Returns the members of the payment that change because money arrived late; undefined if no money arrived or it was not late.
function bookedFor({ status }: PaymentRow, outcome: ProviderOutcome): Partial<PaymentRow> | undefined {
  const book = (to: StoredPaymentStatus | undefined, more: Partial<PaymentRow>) => to && { ...more, status: to }
  if (outcome.kind === 'approved') {
    const { reference, brand, last4, collected, instrument = null } = outcome
    const to = moveFor(paymentLifecycle, 'collect_late', status)?.to
    return book(to, { reference, brand, last4, instrument, collected })
  }
  if (outcome.kind !== 'pending') return undefined
  return book(moveFor(paymentLifecycle, 'await_late', status)?.to, { reference: outcome.reference })
}

// Whether the provider contradicts an order that was placed for this money or awaits it. Payments without an order are not contradicted:
// they are being voided, and the provider reports a voided charge as declined.
export function isContradiction({ status, orderId }: PaymentRow, { kind }: ProviderOutcome): boolean {
  if (orderId === null) return false
  return (
    (status === 'succeeded' && kind === 'declined') ||
    (status === 'pending' && kind !== 'pending' && kind !== 'unknown')
  )
}
