// The SQL of e-mails that are queued, being sent or finished.

import type { ClockSetBack } from '../../platform/jobs/clock.ts'
import { isNotDeferred, isOnly, type RowKey } from '../../platform/jobs/store.ts'
import { type EmailKind, type EmailStatus, emailKinds } from '../../platform/outbox/emails.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import { emailLeaseMs } from './schedule.ts'

export interface EmailRow {
  installationId: string
  id: string
  merchantId: string
  kind: EmailKind
  subjectId: string
  orderId: string | null
  // The facts of the e-mail as JSON.
  facts: string
  recipientHash: string | null
  // What an e-mail to a person contains in addition, such as its address and link, or a message to the merchant. Null once the e-mail is
  // sent or discarded.
  sealed: string | null
  status: EmailStatus
  attempts: number
  dueAt: number | null
  leaseId: string | null
  messageId: string | null
  addressMasked: string | null
  code: string | null
  createdAt: number
  finishedAt: number | null
}

const columns = new Fragment(`
  emails.installation_id as "installationId", emails.id, emails.merchant_id as "merchantId", emails.kind,
  emails.subject_id as "subjectId", emails.order_id as "orderId", emails.facts, emails.recipient_hash as "recipientHash",
  emails.sealed, emails.status, emails.attempts, emails.due_at as "dueAt", emails.lease_id as "leaseId", emails.message_id as "messageId",
  emails.address_masked as "addressMasked", emails.code, emails.created_at as "createdAt",
  emails.finished_at as "finishedAt"`)

export interface EmailClaim {
  leaseId: string
  leaseMs: number
  // The part of a new Message-ID after the @. An e-mail keeps its first Message-ID.
  host: string
  now: number
  limit: number
}

// Excludes a merchant that is being moved here from another cell: the other cell sends its e-mails until the move is complete.
const isHere = new Fragment(
  "not exists (select 1 from merchant_moves v where v.merchant_id = e.merchant_id and v.state = 'arriving')",
)

// The lease defers the claimed e-mails in the same statement, so several nodes share the work, and no e-mail is lost if a node dies. The
// rows are selected in a common table expression: PostgreSQL might run a subquery more than once, and claim more than the limit.
export async function claimEmails(tx: Tx, claim: EmailClaim, only: RowKey | null = null): Promise<EmailRow[]> {
  const { leaseId, leaseMs, host, now, limit } = claim
  return tx.sql<EmailRow>`
    with due as (
      select e.installation_id, e.id from emails e
      where e.due_at <= ${now} and ${isHere} and ${isOnly(only, 'e.installation_id', 'e.id')}
        and ${isNotDeferred('mail', 'e.installation_id', 'e.id', now)}
      order by e.due_at limit ${limit} ${tx.skipLocked})
    update emails set status = 'sending', due_at = ${now + leaseMs}, lease_id = ${leaseId},
      message_id = coalesce(message_id, '<' || id || '@' || ${host} || '>')
    where (installation_id, id) in (select due.installation_id, due.id from due)
    returning ${columns}`
}

export async function listDueEmails(db: Reader, now: number, limit: number): Promise<RowKey[]> {
  return db.sql<RowKey>`
    select e.installation_id as "tenantId", e.id as "rowId" from emails e
    where e.due_at <= ${now} and ${isHere} and ${isNotDeferred('mail', 'e.installation_id', 'e.id', now)}
    order by e.due_at limit ${limit}`
}

export interface EmailOutcome {
  status: Exclude<EmailStatus, 'sending'>
  dueAt: number | null
  code: string | null
  addressMasked: string | null
  // Hash by which e-mails to the mailbox are counted.
  recipientHash: string | null
  // Whether the mail server was contacted.
  isTried: boolean
}

// If the shopper was erased during the attempt, the address is not recorded. A refused or failed e-mail may be sent again, so its
// encrypted link stays. Returns false if the lease was lost: another sender then has the e-mail.
export async function recordEmailOutcome(
  tx: Tx,
  email: EmailRow,
  outcome: EmailOutcome,
  now: number,
): Promise<boolean> {
  const { status, dueAt, code, addressMasked, recipientHash, isTried } = outcome
  const rows = await tx.sql`
    update emails set status = ${status}, attempts = attempts + ${isTried ? 1 : 0}, due_at = ${dueAt}, lease_id = null,
      code = ${code}, address_masked = case when recipient_hash is null then null else cast(${addressMasked} as text) end,
      recipient_hash = case when recipient_hash is null then null else cast(${recipientHash} as text) end,
      sealed = case when ${status} in ('sent', 'discarded') then null else sealed end, finished_at = ${dueAt === null ? now : null}
    where installation_id = ${email.installationId} and id = ${email.id} and lease_id = ${email.leaseId}
    returning id`
  return rows.length > 0
}

// Makes e-mails due that are marked as being sent. Expects that only one server uses the database, so no other server is sending them.
export async function releaseEmails(tx: Tx, now: number): Promise<void> {
  await tx.sql`update emails set due_at = ${now} where due_at is not null and status = 'sending'`
}

// An e-mail that another server is still sending keeps its lease, because that server will record its outcome.
export async function discardWaitingEmails(tx: Tx, now: number): Promise<void> {
  await tx.sql`
    update emails set status = 'discarded', code = 'off', due_at = null, sealed = null, finished_at = ${now}
    where due_at is not null`
}

const none = new Fragment('')

// Counts the e-mails of the merchant to the same mailbox that were created in the `sinceMs` before this one and were not discarded. E-mails
// to a merchant and to a person are counted by kind: many orders must not suppress an alarm, nor many role changes the notice of a changed
// password.
export async function countBefore(
  db: Reader,
  email: Pick<EmailRow, 'merchantId' | 'recipientHash' | 'kind' | 'createdAt' | 'id'>,
  sinceMs: number,
): Promise<number> {
  const { merchantId, recipientHash, kind, createdAt, id } = email
  const [row] = await db.sql<{ count: number }>`
    select count(*) as "count" from emails
    where merchant_id = ${merchantId} and recipient_hash = ${recipientHash} and created_at > ${createdAt - sinceMs}
      and (created_at, id) < (${createdAt}, ${id}) and status <> 'discarded'
      ${emailKinds[kind] === 'shopper' ? none : new Fragment('and kind = ?', [kind])}`
  return row?.count ?? 0
}

// Sealed data of an order, its country of delivery, and the language in which its shopper read the page.
export interface SealedOrder {
  customerSealed: string | null
  secretSealed: string
  checkoutSessionId: string
  country: string | null
  readLocale: string | null
}

export async function findSealedOrder(
  db: Reader,
  { installationId, orderId }: { installationId: string; orderId: string },
): Promise<SealedOrder | undefined> {
  const [row] = await db.sql<SealedOrder>`
    select o.customer_sealed as "customerSealed", o.secret_sealed as "secretSealed",
      o.checkout_session_id as "checkoutSessionId", a.country, (
        select p.locale from payments p
        where p.installation_id = o.installation_id and p.order_id = o.id and p.locale is not null
        order by p.created_at desc limit 1) as "readLocale"
    from orders o left join addresses a on a.installation_id = o.installation_id and a.id = o.address_id
    where o.installation_id = ${installationId} and o.id = ${orderId}`
  return row
}

export interface RefundedPayment {
  refundId: string
  paymentId: string
  orderId: string | null
  amount: number
  currency: string
  mode: 'test' | 'live'
  checkoutSessionId: string
  readLocale: string | null
  sessionLocale: string | null
  customerSealed: string | null
}

// A refund with the checkout of its payment. The checkout's customer may have been erased, and its row deleted.
export async function findRefundedPayment(
  db: Reader,
  installationId: string,
  refundId: string,
): Promise<RefundedPayment | undefined> {
  const [row] = await db.sql<RefundedPayment>`
    select r.id as "refundId", p.id as "paymentId", r.order_id as "orderId", r.amount, r.currency, i.mode,
      p.checkout_session_id as "checkoutSessionId", p.locale as "readLocale", c.locale as "sessionLocale",
      c.customer_sealed as "customerSealed"
    from refunds r
    join payments p on p.installation_id = r.installation_id and p.id = r.payment_id
    join installations i on i.id = r.installation_id
    left join checkout_sessions c on c.installation_id = p.installation_id and c.id = p.checkout_session_id
    where r.installation_id = ${installationId} and r.id = ${refundId}`
  return row
}

// E-mails, newest first.
export async function listEmails(
  db: Reader,
  merchantId: string,
  { statuses, limit }: { statuses: readonly EmailStatus[]; limit: number },
): Promise<EmailRow[]> {
  return db.sql<EmailRow>`
    select ${columns} from emails where merchant_id = ${merchantId} and status in (${listFragment(statuses)})
    order by created_at desc, id desc limit ${limit}`
}

export async function findEmail(db: Reader, merchantId: string, id: string): Promise<EmailRow | undefined> {
  const [row] = await db.sql<EmailRow>`select ${columns} from emails where merchant_id = ${merchantId} and id = ${id}`
  return row
}

// Sends a refused or failed e-mail again, from the start of the schedule, or a waiting e-mail immediately. Returns false for an e-mail in
// any other status.
export async function retryEmail(tx: Tx, { installationId, id }: EmailRow, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update emails set status = 'pending', attempts = 0, due_at = ${now}, finished_at = null
    where installation_id = ${installationId} and id = ${id}
      and (status in ('refused', 'failed') or (status = 'pending' and due_at > ${now}))
    returning id`
  return rows.length > 0
}

export interface WaitingEmails {
  count: number
  // When the oldest e-mail was created.
  since: number | null
}

export async function readWaitingEmails(db: Reader): Promise<WaitingEmails> {
  const [row] = await db.sql<WaitingEmails>`
    select count(*) as "count", min(created_at) as "since" from emails where due_at is not null`
  return row ?? { count: 0, since: null }
}

export interface EmailFinding {
  slug: string
  status: EmailStatus
  code: string | null
  count: number
}

// For `doctor`: e-mails created since `since` that could not be delivered, by merchant, status and code.
export async function listUndelivered(db: Reader, since: number, limit: number): Promise<EmailFinding[]> {
  return db.sql<EmailFinding>`
    select m.slug, e.status, e.code, count(*) as "count"
    from emails e join merchants m on m.id = e.merchant_id
    where e.created_at > ${since} and (e.status in ('failed', 'refused')
      or (e.status = 'discarded' and e.code in ('too_many', 'bad_address', 'unreadable')))
    group by m.slug, e.status, e.code order by m.slug, e.status, e.code limit ${limit}`
}

// No e-mail is sent for longer than the schedule, so the age alone decides; e-mails of a server without mail are deleted too.
export async function listOldEmails(db: Reader, createdBy: number, now: number, limit: number): Promise<RowKey[]> {
  return db.sql<RowKey>`
    select e.installation_id as "tenantId", e.id as "rowId" from emails e
    where e.created_at <= ${createdBy} and ${isNotDeferred('retention', 'e.installation_id', 'e.id', now)}
    order by e.created_at limit ${limit}`
}

export async function deleteEmails(tx: Tx, installationId: string, ids: readonly string[]): Promise<void> {
  await tx.sql`delete from emails where installation_id = ${installationId} and id in (${listFragment(ids)})`
}

// After the clock was set back, moves due times back, so no e-mail waits longer than intended.
export async function correctEmailTimes(tx: Tx, { now, backMs }: ClockSetBack): Promise<void> {
  const earliest = now + emailLeaseMs
  await tx.sql`
    update emails set due_at = case when due_at - ${backMs} < ${earliest} then ${earliest} else due_at - ${backMs} end
    where due_at > ${earliest}`
}
