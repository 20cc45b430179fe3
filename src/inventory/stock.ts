// The rules of stock, without a database. `onHand` counts the units that are there, `held` those
// that are promised for a while; the difference can be bought.

import type { MerchantMode } from '../kit/mode.ts'

export interface Line {
  skuId: string
  quantity: number
}

// What stood in the way: the caller asked for more than it could have.
export interface Shortage {
  skuId: string
  available: number
}

// The stock of one SKU, its row locked. `held` counts every hold that has a row, also expired ones.
export interface StockRow extends MerchantMode {
  skuId: string
  productId: string
  onHand: number
  held: number
  whenSoldOut: 'refuse' | 'backorder'
  retiredAt: number | null
  // The sequence of the last stock event.
  stockVersion: number
  lowStockAt: number
}

// What of the row's `held` is not a promise to somebody else. Zero where nothing is said.
export interface Claims {
  // Promised to the owner who asks, and still running.
  own: number
  // Once promised to the same owner, and over.
  ownLapsed: number
  // Once promised to others, and over, but nobody has swept it.
  lapsed: number
}

export const noClaims: Claims = { own: 0, ownLapsed: 0, lapsed: 0 }

// How many units an owner may have: what is promised to it, and what is promised to nobody. The operator may set the
// stock below what is promised. Then nobody can have more than was promised, and whoever comes first has it.
export function usableFor({ onHand, held }: StockRow, { own, ownLapsed, lapsed }: Claims): number {
  const others = held - own - ownLapsed - lapsed
  const free = Math.max(0, onHand - others - own)
  return Math.min(onHand, own + free)
}

export type StockEvent = 'inventory.low' | 'inventory.depleted' | 'inventory.replenished'

// A crossing is told once, by its most telling name. Both quantities count every hold that has a row, so that each is
// compared with what was told before, and time alone tells nothing.
export function stockEventFor(before: number, after: number, lowStockAt: number): StockEvent | undefined {
  if (before > 0 && after <= 0) return 'inventory.depleted'
  if (before <= 0 && after > 0) return 'inventory.replenished'
  if (before > lowStockAt && after <= lowStockAt && after > 0) return 'inventory.low'
  return undefined
}

// One line for each SKU, so that asking twice for one is asking for the sum.
export function summed(lines: readonly Line[]): Line[] {
  const quantities = new Map<string, number>()
  for (const { skuId, quantity } of lines) {
    if (!Number.isSafeInteger(quantity) || quantity < 1) throw new Error(`a line of ${quantity} units`)
    quantities.set(skuId, (quantities.get(skuId) ?? 0) + quantity)
  }
  return [...quantities].map(([skuId, quantity]) => ({ skuId, quantity }))
}
