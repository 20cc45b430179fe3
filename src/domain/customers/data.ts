// What is stored about a shopper, for a file that they or the merchant ask for.

import { toInstant } from '../../platform/kit/instant.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { findOrderFacts } from '../orders/change.ts'
import { openOrderCustomer } from '../orders/customer.ts'
import type { OrderKey } from '../orders/store.ts'
import { orderView } from '../orders/view.ts'
import { listReturnsOfOrder } from '../returns/store.ts'
import { returnView } from '../returns/view.ts'

export interface DataOwner {
  shop: string
  email: string | null
}

export async function customerData(
  db: Reader,
  rootSecret: RootSecret,
  { shop, email }: DataOwner,
  keys: readonly OrderKey[],
  now: number,
) {
  const orders = []
  for (const key of keys) {
    const facts = await findOrderFacts(db, key)
    if (!facts) continue
    const { customer, address } = await openOrderCustomer(db, rootSecret, facts.order, now)
    const returns = (await listReturnsOfOrder(db, key)).map(returnView)
    orders.push({ ...orderView(facts), customer: customer ?? null, address: address ?? null, returns })
  }
  return { shop, email, createdAt: toInstant(now), orders }
}
