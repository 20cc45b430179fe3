// What Stripe's script may do with a publishable key and a client secret: see one intent, and pay it. It sees a part of the intent.

import type Stripe from 'stripe'
import type { Books } from './books.ts'
import { ApiError, invalid } from './errors.ts'
import type { Form } from './form.ts'
import { findInstrument } from './instruments.ts'
import { confirmIntent } from './intents.ts'

interface ShopperRequest {
  method: string
  path: string
  form: Form
}

export function answerShopper(books: Books, { method, path, form }: ShopperRequest): object {
  const [, id = '', action] = /^\/v1\/payment_intents\/([^/]+)(\/confirm)?$/.exec(path) ?? []
  if (id === '' || method !== (action ? 'POST' : 'GET'))
    throw new ApiError(401, {
      type: 'invalid_request_error',
      code: 'secret_key_required',
      message: 'This API call cannot be made with a publishable API key. Please use a secret API key.',
    })
  const intent = books.intent(id)
  if (form.client_secret !== intent.client_secret)
    throw invalid('The client_secret provided does not match the client_secret associated with the PaymentIntent.', {
      code: 'payment_intent_invalid_parameter',
      param: 'client_secret',
    })
  if (!action) return publicView(intent)
  try {
    const { billing_details: billing } = (form.payment_method_data ?? {}) as { billing_details?: object }
    if (billing) books.billing.set(intent.id, billing)
    const returnUrl = typeof form.return_url === 'string' ? form.return_url : null
    return publicView(confirmIntent(books, intent, instrumentOf(form), returnUrl))
  } catch (error) {
    if (!(error instanceof ApiError) || !error.body.payment_intent) throw error
    const { payment_intent: whole, ...body } = error.body
    throw new ApiError(error.status, { ...body, payment_intent: publicView(whole) as Stripe.PaymentIntent })
  }
}

// The form's fields are Stripe's own affair and in no published type.
function instrumentOf({ payment_method_data: data }: Form) {
  const { card, sepa_debit: debit } = (data ?? {}) as { card?: { number?: string }; sepa_debit?: { iban?: string } }
  const found = findInstrument(card?.number ?? debit?.iban ?? '')
  if (found) return found
  throw card
    ? new ApiError(402, { type: 'card_error', code: 'incorrect_number', message: 'Your card number is incorrect.' })
    : invalid('The IBAN you entered is invalid.', { code: 'invalid_bank_account_iban' })
}

function publicView(intent: Stripe.PaymentIntent): object {
  const { id, object, amount, canceled_at, client_secret, created, currency, last_payment_error, livemode } = intent
  const { next_action, payment_method, payment_method_types, receipt_email, status } = intent
  return {
    ...{ id, object, amount, canceled_at, client_secret, created, currency, last_payment_error, livemode },
    ...{ next_action, payment_method, payment_method_types, receipt_email, status },
  }
}
