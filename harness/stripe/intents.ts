// The life of a PaymentIntent: https://docs.stripe.com/payments/paymentintents/lifecycle. A failed attempt is not its end: it waits for
// another way to pay until it succeeds or is cancelled.

import type Stripe from 'stripe'
import type { Books } from './books.ts'
import { openDispute } from './disputes.ts'
import { ApiError, docUrl, invalid, unexpectedState } from './errors.ts'
import type { Decline, Instrument } from './instruments.ts'
import { type IntentParams, newCharge, newId, newIntent } from './objects.ts'

export function createIntent(books: Books, params: IntentParams): Stripe.PaymentIntent {
  checkAmount(params)
  checkDescriptor(params.statement_descriptor_suffix)
  const intent = newIntent(books.common, params)
  books.intents.set(intent.id, intent)
  books.emit('payment_intent.created', intent)
  return intent
}

export interface IntentUpdate {
  description?: string
  metadata?: Record<string, string>
  receipt_email?: string
  shipping?: Stripe.PaymentIntentUpdateParams['shipping']
  statement_descriptor_suffix?: string
}

// https://docs.stripe.com/api/payment_intents/update. What is documented of an intent that is over: its description and metadata may be
// changed still. What the shopper's bank and the carrier are told may not.
export function updateIntent(intent: Stripe.PaymentIntent, update: IntentUpdate): Stripe.PaymentIntent {
  const { description, metadata, receipt_email: email, shipping, statement_descriptor_suffix: suffix } = update
  const isOver = ['succeeded', 'canceled', 'processing'].includes(intent.status)
  if (isOver && (shipping !== undefined || suffix !== undefined || email !== undefined))
    throw unexpectedState(
      `This PaymentIntent could not be updated because it has a status of ${intent.status}.`,
      intent,
    )
  checkDescriptor(suffix)
  if (shipping && (shipping.name === undefined || !shipping.address || !shipping.address.line1))
    throw invalid('Missing required param: shipping[address][line1].', { code: 'parameter_missing', param: 'shipping' })
  if (shipping && !/^[A-Z]{2}$/.test(shipping.address?.country ?? 'US'))
    throw invalid('Country is not a two-letter code.', { code: 'country_code_invalid', param: 'shipping' })
  if (description !== undefined) intent.description = description
  if (metadata !== undefined) intent.metadata = metadata
  if (email !== undefined) intent.receipt_email = email
  if (suffix !== undefined) intent.statement_descriptor_suffix = suffix
  if (shipping) intent.shipping = shippingOf(shipping)
  return intent
}

function shippingOf({
  address,
  name,
  phone,
}: Stripe.PaymentIntentUpdateParams.Shipping): Stripe.PaymentIntent.Shipping {
  const { city, country, line1, line2, postal_code, state } = address ?? {}
  const nullable = (text: string | undefined) => text ?? null
  return {
    address: {
      ...{ city: nullable(city), country: nullable(country), line1: nullable(line1), line2: nullable(line2) },
      ...{ postal_code: nullable(postal_code), state: nullable(state) },
    },
    name,
    phone: phone ?? null,
  } as Stripe.PaymentIntent.Shipping
}

// https://docs.stripe.com/get-started/account/statement-descriptors. The prefix of the account and `* ` come before it.
function checkDescriptor(suffix: string | undefined): void {
  if (suffix === undefined) return
  const isFine = /^[\x20-\x7e]*$/.test(suffix) && /[A-Za-z]/.test(suffix) && !/[<>\\'"*]/.test(suffix)
  if (!isFine || 'EXAMPLE* '.length + suffix.length > 22)
    throw invalid('Invalid statement descriptor suffix.', { param: 'statement_descriptor_suffix' })
}

// https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
// biome-ignore format: a table is read by its rows
const amountMin: Readonly<Record<string, number>> = {
  usd: 50, aed: 200, aud: 50, brl: 50, cad: 50, chf: 50, czk: 1500, dkk: 250, eur: 50, gbp: 30, hkd: 400, huf: 17500,
  inr: 50, jpy: 50, mxn: 1000, myr: 200, nok: 300, nzd: 50, pln: 200, ron: 200, sek: 300, sgd: 50, thb: 1000,
}
const amountMax = 99_999_999

function checkAmount({ amount, currency }: IntentParams): void {
  if (!/^[a-z]{3}$/.test(currency)) throw invalid(`Invalid currency: ${currency}.`, { param: 'currency' })
  const param = 'amount'
  if (amount < 1)
    throw invalid('This value must be greater than or equal to 1.', { code: 'parameter_invalid_integer', param })
  const min = amountMin[currency] ?? 1
  if (amount < min) throw invalid(`Amount must be at least ${min} ${currency}`, { code: 'amount_too_small', param })
  if (amount > amountMax)
    throw invalid(`Amount must be no more than ${amountMax} ${currency}`, { code: 'amount_too_large', param })
  if ((currency === 'isk' || currency === 'ugx') && amount % 100 !== 0)
    throw invalid(
      `Invalid amount. Currency ${currency.toUpperCase()} has become effectively zero-decimal and charged amounts must be evenly divisible by 100. See https://stripe.com/docs/currencies#special-cases for more information.`,
      { code: 'invalid_charge_amount_no_decimal_compatible', param },
    )
  if (['bhd', 'jod', 'kwd', 'omr', 'tnd'].includes(currency) && amount % 10 !== 0)
    throw invalid(`Invalid amount. The last digit of an amount in ${currency.toUpperCase()} must be 0.`, { param })
}

// One attempt to pay. A decline is recorded and then thrown: Stripe answers it with 402.
export function confirmIntent(
  books: Books,
  intent: Stripe.PaymentIntent,
  instrument: Instrument,
  returnUrl: string | null,
): Stripe.PaymentIntent {
  if (!['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(intent.status))
    throw unexpectedState(`You cannot confirm this PaymentIntent because it has a status of ${intent.status}.`, intent)
  if (instrument.kind === 'sepa_debit' && intent.currency !== 'eur')
    throw invalid('SEPA Direct Debit accepts payments in eur only.', {
      code: 'payment_intent_incompatible_payment_method',
      payment_intent: intent,
    })
  books.attempts.set(intent.id, { instrument, returnUrl, token: newId('auth') })
  intent.payment_method = newId('pm')
  intent.last_payment_error = null
  intent.next_action = null
  if (instrument.kind === 'sepa_debit') return beginDebit(books, intent, instrument)
  if (instrument.needsAuthentication) return askBank(books, intent, returnUrl)
  return chargeCard(books, intent)
}

// What the shopper answered on the bank's page.
export function authenticateIntent(books: Books, intent: Stripe.PaymentIntent, answer: 'accept' | 'refuse'): void {
  if (intent.status !== 'requires_action')
    throw unexpectedState(`This PaymentIntent has a status of ${intent.status}.`, intent)
  intent.next_action = null
  if (answer === 'accept') {
    try {
      chargeCard(books, intent)
    } catch (error) {
      // The bank's page does not report a decline; the intent has it.
      if (!(error instanceof ApiError)) throw error
    }
    return
  }
  // No charge is made: the bank was never asked for money.
  fail(books, intent, {
    code: 'payment_intent_authentication_failure',
    type: 'invalid_request_error',
    message:
      'The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod to attempt to fulfill this PaymentIntent again.',
  })
}

// The bank's answer to a debit, days later. Without `outcome` it is the one that Stripe documents for the account number.
export function finishDebit(books: Books, intent: Stripe.PaymentIntent, outcome?: 'succeeds' | 'fails'): void {
  const { instrument } = books.attempts.get(intent.id) ?? {}
  const charge = books.chargeOf(intent)
  if (intent.status !== 'processing' || instrument?.kind !== 'sepa_debit' || !charge)
    throw new Error(`${intent.id} is not a debit under way: ${intent.status}`)
  if ((outcome ?? instrument.fate) === 'fails') {
    const code = 'payment_intent_payment_attempt_failed'
    failCharge(books, charge, { code, message: 'The payment failed.' })
    fail(books, intent, { code, type: 'card_error', message: 'The payment failed.', charge: charge.id })
    return
  }
  succeed(books, intent, charge)
  if (outcome === undefined && instrument.fate === 'succeeds_and_is_disputed') openDispute(books, charge)
}

export function cancelIntent(
  books: Books,
  intent: Stripe.PaymentIntent,
  reason: Stripe.PaymentIntent.CancellationReason | null,
): Stripe.PaymentIntent {
  // Stripe names `processing` in this text, but lets it be cancelled in rare cases only: a debit under way is not among them.
  if (['succeeded', 'canceled', 'processing'].includes(intent.status))
    throw unexpectedState(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.`,
      intent,
    )
  intent.status = 'canceled'
  intent.canceled_at = books.common.created
  intent.cancellation_reason = reason
  intent.amount_capturable = 0
  intent.next_action = null
  books.emit('payment_intent.canceled', intent)
  return intent
}

export function captureIntent(books: Books, intent: Stripe.PaymentIntent, amount?: number): Stripe.PaymentIntent {
  const charge = books.chargeOf(intent)
  if (intent.status !== 'requires_capture' || !charge)
    throw unexpectedState(
      `This PaymentIntent could not be captured because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be captured: requires_capture.`,
      intent,
    )
  if (amount !== undefined && amount > intent.amount_capturable)
    throw invalid('The requested capture amount is greater than the authorized amount.', {
      code: 'amount_too_large',
      param: 'amount_to_capture',
    })
  books.emit('charge.captured', charge)
  succeed(books, intent, charge, amount)
  return intent
}

function beginDebit(books: Books, intent: Stripe.PaymentIntent, instrument: Instrument): Stripe.PaymentIntent {
  const charge = newCharge(books.common, intent, instrument)
  books.charges.set(charge.id, charge)
  intent.latest_charge = charge.id
  intent.status = 'processing'
  books.emit('charge.pending', charge)
  books.emit('payment_intent.processing', intent)
  return intent
}

function askBank(books: Books, intent: Stripe.PaymentIntent, returnUrl: string | null): Stripe.PaymentIntent {
  const { token } = books.attempts.get(intent.id) ?? {}
  intent.status = 'requires_action'
  intent.next_action = {
    type: 'redirect_to_url',
    redirect_to_url: { return_url: returnUrl, url: `${books.origin}/bank/${token}` },
  }
  books.emit('payment_intent.requires_action', intent)
  return intent
}

function chargeCard(books: Books, intent: Stripe.PaymentIntent): Stripe.PaymentIntent {
  const { instrument } = books.attempts.get(intent.id) ?? {}
  if (instrument?.kind !== 'card') throw new Error(`${intent.id} is not paid by card`)
  const charge = newCharge(books.common, intent, instrument)
  books.charges.set(charge.id, charge)
  intent.latest_charge = charge.id
  const { declines, isDisputed } = instrument
  if (declines) decline(books, intent, charge, declines)
  else if (intent.capture_method === 'manual') {
    charge.status = 'succeeded'
    charge.paid = true
    intent.status = 'requires_capture'
    intent.amount_capturable = intent.amount
    books.emit('charge.succeeded', charge)
    books.emit('payment_intent.amount_capturable_updated', intent)
  } else {
    succeed(books, intent, charge)
    if (isDisputed) openDispute(books, charge)
  }
  return intent
}

function succeed(books: Books, intent: Stripe.PaymentIntent, charge: Stripe.Charge, amount = intent.amount): void {
  charge.status = 'succeeded'
  charge.paid = true
  charge.captured = true
  charge.amount_captured = amount
  charge.balance_transaction = newId('txn')
  charge.outcome = {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: null,
    network_status: 'approved_by_network',
    reason: null,
    risk_level: 'normal',
    risk_score: 20,
    seller_message: 'Payment complete.',
    type: 'authorized',
  }
  intent.status = 'succeeded'
  intent.amount_capturable = 0
  intent.amount_received = amount
  books.emit('charge.succeeded', charge)
  books.emit('payment_intent.succeeded', intent)
}

function decline(books: Books, intent: Stripe.PaymentIntent, charge: Stripe.Charge, why: Decline): never {
  failCharge(books, charge, why)
  const { code, declineCode, message } = why
  const error = {
    code,
    ...(declineCode ? { decline_code: declineCode } : {}),
    message,
    type: 'card_error' as const,
    charge: charge.id,
  }
  fail(books, intent, error)
  throw new ApiError(402, { ...error, payment_intent: structuredClone(intent) })
}

function failCharge(books: Books, charge: Stripe.Charge, { code, message, declineCode }: Decline): void {
  charge.status = 'failed'
  charge.failure_code = code
  charge.failure_message = message
  charge.outcome = {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: null,
    network_status: 'declined_by_network',
    reason: declineCode ?? code,
    risk_level: 'normal',
    risk_score: 20,
    seller_message: 'The bank did not return any further details with this decline.',
    type: 'issuer_declined',
  }
  books.emit('charge.failed', charge)
}

interface AttemptError {
  code: string
  type: 'card_error' | 'invalid_request_error'
  message: string
  decline_code?: string
  charge?: string
}

function fail(books: Books, intent: Stripe.PaymentIntent, error: AttemptError): void {
  const { instrument } = books.attempts.get(intent.id) ?? {}
  intent.status = 'requires_payment_method'
  intent.payment_method = null
  intent.last_payment_error = {
    ...error,
    doc_url: docUrl(error.code),
    ...(instrument ? { payment_method_type: instrument.kind } : {}),
  }
  books.emit('payment_intent.payment_failed', intent)
}
