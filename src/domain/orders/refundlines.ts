// Computes what to refund for lines of an order. Pure. The refunds of a line add up exactly to the line.

import type { ItemQuantity } from '../../contract/parts.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { OrderLine, RefundedLine } from './store.ts'
import type { OrderFacts } from './view.ts'

export interface RefundedLinesInput {
  items: readonly ItemQuantity[]
  shipping: boolean
}

// `before`: the lines of earlier refunds.
export function refundedLinesFor(
  { order, lines }: Pick<OrderFacts, 'order' | 'lines'>,
  before: readonly RefundedLine[],
  { items, shipping }: RefundedLinesInput,
): RefundedLine[] {
  const refunded = items.map(({ skuId, quantity }) => {
    const line = lines.find((known) => known.skuId === skuId)
    const back = sumOf(before, skuId)
    const left = (line?.quantity ?? 0) - back
    if (!line || quantity > left) {
      const message = `The order has ${left} of ${line?.code ?? skuId} left to refund, but the request refunds ${quantity}.`
      throw refuse('refund_not_possible', { message, current: { skuId, left } })
    }
    return { skuId, quantity, amount: amountLeft(line, before, quantity) }
  })
  if (!shipping) return refunded
  const amount = order.total - lines.reduce((sum, { total }) => sum + total, 0)
  if (amount === 0 || sumOf(before, '') > 0) {
    const message = `The shipping of order ${order.number} cannot be refunded, because it was ${amount === 0 ? 'free' : 'already refunded'}.`
    throw refuse('refund_not_possible', { message, current: { left: 0 } })
  }
  return [...refunded, { skuId: '', quantity: 1, amount }]
}

// Never returns more than is left of the line: an edit may have changed the unit price since earlier units were refunded.
export function amountLeft(line: OrderLine, before: readonly RefundedLine[], quantity: number): number {
  const own = before.filter(({ skuId }) => skuId === line.skuId)
  const left = line.total - own.reduce((sum, { amount }) => sum + amount, 0)
  return Math.max(0, Math.min(amountOfUnits(line, sumOf(own, line.skuId), quantity), left))
}

function sumOf(lines: readonly RefundedLine[], skuId: string): number {
  return lines.reduce((sum, line) => (line.skuId === skuId ? sum + line.quantity : sum), 0)
}

// Returns the amount for `quantity` more units of a line of which `before` units were already refunded.
export function amountOfUnits(
  { total, quantity: ordered }: Pick<OrderLine, 'total' | 'quantity'>,
  before: number,
  quantity: number,
): number {
  const upTo = (units: number) => Number((BigInt(total) * BigInt(units)) / BigInt(ordered))
  return upTo(before + quantity) - upTo(before)
}
