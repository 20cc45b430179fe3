// Cancels an order: one transaction writes the status, the stock, the use of the promotion, the refund that becomes due, and the event.

import type { OrderCancellationReason, OrderCanceller } from '../../contract/words.ts'
import { newId } from '../../platform/kit/ids.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import { queueEmails } from '../../platform/outbox/emails.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { restockSale } from '../inventory/sales.ts'
import type { StockLine } from '../inventory/stock.ts'
import { queueVoid } from '../payments/store.ts'
import { releasePromotionUse } from '../promotions/store.ts'
import { announceOrderChange, lockOrderFacts } from './change.ts'
import { cancelObstacle, orderLifecycle, orderPaymentLifecycle } from './lifecycle.ts'
import { queueRefund } from './refunds.ts'
import { type CancellationRow, endPromotionUse, expireChanges, type OrderKey, type OrderRow } from './store.ts'
import type { OrderFacts } from './view.ts'

export interface CancelInput {
  by: OrderCanceller
  expectedVersion: number | undefined
  reason: OrderCancellationReason | null
  note: string | null
  isRestocked: boolean
  // Whether an order that is being processed can also be cancelled. Only the merchant may do so, and only before anything is sent.
  alsoProcessing?: true
}

// Returns the cancelled order.
export async function cancelOrder(
  tx: Tx,
  key: OrderKey,
  input: CancelInput,
  context: ChangeContext,
): Promise<OrderFacts> {
  const found = await lockOrderFacts(tx, key)
  if (!found) throw refuse('order_not_found')
  refuseUncancellable(found.order, input)
  const { by, reason, note, isRestocked } = input
  return cancelLockedOrder(
    tx,
    found,
    { verb: 'cancel', by, reason, note, restocked: isRestocked ? 'all' : [] },
    context,
  )
}

interface FoundInput extends Pick<CancelInput, 'by' | 'reason' | 'note'> {
  verb: 'cancel' | 'return'
  // Items to restock.
  restocked: readonly StockLine[] | 'all'
}

// The caller has locked the order and checked that it can be cancelled.
export async function cancelLockedOrder(
  tx: Tx,
  found: OrderFacts,
  input: FoundInput,
  context: ChangeContext,
): Promise<OrderFacts> {
  const { order } = found
  const move = moveFor(orderLifecycle, input.verb, order.status)
  if (!move) throw new Error(`order ${order.id} is ${order.status} and does not allow ${input.verb}`)

  // Checkout sessions are locked before stock.
  expireChanges(tx, order, context.now)
  await giveBackUse(tx, order, context)
  const restocked =
    input.restocked.length > 0
      ? await restockSale(tx, order, order.id, input.restocked === 'all' ? null : input.restocked, context)
      : []
  const { facts, refundId, timeline } =
    move.due === 'money_back' ? await queueMoneyBack(tx, found, input, context) : nothingDue(found)
  const cancellation: CancellationRow = {
    id: newId('can'),
    by: input.by,
    reason: input.reason,
    note: input.note,
    restocked,
    refundId,
    createdAt: context.now,
  }
  const returned = order.total - order.refunded
  const email = {
    kind: 'order_cancelled',
    subjectId: order.id,
    facts: { by: input.by, moneyBack: timeline.includes('refund_started') ? returned : 0 },
  } as const
  const { installationId, merchantId, id: orderId } = order
  queueEmails(tx, { installationId, merchantId, orderId }, [email], context.now)
  return announceOrderChange(
    tx,
    facts,
    { kind: move.announces, order: { status: move.to, cancellation }, timeline: ['cancelled', ...timeline] },
    context,
  )
}

function refuseUncancellable(
  order: OrderRow,
  { expectedVersion, alsoProcessing }: Pick<CancelInput, 'expectedVersion' | 'alsoProcessing'>,
): void {
  const { status, version } = order
  const reason = cancelObstacle(order)
  if (reason && !(alsoProcessing && reason === 'already_processing'))
    throw refuse('order_not_cancellable', { current: { status, version, reason } })
  if (expectedVersion !== undefined && expectedVersion !== version) {
    const message = `The order is at version ${version}; the request expected ${expectedVersion}.`
    throw refuse('version_conflict', { message, current: { status, version } })
  }
}

// A use can only be ended once, so it cannot be released twice.
async function giveBackUse(tx: Tx, order: OrderRow, { now }: ChangeContext): Promise<void> {
  const { merchantId, promotionId, id } = order
  if (promotionId === null) return
  if (await endPromotionUse(tx, merchantId, { promotionId, orderId: id, now }))
    await releasePromotionUse(tx, order, promotionId)
}

interface MoneyBack {
  facts: OrderFacts
  refundId: string | null
  timeline: readonly ('refund_started' | 'voided')[]
}

function nothingDue(facts: OrderFacts): MoneyBack {
  return { facts, refundId: null, timeline: [] }
}

async function queueMoneyBack(
  tx: Tx,
  facts: OrderFacts,
  input: Pick<CancelInput, 'reason'>,
  context: ChangeContext,
): Promise<MoneyBack> {
  const { order } = facts
  const voiding = moveFor(orderPaymentLifecycle, 'void', order.paymentStatus)
  if (voiding) {
    await queueVoids(tx, facts, context)
    return { facts: { ...facts, order: { ...order, paymentStatus: voiding.to } }, refundId: null, timeline: ['voided'] }
  }
  const amount = order.total - order.refunded
  if (amount === 0) {
    // No amount is left to refund, but a refund may still be pending.
    const last = facts.refunds.findLast(({ kind, status }) => kind === 'refund' && status === 'pending')
    return { facts, refundId: last?.id ?? null, timeline: [] }
  }
  const queued = await queueRefund(tx, facts, { amount, reason: input.reason }, context)
  if (!queued) throw new Error(`order ${order.id} was paid but has no payment to refund`)
  return { facts: queued.facts, refundId: queued.refunds[0].id, timeline: ['refund_started'] }
}

// Pending payments must no longer be collected.
export async function queueVoids(tx: Tx, { payments }: OrderFacts, { now }: ChangeContext): Promise<void> {
  for (const payment of payments) {
    if (payment.status === 'pending') await queueVoid(tx, payment, { id: newId('rfd'), reason: null }, now)
  }
}
