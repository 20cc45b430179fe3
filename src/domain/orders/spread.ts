// Divides a refund among the payments of an order. Pure. The newest payment is refunded first: banks refund recent charges more reliably
// than old ones, and the amount that an edit added is refunded to the payment that collected it. Nothing is refunded beyond what is left
// of a payment.

import type { PaymentRow, RefundRow } from '../payments/store.ts'
import type { RefundedLine } from './store.ts'

export interface PaidMoney {
  // In the order in which they were made.
  payments: readonly Pick<PaymentRow, 'id' | 'amount' | 'status'>[]
  refunds: readonly Pick<RefundRow, 'paymentId' | 'amount' | 'status'>[]
}

export interface RefundShare {
  paymentId: string
  amount: number
}

// Returns an empty list if less than the amount is left.
export function splitRefund(paid: PaidMoney, amount: number): RefundShare[] {
  const shares: RefundShare[] = []
  let missing = amount
  for (const payment of paid.payments.toReversed()) {
    const part = Math.min(missing, leftOf(payment, paid.refunds))
    if (part > 0) shares.push({ paymentId: payment.id, amount: part })
    missing -= part
  }
  return missing > 0 ? [] : shares
}

// Returns what is not yet refunded of all payments together.
export function refundableAmount({ payments, refunds }: PaidMoney): number {
  return payments.reduce((sum, payment) => sum + leftOf(payment, refunds), 0)
}

function leftOf({ id, amount, status }: PaidMoney['payments'][number], refunds: PaidMoney['refunds']): number {
  if (status !== 'succeeded') return 0
  const back = refunds.filter((refund) => refund.paymentId === id && refund.status !== 'failed')
  return Math.max(0, amount - back.reduce((sum, refund) => sum + refund.amount, 0))
}

// Divides lines among the shares, one share after the other. A share contains the units of the lines that begin in it; if a line
// continues in the next share, that share contains only the rest of the amount. If the lines exceed the shares, the last share contains
// the excess.
export function splitLinesByShare(
  shares: readonly Pick<RefundShare, 'amount'>[],
  lines: readonly RefundedLine[],
): RefundedLine[][] {
  const parts = shares.map((): RefundedLine[] => [])
  let at = 0
  let room = shares[0]?.amount ?? 0
  for (const { skuId, quantity, amount } of lines) {
    let left = amount
    let units = quantity
    do {
      const isLast = at === shares.length - 1
      const part = isLast ? left : Math.min(left, room)
      if (part > 0 || left === 0) {
        parts[at]?.push({ skuId, quantity: units, amount: part })
        units = 0
      }
      left -= part
      room -= part
      if (room <= 0 && !isLast) {
        at += 1
        room = shares[at]?.amount ?? 0
      }
    } while (left > 0)
  }
  return parts
}
