// The declarative shop file that `apply` takes: what a merchant sells, to whom, and at which price. Everything is keyed
// by words the merchant chose (slugs, SKU codes, zone names), never by our ids, so the same file can be applied anywhere.

import { limits } from '../contract/limits.ts'
import { nullable, object, oneOf, type Static, Type } from '../contract/schema.ts'
import { manualMethods, modes, promotionTypes, scopes } from '../contract/words.ts'
import { instructionsLengthMax, termDaysMax } from '../payments/methods.ts'
import { urlLengthMax } from '../webhooks/guard.ts'
import { endpointsMax } from '../webhooks/store.ts'
import { subscriptionsMax } from '../webhooks/subscription.ts'

const slug = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', minLength: 1, maxLength: 120 })
const country = Type.String({ pattern: '^[A-Z]{2}$' })
const amount = Type.Integer({ minimum: 0, maximum: limits.amountMax })
const word = Type.String({ pattern: '^[a-z0-9]+([_-][a-z0-9]+)*$', minLength: 1, maxLength: 40 })
const text = (maxLength: number) => Type.String({ maxLength })
const name = Type.String({ minLength: 1, maxLength: 200 })

// Of shop files and of the tree that is kept. Rendering stops somewhat deeper.
export const categoryDepthMax = 8

// A picture is an https address, or a path under /media/ that this server answers itself. What a pattern cannot say of
// an address is checked when the file is read.
const picture = Type.String({
  pattern: '^(https://|http://(localhost|127\\.0\\.0\\.1)(:[0-9]{1,5})?(/|$)|/media/)',
  maxLength: 2000,
})

// A map from words of the merchant's choice to texts.
function texts(bounds: { keyLengthMax: number; textLengthMin: number; textLengthMax: number; entriesMax: number }) {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: bounds.keyLengthMax },
    additionalProperties: { type: 'string', minLength: bounds.textLengthMin, maxLength: bounds.textLengthMax },
    maxProperties: bounds.entriesMax,
  })
}

const metadata = texts({ keyLengthMax: 40, textLengthMin: 0, textLengthMax: 500, entriesMax: 20 })

export const SkuEntry = object({
  code: Type.String({ minLength: 1, maxLength: 80 }),
  name: Type.Optional(name),
  options: Type.Optional(texts({ keyLengthMax: 100, textLengthMin: 1, textLengthMax: 200, entriesMax: 3 })),
  price: amount,
  compareAtPrice: Type.Optional(nullable(amount)),
  // Opening stock: it counts when the SKU is new. `apply --stock` sets it on known SKUs too.
  stock: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  backorder: Type.Optional(Type.Boolean()),
  maxPerOrder: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.quantityMax })),
  requiresShipping: Type.Optional(Type.Boolean()),
  weightGrams: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: limits.weightGramsMax }))),
  taxClass: Type.Optional(word),
  image: Type.Optional(nullable(picture)),
})

export const ProductEntry = object({
  slug,
  name,
  summary: Type.Optional(text(500)),
  // Plain text; paragraphs are separated by an empty line.
  description: Type.Optional(text(50_000)),
  categories: Type.Optional(Type.Array(slug, { maxItems: 20, uniqueItems: true })),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { maxItems: 50, uniqueItems: true })),
  images: Type.Optional(
    Type.Array(
      object({
        url: picture,
        alt: Type.Optional(text(500)),
        width: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
        height: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
      }),
      { maxItems: 50 },
    ),
  ),
  options: Type.Optional(
    Type.Array(
      object({
        name: Type.String({ minLength: 1, maxLength: 100 }),
        values: Type.Array(name, { minItems: 1, maxItems: 250 }),
      }),
      {
        maxItems: 3,
      },
    ),
  ),
  published: Type.Optional(Type.Boolean()),
  publishedAt: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$' })),
  metadata: Type.Optional(metadata),
  skus: Type.Array(SkuEntry, { minItems: 1, maxItems: 250 }),
})

export const CategoryEntry = object({
  slug,
  name,
  description: Type.Optional(text(5_000)),
  parent: Type.Optional(nullable(slug)),
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  image: Type.Optional(nullable(picture)),
})

export const TaxEntry = object({
  country,
  region: Type.Optional(Type.String({ pattern: '^[A-Z0-9]{1,3}$' })),
  class: Type.Optional(word),
  // Basis points: 1900 is 19 %.
  rate: Type.Integer({ minimum: 0, maximum: limits.taxRateBpsMax }),
})

export const ShippingZoneEntry = object({
  zone: word,
  // `*` is every country that no other zone names.
  countries: Type.Array(Type.Union([country, Type.Literal('*')]), { minItems: 1, maxItems: 250, uniqueItems: true }),
  options: Type.Array(
    object({
      id: word,
      label: name,
      amount,
      freeFrom: Type.Optional(nullable(amount)),
      // Heavier parcels cost more: the first step whose limit is not exceeded names the amount.
      weightSteps: Type.Optional(
        Type.Array(object({ upToGrams: Type.Integer({ minimum: 1, maximum: limits.weightGramsMax }), amount }), {
          maxItems: 20,
        }),
      ),
    }),
    { minItems: 1, maxItems: 10 },
  ),
})

// Exactly the member that fits the type: a percentage has `percentage`, a fixed amount has `amount`, free shipping neither.
export const PromotionEntry = object({
  code: Type.String({ minLength: 1, maxLength: 64 }),
  name,
  type: oneOf(promotionTypes),
  // Basis points: 1000 is 10 %.
  percentage: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  amount: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.amountMax })),
  // In which the amounts are; the merchant's unless said.
  currency: Type.Optional(nullable(Type.String({ pattern: '^[A-Z]{3}$' }))),
  minimumSubtotal: Type.Optional(nullable(amount)),
  // Valid from `startsAt` on, until before `endsAt`.
  startsAt: Type.Optional(nullable(text(30))),
  endsAt: Type.Optional(nullable(text(30))),
  // Uses by everyone together. A code with a limit of 0 is known and used up.
  usageLimit: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }))),
  customerLimit: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }))),
  // What is eligible: products of any of these categories, and these SKUs. Neither: everything.
  categories: Type.Optional(Type.Array(slug, { maxItems: 50, uniqueItems: true })),
  skus: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 80 }), { maxItems: 250, uniqueItems: true })),
  // Left out, it stays as it is: applying a file must not bring a code back that the operator has stopped.
  disabled: Type.Optional(Type.Boolean()),
})

// Money that the merchant takes by hand. Known by mode and method; what the file does not name stays as it is. At first both
// methods are offered in test mode, and none in live mode.
export const PaymentMethodEntry = object({
  mode: oneOf(modes),
  method: oneOf(manualMethods),
  // Left out, a method that the file names for the first time is offered, and later it stays as it is: applying a file must
  // not bring back what the operator has switched off.
  enabled: Type.Optional(Type.Boolean()),
  // What the shopper is told, such as the bank account. A bank transfer in live mode needs it.
  instructions: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: instructionsLengthMax }))),
  // An order that is not paid this many days after it was placed is cancelled; null: never. Left out, 14 for a bank transfer
  // and never for cash on delivery.
  termDays: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: termDaysMax }))),
})

// Known by its address within the installation. Its secret is made here and shown once, so it is in no file.
export const WebhookEntry = object({
  url: Type.String({ minLength: 1, maxLength: urlLengthMax }),
  description: Type.Optional(text(200)),
  // Names of events, `subject.*` or `*`; everything unless said.
  events: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: subscriptionsMax,
      uniqueItems: true,
    }),
  ),
  // Left out, it stays as it is: applying a file must not start an endpoint that the operator has stopped.
  paused: Type.Optional(Type.Boolean()),
})

export const InstallationEntry = object({
  name,
  mode: oneOf(['test', 'live']),
  redirectHosts: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 50, uniqueItems: true }),
  ),
  webhooks: Type.Optional(Type.Array(WebhookEntry, { maxItems: endpointsMax })),
})

// Known by its name, on the whole server. Its keys are public ones; whoever holds the private ones keeps them.
export const AppEntry = object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  description: Type.Optional(text(300)),
  redirectUris: Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), { minItems: 1, maxItems: 20 }),
  // The most it may ask a merchant for.
  scopes: Type.Array(oneOf(scopes), { minItems: 1, uniqueItems: true }),
  // test unless said: which kind of installations it gets.
  mode: Type.Optional(oneOf(modes)),
  // A JSON Web Key Set. Without it the app is public.
  jwks: Type.Optional(
    object({
      keys: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), { minItems: 1, maxItems: 10 }),
    }),
  ),
})

export const MerchantEntry = object({
  slug,
  name,
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  country,
  pricesIncludeTax: Type.Optional(Type.Boolean()),
  // At or below this many units a SKU says `low_stock`.
  lowStockAt: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  supportEmail: Type.Optional(nullable(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 254 }))),
  links: Type.Optional(
    object({
      terms: Type.Optional(Type.String({ pattern: '^https?://', maxLength: 2000 })),
      privacy: Type.Optional(Type.String({ pattern: '^https?://', maxLength: 2000 })),
      refunds: Type.Optional(Type.String({ pattern: '^https?://', maxLength: 2000 })),
      imprint: Type.Optional(Type.String({ pattern: '^https?://', maxLength: 2000 })),
    }),
  ),
})

export const ShopFile = object({
  merchant: MerchantEntry,
  categories: Type.Optional(Type.Array(CategoryEntry, { maxItems: 2_000 })),
  products: Type.Optional(Type.Array(ProductEntry, { maxItems: 10_000 })),
  taxes: Type.Optional(Type.Array(TaxEntry, { maxItems: 5_000 })),
  shipping: Type.Optional(Type.Array(ShippingZoneEntry, { maxItems: 100 })),
  promotions: Type.Optional(Type.Array(PromotionEntry, { maxItems: 50_000 })),
  payments: Type.Optional(Type.Array(PaymentMethodEntry, { maxItems: modes.length * manualMethods.length })),
  installations: Type.Optional(Type.Array(InstallationEntry, { maxItems: 100 })),
  apps: Type.Optional(Type.Array(AppEntry, { maxItems: 100 })),
})

export type SkuEntry = Static<typeof SkuEntry>
export type ProductEntry = Static<typeof ProductEntry>
export type CategoryEntry = Static<typeof CategoryEntry>
export type TaxEntry = Static<typeof TaxEntry>
export type ShippingZoneEntry = Static<typeof ShippingZoneEntry>
export type PromotionEntry = Static<typeof PromotionEntry>
export type PaymentMethodEntry = Static<typeof PaymentMethodEntry>
export type WebhookEntry = Static<typeof WebhookEntry>
export type InstallationEntry = Static<typeof InstallationEntry>
export type AppEntry = Static<typeof AppEntry>
export type MerchantEntry = Static<typeof MerchantEntry>
export type ShopFile = Static<typeof ShopFile>
