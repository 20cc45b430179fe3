// The first transaction of a payment: it records what is about to be charged, and holds everything that the order will need.

import type { Address } from '../../../contract/open/carts.ts'
import { consentTextVersion, textLanguages } from '../../../contract/words.ts'
import { moveFor, onlyMove } from '../../../platform/kit/lifecycle.ts'
import type { Cause } from '../../../platform/outbox/announce.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import { extendAddressExpiry } from '../../addresses/store.ts'
import { decryptCartAddress } from '../../carts/destination.ts'
import { needsShipping } from '../../carts/shipping.ts'
import { freezeCartPrices, setCartStatus } from '../../carts/store.ts'
import type { Quote } from '../../carts/view.ts'
import type { ConsentRecord } from '../../orders/store.ts'
import type { OfferedProvider, PaymentProvider, Purchase } from '../../payments/port.ts'
import { manualName } from '../../payments/providers/manual/provider.ts'
import { firstCheckAt } from '../../payments/schedule.ts'
import { findPayment, insertPayment, type PaymentRow } from '../../payments/store.ts'
import { countPaymentTry, declineSubjectsOf } from '../../payments/tries.ts'
import { buildOrderDraft } from '../draft.ts'
import { processingHoldMs, sessionLifecycle, sessionStatusAt } from '../lifecycle.ts'
import type { CheckoutProblem, PayInput } from '../port.ts'
import { holdLines } from '../refresh.ts'
import { paymentIdsFor } from '../secret.ts'
import { loadSessionFacts } from '../sessions.ts'
import { type Checkout, lockSessionWithCart, type SessionName, type SessionRow, saveSession } from '../store.ts'
import type { PayTools } from '../tools.ts'
import { type BillingResult, findBilling } from './billing.ts'
import { isAgreed } from './change.ts'
import { decryptCustomerOfSession } from './customer.ts'
import { findMethodProblem, findOrderProblem } from './problems.ts'
import { buildPurchase } from './purchase.ts'
import { nothingDue } from './settlement.ts'

// From the start of a payment, the address of the cart is kept at least this long.
const paymentAddressMs = 30 * 24 * 3_600_000

export interface PaymentAttempt {
  session: SessionName
  input: PayInput
  cause: Cause | null
}

// `provider`: undefined if the amount is 0.
export interface BegunPayment {
  payment: PaymentRow
  isNew: boolean
  provider: PaymentProvider | undefined
  billing?: Address
  purchase?: Purchase
}

export type BeginPaymentResult = { problem: CheckoutProblem } | BegunPayment

export async function beginPayment(
  tools: PayTools,
  tx: Tx,
  { session, ...attempt }: PaymentAttempt,
): Promise<BeginPaymentResult> {
  const checkout = await lockSessionWithCart(tx, session)
  return checkout ? beginPaymentLocked(tools, tx, checkout, attempt) : { problem: { code: 'not_open' } }
}

// Like beginPayment, for a checkout that the caller has locked. `quote`: set if the caller has priced the checkout under the lock.
export async function beginPaymentLocked(
  tools: PayTools,
  tx: Tx,
  checkout: Checkout & { quote?: Quote },
  attempt: Omit<PaymentAttempt, 'session'>,
): Promise<BeginPaymentResult> {
  const { input } = attempt
  const { session } = checkout
  const [paymentId, ...others] = paymentIdsFor(tools.rootSecret, session.id, input.attempt)
  const known = checkout.hasPayments ? await findKnown(tx, session, [paymentId, ...others]) : undefined
  if (known) return { payment: known, isNew: false, provider: undefined }
  const now = tools.clock()
  const closed = sessionProblem(session, input, now.getTime())
  if (closed) return { problem: closed }
  const quote = checkout.quote ?? (await loadSessionFacts(tools, tx, session, now.getTime(), checkout.cart)).quote
  const offered = isFree(quote) ? undefined : await findOffered(tools, tx, session, { quote, name: input.provider })
  const problem =
    (await changeProblem(tx, session, quote)) ??
    quoteProblem(quote, input) ??
    consentProblem(quote, input) ??
    (await findOrderProblem(tools, tx, { session, quote, now: now.getTime() })) ??
    (isFree(quote) ? null : await findMethodProblem(tx, session, { provider: offered?.provider, input }, now.getTime()))
  if (problem) return { problem }
  const asksBilling = offered?.provider.methods.some(({ id, billing }) => id === input.method && billing)
  const billed: BillingResult = asksBilling
    ? await findBilling(tools, tx, { quote, typed: input.billing, now: now.getTime() })
    : {}
  if ('problem' in billed) return billed
  const subjects = tools.boundsTries && !isFree(quote) ? triedSubjects(tools, session, input, offered?.provider) : []
  const refused =
    subjects.length > 0 ? await countPaymentTry(tx, session.installationId, subjects, now.getTime()) : null
  if (refused) {
    tx.afterCommit(() => tools.watch.tries.refused(session, refused.by))
    return { problem: { code: 'too_many_tries', waitMs: refused.waitMs } }
  }
  const purchase = offered?.accountId
    ? await findPurchase(tools, tx, { session, quote, now: now.getTime() })
    : undefined
  const payment = await recordPayment(tx, { paymentId, session, quote, subjects, now, attempt, offered })
  return { payment, isNew: true, provider: offered?.provider, ...billed, ...(purchase && { purchase }) }
}

async function findKnown(
  tx: Tx,
  { installationId }: SessionRow,
  ids: readonly string[],
): Promise<PaymentRow | undefined> {
  const payments = await Promise.all(ids.map((id) => findPayment(tx, installationId, id)))
  return payments.find((payment) => payment !== undefined)
}

async function findPurchase(
  tools: PayTools,
  tx: Tx,
  { session, quote, now }: { session: SessionRow; quote: Quote; now: number },
): Promise<Purchase> {
  const isSent = needsShipping(quote.lines.map(({ offer }) => offer))
  const address = isSent ? await decryptCartAddress(tx, tools.rootSecret, quote.cart, now) : undefined
  return buildPurchase(quote, { customer: decryptCustomerOfSession(tools, session), address })
}

async function findOffered(
  { providers }: PayTools,
  tx: Tx,
  session: SessionRow,
  { quote, name }: { quote: Quote; name: string },
): Promise<OfferedProvider | undefined> {
  const offered = await providers.offered(tx, session)
  const facts = { currency: quote.cart.currency, amount: quote.pricing.totals.total }
  const isNow = (provider: PaymentProvider) => !quote.cart.terms?.change || provider.name !== manualName
  return offered.find(({ provider }) => provider.name === name && isNow(provider) && (provider.offers?.(facts) ?? true))
}

// The order that the draft changes may have been sent, cancelled or changed since the payment link was created.
async function changeProblem(tx: Tx, { installationId }: SessionRow, { cart }: Quote): Promise<CheckoutProblem | null> {
  const change = cart.terms?.change
  return change && !(await isAgreed(tx, installationId, change)) ? { code: 'not_open' } : null
}

function sessionProblem(session: SessionRow, input: PayInput, now: number): CheckoutProblem | null {
  if (session.closedAt !== null) return { code: 'closed' }
  const status = sessionStatusAt(session, now)
  if (status === 'processing') return { code: 'payment_in_progress' }
  if (!moveFor(sessionLifecycle, 'pay', status)) return { code: 'not_open' }
  return session.version === input.version ? null : { code: 'stale' }
}

function quoteProblem({ isPriced, pricing: { totals } }: Quote, { expectedTotal }: PayInput): CheckoutProblem | null {
  // A cart that cannot be priced has a total of 0, for which it must not be sold.
  if (!isPriced) return { code: 'price_unavailable' }
  if (totals.total !== expectedTotal) return { code: 'total_changed', from: expectedTotal, to: totals.total }
  return null
}

// Without this consent, the right of withdrawal does not end when the digital content is supplied (Directive 2011/83/EU, Art. 16(m)).
function consentProblem({ lines }: Quote, { consents = [] }: PayInput): CheckoutProblem | null {
  const isDigital = lines.some(({ offer }) => offer.digital)
  return isDigital && !consents.includes('digital_content') ? { code: 'consent_needed' } : null
}

function isFree({ pricing }: Quote): boolean {
  return pricing.totals.total === 0
}

// Returns the subjects (session, card, network) by which declines of this payment are counted. Only methods with fields have any, because
// only typed data can be guessed.
function triedSubjects(
  { rootSecret }: PayTools,
  session: SessionRow,
  { method, details, network }: PayInput,
  provider: PaymentProvider | undefined,
): string[] {
  if (!provider?.methods.some(({ id, fields }) => id === method && fields.length > 0)) return []
  const card = provider.instrument?.(method, details)
  return declineSubjectsOf(rootSecret, session.installationId, { sessionId: session.id, card, network })
}

// A consent to digital content is not recorded if the cart contains none.
function consentsOf({ lines }: Quote, { consents = [], locale }: PayInput, at: number): ConsentRecord[] {
  if (!consents.includes('digital_content') || !lines.some(({ offer }) => offer.digital)) return []
  const [tag] = (locale ?? 'en').split('-')
  const language = textLanguages.find((one) => one === tag) ?? 'en'
  return [{ kind: 'digital_content', at, textVersion: consentTextVersion, language }]
}

interface NewAttempt {
  paymentId: string
  session: SessionRow
  quote: Quote
  subjects: readonly string[]
  now: Date
  attempt: Omit<PaymentAttempt, 'session'>
  offered: OfferedProvider | undefined
}

async function recordPayment(tx: Tx, begun: NewAttempt): Promise<PaymentRow> {
  const { paymentId, session, quote, subjects, now, attempt, offered } = begun
  const { installationId, merchantId, mode, id: checkoutSessionId } = session
  const at = now.getTime()
  const { lines } = quote
  const held = await holdLines(tx, session, { lines, now, cause: attempt.cause, expiresAt: at + processingHoldMs })
  const payment = insertPayment(
    tx,
    {
      installationId,
      id: paymentId,
      merchantId,
      mode,
      checkoutSessionId,
      provider: isFree(quote) ? nothingDue : attempt.input.provider,
      accountId: offered?.accountId ?? null,
      method: isFree(quote) ? nothingDue : attempt.input.method,
      amount: quote.pricing.totals.total,
      currency: quote.cart.currency,
      checkAt: firstCheckAt(at),
      locale: attempt.input.locale ?? null,
      changesOrder: quote.cart.terms?.change?.orderId ?? null,
      triedAs: subjects,
    },
    at,
  )
  const cartKey = { installationId, cartId: session.cartId }
  if (lines.some((line) => line.seenPrice !== line.offer.price)) freezeCartPrices(tx, cartKey)
  const { address } = quote.cart
  if (address && address.expiresAt < at + paymentAddressMs)
    extendAddressExpiry(tx, installationId, address.token, at + paymentAddressMs)
  setCartStatus(tx, cartKey, 'lock')
  saveSession(tx, {
    ...held,
    status: onlyMove(sessionLifecycle, 'pay').to,
    version: session.version + 1,
    quote: JSON.stringify(buildOrderDraft(quote, consentsOf(quote, attempt.input, at))),
    lastPaymentError: null,
    updatedAt: at,
  })
  return payment
}
