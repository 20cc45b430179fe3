// What the forms of the checkout mean: each post becomes a typed input or the reason why it is none.

import { fieldsFor } from '../../addresses/formats.ts'
import type { Address } from '../../contract/carts.ts'
import { limits } from '../../contract/limits.ts'
import { isCountry } from '../../kit/country.ts'
import { emailFromTyped, isEmail } from '../../kit/email.ts'
import type { ContactInput, DeskMethod, DeskProblem, DeskView, PayInput } from '../desk.ts'
import type { Form } from './form.ts'

// The fields of the form of contact, address and shipping, as they were typed.
export interface Typed {
  email: string
  phone: string
  // Of the recipient, and of the customer: it is asked for once.
  name: string
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
  'country',
  'company',
  'line1',
  'line2',
  'city',
  'region',
  'postalCode',
  'shippingOptionId',
] as const satisfies readonly (keyof Typed)[]

export type Issue = Extract<DeskProblem, { code: 'invalid' }>['issues'][number]

type Parsed<Input> = { input: Input } | { issues: readonly Issue[] }

// A page that names no version was not ours, or lost it on the way: it is as good as an old one.
export function versionIn(form: Form): number {
  return wholeNumber(form('version')) ?? 0
}

export function quantityIn(form: Form): Parsed<{ skuId: string; quantity: number }> {
  const quantity = wholeNumber(form('quantity'))
  if (quantity === undefined || quantity > limits.quantityMax) return invalid('/quantity')
  return { input: { skuId: form('skuId'), quantity } }
}

// Null takes the present code off.
export function codeIn(form: Form): Parsed<string | null> {
  if (form('remove') !== '') return { input: null }
  const code = form('code')
  return code === '' || code.length > 64 ? invalid('/code') : { input: code }
}

export function typedIn(form: Form): Typed {
  return Object.fromEntries(typedNames.map((name) => [name, form(name)])) as unknown as Typed // one value for each name
}

export interface DetailsInput {
  contact: ContactInput
  address: Address | null
  shippingOptionId: string | null
}

// The first check of what was typed, in the order of the page. The desk checks the rest by the rules of the country.
export function detailsIn(typed: Typed, needsShipping: boolean): Parsed<DetailsInput> {
  const issues: Issue[] = []
  const missing = (path: string) => issues.push({ path, message: 'is needed' })
  const email = emailFromTyped(typed.email)
  if (email === '') missing('/email')
  else if (!isEmail(email)) issues.push({ path: '/email', message: 'is not an e-mail address' })
  if (needsShipping) {
    if (!isCountry(typed.country)) missing('/address/country')
    for (const { name, required } of fieldsFor(typed.country)) {
      if (required && typed[name] === '') missing(`/address/${name}`)
    }
  }
  if (issues.length > 0) return { issues }
  const { name, phone } = typed
  const address = needsShipping ? addressOf(typed) : null
  return { input: { contact: { email, name, phone }, address, shippingOptionId: typed.shippingOptionId || null } }
}

// Fields the country does not have may still be filled from the country before; they stay behind.
function addressOf(typed: Typed): Address {
  const asked = new Set(fieldsFor(typed.country).map(({ name }) => name))
  const others = (['company', 'line2', 'region', 'postalCode', 'phone'] as const)
    .filter((field) => typed[field] !== '' && asked.has(field))
    .map((field) => [field, typed[field]])
  const { name, country, line1, city } = typed
  // In the order of a checked address, so that one that was kept as typed is seen to be the same.
  return { name, line1, city, country, ...Object.fromEntries(others) }
}

export function payIn(form: Form, view: DeskView): Parsed<PayInput> {
  const expectedTotal = wholeNumber(form('expectedTotal')) ?? 0
  const isFree = expectedTotal === 0 && view.session.totals.total === 0
  const version = versionIn(form)
  const attempt = form('attempt').slice(0, 64)
  // Nobody is asked for money.
  if (isFree) return { input: { version, expectedTotal, provider: '', method: '', details: {}, attempt } }
  const chosen = methodIn(form, view)
  if (!chosen) return invalid('/method')
  const details: Record<string, string> = {}
  const issues: Issue[] = []
  for (const field of chosen.fields) {
    const value = plainDigits(form(fieldName(chosen, field.name)), field.autocomplete)
    if (value === '' || value.length > field.lengthMax) issues.push({ path: `/${field.name}`, message: 'is needed' })
    details[field.name] = value
  }
  if (issues.length > 0) return { issues }
  const { provider, method } = chosen
  return { input: { version, expectedTotal, provider, method, details, attempt } }
}

export function methodIn(form: Form, view: DeskView): DeskMethod | undefined {
  return view.methods.find((method) => methodValue(method) === form('method'))
}

export function methodValue({ provider, method }: DeskMethod): string {
  return `${provider}:${method}`
}

export function fieldName({ method }: DeskMethod, field: string): string {
  return `${method}.${field}`
}

// People group the digits of a card, and some keyboards write other digits.
function plainDigits(value: string, autocomplete: string): string {
  if (!autocomplete.startsWith('cc-') || autocomplete.endsWith('-name')) return value
  const plain = value
    .normalize('NFKC')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replace(/\s/g, '')
  return autocomplete === 'cc-number' ? plain.replaceAll('-', '') : plain
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function invalid(path: string): { issues: readonly Issue[] } {
  return { issues: [{ path, message: 'is needed' }] }
}
