// Tax: the rate that applies at a place, and the tax on an amount. Pure.

import type { ShippingTaxRule, TaxRelief } from '../../contract/words.ts'
import { isInVatArea, isShippingTaxedAsGoods, vatStateOf } from '../../platform/kit/country.ts'
import { allocate, roundHalfUpDivide } from '../../platform/kit/money.ts'
import type { TaxRate } from '../merchants/store.ts'
import type { TaxShare } from '../orders/store.ts'

export type PriceTax = 'included' | 'excluded'

export interface TaxPlace {
  country: string
  region: string | null
}

const wholeBps = 10_000n

// The rates of one place by tax class, in basis points.
export interface PlaceRates {
  // The rate of this class; undefined if the place does not name the class.
  named(taxClass: string): number | undefined
  rateFor(taxClass: string): number
}

// Returns the rates at a place. A class is looked up in the region, then in the country. A class that neither names is taxed at the
// standard rate of the region, otherwise of the country. So food that is exempt in all of Canada stays exempt in a province that names
// only its standard rate.
export function taxRatesAt(rates: readonly TaxRate[], place: TaxPlace): PlaceRates {
  const region = regionCode(place)
  const inRegion = new Map<string, number>()
  const inCountry = new Map<string, number>()
  for (const rate of rates) {
    if (rate.country !== place.country) continue
    if (rate.region === '') inCountry.set(rate.taxClass, rate.rateBps)
    else if (rate.region.toUpperCase() === region) inRegion.set(rate.taxClass, rate.rateBps)
  }
  const named = (taxClass: string) => inRegion.get(taxClass) ?? inCountry.get(taxClass)
  return { named, rateFor: (taxClass) => named(taxClass) ?? named('standard') ?? 0 }
}

// Shipped goods with one tax rate, at their price before discounts.
export interface ShippedGoods {
  rateBps: number
  subtotal: number
  quantity: number
}

export interface ShippingTaxFacts {
  rule: ShippingTaxRule | null
  merchantCountry: string
  priceTax: PriceTax
  rates: PlaceRates
  goods: readonly ShippedGoods[]
}

// Returns the tax on shipping, the highest rate first. If the place has a rate for the class `shipping`, that rate applies; otherwise the
// rates of the goods in proportion to their prices, or the standard rate. Prices before discounts are used: otherwise a code for goods
// with a low rate would tax more of the shipping at a higher rate, and could raise the total. Prices with tax can be used as they are:
// net prices have the same proportions.
export function shippingTaxes(
  charged: number,
  { rule, merchantCountry, priceTax, rates, goods }: ShippingTaxFacts,
): TaxShare[] {
  const own = rates.named('shipping')
  const isAsGoods = (rule ?? (isShippingTaxedAsGoods(merchantCountry) ? 'goods' : 'standard')) === 'goods'
  const weights =
    own === undefined && isAsGoods ? weightsByRate(goods) : new Map([[own ?? rates.rateFor('standard'), 1]])
  const byRate = [...weights].sort(([one], [other]) => other - one)
  const amounts = allocate(
    charged,
    byRate.map(([, weight]) => weight),
  )
  const shares = byRate.map(([rateBps], i) => {
    const amount = amounts[i] ?? 0
    return { rateBps, amount, tax: computeTax(amount, rateBps, priceTax) }
  })
  const taxed = shares.filter(({ amount }) => amount > 0)
  return taxed.length > 0 ? taxed : shares.slice(0, 1)
}

// If all goods are free, each unit has the same weight.
function weightsByRate(goods: readonly ShippedGoods[]): Map<number, number> {
  const isFree = goods.every(({ subtotal }) => subtotal === 0)
  const weights = new Map<number, number>()
  for (const { rateBps, subtotal, quantity } of goods)
    weights.set(rateBps, (weights.get(rateBps) ?? 0) + (isFree ? quantity : subtotal))
  return weights
}

// Computes the tax, rounded half up once. An included tax is a share of the gross amount; an excluded tax is added to the net amount. In
// both cases the tax is rounded, as on an invoice: rounding the net amount instead would round halves of the tax down.
export function computeTax(amount: number, rateBps: number, priceTax: PriceTax): number {
  const [whole, rate] = [BigInt(amount), BigInt(rateBps)]
  return Number(roundHalfUpDivide(whole * rate, priceTax === 'excluded' ? wholeBps : wholeBps + rate))
}

// Deducts the tax from an amount that contains it.
export function deductTax(amount: number, rateBps: number): number {
  return amount - computeTax(amount, rateBps, 'included')
}

// Returns the rates to deduct from prices with tax if a sale is not taxed: those of the place, which other buyers there pay. Those of the
// seller's own country are used for an export and, if the place has no standard rate, for the classes that it does not name.
export function ratesToDeduct(relief: TaxRelief, there: PlaceRates, home: PlaceRates): PlaceRates {
  if (relief === 'export') return home
  if (there.named('standard') !== undefined) return there
  return {
    named: (taxClass) => there.named(taxClass) ?? home.named(taxClass),
    rateFor: (taxClass) => there.named(taxClass) ?? home.rateFor(taxClass),
  }
}

// Converts a price with tax to one without, or the reverse.
export function convertPriceTax(
  wanted: PriceTax,
  { price, rateBps, priceTax }: { price: number; rateBps: number; priceTax: PriceTax },
): number {
  if (wanted === priceTax) return price
  const tax = computeTax(price, rateBps, priceTax)
  return wanted === 'included' ? price + tax : price - tax
}

export interface TaxedSale {
  sellerCountry: string
  // Whether the seller uses the scheme for small businesses, which charge no tax.
  isSmallBusiness: boolean
  // Whether the seller has a VAT number of the EU.
  isVatRegistered: boolean
  // Country of the buyer's VAT number, if a register has confirmed it.
  buyerVatCountry: string | null
  // The place of delivery or of the buyer; null while it is unknown.
  place: TaxPlace | null
  // Whether the place has a rate above zero for any of the items or for shipping.
  isTaxedThere: boolean
  // Whether any of the items is shipped.
  isShipped: boolean
}

// Returns why no tax is charged on the whole sale; null if tax is charged. A delivery outside of the EU is an export, unless the seller
// has rates for that country and so is registered there. Goods shipped to a buyer with a VAT number of another EU state are exempt
// (Directive 2006/112, Art. 138); if nothing is shipped, the buyer owes the tax instead of the seller (Art. 44 and 196).
export function taxReliefFor(sale: TaxedSale): TaxRelief | null {
  const { sellerCountry, isSmallBusiness, isVatRegistered, buyerVatCountry, place, isTaxedThere, isShipped } = sale
  if (isSmallBusiness) return 'small_business'
  if (!place || !isInVatArea(sellerCountry)) return null
  if (!isInVatArea(place.country)) return isTaxedThere ? null : 'export'
  const own = vatStateOf(sellerCountry)
  const isAbroad = buyerVatCountry !== null && vatStateOf(buyerVatCountry) !== own && vatStateOf(place.country) !== own
  if (!isVatRegistered || !isAbroad) return null
  return isShipped ? 'intra_community' : 'reverse_charge'
}

// Returns the code of a region, which may be written as `ca`, or as `US-CA` by ISO 3166-2.
function regionCode({ country, region }: TaxPlace): string {
  const code = (region ?? '').trim().toUpperCase()
  return code.startsWith(`${country}-`) ? code.slice(country.length + 1) : code
}
