// The merchant whose products are written, with the members that the catalog needs, locked until the transaction ends.

import { refuse } from '../../platform/kit/refuse.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { lockMerchant, type Merchant } from '../merchants/store.ts'
import type { CategoryRow } from './answer.ts'
import type { SellerFacts } from './product.ts'
import { listCategories, lockSeller } from './store.ts'

// Changes of one catalog wait for each other here, so what is read under this lock does not change.
export async function lockCatalog(
  tx: Tx,
  { merchantId }: { merchantId: string },
): Promise<[SellerFacts, CategoryRow[]]> {
  const seller = await lockSeller(tx, merchantId)
  if (!seller) throw new Error(`merchant ${merchantId} does not exist`)
  return [seller, await listCategories(tx, merchantId)]
}

export function sellerFactsOf(merchant: Merchant): SellerFacts {
  const { id, slug, name, currency, lowStockAt } = merchant
  return { id, slug, name, currency, lowStockAt }
}

// Reads and locks the seller again for this transaction, because the shop may have been renamed since the last batch.
export async function lockSellerFor(
  tx: Tx,
  { slug, currency }: { slug: string; currency: string },
): Promise<SellerFacts> {
  const merchant = await lockMerchant(tx, slug)
  if (!merchant) throw refuse('merchant_not_found', { message: `The merchant ${slug} no longer exists.` })
  if (merchant.currency !== currency) {
    const message = `The currency of ${slug} has changed to ${merchant.currency}, but the prices to save are in ${currency}.`
    throw refuse('currency_mismatch', { message, current: { currency: merchant.currency } })
  }
  return sellerFactsOf(merchant)
}
