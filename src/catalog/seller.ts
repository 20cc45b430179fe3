// The merchant whose products are written, as the catalog knows it, locked for the length of a batch.

import { lockMerchant, type Merchant } from '../installations/store.ts'
import { refuse } from '../kit/refuse.ts'
import type { Tx } from '../storage/storage.ts'
import type { SellerFacts } from './product.ts'

export function sellerOf(merchant: Merchant): SellerFacts {
  const { id, slug, name, currency, lowStockAt } = merchant
  return { id, slug, name, currency, lowStockAt }
}

// As it is for the length of this transaction: the shop may have been renamed since the last batch.
export async function lockSellerFor(
  tx: Tx,
  { slug, currency }: { slug: string; currency: string },
): Promise<SellerFacts> {
  const merchant = await lockMerchant(tx, slug)
  if (!merchant) throw refuse('merchant_not_found', { message: `The merchant ${slug} no longer exists.` })
  if (merchant.currency !== currency) {
    const message = `The currency of ${slug} has changed to ${merchant.currency}, and these prices are in ${currency}.`
    throw refuse('currency_mismatch', { message, current: { currency: merchant.currency } })
  }
  return sellerOf(merchant)
}
