// Functions for commands about money: they find a payment, and pay refunds that a change made due.

import { listInstallations, type Merchant } from '../../domain/merchants/store.ts'
import { recordRefundEnd } from '../../domain/orders/refunds.ts'
import { installedProviders } from '../../domain/payments/providers/installed.ts'
import { type PaidRefund, payRefund } from '../../domain/payments/refunds.ts'
import { leaseMs } from '../../domain/payments/schedule.ts'
import { claimRefundsOfPayment, type DueRefund, findPaymentOf, type PaymentRow } from '../../domain/payments/store.ts'
import { createPaymentWatch, type PaymentWatch } from '../../domain/payments/watch.ts'
import type { Config } from '../../platform/config.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { createLog } from '../../platform/log/log.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import { chooseMerchant, configuredOrigin, type ParsedArguments, type ReportError, type Terminal } from './command.ts'

// Commits the change, which makes refunds due, and then pays them. The command pays them itself, so they are paid even if no server runs;
// if the command is killed, a server pays them later.
export async function payRefundsAfter<Result>(
  storage: Storage,
  config: Config,
  work: (tx: Tx, now: number) => Promise<{ done: Result; payments: readonly PaymentRow[] }>,
): Promise<{ done: Result; paid: readonly PaidRefund[] }> {
  const now = Date.now()
  const { done, due } = await storage.write(async (tx) => {
    const { done, payments } = await work(tx, now)
    const due: DueRefund[] = []
    for (const { installationId, id } of payments)
      due.push(...(await claimRefundsOfPayment(tx, { installationId, paymentId: id }, now, leaseMs)))
    return { done, due }
  })
  const { rootSecret, providerUrls } = config
  const watch = silentWatch()
  const clock = () => new Date()
  const providers = installedProviders({
    storage,
    clock,
    rootSecret,
    publicOrigin: configuredOrigin(config),
    providerUrls,
    watch,
  })
  const tools = { storage, providers, watch, onPaid: recordRefundEnd }
  return { done, paid: await Promise.all(due.map((refund) => payRefund(tools, refund, now))) }
}

// The command prints the results itself, so nothing is logged.
export function silentWatch(): PaymentWatch {
  return createPaymentWatch(createLog({ level: 'silent', pretty: false, write: () => {} }))
}

// Prints to stderr which refunds failed or are pending. Returns null if all refunds are paid, or pending at the payment provider.
export function printUnpaidRefunds(
  terminal: Terminal,
  subject: string,
  paid: readonly PaidRefund[],
): ReportError | null {
  for (const { answer, outcome } of paid) {
    if (answer === 'pending' && outcome === 'later')
      terminal.err(
        `cartwright: ${subject}: the refund is pending at the payment provider; a running server looks up its outcome\n`,
      )
  }
  const problems = paid.flatMap((one) => refundProblem(one) ?? [])
  for (const problem of problems) terminal.err(`cartwright: ${subject}: ${problem}\n`)
  return problems.length > 0 ? { code: 'refund_not_paid', message: problems.join('; ') } : null
}

// Returns what prevented the refund, or undefined if it is paid, or pending at the payment provider.
function refundProblem({ outcome, answer, error }: PaidRefund): string | undefined {
  if (outcome === 'succeeded' || outcome === 'already_recorded') return undefined
  if (outcome === 'later' && answer === 'pending') return undefined
  const again = 'a running server retries'
  if (outcome === 'unrecorded') return `the refund could not be recorded: ${(error as Error).message}; ${again}`
  if (outcome === 'failed')
    return 'the payment provider refused the refund permanently; pay the amount another way, and record the payment with --by-hand'
  return answer === 'failed'
    ? `the payment provider refused the refund; ${again}`
    : `the payment provider did not answer; ${again}`
}

export async function findPaymentNamed(storage: Storage, name: string, given: ParsedArguments): Promise<PaymentRow> {
  const merchant = await chooseMerchant(storage, given.texts.merchant)
  const payment = await storage.read(async (db) => {
    for (const installationIds of await listInstallationIds(db, merchant)) {
      const found = installationIds.length > 0 ? await findPaymentOf(db, installationIds, name) : undefined
      if (found) return found
    }
    return undefined
  })
  if (!payment) throw refuse('payment_not_found', { message: `The merchant ${merchant.slug} has no payment ${name}.` })
  return payment
}

// Returns the ids in groups that are small enough for an SQL statement. There is always a group, if only an empty one, since an order can
// be found by its number alone.
export async function listInstallationIds(db: Reader, merchant: Merchant): Promise<string[][]> {
  const ids = (await listInstallations(db, merchant.id)).map(({ id }) => id)
  const groups = Math.max(1, Math.ceil(ids.length / idsAtOnce))
  return Array.from({ length: groups }, (_, group) => ids.slice(group * idsAtOnce, (group + 1) * idsAtOnce))
}

const idsAtOnce = 1_000
