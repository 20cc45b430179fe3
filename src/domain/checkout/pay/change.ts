// Payment for an edit of an order: the shopper pays the difference through a link. Then the order is changed as agreed, or the money is
// refunded.

import { Refusal } from '../../../platform/kit/refuse.ts'
import type { Reader } from '../../../platform/storage/storage.ts'
import { type EditChange, isExchange, type OrderChange } from '../../carts/pricing.ts'
import { applyOrderEdit } from '../../edits/apply.ts'
import { planAgreedEdit } from '../../edits/link.ts'
import { findOrderFacts } from '../../orders/change.ts'
import { listRefundedLines, type OrderRow } from '../../orders/store.ts'
import { queueLabel } from '../../payments/labels.ts'
import { savePayment } from '../../payments/store.ts'
import { findAgreedExchange } from './exchange.ts'
import type { OrderObstacle } from './failures.ts'
import type { Settlement } from './settlement.ts'

// Whether the order is still in the state for which the change was agreed.
export async function isAgreed(db: Reader, installationId: string, change: OrderChange): Promise<boolean> {
  const find = isExchange(change)
    ? findAgreedExchange(db, installationId, change)
    : findAgreedEdit(db, installationId, change)
  return (await find) !== undefined
}

async function findAgreedEdit(db: Reader, installationId: string, change: EditChange) {
  const key = { installationId, orderId: change.orderId }
  const [facts, refunded] = await Promise.all([findOrderFacts(db, key), listRefundedLines(db, key)])
  const edit = facts && planAgreedEdit(facts, refunded, change)
  return edit && { facts, edit }
}

// The caller has locked the order. Returns an obstacle without having written anything if the change is not possible.
export async function applyAgreedEdit(
  { tx, session, payment, now, cause }: Settlement,
  change: EditChange,
): Promise<{ order: OrderRow } | { obstacle: OrderObstacle }> {
  // The order is changed only after the money has arrived.
  if (payment.status !== 'succeeded') return { obstacle: 'not_collected' }
  const agreed = await findAgreedEdit(tx, session.installationId, change)
  if (!agreed) return { obstacle: 'order_changed' }
  const booked = { ...payment, orderId: change.orderId }
  try {
    const paid = { payment: booked, sessionId: session.id }
    const { facts } = await applyOrderEdit(tx, agreed.facts, { ...agreed.edit, paid }, { now, cause })
    await savePayment(tx, booked)
    if (booked.accountId !== null) queueLabel(tx, booked, now)
    return { order: facts.order }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'insufficient_stock') return { obstacle: 'sold_out' }
    throw error
  }
}
