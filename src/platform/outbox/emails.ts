// The outbox of e-mails. A row is written in the transaction of the event, and is sent later by `domain/emails/`, which then makes the
// text. The row has no address, link or message, except encrypted if no other row has it. Nothing is written if no server sends e-mails,
// or if the merchant has switched off the kind of e-mail.

import { createHmac, type KeyObject } from 'node:crypto'
import type { Mode } from '../../contract/words.ts'
import { normalizeMailbox, withoutTag } from '../kit/email.ts'
import { newId } from '../kit/ids.ts'
import { decryptByRootSecret, deriveKeys, encryptByRootSecret, type RootSecret } from '../secrets/secrets.ts'
import { listFragment, type Reader, type Tx } from '../storage/storage.ts'

// Kinds of e-mails, and their recipients.
export const emailKinds = {
  order_placed: 'shopper',
  payment_received: 'shopper',
  shipped: 'shopper',
  order_cancelled: 'shopper',
  order_edited: 'shopper',
  refunded: 'shopper',
  payment_returned: 'shopper',
  return_requested: 'shopper',
  return_approved: 'shopper',
  return_refused: 'shopper',
  return_received: 'shopper',
  return_exchanged: 'shopper',
  return_closed: 'shopper',
  withdrawal_acknowledged: 'shopper',
  draft_link: 'shopper',
  order_received: 'merchant',
  return_asked: 'merchant',
  refund_failed: 'merchant',
  dispute_opened: 'merchant',
  withdrawal_received: 'merchant',
  contact_message: 'merchant',
  payment_account_problem: 'merchant',
  endpoint_disabled: 'merchant',
  stock_low: 'merchant',
  invitation: 'person',
  password_reset: 'person',
  reset_made: 'person',
  password_changed: 'person',
  role_changed: 'person',
  factor_removed: 'person',
  member_joined: 'person',
  customer_code: 'person',
} as const satisfies Readonly<Record<string, EmailAudience>>

// `person`: a member of the merchant, a person who is invited, or a shopper who signs in. The address is stored encrypted in the row of
// the e-mail.
export type EmailAudience = 'shopper' | 'merchant' | 'person'
export type EmailKind = keyof typeof emailKinds
export type UserEmailKind = {
  [Kind in EmailKind]: (typeof emailKinds)[Kind] extends 'person' ? Kind : never
}[EmailKind]
// Kinds with a link to a page on which the person sets a password. Other e-mails to members report a change of the account or the team.
export type LinkEmailKind = 'invitation' | 'password_reset'
// Kinds with a code with which a shopper signs in.
export type CodeEmailKind = 'customer_code'
export type NoticeKind = Exclude<UserEmailKind, LinkEmailKind | CodeEmailKind>
type FactEmailKind = Exclude<EmailKind, UserEmailKind | 'withdrawal_acknowledged' | 'draft_link'>

// Kinds that a merchant can switch off. All others are needed by a person to sign in or to notice a sign-in by someone else, are required
// by law, or are sent by the merchant by hand.
export const switchableKinds = (Object.keys(emailKinds) as EmailKind[]).filter(
  (kind): kind is FactEmailKind =>
    emailKinds[kind] !== 'person' && kind !== 'withdrawal_acknowledged' && kind !== 'draft_link',
)

export const emailStatuses = ['pending', 'sending', 'sent', 'refused', 'failed', 'discarded'] as const
export type EmailStatus = (typeof emailStatuses)[number]

export interface QueuedEmail {
  kind: FactEmailKind
  subjectId: string
  // Values for the text of the e-mail, stored because they may change before it is sent. They contain no personal data.
  facts?: Readonly<Record<string, string | number | boolean | null>>
}

export interface EmailContext {
  // The merchant's id if the event belongs to no installation.
  installationId: string
  // Null: the merchant of the installation.
  merchantId: string | null
  // The order or the checkout session of the shopper. Both are null for an e-mail that only the merchant gets.
  orderId: string | null
  sessionId?: string | null
}

// Placeholder for the merchant's e-mail address.
export const merchantRecipient = 'merchant'

// Inserts e-mails by one statement, which is not awaited.
export function queueEmails(tx: Tx, of: EmailContext, emails: readonly QueuedEmail[], now: number): void {
  const { installationId, merchantId, orderId, sessionId = null } = of
  const rows = emails.map(({ kind, subjectId, facts = {} }) => [
    newId('eml'),
    kind,
    emailKinds[kind],
    subjectId,
    JSON.stringify(facts),
  ])
  tx.send`
    with queued (id, kind, audience, subject_id, facts) as (${tx.rows(rows, queuedTypes)})
    insert into emails (installation_id, id, merchant_id, kind, subject_id, order_id, facts, recipient_hash, status, attempts,
      due_at, created_at)
    select cast(${installationId} as text), queued.id, m.id, queued.kind, queued.subject_id, cast(${orderId} as text), queued.facts,
      case when queued.audience = 'merchant' then ${merchantRecipient} else coalesce(o.email_hash, c.email_hash) end,
      'pending', 0, cast(${now} as bigint), cast(${now} as bigint)
    from queued
    join mail_switch w on w.id = ${switchId} and w.is_on = 1
    join merchants m on m.id = coalesce(${merchantId}, (select i.merchant_id from installations i where i.id = ${installationId}))
    left join mail_settings s on s.merchant_id = m.id
    left join orders o on o.installation_id = ${installationId} and o.id = ${orderId}
    left join checkout_sessions c on c.installation_id = ${installationId} and c.id = ${sessionId}
    where coalesce(s.kinds_off, '') not like '%"' || queued.kind || '"%'
      and case when queued.audience = 'merchant' then m.support_email else coalesce(o.email_hash, c.email_hash) end is not null
    on conflict (installation_id, kind, subject_id) do nothing`
}

export interface WithdrawalEmails {
  merchantId: string
  mode: Mode
  withdrawalId: string
  // Hash of the e-mail address that the shopper entered.
  recipientHash: string
}

// Queues an e-mail to the shopper and one to the merchant. The shopper's address is stored encrypted in the withdrawal, and decrypted
// when the e-mail is sent.
export function queueWithdrawalEmails(tx: Tx, of: WithdrawalEmails, now: number): void {
  const { merchantId, mode, withdrawalId, recipientHash } = of
  const facts = JSON.stringify({ mode })
  const rows = (['withdrawal_acknowledged', 'withdrawal_received'] as const).map((kind) => [
    newId('eml'),
    kind,
    emailKinds[kind] === 'merchant' ? merchantRecipient : recipientHash,
  ])
  tx.send`
    with queued (id, kind, recipient) as (${tx.rows(rows, ['text', 'text', 'text'])})
    insert into emails (installation_id, id, merchant_id, kind, subject_id, facts, recipient_hash, status, attempts, due_at, created_at)
    select m.id, queued.id, m.id, queued.kind, cast(${withdrawalId} as text), cast(${facts} as text), queued.recipient, 'pending', 0,
      cast(${now} as bigint), cast(${now} as bigint)
    from queued
    join mail_switch w on w.id = ${switchId} and w.is_on = 1
    join merchants m on m.id = ${merchantId}
    left join mail_settings s on s.merchant_id = m.id
    where queued.recipient <> ${merchantRecipient}
      or (m.support_email is not null and coalesce(s.kinds_off, '') not like '%"' || queued.kind || '"%')
    on conflict (installation_id, kind, subject_id) do nothing`
}

export interface DraftEmail {
  installationId: string
  mode: Mode
  sessionId: string
  draftId: string
  // Number of the draft's link, from 1. Each link is sent in a separate e-mail.
  number: number
}

// Address and link are stored encrypted in the session, and decrypted when the e-mail is sent.
export function queueDraftEmail(tx: Tx, of: DraftEmail, now: number): void {
  const { installationId, mode, sessionId, draftId, number } = of
  tx.send`
    insert into emails (installation_id, id, merchant_id, kind, subject_id, facts, recipient_hash, status, attempts, due_at, created_at)
    select c.installation_id, cast(${newId('eml')} as text), c.merchant_id, 'draft_link', cast(${draftEmailSubject(draftId, number)} as text),
      cast(${JSON.stringify({ draftId, mode })} as text), c.email_hash, 'pending', 0, cast(${now} as bigint), cast(${now} as bigint)
    from checkout_sessions c join mail_switch w on w.id = ${switchId} and w.is_on = 1
    where c.installation_id = ${installationId} and c.id = ${sessionId} and c.email_hash is not null
    on conflict (installation_id, kind, subject_id) do nothing`
}

function draftEmailSubject(draftId: string, number: number): string {
  return `${draftId}.${number}`
}

// Removes personal data from the e-mails about the drafts of a shopper who is erased. Those that are not sent yet will be discarded.
export async function forgetDraftEmails(
  tx: Tx,
  installationId: string,
  drafts: readonly { id: string; emails: number }[],
): Promise<void> {
  const subjects = drafts.flatMap(({ id, emails }) =>
    Array.from({ length: emails }, (_, index) => draftEmailSubject(id, index + 1)),
  )
  if (subjects.length === 0) return
  await tx.sql`
    update emails set recipient_hash = null, address_masked = null
    where installation_id = ${installationId} and kind = 'draft_link' and subject_id in (${listFragment(subjects)})`
}

const queuedTypes = ['text', 'text', 'text', 'text', 'text'] as const

export interface UserEmail {
  kind: LinkEmailKind
  // Id of the invitation or password reset. There is one e-mail for each.
  subjectId: string
  merchantId: string
  email: string
  // Path of the page with its secret, beginning with a slash.
  path: string
  // When the link expires. Afterwards the e-mail is not sent.
  expiresAt: number
  // Null: the language of the merchant's e-mails.
  locale: string | null
}

// Address and link are stored encrypted in the row of the e-mail until it is sent, because other rows only have a hash of the link's
// secret.
export function queueUserEmail(tx: Tx, rootSecret: RootSecret, message: UserEmail, now: number): void {
  const { kind, subjectId, merchantId, email, path, expiresAt, locale } = message
  const queued = {
    id: newId('eml'),
    kind,
    subjectId,
    merchantId,
    sealed: { email, path },
    facts: { expiresAt, locale },
  }
  queueSealed(tx, rootSecret, queued, now)
}

export interface CustomerCodeEmail {
  // Id of the code. There is one e-mail for each.
  id: string
  merchantId: string
  mode: Mode
  email: string
  code: string
  // Undefined if only the code signs the shopper in, not a link.
  path?: string
  expiresAt: number
  locale: string
}

export function queueCustomerCode(tx: Tx, rootSecret: RootSecret, message: CustomerCodeEmail, now: number): void {
  const { id: subjectId, merchantId, mode, email, code, path, expiresAt, locale } = message
  const kind: CodeEmailKind = 'customer_code'
  const queued = {
    ...{ id: newId('eml'), kind, subjectId, merchantId },
    sealed: { email, code, ...(path !== undefined && { path }) },
    facts: { expiresAt, locale, mode },
  }
  queueSealed(tx, rootSecret, queued, now)
}

export interface UserNotice {
  kind: NoticeKind
  merchantId: string
  email: string
  // E-mail address of another person whom the e-mail is about, such as a new member.
  address?: string
  facts: Readonly<Record<string, string>>
}

// Queues an e-mail on every call: its subject is its own id, so none counts as a duplicate.
export function queueNotice(tx: Tx, rootSecret: RootSecret, notice: UserNotice, now: number): void {
  const { kind, merchantId, facts, email, address } = notice
  const id = newId('eml')
  const sealed = { email, ...(address !== undefined && { address }) }
  queueSealed(tx, rootSecret, { kind, merchantId, facts, id, subjectId: id, sealed }, now)
}

interface SealedEmail {
  id: string
  kind: UserEmailKind
  subjectId: string
  merchantId: string
  sealed: Readonly<{ email: string; path?: string; address?: string; code?: string }>
  facts: Readonly<Record<string, string | number | null>>
}

function queueSealed(tx: Tx, rootSecret: RootSecret, message: SealedEmail, now: number): void {
  const { id, kind, subjectId, merchantId, facts } = message
  const { email } = message.sealed
  const sealed = encryptByRootSecret(rootSecret, sealPurpose, JSON.stringify(message.sealed), id)
  const [hash] = recipientHashes(rootSecret, merchantId, email)
  tx.send`
    insert into emails (installation_id, id, merchant_id, kind, subject_id, facts, recipient_hash, sealed, status, attempts,
      due_at, created_at)
    select m.id, cast(${id} as text), m.id, cast(${kind} as text), cast(${subjectId} as text),
      cast(${JSON.stringify(facts)} as text), cast(${hash} as text), cast(${sealed} as text), 'pending', 0,
      cast(${now} as bigint), cast(${now} as bigint)
    from merchants m join mail_switch w on w.id = ${switchId} and w.is_on = 1
    where m.id = ${merchantId}
    on conflict (installation_id, kind, subject_id) do nothing`
}

// Returns the hashes of the recipient by all versions of the root secret, the current version first. New rows get the first hash.
function recipientHashes(rootSecret: RootSecret, merchantId: string, email: string): [string, ...string[]] {
  const hashBy = (key: KeyObject) =>
    createHmac('sha256', key)
      .update(`${merchantId} ${normalizeMailbox(withoutTag(email))}`)
      .digest('base64url')
  // This purpose cannot be renamed, since stored hashes were made with its name.
  const [current, ...others] = deriveKeys(rootSecret, 'letter mailbox')
  return [hashBy(current), ...others.map(hashBy)]
}

// Removes personal data from the e-mails with sign-in codes to this address. Those that are not sent yet will be discarded.
export async function forgetCodeEmails(
  tx: Tx,
  rootSecret: RootSecret,
  merchantId: string,
  email: string,
): Promise<void> {
  const kind: CodeEmailKind = 'customer_code'
  await tx.sql`
    update emails set recipient_hash = null, address_masked = null, sealed = null
    where merchant_id = ${merchantId} and recipient_hash in (${listFragment(recipientHashes(rootSecret, merchantId, email))})
      and kind = ${kind}`
}

export interface ContactEmail {
  merchantId: string
  subjectId: string
  message: Readonly<{ name: string; email: string; text: string }>
}

// Queues a message to the merchant. Its text is stored encrypted in the row until it is sent.
export function queueContactMessage(tx: Tx, rootSecret: RootSecret, of: ContactEmail, now: number): void {
  const { merchantId, subjectId, message } = of
  const id = newId('eml')
  const kind: EmailKind = 'contact_message'
  const sealed = encryptByRootSecret(rootSecret, sealPurpose, JSON.stringify(message), id)
  tx.send`
    insert into emails (installation_id, id, merchant_id, kind, subject_id, facts, recipient_hash, sealed, status, attempts,
      due_at, created_at)
    select m.id, cast(${id} as text), m.id, cast(${kind} as text), cast(${subjectId} as text), '{}', ${merchantRecipient},
      cast(${sealed} as text), 'pending', 0, cast(${now} as bigint), cast(${now} as bigint)
    from merchants m join mail_switch w on w.id = ${switchId} and w.is_on = 1
    where m.id = ${merchantId}
    on conflict (installation_id, kind, subject_id) do nothing`
}

// Returns whether e-mails are sent, the merchant has a support address, and this kind of e-mail is not switched off.
export async function takesContactMessages(db: Reader, merchantId: string): Promise<boolean> {
  const kind: EmailKind = 'contact_message'
  const rows = await db.sql`
    select m.id from merchants m
    join mail_switch w on w.id = ${switchId} and w.is_on = 1
    left join mail_settings s on s.merchant_id = m.id
    where m.id = ${merchantId} and m.support_email is not null
      and coalesce(s.kinds_off, '') not like ${`%"${kind}"%`}`
  return rows.length > 0
}

export function decryptContactMessage(
  rootSecret: RootSecret,
  id: string,
  sealed: string,
): ContactEmail['message'] | undefined {
  const text = decryptByRootSecret(rootSecret, sealPurpose, sealed, id)
  return text === undefined ? undefined : (JSON.parse(text) as ContactEmail['message'])
}

// This purpose cannot be renamed, since stored rows could no longer be decrypted.
const sealPurpose = 'letter'

// Returns undefined if the text was encrypted with a version of the root secret that was discarded.
export function decryptUserEmail(
  rootSecret: RootSecret,
  id: string,
  sealed: string,
): SealedEmail['sealed'] | undefined {
  const text = decryptByRootSecret(rootSecret, sealPurpose, sealed, id)
  return text === undefined ? undefined : (JSON.parse(text) as SealedEmail['sealed'])
}

// One switch for all: the servers of a database have the same settings, and the last one that started has set the switch.
const switchId = 'servers'

export async function setMailSwitch(tx: Tx, isOn: boolean, now: number): Promise<void> {
  await tx.sql`
    insert into mail_switch (id, is_on, changed_at) values (${switchId}, ${isOn ? 1 : 0}, ${now})
    on conflict (id) do update set is_on = excluded.is_on, changed_at = excluded.changed_at`
}

export async function isMailOn(db: Reader): Promise<boolean> {
  const rows = await db.sql`select 1 as "one" from mail_switch where id = ${switchId} and is_on = 1`
  return rows.length > 0
}

// Removes personal data from the e-mails of an order whose shopper is erased. E-mails to the merchant contain none.
export async function forgetEmailsOfOrder(tx: Tx, installationId: string, orderId: string): Promise<void> {
  await tx.sql`
    update emails set recipient_hash = null, address_masked = null
    where installation_id = ${installationId} and order_id = ${orderId} and recipient_hash <> ${merchantRecipient}`
}

// Removes personal data from the e-mails of these checkouts about returned payments. These e-mails belong to no order, so
// forgetEmailsOfOrder does not find them.
export async function forgetEmailsOfSessions(
  tx: Tx,
  installationId: string,
  sessionIds: readonly string[],
): Promise<void> {
  await tx.sql`
    update emails set recipient_hash = null, address_masked = null
    where installation_id = ${installationId} and kind = 'payment_returned' and subject_id in (
      select r.id from refunds r join payments p on p.installation_id = r.installation_id and p.id = r.payment_id
      where p.installation_id = ${installationId} and p.checkout_session_id in (${listFragment(sessionIds)}))`
}
