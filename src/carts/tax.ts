// Tax: which rate holds at a place, and what a rate makes of an amount. Pure.

import type { TaxRate } from '../installations/store.ts'
import { roundHalfUpDivide } from '../kit/money.ts'

export type PriceTax = 'included' | 'excluded'

export interface Place {
  country: string
  region: string | null
}

const wholeBps = 10_000n

// The rates of one place by tax class, in basis points; read once for a whole cart. A class that the place does not
// name pays its standard rate. A region that can answer neither is treated as the rest of its country.
export function ratesAt(rates: readonly TaxRate[], place: Place): (taxClass: string) => number {
  const region = regionCode(place)
  const inRegion = new Map<string, number>()
  const inCountry = new Map<string, number>()
  for (const rate of rates) {
    if (rate.country !== place.country) continue
    if (rate.region === '') inCountry.set(rate.taxClass, rate.rateBps)
    else if (rate.region.toUpperCase() === region) inRegion.set(rate.taxClass, rate.rateBps)
  }
  return (taxClass) =>
    inRegion.get(taxClass) ?? inRegion.get('standard') ?? inCountry.get(taxClass) ?? inCountry.get('standard') ?? 0
}

// An included tax is what is left of the gross amount beside its rounded net amount; an excluded one comes on top.
export function taxOn(amount: number, rateBps: number, priceTax: PriceTax): number {
  const [whole, rate] = [BigInt(amount), BigInt(rateBps)]
  if (priceTax === 'excluded') return Number(roundHalfUpDivide(whole * rate, wholeBps))
  return Number(whole - roundHalfUpDivide(whole * wholeBps, wholeBps + rate))
}

// People write the region as `ca`, and as ISO 3166-2 has it, `US-CA`.
function regionCode({ country, region }: Place): string {
  const code = (region ?? '').trim().toUpperCase()
  return code.startsWith(`${country}-`) ? code.slice(country.length + 1) : code
}
