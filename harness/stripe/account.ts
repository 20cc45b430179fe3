// One account at Stripe as a test controls it: its keys and books by mode, and what shoppers, banks and the merchant in the
// dashboard do to them outside the API.

import { randomBytes } from 'node:crypto'
import type Stripe from 'stripe'
import { Books } from './books.ts'
import { closeDispute, type DisputeOptions, openDispute } from './disputes.ts'
import { ApiError } from './errors.ts'
import { IdempotencyKeys } from './idempotency.ts'
import { findInstrument } from './instruments.ts'
import { authenticateIntent, cancelIntent, confirmIntent, finishDebit } from './intents.ts'
import { newId } from './objects.ts'
import { cancelRefund, createRefund, failRefund, finishRefund } from './refunds.ts'
import { Webhooks } from './webhooks.ts'

export class Account {
  readonly id = newId('acct')
  readonly test: AccountMode
  readonly live: AccountMode

  constructor(parts: { origin: string; clock: () => Date }) {
    this.test = new AccountMode({ ...parts, account: this.id, livemode: false })
    this.live = new AccountMode({ ...parts, account: this.id, livemode: true })
  }
}

export class AccountMode {
  readonly books: Books
  readonly keys = new IdempotencyKeys()
  readonly webhooks: Webhooks
  readonly secretKey: string
  readonly restrictedKey: string
  readonly publishableKey: string
  readonly #revoked = new Set<string>()
  readonly #denied = new Set<string>()

  constructor(parts: { account: string; livemode: boolean; origin: string; clock: () => Date }) {
    const word = parts.livemode ? 'live' : 'test'
    const key = (kind: string) => `${kind}_${word}_${randomBytes(18).toString('hex')}`
    this.secretKey = key('sk')
    this.restrictedKey = key('rk')
    this.publishableKey = key('pk')
    this.books = new Books(parts)
    this.webhooks = new Webhooks(this.books, parts.clock)
  }

  // Takes the right to a resource, such as `webhook_endpoints`, from the restricted key.
  deny(resource: string): void {
    this.#denied.add(resource)
  }

  allow(resource: string): void {
    this.#denied.delete(resource)
  }

  isDenied(key: string, resource: string): boolean {
    return key === this.restrictedKey && this.#denied.has(resource)
  }

  revoke(key: string): void {
    this.#revoked.add(key)
  }

  restore(key: string): void {
    this.#revoked.delete(key)
  }

  isRevoked(key: string): boolean {
    return this.#revoked.has(key)
  }

  // The shopper, by card number, IBAN or the token of one. A decline is not thrown; the status tells.
  pay(intent: string, instrument = '4242424242424242', returnUrl: string | null = null): Stripe.PaymentIntent.Status {
    const found = findInstrument(instrument)
    if (!found) throw new Error(`${instrument} is not a test card or account`)
    const target = this.books.intent(intent)
    try {
      confirmIntent(this.books, target, found, returnUrl)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 402) throw error
    }
    return target.status
  }

  // The shopper on the bank's page.
  authenticate(intent: string, answer: 'accept' | 'refuse' = 'accept'): Stripe.PaymentIntent.Status {
    const target = this.books.intent(intent)
    authenticateIntent(this.books, target, answer)
    return target.status
  }

  // The shopper's bank.
  finishDebit(intent: string, outcome?: 'succeeds' | 'fails'): Stripe.PaymentIntent.Status {
    const target = this.books.intent(intent)
    finishDebit(this.books, target, outcome)
    return target.status
  }

  finishRefund(refund: string): void {
    finishRefund(this.books, this.books.refund(refund))
  }

  failRefund(refund: string, reason?: string): void {
    failRefund(this.books, this.books.refund(refund), reason)
  }

  openDispute(intent: string, options?: DisputeOptions): Stripe.Dispute {
    const charge = this.books.chargeOf(this.books.intent(intent))
    if (!charge) throw new Error(`${intent} has no charge`)
    return openDispute(this.books, charge, options)
  }

  closeDispute(dispute: string, outcome: 'won' | 'lost'): void {
    closeDispute(this.books, this.books.dispute(dispute), outcome)
  }

  // The merchant in the dashboard.
  refundByHand(intent: string, amount?: number): Stripe.Refund {
    const charge = this.books.chargeOf(this.books.intent(intent))
    return createRefund(this.books, charge, amount === undefined ? {} : { amount })
  }

  cancelRefundByHand(refund: string): void {
    cancelRefund(this.books, this.books.refund(refund))
  }

  cancelByHand(intent: string): void {
    cancelIntent(this.books, this.books.intent(intent), 'requested_by_customer')
  }
}
