// The SQL of sales reports.

import type { Mode } from '../../contract/words.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import { type Day, lastDayAs31, type Month, monthOfDay, rangesWithout } from './days.ts'

export interface ChangedOrder {
  installationId: string
  id: string
  merchantId: string
  mode: Mode
  version: number
  refunded: number
  placedAt: number
}

export async function listChangedOrders(db: Reader, now: number, rowsMax: number): Promise<ChangedOrder[]> {
  return db.sql<ChangedOrder>`
    select installation_id as "installationId", id, merchant_id as "merchantId", mode, version, refunded,
      placed_at as "placedAt"
    from orders
    where (counted_version <> version or counted_refunded <> refunded)
      and ${isNotDeferred('sales', 'orders.merchant_id', 'orders.id', now)}
    order by placed_at, id limit ${rowsMax}`
}

export interface SalesSeller {
  currency: string
  timeZone: string
}

export async function findSellerOfSales(db: Reader, merchantId: string): Promise<SalesSeller | undefined> {
  const [row] = await db.sql<SalesSeller>`
    select currency, time_zone as "timeZone" from merchants where id = ${merchantId}`
  return row
}

// Marks the orders as counted with the version that was read: an order that has changed since is counted again. Orders are locked in the
// order of their ids, as the indexing for the search locks them.
export async function markOrdersCounted(tx: Tx, orders: readonly ChangedOrder[]): Promise<void> {
  const installations = listFragment([...new Set(orders.map(({ installationId }) => installationId))])
  const locking = tx.lockRow`
    select id from orders where installation_id in (${installations}) and id in (${listFragment(orders.map(({ id }) => id))})
    order by id`
  const seen = tx.rows(
    orders.map(({ installationId, id, version, refunded }) => [installationId, id, version, refunded]),
    ['text', 'text', 'bigint', 'bigint'],
  )
  tx.send`
    with seen (installation_id, id, version, refunded) as (${seen})
    update orders set counted_version = seen.version, counted_refunded = seen.refunded from seen
    where orders.installation_id = seen.installation_id and orders.id = seen.id`
  await locking
}

// Marks an order to be counted again: a document that is issued after its refund was counted changes the tax of the day. The caller must
// have locked the merchant, as when days are counted.
export function countOrderAgain(
  tx: Tx,
  { installationId, orderId }: { installationId: string; orderId: string },
): void {
  tx.send`
    update orders set counted_refunded = -1 where installation_id = ${installationId} and id = ${orderId}`
}

export interface SalesDay {
  merchantId: string
  mode: Mode
  day: Day
  // In epoch milliseconds; `to` is the start of the next day.
  from: number
  to: number
}

// Computed from the credit notes of refunds, without reversed ones. Documents of edits are about ordered items, not about refunds.
const refundedTax = `sum(case when o.refunded = 0 then 0 else coalesce((
    select sum(case when d.kind = 'credit_note' then d.tax else -d.tax end) from documents d
    where d.merchant_id = o.merchant_id and d.order_id = o.id and d.cause in ('refund_paid', 'refund_failed')
      and d.cause_id like 'rfd%'), 0) end)`

// The sums that are the same for all parts. `o` is the order.
const orderSums = new Fragment(`
  count(*), sum(o.item_count), sum(o.subtotal), sum(o.discount), sum(o.shipping), sum(o.tax), sum(o.total), sum(o.refunded), ${refundedTax},
  sum(case when o.payment_status = 'pending' then o.total else 0 end)`)

const sumColumns = 'orders, items, subtotal, discount, shipping, tax, total, refunded, refunded_tax, unpaid'
const columns = new Fragment(`(merchant_id, mode, day, part, key, currency, name, ${sumColumns}, has_month)`)

// Lists every part, because the day comes after the part in the index.
const ofAnyPart = new Fragment("part in ('all', 'product', 'promotion', 'country')")

// Counts a day again from its orders. A cancelled order is not a sale.
export function countDay(tx: Tx, { merchantId, mode, day, from, to }: SalesDay): void {
  const ofDay = new Fragment(
    `o.merchant_id = ? and o.mode = ? and o.placed_at >= ? and o.placed_at < ? and o.status <> 'cancelled'`,
    [merchantId, mode, from, to],
  )
  tx.send`
    insert into sales_summed_months (merchant_id, mode, month, days) values (${merchantId}, ${mode}, ${monthOfDay(day)}, null)
    on conflict (merchant_id, mode, month) do update set days = null`
  tx.send`
    delete from sales_days where merchant_id = ${merchantId} and mode = ${mode} and ${ofAnyPart} and day = ${day}`
  tx.send`
    insert into sales_days ${columns}
    select o.merchant_id, o.mode, cast(${day} as text), 'all', '', o.currency, '', ${orderSums}, 1
    from orders o where ${ofDay} group by o.merchant_id, o.mode, o.currency`
  tx.send`
    insert into sales_days ${columns}
    select o.merchant_id, o.mode, cast(${day} as text), 'promotion', o.promotion_id, o.currency, max(coalesce(p.code, '')), ${orderSums}, 1
    from orders o left join promotions p on p.merchant_id = o.merchant_id and p.id = o.promotion_id
    where ${ofDay} and o.promotion_id is not null group by o.merchant_id, o.mode, o.promotion_id, o.currency`
  tx.send`
    insert into sales_days ${columns}
    select o.merchant_id, o.mode, cast(${day} as text), 'country', coalesce(a.country, ''), o.currency, coalesce(a.country, ''), ${orderSums}, 1
    from orders o left join addresses a on a.installation_id = o.installation_id and a.id = o.address_id
    where ${ofDay} group by o.merchant_id, o.mode, coalesce(a.country, ''), o.currency`
  // Shipping and refunds belong to an order and not to one of its products.
  tx.send`
    insert into sales_days ${columns}
    select o.merchant_id, o.mode, cast(${day} as text), 'product', l.product_slug, o.currency, max(l.name),
      count(distinct o.id), sum(l.quantity), sum(l.subtotal), sum(l.discount), 0, sum(l.tax), sum(l.total), 0, 0,
      sum(case when o.payment_status = 'pending' then l.total else 0 end), 1
    from orders o join order_lines l on l.installation_id = o.installation_id and l.order_id = o.id
    where ${ofDay} group by o.merchant_id, o.mode, l.product_slug, o.currency`
}

// A merchant and mode whose days are counted again.
export interface Recount extends MerchantMode {
  // The last day that was counted again; empty at the beginning.
  day: Day
}

export function putRecount(tx: Tx, { merchantId, mode, day }: Recount): void {
  tx.send`
    insert into sales_recounts (merchant_id, mode, day) values (${merchantId}, ${mode}, ${day})
    on conflict (merchant_id, mode) do update set day = excluded.day`
}

const recountsMax = 20 // in one round

export async function listRecounts(db: Reader, now: number): Promise<Recount[]> {
  return db.sql<Recount>`
    select merchant_id as "merchantId", mode, day from sales_recounts
    where ${isNotDeferred('sales', 'sales_recounts.merchant_id', 'sales_recounts.mode', now)}
    order by merchant_id, mode limit ${recountsMax}`
}

export async function findRecount(db: Reader, { merchantId, mode }: MerchantMode): Promise<Recount | undefined> {
  const [row] = await db.sql<Recount>`
    select merchant_id as "merchantId", mode, day from sales_recounts where merchant_id = ${merchantId} and mode = ${mode}`
  return row
}

export function deleteRecount(tx: Tx, { merchantId, mode }: MerchantMode): void {
  tx.send`delete from sales_recounts where merchant_id = ${merchantId} and mode = ${mode}`
}

// Returns when the first order at or after this instant was placed.
export async function findPlacedAfter(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  from: number,
): Promise<number | undefined> {
  const [row] = await db.sql<{ placedAt: number }>`
    select placed_at as "placedAt" from orders
    where merchant_id = ${merchantId} and mode = ${mode} and placed_at >= ${from} order by placed_at, id limit 1`
  return row?.placedAt
}

export interface SalesMonth extends MerchantMode {
  month: Month
}

const dueMonthsMax = 20 // in one round

// Months before this one that were never summed, or with days that were counted after the month was summed.
export async function listDueMonths(db: Reader, before: Month, now: number): Promise<SalesMonth[]> {
  return db.sql<SalesMonth>`
    select merchant_id as "merchantId", mode, month from sales_summed_months
    where days is null and month < ${before}
      and ${isNotDeferred('sales', 'sales_summed_months.merchant_id', 'sales_summed_months.month', now)}
    order by month, merchant_id, mode limit ${dueMonthsMax}`
}

// Discards the sums of all months of the merchant, because the days are about to change.
export function forgetMonths(tx: Tx, { merchantId, mode }: MerchantMode): void {
  tx.send`
    update sales_summed_months set days = null
    where merchant_id = ${merchantId} and mode = ${mode} and days is not null`
}

const daysOf = (month: Month) => new Fragment('day >= ? and day <= ?', [`${month}-01`, `${month}-31`])

// The caller must have locked the merchant.
export function sumMonth(tx: Tx, { merchantId, mode, month }: SalesMonth): void {
  tx.send`
    delete from sales_months
    where merchant_id = ${merchantId} and mode = ${mode} and part in ('product', 'promotion', 'country') and month = ${month}`
  for (const part of ['product', 'promotion', 'country'])
    tx.send`
      insert into sales_months (merchant_id, mode, month, part, key, currency, name, ${new Fragment(sumColumns)})
      select merchant_id, mode, cast(${month} as text), part, key, currency, max(name), ${sums} from sales_days
      where merchant_id = ${merchantId} and mode = ${mode} and part = ${part} and ${daysOf(month)}
      group by merchant_id, mode, part, key, currency`
  tx.send`
    update sales_days set has_month = 1
    where merchant_id = ${merchantId} and mode = ${mode} and part = 'all' and ${daysOf(month)} and has_month = 0`
  tx.send`
    update sales_summed_months set days = (
      select count(distinct day) from sales_days
      where merchant_id = ${merchantId} and mode = ${mode} and part = 'all' and ${daysOf(month)})
    where merchant_id = ${merchantId} and mode = ${mode} and month = ${month}`
}

// Returns the months of this range whose sums match their days, in order. An earlier release, which does not sum months, may have counted
// a day without marking its month, or deleted a day.
async function listSummedMonths(db: Reader, { merchantId, mode, from, to }: SalesQuery): Promise<Month[]> {
  const rows = await db.sql<SalesMonth>`
    select s.month from sales_summed_months s
    where s.merchant_id = ${merchantId} and s.mode = ${mode} and s.month >= ${monthOfDay(from)} and s.month <= ${monthOfDay(to)}
      and s.days = (
        select count(distinct d.day) * min(d.has_month) from sales_days d
        where d.merchant_id = ${merchantId} and d.mode = ${mode} and d.part = 'all' and d.day >= s.month || '-01'
          and d.day <= s.month || '-31')
    order by s.month`
  return rows.map(({ month }) => month).filter((month) => `${month}-01` >= from && `${month}-31` <= lastDayAs31(to))
}

// Both days are excluded; without `before`, all later days are deleted.
export function deleteSalesDays(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  { after, before }: { after: Day; before: Day | null },
): void {
  tx.send`
    delete from sales_days
    where merchant_id = ${merchantId} and mode = ${mode} and ${ofAnyPart} and day > ${after} and day < ${before ?? '9'}`
}

export interface SalesRow {
  day: Day
  key: string
  name: string
  orders: number
  items: number
  subtotal: number
  discount: number
  shipping: number
  tax: number
  total: number
  refunded: number
  refundedTax: number
  unpaid: number
}

export interface SalesQuery {
  merchantId: string
  mode: Mode
  part: 'all' | 'product' | 'promotion' | 'country'
  currency: string
  // Both days are included.
  from: Day
  to: Day
}

// PostgreSQL returns sums of bigint as decimal text unless they are cast.
const sumOf = (column: string) => `cast(sum(${column}) as bigint) as "${memberOf(column)}"`
const sums = new Fragment(sumColumns.split(', ').map(sumOf).join(', '))

// Always 0 for products. On SQLite, summing a year takes 14 ms with them and 11 ms without.
const ofOrdersOnly = new Set(['shipping', 'refunded', 'refunded_tax'])
const productColumns = sumColumns
  .split(', ')
  .filter((column) => !ofOrdersOnly.has(column))
  .join(', ')
const productSums = new Fragment(
  sumColumns
    .split(', ')
    .map((column) => (ofOrdersOnly.has(column) ? `0 as "${memberOf(column)}"` : sumOf(column)))
    .join(', '),
)

function memberOf(column: string): string {
  return column === 'refunded_tax' ? 'refundedTax' : column
}

const dayColumns = new Fragment(sumColumns.replace('refunded_tax', 'refunded_tax as "refundedTax"'))

// Returns a row for each day with sales in the currency, oldest first. Reads the part `all`, whatever the part of the query.
export async function listSalesDays(db: Reader, query: SalesQuery): Promise<SalesRow[]> {
  return db.sql<SalesRow>`
    select day, key, name, ${dayColumns} from sales_days
    where merchant_id = ${query.merchantId} and mode = ${query.mode} and part = 'all' and currency = ${query.currency}
      and day >= ${query.from} and day <= ${query.to}
    order by day`
}

// Returns a row for each part of the sales, the largest first. Whole months are read from the sums of months: with 100 products sold each
// day, a year by product took 63 ms from days.
export async function listSalesParts(db: Reader, query: SalesQuery, rowsMax: number): Promise<SalesRow[]> {
  const { merchantId, mode, part, currency } = query
  const months = await listSummedMonths(db, query)
  const [read, summed] = part === 'product' ? [productColumns, productSums] : [sumColumns, sums]
  const one = (table: string, condition: string, values: readonly string[]) =>
    new Fragment(
      `select key, name, ${read} from ${table}
        where merchant_id = ? and mode = ? and part = ? and currency = ? and ${condition}`,
      [merchantId, mode, part, currency, ...values],
    )
  const sources = [
    ...months.map((month) => one('sales_months', 'month = ?', [month])),
    ...rangesWithout(query, months).map(({ from, to }) => one('sales_days', 'day >= ? and day <= ?', [from, to])),
  ]
  if (sources.length === 0) return []
  const all = new Fragment(
    sources.map(({ text }) => text).join(' union all '),
    sources.flatMap(({ values }) => [...values]),
  )
  return db.sql<SalesRow>`
    select '' as "day", key, max(name) as "name", ${summed} from (${all}) parts
    group by key order by sum(total) desc, key limit ${rowsMax}`
}

export interface BestSeller {
  // The slug of the product.
  key: string
  name: string
  items: number
  total: number
}

// `coalesce` hides from PostgreSQL that both days bound a range: of a range with parameters it expects few rows, which it would sort to
// group them (6.0 ms of CPU for 2,900 rows) and not hash (5.0 ms).
export async function listBestSellers(
  db: Reader,
  { merchantId, mode, currency, from, to }: Omit<SalesQuery, 'part'>,
  rowsMax: number,
): Promise<BestSeller[]> {
  return db.sql<BestSeller>`
    select key, max(name) as "name", sum(items) as "items", sum(total) as "total" from sales_days
    where merchant_id = ${merchantId} and mode = ${mode} and part = 'product' and currency = ${currency}
      and day >= ${from} and coalesce(day, '') <= ${to}
    group by key order by sum(total) desc, key limit ${rowsMax}`
}

// Lists lost disputes of orders that were placed in the range, in the report's currency. A cancelled order counts as no sale, but the
// money of its dispute is lost nevertheless.
export async function listLostDisputes(
  db: Reader,
  { merchantId, mode, currency }: Pick<SalesQuery, 'merchantId' | 'mode' | 'currency'>,
  { from, to }: { from: number; to: number },
): Promise<{ placedAt: number; amount: number }[]> {
  return db.sql<{ placedAt: number; amount: number }>`
    select o.placed_at as "placedAt", d.amount from disputes d
    join payments p on p.installation_id = d.installation_id and p.id = d.payment_id
    join orders o on o.installation_id = p.installation_id and o.id = p.order_id
    where d.merchant_id = ${merchantId} and d.status = 'lost' and d.currency = ${currency}
      and o.mode = ${mode} and o.placed_at >= ${from} and o.placed_at < ${to}`
}
