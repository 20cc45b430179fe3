// Finds the customer of each order, off the path of the purchase.

import { handleRows } from '../../platform/jobs/rows.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { customerHash, listCustomerKeys } from '../checkout/customer.ts'
import { openCustomer } from '../orders/customer.ts'
import { lockOrder, type OrderKey } from '../orders/store.ts'
import { findUnlinkedOrder, linkOrder, listUnlinkedOrders, upsertCustomer } from './recordstore.ts'

// One round of the loop. Any number of nodes may do this at once.
export async function linkCustomers(
  storage: Storage,
  rootSecret: RootSecret,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  // Orders are locked in the order of their ids, as they are where addresses are erased.
  const found = (await storage.read((db) => listUnlinkedOrders(db, now, limit))).sort((one, other) =>
    one.orderId < other.orderId ? -1 : 1,
  )
  return handleRows(
    { storage, loop: 'customers', now },
    [found],
    ({ installationId, orderId }) => ({ tenantId: installationId, rowId: orderId }),
    (keys) =>
      storage.write(async (tx) => {
        for (const key of keys) await link(tx, rootSecret, key)
        return keys.length
      }),
  )
}

// The hash of an order may be one of an earlier release: the present one is made of the e-mail address where it can be opened, so a person
// is one customer.
async function link(tx: Tx, rootSecret: RootSecret, key: OrderKey): Promise<void> {
  // A shopper is erased under the same lock.
  await lockOrder(tx, key)
  const order = await findUnlinkedOrder(tx, key)
  if (!order) return
  const { merchantId, checkoutSessionId, customerSealed } = order
  const email = openCustomer(rootSecret, checkoutSessionId, customerSealed)?.email ?? ''
  const [present] = await listCustomerKeys(tx, rootSecret)
  const emailHash = present && email !== '' ? customerHash(present, merchantId, email) : order.emailHash
  linkOrder(tx, key, await upsertCustomer(tx, { id: newId('cst'), emailHash, order }))
}
