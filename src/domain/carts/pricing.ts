// What a cart costs. The one function that prices cart, checkout session, page and order alike, so that they cannot
// differ. Pure, and in integers throughout; an amount beyond 2^53 − 1 is a RangeError, never a wrong number.

import type { ShippingOption } from '../../contract/open/carts.ts'
import type { ItemQuantity, Totals } from '../../contract/parts.ts'
import type { PromotionReason, PromotionState, ShippingTaxRule, TaxRelief } from '../../contract/words.ts'
import { allocate } from '../../platform/kit/money.ts'
import { offersFor, type Zone, zoneFor } from '../../platform/kit/shipping.ts'
import type { TaxRate } from '../merchants/store.ts'
import type { TaxShare } from '../orders/store.ts'
import { isEligible, itemDiscountFor, judgePromotion, type PromotionFacts, type PromotionVerdict } from './promotion.ts'
import { chosenOffer, needsShipping } from './shipping.ts'
import {
  containedRates,
  netOf,
  type PlaceRates,
  type PriceTax,
  ratesAt,
  shippingTaxes,
  type TaxPlace,
  taxOn,
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
  // Slugs of the product's categories and of all their ancestors.
  categories: readonly string[]
}

export interface PricingFacts {
  currency: string
  priceTax: PriceTax
  merchantCountry: string
  // Null: as the law of that country has it.
  shippingTax?: ShippingTaxRule | null
  lines: readonly PricedLineFacts[]
  promotion: PromotionFacts | null
  // How often this customer used the promotion before; left out while nobody knows who buys.
  customerUses?: number | undefined
  destination: TaxPlace | null
  taxRates: readonly TaxRate[]
  // Left out: the scheme for small businesses does not hold, and no VAT number is known.
  isSmallBusiness?: boolean
  isVatRegistered?: boolean
  // Country of the buyer's VAT number, where a register has confirmed it.
  buyerVatCountry?: string | null
  zones: readonly Zone[]
  shippingOptionId: string | null
  // Terms of an order that the merchant makes for a shopper.
  terms?: OwnTerms | null
  now: number
}

// What the merchant set by hand, before tax where prices are without it.
export interface OwnTerms {
  // Off the items, and no more than they cost.
  discount: number
  // Null: what the shop offers for the address.
  shipping: { label: string; amount: number } | null
  // It changes an order, and costs what that says.
  change?: OrderChange
}

// An order that is changed when a draft is paid. Its cart has the units that come, and costs the difference.
export type OrderChange = EditChange | ExchangeChange

interface AgreedChange {
  orderId: string
  number: string
  // As it was agreed: what comes, without what goes. Not computed again.
  pricing: Pricing
}

export interface EditChange extends AgreedChange {
  // How the order is edited then, as `edits/link.ts` writes and reads it.
  edit: object
}

export interface ExchangeChange extends AgreedChange {
  // What is exchanged then.
  exchange: AgreedExchange
  // What the new order costs, without the credit.
  placed: Pricing
}

export interface AgreedExchange {
  returnId: string
  items: readonly ItemQuantity[]
  deduction: number
  // What was paid for the items.
  credit: number
  // Whether the return is over then.
  close: boolean
}

export function isExchange(change: OrderChange): change is ExchangeChange {
  return 'exchange' in change
}

export const ownShippingId = 'own'

export interface PricedLine {
  skuId: string
  // Without the tax that is taken out of it.
  unitPrice: number
  // Where tax is taken out of the price, rounded once for all units, so it may differ from their price times their number.
  subtotal: number
  discount: number
  tax: number
  total: number
  // Basis points. Null of an order that was placed before rates were stored.
  taxRateBps: number | null
}

export interface PricedPromotion {
  state: PromotionState
  reason: PromotionReason | null
  // Items and shipping together; equal to the discount of the totals.
  amount: number
  // How the discount on items is spread; lines that get nothing are left out.
  allocations: readonly { skuId: string; amount: number }[]
}

export interface PricedShipping {
  optionId: string | null
  options: readonly ShippingOption[]
  // Before the discount.
  amount: number
  discount: number
  tax: number
  // As of a line; also null where nothing is shipped, or at several rates.
  taxRateBps: number | null
  // The parts by rate, where there are several.
  taxes: readonly TaxShare[] | null
}

export interface Pricing {
  lines: readonly PricedLine[]
  promotion: PricedPromotion
  shipping: PricedShipping
  totals: Totals
}

export function priceCart(facts: PricingFacts): Pricing {
  // Without a destination, the merchant's own country is the estimate.
  const place = taxPlaceOf(facts)
  const home = { country: facts.merchantCountry, region: null }
  const rates = ratesAt(facts.taxRates, place ?? home)
  const relief = reliefOf(facts, place, rates)
  if (relief === null) return pricedBy(facts, rates, {})
  const reason = { taxReason: relief }
  if (relief === 'small_business' || facts.priceTax === 'excluded') return pricedBy(facts, noRates, reason)
  // Offers, promotions and their conditions are those of everyone; then the tax is taken out of each price.
  const contained = containedRates(relief, rates, ratesAt(facts.taxRates, home))
  return withoutTax(pricedBy(facts, contained, reason), facts, contained)
}

const noRates: PlaceRates = { named: () => 0, rateFor: () => 0 }

// What is not sent is supplied where the buyer is registered, unless an address says otherwise.
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

  // By the subtotal before any discount: judged after it, a code of one cent could cost the shopper free shipping.
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
    const tax = taxOn(net, taxRateBps, priceTax)
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

// Prices that contain the tax, without it. Rounded once for a line, before and after its discount: by unit, the difference would grow with
// their number. So the total is the one with tax, less the tax, and what was free stays free.
function withoutTax(pricing: Pricing, facts: PricingFacts, rates: PlaceRates): Pricing {
  const { shipping, promotion, totals } = pricing
  const lines = pricing.lines.map((line): PricedLine => {
    const rate = line.taxRateBps ?? 0
    const [unitPrice, subtotal] = [netOf(line.unitPrice, rate), netOf(line.subtotal, rate)]
    const total = line.total - line.tax
    return { skuId: line.skuId, unitPrice, subtotal, discount: subtotal - total, tax: 0, total, taxRateBps: 0 }
  })
  const netShipping = (charged: number) =>
    charged - sum(taxesOfShipping(facts, pricing.lines, rates, charged).map(({ tax }) => tax))
  const amount = netShipping(shipping.amount)
  // A promotion takes all of it, or nothing.
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

// What is shown of a cart whose amounts no exact number holds: none of them. The price of each item is told all the same.
export function unpriced(facts: Pick<PricingFacts, 'lines' | 'priceTax'>): Pricing {
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
    return { optionId: ownShippingId, options: [{ id: ownShippingId, ...own }], amount: own.amount }
  const zone = facts.destination ? zoneFor(facts.zones, facts.destination.country) : undefined
  if (!zone || !needsShipping(facts.lines)) return { optionId: null, options: [], amount: 0 }
  const shipped = facts.lines.filter(({ delivery }) => delivery === 'shipped')
  const weightGrams = sum(shipped.map((line) => exact(BigInt(line.weightGrams ?? 0) * BigInt(line.quantity))))
  const options = offersFor(zone, { weightGrams, subtotal })
  const chosen = chosenOffer(options, facts.shippingOptionId)
  return { optionId: chosen?.id ?? null, options, amount: chosen?.amount ?? 0 }
}

// The subtotal of each line the promotion is about, and null for the others.
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

// A sum that passes 2^53 − 1 on its way is rounded to something that is no longer safe, and stays so: no term is negative.
function sum(amounts: readonly number[]): number {
  return safe(amounts.reduce((whole, amount) => whole + amount, 0))
}

function safe(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`${amount} is not an amount that can be exact`)
  return amount
}
