// Computes the price of a cart. Cart, checkout session, page and order are all priced by `priceCart`, so their prices cannot differ.
// Pure, with integers only; an amount above 2^53 − 1 is a RangeError, never a wrong number.

import type { ShippingOption } from '../../contract/open/carts.ts'
import type { ItemQuantity, Totals } from '../../contract/parts.ts'
import type { PromotionReason, PromotionState, ShippingTaxRule, TaxRelief } from '../../contract/words.ts'
import { allocate } from '../../platform/kit/money.ts'
import { shippingOffersFor, type Zone, zoneFor } from '../../platform/kit/shipping.ts'
import type { TaxRate } from '../merchants/store.ts'
import type { TaxShare } from '../orders/store.ts'
import { isEligible, itemDiscountFor, judgePromotion, type PromotionFacts, type PromotionVerdict } from './promotion.ts'
import { effectiveShippingOption, needsShipping } from './shipping.ts'
import {
  computeTax,
  deductTax,
  type PlaceRates,
  type PriceTax,
  ratesToDeduct,
  shippingTaxes,
  type TaxPlace,
  taxRatesAt,
  taxReliefFor,
} from './tax.ts'

export interface PricedLineFacts {
  skuId: string
  code: string
  unitPrice: number
  quantity: number
  taxClass: string
  weightGrams: number | null
  delivery: 'shipped' | 'digital'
  // Slugs of the categories of the product and of all their ancestors.
  categories: readonly string[]
}

export interface PricingFacts {
  currency: string
  priceTax: PriceTax
  merchantCountry: string
  // Null: the rule of the merchant's country.
  shippingTax?: ShippingTaxRule | null
  lines: readonly PricedLineFacts[]
  promotion: PromotionFacts | null
  // How often this customer has used the promotion; missing while the customer is unknown.
  customerUses?: number | undefined
  destination: TaxPlace | null
  taxRates: readonly TaxRate[]
  // Both are false if missing: the seller does not use the scheme for small businesses, and has no VAT number.
  isSmallBusiness?: boolean
  isVatRegistered?: boolean
  // Country of the buyer's VAT number, if a register has confirmed it.
  buyerVatCountry?: string | null
  zones: readonly Zone[]
  shippingOptionId: string | null
  // Set if the merchant made the order for a shopper.
  terms?: MerchantTerms | null
  now: number
}

// Amounts that the merchant entered, before tax if the shop's prices are before tax.
export interface MerchantTerms {
  // The merchant's discount on the items. Never more than their sum is deducted.
  discount: number
  // Null: the shopper chooses from the options that the shop offers for the address.
  shipping: { label: string; amount: number } | null
  // Set if the cart pays for a change of an order. The price of the cart is then the agreed one.
  change?: OrderChange
}

// A change of an order that is made when its draft is paid. The cart of the draft contains the added units and costs the difference.
export type OrderChange = EditChange | ExchangeChange

interface AgreedChange {
  orderId: string
  number: string
  // The agreed price: the difference to pay. It is not computed again.
  pricing: Pricing
}

export interface EditChange extends AgreedChange {
  // The edit to apply on payment, in the format of `edits/link.ts`.
  edit: object
}

export interface ExchangeChange extends AgreedChange {
  // The exchange to complete on payment.
  exchange: AgreedExchange
  // Price of the new order, before the credit is deducted.
  placed: Pricing
}

export interface AgreedExchange {
  returnId: string
  items: readonly ItemQuantity[]
  deduction: number
  // The credit: what was paid for the returned items, minus the deduction.
  credit: number
  // Whether the exchange closes the return.
  close: boolean
}

export function isExchange(change: OrderChange): change is ExchangeChange {
  return 'exchange' in change
}

export const merchantShippingId = 'own'

export interface PricedLine {
  skuId: string
  // Without tax, if the buyer is exempt from it.
  unitPrice: number
  // May differ from unit price times quantity: if tax is deducted, it is rounded once for all units.
  subtotal: number
  discount: number
  tax: number
  total: number
  // Tax rate in basis points; null for an order that was placed before rates were stored.
  taxRateBps: number | null
}

export interface PricedPromotion {
  state: PromotionState
  reason: PromotionReason | null
  // Discount on items and shipping together; equal to the discount in the totals.
  amount: number
  // The discount on items by line, without lines that have no discount.
  allocations: readonly { skuId: string; amount: number }[]
}

export interface PricedShipping {
  optionId: string | null
  options: readonly ShippingOption[]
  // Before the discount.
  amount: number
  discount: number
  tax: number
  // Tax rate in basis points. Null if nothing is shipped, if several rates apply, or for an order that was placed before rates were
  // stored.
  taxRateBps: number | null
  // The shipping amount and its tax at each rate; null unless several rates apply.
  taxes: readonly TaxShare[] | null
}

export interface Pricing {
  lines: readonly PricedLine[]
  promotion: PricedPromotion
  shipping: PricedShipping
  totals: Totals
}

export function priceCart(facts: PricingFacts): Pricing {
  // Without a place, the tax is estimated with the rates of the merchant's own country.
  const place = taxPlaceOf(facts)
  const home = { country: facts.merchantCountry, region: null }
  const rates = taxRatesAt(facts.taxRates, place ?? home)
  const relief = reliefOf(facts, place, rates)
  if (relief === null) return pricedBy(facts, rates, {})
  const reason = { taxReason: relief }
  if (relief === 'small_business' || facts.priceTax === 'excluded') return pricedBy(facts, noRates, reason)
  // Shipping options, promotions and their conditions use prices with tax, as for every buyer. Then the tax is deducted from each amount.
  const contained = ratesToDeduct(relief, rates, taxRatesAt(facts.taxRates, home))
  return withoutTax(pricedBy(facts, contained, reason), facts, contained)
}

const noRates: PlaceRates = { named: () => 0, rateFor: () => 0 }

// Goods that are not shipped are supplied in the country of the buyer's VAT number, unless there is an address.
function taxPlaceOf({ destination, buyerVatCountry = null, lines }: PricingFacts): TaxPlace | null {
  if (destination || buyerVatCountry === null || needsShipping(lines)) return destination
  return { country: buyerVatCountry, region: null }
}

function reliefOf(facts: PricingFacts, place: TaxPlace | null, { rateFor }: PlaceRates): TaxRelief | null {
  const { isSmallBusiness = false, isVatRegistered = false, buyerVatCountry = null } = facts
  return taxReliefFor({
    sellerCountry: facts.merchantCountry,
    isSmallBusiness,
    isVatRegistered,
    buyerVatCountry,
    place,
    isShipped: needsShipping(facts.lines),
    isTaxedThere: rateFor('shipping') > 0 || facts.lines.some(({ taxClass }) => rateFor(taxClass) > 0),
  })
}

function pricedBy(facts: PricingFacts, rates: PlaceRates, reason: Pick<Totals, 'taxReason'>): Pricing {
  const { priceTax } = facts
  const subtotals = facts.lines.map(({ unitPrice, quantity }) => exact(BigInt(unitPrice) * BigInt(quantity)))
  const subtotal = sum(subtotals)

  // Shipping depends on the subtotal before discounts: otherwise a discount of one cent could cost the shopper free shipping.
  const { optionId, options, amount } = shippingFor(facts, subtotal)
  const weights = eligibleSubtotals(facts, subtotals)
  const verdict = verdictFor(facts, subtotal, weights, amount)
  const own = facts.terms?.discount ?? 0
  const discounts =
    own > 0 ? allocate(Math.min(own, subtotal), subtotals) : lineDiscounts(facts.promotion, verdict, weights)
  const itemDiscount = sum(discounts)
  const isFree = verdict.state === 'applied' && facts.promotion?.type === 'free_shipping'
  const shippingDiscount = isFree ? amount : 0
  const discount = sum([itemDiscount, shippingDiscount])

  const lines = facts.lines.map(({ skuId, unitPrice, taxClass }, i): PricedLine => {
    const [lineSubtotal, lineDiscount] = [subtotals[i] ?? 0, discounts[i] ?? 0]
    const net = lineSubtotal - lineDiscount
    const taxRateBps = rates.rateFor(taxClass)
    const tax = computeTax(net, taxRateBps, priceTax)
    const total = withTax(net, tax, priceTax)
    return { skuId, unitPrice, subtotal: lineSubtotal, discount: lineDiscount, tax, total, taxRateBps }
  })
  const taxes = optionId === null ? [] : taxesOfShipping(facts, lines, rates, amount - shippingDiscount)
  const shippingTax = sum(taxes.map((share) => share.tax))
  const tax = sum([...lines.map((line) => line.tax), shippingTax])

  return {
    lines,
    promotion: {
      ...verdict,
      amount: own > 0 ? 0 : discount,
      allocations: (own > 0 ? [] : lines)
        .filter((line) => line.discount > 0)
        .map((line) => ({ skuId: line.skuId, amount: line.discount })),
    },
    shipping: {
      optionId,
      options,
      amount,
      discount: shippingDiscount,
      tax: shippingTax,
      taxRateBps: taxes.length === 1 ? (taxes[0]?.rateBps ?? null) : null,
      taxes: taxes.length > 1 ? taxes : null,
    },
    totals: {
      subtotal,
      discount,
      shipping: amount,
      tax,
      taxIncluded: priceTax === 'included',
      total: withTax(sum([subtotal - itemDiscount, amount - shippingDiscount]), tax, priceTax),
      ...reason,
    },
  }
}

// Deducts the tax from prices that contain it. It is rounded once per line: with rounding per unit, the difference would grow with the
// quantity. The result is the total with tax minus the tax, and what was free stays free.
function withoutTax(pricing: Pricing, facts: PricingFacts, rates: PlaceRates): Pricing {
  const { shipping, promotion, totals } = pricing
  const lines = pricing.lines.map((line): PricedLine => {
    const rate = line.taxRateBps ?? 0
    const [unitPrice, subtotal] = [deductTax(line.unitPrice, rate), deductTax(line.subtotal, rate)]
    const total = line.total - line.tax
    return { skuId: line.skuId, unitPrice, subtotal, discount: subtotal - total, tax: 0, total, taxRateBps: 0 }
  })
  const netShipping = (charged: number) =>
    charged - sum(taxesOfShipping(facts, pricing.lines, rates, charged).map(({ tax }) => tax))
  const amount = netShipping(shipping.amount)
  // A promotion makes shipping free or does not discount it.
  const shippingDiscount = shipping.discount > 0 ? amount : 0
  const subtotal = sum(lines.map((line) => line.subtotal))
  const discount = sum([...lines.map((line) => line.discount), shippingDiscount])
  const discounts = new Map(lines.map((line) => [line.skuId, line.discount]))
  return {
    lines,
    promotion: {
      ...promotion,
      amount: promotion.amount === 0 ? 0 : discount,
      allocations: promotion.allocations.map(({ skuId }) => ({ skuId, amount: discounts.get(skuId) ?? 0 })),
    },
    shipping: {
      ...shipping,
      options: shipping.options.map((option) => ({ ...option, amount: netShipping(option.amount) })),
      amount,
      discount: shippingDiscount,
      tax: 0,
      taxRateBps: shipping.optionId === null ? null : 0,
      taxes: null,
    },
    totals: {
      ...totals,
      subtotal,
      discount,
      shipping: amount,
      tax: 0,
      taxIncluded: false,
      total: sum([subtotal - discount, amount]),
    },
  }
}

function taxesOfShipping(
  { lines, shippingTax: rule = null, merchantCountry, priceTax }: PricingFacts,
  priced: readonly PricedLine[],
  rates: PlaceRates,
  charged: number,
): TaxShare[] {
  const goods = priced.flatMap(({ taxRateBps, subtotal }, i) => {
    const { delivery, quantity = 0 } = lines[i] ?? {}
    return delivery === 'shipped' ? [{ rateBps: taxRateBps ?? 0, subtotal, quantity }] : []
  })
  return shippingTaxes(charged, { rule, merchantCountry, priceTax, rates, goods })
}

// The pricing of a cart with amounts that exceed the largest safe integer: it contains only the price of each item, and all other amounts
// are 0.
export function zeroPricing(facts: Pick<PricingFacts, 'lines' | 'priceTax'>): Pricing {
  return {
    lines: facts.lines.map(({ skuId, unitPrice }) => ({
      ...{ skuId, unitPrice },
      ...{ subtotal: 0, discount: 0, tax: 0, total: 0, taxRateBps: null },
    })),
    promotion: { state: 'none', reason: null, amount: 0, allocations: [] },
    shipping: { optionId: null, options: [], amount: 0, discount: 0, tax: 0, taxRateBps: null, taxes: null },
    totals: { subtotal: 0, discount: 0, shipping: 0, tax: 0, taxIncluded: facts.priceTax === 'included', total: 0 },
  }
}

function shippingFor(facts: PricingFacts, subtotal: number): Pick<PricedShipping, 'optionId' | 'options' | 'amount'> {
  const own = facts.terms?.shipping
  if (own && needsShipping(facts.lines))
    return { optionId: merchantShippingId, options: [{ id: merchantShippingId, ...own }], amount: own.amount }
  const zone = facts.destination ? zoneFor(facts.zones, facts.destination.country) : undefined
  if (!zone || !needsShipping(facts.lines)) return { optionId: null, options: [], amount: 0 }
  const shipped = facts.lines.filter(({ delivery }) => delivery === 'shipped')
  const weightGrams = sum(shipped.map((line) => exact(BigInt(line.weightGrams ?? 0) * BigInt(line.quantity))))
  const options = shippingOffersFor(zone, { weightGrams, subtotal })
  const chosen = effectiveShippingOption(options, facts.shippingOptionId)
  return { optionId: chosen?.id ?? null, options, amount: chosen?.amount ?? 0 }
}

// Returns the subtotal of each line to which the promotion applies, and null for the other lines.
function eligibleSubtotals({ lines, promotion }: PricingFacts, subtotals: readonly number[]): (number | null)[] {
  return lines.map((line, i) => (promotion && isEligible(promotion, line) ? (subtotals[i] ?? 0) : null))
}

function verdictFor(
  { promotion, currency, now, customerUses }: PricingFacts,
  subtotal: number,
  weights: readonly (number | null)[],
  shippingAmount: number,
): PromotionVerdict | { state: 'none'; reason: null } {
  if (!promotion) return { state: 'none', reason: null }
  const eligibleLineCount = weights.filter((weight) => weight !== null).length
  return judgePromotion(promotion, { currency, now, subtotal, eligibleLineCount, shippingAmount, customerUses })
}

function lineDiscounts(
  promotion: PromotionFacts | null,
  { state }: { state: PromotionState },
  weights: readonly (number | null)[],
): number[] {
  if (!promotion || state !== 'applied') return weights.map(() => 0)
  const eligible = weights.map((weight) => weight ?? 0)
  return allocate(itemDiscountFor(promotion, sum(eligible)), eligible)
}

function withTax(amount: number, tax: number, priceTax: PriceTax): number {
  return priceTax === 'included' ? amount : sum([amount, tax])
}

function exact(amount: bigint): number {
  return safe(Number(amount))
}

// No term is negative, so a sum that exceeds 2^53 − 1 on the way is still too large at the end, and is found there.
function sum(amounts: readonly number[]): number {
  return safe(amounts.reduce((whole, amount) => whole + amount, 0))
}

function safe(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new RangeError(`an amount must be a safe integer of at least 0, not ${amount}`)
  return amount
}
