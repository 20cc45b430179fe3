// The price of a draft, without writing anything: computed by the function that prices carts.

import type { CreateDraftRequest } from '../../contract/admin/drafts.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { checkAddress } from '../addresses/check.ts'
import { listWantedOffers, refuseUnsellable, withOwnPrice } from '../carts/lines.ts'
import type { Pricebooks } from '../carts/pricebook.ts'
import { type MerchantTerms, priceCart } from '../carts/pricing.ts'
import { isServed, needsShipping } from '../carts/shipping.ts'
import type { Offer } from '../carts/store.ts'
import { findSellerTerms } from './store.ts'
import { type DraftPrices, draftPrices } from './view.ts'

type Asked = Pick<CreateDraftRequest, 'items' | 'discount' | 'shipping' | 'address'>

// What an existing draft has: the stock that it holds, its destination and its shipping option.
export interface DraftReservations {
  available: ReadonlyMap<string, number>
  destination: { country: string; region: string | null } | null
  shippingOptionId: string | null
}

const nothing: DraftReservations = { available: new Map(), destination: null, shippingOptionId: null }

export function merchantTermsFrom({
  discount = 0,
  shipping = null,
}: Pick<Asked, 'discount' | 'shipping'>): MerchantTerms {
  return { discount, shipping: shipping && { label: shipping.label, amount: shipping.amount } }
}

export function merchantPricesBySku(items: Asked['items']): ReadonlyMap<string, number> {
  return new Map(
    items.flatMap(({ skuId, unitPrice }) => (unitPrice === undefined ? [] : [[skuId, unitPrice] as const])),
  )
}

export async function previewDraft(
  db: Reader,
  pricebooks: Pricebooks,
  seller: MerchantMode,
  asked: Asked,
  now: number,
  present: DraftReservations = nothing,
): Promise<DraftPrices> {
  const { items } = asked
  const terms = await findSellerTerms(db, seller.merchantId)
  if (!terms) throw new Error(`merchant ${seller.merchantId} does not exist`)
  const [offers, book] = await Promise.all([
    listWantedOffers(db, seller, items, now),
    pricebooks.find(db, seller.merchantId, terms.catalogVersion),
  ])
  const prices = merchantPricesBySku(items)
  const lines = items.map(({ quantity }, position) => {
    const offer = withHeldStock(offers[position] as Offer, present)
    refuseUnsellable(offer, quantity)
    return withOwnPrice({ offer, position, quantity, seenPrice: offer.price }, prices.get(offer.skuId))
  })
  const own = merchantTermsFrom(asked)
  const { country, region } = destinationOf(asked) ?? present.destination ?? { country: null, region: null }
  if (country !== null && !own.shipping && needsShipping(offers) && !isServed(book.zones, country))
    throw refuse('address_undeliverable')
  try {
    const pricing = priceCart({
      currency: terms.currency,
      priceTax: terms.priceTax,
      shippingTax: terms.shippingTax,
      merchantCountry: terms.country,
      lines: lines.map(({ offer, quantity }) => ({ ...offer, unitPrice: offer.price, quantity, categories: [] })),
      promotion: null,
      destination: country === null ? null : { country, region },
      taxRates: book.taxRates,
      isSmallBusiness: book.isSmallBusiness,
      zones: book.zones,
      shippingOptionId: present.shippingOptionId,
      terms: own,
      now,
    })
    return draftPrices(lines, pricing)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw refuse('quantity_limit_exceeded', { message: 'The total of the draft would be too large.' })
  }
}

// Counts the stock that the draft holds as available.
export function withHeldStock(offer: Offer, { available }: Pick<DraftReservations, 'available'>): Offer {
  return { ...offer, available: available.get(offer.skuId) ?? offer.available }
}

function destinationOf({ address }: Asked): { country: string; region: string | null } | undefined {
  if (!address) return undefined
  const checked = checkAddress(address)
  if ('issues' in checked)
    throw refuse('invalid_request', {
      issues: checked.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^\/address|^/, '/address') })),
    })
  return { country: checked.address.country, region: checked.address.region ?? null }
}
