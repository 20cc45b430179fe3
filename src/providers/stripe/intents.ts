// The PaymentIntents of one account: one for each payment, made under the payment's id and marked with it.

import type { Mode } from '../../contract/words.ts'
import type { Charge, CloseAnswer } from '../../payments/port.ts'
import { toStripeAmount } from './amounts.ts'
import { type Stripe, type StripeClient, StripeFailure } from './client.ts'
import { OddAnswer } from './odd.ts'

const paymentMark = 'cartwright_payment'
// Stripe forgets keys after a day.
const keyMs = 20 * 3_600_000
// Between our record of a payment and Stripe's intent for it.
const apartMs = 3_600_000
const listedMax = 10_000

export class Intents {
  readonly #client: StripeClient
  readonly #mode: Mode
  readonly #clock: () => Date

  constructor({ client, mode, clock }: { client: StripeClient; mode: Mode; clock: () => Date }) {
    this.#client = client
    this.#mode = mode
    this.#clock = clock
  }

  // Under a key that Stripe still knows this makes nothing new. The answer is the first one then, so the intent is read after it.
  async create(charge: Charge, signal: AbortSignal): Promise<Stripe.PaymentIntent> {
    const { key, amount, currency, mode } = charge
    const theirs = toStripeAmount(amount, currency)
    if (mode !== this.#mode || theirs === undefined) throw new OddAnswer('NOT_OFFERED')
    const params = {
      amount: theirs,
      currency: currency.toLowerCase(),
      automatic_payment_methods: { enabled: true },
      metadata: { [paymentMark]: key },
    }
    const { id } = await this.#client.ask(signal, (api) => api.paymentIntents.create(params, { idempotencyKey: key }))
    return this.#read(charge, id, signal)
  }

  // Without a reference nobody has ever been able to pay: it is stored before the page has what its frame needs. So an intent that is
  // made here to be found does no harm, and one that is not found later was not paid.
  async find(charge: Charge, signal: AbortSignal): Promise<Stripe.PaymentIntent | undefined> {
    const { mode, reference, createdAt, key } = charge
    if (mode !== this.#mode) throw new OddAnswer('OTHER_MODE')
    if (reference !== null) return this.#read(charge, reference, signal)
    if (this.#clock().getTime() - createdAt < keyMs) return this.create(charge, signal)
    const created = { gte: secondsOf(createdAt - apartMs), lte: secondsOf(createdAt + apartMs) }
    // Not by search, which lags behind.
    const made = await this.#client.ask(signal, (api) =>
      api.paymentIntents.list({ created, limit: 100 }).autoPagingToArray({ limit: listedMax }),
    )
    const found = made.find(({ metadata }) => metadata[paymentMark] === key)
    return found && this.#read(charge, found.id, signal)
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
    const isSame =
      intent.metadata[paymentMark] === charge.key &&
      intent.amount === toStripeAmount(charge.amount, charge.currency) &&
      intent.currency === charge.currency.toLowerCase()
    if (!isSame) throw new OddAnswer('OTHER_PAYMENT')
    return intent
  }
}

function secondsOf(at: number): number {
  return Math.floor(at / 1000)
}

// The charge of the last attempt.
export function chargeIn({ latest_charge: charge }: Stripe.PaymentIntent): Stripe.Charge | undefined {
  return charge !== null && typeof charge === 'object' ? charge : undefined
}
