// The cost of shipping: the zone that serves a country, and its options with their prices for a parcel. Pure.

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

// The parcel to be shipped: its weight, and the total of the cart before discounts.
export interface ShippedParcel {
  weightGrams: number
  subtotal: number
}

export interface ShippingOffer {
  id: string
  label: string
  amount: number
}

// `*` stands for every country that no zone lists, even if its zone comes first.
export function zoneFor(zones: readonly Zone[], country: string): Zone | undefined {
  return (
    zones.find(({ countries }) => countries.includes(country)) ?? zones.find(({ countries }) => countries.includes('*'))
  )
}

// Returns the options of a zone that are available for the parcel, in the merchant's order, each with its price.
export function shippingOffersFor(zone: Zone, parcel: ShippedParcel): ShippingOffer[] {
  return zone.options.flatMap((option) => {
    const amount = amountFor(option, parcel)
    return amount === undefined ? [] : [{ id: option.id, label: option.label, amount }]
  })
}

// Returns undefined if the parcel is heavier than the last weight step, so the option is not offered.
function amountFor({ amount, freeFrom, weightSteps }: ZoneOption, parcel: ShippedParcel): number | undefined {
  if (freeFrom !== null && parcel.subtotal >= freeFrom) return 0
  if (weightSteps.length === 0) return amount
  return weightSteps.find(({ upToGrams }) => parcel.weightGrams <= upToGrams)?.amount
}
