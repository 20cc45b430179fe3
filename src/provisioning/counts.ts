// How many products a category shows, counted anew after products were written.

import { countProductsByCategory, listCategories, raiseCatalogVersion, setProductCount } from '../catalog/store.ts'
import { lockMerchant } from '../installations/store.ts'
import type { Storage } from '../storage/storage.ts'

// Counts the products of the categories when the work is over, also where it broke off: what it wrote before that stays.
export async function countedAfter<Outcome>(
  storage: Storage,
  slug: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  let outcome: Outcome
  try {
    outcome = await work()
  } catch (error) {
    // Where the storage is gone this fails too, and the first error is the one to tell.
    await Promise.allSettled([recountCategories(storage, slug)])
    throw error
  }
  await recountCategories(storage, slug)
  return outcome
}

async function recountCategories(storage: Storage, slug: string): Promise<void> {
  await storage.write(async (tx) => {
    const merchant = await lockMerchant(tx, slug)
    if (!merchant) return
    const [counts, kept] = await Promise.all([
      countProductsByCategory(tx, merchant.id),
      listCategories(tx, merchant.id),
    ])
    const shown = new Map(kept.map(({ id, productCount }) => [id, productCount]))
    const wrong = counts.filter(({ categoryId, count }) => shown.get(categoryId) !== count)
    for (const { categoryId, count } of wrong) await setProductCount(tx, merchant.id, categoryId, count)
    if (wrong.length > 0) await raiseCatalogVersion(tx, merchant.id)
  })
}
