// The SQL of drafts. The price of a draft is in its cart, its status in its checkout session.

import type { CheckoutSessionStatus, Mode } from '../../contract/words.ts'
import type { CursorPosition } from '../../platform/kit/cursor.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { SellerTerms } from '../carts/store.ts'

export interface DraftOrderRow {
  id: string
  mode: Mode
  installationId: string
  sessionId: string
  version: number
  // The total when the draft was last priced, or that of its order. Null in drafts of earlier releases.
  total: number | null
  currency: string
  note: string | null
  // How often the link of the draft was sent by e-mail, and when it was sent last.
  emails: number
  emailedAt: number | null
  createdAt: number
  status: CheckoutSessionStatus
  expiresAt: number
  emailMasked: string | null
  orderId: string | null
  orderNumber: string | null
  // The order that paying the draft changes, and the return whose items the draft exchanges.
  changesOrder: string | null
  returnId: string | null
  changedNumber: string | null
}

const draftColumns = new Fragment(`
  d.id, d.mode, d.installation_id as "installationId", d.session_id as "sessionId", d.version, case when d.changes_order is null then coalesce(o.total, d.total) else d.total end as "total",
  k.currency, d.note, d.emails, d.emailed_at as "emailedAt", d.created_at as "createdAt", c.status, c.expires_at as "expiresAt",
  c.email_masked as "emailMasked", c.order_id as "orderId", o.number as "orderNumber",
  d.changes_order as "changesOrder", d.return_id as "returnId", e.number as "changedNumber"
  from drafts d
  join checkout_sessions c on c.installation_id = d.installation_id and c.id = d.session_id
  join carts k on k.installation_id = c.installation_id and k.id = c.cart_id
  left join orders o on o.installation_id = c.installation_id and o.id = c.order_id
  left join orders e on e.installation_id = d.installation_id and e.id = d.changes_order`)

export async function findDraft(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  draftId: string,
): Promise<DraftOrderRow | undefined> {
  const [row] = await db.sql<DraftOrderRow>`
    select ${draftColumns} where d.merchant_id = ${merchantId} and d.mode = ${mode} and d.id = ${draftId}`
  return row
}

// Drafts, newest first.
export async function listDrafts(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { after, limit }: { after: CursorPosition | null; limit: number },
): Promise<DraftOrderRow[]> {
  const from = after ? new Fragment('and (d.created_at, d.id) < (?, ?)', [after.at, after.id]) : new Fragment('')
  return db.sql<DraftOrderRow>`
    select ${draftColumns} where d.merchant_id = ${merchantId} and d.mode = ${mode} ${from}
    order by d.created_at desc, d.id desc limit ${limit}`
}

export function insertDraft(
  tx: Tx,
  merchantId: string,
  draft: Pick<
    DraftOrderRow,
    'id' | 'mode' | 'installationId' | 'sessionId' | 'note' | 'changesOrder' | 'returnId' | 'createdAt'
  >,
): void {
  tx.send`
    insert into drafts (merchant_id, id, mode, installation_id, session_id, note, changes_order, return_id, created_at)
    values (${merchantId}, ${draft.id}, ${draft.mode}, ${draft.installationId}, ${draft.sessionId}, ${draft.note},
      ${draft.changesOrder}, ${draft.returnId}, ${draft.createdAt})`
}

export function saveDraftNote(tx: Tx, merchantId: string, id: string, note: string | null): void {
  tx.send`update drafts set note = ${note} where merchant_id = ${merchantId} and id = ${id}`
}

export function saveDraftEmailed(tx: Tx, merchantId: string, { id, emails, emailedAt }: DraftOrderRow): void {
  tx.send`
    update drafts set emails = ${emails}, emailed_at = ${emailedAt} where merchant_id = ${merchantId} and id = ${id}`
}

// The merchant's terms of sale, as a cart uses them.
export async function findSellerTerms(
  db: Reader,
  merchantId: string,
): Promise<(SellerTerms & { currency: string }) | undefined> {
  const [row] = await db.sql<SellerTerms & { currency: string }>`
    select currency, country, price_tax as "priceTax", shipping_tax as "shippingTax", low_stock_at as "lowStockAt",
      catalog_version as "catalogVersion"
    from merchants where id = ${merchantId}`
  return row
}
