// Why no tax is charged. Pure.

import type { TaxReason } from '../../contract/words.ts'
import { isInVatArea } from '../../platform/kit/country.ts'

export interface TaxedPlace {
  isSmallBusiness: boolean
  sellerCountry: string
  // Where it is sent to, or the seller's country where nothing is sent.
  country: string
}

export function taxReasonFor(
  rateBps: number,
  { isSmallBusiness, sellerCountry, country }: TaxedPlace,
): TaxReason | null {
  if (rateBps > 0) return null
  if (isSmallBusiness) return 'small_business'
  return isInVatArea(sellerCountry) && !isInVatArea(country) ? 'export' : 'zero_rate'
}
