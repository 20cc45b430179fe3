// Compares the refunds that a provider lists for a payment with ours, and returns what must be recorded. Pure.

import type { ProviderDispute, ProviderRefund, ProviderState } from './port.ts'
import { leaseMs, pendingAgainMs } from './schedule.ts'
import type { PaymentRow, RefundRow } from './store.ts'

export interface ProviderStatePlan {
  // Refunds whose id at the provider has become known.
  named: { refund: RefundRow; reference: string }[]
  // Refunds that are pending here but have ended at the provider. They must be queried now.
  ended: RefundRow[]
  // Refunds that succeeded here and failed at the provider later.
  failed: { refund: RefundRow; reference: string }[]
  foreign: ForeignRefund[]
  // `givenBack`: the refunded sum by the provider's list. `excess`: how much of it exceeds the paid amount.
  givenBack: number
  excess: number
  // When to query the provider again; null if everything is known.
  againAt: number | null
}

// A refund that was made at the provider. `instead`: our failed refund that it replaces. `isOurs`: whether it has the key of that refund.
export interface ForeignRefund {
  reference: string
  amount: number
  instead: RefundRow | null
  isOurs: boolean
}

export function planProviderState(
  payment: Pick<PaymentRow, 'amount'>,
  refunds: readonly RefundRow[],
  listed: readonly ProviderRefund[],
  now: number,
): ProviderStatePlan {
  const { matched, unmatched } = match(refunds, listed)
  const plan: ProviderStatePlan = {
    named: [],
    ended: [],
    failed: [],
    foreign: [],
    givenBack: 0,
    excess: 0,
    againAt: null,
  }
  for (const { state, amount } of listed) if (state === 'succeeded') plan.givenBack += amount
  for (const [{ reference, state }, refund] of matched) {
    const isFailed = refund.status === 'succeeded' && state === 'failed' && refund.paidByHandAt === null
    if (isFailed) plan.failed.push({ refund, reference })
    else if (refund.reference !== reference) plan.named.push({ refund, reference })
    if (refund.status === 'pending' && state !== 'pending') plan.ended.push(refund)
  }
  const lookAgain = (at: number) => {
    plan.againAt = Math.min(plan.againAt ?? at, at)
  }
  const known = new Set(matched.values())
  const open = refunds.filter((refund) => refund.status === 'pending')
  let left = payment.amount
  const hasFailed = new Set(plan.failed.map(({ refund }) => refund))
  for (const refund of refunds) if (refund.status !== 'failed' && !hasFailed.has(refund)) left -= refund.amount
  const replaced = new Set<RefundRow>()
  for (const { reference, key, amount, state } of unmatched) {
    if (state === 'pending') lookAgain(now + pendingAgainMs)
    if (state !== 'succeeded') continue
    // The listed refund may be one of our pending refunds whose response is not recorded yet, or may replace one. It is handled after the
    // pending refund has ended.
    const inTheWay = open.filter(
      (refund) => amount > left || (key === null && !known.has(refund) && isAlike(refund, amount)),
    )
    if (inTheWay.length > 0) {
      for (const { tryAt } of inTheWay) lookAgain((tryAt ?? now) + leaseMs)
      continue
    }
    const counted = Math.max(0, Math.min(amount, left))
    plan.excess += amount - counted
    if (counted === 0) continue
    left -= counted
    const lost = refunds.filter(
      (refund) => refund.status === 'failed' && refund.kind === 'refund' && !replaced.has(refund),
    )
    const instead =
      lost.find(({ id }) => id === key) ??
      lost.find((refund) => refund.replacedBy === null && refund.amount === amount) ??
      null
    if (instead) replaced.add(instead)
    plan.foreign.push({ reference, amount: counted, instead, isOurs: instead !== null && instead.id === key })
  }
  return plan
}

// Matches listed refunds with ours: first by our key, which is certain, then by the provider's id. A listed refund without either is
// matched with a refund of ours that it could be: our refunds must never be counted twice. A refund that failed here is matched only with
// one that failed at the provider: if its money moved nevertheless, it counts as made at the provider.
function match(
  refunds: readonly RefundRow[],
  listed: readonly ProviderRefund[],
): { matched: Map<ProviderRefund, RefundRow>; unmatched: ProviderRefund[] } {
  const matched = new Map<ProviderRefund, RefundRow>()
  const free = new Set(refunds.filter(({ status }) => status !== 'failed'))
  const take = (isOf: (refund: RefundRow, entry: ProviderRefund) => boolean, entries: readonly ProviderRefund[]) => {
    for (const entry of entries) {
      if (matched.has(entry)) continue
      const refund = [...free].find((one) => isOf(one, entry))
      if (!refund) continue
      matched.set(entry, refund)
      free.delete(refund)
    }
  }
  take(({ id, origin }, { key }) => origin === 'here' && id === key, listed)
  take((refund, { reference }) => refund.reference === reference, listed)
  for (const refund of refunds) if (refund.status === 'failed') free.add(refund)
  take(
    (refund, { reference, state }) =>
      refund.status === 'failed' && refund.reference === reference && state === 'failed',
    listed,
  )
  const isUnnamed = ({ origin, status, reference }: RefundRow) =>
    origin === 'here' && status === 'succeeded' && reference === null
  for (const state of ['succeeded', 'failed'] as const)
    take(
      (refund, { key, amount }) => key === null && isUnnamed(refund) && isAlike(refund, amount),
      listed.filter((entry) => entry.state === state),
    )
  return { matched, unmatched: listed.filter((entry) => !matched.has(entry)) }
}

// A void refunds all that is left, so it matches any amount.
function isAlike({ kind, amount }: RefundRow, listed: number): boolean {
  return kind === 'void' || amount === listed
}

const listedMax = 1_000

// Returns undefined if the value does not have the format of the port: an adapter may be third-party code, and the value is recorded.
export function readProviderState({ refunds, dispute }: ProviderState): ProviderState | undefined {
  if (!Array.isArray(refunds) || refunds.length > listedMax || !refunds.every(isProviderRefund)) return undefined
  if (new Set(refunds.map(({ reference }) => reference)).size < refunds.length) return undefined
  if (dispute !== null && !isProviderDispute(dispute)) return undefined
  return { refunds, dispute }
}

function isProviderRefund({ reference, key, amount, state }: ProviderRefund): boolean {
  return (
    isName(reference) &&
    (key === null || typeof key === 'string') &&
    isAmount(amount) &&
    ['pending', 'succeeded', 'failed'].includes(state)
  )
}

function isProviderDispute({ reference, amount, state, reason, dueAt }: ProviderDispute): boolean {
  return (
    isName(reference) &&
    isAmount(amount) &&
    ['open', 'won', 'lost'].includes(state) &&
    (reason === null || typeof reason === 'string') &&
    (dueAt === null || Number.isSafeInteger(dueAt))
  )
}

function isName(text: unknown): boolean {
  return typeof text === 'string' && /^[\x21-\x7e]{1,200}$/.test(text)
}

function isAmount(amount: unknown): boolean {
  return Number.isSafeInteger(amount) && (amount as number) >= 1
}

// Whether a look-up found more than the payment itself.
export function hasRefundsOrDispute(providerState: ProviderState | undefined): boolean {
  return providerState !== undefined && (providerState.refunds.length > 0 || providerState.dispute !== null)
}
