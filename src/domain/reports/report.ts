// The sales report.

import type { AdminSales, AdminSalesReport, AdminSalesRow, SalesGroup } from '../../contract/admin/reports.ts'
import { salesRowsMax } from '../../contract/admin/reports.ts'
import { type BrokenRule, issue } from '../../contract/issues.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { addDays, type Day, dayAt, daysBetween, isDay, type Period, startOfDay, startOfPeriod } from './days.ts'
import {
  type BestSeller,
  findSellerOfSales,
  listBestSellers,
  listLostDisputes,
  listSalesDays,
  listSalesParts,
  type SalesQuery,
  type SalesRow,
} from './store.ts'

type CountedSales = Omit<AdminSales, 'lost' | 'net'>

const daysDefault = 30
const daysMax = 1_000

export interface SalesReportQuery {
  from?: Day
  to?: Day
  by?: SalesGroup
}

export async function buildSalesReport(
  db: Reader,
  seller: MerchantMode,
  asked: SalesReportQuery,
  now: Date,
): Promise<AdminSalesReport> {
  return reportOn(db, await periodFor(db, seller, asked, now), asked.by ?? 'day')
}

// The sales of the last days by day, and the products that sold best in them.
export async function recentSales(
  db: Reader,
  seller: MerchantMode,
  now: Date,
  productsMax: number,
): Promise<{ sales: AdminSalesReport; bestSellers: BestSeller[] }> {
  const asked = await periodFor(db, seller, {}, now)
  const [sales, bestSellers] = await Promise.all([
    reportOn(db, asked, 'day'),
    listBestSellers(db, asked.range, productsMax),
  ])
  return { sales, bestSellers }
}

interface ReportPeriod {
  range: Omit<SalesQuery, 'part'>
  timeZone: string
}

async function periodFor(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  asked: SalesReportQuery,
  now: Date,
): Promise<ReportPeriod> {
  const seller = await findSellerOfSales(db, merchantId)
  if (!seller) throw new Error(`merchant ${merchantId} does not exist`)
  const { currency, timeZone } = seller
  const { to = dayAt(now.getTime(), timeZone) } = asked
  if (!isDay(to)) throw badDay('to', issue('not_a_day'))
  const { from = addDays(to, 1 - daysDefault) } = asked
  if (!isDay(from)) throw badDay('from', issue('not_a_day'))
  const days = daysBetween(from, to)
  if (days < 1) throw badDay('from', issue('after_last_day'))
  if (days > daysMax) throw badDay('from', issue('too_many_days', { max: daysMax - 1 }))
  return { range: { merchantId, mode, currency, from, to }, timeZone }
}

async function reportOn(db: Reader, { range, timeZone }: ReportPeriod, by: SalesGroup): Promise<AdminSalesReport> {
  const { from, to, currency } = range
  const [found, parts] = await Promise.all([
    // Also reads as many days before the range.
    dailySales(db, { ...range, from: addDays(from, -daysBetween(from, to)) }, timeZone),
    isPeriod(by) ? [] : listSalesParts(db, { ...range, part: by }, salesRowsMax),
  ])
  const daily = found.filter(({ day }) => day >= from)
  const before = found.filter(({ day }) => day < from).reduce(plus, nothing)
  const rows = isPeriod(by) ? byPeriod(daily, { from, to, period: by }) : parts.map((row) => view(row, by))
  const sum = daily.reduce(plus, nothing)
  return { from, to, by, timeZone, currency, rows, sum, rest: restOf(rows, sum), before }
}

type DayOfSales = AdminSales & { day: Day }

// A dispute does not change its order, so lost amounts are not in the counted sales. They are read separately, since there are few.
async function dailySales(db: Reader, range: Omit<SalesQuery, 'part'>, timeZone: string): Promise<DayOfSales[]> {
  const from = startOfDay(range.from, timeZone)
  const to = startOfDay(addDays(range.to, 1), timeZone)
  const [rows, lost] = await Promise.all([
    listSalesDays(db, { ...range, part: 'all' }),
    listLostDisputes(db, range, { from, to }),
  ])
  return [
    ...rows.map((row) => ({ day: row.day, ...netOf(row, 0) })),
    ...lost.map(({ placedAt, amount }) => ({ day: dayAt(placedAt, timeZone), ...netOf(nothing, amount) })),
  ]
}

function netOf(sales: CountedSales, lost: number): AdminSales {
  const { orders, items, subtotal, discount, shipping, tax, total, refunded, refundedTax, unpaid } = sales
  const net = total - refunded - lost
  return { orders, items, subtotal, discount, shipping, tax, total, refunded, refundedTax, unpaid, lost, net }
}

// Returns what the rows leave of the sum. An order with two products counts in the rows of both, so a remaining number of orders cannot
// be computed.
function restOf(rows: readonly AdminSales[], sum: AdminSales): AdminSales {
  const named = rows.reduce(plus, nothing)
  const left = (member: Exclude<keyof AdminSales, 'orders' | 'items'>) => sum[member] - named[member]
  return {
    orders: 0,
    items: 0,
    subtotal: left('subtotal'),
    discount: left('discount'),
    shipping: left('shipping'),
    tax: left('tax'),
    total: left('total'),
    refunded: left('refunded'),
    refundedTax: left('refundedTax'),
    unpaid: left('unpaid'),
    lost: left('lost'),
    net: left('net'),
  }
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
  refundedTax: 0,
  unpaid: 0,
  lost: 0,
  net: 0,
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
    refundedTax: sum.refundedTax + more.refundedTax,
    unpaid: sum.unpaid + more.unpaid,
    lost: sum.lost + more.lost,
    net: sum.net + more.net,
  }
}

// Returns every period of the range, including those without sales.
function byPeriod(
  daily: readonly DayOfSales[],
  { from, to, period }: { from: Day; to: Day; period: Period },
): AdminSalesRow[] {
  const sums = new Map<Day, AdminSales>()
  for (let day = from; day <= to; day = addDays(day, 1)) sums.set(startOfPeriod(day, period), nothing)
  for (const row of daily) {
    const key = startOfPeriod(row.day, period)
    sums.set(key, plus(sums.get(key) ?? nothing, row))
  }
  return [...sums].map(([key, sum]) => ({ key, name: null, ...sum }))
}

function view({ key, name, ...row }: SalesRow, by: SalesGroup): AdminSalesRow {
  return { key, name: by === 'country' ? null : name, ...netOf(row, 0) }
}
