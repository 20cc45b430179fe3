// Settings of a merchant that carts and checkouts need: taxes, shipping zones, the tree of categories, the merchant's public data and
// payment methods. Cached until the merchant's catalog version rises, as it does with every change of these settings. So are the offers of
// SKUs, without price and stock. Promotions have a version of their own in each mode, which also rises with each use.

import type { InvoicesEntry, LegalEntry } from '../../contract/entries.ts'
import { Lru } from '../../platform/kit/lru.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Zone } from '../../platform/kit/shipping.ts'
import { type Reader, runAfterCommit } from '../../platform/storage/storage.ts'
import { listCategories } from '../catalog/store.ts'
import {
  findMerchantFace,
  listShippingZones,
  listTaxRates,
  type PublicMerchantFacts,
  type TaxRate,
  withdrawalPathOf,
} from '../merchants/store.ts'
import { listMethodSettings, type MethodSettings } from '../payments/methods.ts'
import { findPromotion, type Promotion } from '../promotions/store.ts'
import { type VatId, vatIdFrom } from '../vat/id.ts'
import { parseZone } from './shipping.ts'
import { type CartRow, listOffers, type Offer } from './store.ts'

export interface Pricebook {
  taxRates: readonly TaxRate[]
  zones: readonly Zone[]
  // For each category, its slug and those of all its ancestors.
  slugsUpFrom: ReadonlyMap<string, readonly string[]>
  // The seller's VAT number; null if the seller has no VAT number of the EU.
  vatId: VatId | null
  // Whether the seller uses the scheme for small businesses, which charge no tax.
  isSmallBusiness: boolean
  // Path of the withdrawal page, without the origin; null if no country to which the merchant sells requires one.
  withdrawalPath: string | null
  face: PublicMerchantFacts | undefined
  methods: readonly MethodSettings[]
}

export interface OfferQuery extends MerchantMode {
  // The merchant's catalog version when the SKUs were looked up.
  catalogVersion: number
  skuIds: readonly string[]
  now: number
}

export interface Pricebooks {
  find(db: Reader, merchant: string, catalogVersion: number): Promise<Pricebook>
  // Returns the offers in the order of the ids, without price and stock: these change all the time, so the caller adds them.
  offersOf(db: Reader, ask: OfferQuery): Promise<ModelessOffer[]>
  // Returns the promotion of the cart, in the version with which the cart was read or a newer one.
  promotionOf(db: Reader, cart: PromotedCart): Promise<Promotion | null>
}

// The members of an offer that are the same in both modes.
export type ModelessOffer = Omit<Offer, 'price' | 'available'>

type PromotedCart = Pick<CartRow, 'merchantId' | 'mode' | 'promotionId' | 'promotionVersion'>

const keptMax = 200
// For all merchants together. An offer takes some 700 bytes.
const keptOffersMaxDefault = 20_000
const keptPromotionsMax = 2_000

export function createPricebooks({ keptOffersMax = keptOffersMaxDefault } = {}): Pricebooks {
  return { find: keepBooks(), offersOf: keepOffers(keptOffersMax), promotionOf: keepPromotions() }
}

function keepBooks(): Pricebooks['find'] {
  const kept = new Lru<string, { catalogVersion: number; book: Pricebook }>(keptMax)
  return async (db, merchant, catalogVersion) => {
    const found = kept.get(merchant)
    if (found?.catalogVersion === catalogVersion) return found.book
    // The price book is read in the same snapshot as the version, so it belongs to this version.
    const book = await readPricebook(db, merchant)
    runAfterCommit(db, () => kept.set(merchant, { catalogVersion, book }))
    return book
  }
}

async function readPricebook(db: Reader, merchant: string): Promise<Pricebook> {
  const [taxRates, zones, categories, face, methods] = await Promise.all([
    listTaxRates(db, merchant),
    listShippingZones(db, merchant),
    listCategories(db, merchant),
    findMerchantFace(db, merchant),
    listMethodSettings(db, merchant),
  ])
  const byId = new Map(categories.map((category) => [category.id, category]))
  const slugsUpFrom = new Map<string, string[]>()
  for (const { id } of categories) {
    const slugs: string[] = []
    let at = byId.get(id)
    // The limit prevents an endless loop if the tree is damaged.
    while (at && slugs.length < 20) {
      slugs.push(at.slug)
      at = at.parentId === null ? undefined : byId.get(at.parentId)
    }
    slugsUpFrom.set(id, slugs)
  }
  const withdrawalPath = face ? withdrawalPathOf(face) : null
  return { taxRates, zones: zones.map(parseZone), slugsUpFrom, withdrawalPath, face, methods, ...taxStandingOf(face) }
}

function taxStandingOf(face: PublicMerchantFacts | undefined): Pick<Pricebook, 'vatId' | 'isSmallBusiness'> {
  const { vatId = '' } = face?.legal ? (JSON.parse(face.legal) as LegalEntry) : {}
  const { smallBusiness = false } = face ? (JSON.parse(face.invoices) as InvoicesEntry) : {}
  return { vatId: vatIdFrom(vatId) ?? null, isSmallBusiness: smallBusiness }
}

function keepOffers(keptOffersMax: number): Pricebooks['offersOf'] {
  const kept = new Lru<string, { catalogVersion: number; offer: ModelessOffer }>(keptOffersMax)
  return async (db, { merchantId, mode, catalogVersion, skuIds, now }) => {
    // Takes the cached offers first: adding offers to the cache may evict them.
    const found = new Map<string, ModelessOffer>()
    for (const skuId of skuIds) {
      const known = kept.peek(skuId)
      if (known?.catalogVersion === catalogVersion) found.set(skuId, known.offer)
    }
    const missing = skuIds.filter((skuId) => !found.has(skuId))
    for (const offer of missing.length > 0 ? await listOffers(db, { merchantId, mode }, missing, now) : []) {
      found.set(offer.skuId, offer)
      runAfterCommit(db, () => kept.set(offer.skuId, { catalogVersion, offer }))
    }
    return skuIds.map((skuId) => {
      const offer = found.get(skuId)
      if (!offer) throw new Error(`SKU ${skuId} of a cart does not exist`)
      return offer
    })
  }
}

function keepPromotions(): Pricebooks['promotionOf'] {
  const kept = new Lru<string, Promotion>(keptPromotionsMax)
  return async (db, cart) => {
    const { mode, promotionId, promotionVersion } = cart
    if (promotionId === null) return null
    const name = `${mode} ${promotionId}`
    const known = kept.peek(name)
    if (known?.version === promotionVersion) return known
    const promotion = await findPromotion(db, cart, promotionId)
    if (promotion) runAfterCommit(db, () => kept.set(name, promotion))
    return promotion ?? null
  }
}
