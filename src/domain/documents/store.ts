// The SQL of documents. A row is written once and never changed, except to encrypt its buyer again.

import { type DocumentCause, type DocumentKind, isByVatNumber, type TaxReason } from '../../contract/words.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { allConditions, Fragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { OrderKey, OrderRow } from '../orders/store.ts'
import type { DocumentContent } from './content.ts'
import type { EditedPart } from './sums.ts'

// A document that is still to be created.
export interface CauseRow extends OrderKey, MerchantMode {
  cause: DocumentCause
  // Id of the order, the refund or the edit.
  causeId: string
  at: number
}

// Lists the oldest causes first, so a credit note follows its invoice. `at > 0` makes both engines start at the beginning of the index.
export async function listCauses(db: Reader, now: number, rowsMax: number): Promise<CauseRow[]> {
  return db.sql<CauseRow>`
    select merchant_id as "merchantId", cause, cause_id as "causeId", installation_id as "installationId",
      order_id as "orderId", mode, at
    from document_causes
    where at > 0 and ${isNotDeferred('documents', 'document_causes.merchant_id', 'document_causes.cause_id', now)}
    order by at, cause_id limit ${rowsMax}`
}

// Returns false if another node has created the document already. Other nodes wait here until this transaction ends.
export async function claimDocumentCause(tx: Tx, { merchantId, cause, causeId }: CauseRow): Promise<boolean> {
  const rows = await tx.sql`
    delete from document_causes
    where merchant_id = ${merchantId} and cause = ${cause} and cause_id = ${causeId} returning cause_id`
  return rows.length > 0
}

export async function isCauseQueued(
  db: Reader,
  { merchantId, cause, causeId }: Pick<CauseRow, 'merchantId' | 'cause' | 'causeId'>,
): Promise<boolean> {
  const rows = await db.sql`
    select cause_id from document_causes
    where merchant_id = ${merchantId} and cause = ${cause} and cause_id = ${causeId}`
  return rows.length > 0
}

// Returns the parts that an edit removed from an order, and the parts that it added.
export async function findEditParts(
  db: Reader,
  merchantId: string,
  editId: string,
): Promise<{ removed: EditedPart[]; added: EditedPart[] }> {
  const [row] = await db.sql<{ parts: string }>`
    select parts from order_edits where merchant_id = ${merchantId} and id = ${editId}`
  if (!row) throw new Error(`order edit ${editId} does not exist`)
  return JSON.parse(row.parts) as { removed: EditedPart[]; added: EditedPart[] }
}

// Returns true if the document is not created yet: its creation then waits until this transaction ends, and sees the changes of this
// transaction.
export async function lockQueuedCause(
  tx: Tx,
  { merchantId, cause, causeId }: Pick<CauseRow, 'merchantId' | 'cause' | 'causeId'>,
): Promise<boolean> {
  const rows = await tx.sql`
    update document_causes set at = at
    where merchant_id = ${merchantId} and cause = ${cause} and cause_id = ${causeId} returning cause_id`
  return rows.length > 0
}

// The customer, encrypted, and the country of delivery, which stays known after the address was erased. The country is null if nothing is
// shipped.
export interface SealedBuyer {
  customerSealed: string | null
  country: string | null
  // The encrypted address; null if there is none.
  sealed: string | null
  rowKey: string | null
  expiresAt: number | null
}

export async function findSealedBuyer(
  db: Reader,
  { installationId, id }: Pick<OrderRow, 'installationId' | 'id'>,
): Promise<SealedBuyer> {
  const [row] = await db.sql<SealedBuyer>`
    select o.customer_sealed as "customerSealed", a.country, a.sealed, a.row_key as "rowKey", a.expires_at as "expiresAt"
    from orders o left join addresses a on a.installation_id = o.installation_id and a.id = o.address_id
    where o.installation_id = ${installationId} and o.id = ${id}`
  if (!row) throw new Error(`order ${id} does not exist`)
  return row
}

// How each SKU of the order is delivered. Only for an order without tax whose buyer owes the tax: the reason differs for shipped goods.
export async function findDeliveries(
  db: Reader,
  { installationId, merchantId, id, taxRelief }: Pick<OrderRow, 'installationId' | 'merchantId' | 'id' | 'taxRelief'>,
): Promise<Map<string, 'shipped' | 'digital'>> {
  if (!isByVatNumber(taxRelief)) return new Map()
  const rows = await db.sql<{ id: string; delivery: 'shipped' | 'digital' }>`
    select s.id, s.delivery from skus s
    where s.merchant_id = ${merchantId}
      and s.id in (select sku_id from order_lines where installation_id = ${installationId} and order_id = ${id})`
  return new Map(rows.map((row) => [row.id, row.delivery]))
}

export interface Series extends MerchantMode {
  kind: DocumentKind
  period: string
}

// The row stays locked until the commit, so numbers are assigned in the order of commits, and the number of a failed transaction is used
// again.
export async function assignDocumentNumber(tx: Tx, { merchantId, mode, kind, period }: Series): Promise<number> {
  const [row] = await tx.sql<{ number: number }>`
    insert into document_numbers (merchant_id, mode, kind, period, last) values (${merchantId}, ${mode}, ${kind}, ${period}, 1)
    on conflict (merchant_id, mode, kind, period) do update set last = document_numbers.last + 1
    returning last as "number"`
  if (!row) throw new Error(`merchant ${merchantId} got no document number`)
  return row.number
}

export async function isNumberTaken(
  db: Reader,
  { merchantId, mode, kind }: Omit<Series, 'period'>,
  number: string,
): Promise<boolean> {
  const rows = await db.sql`
    select id from documents
    where merchant_id = ${merchantId} and mode = ${mode} and kind = ${kind} and number = ${number}`
  return rows.length > 0
}

// The members of a document in a list.
export interface DocumentHead extends OrderKey, MerchantMode {
  id: string
  kind: DocumentKind
  cause: DocumentCause
  causeId: string
  number: string
  day: string
  supplyDay: string
  currency: string
  net: number
  tax: number
  total: number
  country: string
  issuedAt: number
}

export interface DocumentRow extends DocumentHead {
  content: DocumentContent
  buyerSealed: string | null
}

export function insertDocument(tx: Tx, row: DocumentRow): void {
  tx.send`
    insert into documents (merchant_id, id, mode, kind, cause, cause_id, installation_id, order_id, number, day, supply_day,
      currency, net, tax, total, country, content, buyer_sealed, issued_at)
    values (${row.merchantId}, ${row.id}, ${row.mode}, ${row.kind}, ${row.cause}, ${row.causeId}, ${row.installationId},
      ${row.orderId}, ${row.number}, ${row.day}, ${row.supplyDay}, ${row.currency}, ${row.net}, ${row.tax}, ${row.total},
      ${row.country}, ${JSON.stringify(row.content)}, ${row.buyerSealed}, ${row.issuedAt})`
  const { rates } = row.content
  if (rates.length === 0) return
  const given = tx.rows(
    rates.map(({ rateBps, reason, net, tax, total }) => [
      row.merchantId,
      row.id,
      rateBps,
      reason ?? '',
      net,
      tax,
      total,
    ]),
    ['text', 'text', 'bigint', 'text', 'bigint', 'bigint', 'bigint'],
  )
  tx.send`
    with given (merchant_id, document_id, rate, reason, net, tax, total) as (${given})
    insert into document_rates (merchant_id, document_id, rate, reason, net, tax, total)
    select merchant_id, document_id, rate, reason, net, tax, total from given where merchant_id is not null`
}

const headColumns = `
  d.merchant_id as "merchantId", d.id, d.mode, d.kind, d.cause, d.cause_id as "causeId", d.installation_id as "installationId",
  d.order_id as "orderId", d.number, d.day, d.supply_day as "supplyDay", d.currency, d.net, d.tax, d.total, d.country,
  d.issued_at as "issuedAt"`
const heads = new Fragment(headColumns)
const rows = new Fragment(`${headColumns}, d.content, d.buyer_sealed as "buyerSealed"`)

type StoredRow = Omit<DocumentRow, 'content'> & { content: string }

const rowFrom = (row: StoredRow): DocumentRow => ({ ...row, content: JSON.parse(row.content) as DocumentContent })

// Lists the oldest documents first.
export async function listDocumentsOfOrder(db: Reader, merchantId: string, orderId: string): Promise<DocumentRow[]> {
  const found = await db.sql<StoredRow>`
    select ${rows} from documents d where d.merchant_id = ${merchantId} and d.order_id = ${orderId}
    order by d.issued_at, d.id`
  return found.map(rowFrom)
}

// The invoice that was created when the order was paid.
export async function findInvoiceOfOrder(
  db: Reader,
  merchantId: string,
  orderId: string,
): Promise<Pick<DocumentHead, 'id' | 'kind' | 'number'> | undefined> {
  const [row] = await db.sql<Pick<DocumentHead, 'id' | 'kind' | 'number'>>`
    select id, kind, number from documents
    where merchant_id = ${merchantId} and order_id = ${orderId} and cause = 'order_paid' order by issued_at, id limit 1`
  return row
}

export async function findDocument(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  id: string,
): Promise<DocumentRow | undefined> {
  const [row] = await db.sql<StoredRow>`
    select ${rows} from documents d where d.merchant_id = ${merchantId} and d.mode = ${mode} and d.id = ${id}`
  return row && rowFrom(row)
}

export interface DocumentsQuery {
  kind?: DocumentKind | undefined
  orderId?: string | undefined
  number?: string | undefined
  // Days, both inclusive.
  from?: string | undefined
  to?: string | undefined
  after: { at: number; id: string } | null
  limit: number
}

// Documents, newest first.
export async function listDocuments(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { kind, orderId, number, from, to, after, limit }: DocumentsQuery,
): Promise<DocumentHead[]> {
  const conditions = [
    // `|| ''` keeps the planner from using the index by time, with which it would read all documents of the merchant.
    new Fragment(`d.merchant_id = ? and d.mode${orderId === undefined ? '' : " || ''"} = ?`, [merchantId, mode]),
    kind !== undefined && new Fragment('d.kind = ?', [kind]),
    orderId !== undefined && new Fragment('d.order_id = ?', [orderId]),
    number !== undefined && new Fragment('d.number = ?', [number]),
    from !== undefined && new Fragment('d.day >= ?', [from]),
    to !== undefined && new Fragment('d.day <= ?', [to]),
    after && new Fragment('(d.issued_at, d.id) < (?, ?)', [after.at, after.id]),
  ].filter((condition) => condition instanceof Fragment)
  return db.sql<DocumentHead>`
    select ${heads} from documents d where ${allConditions(conditions)} order by d.issued_at desc, d.id desc limit ${limit}`
}

export interface TaxPeriod {
  currency: string
  // Days, both inclusive.
  from: string
  to: string
}

const dayMs = 86_400_000

// The index contains instants, not days. In any time zone, a day begins at most 14 hours before and 12 hours after the day in UTC. One
// more day is added, because the shop may have had another time zone at the time.
function issuedWithin({ from, to }: Pick<TaxPeriod, 'from' | 'to'>): { first: number; last: number } {
  return { first: Date.parse(from) - 2 * dayMs, last: Date.parse(to) + 3 * dayMs }
}

// Documents with their content, in the order of their creation.
export async function listDocumentsOfDays(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { from, to, after, limit }: { from: string; to: string; after: { at: number; id: string }; limit: number },
): Promise<DocumentRow[]> {
  const { first, last } = issuedWithin({ from, to })
  const place = after.at < first ? { at: first, id: '' } : after
  const found = await db.sql<StoredRow>`
    select ${rows} from documents d
    where d.merchant_id = ${merchantId} and d.mode = ${mode} and d.day >= ${from} and d.day <= ${to}
      and (d.issued_at, d.id) > (${place.at}, ${place.id}) and d.issued_at <= ${last}
    order by d.issued_at, d.id limit ${limit}`
  return found.map(rowFrom)
}

export async function countDocumentsOfDays(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { from, to }: Pick<TaxPeriod, 'from' | 'to'>,
): Promise<number> {
  const { first, last } = issuedWithin({ from, to })
  const [row] = await db.sql<{ documents: number }>`
    select count(*) as "documents" from documents
    where merchant_id = ${merchantId} and mode = ${mode} and day >= ${from} and day <= ${to}
      and issued_at >= ${first} and issued_at <= ${last}`
  return row?.documents ?? 0
}

export interface TaxRow {
  country: string
  rateBps: number
  reason: TaxReason | ''
  kind: DocumentKind
  documents: number
  net: number
  tax: number
  total: number
}

export async function sumTaxes(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { currency, from, to }: TaxPeriod,
): Promise<TaxRow[]> {
  const { first, last } = issuedWithin({ from, to })
  return db.sql<TaxRow>`
    select d.country, r.rate as "rateBps", r.reason, d.kind, count(*) as "documents",
      cast(sum(r.net) as bigint) as "net", cast(sum(r.tax) as bigint) as "tax", cast(sum(r.total) as bigint) as "total"
    from documents d join document_rates r on r.merchant_id = d.merchant_id and r.document_id = d.id
    where d.merchant_id = ${merchantId} and d.mode = ${mode} and d.day >= ${from} and d.day <= ${to} and d.currency = ${currency}
      and d.issued_at >= ${first} and d.issued_at <= ${last}
    group by d.country, r.rate, r.reason, d.kind
    order by d.country, r.rate desc, r.reason, d.kind`
}
