// Pays what is owed to shoppers: one round of a loop. A round claims a little, asks the providers outside of any
// transaction, and records each outcome together with what follows from it. It is safe on several nodes and across
// crashes: a refund that is asked for twice is paid once, because its id is the provider's key.

import type { Storage, Tx } from '../storage/storage.ts'
import { callForRefund, type Providers, type RefundAnswer, type Silence } from './port.ts'
import { leaseMs, nextTryAt } from './schedule.ts'
import { claimRefundsToPay, type DueRefund, type KeptRefund, lockRefund, saveRefund } from './store.ts'

// What follows from a refund that is over, in the same transaction: the orders room moves the order, or marks the payment
// as voided. Its work is committed once for each refund; it is given the refund as it was saved. The refund's row is locked
// first and the order's after it, so whoever holds an order leaves its refunds unlocked.
export type OnPaid = (tx: Tx, refund: KeptRefund, outcome: 'succeeded' | 'failed', now: number) => Promise<void>

export interface PaidRefund {
  refund: KeptRefund
  // later: due again by schedule. elsewhere: another node recorded it. unrecorded: recording failed, due again after the
  // lease.
  outcome: 'succeeded' | 'failed' | 'later' | 'elsewhere' | 'unrecorded'
  // For the log: why it was not paid, or not recorded.
  silence: Silence | 'no_such_provider' | null
  error: unknown
}

// A provider that refuses this often will not change its mind; a person must look. No answer is not a refusal, and is
// asked for without end.
export const refusedTriesMax = 8

// Those of one round are paid side by side, so that none waits for another's deadline and every lease holds.
export async function payRefunds(
  storage: Storage,
  providers: Providers,
  onPaid: OnPaid,
  now: number,
  limit = 20,
): Promise<PaidRefund[]> {
  const due = await storage.write((tx) => claimRefundsToPay(tx, now, leaseMs, limit))
  return Promise.all(due.map((refund) => payRefund(storage, providers, onPaid, refund, now)))
}

async function payRefund(
  storage: Storage,
  providers: Providers,
  onPaid: OnPaid,
  due: DueRefund,
  now: number,
): Promise<PaidRefund> {
  const { provider: _, charge: __, ...claimed } = due
  const { answer, silence } = await askFor(providers, due)
  try {
    const { refund, outcome } = await storage.write((tx) => record(tx, claimed, answer, onPaid, now))
    return { refund, outcome, silence, error: null }
  } catch (error) {
    // One refund that cannot be recorded must not keep the others of the round from being told.
    return { refund: claimed, outcome: 'unrecorded', silence, error }
  }
}

async function askFor(
  providers: Providers,
  { id, kind, amount, provider: name, charge }: DueRefund,
): Promise<{ answer: RefundAnswer; silence: PaidRefund['silence'] }> {
  const provider = providers.get(name)
  if (!provider) return { answer: 'unknown', silence: 'no_such_provider' }
  let silence: Silence | null = null
  const answer = await callForRefund(
    (signal) =>
      kind === 'void'
        ? provider.void({ ...charge, voidKey: id }, signal)
        : provider.refund({ key: id, charge, amount }, signal),
    { onSilence: (heard) => (silence = heard) },
  )
  return { answer, silence }
}

async function record(
  tx: Tx,
  claimed: KeptRefund,
  answer: RefundAnswer,
  onPaid: OnPaid,
  now: number,
): Promise<Pick<PaidRefund, 'refund' | 'outcome'>> {
  const found = await lockRefund(tx, claimed.installationId, claimed.id)
  if (found?.status !== 'pending') return { refund: found ?? claimed, outcome: 'elsewhere' }
  const tries = found.tries + 1
  const isOver = answer === 'succeeded' || (answer === 'failed' && tries >= refusedTriesMax)
  const refund: KeptRefund = isOver
    ? { ...found, status: answer, tries, tryAt: null, updatedAt: now }
    : { ...found, tries, tryAt: nextTryAt(tries, now), updatedAt: now }
  await saveRefund(tx, refund)
  if (!isOver) return { refund, outcome: 'later' }
  await onPaid(tx, refund, answer, now)
  return { refund, outcome: answer }
}
