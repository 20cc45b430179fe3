// The balance of an exchange. Pure. The amount paid for the returned items pays the new order. If an amount remains, it is refunded; if
// the new order costs more, the shopper pays the difference.

import type { Pricing } from '../carts/pricing.ts'

export interface Balance {
  // The amount paid for the returned items, all of which moves to the new order.
  credit: number
  total: number
  moneyBack: number
  difference: number
}

// Returns undefined if the new items are free and need no credit: such an exchange is refused.
export function computeBalance(credit: number, total: number): Balance | undefined {
  if (total === 0) return undefined
  return { credit, total, moneyBack: Math.max(0, credit - total), difference: Math.max(0, total - credit) }
}

// The price that the shopper sees and pays: the new items minus the credit.
export function subtractCredit(placed: Pricing, credit: number): Pricing {
  const { totals } = placed
  return { ...placed, totals: { ...totals, discount: totals.discount + credit, total: totals.total - credit } }
}
