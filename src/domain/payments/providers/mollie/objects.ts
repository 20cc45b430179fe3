// Reads the members of Mollie's objects that are used. A response without a required one is refused.
// https://docs.mollie.com/reference/get-payment, /get-refund, /get-chargeback, /pagination

import { parseDecimal } from '../../../../platform/kit/money.ts'

const statuses = ['open', 'canceled', 'pending', 'authorized', 'expired', 'failed', 'paid'] as const
const refundStatuses = ['queued', 'pending', 'processing', 'refunded', 'failed', 'canceled'] as const

export interface MolliePayment {
  id: string
  status: (typeof statuses)[number]
  // Minor units.
  amount: number
  currency: string
  method: string | null
  isCancelable: boolean
  // The id of our payment, if this server created the payment.
  key: string | null
  checkoutUrl: string | null
  createdAt: number
  expiresAt: number | null
  // The latest change of the status for which Mollie states a time.
  changedAt: number | null
  cardLabel: string | null
  cardNumber: string | null
  failureReason: string | null
  refunds: readonly MollieRefund[]
  chargebacks: readonly MollieChargeback[]
}

export interface MollieRefund {
  id: string
  paymentId: string
  status: (typeof refundStatuses)[number]
  amount: number
  key: string | null
  // Whether this refund voids the whole payment, at our request.
  isVoid: boolean
  createdAt: number
}

export interface MollieChargeback {
  id: string
  paymentId: string
  amount: number
  reason: string | null
  createdAt: number
  isReversed: boolean
}

export interface MolliePage<Row> {
  rows: readonly Row[]
  // Id with which the next page begins; null on the last page.
  next: string | null
}

// Members of metadata: the id of our payment on a payment, the id of our refund on a refund, and a mark on the refund of a void.
export const paymentMark = 'cartwright_payment'
export const refundMark = 'cartwright_refund'
export const voidMark = 'cartwright_void'

export function readPayment(value: unknown): MolliePayment {
  const payment = record(value)
  const { amount, currency } = readAmount(payment.amount)
  const details = optional(payment.details)
  const embedded = optional(payment._embedded)
  const links = optional(payment._links)
  const times = ['paidAt', 'canceledAt', 'expiredAt', 'failedAt'].flatMap((name) => timeOf(payment[name]) ?? [])
  return {
    id: mollieId(payment.id, 'tr'),
    status: word(payment.status, statuses),
    amount,
    currency,
    method: textOf(payment.method),
    isCancelable: payment.isCancelable === true,
    key: textOf(optional(payment.metadata)[paymentMark]),
    checkoutUrl: textOf(optional(links.checkout).href),
    createdAt: time(payment.createdAt),
    expiresAt: timeOf(payment.expiresAt),
    changedAt: times.length > 0 ? Math.max(...times) : null,
    cardLabel: textOf(details.cardLabel),
    cardNumber: textOf(details.cardNumber),
    failureReason: textOf(details.failureReason),
    refunds: listed(embedded.refunds).map(readRefund),
    chargebacks: listed(embedded.chargebacks).map(readChargeback),
  }
}

export function readRefund(value: unknown): MollieRefund {
  const refund = record(value)
  const metadata = optional(refund.metadata)
  return {
    id: mollieId(refund.id, 're'),
    paymentId: mollieId(refund.paymentId, 'tr'),
    status: word(refund.status, refundStatuses),
    amount: readAmount(refund.amount).amount,
    key: textOf(metadata[refundMark]),
    isVoid: metadata[voidMark] !== undefined,
    createdAt: time(refund.createdAt),
  }
}

export function readChargeback(value: unknown): MollieChargeback {
  const chargeback = record(value)
  return {
    id: mollieId(chargeback.id, 'chb'),
    paymentId: mollieId(chargeback.paymentId, 'tr'),
    amount: readAmount(chargeback.amount).amount,
    reason: textOf(optional(chargeback.reason).code),
    createdAt: time(chargeback.createdAt),
    isReversed: timeOf(chargeback.reversedAt) !== null,
  }
}

export function readPage<Row>(value: unknown, name: string, read: (row: unknown) => Row): MolliePage<Row> {
  const page = record(value)
  // Only the id in the link is used: Mollie may change the URL.
  const href = textOf(optional(optional(page._links).next).href)
  const next = href === null ? null : (URL.parse(href)?.searchParams.get('from') ?? null)
  return { rows: listed(record(page._embedded)[name]).map(read), next: next && mollieId(next, '[a-z]+') }
}

export interface MollieProfile {
  id: string
  name: string
  status: string | null
}

export function readProfile(value: unknown): MollieProfile {
  const profile = record(value)
  return { id: mollieId(profile.id, 'pfl'), name: textOf(profile.name) ?? '', status: textOf(profile.status) }
}

// Ids become part of URLs, so they may only contain the characters of ids.
export function isMollieId(id: unknown, prefix: string): id is string {
  return typeof id === 'string' && new RegExp(`^${prefix}_[A-Za-z0-9]{1,60}$`).test(id)
}

function mollieId(id: unknown, prefix: string): string {
  if (!isMollieId(id, prefix)) throw unexpected(`an id that begins with ${prefix}_`)
  return id
}

function readAmount(value: unknown): { amount: number; currency: string } {
  const { value: text, currency } = record(value)
  const amount = typeof text === 'string' && typeof currency === 'string' ? parseDecimal(text, currency) : undefined
  if (amount === undefined) throw unexpected('an amount')
  return { amount, currency: currency as string }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw unexpected('an object')
  return value as Readonly<Record<string, unknown>>
}

function optional(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function word<const Words extends readonly string[]>(value: unknown, words: Words): Words[number] {
  const found = words.find((known) => known === value)
  if (found === undefined) throw unexpected('a known status')
  return found
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function timeOf(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : at
}

function time(value: unknown): number {
  const at = timeOf(value)
  if (at === null) throw unexpected('a time')
  return at
}

function unexpected(what: string): Error {
  return new Error(`a response of Mollie lacks ${what}`)
}
