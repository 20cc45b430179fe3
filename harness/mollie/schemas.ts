// What the stand-in for Mollie accepts: the parameters that an adapter for one-off payments may send, by hand from
// https://docs.mollie.com/reference/create-payment, /create-refund, /list-payments and /get-payment. A parameter that is not
// here is refused, so an adapter that begins to send one has to be checked against those pages first.

import { nullable, object, oneOf, Type } from '../../src/contract/schema.ts'
import { compileSchema } from '../../src/contract/validator.ts'

export interface Amount {
  currency: string
  value: string
}

// "Make sure to send the right amount of decimals and omit the thousands separator. Non-string values are not accepted."
const amount = object({
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  value: Type.String({ pattern: '^(0|[1-9][0-9]{0,12})(\\.[0-9]{2})?$' }),
})

const address = Type.String({ pattern: '^https?://[^\\s]+$', maxLength: 2_048 })

// biome-ignore format: a list is read by its words
const locales = [
  'ca_ES', 'cs_CZ', 'da_DK', 'de_AT', 'de_CH', 'de_DE', 'de_LU', 'en_BE', 'en_GB', 'en_NL', 'en_US', 'es_ES', 'fi_FI', 'fr_BE',
  'fr_FR', 'fr_LU', 'hu_HU', 'is_IS', 'it_IT', 'lt_LT', 'lv_LV', 'nb_NO', 'nl_BE', 'nl_NL', 'pl_PL', 'pt_PT', 'sk_SK', 'sv_SE',
] as const

// Metadata may be anything of about a kilobyte; the size is checked apart.
const metadata = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' })

// https://docs.mollie.com/reference/create-payment, `lines`. Discounts and credits as lines of their own are not sent.
const line = object({
  type: oneOf(['physical', 'digital', 'shipping_fee']),
  description: Type.String({ minLength: 1 }),
  quantity: Type.Integer({ minimum: 1 }),
  unitPrice: amount,
  discountAmount: Type.Optional(amount),
  totalAmount: amount,
  vatRate: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}\\.[0-9]{2}$' })),
  vatAmount: Type.Optional(amount),
  sku: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
})

const text = (maxLength = 255) => Type.Optional(Type.String({ minLength: 1, maxLength }))
// "at least two characters and cannot contain only numbers"
const personName = Type.Optional(Type.String({ pattern: '^(?![0-9\\s]+$)[^]{2,}$' }))

const person = object({
  givenName: personName,
  familyName: personName,
  organizationName: text(),
  streetAndNumber: text(),
  streetAdditional: text(),
  postalCode: text(),
  email: Type.Optional(Type.String({ pattern: '^[^\\s@]+@[\\x21-\\x7e]+\\.[\\x21-\\x7e]+$' })),
  phone: Type.Optional(Type.String({ pattern: '^\\+[1-9][0-9]{1,14}$' })),
  city: text(),
  region: text(),
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
})

export interface Line {
  quantity: number
  unitPrice: Amount
  discountAmount?: Amount
  totalAmount: Amount
  vatRate?: string
  vatAmount?: Amount
}

export interface CreatePayment {
  amount: Amount
  description: string
  redirectUrl: string
  cancelUrl?: string | null
  webhookUrl?: string | null
  locale?: string | null
  metadata?: Readonly<Record<string, unknown>>
  lines?: readonly Line[]
  billingAddress?: Readonly<Record<string, string>>
  shippingAddress?: Readonly<Record<string, string>>
}

export type UpdatePayment = Pick<CreatePayment, 'metadata'> & Partial<Pick<CreatePayment, 'description'>>

export interface CreateRefund {
  amount: Amount
  description?: string
  metadata?: Readonly<Record<string, unknown>>
}

const createPayment = object({
  amount,
  description: Type.String({ minLength: 1, maxLength: 255 }),
  redirectUrl: address,
  cancelUrl: Type.Optional(nullable(address)),
  webhookUrl: Type.Optional(nullable(address)),
  locale: Type.Optional(nullable(oneOf(locales))),
  metadata: Type.Optional(metadata),
  lines: Type.Optional(Type.Array(line, { minItems: 1 })),
  billingAddress: Type.Optional(person),
  shippingAddress: Type.Optional(person),
})

// https://docs.mollie.com/reference/update-payment
const updatePayment = object({
  description: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  metadata: Type.Optional(metadata),
})

const createRefund = object({
  amount,
  description: Type.Optional(Type.String({ maxLength: 140 })),
  metadata: Type.Optional(metadata),
})

const paging = object({
  limit: Type.Optional(Type.String({ pattern: '^([1-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|250)$' })),
  from: Type.Optional(Type.String({ pattern: '^[a-z]+_[A-Za-z0-9]+$' })),
})

export const checks = {
  createPayment: compileSchema(createPayment),
  updatePayment: compileSchema(updatePayment),
  createRefund: compileSchema(createRefund),
  paging: compileSchema(paging),
  getPayment: compileSchema(object({ embed: Type.Optional(oneOf(['refunds,chargebacks'])) })),
  nothing: compileSchema(object({})),
}

// The decimals of https://docs.mollie.com/docs/multicurrency. (That HUF and TWD are rounded for PayPal is PayPal's matter.)
export const decimalsOf: ReadonlyMap<string, number> = new Map(
  (
    'AED AUD BGN BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS MXN MYR NOK NZD PHP PLN RON RUB SEK SGD THB TWD USD ZAR ' +
    'ISK JPY'
  )
    .split(' ')
    .map((code): [string, number] => [code, code === 'ISK' || code === 'JPY' ? 0 : 2]),
)
