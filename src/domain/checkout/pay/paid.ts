// News of a payment that was made: it is looked up when a notice says so. Its outcome is known; what its provider lists of refunds
// and disputes is recorded.

import type { Tx } from '../../../platform/storage/storage.ts'
import { lockOrderFacts } from '../../orders/change.ts'
import { recordStanding } from '../../orders/standing.ts'
import type { Standing } from '../../payments/port.ts'
import { checksAnswered, nextTryAt } from '../../payments/schedule.ts'
import type { StandingPlan } from '../../payments/standing.ts'
import { lockPayment, type PaymentRow, savePayment } from '../../payments/store.ts'
import type { PayTools } from '../tools.ts'
import { noteDispute, standingIn } from './dispute.ts'
import { isContradiction, recordAfterEnd, warnOfContradiction } from './late.ts'
import { warnOfAmount } from './pending.ts'
import type { PaymentOutcome } from './settlement.ts'

// The order is locked before its payment, as everywhere.
export async function recordNews(tools: PayTools, tx: Tx, asked: PaymentRow, outcome: PaymentOutcome): Promise<void> {
  const { installationId, id, orderId } = asked
  const facts = orderId === null ? undefined : await lockOrderFacts(tx, { installationId, orderId })
  const payment = await lockPayment(tx, installationId, id)
  if (!payment) throw new Error(`payment ${id} does not exist any more`)
  if (payment.status !== 'succeeded') return recordAfterEnd(tools, tx, payment, outcome)
  // Another look has begun since, and knows more.
  if (payment.lookedAt !== asked.lookedAt) return
  const now = tools.clock().getTime()
  const seen = { ...payment, checks: payment.checks + 1, updatedAt: now }
  if (outcome.kind === 'unknown') return savePayment(tx, { ...seen, checkAt: nextTryAt(seen.checks, now) })
  warnOfAmount(tools, tx, payment, outcome)
  const standing = standingIn(tools, tx, payment, outcome)
  const plan = standing && (await recordStanding(tx, facts, payment, standing, now))
  // One that went back as a whole, or is about to, may be called declined.
  if (isContradiction(payment, outcome) && sumListed(standing) < payment.amount)
    warnOfContradiction(tools, tx, payment, outcome)
  if (plan) tellPlan(tools, tx, payment, plan)
  if (standing?.dispute) await noteDispute(tools, tx, payment, standing.dispute)
  await savePayment(tx, {
    ...seen,
    checks: checksAnswered,
    collected: outcome.kind === 'approved' ? outcome.collected : payment.collected,
    givenBack: plan?.givenBack ?? payment.givenBack,
    checkAt: plan?.againAt ?? null,
  })
}

function sumListed(standing: Standing | undefined): number {
  return (standing?.refunds ?? []).reduce((sum, { state, amount }) => (state === 'failed' ? sum : sum + amount), 0)
}

function tellPlan({ watch }: PayTools, tx: Tx, payment: PaymentRow, plan: StandingPlan): void {
  const facts = { provider: payment.provider, paymentId: payment.id }
  tx.afterCommit(() => {
    for (const { refund } of plan.failed)
      watch.warn('refund_failed_later', 'refund failed after it had succeeded; a person must see to it', {
        ...facts,
        refundId: refund.id,
      })
    for (const { instead, isOurs } of plan.foreign) {
      if (instead && isOurs)
        watch.warn('contradiction', 'refund was paid after it had failed', { ...facts, refundId: instead.id })
    }
    if (plan.excess > 0)
      watch.warn('refunds_exceed', 'payment provider gave back more than was paid', facts, { excess: plan.excess })
  })
}
