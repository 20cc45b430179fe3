// Describes the purchase in a payment intent, without the amount. Pure.

import type { Purchase } from '../../port.ts'
import type { Stripe } from './client.ts'

export interface StripeDescriptionInput {
  merchantName: string
  purchase: Purchase | undefined
  // The account's prefix on card statements; undefined if it is unknown.
  descriptor: string | undefined
}

// `receipt_email` is not set: Stripe would send an e-mail of its own, and the shop sends one already. Stripe learns the shopper's e-mail
// address from its frame.
export function stripeDescriptionOf({
  merchantName,
  purchase,
  descriptor,
}: StripeDescriptionInput): Stripe.PaymentIntentUpdateParams {
  const suffix = descriptor === undefined ? undefined : descriptorSuffix(merchantName, descriptor)
  const { delivery, shopper } = purchase ?? {}
  return {
    ...(merchantName && { description: merchantName }),
    ...(suffix !== undefined && { statement_descriptor_suffix: suffix }),
    ...(delivery && { shipping: shippingOf(delivery, shopper?.phone) }),
  }
}

function shippingOf(
  { name, line1, line2, city, region, postalCode, country, phone }: NonNullable<Purchase['delivery']>,
  shopperPhone = '',
): Stripe.PaymentIntentUpdateParams.Shipping {
  const called = phone || shopperPhone
  return {
    name,
    ...(called && { phone: called }),
    address: {
      line1,
      ...(line2 && { line2 }),
      city,
      ...(region && { state: region }),
      ...(postalCode && { postal_code: postalCode }),
      country,
    },
  }
}

// https://docs.stripe.com/get-started/account/statement-descriptors: at most 22 Latin characters in total, of which the account's prefix
// takes up to 10 and `* ` takes two. It must contain none of `< > \ ' " *`, and at least one letter.
const wholeMax = 22
const prefixMax = 10

// Names the shop, for an account that serves several shops. Returns undefined if the prefix already names the shop, or the name of the
// shop contains no Latin letter.
export function descriptorSuffix(merchantName: string, descriptor: string): string | undefined {
  const latin = merchantName
    .normalize('NFD')
    .replace(/[^\x20-\x7e]|[<>\\'"*]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  const lettersOf = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '')
  const [name, known] = [lettersOf(latin), lettersOf(descriptor)]
  if (!/[A-Z]/.test(name) || known.startsWith(name) || name.startsWith(known)) return undefined
  const suffix = latin.slice(0, wholeMax - Math.min(descriptor.length, prefixMax) - '* '.length).trim()
  return /[A-Za-z]/.test(suffix) ? suffix : undefined
}
