// The money of an exchange: the amount paid for returned items pays another order. The caller must have locked the order of the return.

import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { type MovedMoney, moveMoneyToOrder } from '../orders/refunds.ts'
import type { OrderFacts } from '../orders/view.ts'
import type { ReturnRefund } from './amounts.ts'
import { changeReturn } from './change.ts'
import { refundedLinesOf } from './refund.ts'
import { insertExchange, insertReturnRefund, type ReturnExchangeRow, type ReturnFacts } from './store.ts'

export async function moveReturnCredit(
  tx: Tx,
  { facts, order }: { facts: ReturnFacts; order: OrderFacts },
  refund: ReturnRefund,
  context: ChangeContext,
): Promise<MovedMoney> {
  const { amount } = refund
  const moved = await moveMoneyToOrder(tx, order, { amount, lines: refundedLinesOf(refund) }, context)
  if (!moved || moved.parts.length === 0)
    throw new Error(`the payments of order ${order.order.id} do not have ${amount} minor units left to refund`)
  for (const part of moved.parts) insertReturnRefund(tx, facts.row, part.refund.id)
  return moved
}

// Called after the new order was placed.
export async function recordExchange(
  tx: Tx,
  facts: ReturnFacts,
  { parts }: MovedMoney,
  exchange: Omit<ReturnExchangeRow, 'at'>,
  context: ChangeContext,
): Promise<ReturnFacts> {
  const [first] = parts
  if (!first) throw new Error(`no payment was moved to order ${exchange.orderId}`)
  const row = { ...exchange, at: context.now }
  insertExchange(tx, facts.row, row, first.refund.id)
  return changeReturn(tx, facts, 'exchange', { exchanges: [...facts.exchanges, row] }, context)
}
