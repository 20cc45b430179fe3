// What a merchant's carts need to know and only provisioning changes: taxes, shipping zones, the tree of categories that
// promotions speak of, and what SKUs are called. Read once and kept for as long as the merchant's catalog version stands
// still, which every provisioning raises.

import { listCategories } from '../catalog/store.ts'
import { listShippingZones, listTaxRates, type TaxRate } from '../installations/store.ts'
import { Lru } from '../kit/lru.ts'
import { onceDurable, type Reader } from '../storage/storage.ts'
import { parseZone, type Zone } from './shipping.ts'
import { listOffers, type Offer } from './store.ts'

export interface Pricebook {
  taxRates: readonly TaxRate[]
  zones: readonly Zone[]
  // The slugs of a category and of all above it.
  slugsUpFrom: ReadonlyMap<string, readonly string[]>
  // In the order of the ids. Price and stock are those of some earlier moment: whoever asks has newer ones.
  offersOf(db: Reader, skuIds: readonly string[], now: number): Promise<Offer[]>
}

export type Pricebooks = (db: Reader, merchant: string, catalogVersion: number) => Promise<Pricebook>

const keptMax = 200
const keptOffersMax = 5_000

export function createPricebooks(): Pricebooks {
  const kept = new Lru<string, { catalogVersion: number; book: Pricebook }>(keptMax)
  return async (db, merchant, catalogVersion) => {
    const found = kept.get(merchant)
    if (found?.catalogVersion === catalogVersion) return found.book
    // Read in the same snapshot as the version, so they belong together.
    const book = await readPricebook(db, merchant)
    onceDurable(db, () => kept.set(merchant, { catalogVersion, book }))
    return book
  }
}

async function readPricebook(db: Reader, merchant: string): Promise<Pricebook> {
  const [taxRates, zones, categories] = await Promise.all([
    listTaxRates(db, merchant),
    listShippingZones(db, merchant),
    listCategories(db, merchant),
  ])
  const byId = new Map(categories.map((category) => [category.id, category]))
  const slugsUpFrom = new Map<string, string[]>()
  for (const { id } of categories) {
    const slugs: string[] = []
    let at = byId.get(id)
    // The bound keeps a damaged tree from hanging us.
    while (at && slugs.length < 20) {
      slugs.push(at.slug)
      at = at.parentId === null ? undefined : byId.get(at.parentId)
    }
    slugsUpFrom.set(id, slugs)
  }
  return { taxRates, zones: zones.map(parseZone), slugsUpFrom, offersOf: keepOffers(merchant) }
}

function keepOffers(merchant: string): Pricebook['offersOf'] {
  const kept = new Lru<string, Offer>(keptOffersMax)
  return async (db, skuIds, now) => {
    const missing = skuIds.filter((skuId) => kept.peek(skuId) === undefined)
    const read = new Map<string, Offer>()
    for (const offer of missing.length > 0 ? await listOffers(db, merchant, missing, now) : []) {
      read.set(offer.skuId, offer)
      onceDurable(db, () => kept.set(offer.skuId, offer))
    }
    return skuIds.map((skuId) => {
      const offer = read.get(skuId) ?? kept.peek(skuId)
      if (!offer) throw new Error(`a cart has ${skuId}, which is not there`)
      return offer
    })
  }
}
