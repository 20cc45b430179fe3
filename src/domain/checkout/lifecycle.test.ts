import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endsOf, matrixOf, unreachableOf } from '../../../harness/lifecycle.ts'
import { checkoutSessionStatuses, draftStatuses } from '../../contract/words.ts'
import { draftLifecycle, extendedExpiry, holdExpiryFor, sessionLifecycle, sessionStatusAt } from './lifecycle.ts'

test('the lifecycle of a checkout session has exactly these moves and events', () => {
  assert.deepEqual(matrixOf(sessionLifecycle, checkoutSessionStatuses), [
    ['create', null, 'open', 'checkout_session.created'],
    ['change', 'open', 'open', null],
    ['pay', 'open', 'processing', null],
    ['complete', 'processing', 'completed', 'checkout_session.completed'],
    ['decline', 'processing', 'open', 'checkout_session.payment_failed'],
    ['cancel', 'open', 'cancelled', 'checkout_session.cancelled'],
    ['expire', 'open', 'expired', 'checkout_session.expired'],
  ])
  assert.deepEqual(endsOf(sessionLifecycle, checkoutSessionStatuses), ['completed', 'cancelled', 'expired'])
  assert.deepEqual(unreachableOf(sessionLifecycle, checkoutSessionStatuses), [])
})

test('the lifecycle of a draft has exactly these moves and events', () => {
  assert.deepEqual(matrixOf(draftLifecycle, draftStatuses), [
    ['create', null, 'open', 'draft.created'],
    ['change', 'open', 'open', 'draft.updated'],
    ['pay', 'open', 'paying', null],
    ['decline', 'paying', 'open', null],
    ['complete', 'paying', 'paid', 'draft.completed'],
    ['cancel', 'open', 'cancelled', 'draft.cancelled'],
    ['expire', 'open', 'expired', 'draft.expired'],
  ])
  assert.deepEqual(endsOf(draftLifecycle, draftStatuses), ['paid', 'cancelled', 'expired'])
  assert.deepEqual(unreachableOf(draftLifecycle, draftStatuses), [])
})

test('only an open session expires, from its expiry time on', () => {
  const shown = (now: number) =>
    checkoutSessionStatuses.map((status) => sessionStatusAt({ status, expiresAt: 1_000 }, now))
  assert.deepEqual(shown(999), [...checkoutSessionStatuses])
  assert.deepEqual(shown(1_000), ['expired', 'processing', 'completed', 'cancelled', 'expired'])
})

const minute = 60_000

test('stock is held for 15 minutes but not longer than the session, or for the whole session if that is set', () => {
  assert.equal(holdExpiryFor({ expiresAt: 60 * minute, holdsWhole: false }, 0), 15 * minute)
  assert.equal(holdExpiryFor({ expiresAt: 60 * minute, holdsWhole: false }, 50 * minute), 60 * minute)
  assert.equal(holdExpiryFor({ expiresAt: 60 * minute, holdsWhole: true }, 0), 60 * minute)
})

test('an extended session lasts half an hour from now, at most a day since it was opened, and is never shortened', () => {
  const until = (expiresAt: number, now: number) => extendedExpiry({ createdAt: 0, expiresAt }, now)
  const day = 24 * 60 * minute
  assert.equal(until(10 * minute, 5 * minute), 35 * minute)
  assert.equal(until(60 * minute, 5 * minute), 60 * minute)
  assert.equal(until(day - minute, day - 2 * minute), day)
  assert.equal(extendedExpiry({ createdAt: new Date(0).toISOString(), expiresAt: 0 }, 0), 30 * minute)
})
