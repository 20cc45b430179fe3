// The rules of stock, without a database. `onHand` counts the units that exist, `held` those that are reserved temporarily; the
// difference can be bought.

import type { SoldOutRule } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'

export interface StockLine {
  skuId: string
  quantity: number
}

// A request for more units than are available.
export interface Shortage {
  skuId: string
  available: number
}

// The stock of one SKU, with its row locked. `held` counts every hold that has a row, including expired ones.
export interface StockRow extends MerchantMode {
  skuId: string
  productId: string
  onHand: number
  held: number
  whenSoldOut: SoldOutRule
  retiredAt: number | null
  // The sequence of the last stock event.
  stockVersion: number
  lowStockAt: number
}

// The parts of the row's `held` that are not reserved for others. Zero by default.
export interface HeldClaims {
  // Units in active holds of the requesting owner.
  own: number
  // Units in expired holds of the same owner.
  ownLapsed: number
  // Units in holds of others that have expired and are not yet swept.
  lapsed: number
}

export const noClaims: HeldClaims = { own: 0, ownLapsed: 0, lapsed: 0 }

// Returns how many units an owner may have: those that it holds, and those that are not held. If the merchant has set the stock below
// what is held, no owner can have more than it holds, and the first owner to take units gets them. Stock that is not counted is never
// held or taken.
export function usableQuantity(
  { onHand, held, whenSoldOut }: StockRow,
  { own, ownLapsed, lapsed }: HeldClaims,
): number {
  if (whenSoldOut === 'not_counted') return 0
  const others = held - own - ownLapsed - lapsed
  const free = Math.max(0, onHand - others - own)
  return Math.min(onHand, own + free)
}

export type StockEvent = 'inventory.low' | 'inventory.depleted' | 'inventory.replenished'

// Returns the event of a change that crosses a threshold, or the more important event if two thresholds are crossed. Both quantities
// count every hold that has a row, so each is compared with what was announced before, and the expiry of a hold alone announces nothing.
export function stockEventFor(before: number, after: number, lowStockAt: number): StockEvent | undefined {
  if (before > 0 && after <= 0) return 'inventory.depleted'
  if (before <= 0 && after > 0) return 'inventory.replenished'
  if (before > lowStockAt && after <= lowStockAt && after > 0) return 'inventory.low'
  return undefined
}

// Merges lines of the same SKU.
export function mergeStockLines(lines: readonly StockLine[]): StockLine[] {
  const quantities = new Map<string, number>()
  for (const { skuId, quantity } of lines) {
    if (!Number.isSafeInteger(quantity) || quantity < 1)
      throw new Error(`the quantity of a line must be a positive integer, not ${quantity}`)
    quantities.set(skuId, (quantities.get(skuId) ?? 0) + quantity)
  }
  return [...quantities].map(([skuId, quantity]) => ({ skuId, quantity }))
}
