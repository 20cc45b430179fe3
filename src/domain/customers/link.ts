// Finds the customer of each order in the background, so purchases do not wait for the search.

import { handleRows } from '../../platform/jobs/rows.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { customerHash, listCustomerKeys } from '../checkout/customer.ts'
import { decryptCustomer } from '../orders/customer.ts'
import { lockOrders, type OrderKey } from '../orders/store.ts'
import {
  type CustomerOfOrder,
  findUnlinkedOrders,
  linkOrders,
  listUnlinkedOrders,
  type UnlinkedOrder,
  upsertCustomers,
} from './recordstore.ts'

// One round of the background job. Safe on several nodes at the same time.
export async function linkCustomers(
  storage: Storage,
  rootSecret: RootSecret,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const found = await storage.read((db) => listUnlinkedOrders(db, now, limit))
  return handleRows(
    { storage, loop: 'customers', now },
    [found],
    ({ installationId, orderId }) => ({ tenantId: installationId, rowId: orderId }),
    (keys) =>
      storage.write(async (tx) => {
        await link(tx, rootSecret, keys)
        return keys.length
      }),
  )
}

// An order may have the hash of an earlier release. The present hash is then computed from the e-mail address, if that can be decrypted,
// so a person is one customer.
async function link(tx: Tx, rootSecret: RootSecret, keys: readonly OrderKey[]): Promise<void> {
  const [, orders, [present]] = await Promise.all([
    // The erasure of a shopper takes the same locks.
    lockOrders(tx, keys),
    findUnlinkedOrders(tx, keys),
    listCustomerKeys(tx, rootSecret),
  ])
  if (orders.length === 0) return
  const hashOf = ({ merchantId, checkoutSessionId, customerSealed, emailHash }: UnlinkedOrder) => {
    const email = decryptCustomer(rootSecret, checkoutSessionId, customerSealed)?.email ?? ''
    return present && email !== '' ? customerHash(present, merchantId, email) : emailHash
  }
  const hashed = orders.map((order) => ({ ...order, emailHash: hashOf(order) }))
  const byCustomer = Map.groupBy(hashed, nameOf)
  const seen = [...byCustomer]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [first, ...others]]): CustomerOfOrder[] => {
      if (!first) return []
      const { merchantId, mode, emailHash, placedAt } = first
      const lastOrderAt = Math.max(placedAt, ...others.map((order) => order.placedAt))
      return [{ merchantId, mode, id: newId('cst'), emailHash, lastOrderAt }]
    })
  const links = (await upsertCustomers(tx, seen)).flatMap((customer) =>
    (byCustomer.get(nameOf(customer)) ?? []).map(({ installationId, orderId }) => ({
      installationId,
      orderId,
      customerId: customer.id,
    })),
  )
  linkOrders(tx, links)
}

function nameOf({ merchantId, mode, emailHash }: Pick<CustomerOfOrder, 'merchantId' | 'mode' | 'emailHash'>): string {
  return `${merchantId} ${mode} ${emailHash}`
}
