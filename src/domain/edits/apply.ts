// Applies an edit: lines, amounts, stock, payments, documents and the event are written in one transaction. The caller must have locked
// the order.

import { moveFor } from '../../platform/kit/lifecycle.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import { queueEmails } from '../../platform/outbox/emails.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { lockQueuedCause } from '../documents/store.ts'
import { removeFromSale, sellStock } from '../inventory/sales.ts'
import { lockStockRowsFor } from '../inventory/store.ts'
import { announceOrderChange } from '../orders/change.ts'
import { fulfillmentStatusFor, orderLifecycle } from '../orders/lifecycle.ts'
import { announceFulfilled } from '../orders/operator.ts'
import { queueEditRefund } from '../orders/refunds.ts'
import { type OrderRow, queueDocument } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import type { PaymentRow, RefundRow } from '../payments/store.ts'
import { type EditPart, type EditPlan, isOfSku } from './plan.ts'
import { collectDifference } from './received.ts'
import { deleteOrderLine, insertEdit, putOrderLine, saveAwaitedAmount, saveOrderAmounts } from './store.ts'

export interface AppliedEdit {
  facts: OrderFacts
  // One refund for each payment from which the difference is refunded; empty if nothing is refunded.
  refunds: readonly RefundRow[]
}

export interface OrderEdit {
  id: string
  plan: EditPlan
  // The payment of the difference, and the session that holds the added units. Undefined if the difference is not paid by a link.
  paid?: { payment: PaymentRow; sessionId: string }
}

export async function applyOrderEdit(
  tx: Tx,
  found: OrderFacts,
  { id: editId, plan, paid }: OrderEdit,
  context: ChangeContext,
): Promise<AppliedEdit> {
  const { parts, difference } = plan
  const move = moveFor(orderLifecycle, 'edit', found.order.status)
  if (!move) throw new Error(`order ${found.order.id} is ${found.order.status} and cannot be edited`)
  const isAwaited = found.order.paymentStatus === 'pending'
  const reduced = found.order.reduced + (isAwaited ? 0 : Math.max(0, -difference))
  const order: OrderRow = { ...plan.order, reduced }
  // Comes first, because moving the stock can be refused.
  await moveStock(tx, order, plan, { ...context, holder: paid?.sessionId ?? order.id })
  insertEdit(tx, order, {
    ...{ id: editId, totalBefore: found.order.total, totalAfter: order.total, parts, createdAt: context.now },
  })
  saveOrderAmounts(tx, order)
  writeLines(tx, found, plan)
  const payments = paid ? [...found.payments, paid.payment] : await paymentsWith(tx, found, plan, context)
  const given = isAwaited || difference >= 0 ? [] : await giveBack(tx, found, { editId, amount: -difference }, context)
  if (!isAwaited) await queueDocuments(tx, order, editId, plan, context)
  const email = {
    kind: 'order_edited',
    subjectId: editId,
    facts: { moneyBack: given.length > 0 ? -difference : 0 },
  } as const
  queueEmails(tx, { ...order, orderId: order.id }, [email], context.now)
  const refunds = [...found.refunds, ...given]
  const lines = plan.lines
  const timeline = given.length > 0 ? (['edited', 'refund_started'] as const) : (['edited'] as const)
  const edited = announceOrderChange(
    tx,
    { ...found, order, lines, payments, refunds },
    { kind: move.announces, order: { status: move.to }, timeline },
    context,
  )
  const isSent = fulfillmentStatusFor(lines) === 'fulfilled'
  return { facts: isSent ? announceFulfilled(tx, edited, context) : edited, refunds: given }
}

// All stock rows are locked in one statement, in the order of their ids, because two edits may swap the same items in opposite
// directions.
async function moveStock(
  tx: Tx,
  order: OrderRow,
  { parts }: EditPlan,
  { holder, ...context }: ChangeContext & { holder: string },
): Promise<void> {
  const removed = parts.removed.filter(isOfSku)
  const added = parts.added.filter(isOfSku)
  const skuIds = [...removed, ...added].map(({ skuId }) => skuId)
  if (skuIds.length === 0) return
  await lockStockRowsFor(tx, order, holder, skuIds)
  const [short] = added.length > 0 ? await sellStock(tx, order, holder, added, { ...context, soldTo: order.id }) : []
  if (short) throw refuse('insufficient_stock', { current: { ...short } })
  if (removed.length > 0) await removeFromSale(tx, order, order.id, removed, context)
}

function writeLines(tx: Tx, found: OrderFacts, { order, lines, parts }: EditPlan): void {
  const changed = new Set([...parts.removed, ...parts.added].map(({ skuId }) => skuId))
  for (const line of lines) if (changed.has(line.skuId)) putOrderLine(tx, order, line)
  const left = new Set(lines.map(({ skuId }) => skuId))
  for (const { skuId } of found.lines) if (!left.has(skuId)) deleteOrderLine(tx, order, skuId)
}

async function paymentsWith(
  tx: Tx,
  found: OrderFacts,
  { order, difference }: EditPlan,
  context: ChangeContext,
): Promise<readonly PaymentRow[]> {
  if (found.order.paymentStatus === 'pending') return awaitedWith(tx, found, order.total)
  return difference > 0 ? collectDifference(tx, found, difference, context) : found.payments
}

function awaitedWith(tx: Tx, { order, payments }: OrderFacts, amount: number): PaymentRow[] {
  return payments.map((payment) => {
    if (payment.status !== 'pending') return payment
    saveAwaitedAmount(tx, order.installationId, payment.id, amount)
    return { ...payment, amount }
  })
}

async function giveBack(
  tx: Tx,
  found: OrderFacts,
  { editId, amount }: { editId: string; amount: number },
  { now }: ChangeContext,
): Promise<readonly RefundRow[]> {
  const refunds = await queueEditRefund(tx, found, { amount, editId, reason: null }, now)
  if (!refunds) throw new Error(`order ${found.order.id} does not have ${amount} minor units left to refund`)
  return refunds
}

// An invoice that is still to be created will list the present lines. If the invoice exists already, the removed and the added parts get
// their own documents.
async function queueDocuments(
  tx: Tx,
  order: OrderRow,
  editId: string,
  { parts }: EditPlan,
  { now }: ChangeContext,
): Promise<void> {
  const invoice = { merchantId: order.merchantId, cause: 'order_paid', causeId: order.id } as const
  if (await lockQueuedCause(tx, invoice)) return
  const costs = (some: readonly EditPart[]) => some.some(({ total }) => total > 0)
  if (costs(parts.removed)) queueDocument(tx, order, { cause: 'refund_paid', causeId: editId, at: now })
  if (costs(parts.added)) queueDocument(tx, order, { cause: 'order_paid', causeId: editId, at: now })
}
