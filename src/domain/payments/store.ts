// The SQL of payments, which are attempts to collect money, and of refunds.

import type { Mode, PaymentErrorCode, RefundStatus } from '../../contract/words.ts'
import type { ClockSetBack } from '../../platform/jobs/clock.ts'
import { isNotDeferred, isOnly, type RowKey } from '../../platform/jobs/store.ts'
import { onlyMove } from '../../platform/kit/lifecycle.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { AccountRow } from './accounts.ts'
import { paymentLifecycle, type StoredPaymentStatus } from './lifecycle.ts'
import { type Charge, type ProviderEvent, providerMsMax, type SettlementKind } from './port.ts'
import { leaseMs, startMsMax } from './schedule.ts'

export interface PaymentRow {
  installationId: string
  id: string
  merchantId: string
  // Mode of the installation, which never changes.
  mode: Mode
  checkoutSessionId: string
  orderId: string | null
  provider: string
  // The merchant's account at the provider; null if the provider needs none.
  accountId: string | null
  method: string
  amount: number
  currency: string
  status: StoredPaymentStatus
  reference: string | null
  challenge: string | null
  // Where the shopper pays at the provider. Encrypted, because it may contain a secret of the provider. Null if the shopper pays on our
  // page, or the payment has ended.
  placeSealed: string | null
  // Until when the shopper can pay at the provider.
  placeUntil: number | null
  // When the last query about this payment began; null before the first query. The call that starts the payment is not a query.
  lookedAt: number | null
  // `looks`: number of queries that were begun. `looksWanted`: number of queries after which the outcome is newer than the shopper's last
  // return.
  looks: number
  looksWanted: number
  // Set while a query is in progress. The query counts as ended after this time, in case its process died.
  lookingUntil: number | null
  // When it first became known that the shopper had tried to pay at the provider.
  triedAt: number | null
  // For money that arrives later: whether a person or the provider reports its arrival.
  settles: SettlementKind | null
  brand: string | null
  last4: string | null
  // The instrument that was actually used, in the provider's terms; null if the provider has none.
  instrument: string | null
  errorCode: PaymentErrorCode | null
  createdAt: number
  updatedAt: number
  // When to query the provider next; null if everything is known. `checks`: number of queries since the provider last responded,
  // including the one that got the response. So a single missing response after many responses is followed by a short wait.
  checkAt: number | null
  checks: number
  // `collected`: the sum that the provider has collected. `givenBack`: how much of it the provider has refunded.
  collected: number
  givenBack: number
  // When the operator recorded the outcome by hand; null if the provider reported it, or it is not known yet.
  closedByHandAt: number | null
  // Set if the money was moved here from another order: the payment that collected it at the provider.
  movedFrom: string | null
  // The order that is changed when this payment succeeds. Set from the start of the payment.
  changesOrder: string | null
}

export type NewPayment = Pick<
  PaymentRow,
  | 'installationId'
  | 'id'
  | 'merchantId'
  | 'mode'
  | 'checkoutSessionId'
  | 'provider'
  | 'method'
  | 'amount'
  | 'currency'
  | 'checkAt'
> & {
  accountId?: string | null
  movedFrom?: string | null
  changesOrder?: string | null
  // Language in which the shopper saw the page.
  locale?: string | null
  // Subjects (session, card, network) by which this attempt was counted. Needed when its outcome is known.
  triedAs?: readonly string[]
}

export function buildCharge({ id, amount, currency, mode, reference, createdAt }: PaymentRow): Charge {
  return { key: id, amount, currency, mode, reference, createdAt }
}

const paymentColumns = new Fragment(`
  payments.installation_id as "installationId", payments.id, payments.merchant_id as "merchantId",
  (select i.mode from installations i where i.id = payments.installation_id) as "mode",
  payments.checkout_session_id as "checkoutSessionId", payments.order_id as "orderId", payments.provider,
  payments.account_id as "accountId", payments.method,
  payments.amount, payments.currency, payments.status, payments.reference, payments.challenge,
  payments.place_sealed as "placeSealed", payments.place_until as "placeUntil", payments.looked_at as "lookedAt",
  payments.looks, payments.looks_wanted as "looksWanted", payments.looking_until as "lookingUntil", payments.tried_at as "triedAt",
  payments.settles, payments.brand,
  payments.last4, payments.instrument, payments.error_code as "errorCode", payments.created_at as "createdAt",
  payments.updated_at as "updatedAt", payments.check_at as "checkAt", payments.checks,
  payments.collected, payments.given_back as "givenBack",
  payments.closed_by_hand_at as "closedByHandAt", payments.moved_from as "movedFrom", payments.changes_order as "changesOrder"`)

// Inserts the attempt before the provider is called, so it can be looked up if the response is lost.
export function insertPayment(tx: Tx, payment: NewPayment, now: number): PaymentRow {
  const { locale = null, triedAs = [], ...known } = payment
  const accountId = payment.accountId ?? null
  const movedFrom = payment.movedFrom ?? null
  const changesOrder = payment.changesOrder ?? null
  const status = onlyMove(paymentLifecycle, 'start').to
  tx.send`
    insert into payments (installation_id, id, merchant_id, checkout_session_id, provider, account_id, method, amount, currency, status,
      created_at, updated_at, check_at, locale, moved_from, changes_order, tried_as)
    values (${payment.installationId}, ${payment.id}, ${payment.merchantId}, ${payment.checkoutSessionId},
      ${payment.provider}, ${accountId}, ${payment.method}, ${payment.amount}, ${payment.currency}, ${status}, ${now}, ${now},
      ${payment.checkAt}, ${locale}, ${movedFrom}, ${changesOrder}, ${triedAs.length > 0 ? JSON.stringify(triedAs) : null})`
  return {
    ...known,
    accountId,
    movedFrom,
    changesOrder,
    orderId: null,
    status,
    reference: null,
    challenge: null,
    placeSealed: null,
    placeUntil: null,
    lookedAt: null,
    looks: 0,
    looksWanted: 0,
    lookingUntil: null,
    triedAt: null,
    settles: null,
    brand: null,
    last4: null,
    instrument: null,
    errorCode: null,
    createdAt: now,
    updatedAt: now,
    checks: 0,
    collected: 0,
    givenBack: 0,
    closedByHandAt: null,
  }
}

// Copies the language in which the shopper saw the page from the source payment.
export function copyLocale(tx: Tx, { installationId, id }: PaymentRow, sourceId: string): void {
  tx.send`
    update payments set locale = (
      select s.locale from payments s where s.installation_id = ${installationId} and s.id = ${sourceId})
    where installation_id = ${installationId} and id = ${id}`
}

export async function findPayment(db: Reader, installation: string, id: string): Promise<PaymentRow | undefined> {
  const [row] = await db.sql<PaymentRow>`
    select ${paymentColumns} from payments where installation_id = ${installation} and id = ${id}`
  return row
}

// Finds a payment of any of these installations, for the operator.
export async function findPaymentOf(
  db: Reader,
  installationIds: readonly string[],
  id: string,
): Promise<PaymentRow | undefined> {
  const [row] = await db.sql<PaymentRow>`
    select ${paymentColumns} from payments where installation_id in (${listFragment(installationIds)}) and id = ${id}`
  return row
}

export async function findMerchantPayment(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  id: string,
): Promise<PaymentRow | undefined> {
  const [row] = await db.sql<PaymentRow>`
    select ${paymentColumns} from payments
    where installation_id in (select i.id from installations i where i.merchant_id = ${merchantId} and i.mode = ${mode})
      and id = ${id}`
  return row
}

const dayMs = 24 * 3_600_000

// SQL condition: the payment `p` has been undecided for unusually long. All increasing waits of the schedule have passed within a day, so
// a provider that has not reported an outcome by then has a reason. A payment that was closed here is looked up for a day and once more
// on schedule. Banks may take days, so a pending payment is included only after two weeks.
export function isUnanswered(now: number): Fragment {
  return new Fragment(
    `(p.status <> 'succeeded' and (p.created_at < ? or (p.created_at < ? and p.status <> 'pending')
      or (p.created_at < ? and p.status not in ('declined', 'pending'))))`,
    [now - 14 * dayMs, now - 2 * dayMs, now - dayMs],
  )
}

// SQL condition: the merchant's payment `p` needs a person, because its outcome is overdue or the collected amount is unexpected. This can
// only be true of payments that are still looked up; they are few and have a partial index.
export function needsManualAttention({ merchantId, mode }: MerchantMode, now: number): Fragment {
  const { text, values } = isUnanswered(now)
  return new Fragment(
    `p.merchant_id = ? and p.check_at is not null and (${text} or p.collected not in (0, p.amount))
      and exists (select 1 from installations i where i.id = p.installation_id and i.mode = ?)`,
    [merchantId, ...values, mode],
  )
}

// Lists payments, oldest first.
export async function listUnsettledPayments(
  db: Reader,
  seller: MerchantMode,
  { now, after, limit }: { now: number; after: { at: number; id: string } | null; limit: number },
): Promise<PaymentRow[]> {
  const { at, id } = after ?? { at: 0, id: '' }
  return db.sql<PaymentRow>`
    select ${paymentColumns} from payments
    join (select p.installation_id, p.id as found from payments p
      where ${needsManualAttention(seller, now)} and (p.created_at, p.id) > (${at}, ${id})
      order by p.created_at, p.id limit ${limit}) few
      on few.installation_id = payments.installation_id and few.found = payments.id
    order by payments.created_at, payments.id`
}

export async function lockPayment(tx: Tx, installation: string, id: string): Promise<PaymentRow | undefined> {
  const [row] = await tx.sql<PaymentRow>`
    select ${paymentColumns} from payments where installation_id = ${installation} and id = ${id} ${tx.forUpdate}`
  return row
}

// Locks the payment. Also returns the subjects (session, card, network) by which its attempt was counted.
export async function lockPaymentWithTrySubjects(
  tx: Tx,
  installation: string,
  id: string,
): Promise<{ payment: PaymentRow; subjects: readonly string[] } | undefined> {
  const [row] = await tx.sql<PaymentRow & { triedAs: string | null }>`
    select ${paymentColumns}, payments.tried_as as "triedAs" from payments
    where installation_id = ${installation} and id = ${id} ${tx.forUpdate}`
  if (!row) return undefined
  const { triedAs, ...payment } = row
  return { payment, subjects: JSON.parse(triedAs ?? '[]') as string[] }
}

// Lists payments, oldest first.
export async function listPaymentsOfSession(
  db: Reader,
  installation: string,
  sessionId: string,
): Promise<PaymentRow[]> {
  return db.sql<PaymentRow>`
    select ${paymentColumns} from payments
    where installation_id = ${installation} and checkout_session_id = ${sessionId} order by created_at, id`
}

// Lists payments, oldest first.
export async function listPaymentsOfOrder(db: Reader, installation: string, orderId: string): Promise<PaymentRow[]> {
  return db.sql<PaymentRow>`
    select ${paymentColumns} from payments
    where installation_id = ${installation} and order_id = ${orderId} order by created_at, id`
}

// Deletes attempts of ended sessions that never collected money, and returns their ids. A payment that is still looked up stays: its
// charge may be found and must then be refunded.
export async function deleteDeclined(tx: Tx, installation: string, sessionIds: readonly string[]): Promise<string[]> {
  const rows = await tx.sql<{ id: string }>`
    delete from payments
    where installation_id = ${installation} and checkout_session_id in (${listFragment(sessionIds)})
      and status = 'declined' and check_at is null and order_id is null and not exists (
        select 1 from refunds r where r.installation_id = payments.installation_id and r.payment_id = payments.id)
    returning id`
  return rows.map(({ id }) => id)
}

// The caller has locked the payment. Provider, method and amount never change. A payment about which an event arrived after its last
// query stays due: the event may be newer than the saved state.
export async function savePayment(tx: Tx, payment: PaymentRow): Promise<void> {
  const [row] = await tx.sql`
    update payments set status = ${payment.status}, reference = ${payment.reference}, challenge = ${payment.challenge},
      place_sealed = ${payment.placeSealed}, place_until = ${payment.placeUntil}, settles = ${payment.settles},
      tried_at = ${payment.triedAt},
      brand = ${payment.brand}, last4 = ${payment.last4}, instrument = ${payment.instrument}, error_code = ${payment.errorCode},
      order_id = ${payment.orderId}, check_at = case when noticed_at is null then ${payment.checkAt} else noticed_at end,
      checks = ${payment.checks}, collected = ${payment.collected}, given_back = ${payment.givenBack},
      closed_by_hand_at = ${payment.closedByHandAt}, updated_at = ${payment.updatedAt}
    where installation_id = ${payment.installationId} and id = ${payment.id}
    returning id`
  one(row, 'the payment')
}

// Makes the payment due for a query in the next round of the job, even if it was declined or voided. A pending or succeeded payment is not
// changed.
export function checkPaymentSoon(tx: Tx, { installationId, id }: PaymentRow, now: number): void {
  tx.send`
    update payments set check_at = ${now}
    where installation_id = ${installationId} and id = ${id}
      and status in ('processing', 'challenge', 'declined', 'voided') and (check_at is null or check_at > ${now})`
}

// Makes a payment that succeeded due for a query, because the provider has more to report.
export function makeQueryDue(tx: Tx, { installationId, id }: PaymentRow, now: number): void {
  tx.send`
    update payments set check_at = ${now}
    where installation_id = ${installationId} and id = ${id} and status = 'succeeded'
      and (check_at is null or check_at > ${now})`
}

// Minimum time between two queries of a payment, unless the shopper returned in between.
export const queryEveryMs = 5_000

// After this many queries of a payment, further queries keep the minimum time even if the shopper returned in between.
export const promptQueriesMax = 30

function isNotLookedUp(column: string, now: number, everyMs: number): Fragment {
  return new Fragment(`(${column} is null or ${column} <= ? or ${column} > ?)`, [now - everyMs, now])
}

// Allows one query at a time, so the query that begins last is also recorded last. A query that exceeds the timeout or whose process died
// does not block others: two concurrent queries do no harm.
function isNotLooking(column: string, now: number): Fragment {
  return new Fragment(`(${column} is null or ${column} <= ? or ${column} > ?)`, [now, now + providerMsMax])
}

export function isBeingQueried({ lookingUntil }: PaymentRow, now: number): boolean {
  return lookingUntil !== null && lookingUntil > now && lookingUntil <= now + providerMsMax
}

// Whether the payment could be claimed for a query now, according to this row.
export function mayQueryPayment(payment: PaymentRow, now: number): boolean {
  const { lookedAt, looks, looksWanted } = payment
  const isRecent = lookedAt !== null && lookedAt <= now && lookedAt > now - queryEveryMs
  const isPrompt = looks < looksWanted && looks < promptQueriesMax
  return !isBeingQueried(payment, now) && (isPrompt || !isRecent)
}

// Assignments of every claim: the next check is postponed by the lease, and this query covers all events so far.
function claimed(now: number, leaseMs: number): Fragment {
  return new Fragment('looked_at = ?, looks = looks + 1, looking_until = ?, check_at = ?, noticed_at = null', [
    now,
    now + Math.min(providerMsMax, leaseMs),
    now + leaseMs,
  ])
}

// Ends the query for which the payment was claimed, unless a later query has begun.
export function endPaymentQuery(
  tx: Tx,
  { installationId, id, looks }: Pick<PaymentRow, 'installationId' | 'id' | 'looks'>,
): void {
  tx.send`
    update payments set looking_until = null
    where installation_id = ${installationId} and id = ${id} and looks = ${looks}`
}

// Claims a payment that waits for the shopper or the provider. Returns undefined if it does not wait, is being queried, or was queried a
// moment ago; the last reason does not apply if the shopper has returned since then. The claim postpones the next check by the lease,
// like the claims of the job. While the call that starts the payment is in progress, it cannot be claimed.
export async function claimPaymentToQuery(
  tx: Tx,
  { installationId, id }: Pick<PaymentRow, 'installationId' | 'id'>,
  now: number,
  everyMs = queryEveryMs,
): Promise<PaymentRow | undefined> {
  const [row] = await tx.sql<PaymentRow>`
    update payments set ${claimed(now, leaseMs)}
    where installation_id = ${installationId} and id = ${id}
      and (status = 'challenge' or (status = 'processing' and (checks > 0 or created_at <= ${now - startMsMax}))
        or (status = 'pending' and settles = 'by_provider'))
      and ${isNotLooking('looking_until', now)}
      and (${isNotLookedUp('looked_at', now, everyMs)} or (looks < looks_wanted and looks < ${promptQueriesMax}))
    returning ${paymentColumns}`
  return row
}

// The shopper has returned, so responses to earlier queries are outdated. Returns undefined if the outcome is known.
export async function requestPaymentQuery(
  tx: Tx,
  { installationId, id }: Pick<PaymentRow, 'installationId' | 'id'>,
): Promise<PaymentRow | undefined> {
  const [row] = await tx.sql<PaymentRow>`
    update payments set looks_wanted = looks + 1
    where installation_id = ${installationId} and id = ${id} and status in ('processing', 'challenge')
    returning ${paymentColumns}`
  return row
}

// Clears the claims of calls that ended with their process, and makes these payments due for a query now. Called when a server starts that
// is alone on its database.
export function makeInterruptedPaymentsDue(tx: Tx, now: number): void {
  tx.send`
    update payments set looking_until = null, check_at = ${now}
    where check_at > ${now} and (looking_until is not null or (status = 'processing' and checks = 0))`
}

// Makes the payments of these charges of an account due for a query as soon as possible, whatever their status. Payments that were
// queried well after the event stay as they are. Returns how many payments will be queried.
export async function noteProviderEvents(
  tx: Tx,
  { merchantId, id }: Pick<AccountRow, 'merchantId' | 'id'>,
  providerEvents: readonly ProviderEvent[],
  now: number,
): Promise<number> {
  if (providerEvents.length === 0) return 0
  const rows = providerEvents.map(({ reference, at }) => [reference, at + clockDifferenceMsMax] as const)
  const noted = tx.sql`
    with news (reference, until) as (${tx.rows(rows, ['text', 'bigint'])}),
    named as (
      select p.installation_id, p.id from payments p join news on news.reference = p.reference
      where p.merchant_id = ${merchantId} and p.account_id = ${id}
        and (p.looked_at is null or p.looked_at < news.until)
      order by p.installation_id, p.id ${tx.forUpdateOf('p')})
    update payments set noticed_at = ${now}, check_at = ${now}
    where (installation_id, id) in (select named.installation_id, named.id from named)
    returning id`
  tx.signal('payments', noted)
  return (await noted).length
}

// Maximum difference between the provider's clock and ours.
const clockDifferenceMsMax = 15 * 60_000

// Claims payments that are due for a query. The same statement postpones each of them by the lease, so several nodes share the payments,
// and none is lost if its node dies. `due` is a common table expression, because PostgreSQL may run a subquery more than once and claim
// more than the limit.
export async function claimPaymentsToCheck(
  tx: Tx,
  now: number,
  leaseMs: number,
  limit: number,
  only: RowKey | null = null,
): Promise<PaymentRow[]> {
  return tx.sql<PaymentRow>`
    with due as (
      select p.installation_id, p.id from payments p
      where p.check_at <= ${now} and ${isOnly(only, 'p.installation_id', 'p.id')}
        and ${isNotLookedUp('p.looked_at', now, queryEveryMs)} and ${isNotLooking('p.looking_until', now)}
        and ${isNotDeferred('payments', 'p.installation_id', 'p.id', now)}
      order by p.check_at limit ${limit} ${tx.skipLocked})
    update payments set ${claimed(now, leaseMs)}
    where (installation_id, id) in (select due.installation_id, due.id from due)
    returning ${paymentColumns}`
}

export async function listPaymentsToCheck(db: Reader, now: number, limit: number): Promise<RowKey[]> {
  return db.sql<RowKey>`
    select p.installation_id as "tenantId", p.id as "rowId" from payments p
    where p.check_at <= ${now} and ${isNotLookedUp('p.looked_at', now, queryEveryMs)}
      and ${isNotLooking('p.looking_until', now)}
      and ${isNotDeferred('payments', 'p.installation_id', 'p.id', now)}
    order by p.check_at limit ${limit}`
}

export interface RefundRow {
  installationId: string
  id: string
  merchantId: string
  // Null if no order was possible any more when the payment succeeded.
  orderId: string | null
  paymentId: string
  // void: what is left of the payment is cancelled at the provider, or refunded if its money was already collected.
  kind: 'refund' | 'void'
  // provider: the refund was made at the provider by others. It has succeeded, or failed later.
  origin: 'here' | 'provider'
  // The provider's id of the refund; null while it is unknown.
  reference: string | null
  amount: number
  currency: string
  status: RefundStatus
  reason: string | null
  createdAt: number
  updatedAt: number
  // When to try to pay next; null after the refund has ended. `tries`: number of attempts. `refusedTries`: how many of them the provider
  // refused.
  tryAt: number | null
  tries: number
  refusedTries: number
  // When the refund was first requested from the provider; null before that, and for providers without `refundState`.
  askedAt: number | null
  // When the provider last reported that the refund is in progress.
  pendingAt: number | null
  // The refund that replaced this failed refund. If it is null after a failure, a person must refund again.
  replacedBy: string | null
  // The id of the edit that reduced the total of a paid order, or of the return whose exchange left an amount over. Such a refund does
  // not count in the refunded amount of the order.
  editId: string | null
  // When the operator paid the refund by hand; null if not.
  paidByHandAt: number | null
  // The payment of another order to which the money was moved. No provider is called.
  movedTo: string | null
  // Set if an amount was divided among several payments: the first refund of that amount. Null for this first refund, and for a single
  // one.
  partOf: string | null
}

export type NewRefund = Pick<
  RefundRow,
  'installationId' | 'id' | 'merchantId' | 'orderId' | 'paymentId' | 'kind' | 'amount' | 'currency' | 'reason'
> & { editId?: string | null; partOf?: string | null }

const refundColumns = new Fragment(`
  refunds.installation_id as "installationId", refunds.id, refunds.merchant_id as "merchantId",
  refunds.order_id as "orderId", refunds.payment_id as "paymentId", refunds.kind, refunds.origin, refunds.reference, refunds.amount, refunds.currency,
  refunds.status, refunds.reason, refunds.created_at as "createdAt", refunds.updated_at as "updatedAt",
  refunds.try_at as "tryAt", refunds.tries, refunds.refused_tries as "refusedTries", refunds.asked_at as "askedAt",
  refunds.pending_at as "pendingAt", refunds.replaced_by as "replacedBy", refunds.edit_id as "editId",
  refunds.paid_by_hand_at as "paidByHandAt", refunds.moved_to as "movedTo", refunds.part_of as "partOf"`)

// Inserts a refund, which a job pays. All refunds of a payment together never exceed the payment: its row is locked, so concurrent
// inserts see each other.
export async function insertRefund(tx: Tx, refund: NewRefund, now: number): Promise<RefundRow> {
  const payment = one(await lockPayment(tx, refund.installationId, refund.paymentId), 'the payment')
  if (refund.currency !== payment.currency)
    throw new Error(`the currency of refund ${refund.id} is not the currency of its payment`)
  const due =
    refund.kind === 'void'
      ? await sumBesideVoids(tx, refund.installationId, refund.paymentId)
      : await sumRefunds(tx, refund.installationId, refund.paymentId)
  if (due + refund.amount > payment.amount)
    throw new Error(`with refund ${refund.id}, the refunds would exceed the payment`)
  const [row] = await tx.sql<RefundRow>`
    insert into refunds (installation_id, id, merchant_id, order_id, payment_id, kind, amount, currency, status, reason,
      edit_id, part_of, created_at, updated_at, try_at)
    values (${refund.installationId}, ${refund.id}, ${refund.merchantId}, ${refund.orderId}, ${refund.paymentId},
      ${refund.kind}, ${refund.amount}, ${refund.currency}, 'pending', ${refund.reason}, ${refund.editId ?? null},
      ${refund.partOf ?? null}, ${now}, ${now}, ${now})
    returning ${refundColumns}`
  return one(row, 'the refund')
}

// Returns the sum of the payment's refunds that succeeded or are pending.
export async function sumRefunds(db: Reader, installation: string, paymentId: string): Promise<number> {
  const [row] = await db.sql<{ sum: number }>`
    select coalesce(sum(amount), 0) as "sum" from refunds
    where installation_id = ${installation} and payment_id = ${paymentId} and status <> 'failed'`
  return row?.sum ?? 0
}

// Returns the sum that is deducted from what a void refunds. A void that the provider has made is not deducted: if the charge exists
// after all, it is voided again, which does not pay twice. A void that was paid by hand is deducted, because the charge still exists at
// the provider.
async function sumBesideVoids(db: Reader, installation: string, paymentId: string): Promise<number> {
  const [row] = await db.sql<{ sum: number }>`
    select coalesce(sum(amount), 0) as "sum" from refunds
    where installation_id = ${installation} and payment_id = ${paymentId}
      and (status = 'pending' or (status = 'succeeded' and (kind = 'refund' or paid_by_hand_at is not null)))`
  return row?.sum ?? 0
}

async function isVoidQueued(db: Reader, installation: string, paymentId: string): Promise<boolean> {
  const rows = await db.sql`
    select id from refunds
    where installation_id = ${installation} and payment_id = ${paymentId} and kind = 'void' and status = 'pending'`
  return rows.length > 0
}

export async function lockRefund(tx: Tx, installation: string, id: string): Promise<RefundRow | undefined> {
  const [row] = await tx.sql<RefundRow>`
    select ${refundColumns} from refunds where installation_id = ${installation} and id = ${id} ${tx.forUpdate}`
  return row
}

// Lists refunds, oldest first.
export async function listRefundsOfOrder(db: Reader, installation: string, orderId: string): Promise<RefundRow[]> {
  return db.sql<RefundRow>`
    select ${refundColumns} from refunds
    where installation_id = ${installation} and order_id = ${orderId} order by created_at, id`
}

// Lists refunds, oldest first.
export async function listRefundsOfPayment(db: Reader, installation: string, paymentId: string): Promise<RefundRow[]> {
  return db.sql<RefundRow>`
    select ${refundColumns} from refunds
    where installation_id = ${installation} and payment_id = ${paymentId} order by created_at, id`
}

// Lists all refunds of a payment at its provider, oldest first. Includes refunds of orders to which money of the payment was moved.
export async function listRefundsAtProvider(db: Reader, installation: string, paymentId: string): Promise<RefundRow[]> {
  return db.sql<RefundRow>`
    select ${refundColumns} from refunds
    where installation_id = ${installation} and moved_to is null and payment_id in (
      select p.id from payments p
      where p.installation_id = ${installation} and (p.id = ${paymentId} or p.moved_from = ${paymentId}))
    order by created_at, id`
}

// Lists payments of other orders to which money of this payment was moved, newest first.
export async function listMovedPayments(db: Reader, installation: string, paymentId: string): Promise<PaymentRow[]> {
  return db.sql<PaymentRow>`
    select ${paymentColumns} from payments
    where installation_id = ${installation} and moved_from = ${paymentId} order by created_at desc, id desc`
}

// Saves a pending refund. Its kind and amount never change. After a failure, a new refund is inserted.
export async function saveRefund(tx: Tx, refund: RefundRow): Promise<void> {
  const [row] = await tx.sql`
    update refunds set status = ${refund.status}, try_at = ${refund.tryAt}, tries = ${refund.tries},
      refused_tries = ${refund.refusedTries}, pending_at = ${refund.pendingAt}, paid_by_hand_at = ${refund.paidByHandAt},
      moved_to = ${refund.movedTo}, updated_at = ${refund.updatedAt}
    where installation_id = ${refund.installationId} and id = ${refund.id} and status = 'pending'
    returning id`
  one(row, 'the pending refund')
}

// Called before the provider is called: even if nothing else gets recorded, it is known that a request may have been sent. Returns false
// if the refund has ended.
export async function markRefundRequested(
  tx: Tx,
  { installationId, id }: Pick<RefundRow, 'installationId' | 'id'>,
  now: number,
): Promise<boolean> {
  const rows = await tx.sql`
    update refunds set asked_at = coalesce(asked_at, ${now})
    where installation_id = ${installationId} and id = ${id} and status = 'pending'
    returning id`
  return rows.length > 0
}

// Inserts a refund that others made at the provider. A failed refund with the same reference loses it.
export async function insertForeignRefund(
  tx: Tx,
  refund: Omit<NewRefund, 'kind' | 'reason'> & { reference: string },
  now: number,
): Promise<RefundRow> {
  tx.send`
    update refunds set reference = null
    where installation_id = ${refund.installationId} and payment_id = ${refund.paymentId}
      and reference = ${refund.reference} and status = 'failed'`
  const [row] = await tx.sql<RefundRow>`
    insert into refunds (installation_id, id, merchant_id, order_id, payment_id, kind, origin, reference, amount, currency,
      status, edit_id, created_at, updated_at)
    values (${refund.installationId}, ${refund.id}, ${refund.merchantId}, ${refund.orderId}, ${refund.paymentId}, 'refund',
      'provider', ${refund.reference}, ${refund.amount}, ${refund.currency}, 'succeeded', ${refund.editId ?? null}, ${now},
      ${now})
    returning ${refundColumns}`
  return one(row, 'the refund')
}

// Marks a refund that had succeeded as failed.
export async function failPaidRefund(
  tx: Tx,
  { installationId, id }: RefundRow,
  reference: string,
  now: number,
): Promise<RefundRow> {
  const [row] = await tx.sql<RefundRow>`
    update refunds set status = 'failed', reference = ${reference}, updated_at = ${now}
    where installation_id = ${installationId} and id = ${id} and status = 'succeeded'
    returning ${refundColumns}`
  return one(row, 'the refund that succeeded')
}

// Skips locked rows: the job that pays a refund may have locked its row while it waits for the order.
export async function saveRefundReferences(
  tx: Tx,
  named: readonly { refund: RefundRow; reference: string }[],
): Promise<void> {
  // All references are removed first, because a reference may move from one of these refunds to another.
  for (const { refund, reference } of [...named.map(({ refund }) => ({ refund, reference: null })), ...named]) {
    const { installationId, id } = refund
    await tx.sql`
      update refunds set reference = ${reference}
      where (installation_id, id) in (
        select r.installation_id, r.id from refunds r
        where r.installation_id = ${installationId} and r.id = ${id} ${tx.skipLocked})`
  }
}

// Makes the refunds due in the next round of the job. Skips locked rows.
export function makeRefundsDue(tx: Tx, refunds: readonly RefundRow[], now: number): void {
  for (const { installationId, id } of refunds)
    tx.send`
      update refunds set try_at = ${now}
      where try_at > ${now} and (installation_id, id) in (
        select r.installation_id, r.id from refunds r
        where r.installation_id = ${installationId} and r.id = ${id} and r.status = 'pending' ${tx.skipLocked})`
}

export function replaceRefund(tx: Tx, { installationId, id }: RefundRow, replacedBy: string): void {
  tx.send`
    update refunds set replaced_by = ${replacedBy}
    where installation_id = ${installationId} and id = ${id} and status = 'failed' and replaced_by is null`
}

// Marks failed refunds of the order, whatever their payment, as replaced by this one if they belong to the same edit, or to none like
// this one: no person needs to refund them any more.
export function replaceFailedRefunds(tx: Tx, { installationId, orderId, id, editId }: RefundRow): void {
  tx.send`
    update refunds set replaced_by = ${id}
    where installation_id = ${installationId} and order_id = ${orderId} and kind = 'refund' and status = 'failed'
      and replaced_by is null and coalesce(edit_id, '') = ${editId ?? ''}`
}

function replaceFailedVoids(tx: Tx, { installationId, paymentId, id }: RefundRow): void {
  tx.send`
    update refunds set replaced_by = ${id}
    where installation_id = ${installationId} and payment_id = ${paymentId} and kind = 'void' and status = 'failed'
      and replaced_by is null`
}

// Queues one void of a payment, which replaces a failed void. Returns undefined if a void is already queued, or nothing is left to void.
export async function queueVoid(
  tx: Tx,
  payment: Pick<PaymentRow, 'installationId' | 'merchantId' | 'orderId' | 'id' | 'amount' | 'currency'>,
  { id, reason }: { id: string; reason: string | null },
  now: number,
): Promise<RefundRow | undefined> {
  const { installationId, merchantId, orderId, id: paymentId, amount, currency } = payment
  // Locked, so concurrent voids and refunds see each other.
  await lockPayment(tx, installationId, paymentId)
  if (await isVoidQueued(tx, installationId, paymentId)) return undefined
  // What others refunded at the provider must not be refunded again.
  const left = amount - (await sumBesideVoids(tx, installationId, paymentId))
  if (left <= 0 && amount > 0) return undefined
  const queued = { installationId, id, merchantId, orderId, paymentId, amount: left, currency, reason }
  const refund = await insertRefund(tx, { ...queued, kind: 'void' }, now)
  replaceFailedVoids(tx, refund)
  return refund
}

// A refund with the data that its provider needs.
export interface DueRefund extends RefundRow {
  provider: string
  accountId: string | null
  charge: Charge
}

interface DueRow extends RefundRow {
  provider: string
  accountId: string | null
  chargeKey: string
  charged: number
  mode: Mode
  chargeReference: string | null
  chargedAt: number
}

// SQL expression: a column of the payment that collected the money at the provider.
const ofCharge = (column: string, name: string) => `
  (select p.${column} from payments own
    join payments p on p.installation_id = own.installation_id and p.id = coalesce(own.moved_from, own.id)
    where own.installation_id = refunds.installation_id and own.id = refunds.payment_id) as "${name}"`

const dueColumns = new Fragment(`
  ${refundColumns.text}, ${ofCharge('provider', 'provider')}, ${ofCharge('account_id', 'accountId')},
  ${ofCharge('id', 'chargeKey')}, ${ofCharge('amount', 'charged')}, ${ofCharge('reference', 'chargeReference')},
  ${ofCharge('created_at', 'chargedAt')},
  (select i.mode from installations i where i.id = refunds.installation_id) as "mode"`)

// Claims refunds that are due, like payments that are due for a query: several nodes share them.
export async function claimRefundsToPay(
  tx: Tx,
  now: number,
  leaseMs: number,
  limit: number,
  only: RowKey | null = null,
): Promise<DueRefund[]> {
  const rows = await tx.sql<DueRow>`
    with due as (
      select r.installation_id, r.id from refunds r
      where r.try_at <= ${now} and ${isOnly(only, 'r.installation_id', 'r.id')}
        and ${isNotDeferred('refunds', 'r.installation_id', 'r.id', now)}
      order by r.try_at limit ${limit} ${tx.skipLocked})
    update refunds set try_at = ${now + leaseMs}
    where (installation_id, id) in (select due.installation_id, due.id from due)
    returning ${dueColumns}`
  return rows.map(dueFrom)
}

export async function listRefundsToPay(db: Reader, now: number, limit: number): Promise<RowKey[]> {
  return db.sql<RowKey>`
    select r.installation_id as "tenantId", r.id as "rowId" from refunds r
    where r.try_at <= ${now} and ${isNotDeferred('refunds', 'r.installation_id', 'r.id', now)}
    order by r.try_at limit ${limit}`
}

// Claims refunds that the caller has queued and pays itself. If that fails, a job pays them after the lease. Skips locked rows: code that
// has locked an order must not wait for its refunds.
export async function claimRefundsOfPayment(
  tx: Tx,
  { installationId, paymentId }: { installationId: string; paymentId: string },
  now: number,
  leaseMs: number,
): Promise<DueRefund[]> {
  const rows = await tx.sql<DueRow>`
    with due as (
      select r.installation_id, r.id from refunds r
      where r.installation_id = ${installationId} and r.payment_id = ${paymentId} and r.try_at <= ${now} ${tx.skipLocked})
    update refunds set try_at = ${now + leaseMs}
    where (installation_id, id) in (select due.installation_id, due.id from due)
    returning ${dueColumns}`
  return rows.map(dueFrom)
}

function dueFrom({
  chargeKey: key,
  charged,
  chargedAt,
  mode,
  chargeReference: reference,
  ...refund
}: DueRow): DueRefund {
  const { currency } = refund
  return { ...refund, charge: { key, amount: charged, currency, mode, reference, createdAt: chargedAt } }
}

function one<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw new Error(`${what} does not exist`)
  return row
}

// After the clock was set back, moves scheduled calls back by the same time, but not before the end of a lease: a call may be in
// progress.
export async function correctPaymentTimes(tx: Tx, { now, backMs }: ClockSetBack): Promise<void> {
  const earliest = now + leaseMs
  await tx.sql`
    update payments set check_at = case when check_at - ${backMs} < ${earliest} then ${earliest} else check_at - ${backMs} end
    where check_at > ${earliest}`
  await tx.sql`
    update refunds set try_at = case when try_at - ${backMs} < ${earliest} then ${earliest} else try_at - ${backMs} end
    where try_at > ${earliest}`
}

// Whether a provider is being queried about a payment of this merchant.
export async function isCallingProvider(db: Reader, merchantSlug: string, now: number): Promise<boolean> {
  const rows = await db.sql`
    select 1 from payments p join merchants m on m.id = p.merchant_id
    where m.slug = ${merchantSlug} and p.looking_until > ${now} limit 1`
  return rows.length > 0
}
