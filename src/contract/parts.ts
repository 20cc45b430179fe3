// The parts that many schemas share: ids, money, instants, versions, text, totals.

import { limits } from './limits.ts'
import { idPattern, patterns } from './patterns.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from './schema.ts'
import { availabilities, eventKinds, type IdNoun, idPrefixes, modes, scopes, taxReliefs, vatStatuses } from './words.ts'

function id(noun: IdNoun, description: string) {
  return Type.String({ pattern: idPattern(idPrefixes[noun]).source, description })
}

export const MerchantId = id('merchant', 'Id of a merchant.')
export const InstallationId = id('installation', 'Id of an installation.')
export const CredentialId = id('credential', 'Id of an API key. Not the key itself.')
export const AppId = id('app', 'Id of an app, which is its OAuth client id.')
export const PlatformId = id('platform', 'Id of a platform whose agents buy from the shop.')
export const CategoryId = id('category', 'Id of a category.')
export const ProductId = id('product', 'Id of a product.')
export const SkuId = id('sku', 'Id of a SKU: one variant of a product that can be bought.')
export const CartId = id('cart', 'Id of a cart.')
export const AddressToken = id(
  'address',
  'Stands for a sealed address. It is valid for its cart only, until it is replaced or expires.',
)
export const PromotionId = id('promotion', 'Id of a promotion.')
export const MakerId = id('maker', 'Id of a maker.')
export const RedirectId = id('redirect', 'Id of a redirect.')
export const CheckoutSessionId = id('checkoutSession', 'Id of a hosted checkout session.')
export const OrderId = id('order', 'Id of an order.')
export const PaymentId = id('payment', 'Id of a payment.')
export const PaymentAccountId = id('paymentAccount', 'Id of an account at a payment provider.')
export const RefundId = id('refund', 'Id of a refund.')
export const DisputeId = id('dispute', 'Id of a dispute.')
export const DocumentId = id('document', 'Id of an invoice or a credit note.')
export const ReturnId = id('return', 'Id of a return.')
export const CancellationId = id('cancellation', 'Id of an order cancellation.')
export const WithdrawalId = id('withdrawal', 'Id of a withdrawal.')
export const CustomerId = id('customer', 'Id of a customer.')
export const CustomerAddressId = id('customerAddress', 'Id of an address that a shopper saved.')
export const DraftId = id('draft', 'Id of a draft.')
export const WebhookEndpointId = id('webhookEndpoint', 'Id of a webhook endpoint.')
export const EventId = id(
  'event',
  'Id of an event. The same at every attempt and replay: use it to recognise duplicates.',
)
export const WebhookDeliveryId = id(
  'webhookDelivery',
  'Id of a webhook delivery: one event on its way to one endpoint.',
)
export const RequestId = id('request', 'Id of a request, as in the header X-Request-Id. Name it when you ask for help.')

export const Instant = Type.String({
  format: 'date-time',
  pattern: patterns.instant.source,
  description: 'RFC 3339, UTC, with milliseconds.',
})

export const Slug = Type.String({
  pattern: patterns.slug.source,
  minLength: 1,
  maxLength: limits.slugLengthMax,
  description: 'A name for addresses, unique within its merchant.',
})

export const Currency = Type.String({ pattern: patterns.currency.source, description: 'ISO 4217 code.' })
export const Country = Type.String({ pattern: patterns.country.source, description: 'ISO 3166-1 alpha-2 code.' })

export const Amount = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'In minor units of the currency that the resource names.',
})

export const Money = object(
  { amount: withDescription('In minor units of the currency.', Amount), currency: Currency },
  { description: 'A price that stands alone: 1999 and EUR are 19.99 euros.' },
)

export const Version = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Starts at 1 and grows by one at each change.',
})

export const ExpectedVersion = withDescription(
  'The version that was seen. Another one now is a 409 version_conflict.',
  Version,
)

export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

// Schemas for text that callers send: one line, or several lines.
export function lineSchema(minLength: number, maxLength: number, description?: string) {
  return Type.String({ minLength, maxLength, pattern: patterns.line.source, ...(description && { description }) })
}

export function paragraphSchema(minLength: number, maxLength: number, description?: string) {
  return Type.String({ minLength, maxLength, pattern: patterns.paragraph.source, ...(description && { description }) })
}

export const Phone = Type.String({ minLength: 3, maxLength: 32, pattern: patterns.phone.source })

export const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: limits.idempotencyKeyLengthMax,
  pattern: patterns.visibleAscii.source,
  description:
    'Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key.',
})

export const Quantity = Type.Integer({ minimum: 1, maximum: limits.quantityMax })

export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: limits.metadataKeysMax,
  propertyNames: lineSchema(1, limits.metadataKeyLengthMax),
  additionalProperties: paragraphSchema(0, limits.metadataValueLengthMax),
  description: 'Your own names and values. Kept and given back as they are.',
})

// Address of a picture. The schema does not demand a URI, because the address was checked when it was stored.
export const ImageUrl = nullable(Type.String({ maxLength: 2000 }), { description: 'Address of the picture.' })

export const Scope = oneOf(scopes)
export const Scopes = Type.Array(Scope, { maxItems: scopes.length, uniqueItems: true })
export const Mode = oneOf(modes, {
  description: 'In test mode no money moves, and no stock, promotion use or order number of live mode.',
})
export const EventType = oneOf(eventKinds)

export const Availability = oneOf(availabilities, {
  description: 'Whether it can be bought now. backorder: it can be bought and is delivered later.',
})

export const OptionValue = object({ name: Type.String(), value: Type.String() })

export const ItemQuantity = object({ skuId: SkuId, quantity: Quantity })

export const Totals = object(
  {
    subtotal: withDescription('Lines before discount.', Amount),
    discount: Amount,
    shipping: withDescription('Before discount; what a promotion takes off it is part of the discount.', Amount),
    tax: withDescription('Sum of the tax of the lines and of the shipping.', Amount),
    taxIncluded: Type.Boolean({ description: 'Whether the prices contain the tax.' }),
    total: withDescription('subtotal − discount + shipping, plus tax where prices do not contain it.', Amount),
    taxReason: Type.Optional(oneOf(taxReliefs, { description: 'Why no tax is charged; left out where it is.' })),
  },
  { description: 'Amounts in the currency of the resource that holds them.' },
)

export const BuyerVat = object({
  country: withDescription('Of the VAT number.', Country),
  status: oneOf(vatStatuses, {
    description: 'pending: it is asked for in VIES. Tax is charged unless it is valid.',
  }),
  checkedAt: nullable(Instant),
})

export const Customer = object({
  emailMasked: nullable(Type.String(), {
    description: 'Enough to recognise, not enough to write to: a***@example.com.',
  }),
})

export const ListMeta = object({
  count: withDescription('Rows in this answer.', Count),
  next: nullable(Type.String(), { description: 'Link to the next rows, relative to the server. Follow it as it is.' }),
})

export type Money = Static<typeof Money>
export type Metadata = Static<typeof Metadata>
export type OptionValue = Static<typeof OptionValue>
export type ItemQuantity = Static<typeof ItemQuantity>
export type Totals = Static<typeof Totals>
export type BuyerVat = Static<typeof BuyerVat>
export type Customer = Static<typeof Customer>
export type ListMeta = Static<typeof ListMeta>
