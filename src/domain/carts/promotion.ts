// A promotion: the lines it applies to, whether it is valid for a cart, and its discount on the items. Pure.

import type { PromotionReason, PromotionState, PromotionType } from '../../contract/words.ts'
import { roundHalfUpDivide } from '../../platform/kit/money.ts'

export interface PromotionFacts {
  id: string
  code: string
  name: string
  type: PromotionType
  // Basis points for a percentage, minor units for a fixed amount.
  value: number
  currency: string | null
  minimumSubtotal: number | null
  startsAt: number | null
  endsAt: number | null
  usageLimit: number | null
  used: number
  customerLimit: number | null
  categories: readonly string[]
  skuCodes: readonly string[]
  disabledAt: number | null
}

// What the rules need to know about a cart.
export interface PromotionOccasion {
  currency: string
  now: number
  // Sum of all lines before discounts.
  subtotal: number
  eligibleLineCount: number
  // Price of the chosen shipping option; 0 if none is chosen.
  shippingAmount: number
  // Number of orders in which this customer used the promotion; missing while the customer is unknown.
  customerUses?: number | undefined
}

export interface PromotionVerdict {
  state: Exclude<PromotionState, 'none'>
  reason: PromotionReason | null
}

type Rule = readonly [
  state: 'rejected' | 'pending',
  reason: PromotionReason,
  holds: (promotion: PromotionFacts, occasion: PromotionOccasion) => boolean,
]

// The first rule that matches decides. `rejected` is a problem of the code itself; `pending` is a problem of the cart, which the shopper
// can still change.
// biome-ignore format: a table is read by its rows
const rules: readonly Rule[] = [
  ['rejected', 'disabled',                ({ disabledAt }) => disabledAt !== null],
  ['rejected', 'not_started',             ({ startsAt }, { now }) => startsAt !== null && now < startsAt],
  ['rejected', 'expired',                 ({ endsAt }, { now }) => endsAt !== null && endsAt <= now],
  ['rejected', 'usage_limit_reached',     ({ usageLimit, used }) => usageLimit !== null && used >= usageLimit],
  ['rejected', 'customer_limit_reached',  ({ customerLimit }, { customerUses = 0 }) => customerLimit !== null && customerUses >= customerLimit],
  ['rejected', 'currency_mismatch',       isForeign],
  ['pending',  'no_eligible_items',       (_, { eligibleLineCount }) => eligibleLineCount === 0],
  ['pending',  'minimum_not_met',         ({ minimumSubtotal }, { subtotal }) => minimumSubtotal !== null && subtotal < minimumSubtotal],
  ['pending',  'no_shipping_to_discount', ({ type }, { shippingAmount }) => type === 'free_shipping' && shippingAmount === 0],
]

export function judgePromotion(promotion: PromotionFacts, occasion: PromotionOccasion): PromotionVerdict {
  for (const [state, reason, holds] of rules) {
    if (holds(promotion, occasion)) return { state, reason }
  }
  return { state: 'applied', reason: null }
}

// A promotion without categories and SKU codes applies to every line.
export function isEligible(
  { categories, skuCodes }: Pick<PromotionFacts, 'categories' | 'skuCodes'>,
  line: { code: string; categories: readonly string[] },
): boolean {
  if (categories.length === 0 && skuCodes.length === 0) return true
  return skuCodes.includes(line.code) || line.categories.some((category) => categories.includes(category))
}

// Returns the discount of a valid promotion on items of this price. It is never more than the price.
export function itemDiscountFor({ type, value }: Pick<PromotionFacts, 'type' | 'value'>, eligible: number): number {
  if (type === 'free_shipping') return 0
  if (type === 'fixed_amount') return Math.min(value, eligible)
  const share = roundHalfUpDivide(BigInt(eligible) * BigInt(value), 10_000n)
  return Math.min(Number(share), eligible)
}

// A fixed amount without a currency is ambiguous: 500 could be five euros or five hundred yen. The other types need a currency only for
// their minimum subtotal, but if they have one, it must match.
function isForeign({ type, currency }: PromotionFacts, cart: PromotionOccasion): boolean {
  return currency === null ? type === 'fixed_amount' : currency !== cart.currency
}
