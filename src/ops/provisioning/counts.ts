// Updates the product counts of all categories after a shop file or an import.

import { recountCategories } from '../../domain/catalog/categories.ts'
import { lockMerchant } from '../../domain/merchants/store.ts'
import type { Storage } from '../../platform/storage/storage.ts'

// Recounts even if the work fails, since some of its transactions may be committed. Counting all categories also repairs counts that a
// killed run left wrong.
export async function recountCategoriesAfter<Outcome>(
  storage: Storage,
  slug: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  let outcome: Outcome
  try {
    outcome = await work()
  } catch (error) {
    // If the storage is unavailable, the recount fails too, and the first error must be reported.
    await Promise.allSettled([recount(storage, slug)])
    throw error
  }
  await recount(storage, slug)
  return outcome
}

async function recount(storage: Storage, slug: string): Promise<void> {
  await storage.write(async (tx) => {
    const merchant = await lockMerchant(tx, slug)
    if (merchant) await recountCategories(tx, merchant.id, 'all')
  })
}
