// Why no tax is charged. Pure.

import { isByVatNumber, type TaxReason, type TaxRelief } from '../../contract/words.ts'
import { isInVatArea } from '../../platform/kit/country.ts'

export interface TaxedPlace {
  // As the order has it; null where tax was charged, and of orders from before reasons were stored.
  relief: TaxRelief | null
  isSmallBusiness: boolean
  sellerCountry: string
  // Where it is sent to, or the seller's country where nothing is sent.
  country: string
}

// `delivery` is that of the SKU; undefined of shipping, and where the SKU is gone.
export function taxReasonFor(
  { rateBps, delivery }: { rateBps: number; delivery: 'shipped' | 'digital' | undefined },
  { relief, isSmallBusiness, sellerCountry, country }: TaxedPlace,
): TaxReason | null {
  if (rateBps > 0) return null
  // An order may have both, and the law tells them apart.
  if (isByVatNumber(relief) && delivery !== undefined)
    return delivery === 'digital' ? 'reverse_charge' : 'intra_community'
  if (relief !== null) return relief
  if (isSmallBusiness) return 'small_business'
  return isInVatArea(sellerCountry) && !isInVatArea(country) ? 'export' : 'zero_rate'
}
