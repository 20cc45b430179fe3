// The books of one profile at the stand-in for Mollie, in one mode: payments, refunds and chargebacks, and what the shopper, the
// bank and the merchant's dashboard do to them.

import type { Amount, CreatePayment, CreateRefund, Line, UpdatePayment } from './schemas.ts'
import { decimalsOf } from './schemas.ts'

export type PaymentStatus = 'open' | 'canceled' | 'pending' | 'authorized' | 'expired' | 'failed' | 'paid'
export type RefundStatus = 'queued' | 'pending' | 'processing' | 'refunded' | 'failed' | 'canceled'

export interface StoredPayment {
  id: string
  // In the address of the hosted page, which is not the id.
  token: string
  request: CreatePayment
  status: PaymentStatus
  method: string | null
  isCancelable: boolean
  details: Readonly<Record<string, unknown>> | null
  createdAt: number
  expiresAt: number
  changedAt: number | null
}

export interface StoredRefund {
  id: string
  paymentId: string
  amount: Amount
  description: string
  metadata: unknown
  status: RefundStatus
  createdAt: number
}

export interface StoredChargeback {
  id: string
  paymentId: string
  amount: Amount
  reason: { code: string; description: string } | null
  createdAt: number
  reversedAt: number | null
}

// An answer that is not 2xx: https://docs.mollie.com/reference/handling-errors.
export class ApiError extends Error {
  readonly status: number
  readonly field: string | null

  constructor(status: number, detail: string, field: string | null = null) {
    super(detail)
    this.status = status
    this.field = field
  }
}

export type ShopperAct =
  | { kind: 'pay'; method?: string; details?: Readonly<Record<string, unknown>> }
  | { kind: 'fail'; reason?: string }
  // Presses the link to leave, on the page of Mollie.
  | { kind: 'cancel' }
  // Chooses a bank transfer: open for days, until the money arrives or it expires.
  | { kind: 'transfer' }
  // A method that is decided later, such as a debit.
  | { kind: 'later' }

const minute = 60_000
const day = 24 * 60 * minute
const visa = { cardLabel: 'Visa', cardNumber: '4242', cardHolder: 'T. TEST', cardCountryCode: 'NL' }

export class Books {
  readonly payments = new Map<string, StoredPayment>()
  readonly refunds = new Map<string, StoredRefund>()
  readonly chargebacks = new Map<string, StoredChargeback>()
  // Payments whose webhook address is to be called, in the order of what happened.
  notices: string[] = []
  onNotice: () => void = () => {}
  // Whether an open payment whose method was not chosen yet can be canceled. The answer of Mollie's reference says no.
  opensCancelable = false
  readonly #clock: () => Date
  #count = 0

  constructor(clock: () => Date) {
    this.#clock = clock
  }

  create(request: CreatePayment): StoredPayment {
    const total = minorOf(request.amount)
    if (request.lines) checkLines(request.lines, total)
    const id = this.#newId('tr')
    const now = this.#now()
    const payment: StoredPayment = {
      id,
      token: this.#newId('pay').slice('pay_'.length),
      request,
      status: 'open',
      method: null,
      isCancelable: this.opensCancelable,
      details: null,
      createdAt: now,
      expiresAt: now + 15 * minute,
      changedAt: null,
    }
    this.payments.set(id, payment)
    return payment
  }

  update(id: string, { description, metadata }: UpdatePayment): StoredPayment {
    const payment = this.payment(id)
    const { request } = payment
    payment.request = { ...request, ...(description && { description }), ...(metadata && { metadata }) }
    return payment
  }

  payment(id: string): StoredPayment {
    const found = this.payments.get(id)
    if (!found) throw new ApiError(404, `No payment exists with token ${id}.`)
    if ((found.status === 'open' || found.status === 'pending') && this.#now() >= found.expiresAt)
      this.#move(found, 'expired')
    return found
  }

  cancel(id: string): StoredPayment {
    const payment = this.payment(id)
    const isOpen = payment.status === 'open' || payment.status === 'pending'
    if (!isOpen || !payment.isCancelable) throw new ApiError(422, 'The payment is not cancelable')
    this.#move(payment, 'canceled')
    return payment
  }

  // What the shopper does on the hosted page.
  act(id: string, act: ShopperAct): StoredPayment {
    const payment = this.payment(id)
    if (payment.status !== 'open') throw new Error(`the payment ${id} is ${payment.status} and cannot ${act.kind}`)
    const long = { expiresAt: this.#now() + 14 * day, isCancelable: true }
    switch (act.kind) {
      case 'pay':
        Object.assign(payment, { method: act.method ?? 'creditcard', details: act.details ?? visa })
        this.#move(payment, 'paid')
        break
      case 'fail':
        Object.assign(payment, {
          method: 'creditcard',
          details: { ...visa, failureReason: act.reason ?? 'card_declined' },
        })
        this.#move(payment, 'failed')
        break
      case 'cancel':
        this.#move(payment, 'canceled')
        break
      case 'transfer':
        Object.assign(payment, {
          ...long,
          method: 'banktransfer',
          details: { transferReference: 'RF12-3456-7890-1234' },
        })
        break
      case 'later':
        Object.assign(payment, { ...long, method: 'directdebit', isCancelable: false, status: 'pending' })
        break
    }
    return payment
  }

  // How a bank transfer or a debit ends.
  settle(id: string, status: 'paid' | 'failed' | 'expired'): void {
    const payment = this.payment(id)
    if (payment.status !== 'pending' && payment.method !== 'banktransfer')
      throw new Error(`the payment ${id} awaits nothing`)
    this.#move(payment, status)
  }

  refund(paymentId: string, request: CreateRefund): StoredRefund {
    const payment = this.payment(paymentId)
    if (payment.status !== 'paid') throw new ApiError(422, 'The payment status does not allow a refund')
    if (request.amount.currency !== payment.request.amount.currency)
      throw new ApiError(422, 'The currency must be the currency of the payment', 'amount.currency')
    const asked = minorOf(request.amount)
    if (asked === 0) throw new ApiError(422, 'The amount is lower than the minimum', 'amount')
    if (asked > minorOf(payment.request.amount) - this.refundedMinor(paymentId))
      throw new ApiError(422, 'The amount is higher than the maximum', 'amount')
    const refund: StoredRefund = {
      id: this.#newId('re'),
      paymentId,
      amount: request.amount,
      description: request.description ?? payment.request.description,
      metadata: request.metadata ?? null,
      status: 'pending',
      createdAt: this.#now(),
    }
    this.refunds.set(refund.id, refund)
    return refund
  }

  // How a refund goes on; without an id, all that are under way.
  moveRefunds(status: RefundStatus, id?: string): void {
    for (const refund of this.refunds.values()) {
      const isUnderway = refund.status === 'queued' || refund.status === 'pending' || refund.status === 'processing'
      if (id === undefined ? !isUnderway : refund.id !== id) continue
      refund.status = status
      this.#notice(refund.paymentId)
    }
  }

  chargeBack(paymentId: string, amount: Amount = this.payment(paymentId).request.amount): StoredChargeback {
    const chargeback: StoredChargeback = {
      id: this.#newId('chb'),
      paymentId,
      amount,
      reason: null,
      createdAt: this.#now(),
      reversedAt: null,
    }
    this.chargebacks.set(chargeback.id, chargeback)
    this.#notice(paymentId)
    return chargeback
  }

  reverse(id: string): void {
    const chargeback = this.chargebacks.get(id)
    if (!chargeback) throw new Error(`there is no chargeback ${id}`)
    chargeback.reversedAt = this.#now()
    this.#notice(chargeback.paymentId)
  }

  refundsOf(paymentId: string): StoredRefund[] {
    return [...this.refunds.values()].filter((refund) => refund.paymentId === paymentId)
  }

  refundedMinor(paymentId: string): number {
    const counted = this.refundsOf(paymentId).filter(({ status }) => status !== 'failed' && status !== 'canceled')
    return counted.reduce((sum, { amount }) => sum + minorOf(amount), 0)
  }

  // By the mark that the shop put there.
  paymentsOf(key: string): StoredPayment[] {
    return [...this.payments.values()].filter(({ request }) => request.metadata?.cartwright_payment === key)
  }

  // What was collected, and what went back, in minor units.
  totals(): { collected: number; refunded: number } {
    const paid = [...this.payments.values()].filter(({ status }) => status === 'paid')
    return {
      collected: paid.reduce((sum, { request }) => sum + minorOf(request.amount), 0),
      refunded: paid.reduce((sum, { id }) => sum + this.refundedMinor(id), 0),
    }
  }

  // As if this had passed, for a database whose times are moved as well.
  age(ms: number): void {
    for (const payment of this.payments.values()) {
      payment.createdAt -= ms
      payment.expiresAt -= ms
      if (payment.changedAt !== null) payment.changedAt -= ms
    }
    for (const refund of this.refunds.values()) refund.createdAt -= ms
    for (const chargeback of this.chargebacks.values()) chargeback.createdAt -= ms
  }

  #move(payment: StoredPayment, status: PaymentStatus): void {
    payment.status = status
    payment.changedAt = this.#now()
    this.#notice(payment.id)
  }

  #notice(paymentId: string): void {
    this.notices.push(paymentId)
    this.onNotice()
  }

  #now(): number {
    return this.#clock().getTime()
  }

  #newId(prefix: string): string {
    this.#count += 1
    return `${prefix}_${this.#count}${Buffer.from(`${this.#count * 7919}`)
      .toString('hex')
      .slice(0, 8)}`
  }
}

// The rules of `lines` in https://docs.mollie.com/reference/create-payment.
function checkLines(lines: readonly Line[], total: number): void {
  let sum = 0
  for (const [index, line] of lines.entries()) {
    const refuse = (name: string) => new ApiError(422, `The ${name} of the line is wrong`, `lines.${index}.${name}`)
    const lineTotal = minorOf(line.totalAmount)
    const discount = line.discountAmount ? minorOf(line.discountAmount) : 0
    if (minorOf(line.unitPrice) * line.quantity - discount !== lineTotal) throw refuse('totalAmount')
    const { vatRate, vatAmount } = line
    if ((vatRate === undefined) !== (vatAmount === undefined)) throw refuse('vatAmount')
    const rate = Number(vatRate ?? 0)
    if (vatAmount && Math.abs(minorOf(vatAmount) - (lineTotal * rate) / (100 + rate)) > 0.5 + 1e-9)
      throw refuse('vatAmount')
    sum += lineTotal
  }
  if (sum !== total) throw new ApiError(422, 'The lines do not add up to the amount', 'lines')
}

export function minorOf({ currency, value }: Amount): number {
  const decimals = decimalsOf.get(currency)
  if (decimals === undefined) throw new ApiError(422, 'The currency is not supported', 'amount.currency')
  const [, fraction = ''] = value.split('.')
  if (fraction.length !== decimals)
    throw new ApiError(422, 'The amount contains an invalid number of decimals', 'amount.value')
  return Number(value.replace('.', ''))
}
