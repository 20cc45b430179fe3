// The SQL of checkout sessions.

import type { PaymentFailure, SessionCancellation } from '../../contract/open/checkout.ts'
import type { Metadata } from '../../contract/parts.ts'
import type { CheckoutSessionStatus, Mode } from '../../contract/words.ts'
import { isNotDeferred, isOnly, type RowKey } from '../../platform/jobs/store.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { forgetDraftEmails } from '../../platform/outbox/emails.ts'
import { expectVersion } from '../../platform/storage/guard.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { MerchantTerms } from '../carts/pricing.ts'
import {
  type CartColumns,
  type CartKey,
  type CartOrigin,
  type CartRow,
  cartColumns,
  cartFromRow,
  cartJoins,
  cartOriginFromRow,
  type OriginColumns,
  originColumns,
} from '../carts/store.ts'
import type { RedirectRules } from '../merchants/redirects.ts'

export interface SessionKey {
  installationId: string
  sessionId: string
}

export interface SessionRow {
  installationId: string
  id: string
  merchantId: string
  cartId: string
  version: number
  status: CheckoutSessionStatus
  mode: Mode
  // When the installation was disabled or ended, or the merchant was closed or moved to another cell: nothing can be bought any more.
  // The status of the session does not show that.
  closedAt: number | null
  secretHash: string
  secretSealed: string
  successUrl: string
  cancelUrl: string | null
  locale: string
  customerSealed: string | null
  emailMasked: string | null
  emailHash: string | null
  clientReferenceId: string | null
  metadata: Metadata
  holdExpiresAt: number | null
  // What is charged, as JSON, from the start of a payment; null again if the session is reopened.
  quote: string | null
  cancellation: SessionCancellation | null
  lastPaymentError: PaymentFailure | null
  orderId: string | null
  createdAt: number
  updatedAt: number
  expiresAt: number
  completedAt: number | null
  cancelledAt: number | null
  // Id of the session that the shopper opened to replace this one.
  continuedBy: string | null
  // Whether stock is held only from the first view of the page, or from the payment: agents may open any number of such sessions.
  holdsLater: boolean
  // Whether the session belongs to a cart that the merchant made: stock is held until the session ends, and the shopper cannot change
  // items.
  holdsWhole: boolean
  // Whether the merchant may have accounts at payment providers in this mode.
  hasAccounts: boolean
}

// Columns of a session `s`, its installation `i` and its merchant `m`. Names that a cart has too begin with "session", because both are
// read together.
const sessionColumns = new Fragment(`
  s.installation_id as "installationId", s.merchant_id as "merchantId", i.mode,
  coalesce(i.disabled_at, m.closed_at,
    (select v.changed_at from merchant_moves v where v.merchant_id = m.id)) as "closedAt", s.id as "sessionId", s.cart_id as "cartId",
  s.version as "sessionVersion", s.status as "sessionStatus", s.metadata as "sessionMetadata",
  s.order_id as "sessionOrderId", s.created_at as "sessionCreatedAt", s.updated_at as "sessionUpdatedAt",
  s.expires_at as "sessionExpiresAt", s.secret_hash as "secretHash", s.secret_sealed as "secretSealed",
  s.success_url as "successUrl", s.cancel_url as "cancelUrl", s.locale, s.customer_sealed as "customerSealed",
  s.email_masked as "emailMasked", s.email_hash as "emailHash", s.client_reference_id as "clientReferenceId",
  s.hold_expires_at as "holdExpiresAt", s.quote, s.cancellation, s.last_payment_error as "lastPaymentError",
  s.completed_at as "completedAt", s.cancelled_at as "cancelledAt", s.continued_by as "continuedBy",
  s.holds_later as "holdsLater", s.holds_whole as "holdsWhole",
  case when exists (select 1 from payment_accounts n where n.merchant_id = s.merchant_id and n.mode = i.mode
    and n.ended_at is null) then 1 else 0 end as "hasAccounts"`)

// A session as a row: JSON as text, booleans as 0 or 1, and "session" before names that a cart has too.
interface SessionColumns
  extends Omit<
    SessionRow,
    | 'id'
    | 'version'
    | 'status'
    | 'metadata'
    | 'orderId'
    | 'createdAt'
    | 'updatedAt'
    | 'expiresAt'
    | 'cancellation'
    | 'lastPaymentError'
    | 'holdsLater'
    | 'holdsWhole'
    | 'hasAccounts'
  > {
  sessionId: string
  sessionVersion: number
  sessionStatus: CheckoutSessionStatus
  sessionMetadata: string
  sessionOrderId: string | null
  sessionCreatedAt: number
  sessionUpdatedAt: number
  sessionExpiresAt: number
  cancellation: string | null
  lastPaymentError: string | null
  holdsLater: number
  holdsWhole: number
  hasAccounts: number
}

// Identifies a session by its key, or by the hash of the secret in the address of its page.
export type SessionName = SessionKey | { secretHash: string }

function isNamed(name: SessionName): Fragment {
  return 'secretHash' in name
    ? new Fragment('s.secret_hash = ?', [name.secretHash])
    : new Fragment('s.installation_id = ? and s.id = ?', [name.installationId, name.sessionId])
}

export async function findSession(db: Reader, name: SessionName): Promise<SessionRow | undefined> {
  return selectSession(db, isNamed(name))
}

// Finds the session of a cart, unless the session has ended.
export async function findSessionOfCart(
  db: Reader,
  { installationId, cartId }: CartKey,
): Promise<SessionRow | undefined> {
  const living = "s.installation_id = ? and s.cart_id = ? and s.status in ('open', 'processing')"
  return selectSession(db, new Fragment(living, [installationId, cartId]))
}

async function selectSession(db: Reader, condition: Fragment): Promise<SessionRow | undefined> {
  const [row] = await db.sql<SessionColumns>`
    select ${sessionColumns}
    from checkout_sessions s
    join installations i on i.id = s.installation_id
    join merchants m on m.id = s.merchant_id
    where ${condition}`
  return row && sessionFrom(row)
}

export interface Checkout {
  session: SessionRow
  // The cart; its address is still encrypted.
  cart: CartRow
  // Whether any payment was begun in the session, whatever its outcome.
  hasPayments: boolean
}

// Returns the number of lines, whether any line is shipped, and the terms of the cart.
export async function findCheckoutSummaryRow(
  db: Reader,
  secretHash: string,
): Promise<{ lines: number; isShipped: boolean; terms: MerchantTerms | null } | undefined> {
  const [row] = await db.sql<{ lines: number; shipped: number; terms: string | null }>`
    select c.terms, count(l.sku_id) as "lines", count(case k.delivery when 'shipped' then 1 end) as "shipped"
    from checkout_sessions s join carts c on c.installation_id = s.installation_id and c.id = s.cart_id
    left join cart_lines l on l.installation_id = c.installation_id and l.cart_id = c.id
    left join skus k on k.merchant_id = l.merchant_id and k.id = l.sku_id
    where s.secret_hash = ${secretHash}
    group by s.id, c.terms`
  if (!row) return undefined
  const { lines, shipped, terms } = row
  return { lines, isShipped: shipped > 0, terms: terms === null ? null : (JSON.parse(terms) as MerchantTerms) }
}

interface CheckoutColumns extends SessionColumns, CartColumns {
  hasPayments: number
}

const checkoutColumns = new Fragment(`
  ${sessionColumns.text}, ${cartColumns.text}, a.sealed as "addressSealed", a.row_key as "addressKey",
  case when exists (select 1 from payments y where y.installation_id = s.installation_id
    and y.checkout_session_id = s.id) then 1 else 0 end as "hasPayments"`)

const checkoutJoins = new Fragment(`
  checkout_sessions s join carts c on c.installation_id = s.installation_id and c.id = s.cart_id ${cartJoins.text}`)

// Finds a session and its cart in one statement.
export async function findSessionWithCart(db: Reader, name: SessionName): Promise<Checkout | undefined> {
  const [row] = await db.sql<CheckoutColumns>`
    select ${checkoutColumns} from ${checkoutJoins} where ${isNamed(name)}`
  return row && checkoutFrom(row)
}

const rowKey = ['installation_id', 'id'] as const

// Like findSessionWithCart, but locks the cart and then the session. A session never changes to another cart.
export async function lockSessionWithCart(tx: Tx, name: SessionName): Promise<Checkout | undefined> {
  const [row] = await tx.sql<CheckoutColumns & { isCartAsFound: number; isSessionAsFound: number }>`
    select ${checkoutColumns}, ${tx.isAsFound('carts', 'c', rowKey)} as "isCartAsFound",
      ${tx.isAsFound('checkout_sessions', 's', rowKey)} as "isSessionAsFound"
    from ${checkoutJoins} where ${isNamed(name)} ${tx.forUpdateOf('c', 's')}`
  if (!row) return undefined
  const isAsFound = row.isCartAsFound === 1 && row.isSessionAsFound === 1
  return isAsFound ? checkoutFrom(row) : findSessionWithCart(tx, name)
}

function checkoutFrom(row: CheckoutColumns): Checkout {
  return { session: sessionFrom(row), cart: cartFromRow(row), hasPayments: row.hasPayments === 1 }
}

function sessionFrom(row: SessionColumns): SessionRow {
  const { cancellation, lastPaymentError } = row
  return {
    installationId: row.installationId,
    id: row.sessionId,
    merchantId: row.merchantId,
    cartId: row.cartId,
    version: row.sessionVersion,
    status: row.sessionStatus,
    mode: row.mode,
    closedAt: row.closedAt,
    secretHash: row.secretHash,
    secretSealed: row.secretSealed,
    successUrl: row.successUrl,
    cancelUrl: row.cancelUrl,
    locale: row.locale,
    customerSealed: row.customerSealed,
    emailMasked: row.emailMasked,
    emailHash: row.emailHash,
    clientReferenceId: row.clientReferenceId,
    metadata: JSON.parse(row.sessionMetadata) as Metadata,
    holdExpiresAt: row.holdExpiresAt,
    quote: row.quote,
    cancellation: cancellation === null ? null : (JSON.parse(cancellation) as SessionCancellation),
    lastPaymentError: lastPaymentError === null ? null : (JSON.parse(lastPaymentError) as PaymentFailure),
    orderId: row.sessionOrderId,
    createdAt: row.sessionCreatedAt,
    updatedAt: row.sessionUpdatedAt,
    expiresAt: row.sessionExpiresAt,
    completedAt: row.completedAt,
    cancelledAt: row.cancelledAt,
    continuedBy: row.continuedBy,
    holdsLater: row.holdsLater === 1,
    holdsWhole: row.holdsWhole === 1,
    hasAccounts: row.hasAccounts === 1,
  }
}

// The caller has locked the cart: cart and session are always locked in this order.
export async function lockSession(tx: Tx, name: SessionName): Promise<void> {
  await tx.lockRow`select s.id from checkout_sessions s where ${isNamed(name)}`
}

export function insertSession(tx: Tx, session: SessionRow): void {
  tx.send`
    insert into checkout_sessions (installation_id, id, merchant_id, cart_id, version, status, secret_hash, secret_sealed,
      success_url, cancel_url, locale, customer_sealed, email_masked, email_hash, client_reference_id, metadata,
      hold_expires_at, created_at, updated_at, expires_at, holds_later, holds_whole)
    values (${session.installationId}, ${session.id}, ${session.merchantId}, ${session.cartId}, ${session.version},
      ${session.status}, ${session.secretHash}, ${session.secretSealed}, ${session.successUrl}, ${session.cancelUrl},
      ${session.locale}, ${session.customerSealed}, ${session.emailMasked}, ${session.emailHash},
      ${session.clientReferenceId}, ${JSON.stringify(session.metadata)}, ${session.holdExpiresAt}, ${session.createdAt},
      ${session.updatedAt}, ${session.expiresAt}, ${session.holdsLater ? 1 : 0}, ${session.holdsWhole ? 1 : 0})`
}

// Updates the row if its version is still the one that was read under the lock.
export function saveSession(tx: Tx, session: SessionRow): void {
  tx.send`
    update checkout_sessions set
      ${expectVersion(session.version - 1, session.version)},
      status = ${session.status}, success_url = ${session.successUrl},
      cancel_url = ${session.cancelUrl}, locale = ${session.locale}, customer_sealed = ${session.customerSealed},
      email_masked = ${session.emailMasked}, email_hash = ${session.emailHash},
      client_reference_id = ${session.clientReferenceId}, metadata = ${JSON.stringify(session.metadata)},
      hold_expires_at = ${session.holdExpiresAt}, quote = ${session.quote}, cancellation = ${session.cancellation && JSON.stringify(session.cancellation)},
      last_payment_error = ${session.lastPaymentError && JSON.stringify(session.lastPaymentError)},
      order_id = ${session.orderId}, updated_at = ${session.updatedAt}, expires_at = ${session.expiresAt},
      completed_at = ${session.completedAt}, cancelled_at = ${session.cancelledAt}
    where installation_id = ${session.installationId} and id = ${session.id}`
}

// Saves only when the holds expire. This is not a change of the session, so its version stays the same.
export function saveHoldEnd(tx: Tx, session: SessionRow, holdExpiresAt: number): void {
  tx.send`
    update checkout_sessions set hold_expires_at = ${holdExpiresAt}
    where installation_id = ${session.installationId} and id = ${session.id}`
}

// Saves only the successor: nothing else of an ended session changes. The caller has locked the session.
export function saveSuccessor(tx: Tx, { installationId, id }: SessionRow, continuedBy: string): void {
  tx.send`
    update checkout_sessions set continued_by = ${continuedBy}
    where installation_id = ${installationId} and id = ${id} and continued_by is null`
}

// Saves only the expiry. The version stays the same, so forms in other windows remain valid.
export function saveSessionEnd(tx: Tx, session: SessionRow, expiresAt: number): void {
  tx.send`
    update checkout_sessions set expires_at = ${expiresAt}
    where installation_id = ${session.installationId} and id = ${session.id} and status = 'open'`
}

export async function listOverdueSessions(db: Reader, now: number, limit: number): Promise<SessionKey[]> {
  return db.sql<SessionKey>`
    select installation_id as "installationId", id as "sessionId" from checkout_sessions
    where status = 'open' and expires_at <= ${now}
      and ${isNotDeferred('sessions', 'checkout_sessions.installation_id', 'checkout_sessions.id', now)}
    order by expires_at limit ${limit}`
}

// Claims ended installations that may still have open sessions. The claim defers them in the same statement, so several nodes share the
// work, and an installation that waits for a payment does not delay others.
export async function claimEndedInstallations(
  tx: Tx,
  { now, leaseMs, limit, only }: { now: number; leaseMs: number; limit: number; only: RowKey | null },
): Promise<{ id: string; endedAt: number }[]> {
  return tx.sql<{ id: string; endedAt: number }>`
    with due as (
      select i.id from installations i
      where i.sessions_end_at <= ${now} and ${isOnly(only, 'i.id', 'i.id')}
        and ${isNotDeferred('ended_installations', 'i.id', 'i.id', now)}
      order by i.sessions_end_at limit ${limit} ${tx.skipLocked})
    update installations set sessions_end_at = ${now + leaseMs}
    where id in (select due.id from due)
    returning id, ended_at as "endedAt"`
}

export async function listEndedInstallations(db: Reader, now: number, limit: number): Promise<RowKey[]> {
  return db.sql<RowKey>`
    select i.id as "tenantId", i.id as "rowId" from installations i
    where i.sessions_end_at <= ${now} and ${isNotDeferred('ended_installations', 'i.id', 'i.id', now)}
    order by i.sessions_end_at limit ${limit}`
}

// The first condition on the status repeats that of the partial index: SQLite uses the index only if the conditions match word for word.
export async function listOpenSessions(
  db: Reader,
  installationId: string,
  now: number,
  limit: number,
): Promise<SessionKey[]> {
  return db.sql<SessionKey>`
    select installation_id as "installationId", id as "sessionId" from checkout_sessions
    where installation_id = ${installationId} and status in ('open', 'processing') and status = 'open'
      and ${isNotDeferred('ended_installations', 'checkout_sessions.installation_id', 'checkout_sessions.id', now)}
    order by cart_id limit ${limit}`
}

// Makes the installation due again immediately: it has more sessions to end.
export async function makeInstallationDue(tx: Tx, installationId: string, now: number): Promise<void> {
  await tx.sql`update installations set sessions_end_at = ${now} where id = ${installationId}`
}

export async function endInstallationClaim(tx: Tx, installationId: string): Promise<void> {
  await tx.sql`
    update installations set sessions_end_at = null
    where id = ${installationId} and not exists (
      select 1 from checkout_sessions c
      where c.installation_id = ${installationId} and c.status in ('open', 'processing'))`
}

// Returns undefined if the installation is disabled or ended, or the merchant is closed.
export async function findCheckoutInstallation(
  db: Reader,
  installationId: string,
): Promise<{ rules: RedirectRules; origin: CartOrigin } | undefined> {
  const [row] = await db.sql<OriginColumns & { redirectHosts: string }>`
    select ${originColumns}, i.redirect_hosts as "redirectHosts"
    from installations i join merchants m on m.id = i.merchant_id
    where i.id = ${installationId} and i.disabled_at is null and m.closed_at is null`
  if (!row) return undefined
  const rules = { mode: row.mode, redirectHosts: JSON.parse(row.redirectHosts) as string[] }
  return { rules, origin: cartOriginFromRow(row) }
}

// Counts how often this customer has used the promotion in orders of this mode, except uses that were undone. Several hashes, because
// earlier releases computed them differently.
export async function countUses(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { promotionId, emailHashes }: { promotionId: string; emailHashes: readonly string[] },
): Promise<number> {
  const [row] = await db.sql<{ uses: number }>`
    select count(*) as "uses" from promotion_uses
    where merchant_id = ${merchantId} and promotion_id = ${promotionId} and email_hash in (${listFragment(emailHashes)})
      and mode = ${mode}
      and given_back_at is null`
  return row?.uses ?? 0
}

// Erases the notes of the merchant's staff about the shopper of a draft, and the e-mails that were sent to the shopper.
export async function forgetDraftNotes(tx: Tx, installationId: string, sessionIds: readonly string[]): Promise<void> {
  const drafts = await tx.sql<{ id: string; emails: number }>`
    update drafts set note = null where merchant_id = (select merchant_id from installations where id = ${installationId})
      and installation_id = ${installationId} and session_id in (${listFragment(sessionIds)})
    returning id, emails`
  await forgetDraftEmails(tx, installationId, drafts)
}
