// Makes an exchange: the money of the returned items moves to a new order, which is placed and paid with it, and what is left of it is
// owed back, all in one transaction. The caller has locked the order of the return.

import { newId } from '../../platform/kit/ids.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import type { ChangeAsk } from '../carts/change.ts'
import { setAddress } from '../carts/destination.ts'
import { createCart } from '../carts/lines.ts'
import { completeByMoved } from '../checkout/pay/moved.ts'
import { openSession } from '../checkout/sessions.ts'
import type { PayTools } from '../checkout/tools.ts'
import { ownPricesOf } from '../drafts/preview.ts'
import { findOrderFacts, noteChange } from '../orders/change.ts'
import { moveMoney, queueEditRefund } from '../orders/refunds.ts'
import { type OrderRow, saveReduced } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import type { RefundRow } from '../payments/store.ts'
import { changeReturn } from '../returns/change.ts'
import { refundedLinesOf } from '../returns/refund.ts'
import { insertExchange, insertReturnRefund, type ReturnFacts } from '../returns/store.ts'
import type { ExchangePlan, ExchangeWish } from './plan.ts'

export interface Exchanged {
  facts: ReturnFacts
  // The order of the return as it is now, and the refund of it that became a payment.
  order: OrderFacts
  credit: RefundRow
  placed: OrderFacts
  // Of the new order; null where nothing is left.
  refund: RefundRow | null
}

export async function exchangeReturn(
  tools: PayTools,
  tx: Tx,
  { facts, order }: { facts: ReturnFacts; order: OrderFacts },
  { plan, newItems }: { plan: ExchangePlan; newItems: ExchangeWish['newItems'] },
  context: ChangeContext,
): Promise<Exchanged> {
  const { row } = facts
  const { credit: amount, total, moneyBack } = plan.balance
  const { installationId } = row
  const paymentId = newId('pay')
  const moved = await moveMoney(tx, order, { amount, lines: refundedLinesOf(plan.refund), paymentId }, context)
  if (!moved) throw new Error(`no payment of order ${row.orderId} has ${amount} left`)
  insertReturnRefund(tx, row, moved.refund.id)
  const sessionId = await openFor(tools, tx, order.order, { plan, newItems }, context)
  const paid = { key: { installationId, sessionId }, total, amount, paymentId, source: moved.source, ...context }
  const orderId = await completeByMoved(tools, tx, paid)
  const placed = await findOrderFacts(tx, { installationId, orderId })
  if (!placed) throw new Error(`order ${orderId} is gone`)
  const refund = moneyBack > 0 ? await giveBack(tx, placed, { amount: moneyBack, returnId: row.id }, context) : null
  const exchange = { orderId, orderNumber: placed.order.number, credit: amount, refunded: moneyBack, at: context.now }
  insertExchange(tx, row, exchange, moved.refund.id)
  const exchanges = [...facts.exchanges, exchange]
  const after = await changeReturn(tx, facts, 'exchange', { exchanges }, context)
  return { facts: after, order: moved.facts, credit: moved.refund, placed, refund }
}

// Long enough for this transaction: the session is completed in it.
const lifeSeconds = 60

async function openFor(
  tools: PayTools,
  tx: Tx,
  { installationId, merchantId, mode, locale }: OrderRow,
  { plan, newItems }: { plan: ExchangePlan; newItems: ExchangeWish['newItems'] },
  context: ChangeContext,
): Promise<string> {
  const caller = { installationId, merchantId, mode }
  const asked = { db: tx, caller, now: new Date(context.now), cause: context.cause }
  const items = newItems.map(({ skuId, quantity }) => ({ skuId, quantity }))
  const own = { terms: plan.terms, prices: ownPricesOf(newItems) }
  const { cart } = await createCart(tools.carts, { ...asked, items, metadata: {}, own })
  const change: ChangeAsk = { ...asked, cartId: cart.id, expectedVersion: undefined }
  const { rootSecret } = tools
  if (plan.address) await setAddress(tools.carts, change, { rootSecret, address: plan.address })
  const { email = '', name = '', phone = '' } = plan.customer ?? {}
  const customer = { ...(email && { email }), ...(name && { name }), ...(phone && { phone }) }
  const body = { cartId: cart.id, successUrl: '', customer, locale, expiresInSeconds: lifeSeconds }
  return (await openSession(tools, { ...asked, isOwn: true, body })).id
}

// Owed like what an edit leaves: the new order stays paid.
async function giveBack(
  tx: Tx,
  placed: OrderFacts,
  { amount, returnId }: { amount: number; returnId: string },
  context: ChangeContext,
): Promise<RefundRow> {
  const { installationId, id: orderId, number } = placed.order
  saveReduced(tx, { installationId, orderId }, amount)
  const refund = await queueEditRefund(tx, placed, { amount, editId: returnId, reason: null }, context.now)
  if (!refund) throw new Error(`no payment of order ${number} has ${amount} left`)
  noteChange(tx, placed, { timeline: ['refund_started'] }, context)
  return refund
}
