// Every way this server says no: the code, its status and its sentence. The sentence is the default; a refusal may say
// it more exactly, but never with another meaning.

// biome-ignore format: a table reads best with one row a line
export const refusals = {
  invalid_request:            { status: 400, sentence: 'The request does not match the contract.' },
  malformed_json:             { status: 400, sentence: 'The body is not well-formed JSON.' },
  body_required:              { status: 400, sentence: 'This operation needs a JSON body.' },
  body_not_allowed:           { status: 400, sentence: 'This operation takes no body.' },
  body_too_large:             { status: 400, sentence: 'The body is larger than 64 KiB.' },
  unsupported_media_type:     { status: 400, sentence: 'The body must be sent as application/json in UTF-8.' },
  idempotency_key_required:   { status: 400, sentence: 'Send an idempotency key: the member idempotencyKey or the header Idempotency-Key.' },
  idempotency_key_invalid:    { status: 400, sentence: 'The idempotency key must be 1 to 255 visible ASCII characters.' },
  idempotency_key_ambiguous:  { status: 400, sentence: 'The idempotency keys in the body and in the header differ.' },

  unauthenticated:            { status: 401, sentence: 'Authentication failed.' },

  scope_missing:              { status: 403, sentence: 'Insufficient authorization scope.' },

  route_not_found:            { status: 404, sentence: 'There is no such path or method.' },
  product_not_found:          { status: 404, sentence: 'There is no such product.' },
  cart_not_found:             { status: 404, sentence: 'There is no such cart.' },
  cart_item_not_found:        { status: 404, sentence: 'The cart has no item of this SKU.' },
  checkout_session_not_found: { status: 404, sentence: 'There is no such checkout session.' },
  order_not_found:            { status: 404, sentence: 'There is no such order.' },
  webhook_endpoint_not_found: { status: 404, sentence: 'There is no such webhook endpoint.' },
  webhook_delivery_not_found: { status: 404, sentence: 'There is no such webhook delivery.' },
  credential_not_found:       { status: 404, sentence: 'There is no such key.' },

  idempotency_key_reused:     { status: 409, sentence: 'This idempotency key was used before with another request.' },
  version_conflict:           { status: 409, sentence: 'The resource has changed since the version that the request expects.' },
  cart_not_open:              { status: 409, sentence: 'The cart can no longer be changed.' },
  cart_locked:                { status: 409, sentence: 'The cart is locked while its payment is in progress.' },
  cart_empty:                 { status: 409, sentence: 'The cart has no items.' },
  insufficient_stock:         { status: 409, sentence: 'There is not enough stock for this quantity.' },
  item_unavailable:           { status: 409, sentence: 'The SKU cannot be bought.' },
  quantity_limit_exceeded:    { status: 409, sentence: 'The quantity or the number of lines is above the limit.' },
  currency_mismatch:          { status: 409, sentence: 'The currencies do not agree.' },
  address_undeliverable:      { status: 409, sentence: 'The merchant does not deliver to this address.' },
  checkout_session_not_open:  { status: 409, sentence: 'The checkout session is not open.' },
  payment_in_progress:        { status: 409, sentence: 'A payment is in progress.' },
  order_not_cancellable:      { status: 409, sentence: 'The order cannot be cancelled.' },
  delivery_not_final:         { status: 409, sentence: 'The delivery is still being attempted.' },
  delivery_already_succeeded: { status: 409, sentence: 'The delivery has succeeded; set allowSucceeded to replay it.' },
  replay_in_progress:         { status: 409, sentence: 'A replay of this delivery is already under way.' },
  endpoint_disabled:          { status: 409, sentence: 'The webhook endpoint is not enabled.' },
  payload_expired:            { status: 409, sentence: 'The payload of this event is no longer kept.' },

  rate_limited:               { status: 429, sentence: 'Too many requests.' },

  internal_error:             { status: 500, sentence: 'Something went wrong on our side.' },
  unavailable:                { status: 503, sentence: 'The service cannot answer now. Try again.' },
} as const satisfies Record<string, Refusal>

export interface Refusal {
  status: 400 | 401 | 403 | 404 | 409 | 429 | 500 | 503
  sentence: string
}

export type RefusalCode = keyof typeof refusals
export type RefusalStatus = (typeof refusals)[RefusalCode]['status']

// The codes of one status: `RefusalCodeOf<404>`.
export type RefusalCodeOf<Status extends RefusalStatus> = {
  [Code in RefusalCode]: (typeof refusals)[Code]['status'] extends Status ? Code : never
}[RefusalCode]

export const refusalCodes = Object.keys(refusals) as RefusalCode[]
