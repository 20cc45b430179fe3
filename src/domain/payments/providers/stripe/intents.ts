// The PaymentIntents of one account: one for each payment, made under the payment's id and marked with it.

import type { Mode } from '../../../../contract/words.ts'
import type { Charge, CloseAnswer, DescribeAnswer } from '../../port.ts'
import { toStripeAmount } from './amounts.ts'
import { type Stripe, type StripeClient, StripeFailure } from './client.ts'
import type { TokenPayment } from './tokens.ts'
import { UnexpectedAnswer } from './unexpected.ts'

const paymentMark = 'cartwright_payment'
// Stripe forgets keys after a day.
const keyMs = 20 * 3_600_000
// Between our record of a payment and Stripe's intent for it.
const apartMs = 3_600_000
const listedMax = 10_000
// For a payment that Stripe failed at: its intent was made within the minutes in which the payment began, or not at all.
const nearMs = 5 * 60_000
const nearMax = 1_000

// There is no intent under the key of a payment, and there never will be one that anyone could pay.
export class NothingMade extends Error {
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

  // Under a key that Stripe still knows this makes nothing new. The answer is the first one then, so the intent is read after it. A failure
  // that is repeated may hide an intent; one that is not listed either has a secret that no page was ever given. A repeated request needs the
  // same parameters, so what is not stored is written afterwards, which reads the intent as well.
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

  // Pays an intent at once, with what a platform handed over. There is no shopper who could try again, so what is refused is cancelled.
  // Found again under the key of the payment if this process ends in between, or the answer is lost.
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

  // Nothing of it is needed to pay: what Stripe refuses or fails to write is left out.
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
    if (!found) throw new NothingMade(error)
    return found
  }

  // Undefined where there is none.
  async findMade(charge: Charge, signal: AbortSignal): Promise<Stripe.PaymentIntent | undefined> {
    try {
      return await this.find(charge, signal)
    } catch (error) {
      if (error instanceof NothingMade) return undefined
      throw error
    }
  }

  // Without a reference nobody has ever been able to pay on the page: it is stored before the page has what its frame needs. So an intent
  // that is made here to be found does no harm, and one that is not found later was not paid. One that a token paid is found here while
  // Stripe knows its key, and listed afterwards.
  async find(charge: Charge, signal: AbortSignal): Promise<Stripe.PaymentIntent | undefined> {
    const { mode, reference, createdAt } = charge
    if (mode !== this.#mode) throw new UnexpectedAnswer('OTHER_MODE')
    if (reference !== null) return this.#read(charge, reference, signal)
    if (this.#clock().getTime() - createdAt < keyMs) return this.create(charge, signal)
    const found = await this.#listed(charge, { apartMs, max: listedMax }, signal)
    return found && this.#read(charge, found.id, signal)
  }

  // Not by search, which lags behind.
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

  // Under no key of ours: while a debit is under way Stripe refuses, and would repeat that for a day.
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

// The charge of the last attempt.
export function chargeIn({ latest_charge: charge }: Stripe.PaymentIntent): Stripe.Charge | undefined {
  return charge !== null && typeof charge === 'object' ? charge : undefined
}
