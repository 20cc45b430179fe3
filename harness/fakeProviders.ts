// The stand-ins of Stripe and Mollie as a run uses them, in the same words: what shoppers, banks and merchants do there, faults on
// the way, and what their books say of each payment.

import {
  type AccountTools,
  accountProvider,
  connectAtProvider,
  insertAccepted,
} from '../src/domain/payments/providers/connect.ts'
import { accountProviders } from '../src/domain/payments/providers/installed.ts'
import type { MerchantMode } from '../src/platform/kit/mode.ts'
import { decimalAmount } from '../src/platform/kit/money.ts'
import { minorOf } from './mollie/books.ts'
import { type Match as MollieMatch, openMollie } from './mollie/standin.ts'
import type { Match as StripeMatch } from './stripe/network.ts'
import { openStripe } from './stripe/standin.ts'

// In minor units. `charges`: how often it was collected. A refund that is on its way counts.
export interface PaidThere {
  charges: number
  collected: number
  refunded: number
  disputes: readonly string[]
}

// What a shopper does where the payment is made.
export type ShopperAct = 'pay' | 'decline' | 'confirm' | 'refuse' | 'later' | 'leave'

export interface FakeProvider {
  readonly name: 'stripe' | 'mollie'
  readonly url: string
  readonly keys: Readonly<Record<string, string>>
  // The value of the form.
  readonly method: string
  // The requests at which a run may break, by name.
  readonly steps: readonly string[]
  // The payment that a page of the checkout leads to.
  referenceIn(page: string): string | undefined
  // Where the shopper comes back to from there.
  returnPathIn(page: string, reference: string): string | undefined
  // False where it cannot be done any more.
  act(reference: string, act: ShopperAct): boolean
  // Pays what was closed, as no provider should.
  payClosed(reference: string): boolean
  isPaid(reference: string): boolean
  // The bank decides what is on its way: the oldest, or all.
  settleOne(isPaid: boolean): void
  settleAll(isPaid: () => boolean): void
  // What differs between accounts or days there.
  change(): void
  // The merchant in the dashboard.
  refund(reference: string, share: number): void
  dispute(reference: string): void
  deliver(options: { isReversed: boolean; times: number }): Promise<void>
  // The webhooks never arrive; those that nothing else tells stay.
  drop(): void
  route(url: (url: string) => string): void
  // The next answer to this request is lost.
  lose(step: string, when: 'before' | 'after', onLost: () => void): void
  reset(): void
  // How long its answers take from now on.
  slowDown(latencyMs: number): void
  age(ms: number): void
  // By the id of our payment.
  books(): Map<string, PaidThere>
  close(): Promise<void>
}

const debit = 'DE89370400440532013000'

export async function openFakeStripe(clock = () => new Date()): Promise<FakeProvider> {
  const standIn = await openStripe({ clock, isRecording: false })
  const there = standIn.account.test
  const { books, webhooks } = there
  const { network } = standIn
  const matches: Readonly<Record<string, StripeMatch>> = {
    'stripe start': { method: 'POST', path: '/v1/payment_intents' },
    'stripe look-up': { method: 'GET', path: /^\/v1\/payment_intents\/\w+$/ },
    'stripe close': { method: 'POST', path: /\/cancel$/ },
    'stripe refund': { method: 'POST', path: '/v1/refunds' },
    'stripe refund state': { method: 'GET', path: '/v1/refunds' },
    'stripe news': { method: 'GET', path: '/v1/events' },
  }
  const isTaken = (reference: string) => books.intents.get(reference)?.status === 'succeeded'
  const debits = () => [...books.intents.values()].filter(({ status }) => status === 'processing')
  const finish = (id: string, isPaid: boolean) => there.finishDebit(id, isPaid ? 'succeeds' : 'fails')

  function act(reference: string, what: ShopperAct): boolean {
    if (what === 'leave') return true
    return tried(() => {
      if (what === 'later') return there.pay(reference, debit)
      if (what === 'pay') return there.pay(reference)
      if (what === 'decline') return there.pay(reference, '4000000000000002')
      there.pay(reference, '4000002500003155')
      return there.authenticate(reference, what === 'confirm' ? 'accept' : 'refuse')
    })
  }

  return {
    name: 'stripe',
    url: standIn.url,
    keys: { publishableKey: there.publishableKey, secretKey: there.restrictedKey },
    method: 'stripe:stripe',
    steps: Object.keys(matches),
    referenceIn: (page) => /(pi_\w+?)_secret_/.exec(page)?.[1],
    returnPathIn: (page) => /data-return="([^"]+)"/.exec(page)?.[1],
    act,
    payClosed(reference) {
      const intent = books.intents.get(reference)
      if (intent?.status !== 'canceled') return false
      Object.assign(intent, { status: 'requires_payment_method', canceled_at: null, cancellation_reason: null })
      return act(reference, 'pay')
    },
    isPaid: isTaken,
    change: () => {},
    settleOne(isPaid) {
      const [first] = debits()
      if (first) finish(first.id, isPaid)
      const refund = [...books.refunds.values()].find(({ status }) => status === 'pending')
      if (refund) there.finishRefund(refund.id)
    },
    settleAll(isPaid) {
      for (const { id } of debits()) finish(id, isPaid())
      for (const { id, status } of books.refunds.values()) if (status === 'pending') there.finishRefund(id)
      for (const { id, status } of books.disputes.values())
        if (status === 'needs_response') there.closeDispute(id, isPaid() ? 'won' : 'lost')
    },
    refund(reference, share) {
      const charge = books.chargeOf(books.intent(reference))
      if (!charge) return
      const left = charge.amount_captured - charge.amount_refunded
      if (left > 0) tried(() => there.refundByHand(reference, Math.max(1, Math.floor(left * share))))
    },
    dispute: (reference) => void tried(() => there.openDispute(reference)),
    deliver: async ({ isReversed, times }) =>
      void (await webhooks.deliver({ order: isReversed ? 'reversed' : 'created', times })),
    drop: () => webhooks.drop(),
    route: (url) => {
      webhooks.route = url
    },
    lose(step, when, onLost) {
      // The client repeats a request whose connection broke, unless it was killed.
      network.lose(when, matches[step] ?? {})
      network.onLost = onLost
    },
    slowDown(latencyMs) {
      network.latencyMs = latencyMs
    },
    reset() {
      network.reset()
      network.onLost = () => {}
    },
    age: (ms) => books.age(ms),
    books() {
      const found = new Map<string, PaidThere>()
      for (const { id, metadata } of books.intents.values()) {
        const charges = [...books.charges.values()].filter(
          (one) => one.payment_intent === id && one.amount_captured > 0,
        )
        const refunds = [...books.refunds.values()].filter(
          (one) => one.payment_intent === id && one.status !== 'failed' && one.status !== 'canceled',
        )
        add(found, metadata.cartwright_payment ?? id, {
          charges: charges.length,
          collected: sum(charges.map((one) => one.amount_captured)),
          refunded: sum(refunds.map((one) => one.amount)),
          disputes: [...books.disputes.values()]
            .filter((one) => one.payment_intent === id)
            .map(({ id: dispute, status }) => `${dispute} ${status}`),
        })
      }
      return found
    },
    close: () => standIn.close(),
  }
}

export async function openFakeMollie(clock = () => new Date()): Promise<FakeProvider> {
  const standIn = await openMollie({ clock, isRecording: false })
  const { books, webhooks, key } = standIn.profile.test
  const matches: Readonly<Record<string, MollieMatch>> = {
    'mollie start': { method: 'POST', path: '/v2/payments' },
    'mollie look-up': { method: 'GET', path: /^\/v2\/payments\/\w+$/ },
    'mollie search': { method: 'GET', path: '/v2/payments' },
    'mollie close': { method: 'DELETE' },
    'mollie refund': { method: 'POST', path: /\/refunds$/ },
    'mollie news': { method: 'GET', path: '/v2/refunds' },
  }
  const acts = { pay: 'pay', confirm: 'pay', decline: 'fail', refuse: 'cancel', leave: 'pay' } as const
  const awaited = () =>
    [...books.payments.values()].filter(
      ({ status, method }) => status === 'pending' || (status === 'open' && method === 'banktransfer'),
    )
  const finish = (id: string, isPaid: boolean) =>
    tried(() => books.settle(id, isPaid ? 'paid' : books.payment(id).status === 'pending' ? 'failed' : 'expired'))

  function act(reference: string, what: ShopperAct): boolean {
    if (what === 'leave') return true
    return tried(() =>
      books.act(reference, {
        kind: what === 'later' ? (Number(reference.at(-1)) % 2 ? 'later' : 'transfer') : acts[what],
      }),
    )
  }

  return {
    name: 'mollie',
    url: standIn.url,
    keys: { key },
    method: 'mollie:online',
    steps: Object.keys(matches),
    referenceIn(page) {
      const [, token] = /\/checkout\/select-method\/(\w+)/.exec(page) ?? []
      return token && [...books.payments.values()].find((payment) => payment.token === token)?.id
    },
    returnPathIn: (_, reference) => new URL(books.payment(reference).request.redirectUrl).pathname,
    act,
    payClosed(reference) {
      const payment = books.payments.get(reference)
      if (payment?.status !== 'canceled' && payment?.status !== 'expired') return false
      Object.assign(payment, { status: 'open', changedAt: null, expiresAt: clock().getTime() + 60_000 })
      return act(reference, 'pay')
    },
    isPaid: (reference) => books.payments.get(reference)?.status === 'paid',
    change() {
      books.opensCancelable = !books.opensCancelable
    },
    settleOne(isPaid) {
      const [first] = awaited()
      if (first) finish(first.id, isPaid)
      books.moveRefunds('refunded')
    },
    settleAll(isPaid) {
      for (const { id } of awaited()) finish(id, isPaid())
      books.moveRefunds('refunded')
    },
    refund(reference, share) {
      const { amount } = books.payment(reference).request
      const left = minorOf(amount) - books.refundedMinor(reference)
      if (left <= 0) return
      const value = decimalAmount(Math.max(1, Math.floor(left * share)), amount.currency)
      tried(() => books.refund(reference, { amount: { currency: amount.currency, value } }))
    },
    dispute: (reference) => void tried(() => books.chargeBack(reference)),
    deliver: async ({ isReversed, times }) =>
      void (await webhooks.deliver({ order: isReversed ? 'reversed' : 'happened', times })),
    // Mollie lists when a refund was made, and not when it went on: without its webhooks nobody hears of that.
    drop() {
      books.notices = books.notices.filter((id) => books.refundsOf(id).length > 0)
    },
    route: (url) => {
      webhooks.route = url
    },
    lose(step, when, onLost) {
      standIn.lose(when, matches[step] ?? {})
      standIn.onLost = onLost
    },
    slowDown(latencyMs) {
      standIn.latencyMs = latencyMs
    },
    reset() {
      standIn.reset()
      standIn.onLost = () => {}
    },
    age: (ms) => books.age(ms),
    books() {
      const found = new Map<string, PaidThere>()
      for (const { id, status, request } of books.payments.values()) {
        const isPaid = status === 'paid'
        add(found, String(request.metadata?.cartwright_payment ?? id), {
          charges: isPaid ? 1 : 0,
          collected: isPaid ? minorOf(request.amount) : 0,
          refunded: books.refundedMinor(id),
          disputes: [...books.chargebacks.values()]
            .filter((one) => one.paymentId === id)
            .map(({ id: dispute, reversedAt }) => `${dispute} ${reversedAt === null ? 'needs_response' : 'won'}`),
        })
      }
      return found
    },
    close: () => standIn.close(),
  }
}

// Accounts of the merchant there, as `payments connect` makes them.
export async function connectFakeProviders(
  fakeProviders: readonly FakeProvider[],
  parts: Omit<AccountTools, 'withAccount' | 'record'>,
  merchant: MerchantMode,
): Promise<void> {
  const tools = { ...parts, withAccount: accountProviders(parts.providerUrls, parts.clock), record: () => {} }
  for (const { name, keys } of fakeProviders) {
    const accepted = await connectAtProvider(tools, merchant, await accountProvider(tools, name), keys)
    await tools.storage.write((tx) => insertAccepted(tx, accepted))
  }
}

export function urlsOf(fakeProviders: readonly FakeProvider[]): Readonly<Record<string, string>> {
  return Object.fromEntries(fakeProviders.map(({ name, url }) => [name, url]))
}

// False where the provider refuses it.
function tried(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}

// Adds to what the key has already.
function add(found: Map<string, PaidThere>, key: string, more: PaidThere): void {
  const known = found.get(key)
  found.set(key, {
    charges: (known?.charges ?? 0) + more.charges,
    collected: (known?.collected ?? 0) + more.collected,
    refunded: (known?.refunded ?? 0) + more.refunded,
    disputes: [...(known?.disputes ?? []), ...more.disputes],
  })
}
