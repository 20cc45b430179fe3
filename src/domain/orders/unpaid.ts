// Cancels orders whose money has not arrived within the payment term. Their items are restocked and the use of the promotion is undone.

import { handleEach } from '../../platform/jobs/rows.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { cancelLockedOrder } from './cancel.ts'
import { lockOrderFacts } from './change.ts'
import { isOverdue } from './lifecycle.ts'
import { listMoneyByHand, listUnpaidOrders, type OrderKey } from './store.ts'

// Returns how many orders were cancelled. Safe on several nodes, and concurrently with payments, parcels and cancellations: each order is
// checked again under its lock.
export async function cancelUnpaidOrders(storage: Storage, now: number, limit: number): Promise<number> {
  const overdue = await storage.read((db) => listUnpaidOrders(db, now, limit))
  return handleEach(
    { storage, loop: 'unpaid_orders', now },
    overdue,
    ({ installationId, orderId }) => ({ tenantId: installationId, rowId: orderId }),
    (key) => storage.write((tx) => cancelUnpaid(tx, key, now)),
  )
}

async function cancelUnpaid(tx: Tx, key: OrderKey, now: number): Promise<number> {
  const found = await lockOrderFacts(tx, key)
  if (!found || !isOverdue(found.order, now)) return 0
  // Part of the money has arrived since the order was listed.
  if ((await listMoneyByHand(tx, found.order)).length > 0) return 0
  const input = { verb: 'cancel', by: 'system', reason: 'other', note: null, restocked: 'all' } as const
  await cancelLockedOrder(tx, found, input, { now, cause: null })
  return 1
}
