// Changes of a payment that has succeeded, found by the look-up after a webhook. The outcome is known; refunds and disputes that the
// provider lists are recorded.

import type { Tx } from '../../../platform/storage/storage.ts'
import { lockOrderFacts } from '../../orders/change.ts'
import { recordProviderState } from '../../orders/providerstate.ts'
import type { ProviderState } from '../../payments/port.ts'
import type { ProviderStatePlan } from '../../payments/providerstate.ts'
import { checksAnswered, nextTryAt } from '../../payments/schedule.ts'
import { lockPayment, type PaymentRow, savePayment } from '../../payments/store.ts'
import type { PayTools } from '../tools.ts'
import { providerStateIn, recordProviderDispute } from './dispute.ts'
import { isContradiction, recordOutcomeAfterEnd, warnOfContradiction } from './late.ts'
import { warnOfAmountMismatch } from './pending.ts'
import type { PaymentOutcome } from './settlement.ts'

// The order is locked before its payment, as everywhere.
export async function recordProviderChanges(
  tools: PayTools,
  tx: Tx,
  asked: PaymentRow,
  outcome: PaymentOutcome,
): Promise<void> {
  const { installationId, id, orderId } = asked
  const facts = orderId === null ? undefined : await lockOrderFacts(tx, { installationId, orderId })
  const payment = await lockPayment(tx, installationId, id)
  if (!payment) throw new Error(`payment ${id} no longer exists`)
  if (payment.status !== 'succeeded') return recordOutcomeAfterEnd(tools, tx, payment, outcome)
  // A newer look-up of the payment has begun meanwhile, and its result is used instead.
  if (payment.lookedAt !== asked.lookedAt) return
  const now = tools.clock().getTime()
  const seen = { ...payment, checks: payment.checks + 1, updatedAt: now }
  if (outcome.kind === 'unknown') return savePayment(tx, { ...seen, checkAt: nextTryAt(seen.checks, now) })
  warnOfAmountMismatch(tools, tx, payment, outcome)
  const providerState = providerStateIn(tools, tx, payment, outcome)
  const plan = providerState && (await recordProviderState(tx, facts, payment, providerState, now))
  // The provider may report a payment as declined once it was refunded completely, or is about to be.
  if (isContradiction(payment, outcome) && sumListed(providerState) < payment.amount)
    warnOfContradiction(tools, tx, payment, outcome)
  if (plan) tellPlan(tools, tx, payment, plan)
  if (providerState?.dispute) await recordProviderDispute(tools, tx, payment, providerState.dispute)
  await savePayment(tx, {
    ...seen,
    checks: checksAnswered,
    collected: outcome.kind === 'approved' ? outcome.collected : payment.collected,
    givenBack: plan?.givenBack ?? payment.givenBack,
    checkAt: plan?.againAt ?? null,
  })
}

function sumListed(providerState: ProviderState | undefined): number {
  return (providerState?.refunds ?? []).reduce((sum, { state, amount }) => (state === 'failed' ? sum : sum + amount), 0)
}

function tellPlan({ watch }: PayTools, tx: Tx, payment: PaymentRow, plan: ProviderStatePlan): void {
  const facts = { provider: payment.provider, paymentId: payment.id }
  tx.afterCommit(() => {
    for (const { refund } of plan.failed)
      watch.warn('refund_failed_later', 'refund failed after it had succeeded; refund the order again', {
        ...facts,
        refundId: refund.id,
      })
    for (const { instead, isOurs } of plan.foreign) {
      if (instead && isOurs)
        watch.warn('contradiction', 'refund was paid after it had failed; check whether it was refunded twice', {
          ...facts,
          refundId: instead.id,
        })
    }
    if (plan.excess > 0)
      watch.warn('refunds_exceed', 'payment provider refunded more than was paid', facts, { excess: plan.excess })
  })
}
