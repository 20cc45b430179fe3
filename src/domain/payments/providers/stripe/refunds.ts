// Refunds of one account, each marked with our id of it. One that was made is found by its mark before another is asked for.

import type { RefundAnswer } from '../../port.ts'
import { type Stripe, type StripeClient, StripeFailure } from './client.ts'
import { refundAnswerOf, refundMark, voidMark } from './state.ts'

const refundsMax = 1_000
const triesMax = 8

export class Refunds {
  readonly #client: StripeClient

  constructor(client: StripeClient) {
    this.#client = client
  }

  list({ id }: Stripe.PaymentIntent, signal: AbortSignal): Promise<Stripe.Refund[]> {
    return this.#client.ask(signal, (api) =>
      api.refunds.list({ payment_intent: id, limit: 100 }).autoPagingToArray({ limit: refundsMax }),
    )
  }

  // A refusal is remembered under its key like an answer, for a day: what was refused then is tried again under the next key. All
  // who ask at once go through the same keys, so one of them pays. `amount`: as Stripe counts; null is all that is left.
  async create(
    { id }: Stripe.PaymentIntent,
    { key, amount, isVoid }: { key: string; amount: number | null; isVoid: boolean },
    signal: AbortSignal,
  ): Promise<RefundAnswer> {
    const params = {
      payment_intent: id,
      ...(amount !== null && { amount }),
      metadata: { [refundMark]: key, ...(isVoid && { [voidMark]: 'yes' }) },
    }
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const idempotencyKey = tries === 1 ? key : `${key}/${tries}`
      try {
        return refundAnswerOf(await this.#client.ask(signal, (api) => api.refunds.create(params, { idempotencyKey })))
      } catch (error) {
        if (!(error instanceof StripeFailure && error.isRefusal)) throw error
        if (!error.isReplay) return 'failed'
      }
    }
    return 'failed'
  }
}
