// Money that the provider collects later, such as a direct debit: the order is placed and awaits the money. The provider is queried until
// the money has arrived or the collection has failed.

import { newId } from '../../../platform/kit/ids.ts'
import { moveFor } from '../../../platform/kit/lifecycle.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import { cancelLockedOrder } from '../../orders/cancel.ts'
import { lockOrderFacts, recordOrderChange } from '../../orders/change.ts'
import { cancelObstacle, orderPaymentLifecycle } from '../../orders/lifecycle.ts'
import { recordOrderPaid } from '../../orders/operator.ts'
import type { OrderFacts } from '../../orders/view.ts'
import { isAwaitedFromProvider, paymentLifecycle } from '../../payments/lifecycle.ts'
import type { ProviderOutcome } from '../../payments/port.ts'
import { checksAnswered, nextTryAt } from '../../payments/schedule.ts'
import {
  lockPayment,
  makeRefundsDue,
  type PaymentRow,
  queueVoid,
  type RefundRow,
  savePayment,
} from '../../payments/store.ts'
import type { PayTools } from '../tools.ts'
import { recordOutcomeAfterEnd } from './late.ts'
import type { PaymentOutcome } from './settlement.ts'

const hourMs = 3_600_000

// Direct debits take days: the first look-up is after an hour, then one every six hours.
export function pendingCheckAt(now: number, isFirst: boolean): number {
  return now + (isFirst ? hourMs : 6 * hourMs)
}

export interface LockedAwaitedPayment {
  found: OrderFacts
  payment: PaymentRow
}

// The order is locked before its payment, as everywhere.
export async function lockAwaitedPayment(
  tx: Tx,
  { installationId, id, orderId }: PaymentRow,
): Promise<LockedAwaitedPayment> {
  const found = await lockOrderFacts(tx, { installationId, orderId: orderId ?? '' })
  const payment = await lockPayment(tx, installationId, id)
  if (!found || !payment) throw new Error(`payment ${id} or its order does not exist`)
  return { found, payment }
}

export async function recordAwaitedOutcome(
  tools: PayTools,
  tx: Tx,
  { found, payment }: LockedAwaitedPayment,
  outcome: PaymentOutcome,
): Promise<void> {
  const key = { installationId: payment.installationId, orderId: found.order.id }
  if (!isAwaitedFromProvider(payment)) return recordOutcomeAfterEnd(tools, tx, payment, outcome)
  const now = tools.clock().getTime()
  const seen = { ...payment, checks: payment.checks + 1, updatedAt: now }
  const isDecided = outcome.kind === 'approved' || (outcome.kind === 'declined' && !outcome.isDoubtful)
  if (isDecided && found.order.paymentStatus !== 'pending') return endCancelled(tools, tx, found, seen, outcome)
  if (outcome.kind === 'approved' && outcome.collected === payment.amount) {
    const { reference, brand, last4, collected } = outcome
    const instrument = outcome.instrument ?? seen.instrument
    await savePayment(tx, { ...seen, checks: checksAnswered, reference, brand, last4, instrument, collected })
    await recordOrderPaid(tx, key, { now, cause: null })
  } else if (outcome.kind === 'declined' && !outcome.isDoubtful) await giveUp(tools, tx, found, seen)
  else if (outcome.kind === 'unknown') await savePayment(tx, { ...seen, checkAt: nextTryAt(seen.checks, now) })
  else {
    warnOfAmountMismatch(tools, tx, payment, outcome)
    const collected = outcome.kind === 'approved' ? outcome.collected : seen.collected
    await savePayment(tx, { ...seen, checks: checksAnswered, collected, checkAt: pendingCheckAt(now, false) })
  }
}

// The order was cancelled meanwhile. The void that was queued ends the payment, and can be made now.
async function endCancelled(
  tools: PayTools,
  tx: Tx,
  { refunds }: OrderFacts,
  payment: PaymentRow,
  outcome: ProviderOutcome,
): Promise<void> {
  const now = payment.updatedAt
  warnOfAmountMismatch(tools, tx, payment, outcome)
  const { reference, collected } = outcome.kind === 'approved' ? outcome : payment
  await savePayment(tx, { ...payment, reference, collected, checkAt: null })
  // Queues the void again if it was refused while the money was on its way.
  await queueVoid(tx, payment, { id: newId('rfd'), reason: null }, now)
  const isQueued = ({ paymentId, kind, status }: RefundRow) =>
    paymentId === payment.id && kind === 'void' && status === 'pending'
  makeRefundsDue(tx, refunds.filter(isQueued), now)
}

// The money will not arrive. An order that was not sent is cancelled; for an order that was sent, only the payment ends.
async function giveUp(tools: PayTools, tx: Tx, found: OrderFacts, payment: PaymentRow): Promise<void> {
  const now = payment.updatedAt
  const moment = { now, cause: null }
  const voided = moveFor(paymentLifecycle, 'void', payment.status)
  const unpaid = moveFor(orderPaymentLifecycle, 'void', found.order.paymentStatus)
  if (!voided || !unpaid) throw new Error(`payment ${payment.id} is ${payment.status} and cannot be ended as unpaid`)
  const ended = { ...payment, status: voided.to, checkAt: null }
  await savePayment(tx, ended)
  const payments = found.payments.map((known) => (known.id === ended.id ? ended : known))
  if (!cancelObstacle(found.order)) {
    const input = { verb: 'cancel', by: 'system', reason: 'other', note: null, restocked: 'all' } as const
    await cancelLockedOrder(tx, { ...found, payments }, input, moment)
    return
  }
  const order = { paymentStatus: unpaid.to }
  recordOrderChange(tx, { ...found, payments }, { order, timeline: ['voided'] }, moment)
  const facts = { provider: payment.provider, paymentId: payment.id }
  const message = 'awaited payment failed after its order was sent; collect the money or take the order back'
  tx.afterCommit(() => tools.watch.error('pending_failed', message, facts))
}

export function warnOfAmountMismatch(tools: PayTools, tx: Tx, payment: PaymentRow, outcome: ProviderOutcome): void {
  if (outcome.kind !== 'approved' || outcome.collected === payment.amount) return
  const facts = { provider: payment.provider, paymentId: payment.id }
  const more = { amount: payment.amount, collected: outcome.collected }
  const message =
    'payment provider collected another amount than requested; nothing is recorded, so check the payment at the provider'
  tx.afterCommit(() => tools.watch.warn('amount_differs', message, facts, more))
}
