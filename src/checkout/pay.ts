// Money. The attempt is committed before the provider is called, under a key of ours; the call happens outside of any
// transaction; its outcome and the order are one transaction. Whatever is lost in between, a loop finds it by the key.

import { keepAddress } from '../addresses/store.ts'
import { moveAddress, tryOpenAddress } from '../addresses/vault.ts'
import { pricingOfOrder } from '../carts/converted.ts'
import { cartMove } from '../carts/lifecycle.ts'
import { type CartFacts, findCartFacts } from '../carts/quote.ts'
import { needsShipping } from '../carts/shipping.ts'
import { type CartRow, findCart, fixPrices, saveCart, setCartStatus } from '../carts/store.ts'
import { cartView, livingAddress, type Quote, summaryText } from '../carts/view.ts'
import type { Address } from '../contract/open/carts.ts'
import type { PaymentErrorCode } from '../contract/words.ts'
import { announce, type Cause } from '../events/announce.ts'
import { hold, release } from '../inventory/holds.ts'
import { sell } from '../inventory/sales.ts'
import { newId } from '../kit/ids.ts'
import { toInstant } from '../kit/instant.ts'
import { claimRows, handleEach, noteFailures, type RowFailure, RowsFailed } from '../loops/rows.ts'
import { type PlacedOrder, placeOrder } from '../orders/place.ts'
import { takeOrderNumber } from '../orders/store.ts'
import { findMethodSettings, paymentDueAt } from '../payments/methods.ts'
import {
  type CallOptions,
  callForRefund,
  callProvider,
  type Finding,
  type Outcome,
  type PaymentProvider,
  type Providers,
} from '../payments/port.ts'
import { firstCheckAt, leaseMs, nextTryAt } from '../payments/schedule.ts'
import {
  chargeOf,
  checkPaymentSoon,
  claimPaymentsToCheck,
  findPayment,
  insertPayment,
  listPaymentsToCheck,
  lockPayment,
  oweVoid,
  type PaymentRow,
  savePayment,
  shownStatus,
} from '../payments/store.ts'
import { countTry, endTry, findTry, rememberTry, subjectsOf } from '../payments/tries.ts'
import type { CallAnswer, CallFacts, MoneyFacts, PaymentWatch, ProviderCall } from '../payments/watch.ts'
import { giveBackPromotion, type Promotion, usePromotion } from '../promotions/store.ts'
import { manualName } from '../providers/manual/provider.ts'
import type { Storage, Tx } from '../storage/storage.ts'
import { customerHashes, listCustomerKeys } from './customer.ts'
import { holdLines } from './follow.ts'
import { holdUntil, processingHoldMs, sessionMove, sessionStatusAt } from './lifecycle.ts'
import type { CheckoutProblem, PayInput } from './port.ts'
import { type Customer, nobody, openCustomer, paymentIdsFor } from './secret.ts'
import { announceSession, type CheckoutTools, factsOf, lockSessionAndCart } from './sessions.ts'
import { countUses, type SessionKey, type SessionRow, saveSession } from './store.ts'
import { type Draft, draftFrom } from './view.ts'

export interface PayTools extends CheckoutTools {
  storage: Storage
  providers: Providers
  watch: PaymentWatch
  clock: () => Date
  // Whether payments that are declined again and again have to wait.
  boundsTries: boolean
  // For tests: how long a provider may take.
  callMsMax?: number
  // Told the name of each step as it is passed, so that a test can stop the world there.
  onStep?: (step: PayStep) => void
}

export type PayStep = 'recorded' | 'called' | 'settling' | 'settled'

// An order keeps its address this long, for returns and disputes.
const orderAddressMs = 400 * 24 * 3_600_000
// While a payment is under way its address does not end.
const paymentAddressMs = 30 * 24 * 3_600_000
// A bank's page that nobody answers is no payment.
const challengeMs = 30 * 60_000
// After this long a provider that never heard of a payment never will.
const absentMs = 2 * leaseMs
// One that was closed here and is not even known there is looked up for so long: not every provider can close a key that it
// never heard of.
const doubtMs = 24 * 3_600_000

// Nothing to pay: the order is approved without asking anyone.
const nothingOwed = 'none'

export async function pay(
  tools: PayTools,
  session: SessionKey,
  input: PayInput,
  cause: Cause | null,
): Promise<CheckoutProblem | null> {
  const provider = tools.providers.get(input.provider)
  const begun = await tools.storage.write((tx) => beginPayment(tools, tx, session, input, provider, cause))
  if ('problem' in begun) return begun.problem
  tools.onStep?.('recorded')
  const { payment, isNew } = begun
  // The same form sent twice: the first one is at work, or done.
  if (!isNew) return null
  const outcome: Outcome =
    payment.provider === nothingOwed
      ? outcomeWithout(payment)
      : await ask(tools, payment, 'start', (signal) =>
          (provider as PaymentProvider).start(chargeOf(payment), input.method, input.details, signal),
        )
  tools.onStep?.('called')
  await settle(tools, payment, outcome, cause)
  return null
}

// After the bank's page.
export async function answerChallenge(
  tools: PayTools,
  session: SessionKey,
  paymentId: string,
  answer: 'accept' | 'refuse',
  cause: Cause | null,
): Promise<CheckoutProblem | null> {
  const payment = await tools.storage.read((db) => findPayment(db, session.installationId, paymentId))
  if (payment?.checkoutSessionId !== session.sessionId || payment.status !== 'challenge') return { code: 'not_open' }
  const provider = tools.providers.get(payment.provider)
  if (!provider) {
    tools.watch.missing(factsFor(payment, 'confirm'))
    return { code: 'not_open' }
  }
  const outcome = await ask(tools, payment, 'confirm', (signal) => provider.confirm(chargeOf(payment), answer, signal))
  await settle(tools, payment, outcome, cause)
  return null
}

// Asks the providers for what is not known, and returns what was charged in vain. A loop's body.
export async function settlePayments(tools: PayTools, limit = 20): Promise<number> {
  const now = tools.clock().getTime()
  const { storage } = tools
  // Side by side: one after the other, slow answers would outlive the lease.
  const round = { storage, loop: 'payments', now, atOnce: limit } as const
  const failures: RowFailure[] = []
  const due = await claimRows(
    round,
    failures,
    (only) => storage.write((tx) => claimPaymentsToCheck(tx, now, leaseMs, limit, only)),
    () => storage.read((db) => listPaymentsToCheck(db, now, limit)),
  )
  const keyOf = ({ installationId, id }: PaymentRow) => ({ tenantId: installationId, rowId: id })
  const settling = handleEach(round, due, keyOf, async (payment) => {
    const provider = tools.providers.get(payment.provider)
    // A provider that was taken out of the house may come back; until then it is asked ever more rarely.
    if (!provider && payment.provider !== nothingOwed) tools.watch.missing(factsFor(payment, 'lookUp'))
    const outcome = provider ? await findOut(tools, provider, payment) : outcomeWithout(payment)
    await settle(tools, payment, outcome, null)
    return 1
  })
  const unclaimed = failures.length
  await noteFailures(failures, settling)
  if (failures.length > 0) throw new RowsFailed(failures, due.length + unclaimed - failures.length)
  return due.length
}

// Where nobody is to be asked: nothing was owed, or the provider is not in the house.
function outcomeWithout({ provider, id }: PaymentRow): Outcome {
  return provider === nothingOwed ? { kind: 'approved', reference: id, brand: null, last4: null } : { kind: 'unknown' }
}

function factsFor(payment: PaymentRow, call: ProviderCall): CallFacts {
  return { ...moneyFacts(payment), call }
}

function moneyFacts({ provider, id }: PaymentRow): MoneyFacts {
  return { provider, paymentId: id }
}

async function ask<Answer extends Finding>(
  tools: PayTools,
  payment: PaymentRow,
  call: ProviderCall,
  question: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | { kind: 'unknown' }> {
  const options = callOptions(tools, payment, call)
  return callProvider(question, {
    ...options,
    onLate(answer) {
      options.onLate?.(answer)
      void hearLate(tools, payment, call, answer)
    },
  })
}

function callOptions(tools: PayTools, payment: PaymentRow, call: ProviderCall): CallOptions<CallAnswer> {
  const { watch, callMsMax } = tools
  return { ...watch.listen(factsFor(payment, call)), ...(callMsMax === undefined ? {} : { msMax: callMsMax }) }
}

// An answer that came after its deadline. That money came is believed whenever it is said, and so is what a look-up found: a
// provider that is always too slow would never be heard otherwise. Of anything else the provider is asked once more: an adapter
// that was told to stop may have called that a decline.
async function hearLate(tools: PayTools, payment: PaymentRow, call: ProviderCall, answer: Finding): Promise<void> {
  if (answer.kind === 'absent' || answer.kind === 'unknown') return
  const isBelieved = answer.kind === 'approved' || call === 'lookUp'
  try {
    if (isBelieved) await settle(tools, payment, answer, null)
    else await tools.storage.write(async (tx) => checkPaymentSoon(tx, payment, tools.clock().getTime()))
  } catch (error) {
    // `settle` has reported its own.
    if (!isBelieved)
      tools.watch.error('unrecorded', 'late answer could not be recorded', factsFor(payment, call), error)
  }
}

// `isDoubtful`: declined by us, and the provider has nothing to say of it. It is looked up again.
type Settlement = Outcome & { isDoubtful?: boolean }

async function findOut(tools: PayTools, provider: PaymentProvider, payment: PaymentRow): Promise<Settlement> {
  const charge = chargeOf(payment)
  const lookUp = () => ask(tools, payment, 'lookUp', (signal) => provider.lookUp(charge, signal))
  const finding: Finding = await lookUp()
  const ageMs = tools.clock().getTime() - payment.createdAt
  const isForsaken =
    (finding.kind === 'absent' && ageMs > absentMs) || (finding.kind === 'challenge' && ageMs > challengeMs)
  if (!isForsaken) return finding.kind === 'absent' ? { kind: 'unknown' } : finding
  // Closed at the provider first, so that a call that is still on its way cannot charge anybody afterwards; and looked up
  // before that is believed.
  const closed = await callForRefund(
    (signal) => provider.void({ ...charge, voidKey: charge.key }, signal),
    callOptions(tools, payment, 'void'),
  )
  if (closed !== 'succeeded') return { kind: 'unknown' }
  const after: Finding = await lookUp()
  if (after.kind !== 'declined' && after.kind !== 'absent') return { kind: 'unknown' }
  const code: PaymentErrorCode = finding.kind === 'absent' ? 'provider_error' : 'authentication_failed'
  const isDoubtful = after.kind === 'absent' && ageMs < doubtMs
  return { kind: 'declined', code, brand: null, last4: null, isDoubtful }
}

type Begun = { problem: CheckoutProblem } | { payment: PaymentRow; isNew: boolean }

// Secures everything that the order will need, and writes down what is about to be charged.
async function beginPayment(
  tools: PayTools,
  tx: Tx,
  key: SessionKey,
  input: PayInput,
  provider: PaymentProvider | undefined,
  cause: Cause | null,
): Promise<Begun> {
  const [paymentId, ...others] = paymentIdsFor(tools.rootSecret, key.sessionId, input.attempt)
  const [session, ...payments] = await Promise.all([
    lockSessionAndCart(tx, key),
    ...[paymentId, ...others].map((id) => findPayment(tx, key.installationId, id)),
  ])
  const known = payments.find((payment) => payment !== undefined)
  if (!session) return { problem: { code: 'not_open' } }
  if (known) return { payment: known, isNew: false }
  if (session.closedAt !== null) return { problem: { code: 'closed' } }
  const now = tools.clock()
  const at = now.getTime()
  const status = sessionStatusAt(session, at)
  if (status === 'processing') return { problem: { code: 'payment_in_progress' } }
  if (!sessionMove('pay', status)) return { problem: { code: 'not_open' } }
  if (session.version !== input.version) return { problem: { code: 'stale' } }
  const { quote } = await factsOf(tools, tx, session, at)
  // Its amounts stand as 0, and nothing is sold for that.
  if (!quote.isPriced) return { problem: { code: 'price_unavailable' } }
  const { totals } = quote.pricing
  if (totals.total !== input.expectedTotal)
    return { problem: { code: 'total_changed', from: input.expectedTotal, to: totals.total } }
  const problem =
    (await obstacle(tools, tx, session, quote, at)) ??
    (totals.total === 0 ? null : await methodProblem(tx, session, provider, input, at))
  if (problem) return { problem }
  const subjects = tools.boundsTries && totals.total > 0 ? triedSubjects(tools, session, input, provider) : []
  const refused = subjects.length > 0 ? await countTry(tx, session.installationId, subjects, at) : null
  if (refused) {
    tx.afterCommit(() => tools.watch.tries.refused(session, refused.by))
    return { problem: { code: 'too_many_tries', waitMs: refused.waitMs } }
  }

  const held = await holdLines(tx, session, quote.lines, { now, cause }, at + processingHoldMs)
  const payment = insertPayment(
    tx,
    {
      installationId: session.installationId,
      id: paymentId,
      merchantId: session.merchantId,
      mode: session.mode,
      checkoutSessionId: session.id,
      provider: totals.total === 0 ? nothingOwed : input.provider,
      method: totals.total === 0 ? nothingOwed : input.method,
      amount: totals.total,
      currency: quote.cart.currency,
      checkAt: firstCheckAt(at),
    },
    at,
  )
  if (subjects.length > 0) rememberTry(tx, session.installationId, paymentId, subjects)
  const cartKey = { installationId: session.installationId, cartId: session.cartId }
  fixPrices(tx, cartKey)
  // The address must outlive the provider's patience.
  if (quote.cart.address) keepAddress(tx, session.installationId, quote.cart.address.token, at + paymentAddressMs)
  setCartStatus(tx, cartKey, { from: 'open', to: 'locked' })
  saveSession(tx, {
    ...held,
    status: 'processing',
    version: session.version + 1,
    quote: JSON.stringify(draftOf(quote)),
    lastPaymentError: null,
    updatedAt: at,
  })
  return { payment, isNew: true }
}

// What a payment is counted by: only what is typed here can be tried out.
function triedSubjects(
  { rootSecret }: PayTools,
  session: SessionRow,
  { method, details, network }: PayInput,
  provider: PaymentProvider | undefined,
): string[] {
  if (!provider?.methods.some(({ id, fields }) => id === method && fields.length > 0)) return []
  const card = provider.instrument?.(method, details)
  return subjectsOf(rootSecret, session.installationId, { sessionId: session.id, card, network })
}

// What an order still lacks.
async function obstacle(
  tools: PayTools,
  tx: Tx,
  session: SessionRow,
  quote: Quote,
  now: number,
): Promise<CheckoutProblem | null> {
  const { cart, lines, promotion, pricing } = quote
  const gone = lines.find(({ offer }) => !offer.isSold)
  if (lines.length === 0) return { code: 'not_open' }
  if (gone) return { code: 'item_unavailable', skuId: gone.offer.skuId }
  const short = lines.find(({ offer, quantity }) => offer.whenSoldOut === 'refuse' && offer.available < quantity)
  if (short) return { code: 'insufficient_stock', skuId: short.offer.skuId, available: short.offer.available }
  const many = lines.find(({ offer, quantity }) => quantity > offer.maxPerOrder)
  if (many) return { code: 'quantity_limit', skuId: many.offer.skuId, limit: many.offer.maxPerOrder }
  if (session.emailHash === null || !customerOf(tools, session))
    return { code: 'invalid', issues: [{ path: '/email', message: 'is needed' }] }
  if (needsShipping(lines.map(({ offer }) => offer))) {
    if (!livingAddress(cart, now) || !(await addressOf(tools, tx, cart, now)))
      return { code: 'invalid', issues: [{ path: '/address', message: 'is needed' }] }
    if (pricing.shipping.optionId === null) return { code: 'shipping_unavailable' }
  }
  if (promotion && pricing.promotion.state === 'applied' && (await isOverused(tools, tx, session, promotion)))
    return { code: 'promotion_rejected', reason: 'customer_limit_reached' }
  return null
}

async function methodProblem(
  tx: Tx,
  session: SessionRow,
  provider: PaymentProvider | undefined,
  input: PayInput,
  now: number,
): Promise<CheckoutProblem | null> {
  if (!provider || !(await isOffered(tx, session, provider, input.method)))
    return { code: 'invalid', issues: [{ path: '/method', message: 'is not offered' }] }
  const issues = provider
    .check(input.method, input.details, now)
    .map(({ path, messageKey }) => ({ path, message: messageKey }))
  return issues.length > 0 ? { code: 'invalid', issues } : null
}

// The merchant may have switched a method off since the page was shown.
async function isOffered(
  tx: Tx,
  { merchantId, mode }: SessionRow,
  { name, modes, methods }: PaymentProvider,
  method: string,
): Promise<boolean> {
  if (!modes.includes(mode) || !methods.some(({ id }) => id === method)) return false
  return name !== manualName || (await findMethodSettings(tx, merchantId, { mode, method }))?.isOffered === true
}

function draftOf({ cart, lines, promotion, pricing }: Quote): Draft {
  const chosen = pricing.shipping.options.find(({ id }) => id === pricing.shipping.optionId)
  const isApplied = promotion !== null && pricing.promotion.state === 'applied'
  return {
    currency: cart.currency,
    lines: lines.map(({ offer, quantity }, index) => {
      const priced = pricing.lines[index]
      if (priced?.skuId !== offer.skuId) throw new Error('lines and prices are out of step')
      const { subtotal, discount, tax, total } = priced
      const { skuId, code, productSlug, name, options, image, price } = offer
      return {
        skuId,
        code,
        productSlug,
        name,
        options: [...options],
        image,
        quantity,
        unitPrice: price,
        subtotal,
        discount,
        tax,
        total,
      }
    }),
    totals: pricing.totals,
    shippingTax: pricing.shipping.tax,
    shipping: chosen ? { optionId: chosen.id, label: chosen.label, amount: chosen.amount } : null,
    promotion: isApplied
      ? {
          id: promotion.id,
          code: promotion.code,
          name: promotion.name,
          type: promotion.type,
          amount: pricing.promotion.amount,
        }
      : null,
  }
}

// Writes the outcome down, once: whoever comes second finds it done.
async function settle(tools: PayTools, asked: PaymentRow, outcome: Settlement, cause: Cause | null): Promise<void> {
  tools.onStep?.('settling')
  try {
    await tools.storage.write(async (tx) => record(tools, tx, await lockForOutcome(tx, asked), outcome, cause))
  } catch (error) {
    const message = 'outcome of a payment could not be recorded; retrying'
    tools.watch.error('unrecorded', message, moneyFacts(asked), error)
    throw error
  }
  tools.onStep?.('settled')
}

interface Locked {
  // The session of one that has ended may be deleted.
  session: SessionRow | undefined
  payment: PaymentRow
  subjects: readonly string[]
}

async function lockForOutcome(
  tx: Tx,
  { installationId, id, checkoutSessionId }: Pick<PaymentRow, 'installationId' | 'id' | 'checkoutSessionId'>,
): Promise<Locked> {
  const [session, payment, subjects] = await Promise.all([
    lockSessionAndCart(tx, { installationId, sessionId: checkoutSessionId }),
    lockPayment(tx, installationId, id),
    findTry(tx, installationId, id),
  ])
  if (!payment) throw new Error(`payment ${id} is not there any more`)
  return { session, payment, subjects }
}

async function record(
  tools: PayTools,
  tx: Tx,
  { session, payment, subjects }: Locked,
  outcome: Settlement,
  cause: Cause | null,
): Promise<void> {
  const { installationId, id } = payment
  if (!isOpen(payment)) return recordAfterEnd(tools, tx, payment, outcome)
  if (!session) throw new Error(`payment ${id} has lost its session`)
  if (outcome.kind !== 'unknown' && outcome.kind !== 'challenge')
    endTry(tx, installationId, id, { subjects, isDeclined: isShoppersFault(outcome) })
  if (isShoppersFault(outcome)) tx.afterCommit(() => tools.watch.tries.declined(session))
  await recordOutcome(tools, tx, session, payment, outcome, cause)
}

function isOpen({ status }: PaymentRow): boolean {
  return status === 'processing' || status === 'challenge'
}

export const closedOutcomes = ['succeeded', 'declined'] as const
export type ClosedOutcome = (typeof closedOutcomes)[number]

// Longer than any call to a provider and the look-ups that follow it, so that no answer to them is still on its way.
const closableAfterMs = 3_600_000

// By the operator, of a payment that the provider has forgotten or never tells of. What follows is what would have followed
// from the provider's own answer, and the provider is not asked any more; what it says later is heard as of any payment that
// has ended.
export async function closePayment(
  tools: PayTools,
  tx: Tx,
  { installationId, id }: { installationId: string; id: string },
  outcome: ClosedOutcome,
): Promise<{ payment: PaymentRow } | { problem: string }> {
  const found = await findPayment(tx, installationId, id)
  if (!found) return { problem: 'there is no such payment' }
  const locked = await lockForOutcome(tx, found)
  const { payment } = locked
  if (!isOpen(payment) && payment.checkAt === null)
    return { problem: `its outcome is known: it is ${shownStatus(payment.status)}` }
  const now = tools.clock().getTime()
  // The provider may be answering. Were it closed as declined now and the answer lost, nobody would ask for the charge again.
  if (now < payment.createdAt + closableAfterMs)
    return { problem: 'it began less than an hour ago: the provider is still asked what became of it' }
  const { brand, last4 } = payment
  const closed = { ...payment, closedByHandAt: now }
  const said: Outcome =
    outcome === 'succeeded'
      ? { kind: 'approved', reference: payment.reference ?? id, brand, last4 }
      : { kind: 'declined', code: 'provider_error', brand, last4 }
  await record(tools, tx, { ...locked, payment: closed }, said, null)
  return { payment: (await findPayment(tx, installationId, id)) ?? closed }
}

// A provider that is down must not lock out those who tried meanwhile.
function isShoppersFault(outcome: Outcome): boolean {
  return outcome.kind === 'declined' && outcome.code !== 'provider_error'
}

// News of a payment that has ended here. Money that came after we had given it up is owed back in this transaction.
async function recordAfterEnd(tools: PayTools, tx: Tx, payment: PaymentRow, outcome: Settlement): Promise<void> {
  const now = tools.clock().getTime()
  const facts = moneyFacts(payment)
  const isGivenUp = payment.status === 'declined' || payment.status === 'voided'
  const hasCome = outcome.kind === 'approved' || outcome.kind === 'pending'
  if (isGivenUp && hasCome) {
    await oweVoid(tx, payment, { id: newId('rfd'), reason: 'approved after the payment had ended' }, now)
    const card = outcome.kind === 'approved' ? { brand: outcome.brand, last4: outcome.last4 } : {}
    const status = outcome.kind === 'approved' ? 'succeeded' : 'pending'
    // An order that awaited it was cancelled, and does not await it again.
    const booked = payment.orderId === null ? ({ ...card, status, reference: outcome.reference } as const) : {}
    await savePayment(tx, { ...payment, ...booked, checkAt: null, updatedAt: now })
    const message = 'payment was approved after it had ended; it is given back'
    tx.afterCommit(() => tools.watch.warn('late_success', message, facts, { status: payment.status }))
  } else if (isGivenUp && payment.checkAt !== null) {
    const checks = payment.checks + 1
    const isOver = outcome.kind === 'declined' && !outcome.isDoubtful
    await savePayment(tx, { ...payment, checks, checkAt: isOver ? null : nextTryAt(checks, now), updatedAt: now })
  } else if (isContradiction(payment, outcome)) {
    const message = 'payment provider contradicts what it said before'
    const more = { status: payment.status, outcome: outcome.kind }
    tx.afterCommit(() => tools.watch.warn('contradiction', message, facts, more))
  }
}

// An order was placed for the money, or awaits it, and its provider says otherwise. (Of one without an order, a void is owed,
// and a voided charge is looked up as declined.)
function isContradiction({ status, orderId }: PaymentRow, { kind }: Outcome): boolean {
  if (orderId === null) return false
  return (
    (status === 'succeeded' && kind === 'declined') ||
    (status === 'pending' && kind !== 'pending' && kind !== 'unknown')
  )
}

async function recordOutcome(
  tools: PayTools,
  tx: Tx,
  session: SessionRow,
  payment: PaymentRow,
  outcome: Settlement,
  cause: Cause | null,
): Promise<void> {
  const now = tools.clock().getTime()
  const seen = { ...payment, updatedAt: now, checks: payment.checks + 1 }
  switch (outcome.kind) {
    case 'unknown':
      return savePayment(tx, { ...seen, checkAt: nextTryAt(seen.checks, now) })
    case 'challenge': {
      const { reference, challenge } = outcome
      // Looked up again when the shopper should have answered long ago.
      return savePayment(tx, {
        ...seen,
        status: 'challenge',
        reference,
        challenge,
        checkAt: payment.createdAt + challengeMs + leaseMs,
      })
    }
    case 'declined': {
      const { code, brand, last4, isDoubtful } = outcome
      await savePayment(tx, {
        ...seen,
        status: 'declined',
        errorCode: code,
        brand,
        last4,
        challenge: null,
        checkAt: isDoubtful ? nextTryAt(seen.checks, now) : null,
      })
      return reopen(
        tools,
        tx,
        session,
        { code, message: declinedWords[code] ?? 'The payment was declined.' },
        now,
        cause,
      )
    }
    case 'approved':
    case 'pending': {
      const status = outcome.kind === 'approved' ? 'succeeded' : 'pending'
      const card = outcome.kind === 'approved' ? { brand: outcome.brand, last4: outcome.last4 } : {}
      const settled = {
        ...seen,
        ...card,
        status,
        reference: outcome.reference,
        challenge: null,
        checkAt: null,
      } as const
      return complete(tools, tx, session, settled, now, cause)
    }
  }
}

const declinedWords: Partial<Record<PaymentErrorCode, string>> = {
  insufficient_funds: 'The account does not have enough funds.',
  card_expired: 'The card has expired.',
  incorrect_details: 'The card details are not right.',
  authentication_failed: 'The payment was not confirmed.',
  provider_error: 'The payment could not be carried out.',
}

// The session goes back to the shopper, with the reason.
async function reopen(
  tools: PayTools,
  tx: Tx,
  session: SessionRow,
  error: { code: PaymentErrorCode; message: string },
  now: number,
  cause: Cause | null,
): Promise<void> {
  const move = sessionMove('decline', session.status)
  if (!move?.announces) throw new Error(`a session that is ${session.status} cannot be declined`)
  const key = { installationId: session.installationId, cartId: session.cartId }
  setCartStatus(tx, key, { from: 'locked', to: 'open' })
  const facts = await findCartFacts(tx, tools.carts.pricebooks, key, now)
  if (!facts) throw new Error(`session ${session.id} has lost its cart`)
  const opened: SessionRow = {
    ...session,
    status: move.to,
    version: session.version + 1,
    quote: null,
    holdExpiresAt: await holdAgain(tx, session, facts.lines, now, cause),
    lastPaymentError: { ...error, at: toInstant(now) },
    updatedAt: now,
  }
  saveSession(tx, opened)
  announceSession(tools, tx, move.announces, await factsOf(tools, tx, opened, now), now, cause)
}

// The stock as a shopper has it who is still choosing. Where it cannot be had any more (the time is over, a SKU is gone), all
// of it goes back, and the page tells what is missing: a session must come back from a payment whatever became of the shelf.
async function holdAgain(
  tx: Tx,
  session: SessionRow,
  lines: Quote['lines'],
  now: number,
  cause: Cause | null,
): Promise<number | null> {
  const expiresAt = holdUntil(session.expiresAt, now)
  const wanted = lines.map(({ offer, quantity }) => ({ skuId: offer.skuId, quantity }))
  const isHeld =
    expiresAt > now && (await hold(tx, session, session.id, wanted, { expiresAt, now, cause })).length === 0
  if (isHeld) return expiresAt
  await release(tx, session, session.id, { now, cause })
  return null
}

// The order, the stock, the promotion's use, the payment, the session and the cart: one transaction.
async function complete(
  tools: PayTools,
  tx: Tx,
  session: SessionRow,
  payment: PaymentRow,
  now: number,
  cause: Cause | null,
): Promise<void> {
  if (session.quote === null) throw new Error(`session ${session.id} is paid without a quote`)
  const draft = draftFrom(session.quote)
  const orderId = newId('ord')
  const { installationId, merchantId, mode } = session
  const cartKey = { installationId, cartId: session.cartId }
  const cart = await findCart(tx, cartKey)
  if (!cart) throw new Error(`session ${session.id} has lost its cart`)
  // A late approval may find the address erased, and both sealed by a version of the root secret that was given up. An order
  // without them can neither be sent nor asked about.
  if (!customerOf(tools, session) || (draft.shipping && !(await addressOf(tools, tx, cart, now)))) {
    const message = 'The contact or the address is not available any more; nothing is charged.'
    return returnCharge(tools, tx, session, payment, message, now, cause)
  }
  const usedPromotion = draft.promotion ? await usePromotion(tx, session, draft.promotion.id) : null
  if (usedPromotion === undefined) {
    return returnCharge(tools, tx, session, payment, 'The promotion code is used up; nothing is charged.', now, cause)
  }
  if (usedPromotion && (await isOverused(tools, tx, session, usedPromotion))) {
    await giveBackPromotion(tx, session, usedPromotion.id)
    return returnCharge(
      tools,
      tx,
      session,
      payment,
      'The promotion code was used before; nothing is charged.',
      now,
      cause,
    )
  }
  const wanted = draft.lines.map(({ skuId, quantity }) => ({ skuId, quantity }))
  const shortages = await sell(tx, session, session.id, wanted, { soldTo: orderId, now, cause })
  if (shortages.length > 0) {
    if (usedPromotion) await giveBackPromotion(tx, session, usedPromotion.id)
    return returnCharge(tools, tx, session, payment, 'The items are sold out; nothing is charged.', now, cause)
  }
  const address = draft.shipping ? cart.address : null
  // The cart as it is when the stock has left the shelf.
  const [facts, addressId] = await Promise.all([
    findCartFacts(tx, tools.carts.pricebooks, cartKey, now),
    address
      ? moveAddress(tx, tools.rootSecret, {
          installationId,
          ownerId: cart.id,
          id: address.token,
          newOwnerId: orderId,
          now,
          expiresAt: now + orderAddressMs,
        })
      : undefined,
  ])
  if (!facts) throw new Error(`session ${session.id} has lost its cart`)
  // Swept since it was looked at; the next look gives the money back.
  if (address && addressId === undefined) throw new Error(`session ${session.id} has lost its address`)
  const booked = { ...payment, orderId }
  // The number last: the next order of the merchant in this mode waits for it.
  const [, number] = await Promise.all([savePayment(tx, booked), takeOrderNumber(tx, session)])
  const placed = await placeOrder(tx, {
    ...draft,
    orderId,
    number,
    payments: [booked],
    usedPromotion,
    installationId,
    merchantId,
    mode,
    session,
    addressId: addressId ?? null,
    addressSummaryText: address ? summaryText(address) : null,
    paymentStatus: payment.status === 'pending' ? 'pending' : 'paid',
    paymentDueAt: await dueAtOf(tx, payment, now),
    rootSecret: tools.rootSecret,
    now,
    cause,
  })
  const quote = convertCart(tools, tx, facts, placed, now, cause)
  const completed: SessionRow = {
    ...session,
    status: 'completed',
    version: session.version + 1,
    orderId,
    holdExpiresAt: null,
    completedAt: now,
    updatedAt: now,
  }
  saveSession(tx, completed)
  const orderPayment = payment.status === 'pending' ? 'pending' : 'paid'
  const view = { session: completed, quote, orderPayment } as const
  announceSession(tools, tx, 'checkout_session.completed', view, now, cause)
}

// Undefined when it cannot be opened.
function customerOf({ rootSecret }: PayTools, { id, customerSealed }: SessionRow): Customer | undefined {
  return openCustomer(rootSecret, id, customerSealed)
}

// Undefined when there is none, or when it cannot be opened.
async function addressOf(
  { rootSecret }: PayTools,
  tx: Tx,
  { installationId, id, address }: CartRow,
  now: number,
): Promise<Address | undefined> {
  return address ? tryOpenAddress(tx, rootSecret, { installationId, ownerId: id, id: address.token, now }) : undefined
}

// Whether this customer has no use left. Asked before the payment, and again under the lock that counting the use has
// taken: two payments of one customer may have begun together.
async function isOverused(
  { rootSecret }: PayTools,
  tx: Tx,
  session: SessionRow,
  { id, customerLimit }: Promotion,
): Promise<boolean> {
  const { merchantId, customerSealed, emailHash } = session
  if (customerLimit === null || emailHash === null) return false
  const { email } = openCustomer(rootSecret, session.id, customerSealed) ?? nobody
  const emailHashes = customerHashes(await listCustomerKeys(tx, rootSecret), rootSecret, merchantId, email)
  return (await countUses(tx, session, { promotionId: id, emailHashes })) >= customerLimit
}

// The term that the shopper was shown, or one that the merchant has set since.
async function dueAtOf(tx: Tx, payment: PaymentRow, now: number): Promise<number | null> {
  if (payment.status !== 'pending' || payment.provider !== manualName) return null
  const settings = await findMethodSettings(tx, payment.merchantId, payment)
  return settings ? paymentDueAt(settings, now) : null
}

// Money came and no order is possible: it is owed back in the commit that says so, and a loop returns it.
async function returnCharge(
  tools: PayTools,
  tx: Tx,
  session: SessionRow,
  payment: PaymentRow,
  message: string,
  now: number,
  cause: Cause | null,
): Promise<void> {
  await savePayment(tx, payment)
  if (payment.provider !== nothingOwed)
    await oweVoid(tx, payment, { id: newId('rfd'), reason: 'no order was possible' }, now)
  await reopen(tools, tx, session, { code: 'provider_error', message }, now, cause)
}

// Answers with the cart as it now is, which costs what was charged.
function convertCart(
  tools: PayTools,
  tx: Tx,
  facts: CartFacts,
  { order, lines: sold }: PlacedOrder,
  now: number,
  cause: Cause | null,
): Quote {
  const move = cartMove('convert', facts.cart.status)
  if (!move?.announces) throw new Error(`cart ${facts.cart.id} is ${facts.cart.status} and cannot become an order`)
  // Its address went with the order.
  const cart = {
    ...facts.cart,
    status: move.to,
    orderId: order.id,
    address: null,
    version: facts.cart.version + 1,
    updatedAt: now,
    untoldSince: null,
  }
  saveCart(tx, cart)
  const quote = { ...facts, cart, pricing: pricingOfOrder(order, sold, facts.lines), isPriced: true }
  announce(tx, {
    installationId: cart.installationId,
    mode: cart.mode,
    kind: move.announces,
    subject: { type: 'cart', id: cart.id },
    sequence: cart.version,
    dataText: JSON.stringify({ cart: cartView(quote, now, tools.carts.pictureUrl) }),
    cause,
    now,
  })
  return quote
}
