// Refunds. A refund is queued in the transaction in which it becomes due, never above the paid amount, and is paid by a job. Its outcome
// is recorded here.

import type { RefundStatus } from '../../contract/words.ts'
import { newId } from '../../platform/kit/ids.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import { queueEmails } from '../../platform/outbox/emails.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { paymentLifecycle } from '../payments/lifecycle.ts'
import {
  insertRefund,
  lockPayment,
  type PaymentRow,
  type RefundRow,
  replaceFailedRefunds,
  savePayment,
  saveRefund,
} from '../payments/store.ts'
import { announceOrderChange, lockOrderFacts } from './change.ts'
import { editRefundEvents, orderPaymentLifecycle, refundVerb } from './lifecycle.ts'
import { type RefundShare, splitLinesByShare, splitRefund } from './spread.ts'
import { insertRefundedLine, lowerRefunded, queueDocument, type RefundedLine, raiseRefunded } from './store.ts'
import { type OrderFacts, refundSums } from './view.ts'

export interface QueuedRefunds {
  // One refund for each payment that is refunded.
  refunds: readonly [RefundRow, ...RefundRow[]]
  // The order with its new status, and the new refunds among its refunds.
  facts: OrderFacts
}

// Returns undefined if nothing was paid, or less than the amount is left. The new refunds replace failed refunds.
export async function queueRefund(
  tx: Tx,
  facts: OrderFacts,
  { amount, reason, lines = [] }: { amount: number; reason: string | null; lines?: readonly RefundedLine[] },
  { now }: ChangeContext,
): Promise<QueuedRefunds | undefined> {
  const { order } = facts
  const key = { installationId: order.installationId, orderId: order.id }
  const move = moveFor(orderPaymentLifecycle, 'queue', order.paymentStatus)
  const shares = amount < 1 ? [] : splitRefund(facts, amount)
  if (!move || shares.length === 0) return undefined
  const refunded = await raiseRefunded(tx, key, amount)
  if (refunded === undefined) return undefined
  const refunds = await insertShares(tx, facts, shares, { reason, editId: null }, now)
  for (const [at, part] of splitLinesByShare(shares, lines).entries())
    for (const line of part) insertRefundedLine(tx, key, (refunds[at] ?? refunds[0]).id, line)
  return {
    refunds,
    facts: { ...facts, order: { ...order, refunded, paymentStatus: move.to }, refunds: [...facts.refunds, ...refunds] },
  }
}

// Queues a refund of what is paid above the total after an edit or an exchange. The order stays paid. Returns undefined if less than the
// amount is left.
export async function queueEditRefund(
  tx: Tx,
  facts: OrderFacts,
  { amount, editId, reason }: { amount: number; editId: string; reason: string | null },
  now: number,
): Promise<QueuedRefunds['refunds'] | undefined> {
  const shares = splitRefund(facts, amount)
  return shares.length === 0 ? undefined : insertShares(tx, facts, shares, { reason, editId }, now)
}

async function insertShares(
  tx: Tx,
  { order }: OrderFacts,
  shares: readonly RefundShare[],
  of: { reason: string | null; editId: string | null },
  now: number,
): Promise<QueuedRefunds['refunds']> {
  const { installationId, merchantId, id: orderId, currency } = order
  const rows: RefundRow[] = []
  for (const { paymentId, amount } of shares) {
    const partOf = rows[0]?.id ?? null
    const share = {
      installationId,
      merchantId,
      orderId,
      currency,
      paymentId,
      amount,
      kind: 'refund',
      partOf,
      ...of,
    } as const
    rows.push(await insertRefund(tx, { ...share, id: newId('rfd') }, now))
  }
  const [first, ...others] = rows
  if (!first) throw new Error(`the refund of order ${orderId} has no amount`)
  replaceFailedRefunds(tx, first)
  return [first, ...others]
}

export interface MovedMoney {
  facts: OrderFacts
  parts: readonly MovedPart[]
}

export interface MovedPart {
  refund: RefundRow
  // `source`: the payment of this order from which the money is moved. `paymentId`: the payment of the other order that it becomes.
  source: PaymentRow
  paymentId: string
}

// Moves money of this order to another order, as a payment of that order. No provider is called, so the refund ends immediately, and no
// e-mail about it is sent. Returns undefined if less than the amount is left.
export async function moveMoneyToOrder(
  tx: Tx,
  found: OrderFacts,
  { amount, lines }: { amount: number; lines: readonly RefundedLine[] },
  context: ChangeContext,
): Promise<MovedMoney | undefined> {
  const { now } = context
  const queued = await queueRefund(tx, found, { amount, reason: null, lines }, context)
  if (!queued) return undefined
  const parts: MovedPart[] = []
  let { facts } = queued
  for (const pending of queued.refunds) {
    const source = found.payments.find(({ id }) => id === pending.paymentId)
    if (!source) throw new Error(`payment ${pending.paymentId} does not belong to order ${found.order.id}`)
    const paymentId = newId('pay')
    const ended = { status: 'succeeded', tryAt: null, paidByHandAt: now, movedTo: paymentId, updatedAt: now } as const
    const refund = { ...pending, ...ended }
    await saveRefund(tx, refund)
    const refunds = facts.refunds.map((kept) => (kept.id === refund.id ? refund : kept))
    facts = announceRefundEnded(tx, { ...facts, refunds }, { refundId: refund.id, outcome: ended.status }, now)
    parts.push({ refund, source, paymentId })
  }
  return { facts, parts }
}

// Called when a refund has ended, in the transaction that writes the outcome: by the job or command that pays refunds, or because the
// operator paid the refund by hand.
export async function recordRefundEnd(
  tx: Tx,
  refund: RefundRow,
  outcome: Exclude<RefundStatus, 'pending'>,
  now: number,
): Promise<void> {
  queueRefundEmail(tx, refund, outcome, now)
  if (refund.kind === 'void') return outcome === 'succeeded' ? voidPayment(tx, refund, now) : undefined
  if (refund.orderId === null) return
  const key = { installationId: refund.installationId, orderId: refund.orderId }
  const found = await lockOrderFacts(tx, key)
  if (!found) throw new Error(`the order ${key.orderId} of refund ${refund.id} does not exist`)
  // The row of the refund may not contain the outcome yet.
  const refunds = found.refunds.map((kept) => (kept.id === refund.id ? { ...kept, status: outcome } : kept))
  if (refund.editId !== null) {
    announceEditRefund(tx, { ...found, refunds }, outcome, now)
    return
  }
  // A failed refund is not repeated automatically: the operator must refund again.
  const refunded = outcome === 'failed' ? await lowerRefunded(tx, key, refund.amount) : found.order.refunded
  if (refunded === undefined)
    throw new Error(`the failed refund of order ${key.orderId} is more than its refunded amount`)
  const facts = { ...found, order: { ...found.order, refunded }, refunds }
  announceRefundEnded(tx, facts, { refundId: refund.id, outcome }, now)
}

// Queues no document: documents were created with the edit.
export function announceEditRefund(
  tx: Tx,
  facts: OrderFacts,
  outcome: Exclude<RefundStatus, 'pending'>,
  now: number,
): OrderFacts {
  const timeline = outcome === 'failed' ? (['refund_failed'] as const) : []
  return announceOrderChange(tx, facts, { kind: editRefundEvents[outcome], timeline }, { now, cause: null })
}

export interface EndedRefund {
  refundId: string
  outcome: Exclude<RefundStatus, 'pending'>
}

// Changes the payment status of the order after a refund has ended, announces that, and queues a document.
export function announceRefundEnded(
  tx: Tx,
  facts: OrderFacts,
  { refundId, outcome }: EndedRefund,
  now: number,
): OrderFacts {
  const { order, refunds } = facts
  const cause = outcome === 'failed' ? 'refund_failed' : 'refund_paid'
  queueDocument(tx, order, { cause, causeId: refundId, at: now })
  const verb = refundVerb(outcome, { total: order.total, ...refundSums(refunds) })
  const move = moveFor(orderPaymentLifecycle, verb, order.paymentStatus)
  if (!move)
    throw new Error(
      `the payment status of order ${order.id} is ${order.paymentStatus}, which does not allow the end of a refund`,
    )
  const back = move.to === 'refunded' ? 'refunded' : 'partially_refunded'
  const timeline = [outcome === 'failed' ? 'refund_failed' : back] as const
  const change = { kind: move.announces, order: { paymentStatus: move.to }, timeline }
  return announceOrderChange(tx, facts, change, { now, cause: null })
}

// A void sends no e-mail when it succeeds: the shopper gets one when the void is queued, or about the cancelled order.
export function queueRefundEmail(
  tx: Tx,
  refund: RefundRow,
  outcome: Exclude<RefundStatus, 'pending'>,
  now: number,
): void {
  if (outcome === 'succeeded' && (refund.kind === 'void' || refund.orderId === null)) return
  const kind = outcome === 'failed' ? 'refund_failed' : 'refunded'
  queueEmails(tx, refund, [{ kind, subjectId: refund.id }], now)
}

// The operator has paid the refund without the provider, for example because the card was closed.
export async function markRefundPaidByHand(tx: Tx, queued: RefundRow, now: number): Promise<void> {
  const refund = { ...queued, status: 'succeeded', tryAt: null, paidByHandAt: now, updatedAt: now } as const
  await saveRefund(tx, refund)
  await recordRefundEnd(tx, refund, 'succeeded', now)
}

// Whether the refund has failed and a person must refund again.
export function needsNewRefund({ status, replacedBy }: RefundRow): boolean {
  return status === 'failed' && replacedBy === null
}

// A voided payment is not announced: its order was announced as cancelled, or was never placed.
async function voidPayment(tx: Tx, { installationId, paymentId }: RefundRow, now: number): Promise<void> {
  const payment = await lockPayment(tx, installationId, paymentId)
  const move = payment && moveFor(paymentLifecycle, 'void', payment.status)
  if (move) await savePayment(tx, { ...payment, status: move.to, checkAt: null, updatedAt: now })
}
