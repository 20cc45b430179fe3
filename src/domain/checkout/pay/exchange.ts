// Payment for an exchange: the shopper pays the difference through a link. Then the new order is placed as agreed, or the money is
// refunded.

import { moveFor } from '../../../platform/kit/lifecycle.ts'
import { Refusal } from '../../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../../platform/storage/storage.ts'
import type { AgreedExchange, ExchangeChange } from '../../carts/pricing.ts'
import { findOrderFacts } from '../../orders/change.ts'
import type { MovedMoney, MovedPart } from '../../orders/refunds.ts'
import { refundableAmount } from '../../orders/spread.ts'
import type { OrderRow } from '../../orders/store.ts'
import type { OrderFacts } from '../../orders/view.ts'
import { paymentLifecycle } from '../../payments/lifecycle.ts'
import { copyLocale, insertPayment, type PaymentRow } from '../../payments/store.ts'
import type { ReturnRefund } from '../../returns/amounts.ts'
import { changeReturn } from '../../returns/change.ts'
import { recordExchange } from '../../returns/exchange.ts'
import { previewReturnRefund } from '../../returns/refund.ts'
import { findReturn, type ReturnFacts } from '../../returns/store.ts'
import type { SessionRow } from '../store.ts'

export interface Exchangeable {
  facts: ReturnFacts
  order: OrderFacts
  refund: ReturnRefund
}

// Returns undefined if the returned items no longer have the agreed value: they were refunded or exchanged, or are no longer expected.
export async function findAgreedExchange(
  db: Reader,
  installationId: string,
  { orderId, exchange }: ExchangeChange,
): Promise<Exchangeable | undefined> {
  const { returnId, items, deduction, credit } = exchange
  const [facts, order] = await Promise.all([
    findReturn(db, { installationId, returnId }),
    findOrderFacts(db, { installationId, orderId }),
  ])
  if (!facts || !order || refundableAmount(order) < credit) return undefined
  try {
    const refund = await previewReturnRefund(db, facts, order, { items, shipping: false, deduction })
    return refund.amount === credit ? { facts, order, refund } : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

export async function endExchange(
  tx: Tx,
  { facts }: Exchangeable,
  { moved, placed, paid }: { moved: MovedMoney; placed: OrderRow; paid: number },
  { credit, close }: AgreedExchange,
  now: number,
): Promise<void> {
  const context = { now, cause: null }
  const exchange = { orderId: placed.id, orderNumber: placed.number, credit, refunded: 0, paid }
  const after = await recordExchange(tx, facts, moved, exchange, context)
  if (close) await changeReturn(tx, after, 'close', {}, context)
}

// Records money that is moved from another order as a payment of this session, with the original payment method. It is refunded through
// the original payment.
export function insertMoved(
  tx: Tx,
  session: SessionRow,
  { refund, source, paymentId }: MovedPart,
  now: number,
): PaymentRow {
  const { amount } = refund
  const { installationId, merchantId, mode, id: checkoutSessionId } = session
  const { provider, method, currency, brand, last4, instrument } = source
  const payment = insertPayment(
    tx,
    {
      ...{ installationId, id: paymentId, merchantId, mode, checkoutSessionId, provider, method, amount, currency },
      movedFrom: source.movedFrom ?? source.id,
      checkAt: null,
    },
    now,
  )
  copyLocale(tx, payment, source.id)
  const move = moveFor(paymentLifecycle, 'collect', payment.status)
  if (!move) throw new Error(`payment ${payment.id} is ${payment.status} and cannot be collected`)
  return { ...payment, status: move.to, brand, last4, instrument }
}
