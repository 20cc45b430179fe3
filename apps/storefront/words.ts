// What the shop says to people: amounts, stock, and an answer to every refusal. A notice travels through a redirect as
// its name and one number, so a link cannot make this shop show a text of someone else's.

import type { AppliedPromotion, Availability, CartwrightError } from '../../packages/client/src/index.ts'

// Amounts are integers in minor units. The number of digits depends on the currency, and Intl is wrong about some
// (it writes HUF and IDR without the digits that ISO 4217 gives them), so the exceptions to two are named here.
const digitsOf: Readonly<Record<string, number>> = Object.fromEntries([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3]),
])

// An amount as a shopper would type it. Made as text, since a large amount divided by a hundred would lose digits.
export function decimal(amount: number, currency: string): `${number}` {
  const digits = digitsOf[currency] ?? 2
  const text = String(amount).padStart(digits + 1, '0')
  const point = text.length - digits
  return (digits === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`) as `${number}`
}

// What a shopper typed, with a point or a comma; null if it is not an amount.
export function amountOf(typed: string, currency: string): number | null {
  const digits = digitsOf[currency] ?? 2
  const [, whole, part = ''] = /^\s*(\d{1,9})(?:[.,](\d{0,3}))?\s*$/.exec(typed) ?? []
  return whole === undefined || part.length > digits ? null : Number(whole + part.padEnd(digits, '0'))
}

export function money(amount: number, currency: string): string {
  const digits = digitsOf[currency] ?? 2
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(decimal(amount, currency))
}

export function stockWords(availability: Availability, available: number | null): string {
  if (availability === 'low_stock') return available === null ? 'Only a few left' : `Only ${available} left`
  return { in_stock: 'In stock', backorder: 'Made to order, sent later', out_of_stock: 'Sold out' }[availability]
}

type Sentence = (number: number, currency: string) => string

const notices = {
  added: () => 'Added to your cart.',
  already_added: () => 'That is already in your cart.',
  no_cookies: () => 'Your browser did not store your cart. Please allow cookies for this shop, then add it again.',
  changed: () => 'Your cart is up to date.',
  removed: () => 'Removed from your cart.',

  sold_out: () => 'Sorry, this is sold out.',
  only_left: (left) => `Sorry, only ${left} of these ${left === 1 ? 'is' : 'are'} left.`,
  limit: (most) => `At most ${most} of these can go into one order.`,
  cart_full: () => 'Your cart is full. Please remove something, or order what is in it first.',
  gone: () => 'Sorry, this is no longer available.',
  quantity: () => 'Please choose a whole number from 1 to 999.',
  stale: () => 'Your cart was changed in another window. This is its current state.',
  paying: () => 'A payment for this cart is in progress. Please wait until it is done.',
  empty: () => 'There is nothing in your cart yet.',
  too_fast: () => 'Too many requests at once. Please wait a moment and try again.',
  trouble: () => 'That did not work. The fault is ours. Please try again in a moment.',

  code_applied: () => 'The code is applied.',
  code_removed: () => 'The code is removed.',
  code_pending: () => 'The code stays here and applies by itself once your cart meets its condition.',
  code_minimum: (amount, currency) =>
    `This code needs a cart of ${money(amount, currency)}. It stays here and applies by itself from then on.`,
  code_shipping: () => 'This code makes shipping free. It applies at the checkout, once we know your address.',
  code_no_items: () =>
    'This code does not apply to anything in your cart yet. It stays here in case you add something.',
  code_missing: () => 'Please type a code.',
  code_not_found: () => 'We do not know this code. Please check the spelling.',
  code_not_started: () => 'This code is not valid yet.',
  code_expired: () => 'This code has expired.',
  code_disabled: () => 'This code is no longer valid.',
  code_used_up: () => 'This code has been used up.',
  code_customer: () => 'You have used this code before.',
  code_currency: () => 'This code is for another currency.',
  code_rejected: () => 'This code does not apply to your cart.',
  code_too_fast: () => 'Too many codes in a short time. Please wait a minute and try again.',
} satisfies Record<string, Sentence>

export type NoticeName = keyof typeof notices

export interface Notice {
  name: NoticeName
  number: number
}

const goodNews: ReadonlySet<NoticeName> = new Set([
  'added',
  'already_added',
  'changed',
  'removed',
  'code_applied',
  'code_removed',
])

export function noticeIn(query: URLSearchParams): Notice | null {
  const name = query.get('say') ?? ''
  if (!Object.hasOwn(notices, name)) return null
  const number = Number(query.get('n'))
  return { name: name as NoticeName, number: Number.isSafeInteger(number) && number >= 0 ? number : 0 }
}

export function noticeWords({ name, number }: Notice, currency: string): string {
  const sentence: Sentence = notices[name]
  return sentence(number, currency)
}

export function isGoodNews({ name }: Notice): boolean {
  return goodNews.has(name)
}

export function isAboutCode({ name }: Notice): boolean {
  return name.startsWith('code_')
}

// The notice for a change that the API refused.
export function noticeFor({ code, current }: CartwrightError): Notice {
  const { available, limit, skuId } = current ?? {}
  const say = (name: NoticeName, number = 0): Notice => ({ name, number })
  switch (code) {
    case 'insufficient_stock':
      return available ? say('only_left', available) : say('sold_out')
    case 'quantity_limit_exceeded':
      return limit === undefined || skuId === undefined ? say('cart_full') : say('limit', limit)
    case 'item_unavailable':
    case 'cart_item_not_found':
      return say('gone')
    case 'invalid_request':
      return say('quantity')
    case 'version_conflict':
    case 'idempotency_key_reused':
      return say('stale')
    case 'cart_locked':
    case 'payment_in_progress':
      return say('paying')
    case 'cart_empty':
      return say('empty')
    case 'rate_limited':
      return say('too_fast')
    default:
      return say('trouble')
  }
}

const reasons: Readonly<Record<string, NoticeName>> = {
  not_found: 'code_not_found',
  not_started: 'code_not_started',
  expired: 'code_expired',
  disabled: 'code_disabled',
  usage_limit_reached: 'code_used_up',
  customer_limit_reached: 'code_customer',
  currency_mismatch: 'code_currency',
  no_eligible_items: 'code_no_items',
  no_shipping_to_discount: 'code_shipping',
}

export function noticeForPromotion({ state, reason, conditions }: AppliedPromotion): Notice {
  if (state === 'applied') return { name: 'code_applied', number: 0 }
  if (state === 'none') return { name: 'code_removed', number: 0 }
  const minimum = conditions?.minimumSubtotal ?? 0
  if (reason === 'minimum_not_met' && minimum > 0) return { name: 'code_minimum', number: minimum }
  return { name: reasons[reason ?? ''] ?? (state === 'pending' ? 'code_pending' : 'code_rejected'), number: 0 }
}
