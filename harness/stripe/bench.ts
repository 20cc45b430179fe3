// Stripe in the suite of all payment providers.

import assert from 'node:assert/strict'
import type Stripe from 'stripe'
import type { Charge } from '../../src/domain/payments/port.ts'
import { createStripeAccounts } from '../../src/domain/payments/providers/stripe/account.ts'
import { connectedAccount, type ProviderBench } from '../providerBench.ts'
import { openStripe } from './standin.ts'

const debitAccount = 'DE89370400440532013000'

export async function openStripeBench(clock: () => Date): Promise<ProviderBench> {
  const stripe = await openStripe({ clock })
  const { test } = stripe.account
  const provider = createStripeAccounts({ clock, url: stripe.url }).open({
    account: connectedAccount({
      provider: 'stripe',
      public: { account: stripe.account.id, publishableKey: test.publishableKey },
    }),
    secrets: { secretKey: test.restrictedKey },
    previous: [],
    noticeUrl: null,
    pageHost: null,
  })
  const intentsOf = ({ key }: Charge): Stripe.PaymentIntent[] =>
    [...test.books.intents.values()].filter(({ metadata }) => metadata.cartwright_payment === key)
  const intentOf = (charge: Charge): string => {
    const [intent] = intentsOf(charge)
    assert.ok(intent, 'the intent is in the books')
    return intent.id
  }
  return {
    provider,
    method: 'stripe',
    details: {},
    books: {
      async of(charge) {
        const ids = intentsOf(charge).map(({ id }) => id)
        const refunds = [...test.books.refunds.values()].filter(
          ({ payment_intent, status }) =>
            ids.includes(String(payment_intent)) && status !== 'failed' && status !== 'canceled',
        )
        return { charges: ids.length, refunded: refunds.reduce((sum, { amount }) => sum + amount, 0) }
      },
      refund: async (charge, amount) => void test.refundByHand(intentOf(charge), amount),
      dispute: async (charge) => void test.openDispute(intentOf(charge)),
      closesUnknownKeys: true,
      makesByLookingUp: true,
    },
    shopper: {
      async act(charge, what) {
        const intent = intentOf(charge)
        if (what === 'leave') return
        test.pay(intent, what === 'fail' ? '4000000000000002' : what === 'later' ? debitAccount : undefined)
      },
      settle: async (charge, how) => void test.finishDebit(intentOf(charge), how === 'paid' ? 'succeeds' : 'fails'),
    },
    network: {
      // The official client repeats a request whose connection broke.
      lose: (when, what) =>
        stripe.network.lose(
          when,
          { method: 'POST', path: what === 'charge' ? '/v1/payment_intents' : '/v1/refunds' },
          2,
        ),
      forgetKeys: () => test.keys.forget(),
    },
    close: () => stripe.close(),
  }
}
