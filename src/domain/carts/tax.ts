// Tax: which rate holds at a place, and what a rate makes of an amount. Pure.

import { roundHalfUpDivide } from '../../platform/kit/money.ts'
import type { TaxRate } from '../merchants/store.ts'

export type PriceTax = 'included' | 'excluded'

export interface TaxPlace {
  country: string
  region: string | null
}

const wholeBps = 10_000n

// The rates of one place by tax class, in basis points; read once for a whole cart. A class is looked for in the region,
// then in the country; only a class that neither names pays the standard rate, of the region before that of the country.
// So food that is exempt in all of Canada stays exempt in a province that names nothing but its standard rate.
export function ratesAt(rates: readonly TaxRate[], place: TaxPlace): (taxClass: string) => number {
  const region = regionCode(place)
  const inRegion = new Map<string, number>()
  const inCountry = new Map<string, number>()
  for (const rate of rates) {
    if (rate.country !== place.country) continue
    if (rate.region === '') inCountry.set(rate.taxClass, rate.rateBps)
    else if (rate.region.toUpperCase() === region) inRegion.set(rate.taxClass, rate.rateBps)
  }
  return (taxClass) =>
    inRegion.get(taxClass) ?? inCountry.get(taxClass) ?? inRegion.get('standard') ?? inCountry.get('standard') ?? 0
}

// Rounded half up once. An included tax is a share of the gross amount, an excluded one comes on top of the net amount; in
// both it is the tax that is rounded, as on an invoice: rounding the net instead would take every half from the tax.
export function taxOn(amount: number, rateBps: number, priceTax: PriceTax): number {
  const [whole, rate] = [BigInt(amount), BigInt(rateBps)]
  return Number(roundHalfUpDivide(whole * rate, priceTax === 'excluded' ? wholeBps : wholeBps + rate))
}

// People write the region as `ca`, and as ISO 3166-2 has it, `US-CA`.
function regionCode({ country, region }: TaxPlace): string {
  const code = (region ?? '').trim().toUpperCase()
  return code.startsWith(`${country}-`) ? code.slice(country.length + 1) : code
}
