// The SQL of order edits. Functions that write expect that the caller has locked the order.

import type { Reader, Tx } from '../../platform/storage/storage.ts'
import type { SellerTerms } from '../carts/store.ts'
import type { OrderLine, OrderRow } from '../orders/store.ts'
import type { EditParts } from './plan.ts'

export interface OrderEditRow {
  id: string
  totalBefore: number
  totalAfter: number
  parts: EditParts
  createdAt: number
}

type EditedOrder = Pick<OrderRow, 'merchantId' | 'mode' | 'installationId' | 'id'>

export function insertEdit(tx: Tx, { merchantId, mode, installationId, id: orderId }: EditedOrder, edit: OrderEditRow) {
  tx.send`
    insert into order_edits (merchant_id, id, mode, installation_id, order_id, total_before, total_after, parts, created_at)
    values (${merchantId}, ${edit.id}, ${mode}, ${installationId}, ${orderId}, ${edit.totalBefore}, ${edit.totalAfter},
      ${JSON.stringify(edit.parts)}, ${edit.createdAt})`
}

// Lists the oldest edits first.
export async function listEdits(db: Reader, { merchantId, id: orderId }: EditedOrder): Promise<OrderEditRow[]> {
  const rows = await db.sql<Omit<OrderEditRow, 'parts'> & { parts: string }>`
    select id, total_before as "totalBefore", total_after as "totalAfter", parts, created_at as "createdAt"
    from order_edits where merchant_id = ${merchantId} and order_id = ${orderId} order by created_at, id`
  return rows.map((row) => ({ ...row, parts: JSON.parse(row.parts) as EditParts }))
}

export async function countEdits(db: Reader, { merchantId, id: orderId }: EditedOrder): Promise<number> {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as count from order_edits where merchant_id = ${merchantId} and order_id = ${orderId}`
  return row?.count ?? 0
}

// Does not raise the row version, which is written with the event of the edit.
export function saveOrderAmounts(tx: Tx, order: OrderRow): void {
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value))
  tx.send`
    update orders set subtotal = ${order.subtotal}, discount = ${order.discount}, shipping = ${order.shipping},
      shipping_tax = ${order.shippingTax}, shipping_taxes = ${json(order.shippingTaxes)}, tax = ${order.tax}, total = ${order.total}, reduced = ${order.reduced},
      item_count = ${order.itemCount}, promotion = ${json(order.promotion)},
      shipping_choice = ${json(order.shippingChoice)}, address_id = ${order.address?.token ?? null}
    where installation_id = ${order.installationId} and id = ${order.id}`
}

export function putOrderLine(tx: Tx, order: EditedOrder, line: OrderLine): void {
  tx.send`
    insert into order_lines (installation_id, order_id, sku_id, merchant_id, position, code, product_slug, name, options,
      image, quantity, unit_price, subtotal, discount, tax, total, tax_rate_bps, measure, withdrawal_exempt)
    select cast(${order.installationId} as text), cast(${order.id} as text), cast(${line.skuId} as text),
      cast(${order.merchantId} as text), coalesce(max(position), -1) + 1, cast(${line.code} as text),
      cast(${line.productSlug} as text), cast(${line.name} as text), cast(${JSON.stringify(line.options)} as text),
      cast(${line.image} as text), cast(${line.quantity} as bigint), cast(${line.unitPrice} as bigint),
      cast(${line.subtotal} as bigint), cast(${line.discount} as bigint), cast(${line.tax} as bigint),
      cast(${line.total} as bigint), cast(${line.taxRateBps} as bigint),
      cast(${line.measure && JSON.stringify(line.measure)} as text), cast(${line.withdrawalExempt} as text)
    from order_lines where installation_id = ${order.installationId} and order_id = ${order.id}
    on conflict (installation_id, order_id, sku_id) do update set quantity = excluded.quantity,
      subtotal = excluded.subtotal, discount = excluded.discount, tax = excluded.tax, total = excluded.total`
}

export function deleteOrderLine(tx: Tx, { installationId, id }: EditedOrder, skuId: string): void {
  tx.send`
    delete from order_lines where installation_id = ${installationId} and order_id = ${id} and sku_id = ${skuId}`
}

// Changes the amount of a pending manual payment.
export function saveAwaitedAmount(tx: Tx, installationId: string, paymentId: string, amount: number): void {
  tx.send`
    update payments set amount = ${amount}
    where installation_id = ${installationId} and id = ${paymentId} and status = 'pending'`
}

export type TaxTerms = Pick<SellerTerms, 'country' | 'priceTax' | 'catalogVersion'>

export async function findTaxTerms(db: Reader, merchantId: string): Promise<TaxTerms | undefined> {
  const [row] = await db.sql<TaxTerms>`
    select country, price_tax as "priceTax", catalog_version as "catalogVersion" from merchants where id = ${merchantId}`
  return row
}
