// Errors as Stripe answers them: https://docs.stripe.com/api/errors and https://docs.stripe.com/error-codes. Messages that clients are
// known to read are written as Stripe writes them.

import type Stripe from 'stripe'

export interface ErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  message: string
  code?: string
  decline_code?: string
  param?: string
  charge?: string
  payment_intent?: Stripe.PaymentIntent
  doc_url?: string
}

export class ApiError extends Error {
  readonly status: number
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody) {
    super(body.message)
    this.status = status
    this.body = body.code ? { ...body, doc_url: docUrl(body.code) } : body
  }
}

export function docUrl(code: string): string {
  return `https://docs.stripe.com/error-codes/${code.replaceAll('_', '-')}`
}

export function invalid(message: string, extra: Omit<ErrorBody, 'type' | 'message'> = {}): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', message, ...extra })
}

export function missing(kind: string, id: string, hint = ''): ApiError {
  const param = kind === 'payment_intent' ? 'intent' : 'id'
  const message = `No such ${kind}: '${id}'${hint}`
  return new ApiError(404, { type: 'invalid_request_error', code: 'resource_missing', message, param })
}

export function unexpectedState(message: string, intent: Stripe.PaymentIntent): ApiError {
  return invalid(message, { code: 'payment_intent_unexpected_state', payment_intent: intent })
}
