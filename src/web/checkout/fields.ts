// The fields for contact and address: which fields each country has, their labels, and their errors.

import {
  type AddressFieldName,
  type AddressFormField,
  addressFieldsFor,
  formatFor,
} from '../../domain/addresses/formats.ts'
import { findRegionCode, regionsFor } from '../../domain/addresses/regions.ts'
import type { CheckoutMethod, CheckoutProblem, CheckoutView } from '../../domain/checkout/port.ts'
import { vatIdLengthMax } from '../../domain/vat/id.ts'
import { brandName } from '../../platform/html/cardbrands.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { countryCodes } from '../../platform/kit/country.ts'
import type { Language } from '../languages/checkout/texts.ts'
import type { Speaker } from '../languages/language.ts'
import type { TypedBilling, TypedCheckout } from './input.ts'
import { fieldName } from './input.ts'

export interface CheckoutField {
  id: string
  name: string
  label: string
  value: string
  type?: 'text' | 'email' | 'tel'
  inputMode?: 'numeric' | 'text' | 'email' | 'tel'
  autocomplete: string
  // `maybe`: required or not, depending on other typed values.
  required: boolean | 'maybe'
  lengthMax: number
  hint?: string
  error?: string | undefined
  // Whether the text runs from left to right in every language, as e-mail addresses, numbers and codes do.
  isLatin?: boolean
  // Rendered beside the label.
  aside?: Html | false
}

export function renderField(speaker: Speaker, given: CheckoutField): Html {
  const { id, name, value, type = 'text', inputMode = 'text', autocomplete, lengthMax } = given
  return html`<div class="field field-${name.replace(/^.*\./, '')}">
${labelOf(speaker, given)}
<input
  id="${id}"
  name="${name}"
  type="${type}"
  inputmode="${inputMode}"
  value="${value}"
  autocomplete="${autocomplete}"
  maxlength="${lengthMax}"${
    given.isLatin === true ? html` dir="ltr"` : html` dir="auto"`
  }${given.required === true && html` required`}${describedBy(given)}>
${notesOf(given)}
</div>`
}

// An optional field is folded behind its label unless it has a value or an error.
export function renderFoldedField(speaker: Speaker, given: CheckoutField): Html {
  const isOpen = given.value !== '' || given.error !== undefined
  return renderFolded(`${given.id}-fold`, given.label, isOpen, renderField(speaker, given))
}

export function renderFolded(id: string, name: string, isOpen: boolean, inside: Html): Html {
  return html`<details class="more" id="${id}"${isOpen && html` open`}>
<summary>${name}</summary>
${inside}
</details>`
}

function labelOf({ say }: Speaker, { id, label, required, aside }: CheckoutField): Html {
  const text = html`<label for="${id}">${label}${!required && html` <span class="optional">(${say('page.optional')})</span>`}</label>`
  return aside ? html`<div class="labelled">${text}${aside}</div>` : text
}

function describedBy({ id, hint, error }: CheckoutField): Html | false {
  const ids = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean).join(' ')
  if (ids === '') return false
  return html` aria-describedby="${ids}"${error !== undefined && html` aria-invalid="true"`}`
}

function notesOf({ id, hint, error }: CheckoutField): Html {
  return html`${error !== undefined && html`<p class="error" id="${id}-error">${error}</p>`}${
    hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`
  }`
}

export function renderChoice(
  speaker: Speaker,
  given: CheckoutField,
  options: readonly (readonly [value: string, text: string])[],
): Html {
  const { id, name, value, autocomplete } = given
  return html`<div class="field field-${name.replace(/^.*\./, '')}">
${labelOf(speaker, given)}
<select id="${id}" name="${name}" autocomplete="${autocomplete}"${given.required && html` required`}${describedBy(given)}>
${options.map(([code, text]) => html`<option value="${code}"${code === value && html` selected`}>${text}</option>`)}
</select>
${notesOf(given)}
</div>`
}

export function contactFields(speaker: Speaker, view: CheckoutView, typed: TypedCheckout, errors: FieldErrors): Html {
  const { say } = speaker
  const { needsShipping } = view
  return html`
${renderField(speaker, {
  id: 'email',
  name: 'email',
  label: say('contact.email'),
  value: typed.email,
  type: 'email',
  inputMode: 'email',
  autocomplete: 'email',
  required: true,
  lengthMax: 254,
  hint: say('contact.emailHint'),
  error: errors.get('email'),
  isLatin: true,
})}
<div class="row">${
    !needsShipping &&
    renderFoldedField(speaker, {
      id: 'name',
      name: 'name',
      label: say('contact.name'),
      value: typed.name,
      autocomplete: 'name',
      required: false,
      lengthMax: 200,
      error: errors.get('name'),
    })
  }
${renderFoldedField(speaker, {
  id: 'phone',
  name: 'phone',
  label: say('contact.phone'),
  value: typed.phone,
  type: 'tel',
  inputMode: 'tel',
  autocomplete: 'tel',
  required: false,
  lengthMax: 32,
  ...(needsShipping && { hint: say('contact.phoneHint') }),
  error: errors.get('phone'),
  isLatin: true,
})}
${(view.asksVatId || typed.vatId !== '') && vatIdField(speaker, view, typed, errors)}</div>`
}

function vatIdField(speaker: Speaker, view: CheckoutView, typed: TypedCheckout, errors: FieldErrors): Html {
  const isSaved = typed.vatId !== '' && typed.vatId === view.customer.vatId
  return renderFoldedField(speaker, {
    id: 'vatId',
    name: 'vatId',
    label: speaker.say('contact.vatId'),
    value: typed.vatId,
    autocomplete: 'off',
    required: false,
    lengthMax: vatIdLengthMax,
    hint: speaker.say(isSaved ? vatCheckText(view) : 'vat.hint'),
    error: errors.get('vatId'),
    isLatin: true,
  })
}

// Returns the text about the outcome of checking the shopper's VAT number.
export function vatCheckText({
  session,
}: CheckoutView): 'vat.hint' | `vat.${'reverse' | 'valid' | 'invalid' | 'unavailable'}` {
  const { vat, totals } = session
  if (!vat) return 'vat.hint'
  if (vat.status === 'invalid') return 'vat.invalid'
  if (vat.status !== 'valid') return 'vat.unavailable'
  const { taxReason } = totals
  return taxReason === 'reverse_charge' || taxReason === 'intra_community' ? 'vat.reverse' : 'vat.valid'
}

export const lengthsMax: Readonly<Partial<Record<AddressFieldName, number>>> = {
  city: 100,
  region: 100,
  postalCode: 20,
}

// Fields that few addresses need. They are folded below the street.
const foldedNames: readonly AddressFieldName[] = ['line2', 'company']

// City, region and postal code share a row, in the order of the country. The folded fields share another row. Every other field has its
// own row.
export function addressFields(speaker: Speaker, typed: TypedCheckout, errors: FieldErrors): Html {
  const fields = addressFieldsFor(typed.country)
  const rows: AddressFormField[][] = []
  for (const one of fields) {
    // The country field is above, with its button. One phone number serves contact and delivery.
    if (one.name === 'country' || one.name === 'phone' || foldedNames.includes(one.name)) continue
    const isShort = one.name in lengthsMax
    const before = rows.at(-1)
    if (isShort && before?.[0] && before[0].name in lengthsMax) before.push(one)
    else rows.push([one])
    if (one.name === 'line1')
      rows.push(foldedNames.flatMap((name) => fields.find((other) => other.name === name) ?? []))
  }
  return html`${rows.map(
    (row) => html`<div class="row">${row.map((one) => addressField(speaker, one, typed, errors))}</div>`,
  )}`
}

function addressField(speaker: Speaker, one: AddressFormField, typed: TypedCheckout, errors: FieldErrors): Html {
  const { name, required, labelKey } = one
  const given: CheckoutField = {
    id: name,
    name,
    label: speaker.say(labelKey),
    value: typed[name],
    autocomplete: `shipping ${one.autocomplete}`,
    required,
    lengthMax: lengthsMax[name] ?? 200,
    error: errors.get(name),
    ...(name === 'postalCode' && { isLatin: true }),
  }
  const regions = name === 'region' ? regionsFor(typed.country) : undefined
  if (foldedNames.includes(name)) return renderFoldedField(speaker, given)
  if (!regions) return renderField(speaker, given)
  const value = findRegionCode(typed.country, typed.region) ?? ''
  const none = ['', speaker.say('address.choose')] as const
  return renderChoice(speaker, { ...given, value }, [none, ...regions.map(({ code, name }) => [code, name] as const)])
}

export function isListed(served: CheckoutView['countries'], country: string): boolean {
  return served === null || served.includes(country)
}

// Offers the countries that the shop delivers to. If another country is stored, the choice is empty, and the shopper has to choose.
export function countryField(
  speaker: Speaker,
  country: string,
  served: CheckoutView['countries'],
  error: string | undefined,
): Html {
  const listed = listCountryChoices(speaker).filter(([code]) => isListed(served, code))
  const given: CheckoutField = {
    id: 'country',
    name: 'country',
    label: speaker.say('address.country'),
    value: listed.some(([code]) => code === country) ? country : '',
    autocomplete: 'shipping country',
    required: true,
    lengthMax: 2,
    error,
  }
  return renderChoice(speaker, given, given.value === '' ? [['', speaker.say('address.choose')], ...listed] : listed)
}

const countryLists = new Map<Language, readonly (readonly [string, string])[]>()

// Cached, because sorting 249 names takes a millisecond and there are few languages.
export function listCountryChoices(speaker: Speaker): readonly (readonly [string, string])[] {
  const kept = countryLists.get(speaker.language)
  if (kept) return kept
  const list = countryCodes
    .map((code) => [code, speaker.country(code)] as const)
    .sort(([, one], [, other]) => speaker.compare(one, other))
  countryLists.set(speaker.language, list)
  return list
}

// Error messages, keyed by the id of their field, in the order of the page. The id is '' for messages without a field on the page.
export type FieldErrors = ReadonlyMap<string, string>

interface ErrorParts {
  problem: CheckoutProblem | null
  typed: TypedCheckout
  chosen: CheckoutMethod | null
  billing: TypedBilling | null
}

// The checkout service reports problems in English. Returns them in the shopper's language, by field.
export function fieldErrors(
  speaker: Speaker,
  view: CheckoutView,
  { problem, typed, chosen, billing }: ErrorParts,
): FieldErrors {
  const errors = new Map<string, string>()
  if (problem?.code === 'address_undeliverable') errors.set('country', speaker.say('problem.undeliverable'))
  if (problem?.code === 'shipping_unavailable') errors.set('shipping', speaker.say('problem.shipping'))
  if (problem?.code !== 'invalid') return errors
  for (const { path, code } of problem.issues) {
    // This problem is shown beside the promotion code.
    if (path === '/code') continue
    const name = path.slice(path.lastIndexOf('/') + 1)
    // Problems of a payment are named after the fields of the payment method.
    const detail = path.startsWith('/billing/') ? undefined : chosen?.fields.find((one) => one.name === name)
    const [id, text] =
      chosen && detail
        ? [detailId(chosen, name), detailError(speaker, chosen, detail, code)]
        : chosen && billing && path.startsWith('/billing/')
          ? [detailId(chosen, `billing.${name}`), addressError(speaker, name, billing)]
          : errorAt(speaker, view, path, typed)
    if (!errors.has(id)) errors.set(id, text)
  }
  return errors
}

function errorAt(
  speaker: Speaker,
  view: CheckoutView,
  path: string,
  typed: TypedCheckout,
): readonly [id: string, text: string] {
  const { say } = speaker
  const [, group = '', rest] = path.split('/')
  const name = rest ?? group
  if (path === '/quantity') return ['', say('field.quantity')]
  if (path === '/method') return ['payment', say('field.choose', { label: say('payment.method') })]
  if (name === 'email') return ['email', say('field.email')]
  if (name === 'phone') return ['phone', say('field.phone')]
  if (name === 'vatId') return ['vatId', say('field.vatId')]
  if (path === '/address') return ['line1', say('field.required', { label: say('address.line1') })]
  const labelled =
    view.needsShipping || group === 'address'
      ? addressFieldsFor(typed.country).find((one) => one.name === name)
      : name === 'name' && { name: 'name' as const, labelKey: 'contact.name' as const }
  if (!labelled) return ['', say('problem.unreadable')]
  const label = say(labelled.labelKey)
  const isMissing = typed[labelled.name] === ''
  const { example } = formatFor(typed.country).postalCode
  const isList = name === 'country' || (name === 'region' && regionsFor(typed.country) !== undefined)
  if (isList) return [name, say('field.choose', { label })]
  if (isMissing) return [name, say('field.required', { label })]
  if (name === 'postalCode' && example !== '') return [name, say('field.postalCode', { label, example })]
  return [name, say('field.invalid', { label })]
}

export function addressError(
  { say }: Speaker,
  name: string,
  typed: Readonly<Record<string, string | boolean>>,
): string {
  const country = String(typed.country)
  const labelled = addressFieldsFor(country).find((one) => one.name === name)
  const label = labelled ? say(labelled.labelKey) : name
  const { example } = formatFor(country).postalCode
  if (name === 'country') return say('field.choose', { label })
  if (typed[name] === '') return say('field.required', { label })
  if (name === 'postalCode' && example !== '') return say('field.postalCode', { label, example })
  return say('field.invalid', { label })
}

type Detail = CheckoutMethod['fields'][number]

export function detailId(method: CheckoutMethod, name: string): string {
  return fieldName(method, name).replaceAll('.', '-')
}

function detailError(speaker: Speaker, method: CheckoutMethod, detail: Detail, code: string): string {
  const { say } = speaker
  const { autocomplete } = detail
  if (code === 'card.expiry.over') return say('declined.card_expired')
  if (code === 'test.number') return say('field.testCard')
  if (autocomplete === 'cc-number') return say('field.cardNumber')
  if (autocomplete.startsWith('cc-exp')) return say('field.cardExpiry')
  if (autocomplete === 'cc-csc') return say('field.cardCode')
  return say('field.invalid', { label: detailLabel(speaker, method, detail) })
}

function detailLabel(speaker: Speaker, method: CheckoutMethod, { labelKey, name }: Detail): string {
  return methodText(speaker, method, labelKey) ?? name
}

// Prefers this server's own text for the key over the provider's.
export function methodText(speaker: Speaker, method: CheckoutMethod, key: string): string | undefined {
  return speaker.sayKnown(key, method.say(key, speaker.locale) ?? '') || undefined
}

export function detailField(speaker: Speaker, method: CheckoutMethod, detail: Detail, errors: FieldErrors): Html {
  const id = detailId(method, detail.name)
  return renderField(speaker, {
    id,
    name: fieldName(method, detail.name),
    label: detailLabel(speaker, method, detail),
    // Card data is never rendered into a page.
    value: '',
    inputMode: detail.inputMode,
    autocomplete: detail.autocomplete,
    required: true,
    // Leaves room for spaces between groups of digits.
    lengthMax: detail.lengthMax + 8,
    ...(detail.autocomplete === 'cc-exp' && { hint: speaker.say('card.expiryHint') }),
    error: errors.get(id),
    isLatin: detail.autocomplete !== 'cc-name',
    aside: detail.autocomplete === 'cc-number' && method.brands.length > 0 && brandMarks(speaker, method.brands),
  })
}

function brandMarks({ say }: Speaker, brands: readonly string[]): Html {
  return html`<ul class="brands" aria-label="${say('card.brands')}">${brands.map(
    (brand) => html`<li data-brand="${brand}">${brandName(brand)}</li>`,
  )}</ul>`
}
