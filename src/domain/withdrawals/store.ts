// The SQL of withdrawals.

import type { Mode, WithdrawalOutcome, WithdrawalStatus } from '../../contract/words.ts'
import { isNotDeferred, type RowKey } from '../../platform/jobs/store.ts'
import type { CursorPosition } from '../../platform/kit/cursor.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { expectVersion } from '../../platform/storage/guard.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'

export interface WithdrawalRow {
  merchantId: string
  mode: Mode
  id: string
  sealed: string | null
  orderNumber: string | null
  emailHash: string | null
  locale: string
  status: WithdrawalStatus
  outcome: WithdrawalOutcome | null
  version: number
  receivedAt: number
  settledAt: number | null
  // The return that the withdrawal opened.
  returnId: string | null
  // The time from which a background job must check whether the withdrawal opens a return; null: no check is due.
  returnDueAt: number | null
}

const columns = new Fragment(`
  w.merchant_id as "merchantId", w.mode, w.id, w.sealed, w.order_number as "orderNumber", w.email_hash as "emailHash", w.locale,
  w.status, w.outcome, w.version, w.received_at as "receivedAt", w.settled_at as "settledAt",
  w.return_id as "returnId", w.return_due_at as "returnDueAt"`)

// Returns false if the same statement of the same form was received before.
export async function insertWithdrawal(tx: Tx, row: WithdrawalRow): Promise<boolean> {
  const rows = await tx.sql`
    insert into withdrawals (merchant_id, mode, id, sealed, order_number, email_hash, locale, status, outcome, version,
      received_at, settled_at, return_due_at)
    values (${row.merchantId}, ${row.mode}, ${row.id}, ${row.sealed}, ${row.orderNumber}, ${row.emailHash}, ${row.locale},
      ${row.status}, ${row.outcome}, ${row.version}, ${row.receivedAt}, ${row.settledAt}, ${row.returnDueAt})
    on conflict (merchant_id, mode, id) do nothing returning id`
  return rows.length > 0
}

export interface WithdrawalKey extends MerchantMode {
  withdrawalId: string
}

export async function findWithdrawal(
  db: Reader,
  { merchantId, mode, withdrawalId }: WithdrawalKey,
): Promise<WithdrawalRow | undefined> {
  const [row] = await db.sql<WithdrawalRow>`
    select ${columns} from withdrawals w
    where w.merchant_id = ${merchantId} and w.mode = ${mode} and w.id = ${withdrawalId}`
  return row
}

export async function lockWithdrawal(
  tx: Tx,
  { merchantId, mode, withdrawalId }: WithdrawalKey,
): Promise<WithdrawalRow | undefined> {
  const [row] = await tx.sql<WithdrawalRow>`
    select ${columns} from withdrawals w
    where w.merchant_id = ${merchantId} and w.mode = ${mode} and w.id = ${withdrawalId} ${tx.forUpdate}`
  return row
}

export function updateSettled(tx: Tx, before: WithdrawalRow, after: WithdrawalRow): void {
  tx.send`
    update withdrawals set ${expectVersion(before.version, after.version)}, status = ${after.status}, outcome = ${after.outcome},
      settled_at = ${after.settledAt}
    where merchant_id = ${after.merchantId} and mode = ${after.mode} and id = ${after.id}`
}

export function updateReturn(tx: Tx, before: WithdrawalRow, after: WithdrawalRow): void {
  tx.send`
    update withdrawals set ${expectVersion(before.version, after.version)}, return_id = ${after.returnId},
      return_due_at = ${after.returnDueAt}
    where merchant_id = ${after.merchantId} and mode = ${after.mode} and id = ${after.id}`
}

export async function listWithdrawalsDueForReturn(db: Reader, now: number, limit: number): Promise<WithdrawalKey[]> {
  return db.sql<WithdrawalKey>`
    select w.merchant_id as "merchantId", w.mode, w.id as "withdrawalId" from withdrawals w
    where w.return_due_at is not null and w.return_due_at <= ${now} and ${isNotDeferred('withdrawals', 'w.merchant_id', 'w.id', now)}
    order by w.return_due_at limit ${limit}`
}

// The order with the number that the shopper gave, and the hash of its mailbox. Only read when the merchant views the withdrawal or by
// the background job, never while the shopper waits.
export interface WithdrawnOrderRow {
  orderNumber: string
  installationId: string
  orderId: string
  emailHash: string | null
}

export async function listOrdersOfNumbers(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  numbers: readonly string[],
): Promise<WithdrawnOrderRow[]> {
  if (numbers.length === 0) return []
  return db.sql<WithdrawnOrderRow>`
    select o.number as "orderNumber", o.installation_id as "installationId", o.id as "orderId", o.email_hash as "emailHash" from orders o
    where o.merchant_id = ${merchantId} and o.mode = ${mode} and o.number in (${listFragment(numbers)})`
}

export interface WithdrawalQuery {
  status: WithdrawalStatus | undefined
  after: CursorPosition | null
  limit: number
}

export async function listWithdrawals(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { status, after, limit }: WithdrawalQuery,
): Promise<WithdrawalRow[]> {
  const isAsked = status === undefined ? new Fragment('1 = 1') : new Fragment('w.status = ?', [status])
  const isBehind =
    after === null ? new Fragment('1 = 1') : new Fragment('(w.received_at, w.id) < (?, ?)', [after.at, after.id])
  return db.sql<WithdrawalRow>`
    select ${columns} from withdrawals w
    where w.merchant_id = ${merchantId} and w.mode = ${mode} and ${isAsked} and ${isBehind}
    order by w.received_at desc, w.id desc limit ${limit}`
}

// To be counted.
export function receivedWithdrawals({ merchantId, mode }: MerchantMode): Fragment {
  return new Fragment("select id from withdrawals where merchant_id = ? and mode = ? and status = 'received'", [
    merchantId,
    mode,
  ])
}

// The withdrawals of a shopper, in both modes.
export async function listIdsOfShopper(
  db: Reader,
  merchantId: string,
  hashes: readonly string[],
): Promise<{ mode: Mode; id: string }[]> {
  return db.sql<{ mode: Mode; id: string }>`
    select mode, id from withdrawals
    where merchant_id = ${merchantId} and mode in ('test', 'live') and email_hash in (${listFragment(hashes)}) order by mode, id`
}

// Deletes the statement, and the recipient of the e-mail that acknowledged it. The withdrawal itself stays, with its order number and its
// time.
export async function forgetWithdrawal(tx: Tx, { merchantId, mode, withdrawalId }: WithdrawalKey): Promise<void> {
  await tx.sql`
    update withdrawals set sealed = null, email_hash = null
    where merchant_id = ${merchantId} and mode = ${mode} and id = ${withdrawalId}`
  await tx.sql`
    update emails set recipient_hash = null, address_masked = null
    where installation_id = ${merchantId} and kind = 'withdrawal_acknowledged' and subject_id = ${withdrawalId}`
}

export async function listOldWithdrawals(
  db: Reader,
  receivedBy: number,
  now: number,
  limit: number,
): Promise<(RowKey & { mode: Mode })[]> {
  return db.sql<RowKey & { mode: Mode }>`
    select w.merchant_id as "tenantId", w.id as "rowId", w.mode from withdrawals w
    where w.received_at <= ${receivedBy} and ${isNotDeferred('retention', 'w.merchant_id', 'w.id', now)}
    order by w.received_at limit ${limit}`
}

export async function deleteWithdrawals(tx: Tx, key: MerchantMode, ids: readonly string[]): Promise<void> {
  await tx.sql`
    delete from withdrawals where merchant_id = ${key.merchantId} and mode = ${key.mode} and id in (${listFragment(ids)})`
}
