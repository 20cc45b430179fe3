// The data stored about a shopper, for a file that the shopper or the merchant requests.

import { createSlicePauses } from '../../platform/kit/breath.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { findOrderFacts } from '../orders/change.ts'
import { decryptOrderCustomer } from '../orders/customer.ts'
import type { OrderKey } from '../orders/store.ts'
import { orderView } from '../orders/view.ts'
import { listReturnsOfOrder } from '../returns/store.ts'
import { returnView } from '../returns/view.ts'
import type { SavedAddress } from './book.ts'

export interface DataOwner {
  shop: string
  email: string | null
  addresses: readonly SavedAddress[]
  passkeys: readonly { createdAt: string; usedAt: string | null }[]
}

// Each order is read separately, so other work runs in between.
export async function collectCustomerData(
  storage: Pick<Storage, 'read'>,
  rootSecret: RootSecret,
  { shop, email, addresses, passkeys: known }: DataOwner,
  keys: readonly OrderKey[],
  now: number,
) {
  const orders = []
  const breath = createSlicePauses()
  for (const key of keys) {
    if (breath.isDue()) await breath.take()
    const order = await storage.read((db) => orderData(db, rootSecret, key, now))
    if (order) orders.push(order)
  }
  const addressBook = addresses.map(({ address, isDefault, createdAt }) => ({
    ...{ address, isDefault },
    savedAt: toInstant(createdAt),
  }))
  const passkeys = known.map(({ createdAt, usedAt }) => ({ createdAt, usedAt }))
  return { shop, email, createdAt: toInstant(now), addressBook, passkeys, orders }
}

async function orderData(db: Reader, rootSecret: RootSecret, key: OrderKey, now: number) {
  const facts = await findOrderFacts(db, key)
  if (!facts) return undefined
  const { customer, address } = await decryptOrderCustomer(db, rootSecret, facts.order, now)
  const returns = (await listReturnsOfOrder(db, key)).map(returnView)
  return { ...orderView(facts), customer: customer ?? null, address: address ?? null, returns }
}
