// Payments at one Stripe account: the shopper pays a PaymentIntent in Stripe's frame on the pay page. The outcome is determined by
// querying the intent, never from the browser.

import type { Mode, PaymentErrorCode } from '../../../../contract/words.ts'
import type {
  Charge,
  Method,
  PageSources,
  PaymentProvider,
  ProviderDispute,
  ProviderFinding,
  ProviderOutcome,
  ProviderState,
} from '../../port.ts'
import { stripeDescriptionOf } from './about.ts'
import { fromStripeAmount, isTakenByStripe, toStripeAmount } from './amounts.ts'
import { type Stripe, type StripeClient, StripeFailure, stripeVersion, verifiedEvent } from './client.ts'
import { paymentErrorFor } from './declines.ts'
import { listEvents } from './eventlist.ts'
import { findIntentId } from './events.ts'
import { IntentNotCreated, Intents, latestCharge } from './intents.ts'
import { Refunds } from './refunds.ts'
import { isOfOrder, providerDisputeOf, providerRefundOf, refundMark, stripeRefundAnswer } from './state.ts'
import { stripeTexts } from './texts.ts'
import { stripeTokens, tokenPaymentIn } from './tokens.ts'
import { UnexpectedAnswer } from './unexpected.ts'

export const stripeName = 'stripe'

export interface StripeParts {
  client: StripeClient
  mode: Mode
  publishableKey: string
  // Stripe's id of the account; undefined if it is unknown.
  account: string | undefined
  // The account's prefix on card statements; undefined if it is unknown.
  descriptor: string | undefined
  // The current and the replaced secrets that sign webhooks.
  noticeSecrets: readonly string[]
  clock: () => Date
  // For tests: URL of the stand-in for Stripe.
  url: string | undefined
}

// https://docs.stripe.com/changelog/acacia/2025-02-24/stripe-js-versioning: script and API have releases with the same names, such as
// `2026-10-28.endive` and `/endive/`.
const release = stripeVersion.split('.')[1]

const methods: readonly Method[] = [
  { id: stripeName, labelKey: 'stripe.method', noteKey: 'stripe.note', fields: [], shape: 'frame' },
]

// https://docs.stripe.com/api/events/list: events are listed for 30 days.
const listedMs = 30 * 24 * 3_600_000

export function createStripeProvider(parts: StripeParts): PaymentProvider {
  const { client, mode, publishableKey, account, descriptor, noticeSecrets, url, clock } = parts
  const intents = new Intents(parts)
  const refunds = new Refunds(client)
  const frame = { script: `${url ?? 'https://js.stripe.com'}/${release}/stripe.js`, publishableKey }

  async function findingOf(
    charge: Charge,
    intent: Stripe.PaymentIntent,
    signal: AbortSignal,
  ): Promise<ProviderOutcome & { providerState?: ProviderState }> {
    const paid = latestCharge(intent)
    // The order of a direct debit is placed before the money arrives. A failed debit must be final, so the intent is cancelled to prevent
    // paying it by another method.
    if (intent.status === 'requires_payment_method' && isFailedDebit(paid)) {
      if ((await intents.cancel(intent, signal)) !== 'closed') throw new UnexpectedAnswer('PAID_MEANWHILE')
      return declinedBy(intent)
    }
    if (intent.status !== 'succeeded' || !paid) return outcomeOf(charge, intent, frame)
    const made = await refunds.list(intent, signal)
    const dispute = paid.disputed ? await findDispute(charge, intent, signal) : null
    const providerState: ProviderState = { refunds: made.map(providerRefundOf), dispute }
    // The whole payment was refunded, but not for an order: by a void, or by the merchant in Stripe's dashboard before the order was
    // placed.
    const isTakenBack = paid.refunded && !made.some(isOfOrder)
    return { ...(isTakenBack ? declinedBy(intent) : outcomeOf(charge, intent, frame)), providerState }
  }

  async function findDispute(
    { currency, amount }: Charge,
    { id }: Stripe.PaymentIntent,
    signal: AbortSignal,
  ): Promise<ProviderDispute | null> {
    const { data } = await client.ask(signal, (api) => api.disputes.list({ payment_intent: id, limit: 1 }))
    return data[0] ? providerDisputeOf(data[0], currency, amount) : null
  }

  async function findRefund(charge: Charge, key: string, signal: AbortSignal) {
    const intent = await intents.findMade(charge, signal)
    if (!intent) return undefined
    const made = await refunds.list(intent, signal)
    return { intent, made, known: made.find(({ metadata }) => metadata?.[refundMark] === key) }
  }

  return {
    name: stripeName,
    modes: [mode],
    methods,
    texts: stripeTexts,
    sources: sourcesFor(url),
    check: (method) => (method === stripeName ? [] : [{ path: '/method', messageKey: 'stripe.choose' }]),
    offers: ({ currency, amount }) => isTakenByStripe(amount, currency),
    tokens: stripeTokens({ mode, publishableKey, account }),

    async start(charge, { details, returnUrls, purchase }, signal) {
      if (!isTakenByStripe(charge.amount, charge.currency)) return declined('method_unavailable')
      try {
        const { merchantName, returnUrl } = await returnUrls()
        const made = await intents.create(charge, signal, stripeDescriptionOf({ merchantName, purchase, descriptor }))
        const token = tokenPaymentIn(details)
        const intent = token ? await intents.payWith(charge, made, { ...token, returnUrl }, signal) : made
        const { providerState: _, ...outcome } = await findingOf(charge, intent, signal)
        return outcome
      } catch (error) {
        if (error instanceof IntentNotCreated) return unmade(error.failure)
        if (error instanceof StripeFailure && error.isUndone) return unmade(error)
        throw error
      }
    },

    // Never needed: Stripe's frame itself shows what the bank asks the shopper.
    confirm: async () => ({ kind: 'unknown' }),

    async lookUp(charge, signal): Promise<ProviderFinding> {
      try {
        const intent = await intents.find(charge, signal)
        return intent ? await findingOf(charge, intent, signal) : { kind: 'absent' }
      } catch (error) {
        if (error instanceof IntentNotCreated) return unmade(error.failure)
        throw error
      }
    },

    async refund({ key, charge, amount }, signal) {
      const found = await findRefund(charge, key, signal)
      if (!found) throw new UnexpectedAnswer('NO_PAYMENT')
      const theirs = toStripeAmount(amount, charge.currency)
      if (found.known && found.known.amount !== theirs) throw new UnexpectedAnswer('OTHER_REFUND')
      if (found.known) return stripeRefundAnswer(found.known)
      return theirs === undefined
        ? 'refused'
        : refunds.create(found.intent, { key, amount: theirs, isVoid: false }, signal)
    },

    async refundState({ key, charge }, signal) {
      const { known } = (await findRefund(charge, key, signal)) ?? {}
      return known ? stripeRefundAnswer(known) : 'absent'
    },

    async void({ voidKey, ...charge }, signal) {
      const found = await findRefund(charge, voidKey, signal)
      if (!found) return 'succeeded'
      const { intent, made, known } = found
      // An intent that cannot be cancelled was paid meanwhile, or is a debit that cannot be stopped. The next try finds out which.
      if (intent.status !== 'succeeded')
        return (await intents.cancel(intent, signal)) === 'closed' ? 'succeeded' : 'unknown'
      if (known) return stripeRefundAnswer(known)
      // A payment that was refunded for an order cannot be voided.
      if (made.some(isOfOrder)) return 'failed'
      if (latestCharge(intent)?.refunded) return 'succeeded'
      return refunds.create(intent, { key: voidKey, amount: null, isVoid: true }, signal)
    },

    // An update keeps metadata that it does not contain, so the id of the payment stays.
    describe: (charge, { orderNumber, merchantName }, signal) => {
      const description = `${merchantName} ${orderNumber}`.trim()
      return intents.describe(charge, { description, metadata: { order_number: orderNumber } }, signal)
    },

    async close(charge, signal) {
      const intent = await intents.findMade(charge, signal)
      return intent ? intents.cancel(intent, signal) : 'closed'
    },

    webhook({ headers, body }, now) {
      const { 'stripe-signature': signature } = headers
      const event = typeof signature === 'string' ? verifiedEvent(body, signature, noticeSecrets, now) : undefined
      if (event?.livemode !== (mode === 'live')) return 'refused'
      const reference = findIntentId(event)
      return { references: reference === undefined ? [] : [reference] }
    },

    async *providerEvents(since, signal, leftOut) {
      const now = clock().getTime()
      if (since < now - listedMs) leftOut('too_old')
      const range = { from: Math.floor(since / 1000), to: null }
      for await (const event of listEvents({ client, now, signal, leftOut }, range)) {
        const reference = findIntentId(event)
        if (reference !== undefined) yield { at: event.created * 1000, reference }
      }
    },
  }
}

// How long a shopper may take in the frame and at the bank.
const openMs = 30 * 60_000

function outcomeOf(charge: Charge, intent: Stripe.PaymentIntent, frame: Record<string, string>): ProviderOutcome {
  const { id: reference, status, client_secret: clientSecret } = intent
  switch (status) {
    case 'succeeded': {
      const collected = fromStripeAmount(intent.amount_received, charge.currency)
      if (collected === undefined) throw new UnexpectedAnswer('AMOUNT_UNREADABLE')
      return { kind: 'approved', reference, collected, ...cardIn(intent), instrument: instrumentIn(intent) }
    }
    case 'processing':
      return { kind: 'pending', reference, settles: 'by_provider', instrument: instrumentIn(intent) }
    case 'canceled':
      return declinedBy(intent)
    // Also the status after a failed attempt, because the shopper may try again.
    case 'requires_payment_method':
    case 'requires_confirmation':
    case 'requires_action': {
      if (clientSecret === null) throw new UnexpectedAnswer('NO_CLIENT_SECRET')
      const nextAction = { kind: 'frame', facts: { ...frame, clientSecret } } as const
      const isTried = status === 'requires_action' || intent.last_payment_error !== null
      return { kind: 'redirect', reference, nextAction, until: charge.createdAt + openMs, ...(isTried && { isTried }) }
    }
    default:
      // Payments are captured automatically, so no intent should wait for a capture.
      throw new UnexpectedAnswer(status === 'requires_capture' ? 'REQUIRES_CAPTURE' : 'UNKNOWN_STATUS')
  }
}

// https://docs.stripe.com/payments/bank-debits: the methods whose outcome is known only days after the start of the payment.
const debits: readonly string[] = [
  'acss_debit',
  'au_becs_debit',
  'bacs_debit',
  'nz_bank_account',
  'sepa_debit',
  'us_bank_account',
]

function isFailedDebit(charge: Stripe.Charge | undefined): boolean {
  return charge?.status === 'failed' && debits.includes(charge.payment_method_details?.type ?? '')
}

const noCard = { brand: null, last4: null }

function declined(code: PaymentErrorCode): ProviderOutcome {
  return { kind: 'declined', code, ...noCard }
}

// An intent that does not exist cannot be paid, so this outcome is certain.
function unmade({ reason }: StripeFailure): ProviderOutcome {
  const code = paymentErrorFor({ code: reason })
  return declined(code === 'declined' ? 'provider_error' : code)
}

function declinedBy(intent: Stripe.PaymentIntent): ProviderOutcome {
  return { kind: 'declined', code: paymentErrorFor(intent.last_payment_error), ...cardIn(intent) }
}

function cardIn(intent: Stripe.PaymentIntent): { brand: string | null; last4: string | null } {
  const card = latestCharge(intent)?.payment_method_details?.card
  return card ? { brand: card.brand, last4: card.last4 } : noCard
}

// Returns the wallet if one was used, not the card in it; otherwise the type of the payment method.
function instrumentIn(intent: Stripe.PaymentIntent): string | null {
  const details = latestCharge(intent)?.payment_method_details
  return details?.card?.wallet?.type ?? details?.type ?? null
}

// https://docs.stripe.com/security/guide#content-security-policy. In tests, the stand-in serves everything from one origin.
function sourcesFor(url: string | undefined): PageSources {
  if (url !== undefined) return { script: [url], frame: [url], connect: [url], image: [url], styleAttributes: true }
  const scripts = ['https://js.stripe.com', 'https://*.js.stripe.com']
  const link = ['https://link.com', 'https://*.link.com']
  return {
    script: scripts,
    frame: [...scripts, 'https://hooks.stripe.com', ...link],
    connect: ['https://api.stripe.com', ...link],
    image: ['https://*.stripe.com', 'https://*.link.com'],
    styleAttributes: true,
  }
}
