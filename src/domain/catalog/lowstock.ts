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

  return async (db, at, max) => {
    const { lowStockAt, catalogVersion } = await findLowStockLimit(db, at.merchantId)
    // The version was read in the same snapshot, so what is remembered is not older than the snapshot, whichever server changed the catalog.
    const kept = remembered.get(at.merchantId)
    const known = kept?.catalogVersion === catalogVersion ? kept.isForSale : new Map<string, boolean>()
    const added = new Map<string, boolean>()
    let count = 0
    let after: FreeStock | undefined
    do {
      const rows = await listLowStock(db, at, { most: lowStockAt, after, limit: rowsMax })
      const unknown = rows.map(({ id }) => id).filter((id) => !known.has(id))
      const found = new Set(unknown.length > 0 ? await listSkusForSale(db, at.merchantId, unknown) : [])
      for (const id of unknown) added.set(id, found.has(id))
      count += rows.filter(({ id }) => known.get(id) ?? added.get(id)).length
      after = rows.length < rowsMax ? undefined : rows.at(-1)
    } while (after && count < max)
    if (added.size > 0) {
      const isForSale = new Map([...known, ...added])
      runAfterCommit(db, () => remembered.set(at.merchantId, { catalogVersion, isForSale }))
    }
    return Math.min(count, max)
  }
}
