// The SQL of signing in as a shopper, and of the orders of a mailbox.

import type { FulfillmentStatus, Mode, OrderPaymentStatus, OrderStatus } from '../../contract/words.ts'
import type { ClockSetBack } from '../../platform/jobs/clock.ts'
import type { CursorPosition } from '../../platform/kit/cursor.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import { type CodeCounts, codesStoredMs, knownBrowserMs, knownBrowsersMax } from './codes.ts'

export interface CodeRow {
  merchantId: string
  id: string
  mode: Mode
  mailboxHash: string
  networkHash: string
  emailSealed: string
  codeHash: string
  linkHash: string
  browserHash: string
  tries: number
  createdAt: number
  expiresAt: number
  usedAt: number | null
  isKnown: 0 | 1
}

const hour = 3_600_000

// Serialises requests for codes of a shop: the row stays locked until the commit.
export async function lockCodeGate(tx: Tx, merchant: string, now: number): Promise<void> {
  await tx.sql`
    insert into customer_code_gates (merchant_id, asked_at) values (${merchant}, ${now})
    on conflict (merchant_id) do update set asked_at = excluded.asked_at`
}

// Counts codes requested by known browsers, or by others, depending on `isKnown`.
export async function countCodes(
  db: Reader,
  {
    merchantId,
    mailboxHash,
    networkHash,
    browserHash,
    isKnown,
  }: Pick<CodeRow, 'merchantId' | 'mailboxHash' | 'networkHash' | 'browserHash' | 'isKnown'>,
  now: number,
): Promise<CodeCounts> {
  const ofMailbox = new Fragment('from customer_codes where merchant_id = ? and mailbox_hash = ? and is_known = ?', [
    ...[merchantId, mailboxHash, isKnown],
  ])
  const ofRequester = isKnown
    ? new Fragment('browser_hash = ?', [browserHash])
    : new Fragment('network_hash = ?', [networkHash])
  const [row] = await db.sql<CodeCounts>`
    select
      (select count(*) ${ofMailbox} and ${ofRequester} and created_at > ${now - hour}) as "requesterHour",
      (select count(*) ${ofMailbox} and ${ofRequester} and created_at > ${now - codesStoredMs}) as "requesterDay",
      (select count(*) ${ofMailbox} and created_at > ${now - codesStoredMs}) as "mailboxDay",
      (select count(*) from customer_codes where merchant_id = ${merchantId} and network_hash = ${networkHash}
        and is_known = ${isKnown} and created_at > ${now - hour}) as "networkHour",
      (select count(*) from customer_codes where merchant_id = ${merchantId} and is_known = ${isKnown}
        and created_at > ${now - hour}) as "shopHour"`
  if (!row) throw new Error('the count of sign-in codes returned no row')
  return row
}

export interface KnownBrowserKey {
  merchantId: string
  // The hash for new rows comes first.
  mailboxHashes: readonly [string, ...string[]]
  browserHash: string
}

export async function isKnownBrowser(
  db: Reader,
  { merchantId, mailboxHashes, browserHash }: KnownBrowserKey,
  now: number,
): Promise<boolean> {
  const rows = await db.sql`
    select 1 as "one" from customer_browsers
    where merchant_id = ${merchantId} and mailbox_hash in (${listFragment(mailboxHashes)}) and browser_hash = ${browserHash}
      and proved_at > ${now - knownBrowserMs}`
  return rows.length > 0
}

export function rememberBrowser(
  tx: Tx,
  { merchantId, mailboxHashes, browserHash }: KnownBrowserKey,
  now: number,
): void {
  const [mailboxHash] = mailboxHashes
  tx.send`
    insert into customer_browsers (merchant_id, mailbox_hash, browser_hash, proved_at)
    values (${merchantId}, ${mailboxHash}, ${browserHash}, ${now})
    on conflict (merchant_id, mailbox_hash, browser_hash) do update set proved_at = excluded.proved_at`
  tx.send`
    delete from customer_browsers where merchant_id = ${merchantId} and mailbox_hash = ${mailboxHash} and browser_hash not in (
      select b.browser_hash from customer_browsers b where b.merchant_id = ${merchantId} and b.mailbox_hash = ${mailboxHash}
      order by b.proved_at desc, b.browser_hash limit ${knownBrowsersMax})`
}

export async function deleteOldBrowsers(tx: Tx, provedBy: number, limit: number): Promise<number> {
  const rows = await tx.sql`
    delete from customer_browsers where (merchant_id, mailbox_hash, browser_hash) in (
      select merchant_id, mailbox_hash, browser_hash from customer_browsers where proved_at <= ${provedBy}
      order by proved_at limit ${limit})
    returning browser_hash`
  return rows.length
}

// After the clock was set back, moves the times of existing codes back by as much, so they do not count for longer, and a new code is the
// newest of its browser.
export function correctCodeTimes(tx: Tx, { now, backMs }: ClockSetBack): void {
  tx.send`
    update customer_codes set created_at = created_at - ${backMs}, expires_at = expires_at - ${backMs}
    where created_at > ${now}`
}

export function insertCode(tx: Tx, code: CodeRow): void {
  tx.send`
    insert into customer_codes (merchant_id, id, mode, mailbox_hash, network_hash, email_sealed, code_hash, link_hash,
      browser_hash, created_at, expires_at, is_known)
    values (${code.merchantId}, ${code.id}, ${code.mode}, ${code.mailboxHash}, ${code.networkHash}, ${code.emailSealed},
      ${code.codeHash}, ${code.linkHash}, ${code.browserHash}, ${code.createdAt}, ${code.expiresAt}, ${code.isKnown})`
}

// Returns the newest code that this browser requested. The row is locked, so two concurrent attempts count as two.
export async function lockCodeOfBrowser(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  browserHash: string,
): Promise<CodeRow | undefined> {
  const [found] = await tx.sql<{ id: string }>`
    select id from customer_codes where merchant_id = ${merchantId} and browser_hash = ${browserHash} and mode = ${mode}
    order by created_at desc, id desc limit 1`
  if (!found) return undefined
  await tx.lockRow`select id from customer_codes where merchant_id = ${merchantId} and id = ${found.id}`
  const [row] = await tx.sql<CodeRow>`
    select merchant_id as "merchantId", id, mode, mailbox_hash as "mailboxHash", network_hash as "networkHash",
      email_sealed as "emailSealed", code_hash as "codeHash", link_hash as "linkHash", browser_hash as "browserHash", tries,
      created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt", is_known as "isKnown"
    from customer_codes where merchant_id = ${merchantId} and id = ${found.id}`
  return row
}

export function raiseCodeTries(tx: Tx, { merchantId, id }: Pick<CodeRow, 'merchantId' | 'id'>): void {
  tx.send`update customer_codes set tries = tries + 1 where merchant_id = ${merchantId} and id = ${id}`
}

export function markCodeUsed(tx: Tx, { merchantId, id }: Pick<CodeRow, 'merchantId' | 'id'>, now: number): void {
  tx.send`update customer_codes set used_at = ${now} where merchant_id = ${merchantId} and id = ${id} and used_at is null`
}

export interface CustomerSessionRow {
  merchantId: string
  id: string
  mode: Mode
  tokenHash: string
  mailboxHash: string
  emailSealed: string
  createdAt: number
  expiresAt: number
}

export function insertCustomerSession(tx: Tx, session: CustomerSessionRow): void {
  tx.send`
    insert into customer_sessions (merchant_id, id, mode, token_hash, mailbox_hash, email_sealed, created_at, expires_at)
    values (${session.merchantId}, ${session.id}, ${session.mode}, ${session.tokenHash}, ${session.mailboxHash},
      ${session.emailSealed}, ${session.createdAt}, ${session.expiresAt})`
}

export async function findCustomerSession(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  tokenHash: string,
  now: number,
): Promise<Pick<CustomerSessionRow, 'id' | 'emailSealed'> | undefined> {
  const [row] = await db.sql<Pick<CustomerSessionRow, 'id' | 'emailSealed'>>`
    select id, email_sealed as "emailSealed" from customer_sessions
    where merchant_id = ${merchantId} and token_hash = ${tokenHash} and mode = ${mode} and expires_at > ${now}`
  return row
}

// Returns whether the session is valid. The lock keeps the session from ending before the transaction ends.
export async function lockCustomerSession(
  tx: Tx,
  shop: MerchantMode,
  tokenHash: string,
  now: number,
): Promise<boolean> {
  await tx.lockRow`
    select id from customer_sessions where merchant_id = ${shop.merchantId} and token_hash = ${tokenHash}`
  return (await findCustomerSession(tx, shop, tokenHash, now)) !== undefined
}

export async function deleteCustomerSession(tx: Tx, merchant: string, tokenHash: string): Promise<void> {
  await tx.sql`delete from customer_sessions where merchant_id = ${merchant} and token_hash = ${tokenHash}`
}

// Ends all sessions of the mailbox, and forgets its browsers. Its codes become invalid but stay for a day, because they count for the
// limits.
export async function deleteMailbox(tx: Tx, merchant: string, hashes: readonly string[]): Promise<void> {
  await tx.sql`delete from customer_browsers where merchant_id = ${merchant} and mailbox_hash in (${listFragment(hashes)})`
  await tx.sql`delete from customer_sessions where merchant_id = ${merchant} and mailbox_hash in (${listFragment(hashes)})`
  await tx.sql`
    update customer_codes set used_at = created_at
    where merchant_id = ${merchant} and mailbox_hash in (${listFragment(hashes)}) and used_at is null`
}

export async function deleteOldCodes(tx: Tx, createdBy: number, limit: number): Promise<number> {
  const rows = await tx.sql`
    delete from customer_codes where (merchant_id, id) in (
      select merchant_id, id from customer_codes where created_at <= ${createdBy} order by created_at limit ${limit})
    returning id`
  return rows.length
}

export async function deleteEndedSessions(tx: Tx, now: number, limit: number): Promise<number> {
  const rows = await tx.sql`
    delete from customer_sessions where (merchant_id, id) in (
      select merchant_id, id from customer_sessions where expires_at <= ${now} order by expires_at limit ${limit})
    returning id`
  return rows.length
}

export interface CustomerOrder {
  installationId: string
  orderId: string
  number: string
  status: OrderStatus
  paymentStatus: OrderPaymentStatus
  fulfillmentStatus: FulfillmentStatus
  currency: string
  total: number
  itemCount: number
  secretSealed: string
  placedAt: number
}

// Orders, newest first.
export async function listOrdersOfCustomer(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  hashes: readonly string[],
  { limit, after = null }: { limit: number; after?: CursorPosition | null },
): Promise<CustomerOrder[]> {
  const isAfter = after ? new Fragment('and (placed_at, id) < (?, ?)', [after.at, after.id]) : new Fragment('', [])
  return db.sql<CustomerOrder>`
    select installation_id as "installationId", id as "orderId", number, status, payment_status as "paymentStatus",
      fulfillment_status as "fulfillmentStatus", currency, total, item_count as "itemCount",
      secret_sealed as "secretSealed", placed_at as "placedAt"
    from orders where merchant_id = ${merchantId} and mode = ${mode} and email_hash in (${listFragment(hashes)})
      ${isAfter}
    order by placed_at desc, id desc limit ${limit}`
}
