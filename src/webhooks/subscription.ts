// What an endpoint subscribes to: the name of an event, every event of a subject (`order.*`), or everything (`*`).

import { type EventKind, eventKinds } from '../contract/words.ts'

export const subscriptionsMax = 50

// Undefined for a valid list; else what is wrong with it.
export function subscriptionsProblem(subscriptions: readonly string[]): string | undefined {
  if (subscriptions.length === 0) return 'name at least one event, subject.* or *'
  if (subscriptions.length > subscriptionsMax)
    return `at most ${subscriptionsMax} events can be named; use subject.* or *`
  for (const subscription of subscriptions) {
    if (!eventKinds.some((kind) => isMatchedBy(kind, subscription)))
      return `${JSON.stringify(subscription)} is not an event: use one of ${eventKinds.join(', ')}, or subject.* or *`
  }
  return undefined
}

function isMatchedBy(kind: EventKind, subscription: string): boolean {
  return subscription === kind || subscription === `${kind.slice(0, kind.indexOf('.'))}.*` || subscription === '*'
}
