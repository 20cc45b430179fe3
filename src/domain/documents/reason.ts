// Why no tax is charged. Pure.

import { isByVatNumber, type TaxReason, type TaxRelief } from '../../contract/words.ts'
import { isInVatArea } from '../../platform/kit/country.ts'

export interface TaxedPlace {
  // The relief stored with the order; null if tax was charged, and for orders of earlier releases.
  relief: TaxRelief | null
  isSmallBusiness: boolean
  sellerCountry: string
  // The country of delivery, or the seller's country if nothing is shipped.
  country: string
}

// `delivery`: how the SKU is delivered; undefined for shipping, and if the SKU was deleted.
export function taxReasonFor(
  { rateBps, delivery }: { rateBps: number; delivery: 'shipped' | 'digital' | undefined },
  { relief, isSmallBusiness, sellerCountry, country }: TaxedPlace,
): TaxReason | null {
  if (rateBps > 0) return null
  // An order may have both goods and services, for which the law gives different reasons.
  if (isByVatNumber(relief) && delivery !== undefined)
    return delivery === 'digital' ? 'reverse_charge' : 'intra_community'
  if (relief !== null) return relief
  if (isSmallBusiness) return 'small_business'
  return isInVatArea(sellerCountry) && !isInVatArea(country) ? 'export' : 'zero_rate'
}
