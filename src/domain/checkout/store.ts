// The SQL of checkout sessions.

import type { PaymentFailure, SessionCancellation } from '../../contract/open/checkout.ts'
import type { Metadata } from '../../contract/parts.ts'
import type { CheckoutSessionStatus, Mode } from '../../contract/words.ts'
import { isNotDeferred, isOnly, type RowKey } from '../../platform/jobs/store.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { forgetDraftEmails } from '../../platform/outbox/emails.ts'
import { expectVersion } from '../../platform/storage/guard.ts'
import { Fragment, list, type Reader, type SqlValue, type Tx } from '../../platform/storage/storage.ts'
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
  // Since when the installation is disabled or ended, or its merchant closed: nothing is bought there. The session's own
  // status does not tell.
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
  // What is being charged, as JSON, while a payment is under way.
  quote: string | null
  cancellation: SessionCancellation | null
  lastPaymentError: PaymentFailure | null
  orderId: string | null
  createdAt: number
  updatedAt: number
  expiresAt: number
  completedAt: number | null
  cancelledAt: number | null
  // The session in which the shopper started again.
  continuedBy: string | null
  // Stock is held from the first look at its page, or from the payment: software may open any number of such sessions.
  holdsLater: boolean
  // Made by the merchant for a shopper: stock is held as long as it lasts, and the shopper changes no item.
  holdsWhole: boolean
}

interface SessionColumns
  extends Omit<SessionRow, 'metadata' | 'cancellation' | 'lastPaymentError' | 'holdsLater' | 'holdsWhole'> {
  holdsLater: number
  holdsWhole: number
  metadata: string
  cancellation: string | null
  lastPaymentError: string | null
}

export async function findSession(
  db: Reader,
  { installationId, sessionId }: SessionKey,
): Promise<SessionRow | undefined> {
  return selectSession(db, 'c.installation_id = ? and c.id = ?', [installationId, sessionId])
}

export async function findSessionBySecret(db: Reader, secretHash: string): Promise<SessionRow | undefined> {
  return selectSession(db, 'c.secret_hash = ?', [secretHash])
}

// The session of a cart that is not over.
export async function findSessionOfCart(
  db: Reader,
  { installationId, cartId }: { installationId: string; cartId: string },
): Promise<SessionRow | undefined> {
  const living = "c.installation_id = ? and c.cart_id = ? and c.status in ('open', 'processing')"
  return selectSession(db, living, [installationId, cartId])
}

async function selectSession(
  db: Reader,
  condition: string,
  values: readonly SqlValue[],
): Promise<SessionRow | undefined> {
  const [row] = await db.sql<SessionColumns>`
    select c.installation_id as "installationId", c.id, c.merchant_id as "merchantId", c.cart_id as "cartId", c.version,
      c.status, i.mode, coalesce(i.disabled_at, m.closed_at) as "closedAt", c.secret_hash as "secretHash", c.secret_sealed as "secretSealed", c.success_url as "successUrl",
      c.cancel_url as "cancelUrl", c.locale, c.customer_sealed as "customerSealed", c.email_masked as "emailMasked",
      c.email_hash as "emailHash", c.client_reference_id as "clientReferenceId", c.metadata,
      c.hold_expires_at as "holdExpiresAt", c.quote, c.cancellation, c.last_payment_error as "lastPaymentError",
      c.order_id as "orderId", c.created_at as "createdAt", c.updated_at as "updatedAt", c.expires_at as "expiresAt",
      c.completed_at as "completedAt", c.cancelled_at as "cancelledAt",
      c.continued_by as "continuedBy", c.holds_later as "holdsLater", c.holds_whole as "holdsWhole"
    from checkout_sessions c
    join installations i on i.id = c.installation_id
    join merchants m on m.id = c.merchant_id
    where ${new Fragment(condition, values)}`
  if (!row) return undefined
  return {
    ...row,
    holdsLater: row.holdsLater === 1,
    holdsWhole: row.holdsWhole === 1,
    metadata: JSON.parse(row.metadata) as Metadata,
    cancellation: row.cancellation === null ? null : (JSON.parse(row.cancellation) as SessionCancellation),
    lastPaymentError: row.lastPaymentError === null ? null : (JSON.parse(row.lastPaymentError) as PaymentFailure),
  }
}

// The lock of the session's cart, which never becomes another one.
export async function lockCartOfSession(tx: Tx, { installationId, sessionId }: SessionKey): Promise<void> {
  await tx.lockRow`
    select id from carts where installation_id = ${installationId} and id = (
      select cart_id from checkout_sessions where installation_id = ${installationId} and id = ${sessionId})`
}

// Taken after the lock of the cart, always in this order.
export async function lockSession(tx: Tx, { installationId, sessionId }: SessionKey): Promise<void> {
  await tx.lockRow`
    select id from checkout_sessions where installation_id = ${installationId} and id = ${sessionId}`
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

// Writes what a change leaves behind, one version after the one that was read under the lock.
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

// Not a change of the session: only how long its stock is kept.
export function saveHoldEnd(tx: Tx, session: SessionRow, holdExpiresAt: number): void {
  tx.send`
    update checkout_sessions set hold_expires_at = ${holdExpiresAt}
    where installation_id = ${session.installationId} and id = ${session.id}`
}

// Nothing else of a session that has ended changes. Whoever says so has locked it.
export function saveSuccessor(tx: Tx, { installationId, id }: SessionRow, continuedBy: string): void {
  tx.send`
    update checkout_sessions set continued_by = ${continuedBy}
    where installation_id = ${installationId} and id = ${id} and continued_by is null`
}

// Not a change of what is bought, so that another window stays as it is.
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

// Installations that ended and may still have open sessions. Each is put off in the same statement, so that several nodes
// share them and one that waits for a payment keeps no other from its turn.
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

// The first condition on the status is that of the index: SQLite uses it only where it stands word for word.
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

// There is more to end, at once.
export async function claimAgain(tx: Tx, installationId: string, now: number): Promise<void> {
  await tx.sql`update installations set sessions_end_at = ${now} where id = ${installationId}`
}

export async function endClaim(tx: Tx, installationId: string): Promise<void> {
  await tx.sql`
    update installations set sessions_end_at = null
    where id = ${installationId} and not exists (
      select 1 from checkout_sessions c
      where c.installation_id = ${installationId} and c.status in ('open', 'processing'))`
}

// Undefined where the installation is disabled or ended, or its merchant closed.
export async function findRedirectRules(db: Reader, installationId: string): Promise<RedirectRules | undefined> {
  const [row] = await db.sql<{ mode: Mode; redirectHosts: string }>`
    select i.mode, i.redirect_hosts as "redirectHosts"
    from installations i join merchants m on m.id = i.merchant_id
    where i.id = ${installationId} and i.disabled_at is null and m.closed_at is null`
  return row && { mode: row.mode, redirectHosts: JSON.parse(row.redirectHosts) as string[] }
}

// How often this customer used a promotion in orders of this mode that stand. Rows of earlier releases have other hashes.
export async function countUses(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { promotionId, emailHashes }: { promotionId: string; emailHashes: readonly string[] },
): Promise<number> {
  const [row] = await db.sql<{ uses: number }>`
    select count(*) as "uses" from promotion_uses
    where merchant_id = ${merchantId} and promotion_id = ${promotionId} and email_hash in (${list(emailHashes)})
      and mode = ${mode}
      and given_back_at is null`
  return row?.uses ?? 0
}

// What the people of the shop wrote about the shopper of a draft, and sent to them.
export async function forgetDraftNotes(tx: Tx, installationId: string, sessionIds: readonly string[]): Promise<void> {
  const drafts = await tx.sql<{ id: string; emails: number }>`
    update drafts set note = null where merchant_id = (select merchant_id from installations where id = ${installationId})
      and installation_id = ${installationId} and session_id in (${list(sessionIds)})
    returning id, emails`
  await forgetDraftEmails(tx, installationId, drafts)
}
