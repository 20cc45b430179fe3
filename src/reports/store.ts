// The SQL of sales reports.

import type { Mode } from '../contract/words.ts'
import type { MerchantMode } from '../kit/mode.ts'
import { isNotDeferred } from '../loops/store.ts'
import { Fragment, type Reader, type Tx } from '../storage/storage.ts'
import type { Day } from './days.ts'

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

export interface Seller {
  currency: string
  timeZone: string
}

export async function findSellerOfSales(db: Reader, merchantId: string): Promise<Seller | undefined> {
  const [row] = await db.sql<Seller>`
    select currency, time_zone as "timeZone" from merchants where id = ${merchantId}`
  return row
}

// As it was seen: a later change leaves the order to be counted again.
export function markCounted(tx: Tx, { installationId, id, version, refunded }: ChangedOrder): void {
  tx.send`
    update orders set counted_version = ${version}, counted_refunded = ${refunded}
    where installation_id = ${installationId} and id = ${id}`
}

export interface SalesDay {
  merchantId: string
  mode: Mode
  day: Day
  // In epoch milliseconds; the second is the start of the next day.
  from: number
  to: number
}

// What all parts add up in the same way. `o` is the order.
const orderSums = new Fragment(`
  count(*), sum(o.item_count), sum(o.subtotal), sum(o.discount), sum(o.shipping), sum(o.tax), sum(o.total), sum(o.refunded),
  sum(case when o.payment_status = 'pending' then o.total else 0 end)`)

const columns = new Fragment(`
  (merchant_id, mode, day, part, key, currency, name, orders, items, subtotal, discount, shipping, tax, total, refunded, unpaid)`)

// The day comes after the part in the index.
const ofAnyPart = new Fragment("part in ('all', 'product', 'promotion', 'country')")

// Counts a day again, from its orders. A cancelled order is not a sale.
export function countDay(tx: Tx, { merchantId, mode, day, from, to }: SalesDay): void {
  const ofDay = new Fragment(
    `o.merchant_id = ? and o.mode = ? and o.placed_at >= ? and o.placed_at < ? and o.status <> 'cancelled'`,
    [merchantId, mode, from, to],
  )
  tx.send`
    delete from sales_days where merchant_id = ${merchantId} and mode = ${mode} and ${ofAnyPart} and day = ${day}`
  tx.send`
    insert into sales_days ${columns}
    select o.merchant_id, o.mode, cast(${day} as text), 'all', '', o.currency, '', ${orderSums}
    from orders o where ${ofDay} group by o.merchant_id, o.mode, o.currency`
  tx.send`
    insert into sales_days ${columns}
    select o.merchant_id, o.mode, cast(${day} as text), 'promotion', o.promotion_id, o.currency, max(coalesce(p.code, '')), ${orderSums}
    from orders o left join promotions p on p.merchant_id = o.merchant_id and p.id = o.promotion_id
    where ${ofDay} and o.promotion_id is not null group by o.merchant_id, o.mode, o.promotion_id, o.currency`
  tx.send`
    insert into sales_days ${columns}
    select o.merchant_id, o.mode, cast(${day} as text), 'country', coalesce(a.country, ''), o.currency, coalesce(a.country, ''), ${orderSums}
    from orders o left join addresses a on a.installation_id = o.installation_id and a.id = o.address_id
    where ${ofDay} group by o.merchant_id, o.mode, coalesce(a.country, ''), o.currency`
  // Shipping, and what went back, belong to an order and not to one of its products.
  tx.send`
    insert into sales_days ${columns}
    select o.merchant_id, o.mode, cast(${day} as text), 'product', l.product_slug, o.currency, max(l.name),
      count(distinct o.id), sum(l.quantity), sum(l.subtotal), sum(l.discount), 0, sum(l.tax), sum(l.total), 0,
      sum(case when o.payment_status = 'pending' then l.total else 0 end)
    from orders o join order_lines l on l.installation_id = o.installation_id and l.order_id = o.id
    where ${ofDay} group by o.merchant_id, o.mode, l.product_slug, o.currency`
}

// A merchant whose days are counted again.
export interface Recount extends MerchantMode {
  // The last day that was; empty at the beginning.
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

// The first at this instant or later.
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

// Both excluded; without the second, all that follow.
export function dropDays(
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
  unpaid: number
}

export interface SalesQuery {
  merchantId: string
  mode: Mode
  part: 'all' | 'product' | 'promotion' | 'country'
  currency: string
  // Both included.
  from: Day
  to: Day
}

const sums = new Fragment(`
  sum(orders) as "orders", sum(items) as "items", sum(subtotal) as "subtotal", sum(discount) as "discount",
  sum(shipping) as "shipping", sum(tax) as "tax", sum(total) as "total", sum(refunded) as "refunded", sum(unpaid) as "unpaid"`)

// A row for each day on which something was sold, the oldest first.
export async function listSalesDays(db: Reader, query: SalesQuery): Promise<SalesRow[]> {
  return numbered(
    await db.sql<SalesRow>`
      select day, '' as "key", '' as "name", ${sums} from sales_days
      where merchant_id = ${query.merchantId} and mode = ${query.mode} and part = 'all' and currency = ${query.currency}
        and day >= ${query.from} and day <= ${query.to}
      group by day order by day`,
  )
}

// A row for each part of the sales, the largest first.
export async function listSalesParts(db: Reader, query: SalesQuery, rowsMax: number): Promise<SalesRow[]> {
  return numbered(
    await db.sql<SalesRow>`
      select '' as "day", key, max(name) as "name", ${sums} from sales_days
      where merchant_id = ${query.merchantId} and mode = ${query.mode} and part = ${query.part}
        and currency = ${query.currency} and day >= ${query.from} and day <= ${query.to}
      group by key order by sum(total) desc, key limit ${rowsMax}`,
  )
}

// PostgreSQL answers sums of big integers as decimal texts.
function numbered(rows: SalesRow[]): SalesRow[] {
  return rows.map(({ day, key, name, ...amounts }) => ({
    day,
    key,
    name,
    ...(Object.fromEntries(Object.entries(amounts).map(([member, value]) => [member, Number(value)])) as Omit<
      SalesRow,
      'day' | 'key' | 'name'
    >),
  }))
}
