// Refunds of a return: the preview, and queueing the refund. The caller must have locked the order.

import type { ItemQuantity } from '../../contract/parts.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { refundAmountFor, refundOrder } from '../orders/operator.ts'
import { needsNewRefund } from '../orders/refunds.ts'
import { listRefundedLines, type RefundedLine } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import type { RefundRow } from '../payments/store.ts'
import { type ReturnRefund, returnRefundFor } from './amounts.ts'
import { returnNotChangeable } from './change.ts'
import { isReturnRefundable } from './lifecycle.ts'
import { insertReturnRefund, listRefundedUnits, type ReturnFacts } from './store.ts'

export interface ReturnRefundRequest {
  // Undefined: all items that are not refunded yet. Before anything was received, these are the expected items, afterwards the received
  // ones.
  items: readonly ItemQuantity[] | undefined
  shipping: boolean | undefined
  deduction: number
}

// Returns the refund without writing anything. Refuses everything that refunding the order would refuse.
export async function previewReturnRefund(
  db: Reader,
  facts: ReturnFacts,
  order: OrderFacts,
  wish: ReturnRefundRequest,
): Promise<ReturnRefund> {
  const { row } = facts
  if (!isReturnRefundable(row.status)) throw returnNotChangeable(row)
  // A new refund would replace the failed one, and lose its lines.
  if (order.refunds.some(needsNewRefund)) {
    const message = `A refund of order ${row.orderNumber} failed: first refund the order again.`
    throw refuse('refund_not_possible', { message })
  }
  const key = { installationId: row.installationId, orderId: row.orderId }
  const [before, own] = await Promise.all([listRefundedLines(db, key), listRefundedUnits(db, row)])
  const items = itemsMeant(facts, order, { before, own, wanted: wish.items })
  const { reason } = row
  const { shipping, deduction } = wish
  const refund = returnRefundFor({ order: order.order, lines: order.lines, before, items, reason, shipping, deduction })
  if (refund.amount === 0) throw refuse('nothing_to_refund')
  refundAmountFor(order, { amount: refund.amount, reason: null })
  return refund
}

interface Refundable {
  before: readonly RefundedLine[]
  own: readonly ItemQuantity[]
  wanted: readonly ItemQuantity[] | undefined
}

// A unit is refunded once, whether for a return or without one.
function itemsMeant(
  { row, lines }: ReturnFacts,
  order: OrderFacts,
  { before, own, wanted }: Refundable,
): ItemQuantity[] {
  const left = lines.map(({ skuId, code, quantity, received }) => {
    const ordered = order.lines.find((line) => line.skuId === skuId)?.quantity ?? 0
    const ofReturn = (row.status === 'received' ? received : quantity) - unitsOf(own, skuId)
    return { skuId, code, quantity: Math.max(0, Math.min(ofReturn, ordered - unitsOf(before, skuId))) }
  })
  if (!wanted) return left.filter(({ quantity }) => quantity > 0)
  const sums = new Map<string, number>()
  for (const { skuId, quantity } of wanted) sums.set(skuId, (sums.get(skuId) ?? 0) + quantity)
  return [...sums].map(([skuId, quantity]) => {
    const line = left.find((one) => one.skuId === skuId)
    const most = line?.quantity ?? 0
    if (quantity <= most) return { skuId, quantity }
    const message = `The return has ${most} of ${line?.code ?? skuId} left to refund, but the request refunds ${quantity}.`
    throw refuse('refund_not_possible', { message, current: { skuId, left: most } })
  })
}

function unitsOf(lines: readonly ItemQuantity[], skuId: string): number {
  return lines.reduce((sum, line) => (line.skuId === skuId ? sum + line.quantity : sum), 0)
}

// Queues the refund, which a background job pays.
export async function refundReturn(
  tx: Tx,
  { row }: ReturnFacts,
  refund: ReturnRefund,
  reason: string | null,
  context: ChangeContext,
): Promise<{ order: OrderFacts; refund: RefundRow; refunds: readonly RefundRow[] }> {
  const lines = refundedLinesOf(refund)
  const key = { installationId: row.installationId, orderId: row.orderId }
  const queued = await refundOrder(tx, key, { amount: refund.amount, reason, lines }, context)
  for (const { id } of queued.refunds) insertReturnRefund(tx, row, id)
  return { order: queued.facts, refund: queued.refund, refunds: queued.refunds }
}

export function refundedLinesOf({ items, shipping }: ReturnRefund): RefundedLine[] {
  const lines = items.map(({ skuId, quantity, amount }) => ({ skuId, quantity, amount }))
  return shipping > 0 ? [...lines, { skuId: '', quantity: 1, amount: shipping }] : lines
}
