// Pays the refunds that are due, as a job. A round claims some refunds, calls the providers outside of any transaction, and records each
// outcome with its consequences. Safe on several nodes and after crashes: a refund that is requested twice is paid once, because its id
// is the key at the provider.

import { claimRows, deferFailedRow, type RowFailure, RowsFailed } from '../../platform/jobs/rows.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import {
  type CallOptions,
  callForRefund,
  callForRefundState,
  type PaymentProvider,
  type Providers,
  type RefundState,
} from './port.ts'
import { leaseMs, nextTryAt } from './schedule.ts'
import type { OnStep } from './steps.ts'
import {
  claimRefundsToPay,
  type DueRefund,
  listRefundsToPay,
  lockRefund,
  markRefundRequested,
  type RefundRow,
  saveRefund,
} from './store.ts'
import type { CallFacts, PaymentWatch } from './watch.ts'

// Called when a refund has ended, in the transaction that saves it: src/domain/orders changes the payment status of the order, or marks
// the payment as voided. Called once per refund, with the saved row. The row of the refund is locked before that of the order, so code
// that has locked an order must not wait for its refunds.
export type OnPaid = (tx: Tx, refund: RefundRow, outcome: 'succeeded' | 'failed', now: number) => Promise<void>

export interface RefundTools {
  storage: Storage
  providers: Providers
  watch: PaymentWatch
  onPaid: OnPaid
  // For tests: the timeout of a call to a provider.
  callMsMax?: number
  onStep?: OnStep
}

export interface PaidRefund {
  refund: RefundRow
  // The provider's response; `unknown` if there was none or the provider is not installed. `absent`: the request was sent long ago and
  // the provider does not know it, so it is not sent again.
  answer: RefundState
  // later: the refund is due again on schedule. already_recorded: the refund had ended before, for example because another node recorded
  // it. unrecorded: the outcome could not be recorded; the refund is tried again.
  outcome: 'succeeded' | 'failed' | 'later' | 'already_recorded' | 'unrecorded'
  error: unknown
}

// After this many refusals the provider will not accept the refund, and a person must decide. A missing response is not a refusal; the
// request is then repeated without limit.
export const refusedTriesMax = 8

// Providers forget keys after a day. A request that was first sent this long ago is not repeated with its key, because it might pay
// twice.
export const keyMs = 20 * 3_600_000

// Pays the due refunds concurrently, so none waits for the timeout of another, and all end within their lease. Failures are logged and
// counted.
export async function payRefunds(tools: RefundTools, now: number, limit = 20): Promise<PaidRefund[]> {
  return (await payDue(tools, now, limit)).paid
}

// Run by a job. Throws at the end of the round if refunds could not be claimed or recorded.
export async function payDueRefunds(tools: RefundTools, now: number, limit: number): Promise<number> {
  const { paid, failures } = await payDue(tools, now, limit)
  const recorded = paid.filter(({ outcome }) => outcome !== 'unrecorded').length
  if (failures.length > 0) throw new RowsFailed(failures, recorded)
  return recorded
}

async function payDue(
  tools: RefundTools,
  now: number,
  limit: number,
): Promise<{ paid: PaidRefund[]; failures: RowFailure[] }> {
  const { storage } = tools
  const round = { storage, loop: 'refunds', now } as const
  const failures: RowFailure[] = []
  const due = await claimRows(
    round,
    failures,
    (only) => storage.write((tx) => claimRefundsToPay(tx, now, leaseMs, limit, only)),
    () => storage.read((db) => listRefundsToPay(db, now, limit)),
  )
  const paid = await Promise.all(due.map((refund) => payRefund(tools, refund, now)))
  for (const { refund, outcome, error } of paid) {
    const key = { tenantId: refund.installationId, rowId: refund.id }
    if (outcome === 'unrecorded') failures.push(await deferFailedRow(round, key, error))
  }
  return { paid, failures }
}

// Pays a refund that the caller has claimed.
export async function payRefund(tools: RefundTools, due: DueRefund, now: number): Promise<PaidRefund> {
  try {
    const answer = await askFor(tools, due, now)
    tools.onStep?.('answered')
    const paid = await recordAnswer(tools, due, answer, now)
    tools.onStep?.('paid')
    return paid
  } catch (error) {
    return unrecorded(tools, due, 'unknown', error)
  }
}

async function recordAnswer(tools: RefundTools, due: DueRefund, answer: RefundState, now: number): Promise<PaidRefund> {
  const { storage, watch, onPaid } = tools
  try {
    const { refund, outcome } = await storage.write((tx) => record(tx, refundOf(due), answer, onPaid, now))
    if (outcome === 'failed') tellFailed(watch, due, answer)
    else if (refund.status === 'failed' && answer === 'succeeded')
      watch.error(
        'contradiction',
        'refund was paid after it had failed; check whether it was refunded twice',
        factsOf(due),
      )
    else if (outcome === 'already_recorded' && refund.paidByHandAt !== null && answer === 'succeeded')
      watch.error(
        'contradiction',
        'refund was paid by hand and by the provider; claim one of the two amounts back',
        factsOf(due),
      )
    return { refund, answer, outcome, error: null }
  } catch (error) {
    // If one refund cannot be recorded, the others of the round must still be.
    return unrecorded(tools, due, answer, error)
  }
}

function unrecorded({ watch }: RefundTools, due: DueRefund, answer: RefundState, error: unknown): PaidRefund {
  watch.error('unrecorded', 'refund could not be recorded; retrying', factsOf(due), error)
  return { refund: refundOf(due), answer, outcome: 'unrecorded', error }
}

function refundOf({ provider: _, accountId: __, charge: ___, ...refund }: DueRefund): RefundRow {
  return refund
}

function tellFailed(watch: PaymentWatch, due: DueRefund, answer: RefundState): void {
  if (due.kind === 'void')
    watch.error('void_failed', 'payment could not be voided; refund it again or by hand', factsOf(due))
  else if (answer === 'absent') {
    const message = 'refund is unknown to the provider and is not sent again; refund it again or by hand'
    watch.error('refund_failed', message, factsOf(due))
  } else watch.error('refund_failed', 'refund failed; refund it again or by hand', factsOf(due))
}

async function askFor(tools: RefundTools, due: DueRefund, now: number): Promise<RefundState> {
  const { storage, providers, watch } = tools
  const provider = await storage.read((db) => providers.of(db, due))
  if (!provider) {
    watch.missing(factsOf(due))
    return 'unknown'
  }
  if (!provider.refundState) return sendRequest(tools, provider, due, now)
  const askedAt = due.askedAt ?? (due.tries > 0 ? due.createdAt : null)
  if (askedAt !== null) {
    const state = await askState(tools, provider, due, now)
    if (state !== 'absent') return state
    // Unlike a refund, a void may always be repeated.
    if (due.kind === 'refund' && now - askedAt >= keyMs) return state
  }
  // A refund that has ended after it was claimed, for example because it was paid by hand, is not requested.
  if (!(await storage.write((tx) => markRefundRequested(tx, due, now)))) return 'unknown'
  tools.onStep?.('asked')
  return sendRequest(tools, provider, due, now)
}

function sendRequest(tools: RefundTools, provider: PaymentProvider, due: DueRefund, now: number): Promise<RefundState> {
  const { id, kind, amount, charge } = due
  return callForRefund(
    (signal) =>
      kind === 'void'
        ? provider.void({ ...charge, voidKey: id }, signal)
        : provider.refund({ key: id, charge, amount }, signal),
    callOptions(tools, due, factsOf(due), now),
  )
}

function askState(tools: RefundTools, provider: PaymentProvider, due: DueRefund, now: number): Promise<RefundState> {
  const { id: key, charge, amount } = due
  return callForRefundState(
    async (signal) => provider.refundState?.({ key, charge, amount }, signal) ?? 'unknown',
    callOptions(tools, due, { ...factsOf(due), call: 'refundState' }, now),
  )
}

function callOptions(tools: RefundTools, due: DueRefund, facts: CallFacts, now: number): CallOptions<RefundState> {
  const { watch, callMsMax } = tools
  const heard = watch.listen(facts)
  return {
    ...heard,
    // A late success is recorded. After any other late response the refund is tried again on schedule.
    onLate(answer) {
      heard.onLate(answer)
      if (answer === 'succeeded') void recordAnswer(tools, due, answer, now)
    },
    ...(callMsMax === undefined ? {} : { msMax: callMsMax }),
  }
}

function factsOf({ provider, kind, paymentId, id }: DueRefund): CallFacts {
  return { provider, call: kind, paymentId, refundId: id }
}

async function record(
  tx: Tx,
  claimed: RefundRow,
  answer: RefundState,
  onPaid: OnPaid,
  now: number,
): Promise<Pick<PaidRefund, 'refund' | 'outcome'>> {
  const found = await lockRefund(tx, claimed.installationId, claimed.id)
  if (found?.status !== 'pending') return { refund: found ?? claimed, outcome: 'already_recorded' }
  const tries = found.tries + 1
  const refusedTries = found.refusedTries + (answer === 'failed' ? 1 : 0)
  const outcome = outcomeOf(answer, refusedTries)
  const seen = {
    ...found,
    tries,
    refusedTries,
    pendingAt: answer === 'pending' ? now : found.pendingAt,
    updatedAt: now,
  }
  const refund: RefundRow =
    outcome === 'later' ? { ...seen, tryAt: nextTryAt(tries, now) } : { ...seen, status: outcome, tryAt: null }
  await saveRefund(tx, refund)
  if (outcome !== 'later') await onPaid(tx, refund, outcome, now)
  return { refund, outcome }
}

function outcomeOf(answer: RefundState, refusedTries: number): 'succeeded' | 'failed' | 'later' {
  if (answer === 'succeeded') return 'succeeded'
  return answer === 'refused' || answer === 'absent' || (answer === 'failed' && refusedTries >= refusedTriesMax)
    ? 'failed'
    : 'later'
}
