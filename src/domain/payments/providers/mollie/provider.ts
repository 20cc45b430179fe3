// Payments through Mollie's Payments API: the shopper is redirected to Mollie's page, pays there by card, bank or wallet, and is
// redirected back.

import type { Mode } from '../../../../contract/words.ts'
import { cutText } from '../../../../platform/kit/cut.ts'
import type {
  Charge,
  CloseAnswer,
  DescribeAnswer,
  DetailProblem,
  Method,
  PaymentProvider,
  PlacedOrderFacts,
  ProviderEvent,
  ProviderEventGap,
  ProviderFinding,
  ProviderOutcome,
  ProviderWebhook,
  RefundAnswer,
  RefundRequest,
  RefundState,
  StartRequest,
  VoidRequest,
} from '../../port.ts'
import { toMollieAmount } from './amounts.ts'
import { type MollieClient, MollieError } from './client.ts'
import {
  isMollieId,
  type MolliePage,
  type MolliePayment,
  type MollieRefund,
  paymentMark,
  readChargeback,
  readPage,
  readPayment,
  readRefund,
  refundMark,
  voidMark,
} from './objects.ts'
import { buildMollieOrder, type MollieOrder } from './order.ts'
import {
  assertMatchesCharge,
  isOfOrder,
  mollieFindingOf,
  mollieOutcomeOf,
  mollieRefundAnswer,
  sumMollieRefunds,
} from './outcomes.ts'
import { mollieTexts } from './texts.ts'

export const mollieName = 'mollie'

export interface MollieParts {
  client: MollieClient
  mode: Mode
  // URL that Mollie calls when a payment changes; null if Mollie cannot reach this server.
  noticeUrl: string | null
  // For tests: the monotonic clock.
  monotonic?: () => number
}

const method: Method = { id: 'online', labelKey: 'mollie.online', noteKey: null, fields: [], shape: 'page' }

const pageSize = 250
const pagesMax = 40
// Limits for reading events: Mollie's lists cannot be filtered by time and begin with the newest entry. The time is less than the minute
// that a read may take.
const eventsMsMax = 45_000
const eventPagesMax = 200
const hourMs = 3_600_000
// Maximum difference between Mollie's clock and ours.
const skewMs = hourMs
// The shopper can pay on Mollie's page for up to three hours. Bank transfers can arrive later, and are looked up on a schedule.
const openMsMax = 3 * hourMs

export function createMollieProvider(parts: MollieParts): PaymentProvider {
  return new MollieProvider(parts)
}

class MollieProvider implements PaymentProvider {
  readonly name = mollieName
  readonly modes: readonly Mode[]
  readonly methods = [method]
  readonly texts = mollieTexts
  readonly webhook = webhook
  readonly #parts: MollieParts
  readonly #monotonic: () => number

  constructor(parts: MollieParts) {
    this.#parts = parts
    this.#monotonic = parts.monotonic ?? (() => performance.now())
    this.modes = [parts.mode]
  }

  check(id: string): DetailProblem[] {
    return id === method.id ? [] : [{ path: '/method', messageKey: 'mollie.method' }]
  }

  offers({ currency, amount }: { currency: string; amount: number }): boolean {
    return toMollieAmount(amount, currency) !== undefined
  }

  async start(charge: Charge, { returnUrls, purchase }: StartRequest, signal: AbortSignal): Promise<ProviderOutcome> {
    this.#mustBeOf(charge)
    const amount = toMollieAmount(charge.amount, charge.currency)
    if (!amount) return unavailable
    const { noticeUrl } = this.#parts
    const { returnUrl, cancelUrl, locale, merchantName } = await returnUrls()
    const body = {
      amount,
      description: descriptionOf(merchantName, referenceOf(charge.key)),
      redirectUrl: returnUrl,
      cancelUrl,
      ...(noticeUrl !== null && { webhookUrl: noticeUrl }),
      ...localeFor(locale),
      metadata: { [paymentMark]: charge.key },
    }
    try {
      const made = await this.#create(charge, { body, order: purchase && buildMollieOrder(purchase, charge) }, signal)
      const payment = readPayment(made.body)
      assertMatchesCharge(charge, payment)
      // A replayed response contains the state at the time of the first response, so the payment is read again.
      return mollieOutcomeOf(made.isReplayed ? await this.#get(payment.id, signal) : payment)
    } catch (error) {
      if (error instanceof MollieError && error.status === 422 && error.field?.startsWith('amount')) return unavailable
      throw error
    }
  }

  async confirm(): Promise<ProviderOutcome> {
    return { kind: 'unknown' }
  }

  async lookUp(charge: Charge, signal: AbortSignal): Promise<ProviderFinding> {
    this.#mustBeOf(charge)
    const payment = await this.#find(charge, signal)
    return payment ? mollieFindingOf(charge, payment) : { kind: 'absent' }
  }

  async describe(
    { reference, key }: Charge,
    { merchantName, orderNumber }: PlacedOrderFacts,
    signal: AbortSignal,
  ): Promise<DescribeAnswer> {
    if (reference === null) return 'refused'
    // An update replaces all metadata, so it must contain the id of the payment too.
    const metadata = { [paymentMark]: key, order_number: orderNumber }
    try {
      const body = { description: descriptionOf(merchantName, orderNumber), metadata }
      await this.#parts.client.patch(paymentPath(reference), body, signal)
      return 'described'
    } catch (error) {
      if (error instanceof MollieError && error.status >= 400 && error.status < 500 && error.status !== 429)
        return 'refused'
      throw error
    }
  }

  async close(charge: Charge, signal: AbortSignal): Promise<CloseAnswer> {
    this.#mustBeOf(charge)
    const payment = await this.#find(charge, signal)
    // If a delayed request creates the payment after this, no shopper knows its URL.
    if (!payment) return 'closed'
    return this.#cancel(payment, signal)
  }

  async refund({ key, charge, amount }: RefundRequest, signal: AbortSignal): Promise<RefundAnswer> {
    this.#mustBeOf(charge)
    const payment = await this.#find(charge, signal)
    if (!payment) return 'refused'
    const known = refundUnder(payment, key)
    if (known && known.amount !== amount) throw new Error(`the refund ${key} has another amount at Mollie`)
    return this.#refundOnce(payment, { key, amount, isVoid: false }, signal)
  }

  async refundState({ key, charge }: RefundRequest, signal: AbortSignal): Promise<RefundState> {
    this.#mustBeOf(charge)
    const payment = await this.#find(charge, signal)
    const refund = payment && refundUnder(payment, key)
    return refund ? mollieRefundAnswer(refund) : 'absent'
  }

  async void({ voidKey, ...charge }: VoidRequest, signal: AbortSignal): Promise<RefundAnswer> {
    this.#mustBeOf(charge)
    const payment = await this.#find(charge, signal)
    if (!payment) return 'succeeded'
    if (payment.status !== 'paid') {
      const closed = await this.#cancel(payment, signal)
      // If it could not be closed, the payment was paid meanwhile or is still open: a later try refunds or closes it.
      return closed === 'closed' ? 'succeeded' : 'unknown'
    }
    // A payment that was refunded for an order cannot be voided.
    if (payment.refunds.some(isOfOrder)) return 'failed'
    const known = refundUnder(payment, voidKey)
    const amount = payment.amount - sumMollieRefunds(payment)
    if (!known && amount <= 0) return 'succeeded'
    return this.#refundOnce(payment, { key: voidKey, amount, isVoid: true }, signal)
  }

  // Refunds and chargebacks are read first: payments beyond the limits are also looked up on a schedule.
  async *providerEvents(
    since: number,
    signal: AbortSignal,
    leftOut: (reason: ProviderEventGap) => void,
  ): AsyncIterable<ProviderEvent> {
    const found: { at: number; reference: string }[] = []
    const note = (at: number, reference: string) => {
      if (at >= since) found.push({ at, reference })
    }
    const until = this.#monotonic() + eventsMsMax
    let isLeftOut = false
    const isOver = (pages: number) => {
      isLeftOut ||= pages >= eventPagesMax || this.#monotonic() >= until
      return isLeftOut
    }
    for await (const { paymentId, createdAt } of this.#list('chargebacks', readChargeback, signal, isOver)) {
      if (createdAt < since) break
      note(createdAt, paymentId)
    }
    for await (const { paymentId, createdAt } of this.#list('refunds', readRefund, signal, isOver)) {
      if (createdAt < since) break
      note(createdAt, paymentId)
    }
    for await (const { id, createdAt, changedAt } of this.#list('payments', readPayment, signal, isOver)) {
      if (createdAt < since - openMsMax) break
      if (changedAt !== null) note(changedAt, id)
    }
    if (isLeftOut) leftOut('too_many')
    yield* found.sort((a, b) => a.at - b.at)
  }

  async #get(reference: string, signal: AbortSignal): Promise<MolliePayment> {
    return readPayment(await this.#parts.client.get(paymentPath(reference), { embed: 'refunds,chargebacks' }, signal))
  }

  // There is one payment per key. If its reference is unknown, it is found in Mollie's list by its metadata: creating it again with the
  // same key is impossible, because the return URL is no longer known and Mollie refuses other parameters.
  async #find(charge: Charge, signal: AbortSignal): Promise<MolliePayment | undefined> {
    const reference = charge.reference ?? (await this.#findReference(charge, signal))
    if (reference === undefined) return undefined
    const payment = await this.#get(reference, signal)
    assertMatchesCharge(charge, payment)
    return payment
  }

  async #findReference({ key, createdAt }: Charge, signal: AbortSignal): Promise<string | undefined> {
    let rows = 0
    for await (const payment of this.#list('payments', readPayment, signal)) {
      if (payment.key === key) return payment.id
      if (payment.createdAt < createdAt - skewMs) return undefined
      rows += 1
    }
    if (rows >= pagesMax * pageSize)
      throw new Error(`the payment ${key} is not among the newest ${rows} payments that Mollie lists`)
    return undefined
  }

  // Yields rows up to the limits, newest first.
  async *#list<Row>(
    name: 'payments' | 'refunds' | 'chargebacks',
    read: (row: unknown) => Row,
    signal: AbortSignal,
    isOver = (pages: number) => pages >= pagesMax,
  ): AsyncIterable<Row> {
    let next: string | null = null
    for (let pages = 0; !isOver(pages); pages += 1) {
      const query: Record<string, string> = { limit: `${pageSize}`, ...(next !== null && { from: next }) }
      const page: MolliePage<Row> = readPage(await this.#parts.client.get(`/v2/${name}`, query, signal), name, read)
      yield* page.rows
      next = page.next
      if (next === null) return
    }
  }

  // If Mollie refuses the description of the purchase, the payment is created without it and with a different key: Mollie accepts only
  // one request per key.
  async #create(
    { key }: Charge,
    { body, order }: { body: object; order: MollieOrder | undefined },
    signal: AbortSignal,
  ): ReturnType<MollieClient['post']> {
    const path = '/v2/payments'
    if (!order) return this.#parts.client.post({ path, body, idempotencyKey: key }, signal)
    try {
      return await this.#parts.client.post({ path, body: { ...body, ...order }, idempotencyKey: key }, signal)
    } catch (error) {
      const isOfOrder =
        error instanceof MollieError && error.status === 422 && /^(lines|\w+Address)\b/.test(error.field ?? '')
      if (!isOfOrder) throw error
      return this.#parts.client.post({ path, body, idempotencyKey: `${key}-plain` }, signal)
    }
  }

  // Refunds with the key, unless the payment already lists that refund: Mollie forgets keys, but keeps listing the refund.
  async #refundOnce(
    payment: MolliePayment,
    { key, amount, isVoid }: { key: string; amount: number; isVoid: boolean },
    signal: AbortSignal,
  ): Promise<RefundAnswer> {
    const known = refundUnder(payment, key)
    if (known) return mollieRefundAnswer(known)
    // Checked here, because Mollie refunds up to 25 euro more than was paid if it can.
    if (payment.status !== 'paid' || sumMollieRefunds(payment) + amount > payment.amount) return 'refused'
    const value = toMollieAmount(amount, payment.currency)
    if (!value) return 'refused'
    const path = `${paymentPath(payment.id)}/refunds`
    const body = { amount: value, metadata: { [refundMark]: key, ...(isVoid && { [voidMark]: 'yes' }) } }
    try {
      return mollieRefundAnswer(
        readRefund((await this.#parts.client.post({ path, body, idempotencyKey: key }, signal)).body),
      )
    } catch (error) {
      if (error instanceof MollieError && error.status === 422) return 'refused'
      throw error
    }
  }

  // A payment that Mollie does not allow to cancel can be paid until it expires, so it is not reported as closed. The shopper can cancel
  // it on Mollie's page.
  async #cancel(payment: MolliePayment, signal: AbortSignal): Promise<CloseAnswer> {
    const { status, isCancelable, id } = payment
    if (status === 'paid' || status === 'authorized') return 'taken'
    if (status !== 'open' && status !== 'pending') return 'closed'
    if (!isCancelable) return status === 'pending' ? 'taken' : 'unknown'
    try {
      await this.#parts.client.delete(paymentPath(id), signal)
      return 'closed'
    } catch (error) {
      if (!(error instanceof MollieError) || error.status !== 422) throw error
    }
    // The payment changed before it could be canceled.
    const after = await this.#get(id, signal)
    if (after.status === 'paid' || after.status === 'authorized' || after.status === 'pending') return 'taken'
    return after.status === 'open' ? 'unknown' : 'closed'
  }

  #mustBeOf(charge: Charge): void {
    const { mode } = this.#parts
    if (charge.mode !== mode)
      throw new Error(`a key of Mollie for ${mode} mode cannot be used for a charge in ${charge.mode} mode`)
  }
}

// The text on the shopper's bank statement and in the merchant's dashboard.
function descriptionOf(merchantName: string, reference: string): string {
  return `${cutText(merchantName, 254 - reference.length)} ${reference}`.trim()
}

// The reference while there is no order: the end of the payment's id, short enough for a bank statement.
function referenceOf(key: string): string {
  return key.slice(-8).toUpperCase()
}

const unavailable: ProviderOutcome = { kind: 'declined', code: 'method_unavailable', brand: null, last4: null }

function paymentPath(reference: string): string {
  if (!isMollieId(reference, 'tr')) throw new Error('the reference of the payment is not an id of Mollie')
  return `/v2/payments/${reference}`
}

function refundUnder({ refunds }: MolliePayment, key: string): MollieRefund | undefined {
  return refunds.find((refund) => refund.key === key)
}

// https://docs.mollie.com/reference/webhooks: a form with the id of the changed object, without a signature. So a webhook only causes a
// look-up of the payment. Ids of other kinds of objects are ignored.
function webhook({ body }: ProviderWebhook): { references: readonly string[] } | 'refused' {
  const id = new URLSearchParams(body.toString('utf8')).get('id')
  if (id === null || !isMollieId(id, '[a-z]+')) return 'refused'
  return { references: isMollieId(id, 'tr') ? [id] : [] }
}

// https://docs.mollie.com/reference/create-payment, `locale`: the languages of Mollie's page, with their regions. For other languages
// Mollie uses the language of the browser.
const locales: readonly string[] = [
  ...['en_US', 'en_BE', 'en_GB', 'en_NL'],
  ...['de_DE', 'de_AT', 'de_CH', 'de_LU'],
  ...['fr_FR', 'fr_BE', 'fr_LU', 'es_ES'],
  ...['nl_NL', 'nl_BE'],
]

function localeFor(locale: string): { locale?: string } {
  const [language = '', region = ''] = locale.split(/[-_]/)
  const wanted = `${language.toLowerCase()}_${region.toUpperCase()}`
  const found =
    locales.find((known) => known === wanted) ?? locales.find((known) => known.startsWith(`${language.toLowerCase()}_`))
  return found === undefined ? {} : { locale: found }
}
