// What is said about a checkout, in the words of the protocol. Pure.

import type { Issue } from '../../../contract/issues.ts'
import type { CodeNote, LineNote } from '../../../domain/carts/replace.ts'

export interface Message {
  type: 'error' | 'warning' | 'info'
  code: string
  content: string
  path?: string
  severity?: Severity
}

export type Severity = 'recoverable' | 'requires_buyer_input' | 'requires_buyer_review' | 'unrecoverable'

function error(code: string, content: string, severity: Severity, path?: string): Message {
  return { type: 'error', code, content, severity, ...(path !== undefined && { path }) }
}

function warning(code: string, content: string, path?: string): Message {
  return { type: 'warning', code, content, ...(path !== undefined && { path }) }
}

const info = (code: string, content: string): Message => ({ type: 'info', code, content })

export const destinationPath = '$.fulfillment.methods[0].destinations[0]'

// biome-ignore format: a table is read by its rows
export const notice = {
  notFound: (what: string) => error('not_found', `There is no such ${what}.`, 'unrecoverable'),
  incompatible: () => error('capabilities_incompatible', 'The profile of the platform does not list this capability.', 'unrecoverable'),
  methodNotOffered: (place: number) => error('invalid', 'Only shipping is offered.', 'recoverable', `$.fulfillment.methods[${place}]`),
  currencyNotOffered: (currency: string) => warning('currency_not_offered', `Prices are in ${currency}.`),
  emailNeeded: () => error('field_required', 'An e-mail address is needed.', 'recoverable', '$.buyer.email'),
  emailInvalid: () => error('field_invalid', 'This is not an e-mail address.', 'recoverable', '$.buyer.email'),
  addressNeeded: () => error('field_required', 'A shipping address is needed.', 'recoverable', '$.fulfillment.methods[0].destinations'),
  undeliverable: () => error('address_undeliverable', 'The shop does not deliver to this address.', 'recoverable', destinationPath),
  noOption: () => error('address_undeliverable', 'No shipping option carries these items to this address.', 'recoverable', destinationPath),
  onPage: () => error('payment_on_page', 'The buyer pays at continue_url.', 'requires_buyer_input'),
  consent: () => error('consent_on_page', 'The buyer agrees to the supply of digital content, and pays, at continue_url.', 'requires_buyer_input'),
  review: () => error('order_review', 'The buyer reviews and confirms the order at continue_url.', 'requires_buyer_review'),
  ordersNeedProof: () => error('unauthorized', 'Orders are shown to platforms that prove who they are. The buyer sees the order at its permalink_url.', 'unrecoverable'),
  fulfillmentOnPage: () => error('fulfillment_on_page', 'The buyer gives the address and pays at continue_url.', 'requires_buyer_input'),
  challenge: () => error('requires_3ds', 'The bank asks the buyer to confirm the payment at continue_url.', 'requires_buyer_input'),
  inProgress: () => error('payment_in_progress', 'The payment is being made. Nothing was changed.', 'recoverable'),
  paymentPending: () => info('payment_pending', 'The order is placed. The money is awaited.'),
  taxIncluded: (amount: string) => info('tax_included', `The total contains ${amount} of tax.`),
  priceUnavailable: () => error('price_unavailable', 'The total is too large to be exact. Ask for fewer items.', 'recoverable'),
  noInstrument: () => error('payment_failed', 'Mark one payment instrument as selected.', 'recoverable', '$.payment.instruments'),
  credentialRefused: (place: number) => error('payment_failed', 'The payment handler is not offered, or does not take this credential.', 'recoverable', `$.payment.instruments[${place}]`),
  declined: (reason: string) => error('payment_failed', reason, 'recoverable', '$.payment'),
  tooManyTries: (seconds: number) => error('payment_failed', `Too many payments were declined. Try again in ${seconds} seconds.`, 'recoverable', '$.payment'),
  totalChanged: () => warning('total_changed', 'The total changed since it was shown. Nothing was charged.', '$.totals'),
  changedMeanwhile: () => error('checkout_changed', 'The checkout changed meanwhile. Nothing was charged.', 'recoverable'),
  soldOut: () => error('out_of_stock', 'There is not enough in stock. Nothing was charged.', 'recoverable'),
  codeUsed: () => error('discount_code_user_ineligible', 'This buyer has used the discount code before. Nothing was charged.', 'recoverable', '$.discounts.codes'),
} as const

const leftOutTexts = {
  not_found: 'is not sold here',
  item_unavailable: 'can no longer be bought',
  out_of_stock: 'is out of stock',
}

// `places`: where each SKU stands in the answer.
export function lineMessage(note: LineNote, places: ReadonlyMap<string, number>): Message | undefined {
  if (note.kind === 'left_out')
    return error(note.reason, `${note.name ?? note.item} ${leftOutTexts[note.reason]}.`, 'recoverable')
  const place = places.get(note.skuId)
  if (place === undefined) return undefined
  const content = `${note.asked} of ${note.name} were asked for; ${note.got} can be had.`
  return warning('quantity_adjusted', content, `$.line_items[${place}].quantity`)
}

const codeTexts: Readonly<Record<string, readonly [code: string, content: string]>> = {
  expired: ['discount_code_expired', 'has expired'],
  not_started: ['discount_code_expired', 'does not hold yet'],
  customer_limit_reached: ['discount_code_user_ineligible', 'was used before'],
  minimum_not_met: ['discount_code_minimum_not_met', 'holds from a higher subtotal on'],
  second: ['discount_code_combination_disallowed', 'cannot be combined with another one'],
  guessed: ['discount_code_already_tried', 'was not tried: too many codes were'],
}

export function codeMessage({ code, reason }: CodeNote, place: number): Message | undefined {
  if (reason === null) return undefined
  const [name, content] = codeTexts[reason] ?? ['discount_code_invalid', 'does not hold']
  return warning(name, `The code ${code} ${content}.`, `$.discounts.codes[${place}]`)
}

// Our members of an address, as the protocol names them.
const addressMembers: Readonly<Record<string, string>> = {
  name: 'first_name',
  line1: 'street_address',
  line2: 'extended_address',
  city: 'address_locality',
  region: 'address_region',
  postalCode: 'postal_code',
  country: 'address_country',
  phone: 'phone_number',
}

export function addressMessage({ path, code, message }: Issue): Message {
  const member = addressMembers[path.split('/').at(-1) ?? ''] ?? ''
  const isMissing = code === 'needed' || code === 'needed_in_country'
  return error(isMissing ? 'field_required' : 'field_invalid', message, 'recoverable', `${destinationPath}.${member}`)
}
