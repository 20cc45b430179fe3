// Money that people move for an order, as a bank transfer or in cash. Several entries may add up to less or more than the total. Pure.

import { type AdminMoneyReceived, moneyEntriesMax } from '../../contract/admin/orders.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { manualName } from '../payments/providers/manual/provider.ts'
import type { MoneyEntry } from './store.ts'
import type { OrderFacts } from './view.ts'

type MoneyFacts = Pick<OrderFacts, 'order' | 'payments'>

export function isPaidByHand({ payments }: Pick<OrderFacts, 'payments'>): boolean {
  return payments.some(({ provider }) => provider === manualName)
}

// Orders that were paid before received money was recorded have no entries. The sum of their manual payments is used instead.
export function sumReceivedMoney({ payments }: Pick<MoneyFacts, 'payments'>, entries: readonly MoneyEntry[]): number {
  return entries.length > 0 ? entries.reduce((sum, { amount }) => sum + amount, 0) : paidByHand(payments)
}

// The order may also have payments of other providers, which do not count.
function paidByHand(payments: MoneyFacts['payments']): number {
  return payments.reduce(
    (sum, { provider, status, amount }) => (provider === manualName && status === 'succeeded' ? sum + amount : sum),
    0,
  )
}

export function moneyReceivedView(facts: MoneyFacts, entries: readonly MoneyEntry[]): AdminMoneyReceived | null {
  if (!isPaidByHand(facts)) return null
  const { paymentStatus } = facts.order
  const sum = sumReceivedMoney(facts, entries)
  const isAwaited = paymentStatus === 'pending'
  // An edit that lowered the total refunds the difference separately, so a paid order is compared with what was paid by hand instead of
  // with its total.
  const total = isAwaited ? facts.order.total : paidByHand(facts.payments)
  return {
    entries: entries.map(({ id, amount, at }) => ({ id, amount, at: toInstant(at) })),
    sum,
    due: isAwaited ? Math.max(0, total - sum) : 0,
    // If the payment of the order was voided, all received money is excess.
    excess: paymentStatus === 'voided' ? sum : Math.max(0, sum - total),
  }
}

// Returns the money that is still missing if the total of a paid order rises by `difference`. Money that was received above the total is
// deducted.
export function missingMoneyFor(facts: MoneyFacts, entries: readonly MoneyEntry[], difference: number): number {
  return Math.min(difference, Math.max(0, paidByHand(facts.payments) + difference - sumReceivedMoney(facts, entries)))
}

// Returns the sums after an entry. Refuses an entry that cannot be recorded. `isPaid`: whether the order is paid with this entry.
export function moneyAfterEntry(
  facts: MoneyFacts,
  entries: readonly MoneyEntry[],
  { amount, settles }: { amount: number; settles: boolean },
): { received: number; isPaid: boolean } {
  const { number, total, paymentStatus } = facts.order
  const before = sumReceivedMoney(facts, entries)
  const received = before + amount
  const current = { received: before }
  if (amount === 0 || !Number.isSafeInteger(received))
    throw refuse('money_not_recordable', {
      message: `The amount ${amount} cannot be recorded: it must not be 0, and the sum received must be a safe integer.`,
      current,
    })
  if (received < 0) {
    const message = `Order ${number} received ${before} minor units, so ${-amount} cannot have been paid back.`
    throw refuse('money_not_recordable', { message, current })
  }
  if (entries.length >= moneyEntriesMax)
    throw refuse('money_not_recordable', {
      message: `Order ${number} already has ${entries.length} recorded amounts, which is the maximum.`,
      current,
    })
  const isEnough = received >= total || (settles && amount > 0)
  return { received, isPaid: isEnough && (paymentStatus === 'pending' || paymentStatus === 'voided') }
}
