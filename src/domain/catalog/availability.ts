// How much of a SKU is available, and the availability status that follows. Pure: a product, a list row and a cart line use the same
// rules.

import type { Availability, SoldOutRule } from '../../contract/words.ts'
import type { StockLevel } from './product.ts'

export interface StockFacts {
  available: number
  whenSoldOut: SoldOutRule
}

// The merchant may set the stock below what is held; the result is then zero, not a negative number.
export function availableQuantity({ onHand, held }: StockLevel): number {
  return Math.max(0, onHand - held)
}

export function availabilityFor({ available, whenSoldOut }: StockFacts, lowStockAt: number): Availability {
  if (available > lowStockAt || whenSoldOut === 'not_counted') return 'in_stock'
  if (available > 0) return 'low_stock'
  return whenSoldOut === 'backorder' ? 'backorder' : 'out_of_stock'
}

const bestFirst: readonly Availability[] = ['in_stock', 'low_stock', 'backorder', 'out_of_stock']

// A product is as available as its most available SKU.
export function bestAvailability(availabilities: readonly Availability[]): Availability {
  return bestFirst.find((availability) => availabilities.includes(availability)) ?? 'out_of_stock'
}
