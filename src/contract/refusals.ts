// Every refusal of this server: the code, its status and its sentence. The sentence is the default; a refusal may use a more specific
// sentence, but never one with another meaning.

// Refusals that an operation of the open interface may answer with. The OpenAPI document and the reference page list them.
// biome-ignore format: a table reads best with one row a line
export const openInterfaceRefusals = {
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
  page_not_found:             { status: 404, sentence: 'There is no such page.' },
  cart_not_found:             { status: 404, sentence: 'There is no such cart.' },
  cart_item_not_found:        { status: 404, sentence: 'The cart has no item of this SKU.' },
  checkout_session_not_found: { status: 404, sentence: 'There is no such checkout session.' },
  order_not_found:            { status: 404, sentence: 'There is no such order.' },
  webhook_endpoint_not_found: { status: 404, sentence: 'There is no such webhook endpoint.' },
  webhook_delivery_not_found: { status: 404, sentence: 'There is no such webhook delivery.' },
  credential_not_found:       { status: 404, sentence: 'There is no such key.' },
  merchant_not_found:         { status: 404, sentence: 'There is no such merchant.' },
  customer_address_not_found: { status: 404, sentence: 'The customer has no such address.' },

  idempotency_key_reused:     { status: 409, sentence: 'This idempotency key was used before with another request.' },
  version_conflict:           { status: 409, sentence: 'The resource has changed since the version that the request expects.' },
  customer_address_limit:     { status: 409, sentence: 'The customer has as many addresses as can be saved.' },
  cart_not_open:              { status: 409, sentence: 'The cart can no longer be changed.' },
  cart_locked:                { status: 409, sentence: 'The cart is locked while its payment is in progress.' },
  cart_empty:                 { status: 409, sentence: 'The cart has no items.' },
  insufficient_stock:         { status: 409, sentence: 'There is not enough stock for this quantity.' },
  item_unavailable:           { status: 409, sentence: 'The SKU cannot be bought.' },
  quantity_limit_exceeded:    { status: 409, sentence: 'The quantity or the number of lines is above the limit.' },
  currency_mismatch:          { status: 409, sentence: 'The currencies do not agree.' },
  address_undeliverable:      { status: 409, sentence: 'The merchant does not deliver to this address.' },
  shipping_option_not_offered: { status: 409, sentence: 'The shipping option is not offered for this cart.' },
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

// Further refusals of an operator's commands. The commands use the codes above if the meaning is the same.
// biome-ignore format: a table reads best with one row a line
export const operatorRefusals = {
  webhook_endpoint_invalid:   { status: 400, sentence: 'The webhook endpoint is not valid.' },
  payment_method_invalid:     { status: 400, sentence: 'The payment method settings are not valid.' },

  person_required:            { status: 403, sentence: 'This is done by a signed-in person, not by a key or an app.' },

  installation_not_found:     { status: 404, sentence: 'There is no such installation.' },
  email_not_found:            { status: 404, sentence: 'There is no such e-mail.' },
  agent_platform_not_found:   { status: 404, sentence: 'There is no such platform.' },
  app_not_found:              { status: 404, sentence: 'There is no such app.' },
  app_installation_not_found: { status: 404, sentence: 'There is no such active installation of an app.' },
  user_not_found:             { status: 404, sentence: 'There is no such user.' },
  member_not_found:           { status: 404, sentence: 'There is no such member.' },
  invitation_not_found:       { status: 404, sentence: 'There is no such invitation, or it has expired or was used.' },
  promotion_not_found:        { status: 404, sentence: 'There is no such promotion.' },
  payment_not_found:          { status: 404, sentence: 'There is no such payment.' },
  payment_provider_not_found: { status: 404, sentence: 'There is no such payment provider.' },
  payment_account_not_found:  { status: 404, sentence: 'There is no such account at a payment provider.' },
  category_not_found:         { status: 404, sentence: 'There is no such category.' },
  picture_not_found:          { status: 404, sentence: 'There is no such picture.' },
  withdrawal_not_found:       { status: 404, sentence: 'There is no such withdrawal.' },
  customer_not_found:         { status: 404, sentence: 'There is no such customer.' },
  draft_not_found:            { status: 404, sentence: 'There is no such draft.' },
  document_not_found:         { status: 404, sentence: 'There is no such document.' },
  fulfillment_not_found:      { status: 404, sentence: 'There is no such fulfillment.' },
  change_not_found:           { status: 404, sentence: 'There is no such entry in the list of changes.' },
  sku_not_found:              { status: 404, sentence: 'There is no such SKU.' },
  transfer_not_found:         { status: 404, sentence: 'There is no such import.' },

  product_exists:             { status: 409, sentence: 'There is already a product with this slug.' },
  sku_exists:                 { status: 409, sentence: 'There is already a SKU with this code in another product.' },
  category_exists:            { status: 409, sentence: 'There is already a category with this slug.' },
  app_exists:                 { status: 409, sentence: 'There is already an app with this name.' },
  user_exists:                { status: 409, sentence: 'There is already a user with this e-mail address.' },
  member_exists:              { status: 409, sentence: 'This person is already a member.' },
  last_owner:                 { status: 409, sentence: 'A merchant always has an owner: make another member an owner first.' },
  invitation_limit:           { status: 409, sentence: 'The merchant has no room for another member or invitation.' },
  mail_off:                   { status: 409, sentence: 'A key or an app reaches people by mail, and this server sends none.' },
  person_of_others:           { status: 409, sentence: 'This person also acts for other merchants and must reset the password themselves.' },
  promotion_exists:           { status: 409, sentence: 'There is already a promotion with this code.' },
  app_not_changeable:         { status: 409, sentence: 'The app belongs to another merchant.' },
  installation_exists:        { status: 409, sentence: 'There is already an installation with this name.' },
  installation_limit:         { status: 409, sentence: 'The merchant has no room for another installation.' },
  credential_limit:           { status: 409, sentence: 'The installation has no room for another key: revoke one first.' },
  currency_not_changeable:    { status: 409, sentence: 'The currency cannot change: there are prices in it.' },
  mode_not_changeable:        { status: 409, sentence: 'The mode of an installation cannot change.' },
  slug_not_changeable:        { status: 409, sentence: 'The slug cannot change: other things refer to it.' },
  code_not_changeable:        { status: 409, sentence: 'The code cannot change.' },
  product_archived:           { status: 409, sentence: 'The product is archived.' },
  product_list_full:          { status: 409, sentence: 'The product has no room for another category or tag.' },
  price_not_possible:         { status: 409, sentence: 'The price is too high, or not below the compare-at price.' },
  price_changed:              { status: 409, sentence: 'The price is not what the request expects.' },
  order_not_editable:         { status: 409, sentence: 'The order cannot be edited any more, or not now.' },
  order_edit_not_possible:    { status: 409, sentence: 'The order cannot be changed in this way.' },
  draft_not_open:             { status: 409, sentence: 'The draft is paid, cancelled or expired.' },
  draft_without_email:        { status: 409, sentence: 'The draft has no e-mail address.' },
  draft_email_limit:          { status: 409, sentence: 'The link of the draft was sent as often as it can be.' },
  total_changed:              { status: 409, sentence: 'The total is not what the request expects.' },
  stock_changed:              { status: 409, sentence: 'The stock is not what the request expects.' },
  stock_not_possible:         { status: 409, sentence: 'The stock would be below zero or too high.' },
  category_in_use:            { status: 409, sentence: 'The category has products, categories below it, or promotions.' },
  category_limit:             { status: 409, sentence: 'The merchant has no room for another category.' },
  category_too_deep:          { status: 409, sentence: 'The category would be nested too deeply.' },
  usage_limit_too_low:        { status: 409, sentence: 'The promotion was used more often than the limit allows.' },
  credential_already_rotated: { status: 409, sentence: 'The key was rotated before.' },
  picture_limit:              { status: 409, sentence: 'The merchant has no room for another picture, or the picture none for another size.' },
  agents_closed:              { status: 409, sentence: 'The shop was never opened to agents in this mode.' },
  webhook_endpoint_limit:     { status: 409, sentence: 'The installation has no room for another webhook endpoint.' },
  secret_version_given:       { status: 409, sentence: 'The root secret still contains this version.' },
  secret_version_needed:      { status: 409, sentence: 'This version of the root secret is still needed.' },
  payment_account_exists:     { status: 409, sentence: 'There is already an account at this payment provider in this mode.' },
  payment_account_refused:    { status: 409, sentence: 'The payment provider does not accept these keys.' },
  payment_provider_silent:    { status: 409, sentence: 'The payment provider gave no answer.' },
  payment_account_ended:      { status: 409, sentence: 'The account has ended.' },
  payment_account_unusable:   { status: 409, sentence: 'The secrets of the account cannot be opened with this root secret.' },
  notices_not_signed:         { status: 409, sentence: 'The payment provider does not sign its notices.' },
  payment_not_closable:       { status: 409, sentence: 'The payment cannot be closed.' },
  money_not_recordable:       { status: 409, sentence: 'This money cannot be recorded for the order.' },
  payment_not_awaited:        { status: 409, sentence: 'No payment is awaited for this order.' },
  order_not_fulfillable:      { status: 409, sentence: 'The order cannot be sent.' },
  order_not_paid:             { status: 409, sentence: 'The order is not paid.' },
  order_not_sent:             { status: 409, sentence: 'The order was not sent.' },
  order_is_test:              { status: 409, sentence: 'The order is a test order.' },
  fulfillment_not_possible:   { status: 409, sentence: 'The order has nothing like this left to send.' },
  email_not_retryable:        { status: 409, sentence: 'The e-mail cannot be sent again.' },
  return_not_found:           { status: 404, sentence: 'There is no such return.' },
  return_not_possible:        { status: 409, sentence: 'These items cannot be returned.' },
  return_already_open:        { status: 409, sentence: 'The order has a return that is not finished.' },
  exchange_not_possible:      { status: 409, sentence: 'The items cannot be exchanged for these.' },
  return_not_changeable:      { status: 409, sentence: 'The return is in another state.' },
  text_limit:                 { status: 409, sentence: 'The text has no room for another version.' },
  note_limit:                 { status: 409, sentence: 'The order has no room for another note.' },
  refund_not_possible:        { status: 409, sentence: 'The order has nothing like this left to refund.' },
  change_too_large:           { status: 409, sentence: 'The change is too large for one request: make it in parts.' },
  change_not_undoable:        { status: 409, sentence: 'This change cannot be taken back.' },
  change_already_undone:      { status: 409, sentence: 'This change was taken back before.' },
  change_overtaken:           { status: 409, sentence: 'What the change made of the thing was changed since.' },
  host_not_found:             { status: 404, sentence: 'The shop has no such host.' },
  maker_not_found:            { status: 404, sentence: 'There is no such maker.' },
  maker_exists:               { status: 409, sentence: 'There is already a maker with this slug.' },
  maker_in_use:               { status: 409, sentence: 'Products name the maker.' },
  maker_limit:                { status: 409, sentence: 'The merchant has no room for another maker.' },
  redirect_not_found:         { status: 404, sentence: 'There is no such redirect.' },
  redirect_exists:            { status: 409, sentence: 'The shop has a redirect of this path already.' },
  redirect_limit:             { status: 409, sentence: 'The shop has as many redirects as it can have: remove one first.' },
  page_exists:                { status: 409, sentence: 'The shop has a page with this path already.' },
  page_limit:                 { status: 409, sentence: 'The shop has as many pages as it can have: remove one first.' },
  host_limit:                 { status: 409, sentence: 'The shop has as many hosts as it can have: remove one first.' },
  host_not_proved:            { status: 409, sentence: 'The host is not proved yet, so it cannot be the main one.' },
  transfer_limit:             { status: 409, sentence: 'The merchant has no room for another import: discard or confirm one first.' },
  transfer_not_receiving:     { status: 409, sentence: 'All pieces of the import were sent.' },
  transfer_not_ready:         { status: 409, sentence: 'The import is not in a state for this.' },
  nothing_to_refund:          { status: 409, sentence: 'There is nothing to refund.' },
  refund_pending:             { status: 409, sentence: 'A refund is already on its way.' },
  refund_amount_too_high:     { status: 409, sentence: 'The amount is more than is left to refund.' },
  refund_amount_not_payable:  { status: 409, sentence: 'The payment provider cannot pay this amount back.' },
  refund_amount_too_low:      { status: 409, sentence: 'The amount is less than failed refunds still owe.' },

} as const satisfies Record<string, Refusal>

export const refusals = { ...openInterfaceRefusals, ...operatorRefusals } as const

export interface Refusal {
  status: 400 | 401 | 403 | 404 | 409 | 429 | 500 | 503
  sentence: string
}

export type RefusalCode = keyof typeof refusals
export type RefusalStatus = (typeof refusals)[RefusalCode]['status']

// The codes of one HTTP status: `RefusalCodeOf<404>`.
export type RefusalCodeOf<Status extends RefusalStatus> = {
  [Code in RefusalCode]: (typeof refusals)[Code]['status'] extends Status ? Code : never
}[RefusalCode]

export const openInterfaceRefusalCodes = Object.keys(openInterfaceRefusals) as (keyof typeof openInterfaceRefusals)[]
export const refusalCodes = Object.keys(refusals) as RefusalCode[]
