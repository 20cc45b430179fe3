// Counts the SKUs that are low and for sale. Which SKUs are for sale is remembered until the catalog changes, because the dashboard counts
// again and again: with 750 low SKUs, looking them up was more than half of the home page.

import { Lru } from '../../platform/kit/lru.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { type Reader, runAfterCommit } from '../../platform/storage/storage.ts'
import { type FreeStock, findLowStockLimit, listLowStock, listSkusForSale } from './adminstore.ts'

interface Remembered {
  catalogVersion: number
  // By the id of the SKU. Never changed, since other requests may be reading it.
  isForSale: ReadonlyMap<string, boolean>
}

// SKUs of all merchants together. One takes about 100 bytes.
const rememberedMax = 50_000
const rowsMaxDefault = 2_000

export type CountLowStock = (db: Reader, at: MerchantMode, max: number) => Promise<number>

// `rowsMax`: how many SKUs are read by one statement.
export function createLowStockCount({ rowsMax = rowsMaxDefault } = {}): CountLowStock {
  const remembered = new Lru<string, Remembered>(rememberedMax, ({ isForSale }) => 1 + isForSale.size)

  // The version was read in the same snapshot, so what is remembered is not older than the snapshot, whichever server changed the catalog.
  async function forSale(db: Reader, merchantId: string, catalogVersion: number, skuIds: readonly string[]) {
    const kept = remembered.get(merchantId)
    const known = kept?.catalogVersion === catalogVersion ? kept.isForSale : new Map<string, boolean>()
    const unknown = skuIds.filter((id) => !known.has(id))
    if (unknown.length === 0) return known
    const found = new Set(await listSkusForSale(db, merchantId, unknown))
    const isForSale = new Map([...known, ...unknown.map((id) => [id, found.has(id)] as const)])
    runAfterCommit(db, () => remembered.set(merchantId, { catalogVersion, isForSale }))
    return isForSale
  }

  return async (db, at, max) => {
    const { lowStockAt, catalogVersion } = await findLowStockLimit(db, at.merchantId)
    let count = 0
    let after: FreeStock | undefined
    do {
      const rows = await listLowStock(db, at, { most: lowStockAt, after, limit: rowsMax })
      const ids = rows.map(({ id }) => id)
      const isForSale = await forSale(db, at.merchantId, catalogVersion, ids)
      count += ids.filter((id) => isForSale.get(id)).length
      after = rows.length < rowsMax ? undefined : rows.at(-1)
    } while (after && count < max)
    return Math.min(count, max)
  }
}
