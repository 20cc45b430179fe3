// Shipping of a cart: the merchant's zones, parsed from their rows, and the chosen option. Prices by zone are computed in
// platform/kit/shipping.ts. Pure.

import type { ShippingOption } from '../../contract/open/carts.ts'
import { type Zone, zoneFor } from '../../platform/kit/shipping.ts'
import type { ShippingZone } from '../merchants/store.ts'

// The casts are safe: both lists were checked before they were stored.
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

// Returns the countries that the merchant's zones name; null if a zone serves the rest of the world, or no zone names a country.
export function servedCountries(zones: readonly Zone[]): readonly string[] | null {
  const named = zones.flatMap(({ countries }) => countries)
  return named.length === 0 || named.includes('*') ? null : named
}

export function needsShipping(lines: readonly { delivery: 'shipped' | 'digital' }[]): boolean {
  return lines.some(({ delivery }) => delivery === 'shipped')
}

// Returns the first option, which is the merchant's default, if no option was chosen or the chosen one is no longer offered.
export function effectiveShippingOption(
  offers: readonly ShippingOption[],
  optionId: string | null,
): ShippingOption | undefined {
  return offers.find(({ id }) => id === optionId) ?? offers[0]
}
