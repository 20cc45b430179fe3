// Amounts, and what is said after a change. An address names the sentence and never holds it.

import type { CartwrightError, ProductSummary } from '@cartwright/client'

const locale = 'en-GB'

export function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

export function priceOf({ priceRange: { min, max } }: ProductSummary): string {
  const amount = money(min.amount, min.currency)
  return min.amount === max.amount ? amount : `from ${amount}`
}

const countries = new Intl.DisplayNames(['en'], { type: 'region' })

export function countryName(code: string): string {
  return countries.of(code) ?? code
}

export const stockWords = {
  in_stock: 'In stock',
  low_stock: 'Only a few left',
  backorder: 'Made to order, sent later',
  out_of_stock: 'Sold out',
} as const

const sentences = {
  added: 'Added to your cart.',
  changed: 'Your cart is up to date.',
  removed: 'Removed from your cart.',
  code_applied: 'The code is applied.',
  code_removed: 'The code is removed.',
  code_pending: 'The code applies by itself once your cart meets its condition.',
  code_rejected: 'This code does not apply to your cart.',
  sold_out: 'Sorry, there are not that many left.',
  gone: 'Sorry, this is no longer available.',
  limit: 'That is more than can go into one order.',
  stale: 'Your cart was changed in another window. This is its current state.',
  paying: 'A payment for this cart is in progress. Please wait until it is done.',
  trouble: 'That did not work. Please try again in a moment.',
} as const

export type Notice = keyof typeof sentences

export function sentenceFor(name: string | undefined): string | null {
  return name !== undefined && Object.hasOwn(sentences, name) ? sentences[name as Notice] : null
}

export function noticeFor({ code }: CartwrightError): Notice {
  switch (code) {
    case 'insufficient_stock':
      return 'sold_out'
    case 'item_unavailable':
    case 'cart_item_not_found':
      return 'gone'
    case 'quantity_limit_exceeded':
      return 'limit'
    case 'version_conflict':
      return 'stale'
    case 'cart_locked':
      return 'paying'
    default:
      return 'trouble'
  }
}
