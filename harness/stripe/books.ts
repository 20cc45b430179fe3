// What Stripe stores of one account in one mode: objects, events, and the deliveries that are due. It knows nothing of HTTP.

import type Stripe from 'stripe'
import { missing } from './errors.ts'
import type { Instrument } from './instruments.ts'
import { type CommonFields, type EventRequest, newEvent } from './objects.ts'

// What is known of an attempt to pay beside the object itself.
export interface Attempt {
  instrument: Instrument
  returnUrl: string | null
  // Names the bank's page of this attempt.
  token: string
}

export interface PendingDelivery {
  event: Stripe.EventBase
  endpoint: string
}

export interface Totals {
  // Minor units as Stripe counts them, by currency in small letters.
  charged: Record<string, number>
  refunded: Record<string, number>
  disputed: Record<string, number>
}

export class Books {
  readonly account: string
  readonly livemode: boolean
  readonly origin: string
  readonly intents = new Map<string, Stripe.PaymentIntent>()
  readonly charges = new Map<string, Stripe.Charge>()
  readonly refunds = new Map<string, Stripe.Refund>()
  readonly disputes = new Map<string, Stripe.Dispute>()
  readonly events = new Map<string, Stripe.EventBase>()
  readonly domains = new Map<string, Stripe.PaymentMethodDomain>()
  readonly endpoints = new Map<string, Stripe.WebhookEndpoint>()
  readonly endpointSecrets = new Map<string, string>()
  // By intent: what the frame told of the shopper.
  readonly billing = new Map<string, object>()
  // By intent: the attempt under way, or the last one.
  readonly attempts = new Map<string, Attempt>()
  pending: PendingDelivery[] = []
  // The request that is being worked on; null in the dashboard.
  request: EventRequest = { id: null, idempotency_key: null }
  onEvent: (() => void) | undefined
  readonly #clock: () => Date

  constructor(parts: { account: string; livemode: boolean; origin: string; clock: () => Date }) {
    this.account = parts.account
    this.livemode = parts.livemode
    this.origin = parts.origin
    this.#clock = parts.clock
  }

  get common(): CommonFields {
    return { livemode: this.livemode, created: Math.floor(this.#clock().getTime() / 1000) }
  }

  emit(type: Stripe.Event.Type, object: object): void {
    const event = newEvent(this.common, { type, object, request: this.request })
    this.events.set(event.id, event)
    for (const { id, enabled_events: wanted, status } of this.endpoints.values()) {
      if (status !== 'enabled' || !(wanted.includes('*') || wanted.includes(type))) continue
      event.pending_webhooks += 1
      this.pending.push({ event, endpoint: id })
    }
    this.onEvent?.()
  }

  // As it was before anything happened.
  clear(): void {
    for (const objects of [this.intents, this.charges, this.refunds, this.disputes, this.events]) objects.clear()
    this.pending = []
  }

  intent(id: string): Stripe.PaymentIntent {
    const found = this.intents.get(id)
    if (!found) throw missing('payment_intent', id)
    return found
  }

  charge(id: string): Stripe.Charge {
    const found = this.charges.get(id)
    if (!found) throw missing('charge', id)
    return found
  }

  refund(id: string): Stripe.Refund {
    const found = this.refunds.get(id)
    if (!found) throw missing('refund', id)
    return found
  }

  dispute(id: string): Stripe.Dispute {
    const found = this.disputes.get(id)
    if (!found) throw missing('dispute', id)
    return found
  }

  // The charge of the last attempt, if it came to one.
  chargeOf(intent: Stripe.PaymentIntent): Stripe.Charge | undefined {
    return typeof intent.latest_charge === 'string' ? this.charges.get(intent.latest_charge) : undefined
  }

  // As if this had passed, for a database whose times are moved as well.
  age(ms: number): void {
    const seconds = Math.round(ms / 1000)
    for (const objects of [this.intents, this.charges, this.refunds, this.disputes, this.events])
      for (const object of objects.values()) object.created -= seconds
  }

  totals(): Totals {
    const totals: Totals = { charged: {}, refunded: {}, disputed: {} }
    const add = (sums: Record<string, number>, currency: string, amount: number) => {
      sums[currency] = (sums[currency] ?? 0) + amount
    }
    for (const { status, currency, amount_captured: amount } of this.charges.values())
      if (status === 'succeeded' && amount > 0) add(totals.charged, currency, amount)
    for (const { status, currency, amount } of this.refunds.values())
      if (status !== 'failed' && status !== 'canceled') add(totals.refunded, currency, amount)
    for (const { status, currency, amount } of this.disputes.values())
      if (status !== 'won' && !status.startsWith('warning_')) add(totals.disputed, currency, amount)
    return totals
  }
}
