import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripeTokens, tokenPaymentIn } from './tokens.ts'

const handlersOf = (mode: 'test' | 'live') => stripeTokens({ mode, publishableKey: 'pk_test_1', account: undefined })

test('only tokens of Stripe are accepted, and never card details', () => {
  const [shared, google] = handlersOf('test')
  assert.deepEqual(shared?.read({ type: 'token', token: 'spt_1' }), {
    method: 'stripe',
    details: { sharedToken: 'spt_1' },
  })
  assert.deepEqual(google?.read({ type: 'PAYMENT_GATEWAY', token: '{"id":"tok_1","object":"token"}' }), {
    method: 'stripe',
    details: { cardToken: 'tok_1' },
  })
  for (const token of ['pm_1', 'spt_', 'spt_a/../b', 'tok_1', '', 7, null])
    assert.equal(shared?.read({ token }), undefined)
  for (const token of [
    'tok_1',
    '{"id":"pm_1"}',
    '{"id":["tok_1"]}',
    'null',
    '{',
    `{"id":"tok_1","x":"${'x'.repeat(10_000)}"}`,
  ])
    assert.equal(google?.read({ token }), undefined)
  assert.equal(google?.read({ number: '4242424242424242' }), undefined)
})

test('only a shared token is used with the preview version of the API', () => {
  assert.match(tokenPaymentIn({ sharedToken: 'spt_1' })?.apiVersion ?? '', /\.preview$/)
  assert.deepEqual(tokenPaymentIn({ cardToken: 'tok_1' }), {
    paymentMethodData: { type: 'card', card: { token: 'tok_1' } },
  })
  assert.equal(tokenPaymentIn({}), undefined)
})

test('Google Pay is offered in test mode only, with the key of the account', () => {
  assert.deepEqual(
    handlersOf('live').map(({ id }) => id),
    ['stripe_shared_payment_token'],
  )
  const config = handlersOf('test')[1]?.config?.({ mode: 'test', merchantName: 'Tea', currency: 'EUR' })
  assert.match(JSON.stringify(config), /"environment":"TEST".*"gateway":"stripe".*"stripe:publishableKey":"pk_test_1"/)
})
