// Lists the brands of a merchant, with the number of products of each. The list is remembered until the catalog changes, because each page
// of products in the dashboard asks for it, and counting reads an index entry of every product.

import { Lru } from '../../platform/kit/lru.ts'
import { type Reader, runAfterCommit } from '../../platform/storage/storage.ts'
import { listBrands } from './adminstore.ts'
import { findCatalogVersion } from './store.ts'

type Brands = Awaited<ReturnType<typeof listBrands>>

// Brands of all merchants together. One takes about 200 bytes.
const rememberedMax = 20_000

export function createBrandList(): typeof listBrands {
  const remembered = new Lru<string, { catalogVersion: number; brands: Brands }>(
    rememberedMax,
    ({ brands }) => 1 + brands.length,
  )
  return async (db: Reader, merchantId, after, limit) => {
    const catalogVersion = await findCatalogVersion(db, merchantId)
    const name = JSON.stringify([merchantId, after, limit])
    const known = remembered.get(name)
    if (known?.catalogVersion === catalogVersion) return known.brands
    // Read in the same snapshot as the version.
    const brands = await listBrands(db, merchantId, after, limit)
    runAfterCommit(db, () => remembered.set(name, { catalogVersion, brands }))
    return brands
  }
}
