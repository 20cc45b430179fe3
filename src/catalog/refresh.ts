// Brings the catalog's answers up to the stock. Whoever changes stock only marks the product as stale; from then on a read
// renders it anew, and the loop here renders it once for all and takes the mark away.

import type { Reader, Storage, Tx } from '../storage/storage.ts'
import { type ProductAnswers, renderProduct } from './answer.ts'
import {
  findSeller,
  listPublishedProducts,
  listStaleProducts,
  listStaleRows,
  lockSeller,
  lockSkusOf,
  raiseCatalogVersion,
  refreshListedProduct,
} from './store.ts'

// A mark may lie ahead: the end of a hold changes the stock without anybody's doing.
export function isStale({ staleAt }: { staleAt: number | null }, now: Date): boolean {
  return staleAt !== null && staleAt <= now.getTime()
}

// What the answers would be if they were rendered at this instant, in the snapshot in which the product was found listed.
export async function currentAnswers(
  db: Reader,
  merchant: string,
  productId: string,
  now: Date,
): Promise<ProductAnswers> {
  const [seller, [product]] = await Promise.all([
    findSeller(db, merchant),
    listPublishedProducts(db, merchant, [productId], now.getTime()),
  ])
  if (!seller || !product) throw new Error(`${productId} is listed and not published`)
  return renderProduct(seller, product)
}

// Renders at most `limit` stale products again and answers how many. Any number of nodes may do it at once.
export async function refreshStaleProducts(storage: Storage, now: number, limit: number): Promise<number> {
  const stale = await storage.read((db) => listStaleProducts(db, now, limit))
  let done = 0
  for (const [merchant, products] of Map.groupBy(stale, ({ merchantId }) => merchantId)) {
    const ids = products.map(({ productId }) => productId)
    done += await storage.write((tx) => refreshProducts(tx, merchant, ids, now))
  }
  return done
}

// A change of stock finds its product stale already and says nothing, so that looking at the mark would not show a change
// between reading and writing. Therefore the SKUs are locked first: what was changed before is seen here, and whoever
// comes later finds the mark gone and sets it again.
async function refreshProducts(tx: Tx, merchant: string, productIds: readonly string[], now: number): Promise<number> {
  const [seller, , rows, products] = await Promise.all([
    lockSeller(tx, merchant),
    lockSkusOf(tx, merchant, productIds),
    listStaleRows(tx, merchant, productIds, now),
    listPublishedProducts(tx, merchant, productIds, now),
  ])
  if (!seller) return 0
  const productOf = new Map(products.map((product) => [product.id, product]))
  const writes: Promise<unknown>[] = []
  let done = 0
  let listChanged = false
  for (const { productId, listRow, nextEndAt } of rows) {
    const product = productOf.get(productId)
    if (!product) continue
    const answers = renderProduct(seller, product)
    listChanged ||= answers.listRow !== listRow
    writes.push(refreshListedProduct(tx, merchant, productId, answers, nextEndAt))
    done += 1
  }
  if (listChanged) writes.push(raiseCatalogVersion(tx, merchant))
  await Promise.all(writes)
  return done
}
