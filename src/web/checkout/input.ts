// Parses the forms of the checkout: each post becomes a typed input or a list of issues.

import { issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { Address } from '../../contract/open/carts.ts'
import { addressFieldsFor } from '../../domain/addresses/formats.ts'
import type {
  CheckoutMethod,
  CheckoutProblem,
  CheckoutView,
  ContactInput,
  PayInput,
} from '../../domain/checkout/port.ts'
import { isCountry } from '../../platform/kit/country.ts'
import { isEmail, normalizeTypedEmail } from '../../platform/kit/email.ts'

// Returns a field of the post by name; '' if missing.
export type PostedField = (name: string) => string

// Typed values of the fields for contact, address and shipping.
export interface TypedCheckout {
  email: string
  phone: string
  // One field serves as the name of both recipient and customer.
  name: string
  vatId: string
  country: string
  company: string
  line1: string
  line2: string
  city: string
  region: string
  postalCode: string
  shippingOptionId: string
}

export const typedNames = [
  'email',
  'phone',
  'name',
  'vatId',
  'country',
  'company',
  'line1',
  'line2',
  'city',
  'region',
  'postalCode',
  'shippingOptionId',
] as const satisfies readonly (keyof TypedCheckout)[]

export type FieldIssue = Extract<CheckoutProblem, { code: 'invalid' }>['issues'][number]

type Parsed<Input> = { input: Input } | { issues: readonly FieldIssue[] }

// A post without a version counts as outdated.
export function readPageVersion(form: PostedField): number {
  return wholeNumber(form('version')) ?? 0
}

export function readQuantity(form: PostedField): Parsed<{ skuId: string; quantity: number }> {
  const quantity = wholeNumber(form('quantity'))
  if (quantity === undefined || quantity > limits.quantityMax) return invalid('/quantity')
  return { input: { skuId: form('skuId'), quantity } }
}

// Returns null if the current code is to be removed.
export function readPromotionCode(form: PostedField): Parsed<string | null> {
  if (form('remove') !== '') return { input: null }
  const code = form('code')
  return code === '' || code.length > 64 ? invalid('/code') : { input: code }
}

export function readTypedCheckout(form: PostedField): TypedCheckout {
  // The cast holds: there is one value for each name.
  return Object.fromEntries(typedNames.map((name) => [name, form(name)])) as unknown as TypedCheckout
}

// Whether anything was typed. Country and shipping have default values, so they do not count.
export function hasTyped(typed: TypedCheckout): boolean {
  return typedNames.some((name) => name !== 'country' && name !== 'shippingOptionId' && typed[name] !== '')
}

export interface DetailsInput {
  contact: ContactInput
  address: Address | null
  shippingOptionId: string | null
  vatId: string
}

// A first check, in the order of the page. The checkout service checks the rest by the rules of the country.
export function readDetails(typed: TypedCheckout, needsShipping: boolean): Parsed<DetailsInput> {
  const issues: FieldIssue[] = []
  const missing = (path: string) => issues.push(issueAt(path, 'needed'))
  const email = normalizeTypedEmail(typed.email)
  if (email === '') missing('/email')
  else if (!isEmail(email)) issues.push(issueAt('/email', 'not_an_email'))
  if (needsShipping) {
    if (!isCountry(typed.country)) missing('/address/country')
    for (const { name, required } of addressFieldsFor(typed.country)) {
      if (required && typed[name] === '') missing(`/address/${name}`)
    }
  }
  if (issues.length > 0) return { issues }
  const { name } = typed
  const phone = plainDigits(typed.phone)
  const address = needsShipping ? addressFromTyped({ ...typed, phone }) : null
  const { vatId } = typed
  return {
    input: { contact: { email, name, phone }, address, shippingOptionId: typed.shippingOptionId || null, vatId },
  }
}

// Fields that the country does not have may still contain values typed for the previous country, which are dropped.
export function addressFromTyped(typed: TypedCheckout): Address {
  const asked = new Set(addressFieldsFor(typed.country).map(({ name }) => name))
  const others = (['company', 'line2', 'region', 'postalCode', 'phone'] as const)
    .filter((field) => typed[field] !== '' && asked.has(field))
    .map((field) => [field, typed[field]])
  const { name, country, line1, city } = typed
  // The members are in the order of a checked address, so an unchanged address compares as equal.
  return { name, line1, city, country, ...Object.fromEntries(others) }
}

export const billingNames = ['name', 'country', 'line1', 'line2', 'city', 'region', 'postalCode'] as const

// A typed billing address. `isOther`: whether the shopper says that it differs from the delivery address.
export type TypedBilling = Readonly<Record<(typeof billingNames)[number], string>> & { isOther: boolean }

export function readTypedBilling(form: PostedField, method: CheckoutMethod): TypedBilling {
  const typed = billingNames.map((name) => [name, form(fieldName(method, `billing.${name}`))])
  // The cast holds: there is one value for each name.
  const values = Object.fromEntries(typed) as Record<(typeof billingNames)[number], string>
  return { ...values, isOther: form(fieldName(method, 'billing.other')) !== '' }
}

// Returns undefined if the method does not need a billing address, or if the delivery address is the billing address.
function billingOf(form: PostedField, view: CheckoutView, method: CheckoutMethod): Address | undefined {
  const { isOther, name, country, line1, city, ...others } = readTypedBilling(form, method)
  if (!method.billing || (view.needsShipping && !isOther)) return undefined
  const given = Object.entries(others).filter(([, value]) => value !== '')
  return { name, line1, city, country, ...Object.fromEntries(given) }
}

export function readPayInput(form: PostedField, view: CheckoutView): Parsed<PayInput> {
  const expectedTotal = wholeNumber(form('expectedTotal')) ?? 0
  const isFree = expectedTotal === 0 && view.session.totals.total === 0
  const version = readPageVersion(form)
  const attempt = form('attempt').slice(0, 64)
  const consents = hasConsented(form, view) ? { consents: ['digital_content'] as const } : {}
  // Without anything to pay, no method is chosen.
  if (isFree) return { input: { version, expectedTotal, provider: '', method: '', details: {}, attempt, ...consents } }
  const chosen = readMethod(form, view)
  if (!chosen) return invalid('/method')
  const details: Record<string, string> = {}
  const issues: FieldIssue[] = []
  for (const field of chosen.fields) {
    const value = cardValue(form(fieldName(chosen, field.name)), field.autocomplete)
    if (value === '' || value.length > field.lengthMax) issues.push(issueAt(`/${field.name}`, 'needed'))
    details[field.name] = value
  }
  if (issues.length > 0) return { issues }
  const { provider, method } = chosen
  const billing = billingOf(form, view, chosen)
  const paid = { version, expectedTotal, provider, method, details, attempt, ...consents }
  return { input: { ...paid, ...(billing && { billing }) } }
}

// Whether an item is supplied immediately, which needs the shopper's consent.
export function needsConsent({ session }: Pick<CheckoutView, 'session'>): boolean {
  return session.items.some(({ digital }) => digital === true)
}

export function hasConsented(form: PostedField, view: CheckoutView): boolean {
  return needsConsent(view) && form('consent.digital') === 'yes'
}

export function readMethod(form: PostedField, view: CheckoutView): CheckoutMethod | undefined {
  return view.methods.find((method) => methodValue(method) === form('method'))
}

export function methodValue({ provider, method }: CheckoutMethod): string {
  return `${provider}:${method}`
}

export function fieldName({ method }: CheckoutMethod, field: string): string {
  return `${method}.${field}`
}

// Converts a typed card number, expiry or security code to ASCII digits, without separators except in an expiry. Shoppers group digits,
// some keyboards type non-ASCII digits, and pasted text contains dashes and spaces.
function cardValue(typed: string, autocomplete: string): string {
  if (!autocomplete.startsWith('cc-') || autocomplete.endsWith('-name')) return typed
  const plain = plainDigits(typed).replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '')
  if (autocomplete === 'cc-number') return plain.replace(new RegExp(separators, 'gu'), '')
  return autocomplete === 'cc-exp' ? expiryFrom(plain) : plain
}

const separators = '[\\p{Pd}\\-−./\\\\⁄∕·,_|:]'

// Converts an expiry to `MM/YY`. The text may have any separator or none, and begin with the year if the year has four digits. Returns
// other text unchanged, for the provider to refuse.
function expiryFrom(plain: string): string {
  const [one = '', other, ...more] = plain.split(new RegExp(`${separators}+`, 'u')).filter(Boolean)
  const [month, year] = other === undefined ? together(one) : /^20\d\d$/.test(one) ? [other, one] : [one, other]
  const isDate = more.length === 0 && /^(0?[1-9]|1[0-2])$/.test(month) && /^(20)?\d\d$/.test(year)
  return isDate ? `${month.padStart(2, '0')}/${year.slice(-2)}` : plain
}

// Reads digits without a separator: 127, 1227, 122027 or 202712.
function together(digits: string): readonly [month: string, year: string] {
  if (/^20\d\d(0[1-9]|1[0-2])$/.test(digits) && !/^(0[1-9]|1[0-2])20\d\d$/.test(digits))
    return [digits.slice(4), digits.slice(0, 4)]
  const yearLength = digits.length > 4 ? 4 : 2
  return [digits.slice(0, -yearLength), digits.slice(-yearLength)]
}

function plainDigits(text: string): string {
  return text.normalize('NFKC').replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function invalid(path: string): { issues: readonly FieldIssue[] } {
  return { issues: [issueAt(path, 'needed')] }
}
