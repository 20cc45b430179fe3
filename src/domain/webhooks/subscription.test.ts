import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventKinds } from '../../contract/words.ts'
import { subscriptionsMax, subscriptionsProblem } from './subscription.ts'

const taken: [name: string, subscriptions: readonly string[]][] = [
  ['everything', ['*']],
  ['a subject', ['order.*']],
  ['as many kinds by name as allowed', eventKinds.slice(0, subscriptionsMax)],
  ['a mixture of these', ['order.*', 'cart.updated', '*']],
  ['the same event twice', ['order.placed', 'order.placed']],
  ['as many events as allowed', Array.from({ length: subscriptionsMax }, () => '*')],
]
for (const [name, subscriptions] of taken)
  test(`a subscription to ${name} is accepted`, () => assert.equal(subscriptionsProblem(subscriptions), undefined))

const refused: [name: string, subscriptions: readonly string[], problem: RegExp][] = [
  ['no event', [], /^the endpoint must subscribe to at least one event/],
  [
    'too many events',
    Array.from({ length: subscriptionsMax + 1 }, () => '*'),
    /^the endpoint must subscribe to at most 50 events/,
  ],
  ['an unknown event', ['order.eaten'], /^"order\.eaten" is not an event/],
  ['an unknown subject', ['parcel.*'], /^"parcel\.\*" is not an event/],
  ['a subject without the star', ['order'], /^"order" is not an event/],
  ['a part of a subject', ['ord.*'], /is not an event/],
  ['a part of a name', ['order.p*'], /is not an event/],
  ['a pattern with two stars', ['*.*'], /is not an event/],
  ['an empty name', [''], /^"" is not an event/],
  ['an event in another letter case', ['Order.placed'], /is not an event/],
  ['one unknown event among known ones', ['order.*', 'nothing.*'], /^"nothing\.\*" is not an event/],
]
for (const [name, subscriptions, problem] of refused)
  test(`a subscription to ${name} is refused`, () =>
    assert.match(subscriptionsProblem(subscriptions)?.message ?? '', problem))

test('every kind of event can be subscribed to alone, and by its subject', () => {
  for (const kind of eventKinds) {
    assert.equal(subscriptionsProblem([kind]), undefined)
    assert.equal(subscriptionsProblem([`${kind.split('.')[0]}.*`]), undefined)
  }
})
