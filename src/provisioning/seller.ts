// Whose products are written: the merchant as the catalog knows it, locked for the length of a batch.

import type { SellerFacts } from '../catalog/product.ts'
import { lockMerchant, type Merchant } from '../installations/store.ts'
import { refuse } from '../kit/refuse.ts'
import type { Tx } from '../storage/storage.ts'

export function sellerOf(merchant: Merchant): SellerFacts {
  const { id, slug, name, currency, lowStockAt } = merchant
  return { id, slug, name, currency, lowStockAt }
}

// Whose prices they are, as it is for the length of this transaction: another operator may have renamed the shop since
// the last batch.
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
