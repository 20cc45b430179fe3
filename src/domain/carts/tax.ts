// Tax: which rate holds at a place, and what a rate makes of an amount. Pure.

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
  // Undefined where the place does not name the class.
  named(taxClass: string): number | undefined
  rateFor(taxClass: string): number
}

// Read once for a whole cart. A class is looked for in the region,
// then in the country; only a class that neither names pays the standard rate, of the region before that of the country.
// So food that is exempt in all of Canada stays exempt in a province that names nothing but its standard rate.
export function ratesAt(rates: readonly TaxRate[], place: TaxPlace): PlaceRates {
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

// What is shipped, at its price before discounts.
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

// The tax on what is charged for shipping, the highest rate first: at the rate of its own class where the place names one; otherwise as the
// goods, in proportion to their prices, or at the standard rate. Prices before discounts: by those after them, a code for goods of a low rate
// would shift the shipping to a higher one, and could raise the total. Parts of tax-inclusive prices are in the proportion of the prices
// with tax, which is that of the net prices too.
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
    return { rateBps, amount, tax: taxOn(amount, rateBps, priceTax) }
  })
  const taxed = shares.filter(({ amount }) => amount > 0)
  return taxed.length > 0 ? taxed : shares.slice(0, 1)
}

// Where all goods are free, each unit weighs the same.
function weightsByRate(goods: readonly ShippedGoods[]): Map<number, number> {
  const isFree = goods.every(({ subtotal }) => subtotal === 0)
  const weights = new Map<number, number>()
  for (const { rateBps, subtotal, quantity } of goods)
    weights.set(rateBps, (weights.get(rateBps) ?? 0) + (isFree ? quantity : subtotal))
  return weights
}

// Rounded half up once. An included tax is a share of the gross amount, an excluded one comes on top of the net amount; in
// both it is the tax that is rounded, as on an invoice: rounding the net instead would take every half from the tax.
export function taxOn(amount: number, rateBps: number, priceTax: PriceTax): number {
  const [whole, rate] = [BigInt(amount), BigInt(rateBps)]
  return Number(roundHalfUpDivide(whole * rate, priceTax === 'excluded' ? wholeBps : wholeBps + rate))
}

// An amount that contains the tax, without it.
export function netOf(amount: number, rateBps: number): number {
  return amount - taxOn(amount, rateBps, 'included')
}

// The rates whose tax is in a price that is charged without it: those of the place, as everyone there pays them. An export has none, and
// where the seller has none for a place, the price contains the tax of the seller's own country.
export function containedRates(relief: TaxRelief, there: PlaceRates, home: PlaceRates): PlaceRates {
  if (relief === 'export') return home
  if (there.named('standard') !== undefined) return there
  return {
    named: (taxClass) => there.named(taxClass) ?? home.named(taxClass),
    rateFor: (taxClass) => there.named(taxClass) ?? home.rateFor(taxClass),
  }
}

// Converts a price with tax to one without, or the other way round.
export function priceIn(
  wanted: PriceTax,
  { price, rateBps, priceTax }: { price: number; rateBps: number; priceTax: PriceTax },
): number {
  if (wanted === priceTax) return price
  const tax = taxOn(price, rateBps, priceTax)
  return wanted === 'included' ? price + tax : price - tax
}

export interface TaxedSale {
  sellerCountry: string
  // Whether the seller uses the scheme for small businesses, which charge no tax.
  isSmallBusiness: boolean
  // Whether the seller has a VAT number of the EU.
  isVatRegistered: boolean
  // Country of the buyer's VAT number, where a register has confirmed it.
  buyerVatCountry: string | null
  // Where it is sent to, or where the buyer is; null while that is not known.
  place: TaxPlace | null
  // Whether there is a rate above zero at that place.
  isTaxedThere: boolean
  // Whether any of it is goods that are sent.
  isShipped: boolean
}

// Why no tax is charged on a whole sale; null where it is. Goods that are sent to a buyer with a number of another state of the EU are
// exempt (Directive 2006/112, Art. 138); of what is not sent, the buyer owes the tax in the place of the seller (Art. 44 and 196). A seller
// who is registered outside has rates for that country.
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

// People write the region as `ca`, and as ISO 3166-2 has it, `US-CA`.
function regionCode({ country, region }: TaxPlace): string {
  const code = (region ?? '').trim().toUpperCase()
  return code.startsWith(`${country}-`) ? code.slice(country.length + 1) : code
}
