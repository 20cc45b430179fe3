// Formats of amounts, and a notice for every refusal. A redirect carries a notice only as its name and one number, so a link cannot make
// this shop show a foreign text. The text is in the language of the page.

import type { AppliedPromotion, CartwrightError } from '../../packages/client/src/index.ts'

// Amounts are integers in minor units. The number of digits depends on the currency, and Intl is wrong about some (it writes HUF and IDR
// without the digits that ISO 4217 gives them), so the currencies without two digits are listed here.
const digitsOf: Readonly<Record<string, number>> = Object.fromEntries([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3]),
])

// An amount as a shopper would type it. Built as text, since dividing a large amount by a hundred would lose digits.
export function decimal(amount: number, currency: string): `${number}` {
  const digits = digitsOf[currency] ?? 2
  const text = String(amount).padStart(digits + 1, '0')
  const point = text.length - digits
  return (digits === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`) as `${number}`
}

// Parses an amount that a shopper typed with a point or a comma. Returns null if it is not an amount.
export function amountOf(typed: string, currency: string): number | null {
  const digits = digitsOf[currency] ?? 2
  const [, whole, part = ''] = /^\s*(\d{1,9})(?:[.,](\d{0,3}))?\s*$/.exec(typed) ?? []
  return whole === undefined || part.length > digits ? null : Number(whole + part.padEnd(digits, '0'))
}

export function money(amount: number, currency: string, locale = 'en'): string {
  return formatFor(currency, locale).format(decimal(amount, currency))
}

// Formats are expensive to create and cheap to use. Locales come from headers, so the cache is bounded.
const formats = new Map<string, Intl.NumberFormat>()
const formatsMax = 100

function formatFor(currency: string, locale: string): Intl.NumberFormat {
  const name = `${locale} ${currency}`
  const found = formats.get(name)
  if (found) return found
  const digits = digitsOf[currency] ?? 2
  const made = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  if (formats.size >= formatsMax) formats.clear()
  formats.set(name, made)
  return made
}

// Each notice has a text of the same name.
const noticeNames = [
  'added',
  'already_added',
  'no_cookies',
  'changed',
  'removed',
  'sold_out',
  'only_left',
  'limit',
  'cart_full',
  'gone',
  'quantity',
  'stale',
  'paying',
  'empty',
  'too_fast',
  'trouble',
  'code_applied',
  'code_removed',
  'code_pending',
  'code_minimum',
  'code_shipping',
  'code_no_items',
  'code_missing',
  'code_not_found',
  'code_not_started',
  'code_expired',
  'code_disabled',
  'code_used_up',
  'code_customer',
  'code_currency',
  'code_rejected',
  'code_too_fast',
] as const

export type NoticeName = (typeof noticeNames)[number]

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
  const name = noticeNames.find((known) => known === query.get('say'))
  if (name === undefined) return null
  const number = Number(query.get('n'))
  return { name, number: Number.isSafeInteger(number) && number >= 0 ? number : 0 }
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
