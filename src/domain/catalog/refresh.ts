// Updates the catalog's responses after a change of stock. A change of stock only marks the product as stale. From then on each read
// renders the product again, until the background job here renders it once, stores the responses and clears the mark.

import { handleRows } from '../../platform/jobs/rows.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import { findNamedMakers } from '../makers/store.ts'
import { raiseCatalogVersion } from '../merchants/store.ts'
import { type ProductAnswers, renderProduct } from './answer.ts'
import { isInStock } from './indexed.ts'
import { updateInStock } from './indexstore.ts'
import {
  findSeller,
  listPublishedProducts,
  listStaleProducts,
  listStaleRows,
  lockSeller,
  lockStockOf,
  type RefreshedProduct,
  refreshListedProducts,
  type StaleProduct,
} from './store.ts'

// The time may be in the future: the expiry of a hold changes the available stock without a write.
export function isStale({ staleAt }: { staleAt: number | null }, now: Date): boolean {
  return staleAt !== null && staleAt <= now.getTime()
}

// Renders the responses for the present time, in the snapshot in which the listing was found.
export async function renderCurrentAnswers(
  db: Reader,
  { merchantId, mode, productId }: StaleProduct,
  now: Date,
): Promise<ProductAnswers> {
  const [seller, [product]] = await Promise.all([
    findSeller(db, merchantId),
    listPublishedProducts(db, merchantId, [productId], now.getTime()),
  ])
  if (!seller || !product) throw new Error(`product ${productId} is listed but not published`)
  return renderProduct(seller, product, mode, await findNamedMakers(db, merchantId, [product]))
}

// Renders at most `limit` stale products again and returns how many. Safe on several nodes at the same time.
export async function refreshStaleProducts(storage: Storage, now: number, limit: number): Promise<number> {
  const stale = await storage.read((db) => listStaleProducts(db, now, limit))
  return handleRows(
    { storage, loop: 'stale_products', now },
    Map.groupBy(stale, ({ merchantId, mode }) => `${merchantId} ${mode}`).values(),
    ({ merchantId, mode, productId }) => ({ tenantId: merchantId, rowId: `${mode} ${productId}` }),
    (products) => storage.write((tx) => refreshProducts(tx, products, now)),
  )
}

// A change of stock that finds its product already stale writes nothing, so the mark would not show a change that is made between reading
// and writing here. Therefore the stock is locked first: earlier changes are visible here, and a later change finds the mark cleared and
// sets it again.
async function refreshProducts(tx: Tx, stale: readonly StaleProduct[], now: number): Promise<number> {
  const [first] = stale
  if (!first) return 0
  const { merchantId, mode } = first
  const productIds = stale.map(({ productId }) => productId)
  const [seller, , rows, products] = await Promise.all([
    lockSeller(tx, merchantId),
    lockStockOf(tx, { merchantId, mode }, productIds),
    listStaleRows(tx, { merchantId, mode }, productIds, now),
    listPublishedProducts(tx, merchantId, productIds, now),
  ])
  if (!seller) throw new Error(`merchant ${merchantId} has products but does not exist`)
  const makers = await findNamedMakers(tx, merchantId, products)
  const productOf = new Map(products.map((product) => [product.id, product]))
  const refreshed: RefreshedProduct[] = []
  let isSeenChanged = false
  for (const { productId, etag, nextEndAt } of rows) {
    const product = productOf.get(productId)
    if (!product) throw new Error(`product ${productId} is listed but not published`)
    const answers = renderProduct(seller, product, mode, makers)
    refreshed.push({ productId, answers, staleAt: nextEndAt })
    // The ETag covers the public response, which contains no numbers of stock: it changes only if shoppers see something else.
    if (answers.etag === etag) continue
    isSeenChanged = true
    updateInStock(tx, { merchantId, mode }, productId, isInStock(seller, product, mode))
  }
  if (refreshed.length > 0) refreshListedProducts(tx, { merchantId, mode }, refreshed)
  if (isSeenChanged) await raiseCatalogVersion(tx, merchantId)
  return refreshed.length
}
