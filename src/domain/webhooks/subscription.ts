// The subscriptions of an endpoint: a kind of event, every event of a subject (`order.*`), or all events (`*`).

import { type BrokenRule, issue } from '../../contract/issues.ts'
import { type AdminScope, type EventKind, eventKinds } from '../../contract/words.ts'

export const subscriptionsMax = 50

// Returns what is wrong with the list; undefined if it is valid.
export function subscriptionsProblem(subscriptions: readonly string[]): BrokenRule | undefined {
  if (subscriptions.length === 0) return issue('no_event')
  if (subscriptions.length > subscriptionsMax) return issue('too_many_events', { max: subscriptionsMax })
  for (const subscription of subscriptions) {
    if (!eventKinds.some((kind) => isMatchedBy(kind, subscription)))
      return issue('unknown_event', { event: subscription, members: eventKinds })
  }
  return undefined
}

// Whether a caller with these admin scopes may read every event to which these subscriptions apply.
export function mayReadSubscriptions(scopes: readonly string[], subscriptions: readonly string[]): boolean {
  return (
    scopes.includes(defaultSubscriptionScope) ||
    eventKinds.every((kind) => isOfDevelopers(kind) || !subscriptions.some((one) => isMatchedBy(kind, one)))
  )
}

export const defaultSubscriptionScope = 'admin:read' satisfies AdminScope

// Events that may be read with `admin:developers`; all other events are about the shop.
function isOfDevelopers(kind: EventKind): boolean {
  return kind.startsWith('webhook.') || kind.startsWith('app.')
}

function isMatchedBy(kind: EventKind, subscription: string): boolean {
  return subscription === kind || subscription === `${kind.slice(0, kind.indexOf('.'))}.*` || subscription === '*'
}
