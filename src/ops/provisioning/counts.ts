// Counts the products of every category again after a shop file or an import.

import { recountCategories } from '../../domain/catalog/categories.ts'
import { lockMerchant } from '../../domain/merchants/store.ts'
import type { Storage } from '../../platform/storage/storage.ts'

// Also where the work fails: what it has committed until then stays. Counting all of them also repairs what an earlier run
// that was killed left behind.
export async function countedAfter<Outcome>(
  storage: Storage,
  slug: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  let outcome: Outcome
  try {
    outcome = await work()
  } catch (error) {
    // Without storage this fails too, and the first error is the one to report.
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
