// Tax rates and shipping zones of a file, as the tables hold them. Each table is replaced as a whole where anything in it
// differs. Pure.

import type { Change } from '../audit/change.ts'
import type { TaxRate } from '../installations/store.ts'
import type { ShopFile } from './shopfile.ts'

export interface RatesPlan {
  // Undefined: stays as it is.
  taxRates: TaxRate[] | undefined
  shippingZones: ShippingZoneRow[] | undefined
  changes: readonly Change[]
}

export interface ShippingZoneRow {
  zone: string
  countries: string
  options: string
}

export function planRates(
  { taxes, shipping }: Pick<ShopFile, 'taxes' | 'shipping'>,
  stored: { taxRates: readonly TaxRate[]; shippingZones: readonly ShippingZoneRow[] },
): RatesPlan {
  const rates = taxes && taxRatesOf(taxes)
  const zones = shipping && zonesOf(shipping)
  const taxesDiffer = rates !== undefined && !isSame(rates, stored.taxRates.toSorted(byPlace))
  const zonesDiffer = zones !== undefined && !isSame(zones, stored.shippingZones)
  return {
    taxRates: taxesDiffer ? rates : undefined,
    shippingZones: zonesDiffer ? zones : undefined,
    changes: [
      ...(taxesDiffer ? [tableChange('taxes', stored.taxRates.length, rates.length)] : []),
      ...(zonesDiffer ? [tableChange('shipping', stored.shippingZones.length, zones.length)] : []),
    ],
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function tableChange(what: 'taxes' | 'shipping', from: number, to: number): Change {
  const kind = from === 0 ? 'create' : 'change'
  return { kind, what, name: `(${to})`, members: [{ member: 'rows', from, to }] }
}

function taxRatesOf(entries: NonNullable<ShopFile['taxes']>): TaxRate[] {
  return entries
    .map((entry) => ({
      country: entry.country,
      region: entry.region ?? '',
      taxClass: entry.class ?? 'standard',
      rateBps: entry.rate,
    }))
    .sort(byPlace)
}

// Compared by code unit: the databases' own orders differ.
function byPlace(a: TaxRate, b: TaxRate): number {
  const [left, right] = [`${a.country} ${a.region} ${a.taxClass}`, `${b.country} ${b.region} ${b.taxClass}`]
  if (left === right) return 0
  return left < right ? -1 : 1
}

function zonesOf(entries: NonNullable<ShopFile['shipping']>): ShippingZoneRow[] {
  return entries.map(({ zone, countries, options }) => ({
    zone,
    countries: JSON.stringify(countries),
    options: JSON.stringify(
      options.map(({ id, label, amount, freeFrom = null, weightSteps = [] }) => ({
        id,
        label,
        amount,
        freeFrom,
        weightSteps,
      })),
    ),
  }))
}
