// What an exchange costs: pure. What was paid for the returned items pays the new order. The rest of it goes back, or the shopper pays what is
// missing.

import type { Pricing } from '../carts/pricing.ts'

export interface Balance {
  // All that was paid for the returned items moves to the new order.
  credit: number
  total: number
  moneyBack: number
  difference: number
}

// Undefined for a gift, which needs no credit: the money goes back, and the gift is a draft.
export function balanceOf(credit: number, total: number): Balance | undefined {
  if (total === 0) return undefined
  return { credit, total, moneyBack: Math.max(0, credit - total), difference: Math.max(0, total - credit) }
}

// What the shopper is shown and pays: the new items, with the credit taken off.
export function lessCredit(placed: Pricing, credit: number): Pricing {
  const { totals } = placed
  return { ...placed, totals: { ...totals, discount: totals.discount + credit, total: totals.total - credit } }
}
