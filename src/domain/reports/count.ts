// Counts the sales of days whose orders have changed.

import { modes } from '../../contract/words.ts'
import { handleRows } from '../../platform/jobs/rows.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { addDays, dayAt, monthOfDay, startOfDay } from './days.ts'
import {
  type ChangedOrder,
  countDay,
  deleteRecount,
  deleteSalesDays,
  findPlacedAfter,
  findRecount,
  findSellerOfSales,
  forgetMonths,
  listChangedOrders,
  listDueMonths,
  listRecounts,
  markOrdersCounted,
  putRecount,
  type Recount,
  sumMonth,
} from './store.ts'

// Returns the number of orders and days that were counted and of months that were summed, added up. Safe on several nodes at the same
// time.
export async function countSales(storage: Storage, now: number, rowsMax: number): Promise<number> {
  const recounted = await recountSales(storage, now)
  const orders = await storage.read((db) => listChangedOrders(db, now, rowsMax))
  const counted = await handleRows(
    { storage, loop: 'sales', now },
    Map.groupBy(orders, ({ merchantId, mode }) => `${merchantId} ${mode}`).values(),
    ({ merchantId, id }) => ({ tenantId: merchantId, rowId: id }),
    (group) => storage.write((tx) => countOrders(tx, group)),
  )
  return recounted + counted + (await sumMonths(storage, now))
}

// The days of a month that has just ended still change often, so the month is summed a few days later.
const graceMs = 3 * 86_400_000

// Returns the number of months. A day that is counted later marks its month to be summed again.
async function sumMonths(storage: Storage, now: number): Promise<number> {
  const before = monthOfDay(dayAt(now - graceMs, 'UTC'))
  const due = await storage.read((db) => listDueMonths(db, before, now))
  return handleRows(
    { storage, loop: 'sales', now },
    due.map((month) => [month]),
    ({ merchantId, month }) => ({ tenantId: merchantId, rowId: month }),
    ([month]) =>
      storage.write(async (tx) => {
        if (!month) return 0
        // Locks the merchant, as counting days does.
        await tx.lockRow`select id from merchants where id = ${month.merchantId}`
        sumMonth(tx, month)
        return 1
      }),
  )
}

// The orders are read again after their versions were read: a change between the two reads is counted now, and once more later.
async function countOrders(tx: Tx, orders: readonly ChangedOrder[]): Promise<number> {
  const [first] = orders
  if (!first) return 0
  const { merchantId, mode } = first
  // One node at a time: two nodes that count a day at the same time would both insert its rows.
  await tx.lockRow`select id from merchants where id = ${merchantId}`
  const seller = await findSellerOfSales(tx, merchantId)
  if (!seller) throw new Error(`merchant ${merchantId} has orders but does not exist`)
  const { timeZone } = seller
  for (const day of new Set(orders.map(({ placedAt }) => dayAt(placedAt, timeZone))))
    countDay(tx, { merchantId, mode, day, from: startOfDay(day, timeZone), to: startOfDay(addDays(day, 1), timeZone) })
  await markOrdersCounted(tx, orders)
  return orders.length
}

// Called after the time zone was changed: every order then belongs to a day that must be counted again. A background job does so, because
// a request must not wait for 100,000 orders. Until the job has finished, reports show the old counts.
export async function countAllAgain(tx: Tx, merchantId: string): Promise<void> {
  for (const mode of modes) putRecount(tx, { merchantId, mode, day: '' })
}

// Maximum number of days per transaction.
const daysMax = 30

// Returns the number of days.
async function recountSales(storage: Storage, now: number): Promise<number> {
  const recounts = await storage.read((db) => listRecounts(db, now))
  let days = 0
  await handleRows(
    { storage, loop: 'sales', now },
    recounts.map((recount) => [recount]),
    ({ merchantId, mode }) => ({ tenantId: merchantId, rowId: mode }),
    async ([recount]) => {
      if (recount) days += await storage.write((tx) => recountDays(tx, recount))
      return 1
    },
  )
  return days
}

async function recountDays(tx: Tx, { merchantId, mode }: Recount): Promise<number> {
  await tx.lockRow`select id from merchants where id = ${merchantId}`
  const seller = await findSellerOfSales(tx, merchantId)
  const recount = await findRecount(tx, { merchantId, mode })
  if (!seller || !recount) return 0
  const { timeZone } = seller
  forgetMonths(tx, { merchantId, mode })
  let { day } = recount
  for (let count = 0; count < daysMax; count += 1) {
    const from = day === '' ? 0 : startOfDay(addDays(day, 1), timeZone)
    const next = await findPlacedAfter(tx, { merchantId, mode }, from)
    const upTo = next === undefined ? null : dayAt(next, timeZone)
    // Deletes the days that have no sales in the new time zone.
    deleteSalesDays(tx, { merchantId, mode }, { after: day, before: upTo })
    if (upTo === null) {
      deleteRecount(tx, { merchantId, mode })
      return count + 1
    }
    countDay(tx, {
      merchantId,
      mode,
      day: upTo,
      from: startOfDay(upTo, timeZone),
      to: startOfDay(addDays(upTo, 1), timeZone),
    })
    day = upTo
  }
  putRecount(tx, { merchantId, mode, day })
  return daysMax
}
