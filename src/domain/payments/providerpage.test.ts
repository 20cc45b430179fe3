import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disputePageOf, paymentPageOf } from './providerpage.ts'

const stripe = { provider: 'stripe', mode: 'live', reference: 'pi_1', account: 'acct_9' } as const

test('payments and disputes at Stripe have a page in the Stripe dashboard, of their account and mode', () => {
  assert.equal(paymentPageOf(stripe), 'https://dashboard.stripe.com/acct_9/payments/pi_1')
  assert.equal(
    paymentPageOf({ ...stripe, mode: 'test', account: null }),
    'https://dashboard.stripe.com/test/payments/pi_1',
  )
  const dispute = { ...stripe, mode: 'test', reference: 'dp_2' } as const
  assert.equal(disputePageOf(dispute, 'pi_1'), 'https://dashboard.stripe.com/acct_9/test/disputes/dp_2')
})

test('the page of a chargeback at Mollie is that of its payment', () => {
  const chargeback = { provider: 'mollie', mode: 'live', reference: 'chb_1', account: null } as const
  assert.equal(disputePageOf(chargeback, 'tr_7'), 'https://my.mollie.com/dashboard/payments/tr_7')
  assert.equal(disputePageOf(chargeback, null), null)
})

test('payments at a provider without pages, or with an invalid reference, have no page', () => {
  assert.equal(paymentPageOf({ ...stripe, provider: 'manual' }), null)
  for (const reference of ['', 'pi_', 'pi_1/../../login', 'tr_1', 'pi_1?x', `pi_${'1'.repeat(200)}`])
    assert.equal(paymentPageOf({ ...stripe, reference }), null, reference)
  assert.equal(paymentPageOf({ ...stripe, account: 'evil.example' }), 'https://dashboard.stripe.com/payments/pi_1')
})
