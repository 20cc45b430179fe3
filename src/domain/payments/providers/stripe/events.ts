// Stripe's webhook events: the types to which an endpoint subscribes, and the payment that an event is about. Pure.

import type { Stripe } from './client.ts'

export const eventTypes = [
  'payment_intent.succeeded',
  'payment_intent.processing',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
] as const satisfies Stripe.Event.Type[]

// Returns the id of the intent that an event is about; undefined if the event is not about a payment.
export function findIntentId({ type, data }: Pick<Stripe.Event, 'type' | 'data'>): string | undefined {
  if (!(eventTypes as readonly string[]).includes(type)) return undefined
  const object = data.object as { id?: unknown; payment_intent?: unknown }
  const reference = type.startsWith('payment_intent.') ? object.id : object.payment_intent
  return typeof reference === 'string' ? reference : undefined
}
