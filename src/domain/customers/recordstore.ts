// The SQL of customers as the merchant sees them: one row for each mailbox and mode, and the orders that refer to it.

import type { Mode } from '../../contract/words.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import type { CursorPosition } from '../../platform/kit/cursor.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import { type ConsentRecord, type OrderKey, type OrderNoteRow, orderKeysCondition } from '../orders/store.ts'

export interface CustomerRecordKey {
  merchantId: string
  customerId: string
}

export interface UnlinkedOrder extends OrderKey {
  merchantId: string
  mode: Mode
  emailHash: string
  checkoutSessionId: string
  customerSealed: string | null
  placedAt: number
}

export async function listUnlinkedOrders(db: Reader, now: number, limit: number): Promise<OrderKey[]> {
  return db.sql<OrderKey>`
    select installation_id as "installationId", id as "orderId" from orders
    where customer_id is null and email_hash is not null
      and ${isNotDeferred('customers', 'orders.installation_id', 'orders.id', now)}
    order by merchant_id, placed_at limit ${limit}`
}

// Returns the orders with these keys, without those that were erased or already have a customer. Expects at least one key. The caller
// must have locked the orders.
export async function findUnlinkedOrders(db: Reader, keys: readonly OrderKey[]): Promise<UnlinkedOrder[]> {
  return db.sql<UnlinkedOrder>`
    select o.installation_id as "installationId", o.id as "orderId", o.merchant_id as "merchantId", o.mode,
      o.email_hash as "emailHash", o.checkout_session_id as "checkoutSessionId", o.customer_sealed as "customerSealed",
      o.placed_at as "placedAt"
    from orders o where ${orderKeysCondition(keys)} and o.customer_id is null and o.email_hash is not null`
}

export interface CustomerOfOrder extends MerchantMode {
  // Id for the customer, if the customer is new.
  id: string
  emailHash: string
  lastOrderAt: number
}

// Inserts or updates the row of each hash of a merchant and mode once, and locks it. Rows are locked in the order of the list, which must
// be the same on all nodes.
export async function upsertCustomers(
  tx: Tx,
  customers: readonly CustomerOfOrder[],
): Promise<Omit<CustomerOfOrder, 'lastOrderAt'>[]> {
  const given = tx.rows(
    customers.map(({ merchantId, id, mode, emailHash, lastOrderAt }) => [merchantId, id, mode, emailHash, lastOrderAt]),
    ['text', 'text', 'text', 'text', 'bigint'],
  )
  return tx.sql<Omit<CustomerOfOrder, 'lastOrderAt'>>`
    with given (merchant_id, id, mode, email_hash, last_order_at) as (${given})
    insert into customers (merchant_id, id, mode, email_hash, last_order_at)
    select merchant_id, id, mode, email_hash, last_order_at from given where id is not null
    on conflict (merchant_id, mode, email_hash) do update set last_order_at =
      case when excluded.last_order_at > customers.last_order_at then excluded.last_order_at else customers.last_order_at end
    returning merchant_id as "merchantId", mode, id, email_hash as "emailHash"`
}

export function linkOrders(tx: Tx, links: readonly (OrderKey & { customerId: string })[]): void {
  const given = tx.rows(
    links.map(({ installationId, orderId, customerId }) => [installationId, orderId, customerId]),
    ['text', 'text', 'text'],
  )
  tx.send`
    with given (installation_id, order_id, customer_id) as (${given})
    update orders set customer_id = given.customer_id from given
    where orders.installation_id = given.installation_id and orders.id = given.order_id`
}

export interface CustomerRow {
  id: string
  // Sort key of lists. Not changed when an order is erased.
  listedAt: number
  eraseAskedAt: number | null
  emailMasked: string | null
  city: string | null
  country: string | null
  currency: string
  orderCount: number
  spent: number
  firstOrderAt: number
  lastOrderAt: number
}

const ofCustomer = 'where o.merchant_id = c.merchant_id and o.mode = c.mode and o.customer_id = c.id'

// A customer whose orders are all erased is not shown.
const customerColumns = new Fragment(`
  c.id, c.last_order_at as "listedAt", c.erase_asked_at as "eraseAskedAt", n.email_masked as "emailMasked", a.city, a.country,
  n.currency, (select count(*) from orders o ${ofCustomer}) as "orderCount",
  (select cast(coalesce(sum(o.total - o.refunded), 0) as bigint) from orders o ${ofCustomer} and o.currency = n.currency
    and o.payment_status in ('paid', 'partially_refunded', 'refunding', 'refunded')) as "spent",
  (select min(o.placed_at) from orders o ${ofCustomer}) as "firstOrderAt", n.placed_at as "lastOrderAt"
  from customers c
  join orders n on n.merchant_id = c.merchant_id and n.mode = c.mode and n.customer_id = c.id
    and n.id = (select o.id from orders o ${ofCustomer} order by o.placed_at desc, o.id desc limit 1)
  left join addresses a on a.installation_id = n.installation_id and a.id = n.address_id`)

export async function findCustomer(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  customerId: string,
): Promise<CustomerRow | undefined> {
  const [row] = await db.sql<CustomerRow>`
    select ${customerColumns} where c.merchant_id = ${merchantId} and c.mode = ${mode} and c.id = ${customerId}`
  return row
}

export interface CustomersQuery {
  // Only customers of one of these orders.
  keys?: readonly OrderKey[] | undefined
  after: CursorPosition | null
  limit: number
}

export async function listCustomers(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { keys, after, limit }: CustomersQuery,
): Promise<CustomerRow[]> {
  const conditions = [
    new Fragment('c.merchant_id = ? and c.mode = ?', [merchantId, mode]),
    keys && ofOrders(keys),
    after && new Fragment('(c.last_order_at, c.id) < (?, ?)', [after.at, after.id]),
  ].filter((condition) => condition instanceof Fragment)
  const where = new Fragment(
    conditions.map(({ text }) => text).join(' and '),
    conditions.flatMap(({ values }) => [...values]),
  )
  return db.sql<CustomerRow>`
    select ${customerColumns} where ${where} order by c.last_order_at desc, c.id desc limit ${limit}`
}

// Expects at least one key.
function ofOrders(keys: readonly OrderKey[]): Fragment {
  const installations = listFragment([...new Set(keys.map(({ installationId }) => installationId))])
  const orders = listFragment(keys.map(({ orderId }) => orderId))
  return new Fragment(
    `c.id in (select f.customer_id from orders f where f.installation_id in (${installations.text}) and f.id in (${orders.text}))`,
    [...installations.values, ...orders.values],
  )
}

export interface CustomerOrderKey extends OrderKey {
  number: string
  isSettled: boolean
  placedAt: number
}

// Orders, newest first. Settled: completed or cancelled, so nothing more is sent.
export async function listOrderKeysOfCustomer(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  customerId: string,
  limit: number,
): Promise<CustomerOrderKey[]> {
  const rows = await db.sql<OrderKey & { number: string; status: string; placedAt: number }>`
    select installation_id as "installationId", id as "orderId", number, status, placed_at as "placedAt" from orders
    where merchant_id = ${merchantId} and mode = ${mode} and customer_id = ${customerId}
    order by placed_at desc, id desc limit ${limit}`
  return rows.map(({ status, ...row }) => ({ ...row, isSettled: status === 'completed' || status === 'cancelled' }))
}

export interface CustomerConsentRow extends ConsentRecord {
  orderId: string
  orderNumber: string
}

// Consents of the newest orders that have any.
export async function listConsentsOfCustomer(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  customerId: string,
  limit: number,
): Promise<CustomerConsentRow[]> {
  const rows = await db.sql<{ orderId: string; orderNumber: string; consents: string }>`
    select id as "orderId", number as "orderNumber", consents from orders
    where merchant_id = ${merchantId} and mode = ${mode} and customer_id = ${customerId} and consents <> '[]'
    order by placed_at desc, id desc limit ${limit}`
  return rows
    .flatMap(({ consents, ...order }) =>
      (JSON.parse(consents) as ConsentRecord[]).map((consent) => ({ ...consent, ...order })),
    )
    .slice(0, limit)
}

// Locks the customer until the commit, so one transaction at a time counts notes or erases the customer.
export async function lockCustomer(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  customerId: string,
): Promise<CustomerRow | undefined> {
  await tx.lockRow`select id from customers where merchant_id = ${merchantId} and mode = ${mode} and id = ${customerId}`
  return findCustomer(tx, { merchantId, mode }, customerId)
}

export async function listCustomerNotes(
  db: Reader,
  { merchantId, customerId }: CustomerRecordKey,
): Promise<OrderNoteRow[]> {
  return db.sql<OrderNoteRow>`
    select id, text, actor_kind as "actorKind", actor_id as "actorId", at from customer_notes
    where merchant_id = ${merchantId} and customer_id = ${customerId} order by id`
}

export function insertCustomerNote(tx: Tx, { merchantId, customerId }: CustomerRecordKey, note: OrderNoteRow): void {
  tx.send`
    insert into customer_notes (merchant_id, customer_id, id, text, actor_kind, actor_id, at)
    values (${merchantId}, ${customerId}, ${note.id}, ${note.text}, ${note.actorKind}, ${note.actorId}, ${note.at})`
}

export function requestErasure(tx: Tx, { merchantId, customerId }: CustomerRecordKey, now: number): void {
  tx.send`
    update customers set erase_asked_at = ${now}
    where merchant_id = ${merchantId} and id = ${customerId} and erase_asked_at is null`
}

export interface ErasureRow extends CustomerRecordKey {
  mode: Mode
  emailHash: string
  eraseAskedAt: number
}

export async function listErasures(db: Reader, now: number, limit: number): Promise<ErasureRow[]> {
  return db.sql<ErasureRow>`
    select merchant_id as "merchantId", id as "customerId", mode, email_hash as "emailHash",
      erase_asked_at as "eraseAskedAt" from customers
    where erase_asked_at is not null and ${isNotDeferred('customers', 'customers.merchant_id', 'customers.id', now)}
    order by merchant_id, erase_asked_at limit ${limit}`
}

// Ends an erasure; orders that are still to be sent keep their data. If the erasure was requested again while it ran, it runs again.
export async function endErasure(tx: Tx, { merchantId, customerId, eraseAskedAt }: ErasureRow): Promise<void> {
  await tx.sql`
    update customers set erase_asked_at = null
    where merchant_id = ${merchantId} and id = ${customerId} and erase_asked_at = ${eraseAskedAt}`
}
