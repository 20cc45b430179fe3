// Whether a shopper's page belongs to a shop, and at which origin, for shops with their own host.

import type { Reader } from '../../platform/storage/storage.ts'
import { shopOriginFor } from '../sites/hosts.ts'
import { findMainHost } from '../sites/hoststore.ts'
import { findShownMerchant } from '../sites/store.ts'

export async function isPageOfMerchant(
  db: Reader,
  kind: 'checkout' | 'order',
  secretHash: string,
  merchantId: string,
): Promise<boolean> {
  const rows =
    kind === 'checkout'
      ? await db.sql`select id from checkout_sessions where secret_hash = ${secretHash} and merchant_id = ${merchantId}`
      : await db.sql`select id from orders where secret_hash = ${secretHash} and merchant_id = ${merchantId}`
  return rows.length > 0
}

// Returns undefined if the shop has no host of its own.
export async function findMainOrigin(db: Reader, slug: string, publicOrigin: string): Promise<string | undefined> {
  const merchant = await findShownMerchant(db, slug)
  const host = merchant && (await findMainHost(db, merchant.id))
  return host === undefined ? undefined : shopOriginFor(host, publicOrigin)
}
