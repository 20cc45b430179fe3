// Computes the refund for a return, to the minor unit. Pure. Units are refunded at the price that was paid for them, with the tax at the
// order's rate, and the parts of a line add up to the line.

import type { ItemQuantity } from '../../contract/parts.ts'
import type { ReturnReason } from '../../contract/words.ts'
import { amountLeft, amountOfUnits } from '../orders/refundlines.ts'
import type { OrderLine, OrderRow, RefundedLine } from '../orders/store.ts'

export interface ReturnRefundInput {
  order: Pick<OrderRow, 'total' | 'refunded' | 'shippingChoice'>
  lines: readonly OrderLine[]
  // Lines of refunds that succeeded or are pending.
  before: readonly RefundedLine[]
  // Each SKU once, and at most the quantity that is left of it.
  items: readonly ItemQuantity[]
  reason: ReturnReason
  // Undefined: the shipping is refunded once all items of the order are.
  shipping: boolean | undefined
  deduction: number
}

export interface ReturnRefund {
  amount: number
  items: readonly { skuId: string; quantity: number; amount: number; tax: number }[]
  shipping: number
  deduction: number
  capped: number
}

export function returnRefundFor(input: ReturnRefundInput): ReturnRefund {
  const { order, lines, before, items, shipping: isShippingMeant } = input
  const priced = items.flatMap(({ skuId, quantity }) => {
    const line = lines.find((one) => one.skuId === skuId)
    if (!line) return []
    const back = unitsOf(before, skuId)
    const amount = amountLeft(line, before, quantity)
    return [
      { skuId, quantity, amount, tax: amountOfUnits({ total: line.tax, quantity: line.quantity }, back, quantity) },
    ]
  })
  const isAll = lines.every(({ skuId, quantity }) => unitsOf(before, skuId) + unitsOf(items, skuId) >= quantity)
  const shipping = (isShippingMeant ?? isAll) ? deliveryDue(input) : 0
  const gross = sumOf(priced)
  const deduction = Math.min(input.deduction, gross)
  const left = order.total - order.refunded
  const amount = Math.min(gross - deduction + shipping, left)
  const capped = gross - deduction + shipping - amount
  // The excess over the amount left is deducted from the items first, and the remainder from the shipping.
  const ofShipping = Math.max(0, capped - (gross - deduction))
  return {
    amount,
    items: reduced(priced, deduction + capped - ofShipping),
    shipping: shipping - ofShipping,
    deduction,
    capped,
  }
}

// Reasons for which the shop is responsible, so the whole delivery is refunded.
const faults: ReadonlySet<ReturnReason> = new Set(['damaged', 'wrong_item', 'not_as_described'])

// Directive 2011/83, Article 13(2): the extra cost of a more expensive delivery than the cheapest one offered need not be refunded.
function deliveryDue({ order, lines, before, reason }: ReturnRefundInput): number {
  const paid = order.total - sumOf(lines.map(({ total }) => ({ amount: total })))
  if (paid <= 0 || unitsOf(before, '') > 0) return 0
  const { amount: chosen, cheapest = chosen } = order.shippingChoice ?? { amount: 0 }
  if (faults.has(reason) || cheapest >= chosen || chosen === 0) return paid
  // Tax and discount of the delivery are included in proportion; the result is rounded in favour of the shopper.
  return Number((BigInt(paid) * BigInt(cheapest) + BigInt(chosen) - 1n) / BigInt(chosen))
}

// Spreads the deduction by largest remainder, so the lines add up to the refund.
function reduced(priced: ReturnRefund['items'], cut: number): ReturnRefund['items'] {
  const gross = sumOf(priced)
  if (cut === 0 || gross === 0) return priced
  const kept = gross - cut
  const shares = priced.map(({ amount }, at) => {
    const exact = BigInt(amount) * BigInt(kept)
    return { at, whole: Number(exact / BigInt(gross)), rest: exact % BigInt(gross) }
  })
  let missing = kept - shares.reduce((sum, { whole }) => sum + whole, 0)
  for (const share of shares.toSorted((a, b) => (a.rest === b.rest ? a.at - b.at : a.rest > b.rest ? -1 : 1))) {
    if (missing === 0) break
    share.whole += 1
    missing -= 1
  }
  return priced.map((line, at) => {
    const amount = shares[at]?.whole ?? 0
    const tax = line.amount === 0 ? 0 : Number((BigInt(line.tax) * BigInt(amount)) / BigInt(line.amount))
    return { ...line, amount, tax }
  })
}

function unitsOf(lines: readonly { skuId: string; quantity: number }[], skuId: string): number {
  return lines.reduce((sum, line) => (line.skuId === skuId ? sum + line.quantity : sum), 0)
}

function sumOf(lines: readonly { amount: number }[]): number {
  return lines.reduce((sum, { amount }) => sum + amount, 0)
}
