// Records what a provider reports about a payment: refunds that others made at the provider, and refunds of ours that failed after they
// had succeeded. The caller has locked the order and the payment.

import { newId } from '../../platform/kit/ids.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import type { ProviderState } from '../payments/port.ts'
import { type ForeignRefund, type ProviderStatePlan, planProviderState } from '../payments/providerstate.ts'
import {
  failPaidRefund,
  insertForeignRefund,
  listMovedPayments,
  listRefundsAtProvider,
  makeRefundsDue,
  type PaymentRow,
  type RefundRow,
  replaceRefund,
  saveRefundReferences,
} from '../payments/store.ts'
import { lockOrderFacts } from './change.ts'
import { orderPaymentLifecycle, refundVerb } from './lifecycle.ts'
import { announceEditRefund, announceRefundEnded, queueRefundEmail } from './refunds.ts'
import { lowerRefunded, raiseRefunded } from './store.ts'
import { type OrderFacts, refundSums } from './view.ts'

export async function recordProviderState(
  tx: Tx,
  facts: OrderFacts | undefined,
  payment: PaymentRow,
  providerState: ProviderState,
  now: number,
): Promise<ProviderStatePlan> {
  const refunds = await listRefundsAtProvider(tx, payment.installationId, payment.id)
  const plan = planProviderState(payment, refunds, providerState.refunds, now)
  let known = facts
  for (const { refund, reference } of plan.failed) known = await recordFailed(tx, known, refund, reference, now)
  await saveRefundReferences(tx, plan.named)
  for (const foreign of plan.foreign) {
    const moved = await findMoved(tx, known, payment, foreign)
    if (moved) await recordForeign(tx, moved.facts, moved.payment, foreign, now)
    else known = await recordForeign(tx, known, payment, foreign, now)
  }
  makeRefundsDue(tx, plan.ended, now)
  return plan
}

// If the refund does not fit this order, finds another order that it fits: one to which money of the payment was moved.
async function findMoved(
  tx: Tx,
  facts: OrderFacts | undefined,
  { installationId, id }: PaymentRow,
  { amount, instead }: ForeignRefund,
): Promise<{ facts: OrderFacts; payment: PaymentRow } | undefined> {
  if (!facts) return undefined
  const isOwn = instead === null ? isBooked(facts, amount) : instead.orderId === facts.order.id
  if (isOwn) return undefined
  for (const payment of await listMovedPayments(tx, installationId, id)) {
    const { orderId } = payment
    const other = orderId === null ? undefined : await lockOrderFacts(tx, { installationId, orderId })
    if (other && (instead === null ? isBooked(other, amount) : instead.orderId === orderId))
      return { facts: other, payment }
  }
  return undefined
}

// A failed refund is not repeated automatically: a person must refund again.
async function recordFailed(
  tx: Tx,
  facts: OrderFacts | undefined,
  refund: RefundRow,
  reference: string,
  now: number,
): Promise<OrderFacts | undefined> {
  const failed = await failPaidRefund(tx, refund, reference, now)
  queueRefundEmail(tx, failed, 'failed', now)
  if (!facts || failed.orderId === null || failed.kind !== 'refund') return facts
  const key = { installationId: failed.installationId, orderId: failed.orderId }
  if (failed.orderId === facts.order.id) return announceFailed(tx, facts, failed, now)
  // The refunded money was moved to another order before.
  const other = await lockOrderFacts(tx, key)
  if (other) await announceFailed(tx, other, failed, now)
  return facts
}

async function announceFailed(tx: Tx, facts: OrderFacts, failed: RefundRow, now: number): Promise<OrderFacts> {
  const key = { installationId: facts.order.installationId, orderId: facts.order.id }
  const refunds = facts.refunds.map((kept) => (kept.id === failed.id ? failed : kept))
  if (failed.editId !== null) return announceEditRefund(tx, { ...facts, refunds }, 'failed', now)
  const refunded = await lowerRefunded(tx, key, failed.amount)
  if (refunded === undefined)
    throw new Error(`the failed refund of order ${key.orderId} is more than its refunded amount`)
  const known = { ...facts, order: { ...facts.order, refunded }, refunds }
  return announceRefundEnded(tx, known, { refundId: failed.id, outcome: 'failed' }, now)
}

// Records a refund that was made at the provider. If the payment has no order, or the refund cannot be booked on it (`isBooked`), the
// order does not change.
async function recordForeign(
  tx: Tx,
  facts: OrderFacts | undefined,
  payment: PaymentRow,
  { reference, amount, instead }: ForeignRefund,
  now: number,
): Promise<OrderFacts | undefined> {
  const { installationId, merchantId, id: paymentId, currency } = payment
  // Set if the refund of an edit failed here and was then made at the provider.
  const editId = instead?.replacedBy === null ? instead.editId : null
  const orderId = facts && (editId !== null || isBooked(facts, amount)) ? facts.order.id : null
  const made = { installationId, id: newId('rfd'), merchantId, orderId, paymentId, amount, currency, reference, editId }
  const refund = await insertForeignRefund(tx, made, now)
  queueRefundEmail(tx, refund, 'succeeded', now)
  if (instead && instead.replacedBy === null) replaceRefund(tx, instead, refund.id)
  if (!facts || orderId === null) return facts
  if (editId !== null)
    return announceEditRefund(tx, { ...facts, refunds: [...facts.refunds, refund] }, 'succeeded', now)
  const refunded = await raiseRefunded(tx, { installationId, orderId }, amount)
  if (refunded === undefined) throw new Error(`the refunds of order ${orderId} are more than what was paid`)
  const order = { ...facts.order, refunded }
  const known = { ...facts, order, refunds: [...facts.refunds, refund] }
  return announceRefundEnded(tx, known, { refundId: refund.id, outcome: 'succeeded' }, now)
}

function isBooked({ order, refunds }: OrderFacts, amount: number): boolean {
  // After an edit that lowered the total, refunds at the provider may exceed the total.
  if (order.refunded + amount > order.total) return false
  const { back, pending } = refundSums(refunds)
  const verb = refundVerb('succeeded', { total: order.total, back: back + amount, pending })
  return moveFor(orderPaymentLifecycle, verb, order.paymentStatus) !== undefined
}
