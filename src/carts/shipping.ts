// Shipping: which zone serves a country, and what its options cost for one parcel. Pure.

import type { ShippingOption } from '../contract/open/carts.ts'
import type { ShippingZone } from '../installations/store.ts'

export interface WeightStep {
  upToGrams: number
  amount: number
}

export interface ZoneOption {
  id: string
  label: string
  amount: number
  freeFrom: number | null
  weightSteps: readonly WeightStep[]
}

export interface Zone {
  zone: string
  countries: readonly string[]
  options: readonly ZoneOption[]
}

// What is sent: its weight, and the price of everything in the cart before any discount.
export interface Parcel {
  weightGrams: number
  subtotal: number
}

// The casts say that provisioning checked both lists before it kept them.
export function parseZone(row: ShippingZone): Zone {
  return {
    zone: row.zone,
    countries: JSON.parse(row.countries) as Zone['countries'],
    options: JSON.parse(row.options) as Zone['options'],
  }
}

export function isServed(zones: readonly Zone[], country: string): boolean {
  return zoneFor(zones, country) !== undefined
}

// Null is every country: some zone serves the rest of the world, or there is none to say where.
export function servedCountries(zones: readonly Zone[]): readonly string[] | null {
  const named = zones.flatMap(({ countries }) => countries)
  return named.length === 0 || named.includes('*') ? null : named
}

// `*` is every country that no other zone names, wherever it stands in the list.
export function zoneFor(zones: readonly Zone[], country: string): Zone | undefined {
  return (
    zones.find(({ countries }) => countries.includes(country)) ?? zones.find(({ countries }) => countries.includes('*'))
  )
}

export function needsShipping(lines: readonly { delivery: 'shipped' | 'digital' }[]): boolean {
  return lines.some(({ delivery }) => delivery === 'shipped')
}

// The options of a zone that carry the parcel, in the merchant's order, each with its amount for this parcel.
export function offersFor(zone: Zone, parcel: Parcel): ShippingOption[] {
  return zone.options.flatMap((option) => {
    const amount = amountFor(option, parcel)
    return amount === undefined ? [] : [{ id: option.id, label: option.label, amount }]
  })
}

// The first offer is the merchant's default: it stands in for a choice that was never made or is no longer offered.
export function chosenOffer(offers: readonly ShippingOption[], optionId: string | null): ShippingOption | undefined {
  return offers.find(({ id }) => id === optionId) ?? offers[0]
}

// Undefined: heavier than the last step, so the option is not offered.
function amountFor({ amount, freeFrom, weightSteps }: ZoneOption, parcel: Parcel): number | undefined {
  if (freeFrom !== null && parcel.subtotal >= freeFrom) return 0
  if (weightSteps.length === 0) return amount
  return weightSteps.find(({ upToGrams }) => parcel.weightGrams <= upToGrams)?.amount
}
