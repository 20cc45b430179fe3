// Converts Stripe's reasons for a decline to the codes of the contract. Pure; reads only codes, because messages may quote the shopper's
// input.

import type { PaymentErrorCode } from '../../../../contract/words.ts'

export interface StripeFailure {
  code?: string | undefined
  decline_code?: string | undefined
}

// https://docs.stripe.com/declines/codes and https://docs.stripe.com/error-codes. Codes for lost, stolen, picked up, blocked and
// suspected cards are missing on purpose: Stripe requires that they are shown as an ordinary decline, because the shopper may be the
// thief.
// biome-ignore format: a table is read by its rows
const codesByWord: Readonly<Partial<Record<PaymentErrorCode, string>>> = {
  insufficient_funds: 'insufficient_funds card_velocity_exceeded withdrawal_count_limit_exceeded',
  card_expired: 'expired_card',
  incorrect_details: 'incorrect_address incorrect_cvc incorrect_number incorrect_pin incorrect_zip invalid_account invalid_cvc ' +
                     'invalid_expiry_month invalid_expiry_year invalid_number bank_account_unusable invalid_bank_account_iban',
  authentication_failed: 'authentication_required payment_intent_authentication_failure authentication_not_handled ' +
                         'mobile_device_authentication_required offline_pin_required online_or_offline_pin_required',
  method_unavailable: 'amount_too_large amount_too_small card_not_supported currency_not_supported invalid_amount ' +
                      'invalid_charge_amount not_permitted payment_intent_incompatible_payment_method ' +
                      'payment_method_not_available service_not_allowed transaction_not_allowed',
  provider_error: 'api_key_expired issuer_not_available processing_error rate_limit reenter_transaction try_again_later',
}

const words: ReadonlyMap<string, PaymentErrorCode> = new Map(
  Object.entries(codesByWord).flatMap(([word, codes]) =>
    codes.split(' ').map((code): [string, PaymentErrorCode] => [code, word as PaymentErrorCode]),
  ),
)

// The decline code is more precise than the error code. Unknown codes count as an ordinary decline.
export function paymentErrorFor(failure: StripeFailure | null): PaymentErrorCode {
  return words.get(failure?.decline_code ?? '') ?? words.get(failure?.code ?? '') ?? 'declined'
}
