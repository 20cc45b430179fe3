import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paymentErrorCodes } from '../../../../contract/words.ts'
import { paymentErrorFor } from './declines.ts'

test('the decline code takes precedence over the error code, and unknown codes are a decline', () => {
  for (const [code, decline_code, word] of [
    ['card_declined', 'insufficient_funds', 'insufficient_funds'],
    ['card_declined', 'generic_decline', 'declined'],
    ['card_declined', 'of_next_year', 'declined'],
    ['card_declined', undefined, 'declined'],
    ['expired_card', undefined, 'card_expired'],
    ['incorrect_cvc', 'incorrect_cvc', 'incorrect_details'],
    ['payment_intent_authentication_failure', undefined, 'authentication_failed'],
    ['amount_too_small', undefined, 'method_unavailable'],
    ['processing_error', 'processing_error', 'provider_error'],
    ['constructor', '__proto__', 'declined'],
  ] as const) {
    assert.equal(paymentErrorFor({ code, decline_code }), word, `${code} ${decline_code}`)
    assert.ok(paymentErrorCodes.includes(word))
  }
  assert.equal(paymentErrorFor(null), 'declined')
})

test('the shopper does not learn that a card is reported as lost or suspicious', () => {
  for (const decline_code of ['fraudulent', 'lost_card', 'merchant_blacklist', 'pickup_card', 'stolen_card'])
    assert.equal(paymentErrorFor({ code: 'card_declined', decline_code }), 'declined')
})
