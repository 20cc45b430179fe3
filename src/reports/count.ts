// Counts the sales of days whose orders have changed.

import { handleRows } from '../loops/rows.ts'
import type { Storage, Tx } from '../storage/storage.ts'
import { dayOf, plusDays, startOf } from './days.ts'
import { type ChangedOrder, countDay, findSellerOfSales, listChangedOrders, markCounted } from './store.ts'

// The number of orders. Any number of nodes may do this at once.
export async function countSales(storage: Storage, now: number, rowsMax: number): Promise<number> {
  const orders = await storage.read((db) => listChangedOrders(db, now, rowsMax))
  return handleRows(
    { storage, loop: 'sales', now },
    Map.groupBy(orders, ({ merchantId, mode }) => `${merchantId} ${mode}`).values(),
    ({ merchantId, id }) => ({ tenantId: merchantId, rowId: id }),
    (group) => storage.write((tx) => countOrders(tx, group)),
  )
}

// The orders are read again after their versions were: what changes in between is counted, and counted once more.
async function countOrders(tx: Tx, orders: readonly ChangedOrder[]): Promise<number> {
  const [first] = orders
  if (!first) return 0
  const { merchantId, mode } = first
  // One node at a time: two that count a day at once would both write its rows.
  await tx.lockRow`select id from merchants where id = ${merchantId}`
  const seller = await findSellerOfSales(tx, merchantId)
  if (!seller) throw new Error(`${merchantId} has orders and does not exist`)
  const { timeZone } = seller
  for (const day of new Set(orders.map(({ placedAt }) => dayOf(placedAt, timeZone))))
    countDay(tx, { merchantId, mode, day, from: startOf(day, timeZone), to: startOf(plusDays(day, 1), timeZone) })
  for (const order of orders) markCounted(tx, order)
  return orders.length
}

// After the time zone was changed every order belongs to a day that must be counted again.
export async function countAllAgain(tx: Tx, merchantId: string): Promise<void> {
  await tx.sql`delete from sales_days where merchant_id = ${merchantId}`
  await tx.sql`update orders set counted_version = 0 where merchant_id = ${merchantId}`
}
