// The PaymentIntents of one account: one per payment, created with the payment's id as the key, and with the id in its metadata.

import type { Mode } from '../../../../contract/words.ts'
import type { Charge, CloseAnswer, DescribeAnswer } from '../../port.ts'
import { toStripeAmount } from './amounts.ts'
import { type Stripe, type StripeClient, StripeFailure } from './client.ts'
import type { TokenPayment } from './tokens.ts'
import { UnexpectedAnswer } from './unexpected.ts'

const paymentMark = 'cartwright_payment'
// Less than the day after which Stripe forgets keys.
const keyMs = 20 * 3_600_000
// Maximum time between the creation of our payment and of its intent at Stripe.
const apartMs = 3_600_000
const listedMax = 10_000
// If Stripe reported a failure when the intent was to be created, the intent either exists since the first minutes of the payment or does
// not exist.
const nearMs = 5 * 60_000
const nearMax = 1_000

// There is no intent with the key of the payment, and none that can be paid will ever exist.
export class IntentNotCreated extends Error {
  readonly failure: StripeFailure

  constructor(failure: StripeFailure) {
    super('')
    this.failure = failure
  }
}

export class Intents {
  readonly #client: StripeClient
  readonly #mode: Mode
  readonly #clock: () => Date

  constructor({ client, mode, clock }: { client: StripeClient; mode: Mode; clock: () => Date }) {
    this.#client = client
    this.#mode = mode
    this.#clock = clock
  }

  // For a key that Stripe still knows, nothing new is created: Stripe replays the first response, so the intent is read afterwards. A
  // replayed failure may hide an existing intent; if that is not listed either, no page has its secret. A repeated request must have the
  // same parameters, so values that are not stored here are sent in a second request, which also returns the present intent.
  async create(
    charge: Charge,
    signal: AbortSignal,
    about?: Stripe.PaymentIntentUpdateParams,
  ): Promise<Stripe.PaymentIntent> {
    const { key, amount, currency, mode } = charge
    const theirs = toStripeAmount(amount, currency)
    if (mode !== this.#mode || theirs === undefined) throw new UnexpectedAnswer('NOT_OFFERED')
    const params = {
      amount: theirs,
      currency: currency.toLowerCase(),
      automatic_payment_methods: { enabled: true },
      metadata: { [paymentMark]: key },
    }
    const { id } = await this.#client
      .ask(signal, (api) => api.paymentIntents.create(params, { idempotencyKey: key }))
      .catch((error: unknown) => this.#hidden(charge, error, signal))
    return about ? this.#tell(charge, { id, about }, signal) : this.#read(charge, id, signal)
  }

  // Pays an intent immediately with the credential that a platform sent. If Stripe refuses it, the intent is cancelled, because no
  // shopper could try again. If this process dies meanwhile or the response is lost, the intent is found again by the payment's key.
  async payWith(
    charge: Charge,
    intent: Stripe.PaymentIntent,
    { paymentMethodData, apiVersion, returnUrl }: TokenPayment & { returnUrl: string },
    signal: AbortSignal,
  ): Promise<Stripe.PaymentIntent> {
    const { id, status, last_payment_error: error } = intent
    if (status !== 'requires_payment_method' || error !== null) return intent
    const params = { payment_method_data: paymentMethodData, return_url: returnUrl }
    const options = { idempotencyKey: `${charge.key}-token`, ...(apiVersion !== undefined && { apiVersion }) }
    try {
      await this.#client.ask(signal, (api) =>
        api.rawRequest('POST', `/v1/payment_intents/${id}/confirm`, params, options),
      )
    } catch (failure) {
      if (!(failure instanceof StripeFailure) || !failure.isRefusal) throw failure
      if ((await this.cancel(intent, signal)) !== 'closed') throw new UnexpectedAnswer('PAID_MEANWHILE')
      return { ...(failure.intent ?? intent), status: 'canceled' }
    }
    return this.#read(charge, id, signal)
  }

  // Sends values that are not needed to pay. If Stripe refuses them or fails, they are left out.
  async #tell(
    charge: Charge,
    { id, about }: { id: string; about: Stripe.PaymentIntentUpdateParams },
    signal: AbortSignal,
  ): Promise<Stripe.PaymentIntent> {
    try {
      const params = { ...about, expand: ['latest_charge'] }
      return mustFit(charge, await this.#client.ask(signal, (api) => api.paymentIntents.update(id, params)))
    } catch (error) {
      if (!(error instanceof StripeFailure)) throw error
      return this.#read(charge, id, signal)
    }
  }

  async describe(
    { reference }: Charge,
    about: Stripe.PaymentIntentUpdateParams,
    signal: AbortSignal,
  ): Promise<DescribeAnswer> {
    if (reference === null) return 'refused'
    try {
      await this.#client.ask(signal, (api) => api.paymentIntents.update(reference, about))
      return 'described'
    } catch (error) {
      if (error instanceof StripeFailure && error.isRefusal) return 'refused'
      throw error
    }
  }

  async #hidden(charge: Charge, error: unknown, signal: AbortSignal): Promise<{ id: string }> {
    if (!(error instanceof StripeFailure) || !(error.isRefusal || error.isBroken)) throw error
    const found = error.isBroken ? await this.#listed(charge, { apartMs: nearMs, max: nearMax }, signal) : undefined
    if (!found) throw new IntentNotCreated(error)
    return found
  }

  // Returns undefined if there is no intent.
  async findMade(charge: Charge, signal: AbortSignal): Promise<Stripe.PaymentIntent | undefined> {
    try {
      return await this.find(charge, signal)
    } catch (error) {
      if (error instanceof IntentNotCreated) return undefined
      throw error
    }
  }

  // Without a stored reference, the payment was not paid on the page: the reference is stored before the page gets the data for the
  // frame. So creating the intent in order to find it does no harm, and an intent that is not listed later was not paid. An intent that
  // was paid by a token is found here while Stripe knows its key, and in Stripe's list afterwards.
  async find(charge: Charge, signal: AbortSignal): Promise<Stripe.PaymentIntent | undefined> {
    const { mode, reference, createdAt } = charge
    if (mode !== this.#mode) throw new UnexpectedAnswer('OTHER_MODE')
    if (reference !== null) return this.#read(charge, reference, signal)
    if (this.#clock().getTime() - createdAt < keyMs) return this.create(charge, signal)
    const found = await this.#listed(charge, { apartMs, max: listedMax }, signal)
    return found && this.#read(charge, found.id, signal)
  }

  // Does not use Stripe's search, which is not up to date.
  async #listed(
    { key, createdAt }: Charge,
    { apartMs, max }: { apartMs: number; max: number },
    signal: AbortSignal,
  ): Promise<Stripe.PaymentIntent | undefined> {
    const created = { gte: secondsOf(createdAt - apartMs), lte: secondsOf(createdAt + apartMs) }
    const made = await this.#client.ask(signal, (api) =>
      api.paymentIntents.list({ created, limit: 100 }).autoPagingToArray({ limit: max }),
    )
    return made.find(({ metadata }) => metadata[paymentMark] === key)
  }

  // Sent without a key: while a debit is in progress, Stripe refuses to cancel it, and with a key it would replay this refusal for a day.
  async cancel({ id }: Stripe.PaymentIntent, signal: AbortSignal): Promise<CloseAnswer> {
    try {
      await this.#client.ask(signal, (api) => api.paymentIntents.cancel(id))
      return 'closed'
    } catch (error) {
      if (!(error instanceof StripeFailure) || error.reason !== 'payment_intent_unexpected_state') throw error
      const { status } = error.intent ?? {}
      if (status === 'canceled') return 'closed'
      if (status === 'succeeded' || status === 'processing') return 'taken'
      throw error
    }
  }

  async #read(charge: Charge, id: string, signal: AbortSignal): Promise<Stripe.PaymentIntent> {
    const intent = await this.#client.ask(signal, (api) =>
      api.paymentIntents.retrieve(id, { expand: ['latest_charge'] }),
    )
    return mustFit(charge, intent)
  }
}

function mustFit(charge: Charge, intent: Stripe.PaymentIntent): Stripe.PaymentIntent {
  const isSame =
    intent.metadata[paymentMark] === charge.key &&
    intent.amount === toStripeAmount(charge.amount, charge.currency) &&
    intent.currency === charge.currency.toLowerCase()
  if (!isSame) throw new UnexpectedAnswer('OTHER_PAYMENT')
  return intent
}

function secondsOf(at: number): number {
  return Math.floor(at / 1000)
}

// Returns the charge of the last attempt.
export function latestCharge({ latest_charge: charge }: Stripe.PaymentIntent): Stripe.Charge | undefined {
  return charge !== null && typeof charge === 'object' ? charge : undefined
}
