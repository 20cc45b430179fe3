// Every refusal of this server: the code, its status and its sentence. The sentence is the default; a refusal may use a more specific
// sentence, but never one with another meaning.

// Refusals that an operation of the open interface may answer with. The OpenAPI document and the reference page list them.
// biome-ignore format: a table reads best with one row a line
export const openInterfaceRefusals = {
  invalid_request:            { status: 400, sentence: 'The request does not match the contract.' },
  malformed_json:             { status: 400, sentence: 'The body is not well-formed JSON.' },
  body_required:              { status: 400, sentence: 'This operation requires a JSON body.' },
  body_not_allowed:           { status: 400, sentence: 'This operation does not accept a body.' },
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
  customer_address_limit:     { status: 409, sentence: 'The customer has the maximum number of saved addresses.' },
  cart_not_open:              { status: 409, sentence: 'The cart can no longer be changed.' },
  cart_locked:                { status: 409, sentence: 'The cart is locked while its payment is in progress.' },
  cart_empty:                 { status: 409, sentence: 'The cart has no items.' },
  insufficient_stock:         { status: 409, sentence: 'There is not enough stock for this quantity.' },
  item_unavailable:           { status: 409, sentence: 'The SKU cannot be bought.' },
  quantity_limit_exceeded:    { status: 409, sentence: 'The quantity or the number of lines is above the limit.' },
  currency_mismatch:          { status: 409, sentence: 'The currency differs from the currency of the merchant.' },
  address_undeliverable:      { status: 409, sentence: 'The merchant does not deliver to this address.' },
  shipping_option_not_offered: { status: 409, sentence: 'The shipping option is not offered for this cart.' },
  checkout_session_not_open:  { status: 409, sentence: 'The checkout session is not open.' },
  payment_in_progress:        { status: 409, sentence: 'A payment of this checkout session is in progress.' },
  order_not_cancellable:      { status: 409, sentence: 'The order cannot be cancelled.' },
  delivery_not_final:         { status: 409, sentence: 'The delivery is still being attempted: wait until it ends.' },
  delivery_already_succeeded: { status: 409, sentence: 'The delivery has succeeded: to replay it anyway, set allowSucceeded.' },
  replay_in_progress:         { status: 409, sentence: 'A replay of this delivery is already in progress.' },
  endpoint_disabled:          { status: 409, sentence: 'The webhook endpoint is not enabled.' },
  payload_expired:            { status: 409, sentence: 'The payload of this event is no longer stored.' },

  rate_limited:               { status: 429, sentence: 'Too many requests.' },

  internal_error:             { status: 500, sentence: 'An unexpected error occurred on the server.' },
  unavailable:                { status: 503, sentence: 'The service is temporarily unavailable: try again.' },
} as const satisfies Record<string, Refusal>

// Further refusals of the admin surface and of an operator's commands. They use the codes above if the meaning is the same.
// biome-ignore format: a table reads best with one row a line
export const operatorRefusals = {
  webhook_endpoint_invalid:   { status: 400, sentence: 'The webhook endpoint is not valid.' },
  payment_method_invalid:     { status: 400, sentence: 'The payment method settings are not valid.' },

  person_required:            { status: 403, sentence: 'Only a signed-in person can do this, not a key or an app.' },

  installation_not_found:     { status: 404, sentence: 'There is no such installation.' },
  email_not_found:            { status: 404, sentence: 'There is no such e-mail.' },
  agent_platform_not_found:   { status: 404, sentence: 'There is no such agent platform.' },
  app_not_found:              { status: 404, sentence: 'There is no such app.' },
  app_installation_not_found: { status: 404, sentence: 'There is no such active installation of an app.' },
  user_not_found:             { status: 404, sentence: 'There is no such user.' },
  member_not_found:           { status: 404, sentence: 'There is no such member.' },
  invitation_not_found:       { status: 404, sentence: 'There is no such invitation, or it has expired or was already used.' },
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
  last_owner:                 { status: 409, sentence: 'The merchant must have an owner: make another member an owner first.' },
  invitation_limit:           { status: 409, sentence: 'The merchant has the maximum number of members and invitations.' },
  mail_off:                   { status: 409, sentence: 'This server sends no e-mails, so a key or an app cannot send links to people.' },
  person_of_others:           { status: 409, sentence: 'This person is also a member of other merchants, so only they can reset their password.' },
  promotion_exists:           { status: 409, sentence: 'There is already a promotion with this code.' },
  app_not_changeable:         { status: 409, sentence: 'The app belongs to another merchant.' },
  installation_exists:        { status: 409, sentence: 'There is already an installation with this name.' },
  installation_limit:         { status: 409, sentence: 'The merchant has the maximum number of installations: end one first.' },
  credential_limit:           { status: 409, sentence: 'The installation has the maximum number of keys: revoke one first.' },
  currency_not_changeable:    { status: 409, sentence: 'The currency cannot be changed, because there are prices in it.' },
  mode_not_changeable:        { status: 409, sentence: 'The mode of an installation cannot be changed.' },
  slug_not_changeable:        { status: 409, sentence: 'The slug cannot be changed, because products refer to it.' },
  code_not_changeable:        { status: 409, sentence: 'The code of a promotion cannot be changed.' },
  product_archived:           { status: 409, sentence: 'The product is archived.' },
  product_list_full:          { status: 409, sentence: 'The product has the maximum number of categories or tags.' },
  price_not_possible:         { status: 409, sentence: 'The price is above the maximum, or not below the compare-at price.' },
  price_changed:              { status: 409, sentence: 'The price has changed since the request read it.' },
  order_not_editable:         { status: 409, sentence: 'The order cannot be edited in its current state.' },
  order_edit_not_possible:    { status: 409, sentence: 'The order cannot be edited in this way.' },
  draft_not_open:             { status: 409, sentence: 'The draft is paid, cancelled or expired.' },
  draft_without_email:        { status: 409, sentence: 'The draft has no e-mail address.' },
  draft_email_limit:          { status: 409, sentence: 'The link of the draft was already sent the maximum number of times.' },
  total_changed:              { status: 409, sentence: 'The total has changed since the request read it.' },
  stock_changed:              { status: 409, sentence: 'The stock has changed since the request read it.' },
  stock_not_possible:         { status: 409, sentence: 'The stock would be below zero or above the maximum.' },
  category_in_use:            { status: 409, sentence: 'The category has products, subcategories or promotions.' },
  category_limit:             { status: 409, sentence: 'The merchant has the maximum number of categories.' },
  category_too_deep:          { status: 409, sentence: 'The category would be nested too deeply.' },
  usage_limit_too_low:        { status: 409, sentence: 'The promotion was already used more often than the new limit.' },
  credential_already_rotated: { status: 409, sentence: 'The key was already rotated.' },
  picture_limit:              { status: 409, sentence: 'The merchant has the maximum number of picture files, or the picture has the maximum number of sizes.' },
  agents_closed:              { status: 409, sentence: 'The shop was never opened to agents in this mode: open it first.' },
  webhook_endpoint_limit:     { status: 409, sentence: 'The installation has the maximum number of webhook endpoints.' },
  secret_version_given:       { status: 409, sentence: 'The root secret still contains this version: remove it from the settings first.' },
  secret_version_needed:      { status: 409, sentence: 'This version of the root secret is still needed.' },
  payment_account_exists:     { status: 409, sentence: 'There is already an account at this payment provider in this mode.' },
  payment_account_refused:    { status: 409, sentence: 'The payment provider does not accept these keys.' },
  payment_provider_silent:    { status: 409, sentence: 'The payment provider did not answer.' },
  payment_account_ended:      { status: 409, sentence: 'The account is already disconnected.' },
  payment_account_unusable:   { status: 409, sentence: 'The secrets of the account cannot be decrypted with this root secret.' },
  notices_not_signed:         { status: 409, sentence: 'The payment provider does not sign its webhooks.' },
  payment_not_closable:       { status: 409, sentence: 'The payment cannot be closed.' },
  money_not_recordable:       { status: 409, sentence: 'This amount cannot be recorded for the order.' },
  payment_not_awaited:        { status: 409, sentence: 'The order is not waiting for a payment.' },
  order_not_fulfillable:      { status: 409, sentence: 'The order cannot be sent.' },
  order_not_paid:             { status: 409, sentence: 'The order is not paid.' },
  order_not_sent:             { status: 409, sentence: 'The order was not sent.' },
  order_is_test:              { status: 409, sentence: 'The order is a test order.' },
  fulfillment_not_possible:   { status: 409, sentence: 'The order does not have these items left to send.' },
  email_not_retryable:        { status: 409, sentence: 'The e-mail cannot be sent again.' },
  return_not_found:           { status: 404, sentence: 'There is no such return.' },
  return_not_possible:        { status: 409, sentence: 'These items cannot be returned.' },
  return_already_open:        { status: 409, sentence: 'The order has a return that is not finished.' },
  exchange_not_possible:      { status: 409, sentence: 'The returned items cannot be exchanged for the new items.' },
  return_not_changeable:      { status: 409, sentence: 'The return cannot be changed in its current state.' },
  text_limit:                 { status: 409, sentence: 'The text has the maximum number of versions.' },
  note_limit:                 { status: 409, sentence: 'The order has the maximum number of notes.' },
  refund_not_possible:        { status: 409, sentence: 'The order does not have these items left to refund.' },
  change_too_large:           { status: 409, sentence: 'The change is too large for one request: make it in parts.' },
  change_not_undoable:        { status: 409, sentence: 'This change cannot be undone.' },
  change_already_undone:      { status: 409, sentence: 'This change was already undone.' },
  change_overtaken:           { status: 409, sentence: 'The change cannot be undone, because later changes conflict with it.' },
  host_not_found:             { status: 404, sentence: 'The shop has no such host.' },
  maker_not_found:            { status: 404, sentence: 'There is no such maker.' },
  maker_exists:               { status: 409, sentence: 'There is already a maker with this slug.' },
  maker_in_use:               { status: 409, sentence: 'Products still refer to the maker.' },
  maker_limit:                { status: 409, sentence: 'The merchant has the maximum number of makers.' },
  redirect_not_found:         { status: 404, sentence: 'There is no such redirect.' },
  redirect_exists:            { status: 409, sentence: 'The shop already has a redirect from this path.' },
  redirect_limit:             { status: 409, sentence: 'The shop has the maximum number of redirects: remove one first.' },
  page_exists:                { status: 409, sentence: 'The shop already has a page with this path.' },
  page_limit:                 { status: 409, sentence: 'The shop has the maximum number of pages: remove one first.' },
  host_limit:                 { status: 409, sentence: 'The shop has the maximum number of hosts: remove one first.' },
  host_not_proved:            { status: 409, sentence: 'The host is not proved yet, so it cannot become the main host.' },
  transfer_limit:             { status: 409, sentence: 'The merchant has the maximum number of open imports: discard or confirm one first.' },
  transfer_not_receiving:     { status: 409, sentence: 'All pieces of the import were already received.' },
  transfer_not_ready:         { status: 409, sentence: 'The import is not in a state that allows this.' },
  nothing_to_refund:          { status: 409, sentence: 'There is nothing to refund.' },
  refund_pending:             { status: 409, sentence: 'A refund is already in progress.' },
  refund_amount_too_high:     { status: 409, sentence: 'The amount is more than the amount that is left to refund.' },
  refund_amount_not_payable:  { status: 409, sentence: 'The payment provider cannot refund this amount.' },
  refund_amount_too_low:      { status: 409, sentence: 'The amount is less than the sum of the failed refunds, which must be paid again as a whole.' },

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
