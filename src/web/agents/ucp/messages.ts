// Messages about a checkout in the form of UCP. Codes are the protocol's; sentences are for the buyer, in the language of the checkout.
// Pure.

import type { Issue } from '../../../contract/issues.ts'
import { addressFieldsFor, formatFor } from '../../../domain/addresses/formats.ts'
import type { CodeNote, LineNote } from '../../../domain/carts/replace.ts'
import { type AgentTextKey, agentTexts } from '../../languages/agents.ts'
import type { TextKey } from '../../languages/checkout/en.ts'
import { type Speaker, speakerFor, type Values } from '../../languages/language.ts'

// Returns the sentence in the language of `words`.
export type Sentence = (words: AgentWords) => string

export interface UcpMessage {
  type: 'error' | 'warning' | 'info'
  code: string
  sentence: Sentence
  path?: string
  severity?: Severity
}

export type Severity = 'recoverable' | 'requires_buyer_input' | 'requires_buyer_review' | 'unrecoverable'

export interface AgentWords extends Speaker {
  tell(key: AgentTextKey, values?: Values): string
}

// Uses the language of the checkout or cart if set, otherwise the languages that the request accepts.
export function agentWordsFor(locale: string | null | undefined, accepted: string | undefined): AgentWords {
  const speaker = speakerFor(locale ?? 'auto', accepted)
  return { ...speaker, tell: (key, values) => speaker.fill(agentTexts[speaker.language][key], values) }
}

export interface ShownMessage extends Omit<UcpMessage, 'sentence'> {
  content_type: 'plain'
  content: string
}

export function shownMessages(messages: readonly UcpMessage[], words: AgentWords): ShownMessage[] {
  return messages.map(({ type, code, path, severity, sentence }) => ({
    type,
    code,
    ...(path !== undefined && { path }),
    content_type: 'plain',
    content: sentence(words),
    ...(severity !== undefined && { severity }),
  }))
}

function error(code: string, sentence: Sentence, severity: Severity, path?: string): UcpMessage {
  return { type: 'error', code, sentence, severity, ...(path !== undefined && { path }) }
}

function warning(code: string, sentence: Sentence, path?: string): UcpMessage {
  return { type: 'warning', code, sentence, ...(path !== undefined && { path }) }
}

const info = (code: string, sentence: Sentence): UcpMessage => ({ type: 'info', code, sentence })

const say =
  (key: TextKey, values?: Values): Sentence =>
  (words) =>
    words.say(key, values)
const tell =
  (key: AgentTextKey, values?: Values): Sentence =>
  (words) =>
    words.tell(key, values)
const needed =
  (label: TextKey): Sentence =>
  (words) =>
    words.say('field.required', { label: words.say(label) })
// Sentences for developers of platforms are always English.
const english =
  (text: string): Sentence =>
  () =>
    text

export const destinationPath = '$.fulfillment.methods[0].destinations[0]'

// biome-ignore format: a table is read by its rows
export const ucpNotices = {
  notFound: () => error('not_found', tell('thing.none'), 'unrecoverable'),
  incompatible: () => error('capabilities_incompatible', english('The profile of the platform does not list this capability.'), 'unrecoverable'),
  methodNotOffered: (place: number) => error('invalid', tell('shipping.only'), 'recoverable', `$.fulfillment.methods[${place}]`),
  currencyNotOffered: (currency: string) => warning('currency_not_offered', tell('currency.only', { currency })),
  notEligible: (claim: string) => warning('eligibility_not_accepted', tell('eligibility.none', { claim })),
  soldByPiece: (item: string) => error('quantity_unit_mismatch', tell('line.byPiece', { item }), 'recoverable'),
  destinationUnknown: () => error('field_invalid', tell('address.unknown'), 'recoverable', '$.fulfillment.methods[0].selected_destination_id'),
  emailNeeded: () => error('field_required', needed('contact.email'), 'recoverable', '$.buyer.email'),
  emailInvalid: () => error('field_invalid', say('field.email'), 'recoverable', '$.buyer.email'),
  addressNeeded: () => error('field_required', needed('address.title'), 'recoverable', '$.fulfillment.methods[0].destinations'),
  undeliverable: () => error('address_undeliverable', say('problem.undeliverable'), 'recoverable', destinationPath),
  noOption: () => error('address_undeliverable', say('problem.shipping'), 'recoverable', destinationPath),
  onPage: () => error('payment_on_page', tell('page.pay'), 'requires_buyer_input'),
  consent: () => error('consent_on_page', tell('page.consent'), 'requires_buyer_input'),
  review: () => error('order_review', tell('page.review'), 'requires_buyer_review'),
  ordersNeedProof: () => error('unauthorized', english('Orders are shown to platforms that prove who they are. The buyer sees the order at its permalink_url.'), 'unrecoverable'),
  fulfillmentOnPage: () => error('fulfillment_on_page', tell('page.address'), 'requires_buyer_input'),
  challenge: () => error('requires_3ds', tell('page.challenge'), 'requires_buyer_input'),
  inProgress: () => error('payment_in_progress', say('problem.inProgress'), 'recoverable'),
  paymentPending: () => info('payment_pending', tell('payment.awaited')),
  taxIncluded: (amount: number, currency: string) => info('tax_included', (words) => words.say('total.taxIncluded', { amount: words.amount(amount, currency) })),
  priceUnavailable: () => error('price_unavailable', say('message.price_unavailable'), 'recoverable'),
  noInstrument: () => error('payment_failed', tell('payment.choose'), 'recoverable', '$.payment.instruments'),
  credentialRefused: (place: number) => error('payment_failed', say('declined.method_unavailable'), 'recoverable', `$.payment.instruments[${place}]`),
  declined: (reason: string) => error('payment_failed', (words) => words.sayKnown(`declined.${reason}`, words.say('declined.declined')), 'recoverable', '$.payment'),
  tooManyTries: (waitMs: number) => error('payment_failed', (words) => words.say('problem.tooManyTries', { time: words.duration(waitMs) }), 'recoverable', '$.payment'),
  totalChanged: () => warning('total_changed', tell('total.changed'), '$.totals'),
  changedMeanwhile: () => error('checkout_changed', say('problem.stale'), 'recoverable'),
  soldOut: () => error('out_of_stock', tell('stock.short'), 'recoverable'),
  codeUsed: () => error('discount_code_user_ineligible', say('code.customer_limit_reached'), 'recoverable', '$.discounts.codes'),
  unknownId: (id: string) => info('not_found', tell('line.notSold', { item: id })),
} as const

const leftOutTexts: Readonly<Record<(LineNote & { kind: 'left_out' })['reason'], (item: string) => Sentence>> = {
  not_found: (item) => tell('line.notSold', { item }),
  item_unavailable: (item) => say('problem.unavailable', { item }),
  out_of_stock: (item) => tell('line.soldOut', { item }),
}

// `places`: the index of each SKU in the line items of the answer.
export function lineMessage(note: LineNote, places: ReadonlyMap<string, number>): UcpMessage | undefined {
  if (note.kind === 'left_out')
    return error(note.reason, leftOutTexts[note.reason](note.name ?? note.item), 'recoverable')
  const place = places.get(note.skuId)
  if (place === undefined) return undefined
  const { name: item, asked, got } = note
  return warning('quantity_adjusted', tell('line.fewer', { item, asked, got }), `$.line_items[${place}].quantity`)
}

const codeTexts: Readonly<Record<string, readonly [code: string, why: Sentence]>> = {
  second: ['discount_code_combination_disallowed', tell('code.second')],
  guessed: ['discount_code_already_tried', say('problem.tooManyCodes')],
}

const codeNames: Readonly<Record<string, string>> = {
  expired: 'discount_code_expired',
  not_started: 'discount_code_expired',
  customer_limit_reached: 'discount_code_user_ineligible',
  minimum_not_met: 'discount_code_minimum_not_met',
}

export function codeMessage({ code, reason }: CodeNote, place: number): UcpMessage | undefined {
  if (reason === null) return undefined
  const [name, why] = codeTexts[reason] ?? [
    codeNames[reason] ?? 'discount_code_invalid',
    (words: AgentWords) => words.sayKnown(`code.${reason}`, words.say('code.disabled')),
  ]
  return warning(name, (words) => `${code}: ${why(words)}`, `$.discounts.codes[${place}]`)
}

// This server's names of the members of an address, and the protocol's names.
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

// `country`: as sent by the platform. Decides the labels of the address fields.
export function addressMessage({ path, code }: Issue, country: string): UcpMessage {
  const name = path.split('/').at(-1) ?? ''
  const member = addressMembers[name] ?? ''
  const isMissing = code === 'needed' || code === 'needed_in_country'
  return error(
    isMissing ? 'field_required' : 'field_invalid',
    (words) => addressSentence(words, name, country, isMissing),
    'recoverable',
    `${destinationPath}.${member}`,
  )
}

// Returns the sentence that the checkout page shows for this error.
function addressSentence({ say: words }: AgentWords, name: string, country: string, isMissing: boolean): string {
  if (name === 'phone') return words('field.phone')
  const labelled = addressFieldsFor(country).find((field) => field.name === name)
  const label = words(labelled?.labelKey ?? 'address.title')
  const { example } = formatFor(country).postalCode
  if (name === 'country') return words('field.choose', { label })
  if (isMissing) return words('field.required', { label })
  if (name === 'postalCode' && example !== '') return words('field.postalCode', { label, example })
  return words('field.invalid', { label })
}
