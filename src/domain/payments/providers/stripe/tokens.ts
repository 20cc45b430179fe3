// How agents pay at Stripe without the page: with a token that Stripe or Google Pay created for this account. Pure.

import type { Mode } from '../../../../contract/words.ts'
import type { MethodDetails, TokenHandler } from '../../port.ts'
import { stripeVersion } from './client.ts'

// https://docs.stripe.com/agentic-commerce/concepts/shared-payment-tokens: a preview that is not part of the API version of the package.
const previewVersion = '2026-07-29.preview'

export interface TokenPayment {
  paymentMethodData: object
  // API version of the request (default: that of the package).
  apiVersion?: string
}

export interface StripeTokenParts {
  mode: Mode
  publishableKey: string
  // Stripe's id of the account; undefined if it is unknown.
  account: string | undefined
}

export function stripeTokens({ mode, publishableKey, account }: StripeTokenParts): TokenHandler[] {
  const shared = account === undefined ? sharedToken : { ...sharedToken, delegatedTo: account }
  return [shared, ...(mode === 'test' ? [googlePay(publishableKey)] : [])]
}

// Returns the token to pay with; undefined if the details contain none.
export function tokenPaymentIn({ sharedToken: shared, cardToken }: MethodDetails): TokenPayment | undefined {
  if (shared !== undefined)
    return { paymentMethodData: { shared_payment_granted_token: shared }, apiVersion: previewVersion }
  return cardToken === undefined ? undefined : { paymentMethodData: { type: 'card', card: { token: cardToken } } }
}

// A limited permission to charge, which a platform creates for the Stripe profile of the merchant.
const sharedToken: TokenHandler = {
  id: 'stripe_shared_payment_token',
  name: null,
  ownName: 'stripe_shared_payment_token',
  version: '2026-08-25',
  instruments: ['card'],
  read: ({ token }) =>
    typeof token === 'string' && /^spt_\w{1,200}$/.test(token)
      ? { method: 'stripe', details: { sharedToken: token } }
      : undefined,
}

// https://developers.google.com/pay/api/universal-commerce-protocol: Google encrypts the card for Stripe, and the credential contains
// Stripe's token. In live mode Google requires a merchant id, which this server does not have.
function googlePay(publishableKey: string): TokenHandler {
  return {
    id: 'google_pay_stripe',
    name: 'com.google.pay',
    ownName: 'google_pay',
    version: '2026-01-23',
    instruments: ['card'],
    config: ({ merchantName }) => ({
      api_version: 2,
      api_version_minor: 0,
      environment: 'TEST',
      merchant_info: { merchant_name: merchantName },
      allowed_payment_methods: [
        {
          type: 'CARD',
          parameters: {
            allowed_auth_methods: ['PAN_ONLY', 'CRYPTOGRAM_3DS'],
            allowed_card_networks: ['AMEX', 'DISCOVER', 'JCB', 'MASTERCARD', 'VISA'],
          },
          tokenization_specification: {
            type: 'PAYMENT_GATEWAY',
            parameters: {
              gateway: 'stripe',
              'stripe:version': stripeVersion,
              'stripe:publishableKey': publishableKey,
            },
          },
        },
      ],
    }),
    read({ token }) {
      const id = typeof token === 'string' && token.length <= tokenLengthMax ? tokenIdIn(token) : undefined
      return id === undefined ? undefined : { method: 'stripe', details: { cardToken: id } }
    },
  }
}

const tokenLengthMax = 10_000

// Google Pay passes Stripe's token as JSON.
function tokenIdIn(text: string): string | undefined {
  try {
    const { id } = JSON.parse(text) as { id?: unknown }
    return typeof id === 'string' && /^tok_\w{1,200}$/.test(id) ? id : undefined
  } catch {
    return undefined
  }
}
