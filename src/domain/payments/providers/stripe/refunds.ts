// Refunds of one account, each with our refund id in its metadata. Before a refund is created, an existing one is searched by that id.

import type { RefundAnswer } from '../../port.ts'
import { type Stripe, type StripeClient, StripeFailure } from './client.ts'
import { refundMark, stripeRefundAnswer, voidMark } from './state.ts'

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

  // Stripe replays responses for a day, including refusals. So after a replayed refusal, the refund is tried again with the next key.
  // Concurrent callers try the same keys in the same order, so only one of them refunds. `amount`: in Stripe's units; null refunds all that
  // is left.
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
        return stripeRefundAnswer(
          await this.#client.ask(signal, (api) => api.refunds.create(params, { idempotencyKey })),
        )
      } catch (error) {
        if (!(error instanceof StripeFailure && error.isRefusal)) throw error
        if (!error.isReplay) return 'failed'
      }
    }
    return 'failed'
  }
}
