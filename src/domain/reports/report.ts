// The sales report.

import type { AdminSales, AdminSalesReport, AdminSalesRow, SalesGroup } from '../../contract/admin/reports.ts'
import { salesRowsMax } from '../../contract/admin/reports.ts'
import { type BrokenRule, issue } from '../../contract/issues.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { type Day, dayOf, daysBetween, isDay, type Period, periodOf, plusDays } from './days.ts'
import { findSellerOfSales, listSalesDays, listSalesParts, type SalesRow } from './store.ts'

const daysDefault = 30
const daysMax = 1_000

export interface SalesAsked {
  from?: Day
  to?: Day
  by?: SalesGroup
}

export async function salesReport(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  asked: SalesAsked,
  now: Date,
): Promise<AdminSalesReport> {
  const seller = await findSellerOfSales(db, merchantId)
  if (!seller) throw new Error(`${merchantId} asks for a report and does not exist`)
  const { currency, timeZone } = seller
  const { by = 'day', to = dayOf(now.getTime(), timeZone) } = asked
  if (!isDay(to)) throw badDay('to', issue('not_a_day'))
  const { from = plusDays(to, 1 - daysDefault) } = asked
  if (!isDay(from)) throw badDay('from', issue('not_a_day'))
  const days = daysBetween(from, to)
  if (days < 1) throw badDay('from', issue('after_last_day'))
  if (days > daysMax) throw badDay('from', issue('too_many_days', { max: daysMax - 1 }))
  const range = { merchantId, mode, currency, from, to }
  const daily = await listSalesDays(db, { ...range, part: 'all' })
  const rows = isPeriod(by)
    ? byPeriod(daily, { from, to, period: by })
    : (await listSalesParts(db, { ...range, part: by }, salesRowsMax)).map((row) => view(row, by))
  return { from, to, by, timeZone, currency, rows, sum: daily.reduce(plus, nothing) }
}

function badDay(member: 'from' | 'to', rule: BrokenRule) {
  return refuse('invalid_request', { issues: [{ path: `/query/${member}`, ...rule }] })
}

const isPeriod = (by: SalesGroup): by is Period => by === 'day' || by === 'week' || by === 'month'

const nothing: AdminSales = {
  orders: 0,
  items: 0,
  subtotal: 0,
  discount: 0,
  shipping: 0,
  tax: 0,
  total: 0,
  refunded: 0,
  unpaid: 0,
}

function plus(sum: AdminSales, more: AdminSales): AdminSales {
  return {
    orders: sum.orders + more.orders,
    items: sum.items + more.items,
    subtotal: sum.subtotal + more.subtotal,
    discount: sum.discount + more.discount,
    shipping: sum.shipping + more.shipping,
    tax: sum.tax + more.tax,
    total: sum.total + more.total,
    refunded: sum.refunded + more.refunded,
    unpaid: sum.unpaid + more.unpaid,
  }
}

// Every period of the range, also those in which nothing was sold.
function byPeriod(
  daily: readonly SalesRow[],
  { from, to, period }: { from: Day; to: Day; period: Period },
): AdminSalesRow[] {
  const sums = new Map<Day, AdminSales>()
  for (let day = from; day <= to; day = plusDays(day, 1)) sums.set(periodOf(day, period), nothing)
  for (const row of daily) {
    const key = periodOf(row.day, period)
    sums.set(key, plus(sums.get(key) ?? nothing, row))
  }
  return [...sums].map(([key, sum]) => ({ key, name: null, ...sum }))
}

function view({ key, name, ...row }: SalesRow, by: SalesGroup): AdminSalesRow {
  return { key, name: by === 'country' ? null : name, ...plus(nothing, row) }
}
