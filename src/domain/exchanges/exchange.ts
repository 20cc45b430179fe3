// Makes an exchange: the money of the returned items moves to a new order, which is placed and paid with that money, and what remains is
// queued as a refund, all in one transaction. The caller must have locked the order of the return.

import type { CheckoutSession } from '../../contract/open/checkout.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { completeSessionByCredit } from '../checkout/pay/moved.ts'
import type { PayTools } from '../checkout/tools.ts'
import { findOrderFacts, recordOrderChange } from '../orders/change.ts'
import { queueEditRefund } from '../orders/refunds.ts'
import { saveReducedAmount } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import type { RefundRow } from '../payments/store.ts'
import { moveReturnCredit, recordExchange } from '../returns/exchange.ts'
import type { ReturnFacts } from '../returns/store.ts'
import { createExchangeCart, openExchangeSession } from './open.ts'
import type { ExchangePlan, ExchangeRequest } from './plan.ts'

export interface ExchangeResult {
  facts: ReturnFacts
  // The order of the return after the exchange, and those of its refunds that became payments of the new order.
  order: OrderFacts
  credits: readonly RefundRow[]
  placed: OrderFacts
  // Refunds of the new order; empty if no money is left over.
  refunds: readonly RefundRow[]
}

export async function exchangeReturn(
  tools: PayTools,
  tx: Tx,
  found: { facts: ReturnFacts; order: OrderFacts },
  { plan, newItems }: { plan: ExchangePlan; newItems: ExchangeRequest['newItems'] },
  context: ChangeContext,
): Promise<ExchangeResult> {
  const { row } = found.facts
  const { credit, total, moneyBack } = plan.balance
  const { installationId } = row
  const moved = await moveReturnCredit(tx, found, plan.refund, context)
  const { id: sessionId } = await openNow(tools, tx, found.order, { plan, newItems }, context)
  const paid = { key: { installationId, sessionId }, total, parts: moved.parts, ...context }
  const orderId = await completeSessionByCredit(tools, tx, paid)
  const placed = await findOrderFacts(tx, { installationId, orderId })
  if (!placed) throw new Error(`order ${orderId} does not exist`)
  const refunds = moneyBack > 0 ? await giveBack(tx, placed, { amount: moneyBack, returnId: row.id }, context) : []
  const exchange = { orderId, orderNumber: placed.order.number, credit, refunded: moneyBack, paid: 0 }
  const after = await recordExchange(tx, found.facts, moved, exchange, context)
  const credits = moved.parts.map(({ refund }) => refund)
  return { facts: after, order: moved.facts, credits, placed, refunds }
}

// Long enough for this transaction, in which the session is completed.
const lifeSeconds = 60

async function openNow(
  tools: PayTools,
  tx: Tx,
  { order }: OrderFacts,
  asked: { plan: ExchangePlan; newItems: ExchangeRequest['newItems'] },
  context: ChangeContext,
): Promise<CheckoutSession> {
  const { cartId } = await createExchangeCart(tools, tx, order, asked, context)
  return openExchangeSession(tools, tx, order, { cartId, customer: asked.plan.customer, seconds: lifeSeconds }, context)
}

// Queued like the refund of an edit, so the new order stays paid.
async function giveBack(
  tx: Tx,
  placed: OrderFacts,
  { amount, returnId }: { amount: number; returnId: string },
  context: ChangeContext,
): Promise<readonly RefundRow[]> {
  const { installationId, id: orderId, number } = placed.order
  saveReducedAmount(tx, { installationId, orderId }, amount)
  const refunds = await queueEditRefund(tx, placed, { amount, editId: returnId, reason: null }, context.now)
  if (!refunds) throw new Error(`the payments of order ${number} do not have ${amount} minor units left to refund`)
  recordOrderChange(tx, placed, { timeline: ['refund_started'] }, context)
  return refunds
}
