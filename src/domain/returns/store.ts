// The SQL of returns. A return is only changed by transactions that have locked its order.

import type { ItemQuantity } from '../../contract/parts.ts'
import type { Mode, ReturnOpener, ReturnReason, ReturnStatus, ReturnWish } from '../../contract/words.ts'
import type { CursorPosition } from '../../platform/kit/cursor.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { expectVersion } from '../../platform/storage/guard.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { OrderKey } from '../orders/store.ts'

export interface ReturnRow {
  installationId: string
  id: string
  merchantId: string
  mode: Mode
  orderId: string
  orderNumber: string
  currency: string
  // Number of the return among those of its order, from 1.
  position: number
  version: number
  status: ReturnStatus
  reason: ReturnReason
  wish: ReturnWish
  openedBy: ReturnOpener
  noteSealed: string | null
  answer: string | null
  labelUrl: string | null
  requestedAt: number
  updatedAt: number
}

export interface ReturnLine {
  skuId: string
  code: string
  name: string
  options: readonly { name: string; value: string }[]
  image: string | null
  quantity: number
  received: number
  restocked: number
}

export interface ReturnExchangeRow {
  orderId: string
  orderNumber: string
  credit: number
  refunded: number
  paid: number
  at: number
}

export interface ReturnFacts {
  row: ReturnRow
  lines: readonly ReturnLine[]
  // Sorted by time, oldest first.
  exchanges: readonly ReturnExchangeRow[]
}

const columns = new Fragment(`
  r.installation_id as "installationId", r.id, r.merchant_id as "merchantId", r.mode, r.order_id as "orderId",
  o.number as "orderNumber", o.currency, r.position, r.version, r.status, r.reason, r.wish, r.opened_by as "openedBy",
  r.note_sealed as "noteSealed", r.answer, r.label_url as "labelUrl", r.requested_at as "requestedAt",
  r.updated_at as "updatedAt"
  from returns r join orders o on o.installation_id = r.installation_id and o.id = r.order_id`)

// Lists the oldest returns first.
export async function listReturnsOfOrder(db: Reader, { installationId, orderId }: OrderKey): Promise<ReturnFacts[]> {
  const rows = await db.sql<ReturnRow>`
    select ${columns} where r.installation_id = ${installationId} and r.order_id = ${orderId} order by r.position`
  return withLines(db, rows)
}

export interface ReturnKey extends OrderKey {
  returnId: string
}

// Searches the merchant's returns in this mode, whichever installation sold the order.
export async function findAdminReturn(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  id: string,
): Promise<ReturnKey | undefined> {
  const [row] = await db.sql<ReturnKey>`
    select r.installation_id as "installationId", r.order_id as "orderId", r.id as "returnId"
    from installations i join returns r on r.installation_id = i.id
    where i.merchant_id = ${merchantId} and i.mode = ${mode} and r.id = ${id}`
  return row
}

export async function findReturn(
  db: Reader,
  { installationId, returnId }: Pick<ReturnKey, 'installationId' | 'returnId'>,
): Promise<ReturnFacts | undefined> {
  const rows = await db.sql<ReturnRow>`
    select ${columns} where r.installation_id = ${installationId} and r.id = ${returnId}`
  const [found] = await withLines(db, rows)
  return found
}

export interface AdminReturnsQuery {
  status?: ReturnStatus | undefined
  open?: boolean | undefined
  orderId?: string | undefined
  customerId?: string | undefined
  from?: number | undefined
  to?: number | undefined
  after: CursorPosition | null
  limit: number
}

// A literal instead of parameters, so the partial index is used.
const isOpen = `r.status in ('requested', 'approved', 'received')`

// Lists the newest returns first.
export async function listAdminReturns(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { status, open, orderId, customerId, from, to, after, limit }: AdminReturnsQuery,
): Promise<ReturnFacts[]> {
  const conditions = [
    new Fragment('r.merchant_id = ? and r.mode = ?', [merchantId, mode]),
    status !== undefined && new Fragment('r.status = ?', [status]),
    open !== undefined && new Fragment(open ? isOpen : `not ${isOpen}`),
    orderId !== undefined && new Fragment('r.order_id = ?', [orderId]),
    customerId !== undefined &&
      new Fragment(
        'r.order_id in (select f.id from orders f where f.merchant_id = ? and f.mode = ? and f.customer_id = ?)',
        [...[merchantId, mode, customerId]],
      ),
    from !== undefined && new Fragment('r.requested_at >= ?', [from]),
    to !== undefined && new Fragment('r.requested_at < ?', [to]),
    after && new Fragment('(r.requested_at, r.id) < (?, ?)', [after.at, after.id]),
  ].filter((condition) => condition instanceof Fragment)
  const where = new Fragment(
    conditions.map(({ text }) => text).join(' and '),
    conditions.flatMap(({ values }) => [...values]),
  )
  const rows = await db.sql<ReturnRow>`
    select ${columns} where ${where} order by r.requested_at desc, r.id desc limit ${limit}`
  return withLines(db, rows)
}

async function withLines(db: Reader, rows: readonly ReturnRow[]): Promise<ReturnFacts[]> {
  if (rows.length === 0) return []
  const installations = [...new Set(rows.map(({ installationId }) => installationId))]
  const merchants = [...new Set(rows.map(({ merchantId }) => merchantId))]
  const ids = rows.map(({ id }) => id)
  const [lines, exchanges] = await Promise.all([
    db.sql<Omit<ReturnLine, 'options'> & { returnId: string; options: string }>`
      select l.return_id as "returnId", l.sku_id as "skuId", o.code, o.name, o.options, o.image, l.quantity, l.received, l.restocked
      from return_lines l
      join order_lines o on o.installation_id = l.installation_id and o.order_id = l.order_id and o.sku_id = l.sku_id
      where l.installation_id in (${listFragment(installations)}) and l.return_id in (${listFragment(ids)})
      order by o.position`,
    db.sql<ReturnExchangeRow & { returnId: string }>`
      select e.return_id as "returnId", e.order_id as "orderId", o.number as "orderNumber", e.credit, e.refunded, e.paid,
        e.created_at as "at"
      from return_exchanges e join orders o on o.installation_id = e.installation_id and o.id = e.order_id
      where e.merchant_id in (${listFragment(merchants)}) and e.return_id in (${listFragment(ids)})
      order by e.created_at, e.order_id`,
  ])
  return rows.map((row) => ({
    row,
    lines: lines
      .filter(({ returnId }) => returnId === row.id)
      .map(({ returnId: _, options, ...line }) => ({
        ...line,
        options: JSON.parse(options) as ReturnLine['options'],
      })),
    exchanges: exchanges.filter(({ returnId }) => returnId === row.id).map(({ returnId: _, ...exchange }) => exchange),
  }))
}

// `refundId`: the refund of the returned items, whose money pays the new order.
export function insertExchange(
  tx: Tx,
  { merchantId, installationId, id }: Pick<ReturnRow, 'merchantId' | 'installationId' | 'id'>,
  { orderId, credit, refunded, paid, at }: ReturnExchangeRow,
  refundId: string,
): void {
  tx.send`
    insert into return_exchanges (merchant_id, order_id, installation_id, return_id, refund_id, credit, refunded, paid, created_at)
    values (${merchantId}, ${orderId}, ${installationId}, ${id}, ${refundId}, ${credit}, ${refunded}, ${paid}, ${at})`
}

// A return that has ended can no longer be exchanged: the link of its exchange expires now, and the sweep releases the stock that is held
// for it.
export function expireExchange(
  tx: Tx,
  { merchantId, installationId, id }: Pick<ReturnRow, 'merchantId' | 'installationId' | 'id'>,
  now: number,
): void {
  tx.send`
    update checkout_sessions set expires_at = ${now}
    where installation_id = ${installationId} and status in ('open', 'processing') and expires_at > ${now} and id in (
      select d.session_id from drafts d where d.merchant_id = ${merchantId} and d.return_id = ${id})`
}

export function insertReturn(tx: Tx, row: ReturnRow, lines: readonly ItemQuantity[]): void {
  tx.send`
    insert into returns (installation_id, id, merchant_id, mode, order_id, position, version, status, reason, wish, opened_by,
      note_sealed, answer, label_url, requested_at, updated_at)
    values (${row.installationId}, ${row.id}, ${row.merchantId}, ${row.mode}, ${row.orderId}, ${row.position}, ${row.version},
      ${row.status}, ${row.reason}, ${row.wish}, ${row.openedBy}, ${row.noteSealed}, ${row.answer}, ${row.labelUrl},
      ${row.requestedAt}, ${row.updatedAt})`
  for (const { skuId, quantity } of lines)
    tx.send`
      insert into return_lines (installation_id, return_id, sku_id, order_id, quantity)
      values (${row.installationId}, ${row.id}, ${skuId}, ${row.orderId}, ${quantity})`
}

export function saveReturn(tx: Tx, row: ReturnRow, before: { version: number }): void {
  tx.send`
    update returns set ${expectVersion(before.version, row.version)}, status = ${row.status}, answer = ${row.answer},
      label_url = ${row.labelUrl}, updated_at = ${row.updatedAt}
    where installation_id = ${row.installationId} and id = ${row.id}`
}

// The check constraints of the table keep both sums at or below the quantity of the return.
export function raiseReceived(
  tx: Tx,
  { installationId, id }: Pick<ReturnRow, 'installationId' | 'id'>,
  { skuId, received, restocked }: Pick<ReturnLine, 'skuId' | 'received' | 'restocked'>,
): void {
  tx.send`
    update return_lines set received = received + ${received}, restocked = restocked + ${restocked}
    where installation_id = ${installationId} and return_id = ${id} and sku_id = ${skuId}`
}

export function insertReturnRefund(
  tx: Tx,
  { installationId, id }: Pick<ReturnRow, 'installationId' | 'id'>,
  refundId: string,
): void {
  tx.send`
    insert into return_refunds (installation_id, return_id, refund_id) values (${installationId}, ${id}, ${refundId})`
}

export async function listRefundIdsOfReturn(
  db: Reader,
  { installationId, id }: Pick<ReturnRow, 'installationId' | 'id'>,
): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select refund_id as "id" from return_refunds where installation_id = ${installationId} and return_id = ${id}`
  return rows.map((row) => row.id)
}

// For each return, the sum of its refunds, without failed ones and without money that was moved to a new order.
export async function listRefundedOfReturns(
  db: Reader,
  rows: readonly Pick<ReturnRow, 'installationId' | 'id'>[],
): Promise<{ returnId: string; amount: number }[]> {
  if (rows.length === 0) return []
  return db.sql<{ returnId: string; amount: number }>`
    select f.return_id as "returnId", cast(sum(r.amount) as bigint) as "amount" from return_refunds f
    join refunds r on r.installation_id = f.installation_id and r.id = f.refund_id
    where f.installation_id in (${listFragment([...new Set(rows.map(({ installationId }) => installationId))])})
      and f.return_id in (${listFragment(rows.map(({ id }) => id))}) and r.status <> 'failed' and r.moved_to is null
    group by f.return_id`
}

// Units that were refunded for this return. Failed refunds are left out.
export async function listRefundedUnits(
  db: Reader,
  { installationId, id }: Pick<ReturnRow, 'installationId' | 'id'>,
): Promise<ItemQuantity[]> {
  return db.sql<ItemQuantity>`
    select l.sku_id as "skuId", cast(sum(l.quantity) as bigint) as "quantity" from return_refunds f
    join returns t on t.installation_id = f.installation_id and t.id = f.return_id
    join refunds r on r.installation_id = f.installation_id and r.id = f.refund_id
    join refund_lines l on l.installation_id = f.installation_id and l.order_id = t.order_id and l.refund_id = f.refund_id
    where f.installation_id = ${installationId} and f.return_id = ${id} and r.status <> 'failed' and l.sku_id <> ''
    group by l.sku_id`
}
