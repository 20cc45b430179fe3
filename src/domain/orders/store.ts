// The SQL of orders. An order is inserted once and changed by a few statements, each in a transaction that has locked the row.

import type { OrderAttention, OrderChannel, OrderSort } from '../../contract/admin/orders.ts'
import type { OrderPromotion } from '../../contract/open/orders.ts'
import type { ItemQuantity, Metadata } from '../../contract/parts.ts'
import type {
  ActorKind,
  ConsentKind,
  DocumentCause,
  DocumentKind,
  FulfillmentStatus,
  ItemExemption,
  Mode,
  OrderCancellationReason,
  OrderCanceller,
  OrderPaymentStatus,
  OrderStatus,
  OrderTimelineType,
  TaxRelief,
  TextLanguage,
} from '../../contract/words.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import type { CursorPosition } from '../../platform/kit/cursor.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { parseStoredMeasure, type SkuMeasure } from '../../platform/kit/unitprice.ts'
import { expectVersion } from '../../platform/storage/guard.ts'
import { Fragment, firstRows, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import { formatAddressSummary } from '../addresses/check.ts'
import { parseVatCheck, type VatCheck } from '../vat/check.ts'

// The part of the shipping amount that is taxed at one rate.
export interface TaxShare {
  rateBps: number
  // With or without tax, like the prices of the shop.
  amount: number
  tax: number
}

// Units of a line that were refunded, and the refunded amount.
export interface RefundedLine {
  // Empty for shipping.
  skuId: string
  quantity: number
  amount: number
}

export interface OrderKey {
  installationId: string
  orderId: string
}

// The columns of an order that may be shown. Customer, address and the secret of the order's page are encrypted, and not part of this
// row.
export interface OrderRow {
  id: string
  installationId: string
  merchantId: string
  // Mode of the installation, which never changes.
  mode: Mode
  number: string
  version: number
  status: OrderStatus
  paymentStatus: OrderPaymentStatus
  fulfillmentStatus: FulfillmentStatus
  currency: string
  subtotal: number
  discount: number
  shipping: number
  shippingTax: number
  // Tax rate in basis points. Null if nothing was shipped, several rates apply, or the order was placed before rates were stored.
  shippingTaxRateBps: number | null
  // The shipping amount and its tax at each rate; null unless several rates apply.
  shippingTaxes: readonly TaxShare[] | null
  tax: number
  priceTax: 'included' | 'excluded'
  total: number
  // Why no tax was charged; null if tax was charged, or the order was placed before reasons were stored.
  taxRelief: TaxRelief | null
  // The check of the buyer's VAT number at the time of the purchase.
  vat: VatCheck | null
  // Sum of the refunds that succeeded or are pending.
  refunded: number
  // The amount that was paid above the total because edits lowered the total. Its refunds are not counted in `refunded`.
  reduced: number
  itemCount: number
  promotionId: string | null
  promotion: OrderPromotion | null
  shippingChoice: ShippingChoice | null
  address: { token: string; summary: string } | null
  checkoutSessionId: string
  cartId: string
  clientReferenceId: string | null
  emailMasked: string | null
  locale: string
  metadata: Metadata
  consents: readonly ConsentRecord[]
  cancellation: CancellationRow | null
  // Deadline of the payment, also after the money has arrived; null if there is none.
  paymentDueAt: number | null
  placedAt: number
  updatedAt: number
}

// The columns of an order that lists show.
export type OrderHead = Pick<
  OrderRow,
  | 'id'
  | 'number'
  | 'mode'
  | 'version'
  | 'status'
  | 'paymentStatus'
  | 'fulfillmentStatus'
  | 'currency'
  | 'total'
  | 'itemCount'
  | 'checkoutSessionId'
  | 'cartId'
  | 'clientReferenceId'
  | 'emailMasked'
  | 'placedAt'
  | 'updatedAt'
>

export interface ShippingChoice {
  optionId: string
  label: string
  amount: number
  // The lowest amount of the options that were offered. Missing in rows of earlier releases.
  cheapest?: number
}

// Contains no refund status: the refund itself has it.
export interface CancellationRow {
  id: string
  // Missing in rows of earlier releases, in which orders could only be cancelled through the API.
  by?: OrderCanceller
  reason: OrderCancellationReason | null
  note: string | null
  restocked: readonly ItemQuantity[]
  refundId: string | null
  createdAt: number
}

export interface OrderLine {
  skuId: string
  code: string
  productSlug: string
  name: string
  options: readonly { name: string; value: string }[]
  image: string | null
  quantity: number
  fulfilled: number
  unitPrice: number
  subtotal: number
  discount: number
  tax: number
  total: number
  // Tax rate in basis points; null for orders that were placed before rates were stored.
  taxRateBps: number | null
  measure: SkuMeasure | null
  // Why the buyer has no right of withdrawal for this item.
  withdrawalExempt: ItemExemption | null
}

export interface ConsentRecord {
  kind: ConsentKind
  at: number
  textVersion: string
  language: TextLanguage
}

export interface TimelineRow {
  type: OrderTimelineType
  at: number
}

export interface FulfillmentRow {
  id: string
  carrier: string | null
  trackingNumber: string | null
  trackingUrl: string | null
  items: readonly ItemQuantity[]
  at: number
}

export async function lockOrder(tx: Tx, { installationId, orderId }: OrderKey): Promise<void> {
  await tx.lockRow`select id from orders where installation_id = ${installationId} and id = ${orderId}`
}

// Locks orders, of any installation, in the order of their ids. `keys` must not be empty.
export async function lockOrders(tx: Tx, keys: readonly OrderKey[]): Promise<void> {
  await tx.lockRow`select o.id from orders o where ${orderKeysCondition(keys)} order by o.id`
}

// SQL condition that selects rows of `orders o` by key. `keys` must not be empty.
export function orderKeysCondition(keys: readonly OrderKey[]): Fragment {
  const installations = listFragment([...new Set(keys.map(({ installationId }) => installationId))])
  const orders = listFragment(keys.map(({ orderId }) => orderId))
  return new Fragment(`o.installation_id in (${installations.text}) and o.id in (${orders.text})`, [
    ...installations.values,
    ...orders.values,
  ])
}

interface OrderColumns
  extends Omit<
    OrderRow,
    'promotion' | 'shippingTaxes' | 'shippingChoice' | 'address' | 'metadata' | 'consents' | 'cancellation' | 'vat'
  > {
  consents: string
  vat: string | null
  promotion: string | null
  shippingTaxes: string | null
  shippingChoice: string | null
  addressId: string | null
  city: string | null
  country: string | null
  metadata: string
  cancellation: string | null
}

const columns = new Fragment(`
  o.id, o.installation_id as "installationId", o.merchant_id as "merchantId", o.mode, o.number, o.version, o.status,
  o.payment_status as "paymentStatus", o.fulfillment_status as "fulfillmentStatus", o.currency, o.subtotal, o.discount,
  o.shipping, o.shipping_tax as "shippingTax", o.shipping_tax_rate_bps as "shippingTaxRateBps", o.shipping_taxes as "shippingTaxes", o.tax, o.price_tax as "priceTax", o.total, o.tax_relief as "taxRelief", o.vat, o.refunded, o.reduced,
  o.item_count as "itemCount", o.promotion_id as "promotionId", o.promotion, o.shipping_choice as "shippingChoice",
  o.address_id as "addressId", a.city, a.country, o.checkout_session_id as "checkoutSessionId", o.cart_id as "cartId",
  o.client_reference_id as "clientReferenceId", o.email_masked as "emailMasked", o.locale, o.metadata, o.consents, o.cancellation,
  o.payment_due_at as "paymentDueAt", o.placed_at as "placedAt", o.updated_at as "updatedAt"
  from orders o left join addresses a on a.installation_id = o.installation_id and a.id = o.address_id`)

export async function findOrder(db: Reader, { installationId, orderId }: OrderKey): Promise<OrderRow | undefined> {
  const [row] = await db.sql<OrderColumns>`
    select ${columns} where o.installation_id = ${installationId} and o.id = ${orderId}`
  return row && orderFrom(row)
}

function orderFrom({ addressId, city, country, ...row }: OrderColumns): OrderRow {
  return {
    ...row,
    promotion: row.promotion === null ? null : (JSON.parse(row.promotion) as OrderPromotion),
    shippingChoice: row.shippingChoice === null ? null : (JSON.parse(row.shippingChoice) as ShippingChoice),
    shippingTaxes: row.shippingTaxes === null ? null : (JSON.parse(row.shippingTaxes) as TaxShare[]),
    // City and country remain after the address is erased.
    address: addressId === null ? null : { token: addressId, summary: placeName(city, country) },
    metadata: JSON.parse(row.metadata) as Metadata,
    consents: JSON.parse(row.consents) as ConsentRecord[],
    cancellation: row.cancellation === null ? null : (JSON.parse(row.cancellation) as CancellationRow),
    vat: parseVatCheck(row.vat),
  }
}

function placeName(city: string | null, country: string | null): string {
  return city === null || country === null ? '' : formatAddressSummary({ city, country })
}

export async function listOrderLines(db: Reader, { installationId, orderId }: OrderKey): Promise<OrderLine[]> {
  const rows = await db.sql<Omit<OrderLine, 'options' | 'measure'> & { options: string; measure: string | null }>`
    select sku_id as "skuId", code, product_slug as "productSlug", name, options, image, quantity, fulfilled,
      unit_price as "unitPrice", subtotal, discount, tax, total, tax_rate_bps as "taxRateBps", measure,
      withdrawal_exempt as "withdrawalExempt"
    from order_lines where installation_id = ${installationId} and order_id = ${orderId} order by position`
  return rows.map((row) => ({
    ...row,
    options: JSON.parse(row.options) as OrderLine['options'],
    measure: parseStoredMeasure(row.measure),
  }))
}

export async function listTimeline(db: Reader, { installationId, orderId }: OrderKey): Promise<TimelineRow[]> {
  return db.sql<TimelineRow>`
    select type, at from order_timeline
    where installation_id = ${installationId} and order_id = ${orderId} order by position`
}

export async function listFulfillments(db: Reader, { installationId, orderId }: OrderKey): Promise<FulfillmentRow[]> {
  const rows = await db.sql<Omit<FulfillmentRow, 'items'> & { items: string }>`
    select id, carrier, tracking_number as "trackingNumber", tracking_url as "trackingUrl", items, at from fulfillments
    where installation_id = ${installationId} and order_id = ${orderId} order by at, id`
  return rows.map((row) => ({ ...row, items: JSON.parse(row.items) as FulfillmentRow['items'] }))
}

// Finds the order by the secret of its page; everyone who has the secret may see the order.
export async function findOrderOfSecret(db: Reader, secretHash: string): Promise<OrderKey | undefined> {
  const [row] = await db.sql<OrderKey>`
    select installation_id as "installationId", id as "orderId" from orders where secret_hash = ${secretHash}`
  return row
}

export async function findSealedSecret(db: Reader, { installationId, orderId }: OrderKey): Promise<string | undefined> {
  const [row] = await db.sql<{ sealed: string }>`
    select secret_sealed as "sealed" from orders where installation_id = ${installationId} and id = ${orderId}`
  return row?.sealed
}

// Finds the members of an order that its session shows.
export async function findSessionOrder(
  db: Reader,
  { installationId, orderId }: OrderKey,
): Promise<(Pick<OrderRow, 'id' | 'number' | 'paymentStatus'> & { secretSealed: string }) | undefined> {
  const [row] = await db.sql<Pick<OrderRow, 'id' | 'number' | 'paymentStatus'> & { secretSealed: string }>`
    select id, number, payment_status as "paymentStatus", secret_sealed as "secretSealed"
    from orders where installation_id = ${installationId} and id = ${orderId}`
  return row
}

// Finds the customer, who is encrypted for the checkout session of the order.
export async function findSealedCustomer(db: Reader, { installationId, orderId }: OrderKey): Promise<string | null> {
  const [row] = await db.sql<{ sealed: string | null }>`
    select customer_sealed as "sealed" from orders where installation_id = ${installationId} and id = ${orderId}`
  return row?.sealed ?? null
}

export interface SealedOrderName {
  installationId: string
  orderId: string
  number: string
  checkoutSessionId: string
  customerSealed: string | null
  addressId: string | null
}

// Lists the encrypted customers of orders, sorted by order number. Leaves out orders of other merchants and modes.
export async function listSealedNames(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  orderIds: readonly string[],
): Promise<SealedOrderName[]> {
  return db.sql<SealedOrderName>`
    select installation_id as "installationId", id as "orderId", number, checkout_session_id as "checkoutSessionId",
      customer_sealed as "customerSealed", address_id as "addressId"
    from orders
    where installation_id in (select i.id from installations i where i.merchant_id = ${merchantId} and i.mode = ${mode})
      and id in (${listFragment(orderIds)})
    order by number`
}

const headColumns = new Fragment(`
  id, number, mode, version, status, payment_status as "paymentStatus", fulfillment_status as "fulfillmentStatus", currency, total,
  item_count as "itemCount", checkout_session_id as "checkoutSessionId", cart_id as "cartId",
  client_reference_id as "clientReferenceId", email_masked as "emailMasked", placed_at as "placedAt",
  updated_at as "updatedAt"`)

// Lists orders, newest first.
export async function listOrders(db: Reader, installationId: string, limit: number): Promise<OrderHead[]> {
  return db.sql<OrderHead>`
    select ${headColumns} from orders
    where installation_id = ${installationId} order by placed_at desc, id desc limit ${limit}`
}

export async function listOrdersAfter(
  db: Reader,
  installationId: string,
  { at, id }: CursorPosition,
  limit: number,
): Promise<OrderHead[]> {
  return db.sql<OrderHead>`
    select ${headColumns} from orders
    where installation_id = ${installationId} and (placed_at, id) < (${at}, ${id})
    order by placed_at desc, id desc limit ${limit}`
}

// Whether the merchant also sells in live mode. A test order could then be mistaken for a real one.
export async function isSellingLive(db: Reader, merchant: string): Promise<boolean> {
  const rows = await db.sql`
    select id from installations where merchant_id = ${merchant} and mode = 'live' and disabled_at is null limit 1`
  return rows.length > 0
}

// Lists orders whose money has not arrived in time, the longest overdue first. Orders with partial payments are left out: a person
// decides about them.
export async function listUnpaidOrders(db: Reader, now: number, limit: number): Promise<OrderKey[]> {
  return db.sql<OrderKey>`
    select installation_id as "installationId", id as "orderId" from orders
    where payment_status = 'pending' and status = 'placed' and payment_due_at <= ${now}
      and not exists (
        select 1 from money_by_hand m where m.merchant_id = orders.merchant_id and m.order_id = orders.id)
      and ${isNotDeferred('unpaid_orders', 'orders.installation_id', 'orders.id', now)}
    order by payment_due_at limit ${limit}`
}

export interface MerchantOrdersQuery {
  mode: Mode
  statuses: readonly OrderStatus[]
  // Position of the last order of the previous page.
  after: CursorPosition | undefined
  limit: number
}

// Lists orders of a merchant for the operator, whichever app sold them, newest first.
export async function listOrdersOfMerchant(
  db: Reader,
  merchant: string,
  { mode, statuses, after, limit }: MerchantOrdersQuery,
): Promise<OrderHead[]> {
  // Without a cursor, the list begins with the newest order.
  const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: '' }
  return db.sql<OrderHead>`
    select ${headColumns} from orders
    where merchant_id = ${merchant} and mode = ${mode} and status in (${listFragment(statuses)})
      and (placed_at, id) < (${at}, ${id})
    order by placed_at desc, id desc limit ${limit}`
}

export async function findPlaceOfOrder(
  db: Reader,
  { installationId, orderId }: OrderKey,
): Promise<CursorPosition | undefined> {
  const [row] = await db.sql<CursorPosition>`
    select placed_at as "at", id from orders where installation_id = ${installationId} and id = ${orderId}`
  return row
}

export interface NamedOrder extends OrderKey {
  number: string
  mode: Mode
}

export async function findOrderByNumber(db: Reader, merchant: string, number: string): Promise<NamedOrder | undefined> {
  const [row] = await db.sql<NamedOrder>`
    select installation_id as "installationId", id as "orderId", number, mode from orders
    where merchant_id = ${merchant} and number = ${number}`
  return row
}

export async function findOrderById(
  db: Reader,
  installationIds: readonly string[],
  id: string,
): Promise<NamedOrder | undefined> {
  const [row] = await db.sql<NamedOrder>`
    select installation_id as "installationId", id as "orderId", number, mode from orders
    where installation_id in (${listFragment(installationIds)}) and id = ${id}`
  return row
}

export interface AdminOrderHead extends OrderHead, OrderDestination {
  refunded: number
  // Null if no agent placed the order.
  agentPlatformId: string | null
  agentHost: string | null
  agentProtocol: string | null
}

// The unencrypted parts of the destination of an order, and the installation that sold it.
export interface OrderDestination {
  city: string | null
  country: string | null
  installationId: string
  installationName: string
  // Null until a job has found the customer, and again after the customer was erased.
  customerId: string | null
}

// A search for orders by the words that a person typed.
export interface OrderSearchQuery {
  text: string
  seesCustomers: boolean
  limit: number
}

export interface AdminOrdersQuery {
  // Searches only these orders.
  keys?: readonly OrderKey[] | undefined
  status?: OrderStatus | undefined
  payment?: OrderPaymentStatus | undefined
  fulfillment?: FulfillmentStatus | undefined
  toSend?: boolean | undefined
  attention?: OrderAttention | undefined
  channel?: OrderChannel | undefined
  from?: number | undefined
  to?: number | undefined
  installationId?: string | undefined
  customerId?: string | undefined
  sort: OrderSort
  after: CursorPosition | null
  limit: number
}

// Status words are literals: with parameters, the database would not use the partial indexes.
const literal = (word: OrderStatus | OrderPaymentStatus | FulfillmentStatus) => `'${word}'`

// Orders that can be sent now: paid, or to be paid on delivery. The first line matches the condition of the partial index.
// With `exists`, PostgreSQL would read all payments on delivery of all shops.
export const isToSend = `o.status in ('placed', 'processing') and o.payment_status in ('pending', 'paid', 'partially_refunded')
  and (o.payment_status <> 'pending' or coalesce((select 1 from payments p where p.installation_id = o.installation_id
    and p.order_id = o.id and p.status = 'pending' and p.method = 'cash_on_delivery' limit 1), 0) = 1)`

// Each condition starts from an index with few rows.
const attentionConditions: Readonly<Record<OrderAttention, string>> = {
  refund_failed: `(o.installation_id, o.id) in (select r.installation_id, r.order_id from refunds r
    where r.merchant_id = ? and r.status = 'failed' and r.replaced_by is null)`,
  dispute_open: `(o.installation_id, o.id) in (select d.installation_id, p.order_id from disputes d
    join payments p on p.installation_id = d.installation_id and p.id = d.payment_id
    where d.merchant_id = ? and d.status = 'open')`,
  dispute_lost: `(o.installation_id, o.id) in (select d.installation_id, p.order_id from disputes d
    join payments p on p.installation_id = d.installation_id and p.id = d.payment_id
    where d.merchant_id = ? and d.status = 'lost')`,
}

const channelConditions: Readonly<Record<OrderChannel, string>> = { agents: 'o.agent_platform_id is not null' }

// `keys` must not be empty. The installations are named too, because ids of orders are indexed by installation.
function oneOfKeys(keys: readonly OrderKey[]): Fragment {
  const installations = listFragment([...new Set(keys.map(({ installationId }) => installationId))])
  const orders = listFragment(keys.map(({ orderId }) => orderId))
  return new Fragment(`o.installation_id in (${installations.text}) and o.id in (${orders.text})`, [
    ...installations.values,
    ...orders.values,
  ])
}

export async function listAdminOrders(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  query: AdminOrdersQuery,
): Promise<AdminOrderHead[]> {
  const {
    keys,
    status,
    payment,
    fulfillment,
    toSend,
    attention,
    channel,
    from,
    to,
    installationId,
    customerId,
    sort,
    after,
    limit,
  } = query
  const isNewestFirst = sort === 'newest'
  const conditions = [
    new Fragment('o.merchant_id = ? and o.mode = ?', [merchantId, mode]),
    keys && oneOfKeys(keys),
    status && new Fragment(`o.status = ${literal(status)}`),
    payment && new Fragment(`o.payment_status = ${literal(payment)}`),
    fulfillment && new Fragment(`o.fulfillment_status = ${literal(fulfillment)}`),
    toSend !== undefined && new Fragment(toSend ? isToSend : `not (${isToSend})`),
    attention && new Fragment(attentionConditions[attention], [merchantId]),
    channel && new Fragment(channelConditions[channel]),
    from !== undefined && new Fragment('o.placed_at >= ?', [from]),
    to !== undefined && new Fragment('o.placed_at < ?', [to]),
    installationId !== undefined && new Fragment('o.installation_id = ?', [installationId]),
    customerId !== undefined && new Fragment('o.customer_id = ?', [customerId]),
    after && new Fragment(`(o.placed_at, o.id) ${isNewestFirst ? '<' : '>'} (?, ?)`, [after.at, after.id]),
  ].filter((condition) => condition instanceof Fragment)
  const where = new Fragment(
    conditions.map(({ text }) => text).join(' and '),
    conditions.flatMap(({ values }) => [...values]),
  )
  const order = new Fragment(isNewestFirst ? 'o.placed_at desc, o.id desc' : 'o.placed_at, o.id')
  return db.sql<AdminOrderHead>`
    select ${adminHeadColumns} where ${where} order by ${order} limit ${firstRows(limit)}`
}

const adminHeadColumns = new Fragment(`
  o.id, o.number, o.mode, o.version, o.status, o.payment_status as "paymentStatus",
  o.fulfillment_status as "fulfillmentStatus", o.currency, o.total, o.refunded, o.item_count as "itemCount",
  o.checkout_session_id as "checkoutSessionId", o.cart_id as "cartId", o.client_reference_id as "clientReferenceId",
  o.email_masked as "emailMasked", o.placed_at as "placedAt", o.updated_at as "updatedAt", a.city, a.country,
  o.installation_id as "installationId", i.name as "installationName", o.customer_id as "customerId",
  o.agent_platform_id as "agentPlatformId", g.host as "agentHost", o.agent_protocol as "agentProtocol"
  from orders o join installations i on i.id = o.installation_id
  left join addresses a on a.installation_id = o.installation_id and a.id = o.address_id
  left join agent_platforms g on g.installation_id = o.installation_id and g.id = o.agent_platform_id`)

// Finds an order of the merchant in this mode, whichever installation sold it.
export async function findAdminOrder(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  id: string,
): Promise<(OrderKey & OrderDestination) | undefined> {
  const [row] = await db.sql<OrderKey & OrderDestination>`
    select o.installation_id as "installationId", o.id as "orderId", i.name as "installationName", a.city, a.country,
      o.customer_id as "customerId"
    from installations i join orders o on o.installation_id = i.id
    left join addresses a on a.installation_id = o.installation_id and a.id = o.address_id
    where i.merchant_id = ${merchantId} and i.mode = ${mode} and o.id = ${id}`
  return row
}

// Returns when the first and the last order before `before` were placed; undefined if there is none.
export async function findPlacedSpan(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  before: number,
): Promise<{ first: number; last: number } | undefined> {
  const [row] = await db.sql<{ first: number | null; last: number | null }>`
    select min(placed_at) as "first", max(placed_at) as "last" from orders
    where merchant_id = ${merchantId} and mode = ${mode} and placed_at < ${before}`
  return row?.first == null || row.last === null ? undefined : { first: row.first, last: row.last }
}

// Lists orders that were placed before `before`, oldest first, without orders that were placed by an exchange.
export async function listPlacedBefore(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  before: number,
): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select o.id from orders o
    left join return_exchanges e on e.merchant_id = o.merchant_id and e.order_id = o.id
    where o.merchant_id = ${merchantId} and o.mode = ${mode} and o.placed_at < ${before} and e.order_id is null
    order by o.placed_at, o.id limit 1000`
  return rows.map(({ id }) => id)
}

const numbersFrom = 1_001
// Numbers of test orders begin with this prefix, so everyone recognises them.
const testNumberPrefix = 'T-'

// Copies the agent from the checkout to the order, if an agent placed the order.
export function copyAgentToOrder(tx: Tx, { installationId, id, checkoutSessionId }: OrderRow): void {
  tx.send`
    update orders set (agent_platform_id, agent_protocol, agent_version, agent_proof) = (
      select c.platform_id, c.protocol, c.version, c.proof from agent_checkouts c
      where c.installation_id = ${installationId} and c.session_id = ${checkoutSessionId})
    where installation_id = ${installationId} and id = ${id}`
}

// The agent that placed an order.
export interface OrderAgent {
  platformId: string
  // Null after the platform was deleted, and for agents without a profile.
  host: string | null
  protocol: string
  version: string
  proof: 'signature' | 'key' | null
}

export async function findOrderAgent(
  db: Reader,
  { installationId, orderId }: OrderKey,
): Promise<OrderAgent | undefined> {
  const [row] = await db.sql<OrderAgent>`
    select o.agent_platform_id as "platformId", p.host, o.agent_protocol as "protocol", o.agent_version as "version",
      o.agent_proof as "proof"
    from orders o left join agent_platforms p on p.installation_id = o.installation_id and p.id = o.agent_platform_id
    where o.installation_id = ${installationId} and o.id = ${orderId} and o.agent_platform_id is not null`
  return row
}

export interface ExchangeOrigin {
  returnId: string
  orderId: string
  orderNumber: string
}

// Finds the return whose items were exchanged for this order.
export async function findExchangeOf(
  db: Reader,
  { installationId, orderId }: OrderKey,
): Promise<ExchangeOrigin | undefined> {
  const [row] = await db.sql<ExchangeOrigin>`
    select e.return_id as "returnId", o.id as "orderId", o.number as "orderNumber"
    from orders made
    join return_exchanges e on e.merchant_id = made.merchant_id and e.order_id = made.id
    join returns r on r.installation_id = e.installation_id and r.id = e.return_id
    join orders o on o.installation_id = r.installation_id and o.id = r.order_id
    where made.installation_id = ${installationId} and made.id = ${orderId}`
  return row
}

// Saves the amount that was paid above the total, which is refunded separately.
export function saveReducedAmount(tx: Tx, { installationId, orderId }: OrderKey, amount: number): void {
  tx.send`update orders set reduced = ${amount} where installation_id = ${installationId} and id = ${orderId}`
}

// The row stays locked until the commit, so numbers are assigned in the order of commits and none is skipped. Meanwhile the merchant's
// next order in this mode waits.
export async function assignOrderNumber(tx: Tx, { merchantId, mode }: MerchantMode): Promise<string> {
  const [row] = await tx.sql<{ number: number }>`
    insert into order_numbers (merchant_id, mode, last) values (${merchantId}, ${mode}, ${numbersFrom})
    on conflict (merchant_id, mode) do update set last = order_numbers.last + 1
    returning last as "number"`
  if (!row) throw new Error(`merchant ${merchantId} got no order number`)
  return mode === 'live' ? String(row.number) : `${testNumberPrefix}${row.number}`
}

export interface SealedFacts {
  customerSealed: string | null
  emailHash: string | null
  secretHash: string
  secretSealed: string
}

export function insertOrder(tx: Tx, order: OrderRow, sealed: SealedFacts): void {
  tx.send`
    insert into orders (installation_id, id, merchant_id, mode, number, version, status, payment_status, fulfillment_status,
      currency, subtotal, discount, shipping, shipping_tax, shipping_tax_rate_bps, shipping_taxes, tax, price_tax, total, tax_relief, vat, refunded, item_count, promotion_id,
      promotion, shipping_choice, address_id, checkout_session_id, cart_id, client_reference_id, customer_sealed,
      email_masked, email_hash, locale, metadata, consents, secret_hash, secret_sealed, payment_due_at, placed_at, updated_at)
    values (${order.installationId}, ${order.id}, ${order.merchantId}, ${order.mode}, ${order.number}, ${order.version},
      ${order.status}, ${order.paymentStatus}, ${order.fulfillmentStatus}, ${order.currency}, ${order.subtotal}, ${order.discount},
      ${order.shipping}, ${order.shippingTax}, ${order.shippingTaxRateBps}, ${jsonOrNull(order.shippingTaxes)}, ${order.tax}, ${order.priceTax}, ${order.total}, ${order.taxRelief}, ${jsonOrNull(order.vat)}, ${order.refunded},
      ${order.itemCount}, ${order.promotionId}, ${jsonOrNull(order.promotion)}, ${jsonOrNull(order.shippingChoice)},
      ${order.address?.token ?? null}, ${order.checkoutSessionId}, ${order.cartId}, ${order.clientReferenceId},
      ${sealed.customerSealed}, ${order.emailMasked}, ${sealed.emailHash}, ${order.locale},
      ${JSON.stringify(order.metadata)}, ${JSON.stringify(order.consents)}, ${sealed.secretHash}, ${sealed.secretSealed}, ${order.paymentDueAt},
      ${order.placedAt}, ${order.updatedAt})`
}

// Inserts the lines in this order.
export function insertOrderLines(tx: Tx, order: OrderRow, lines: readonly OrderLine[]): void {
  const given = tx.rows(
    lines.map((line, position) => [
      line.skuId,
      position,
      line.code,
      line.productSlug,
      line.name,
      JSON.stringify(line.options),
      line.image,
      line.quantity,
      line.unitPrice,
      line.subtotal,
      line.discount,
      line.tax,
      line.total,
      line.taxRateBps,
      line.measure && JSON.stringify(line.measure),
      line.withdrawalExempt,
    ]),
    orderLineTypes,
  )
  tx.send`
    with given (sku_id, position, code, product_slug, name, options, image, quantity, unit_price, subtotal, discount, tax, total,
      tax_rate_bps, measure, withdrawal_exempt) as (${given})
    insert into order_lines (installation_id, order_id, merchant_id, sku_id, position, code, product_slug, name, options, image,
      quantity, unit_price, subtotal, discount, tax, total, tax_rate_bps, measure, withdrawal_exempt)
    select cast(${order.installationId} as text), cast(${order.id} as text), cast(${order.merchantId} as text), sku_id, position, code,
      product_slug, name, options, image, quantity, unit_price, subtotal, discount, tax, total, tax_rate_bps, measure,
      withdrawal_exempt
    from given where sku_id is not null`
}

const orderLineTypes = [
  'text',
  'bigint',
  ...(['text', 'text', 'text', 'text', 'text'] as const),
  ...(['bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint'] as const),
  'text',
  'text',
] as const

// Writes the order after a change. `before`: as read under the lock. The refunded amounts are written by separate statements below.
export function saveOrder(tx: Tx, order: OrderRow, before: { version: number }): void {
  tx.send`
    update orders set ${expectVersion(before.version, order.version)}, status = ${order.status},
      payment_status = ${order.paymentStatus}, fulfillment_status = ${order.fulfillmentStatus},
      cancellation = ${jsonOrNull(order.cancellation)},
      updated_at = ${order.updatedAt}
    where installation_id = ${order.installationId} and id = ${order.id}`
}

// The statement itself contains the limit, so concurrent refunds together never exceed the total of the order. Returns undefined if the
// amount would exceed it.
export async function raiseRefunded(
  tx: Tx,
  { installationId, orderId }: OrderKey,
  amount: number,
): Promise<number | undefined> {
  const [row] = await tx.sql<{ refunded: number }>`
    update orders set refunded = refunded + ${amount}
    where installation_id = ${installationId} and id = ${orderId} and refunded + ${amount} <= total
    returning refunded`
  return row?.refunded
}

export async function lowerRefunded(
  tx: Tx,
  { installationId, orderId }: OrderKey,
  amount: number,
): Promise<number | undefined> {
  const [row] = await tx.sql<{ refunded: number }>`
    update orders set refunded = refunded - ${amount}
    where installation_id = ${installationId} and id = ${orderId} and refunded >= ${amount}
    returning refunded`
  return row?.refunded
}

// `position`: of the first entry.
export function insertTimeline(
  tx: Tx,
  { installationId, orderId }: OrderKey,
  position: number,
  entries: readonly TimelineRow[],
): void {
  if (entries.length === 0) return
  const given = tx.rows(
    entries.map(({ type, at }, index) => [position + index, type, at]),
    ['bigint', 'text', 'bigint'],
  )
  tx.send`
    with given (position, type, at) as (${given})
    insert into order_timeline (installation_id, order_id, position, type, at)
    select cast(${installationId} as text), cast(${orderId} as text), position, type, at
    from given where position is not null`
}

export function insertFulfillment(tx: Tx, { installationId, orderId }: OrderKey, fulfillment: FulfillmentRow): void {
  tx.send`
    insert into fulfillments (installation_id, order_id, id, carrier, tracking_number, tracking_url, items, at)
    values (${installationId}, ${orderId}, ${fulfillment.id}, ${fulfillment.carrier}, ${fulfillment.trackingNumber},
      ${fulfillment.trackingUrl}, ${JSON.stringify(fulfillment.items)}, ${fulfillment.at})`
}

// A check of the table keeps the sum at or below the ordered quantity.
export function raiseFulfilled(tx: Tx, { installationId, orderId }: OrderKey, { skuId, quantity }: ItemQuantity): void {
  tx.send`
    update order_lines set fulfilled = fulfilled + ${quantity}
    where installation_id = ${installationId} and order_id = ${orderId} and sku_id = ${skuId}`
}

export function insertPromotionUse(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  use: { promotionId: string; orderId: string; emailHash: string | null; usedAt: number },
): void {
  tx.send`
    insert into promotion_uses (merchant_id, promotion_id, order_id, mode, email_hash, used_at)
    values (${merchantId}, ${use.promotionId}, ${use.orderId}, ${mode}, ${use.emailHash}, ${use.usedAt})`
}

// Returns false if the use was already ended, or the order did not use the promotion.
export async function endPromotionUse(
  tx: Tx,
  merchant: string,
  { promotionId, orderId, now }: { promotionId: string; orderId: string; now: number },
): Promise<boolean> {
  const rows = await tx.sql`
    update promotion_uses set given_back_at = ${now}
    where merchant_id = ${merchant} and promotion_id = ${promotionId} and order_id = ${orderId} and given_back_at is null
    returning order_id`
  return rows.length > 0
}

export async function findOrderOfFulfillment(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  id: string,
): Promise<OrderKey | undefined> {
  const [row] = await db.sql<OrderKey>`
    select f.installation_id as "installationId", f.order_id as "orderId"
    from installations i join fulfillments f on f.installation_id = i.id
    where i.merchant_id = ${merchantId} and i.mode = ${mode} and f.id = ${id}`
  return row
}

export async function updateFulfillment(
  tx: Tx,
  { installationId, orderId }: OrderKey,
  row: FulfillmentRow,
): Promise<void> {
  await tx.sql`
    update fulfillments set carrier = ${row.carrier}, tracking_number = ${row.trackingNumber},
      tracking_url = ${row.trackingUrl}
    where installation_id = ${installationId} and order_id = ${orderId} and id = ${row.id}`
}

export interface OrderNoteRow {
  id: string
  text: string
  actorKind: ActorKind
  actorId: string | null
  at: number
}

export async function listOrderNotes(db: Reader, { installationId, orderId }: OrderKey): Promise<OrderNoteRow[]> {
  return db.sql<OrderNoteRow>`
    select id, text, actor_kind as "actorKind", actor_id as "actorId", at from order_notes
    where installation_id = ${installationId} and order_id = ${orderId} order by id`
}

export function insertOrderNote(
  tx: Tx,
  { installationId, orderId }: OrderKey,
  merchantId: string,
  note: OrderNoteRow,
): void {
  tx.send`
    insert into order_notes (installation_id, order_id, id, merchant_id, text, actor_kind, actor_id, at)
    values (${installationId}, ${orderId}, ${note.id}, ${merchantId}, ${note.text}, ${note.actorKind}, ${note.actorId},
      ${note.at})`
}

type OrderOfMerchant = Pick<OrderRow, 'merchantId' | 'id'>

// Money that a person received or paid back for an order.
export interface MoneyEntry {
  id: string
  // Negative if the money was paid back.
  amount: number
  at: number
}

// Lists entries, oldest first.
export async function listMoneyByHand(db: Reader, { merchantId, id }: OrderOfMerchant): Promise<MoneyEntry[]> {
  return db.sql<MoneyEntry>`
    select id, amount, at from money_by_hand
    where merchant_id = ${merchantId} and order_id = ${id} order by at, id`
}

export function insertMoneyByHand(
  tx: Tx,
  { merchantId, id: orderId }: OrderOfMerchant,
  { id, amount, at }: MoneyEntry,
): void {
  tx.send`
    insert into money_by_hand (merchant_id, order_id, id, amount, at)
    values (${merchantId}, ${orderId}, ${id}, ${amount}, ${at})`
}

// Lists lines of refunds that succeeded or are pending, without those of failed refunds.
export async function listRefundedLines(db: Reader, { installationId, orderId }: OrderKey): Promise<RefundedLine[]> {
  return db.sql<RefundedLine>`
    select l.sku_id as "skuId", l.quantity, l.amount from refund_lines l
    join refunds r on r.installation_id = l.installation_id and r.id = l.refund_id
    where l.installation_id = ${installationId} and l.order_id = ${orderId} and r.status <> 'failed'`
}

export async function listLinesOfRefund(
  db: Reader,
  { installationId, orderId }: OrderKey,
  refundId: string,
): Promise<RefundedLine[]> {
  return db.sql<RefundedLine>`
    select sku_id as "skuId", quantity, amount from refund_lines
    where installation_id = ${installationId} and order_id = ${orderId} and refund_id = ${refundId}`
}

// Lists lines of all refunds of an order, including failed refunds.
export async function listLinesByRefund(
  db: Reader,
  { installationId, orderId }: OrderKey,
): Promise<(RefundedLine & { refundId: string })[]> {
  return db.sql<RefundedLine & { refundId: string }>`
    select refund_id as "refundId", sku_id as "skuId", quantity, amount from refund_lines
    where installation_id = ${installationId} and order_id = ${orderId} order by refund_id, sku_id`
}

// A line of a document that was created for a refund or an edit.
export interface CreditedLine {
  skuId: string
  rateBps: number
  net: number
  tax: number
  total: number
}

// Returns lines by the id of the refund or edit. What an edit has added counts as negative.
export async function listCredits(
  db: Reader,
  { merchantId, id }: Pick<OrderRow, 'merchantId' | 'id'>,
): Promise<Map<string, CreditedLine[]>> {
  const rows = await db.sql<{ causeId: string; kind: DocumentKind; content: string }>`
    select cause_id as "causeId", kind, content from documents
    where merchant_id = ${merchantId} and order_id = ${id} and cause in ('refund_paid', 'order_paid') and cause_id <> ${id}
    order by issued_at, id`
  const credits = new Map<string, CreditedLine[]>()
  for (const { causeId, kind, content } of rows) {
    const { lines } = JSON.parse(content) as { lines: CreditedLine[] }
    const sign = kind === 'credit_note' ? 1 : -1
    const signed = lines.map(({ skuId, rateBps, net, tax, total }) => ({
      skuId,
      rateBps,
      net: sign * net,
      tax: sign * tax,
      total: sign * total,
    }))
    credits.set(causeId, [...(credits.get(causeId) ?? []), ...signed])
  }
  return credits
}

export function insertRefundedLine(
  tx: Tx,
  { installationId, orderId }: OrderKey,
  refundId: string,
  { skuId, quantity, amount }: RefundedLine,
): void {
  tx.send`
    insert into refund_lines (installation_id, order_id, refund_id, sku_id, quantity, amount)
    values (${installationId}, ${orderId}, ${refundId}, ${skuId}, ${quantity}, ${amount})`
}

// Adds up the lines of these refunds of an order, by SKU.
export async function listLinesOfRefunds(
  db: Reader,
  { installationId, orderId }: OrderKey,
  refunds: readonly { id: string }[],
): Promise<RefundedLine[]> {
  if (refunds.length === 0) return []
  return db.sql<RefundedLine>`
    select sku_id as "skuId", cast(sum(quantity) as bigint) as "quantity", cast(sum(amount) as bigint) as "amount"
    from refund_lines
    where installation_id = ${installationId} and order_id = ${orderId} and refund_id in (${listFragment(refunds.map(({ id }) => id))})
    group by sku_id order by sku_id desc`
}

// The draft of an edit or an exchange that is still to be paid.
export interface OpenChangeRow {
  draftId: string
  // Null for an edit.
  returnId: string | null
  total: number
  expiresAt: number
}

export async function findOpenChange(
  db: Reader,
  { merchantId, id: orderId }: Pick<OrderRow, 'merchantId' | 'id'>,
): Promise<OpenChangeRow | undefined> {
  const [row] = await db.sql<OpenChangeRow>`
    select d.id as "draftId", d.return_id as "returnId", coalesce(d.total, 0) as "total", c.expires_at as "expiresAt" from drafts d
    join checkout_sessions c on c.installation_id = d.installation_id and c.id = d.session_id
    where d.merchant_id = ${merchantId} and d.changes_order = ${orderId}
      and c.status in ('open', 'processing')
    order by d.created_at desc limit 1`
  return row
}

// An order that has ended can no longer be edited, so the payment link of the edit expires now, and the sweep releases its held stock.
// Sent items can still be exchanged.
export function expireChanges(tx: Tx, { merchantId, installationId, id: orderId }: OrderRow, now: number): void {
  tx.send`
    update checkout_sessions set expires_at = ${now}
    where installation_id = ${installationId} and status in ('open', 'processing') and expires_at > ${now} and id in (
      select d.session_id from drafts d where d.merchant_id = ${merchantId} and d.changes_order = ${orderId}
        and d.return_id is null)`
}

// Queues a document. A job creates the invoice or the credit note.
export function queueDocument(
  tx: Tx,
  { merchantId, mode, installationId, id }: OrderRow,
  { cause, causeId, at }: { cause: DocumentCause; causeId: string; at: number },
): void {
  tx.send`
    insert into document_causes (merchant_id, cause, cause_id, installation_id, order_id, mode, at)
    values (${merchantId}, ${cause}, ${causeId}, ${installationId}, ${id}, ${mode}, ${at})
    on conflict (merchant_id, cause, cause_id) do nothing`
}

// Refunds that replace failed refunds belong to the same return. Each failed refund refers to the first of the new ones (`replaced_by`).
export function copyReplacedReturns(
  tx: Tx,
  { installationId, orderId }: OrderKey,
  refunds: readonly [{ id: string }, ...{ id: string }[]],
): void {
  const [{ id: replacedBy }] = refunds
  for (const { id } of refunds)
    tx.send`
      insert into return_refunds (installation_id, return_id, refund_id)
      select distinct f.installation_id, f.return_id, cast(${id} as text)
      from refunds r join return_refunds f on f.installation_id = r.installation_id and f.refund_id = r.id
      where r.installation_id = ${installationId} and r.order_id = ${orderId} and r.replaced_by = ${replacedBy}`
}

function jsonOrNull(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}
