// Updates the search index to match the products: fills it after an upgrade or a copy, and finds changes that an older release, running
// at the same time, made without updating the index. Every other change of a product writes its own index entry; see `change.ts`.

import { handleRows, RowsFailed } from '../../platform/jobs/rows.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { raiseCatalogVersion } from '../merchants/store.ts'
import { buildIndexEntry } from './indexing.ts'
import { clearIndex, deleteIndexed, listWalkedProducts, type ProductKey, putIndexEntries } from './indexstore.ts'
import { listPublishedProducts, lockSeller } from './store.ts'

// Progress of a walk through all products.
export interface IndexWalk {
  after: ProductKey
}

export function createIndexWalk(): IndexWalk {
  return { after: { merchantId: '', productId: '' } }
}

// Checks the next products and indexes those that are missing or outdated. Returns how many were checked. After the last product, the
// walk starts again.
export async function indexProducts(
  storage: Storage,
  walk: IndexWalk,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const products = await storage.read((db) => listWalkedProducts(db, walk.after, limit))
  walk.after = products.length < limit ? createIndexWalk().after : (products.at(-1) as ProductKey)
  const missing = products.filter(({ isIndexed }) => isIndexed === 0)
  try {
    await handleRows(
      { storage, loop: 'product_index', now },
      Map.groupBy(missing, ({ merchantId }) => merchantId).values(),
      ({ merchantId, productId }) => ({ tenantId: merchantId, rowId: productId }),
      (rows) => storage.write((tx) => indexSome(tx, rows, now)),
    )
  } catch (error) {
    // Counts every checked product as a row, not only the missing ones: a full round tells the loop that more products follow.
    if (error instanceof RowsFailed) throw new RowsFailed(error.failures, products.length - error.failures.length)
    throw error
  }
  return products.length
}

// The lock waits for a concurrent change of the same product, so the read sees that change.
async function indexSome(tx: Tx, keys: readonly ProductKey[], now: number): Promise<number> {
  const merchantId = (keys[0] as ProductKey).merchantId
  const seller = await lockSeller(tx, merchantId)
  if (!seller) throw new Error(`merchant ${merchantId} has products but does not exist`)
  const ids = keys.map(({ productId }) => productId)
  const published = await listPublishedProducts(tx, merchantId, ids, now)
  const found = new Set(published.map(({ id }) => id))
  putIndexEntries(
    tx,
    merchantId,
    published.map((product) => buildIndexEntry(seller, product)),
  )
  deleteIndexed(
    tx,
    merchantId,
    ids.filter((id) => !found.has(id)),
  )
  await raiseCatalogVersion(tx, merchantId)
  return ids.length
}

// Empties the index and fills it again. Until that is done, searches find only products that are already indexed. Returns the number of
// products.
export async function rebuildIndex(storage: Storage, { now, limit }: { now: number; limit: number }): Promise<number> {
  await storage.write(clearIndex)
  return fillIndex(storage, { now, limit })
}

// Indexes all products that are missing or outdated.
export async function fillIndex(storage: Storage, { now, limit }: { now: number; limit: number }): Promise<number> {
  const walk = createIndexWalk()
  let count = 0
  for (;;) {
    const walked = await indexProducts(storage, walk, { now, limit })
    count += walked
    if (walked < limit) break
  }
  await storage.afterBulkLoad(['product_index', 'product_index_words', 'product_words'])
  return count
}
