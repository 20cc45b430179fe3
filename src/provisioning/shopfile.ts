// The declarative shop file that `apply` takes: what a merchant sells, to whom, and at which price. Everything is keyed
// by words the merchant chose (slugs, SKU codes, zone names), never by our ids, so the same file can be applied anywhere.

import { limits } from '../contract/limits.ts'
import { described, nullable, object, oneOf, type Static, type TSchema, Type } from '../contract/schema.ts'
import { manualMethods, modes, promotionTypes, scopes } from '../contract/words.ts'
import { switchableKinds } from '../events/letters.ts'
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

// What a member means is told once, here: `apply --schema` shows it in editors and docs/shop-file.md prints it.
function optional<const Schema extends TSchema>(description: string, schema: Schema) {
  return Type.Optional(described(description, schema))
}

export const SkuEntry = object({
  code: described(
    'Your own code, unique within the shop. It is the name of the SKU in every later file.',
    Type.String({ minLength: 1, maxLength: 80 }),
  ),
  name: optional('Without it: the values of its options, or the name of the product.', name),
  options: optional(
    'Its value for each option of the product: `{ Size: 250 g }`.',
    texts({ keyLengthMax: 100, textLengthMin: 1, textLengthMax: 200, entriesMax: 3 }),
  ),
  price: described('In minor units: 450 is 4.50.', amount),
  compareAtPrice: optional('A price to compare with, such as a former one; above the price.', nullable(amount)),
  stock: optional(
    'Opening stock: it counts when the SKU is new. On known SKUs it is set by `apply --stock` only (default: 0).',
    Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  ),
  backorder: optional('Whether it may be sold when there is none left (default: false).', Type.Boolean()),
  maxPerOrder: optional(
    `How many one order may hold (default: ${limits.quantityMax}).`,
    Type.Integer({ minimum: 1, maximum: limits.quantityMax }),
  ),
  requiresShipping: optional('false for what is sent by e-mail or downloaded (default: true).', Type.Boolean()),
  weightGrams: optional(
    'What the weight steps of a shipping option add up.',
    nullable(Type.Integer({ minimum: 0, maximum: limits.weightGramsMax })),
  ),
  taxClass: optional(
    'Which of the tax rates applies; a class without a rate pays the standard one (default: standard).',
    word,
  ),
  image: optional('A picture of this SKU.', nullable(picture)),
})

export const ProductEntry = object({
  slug: described('Its name in addresses, unique within the shop, and in every later file.', slug),
  name,
  summary: optional('One or two sentences for lists.', text(500)),
  description: optional('Plain text; paragraphs are separated by an empty line.', text(50_000)),
  categories: optional('Slugs of categories in this file.', Type.Array(slug, { maxItems: 20, uniqueItems: true })),
  tags: optional(
    'Words of your choice.',
    Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { maxItems: 50, uniqueItems: true }),
  ),
  images: optional(
    'The first one stands for the product.',
    Type.Array(
      object({
        url: picture,
        alt: optional('What is to be seen, for those who cannot see it.', text(500)),
        width: optional('In pixels.', nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
        height: optional('In pixels.', nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
      }),
      { maxItems: 50 },
    ),
  ),
  options: optional(
    'What the shopper chooses by, such as a size. Each SKU then names a value for each option.',
    Type.Array(
      object({
        name: Type.String({ minLength: 1, maxLength: 100 }),
        values: described('In the order in which they are shown.', Type.Array(name, { minItems: 1, maxItems: 250 })),
      }),
      {
        maxItems: 3,
      },
    ),
  ),
  published: optional('false takes it out of the catalog (default: true).', Type.Boolean()),
  publishedAt: optional(
    'Lists show the newest first. Not in the future (default: when it was first applied).',
    Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$' }),
  ),
  metadata: optional('Texts for your own programs; only API keys can read them.', metadata),
  skus: described('What is sold, at least one.', Type.Array(SkuEntry, { minItems: 1, maxItems: 250 })),
})

export const CategoryEntry = object({
  slug,
  name,
  description: optional('Plain text.', text(5_000)),
  parent: optional(
    `The slug of the category above it, in this file; at most ${categoryDepthMax} levels.`,
    nullable(slug),
  ),
  position: optional(
    'Lower ones come first among those below one parent (default: 0).',
    Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  ),
  image: Type.Optional(nullable(picture)),
})

export const TaxEntry = object({
  country,
  region: optional(
    'A part of the country by ISO 3166-2, such as CA for California. Without it: the whole country.',
    Type.String({ pattern: '^[A-Z0-9]{1,3}$' }),
  ),
  class: optional('The tax class of the SKUs it is for (default: standard).', word),
  rate: described('Basis points: 1900 is 19 %.', Type.Integer({ minimum: 0, maximum: limits.taxRateBpsMax })),
})

export const ShippingZoneEntry = object({
  zone: described('A word of your choice.', word),
  countries: described(
    '`*` stands for every country that no other zone names.',
    Type.Array(Type.Union([country, Type.Literal('*')]), { minItems: 1, maxItems: 250, uniqueItems: true }),
  ),
  options: described(
    'What the shopper chooses from; the first is taken until they do.',
    Type.Array(
      object({
        id: described('A word of your choice.', word),
        label: described('What the shopper reads.', name),
        amount: described('In minor units.', amount),
        freeFrom: optional('Free from this subtotal on, before discount.', nullable(amount)),
        weightSteps: optional(
          'Heavier parcels cost more: the first step whose limit is not exceeded names the amount. Above the last, the option is not offered.',
          Type.Array(object({ upToGrams: Type.Integer({ minimum: 1, maximum: limits.weightGramsMax }), amount }), {
            maxItems: 20,
          }),
        ),
      }),
      { minItems: 1, maxItems: 10 },
    ),
  ),
})

// Exactly the member that fits the type: a percentage has `percentage`, a fixed amount has `amount`, free shipping neither.
export const PromotionEntry = object({
  code: described('What shoppers type, in any case.', Type.String({ minLength: 1, maxLength: 64 })),
  name,
  type: oneOf(promotionTypes),
  percentage: optional(
    'Basis points: 1000 is 10 %. For the type `percentage`.',
    Type.Integer({ minimum: 1, maximum: 10_000 }),
  ),
  amount: optional(
    'In minor units. For the type `fixed_amount`.',
    Type.Integer({ minimum: 1, maximum: limits.amountMax }),
  ),
  currency: optional("Of its amounts (default: the merchant's).", nullable(Type.String({ pattern: '^[A-Z]{3}$' }))),
  minimumSubtotal: optional('The code waits until the cart is worth this much.', nullable(amount)),
  startsAt: optional('Valid from this instant on, in UTC: 2026-12-01T00:00:00Z.', nullable(text(30))),
  endsAt: optional('Valid until before this instant.', nullable(text(30))),
  usageLimit: optional(
    'Uses by everyone together; with 0 the code is known and used up.',
    nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  ),
  customerLimit: optional(
    'Uses by one customer, who is known by their e-mail.',
    nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  ),
  categories: optional(
    'Only for products of these categories and those below them. With `skus`: for either.',
    Type.Array(slug, { maxItems: 50, uniqueItems: true }),
  ),
  skus: optional(
    'Only for these SKU codes.',
    Type.Array(Type.String({ minLength: 1, maxLength: 80 }), { maxItems: 250, uniqueItems: true }),
  ),
  disabled: optional('Left out, it stays as the operator has it.', Type.Boolean()),
})

// Money that the merchant takes by hand. Known by mode and method; what the file does not name stays as it is. At first both
// methods are offered in test mode, and none in live mode.
export const PaymentMethodEntry = object({
  mode: oneOf(modes),
  method: oneOf(manualMethods),
  enabled: optional(
    'Left out, a method is offered when a file first names it, and later stays as the operator has it.',
    Type.Boolean(),
  ),
  instructions: optional(
    'What the shopper is told, such as the bank account. A bank transfer in live mode needs it.',
    nullable(Type.String({ minLength: 1, maxLength: instructionsLengthMax })),
  ),
  termDays: optional(
    'An order that is not paid after so many days is cancelled; null: never (default: 14 for a bank transfer, never for cash on delivery).',
    nullable(Type.Integer({ minimum: 1, maximum: termDaysMax })),
  ),
})

// Known by its address within the installation. Its secret is made here and shown once, so it is in no file.
export const WebhookEntry = object({
  url: described('https; its name in every later file.', Type.String({ minLength: 1, maxLength: urlLengthMax })),
  description: optional('For the operator.', text(200)),
  events: optional(
    'Names of events, `subject.*` or `*` (default: all).',
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: subscriptionsMax,
      uniqueItems: true,
    }),
  ),
  paused: optional('Left out, it stays as the operator has it.', Type.Boolean()),
})

export const InstallationEntry = object({
  name: described('Its name in every later file.', name),
  mode: described('test: the test cards pay. live: real money. It never changes.', oneOf(modes)),
  redirectHosts: optional(
    'Where a checkout may send shoppers back to: `shop.example.com` for https on port 443, or `shop.example.com:8443`. A loopback host without a port stands for every port, and needs no entry in test mode.',
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 50, uniqueItems: true }),
  ),
  webhooks: optional(
    'Who is told what happens. The secret of a new one is printed once.',
    Type.Array(WebhookEntry, { maxItems: endpointsMax }),
  ),
})

// Known by its name, on the whole server. Its keys are public ones; whoever holds the private ones keeps them.
export const AppEntry = object({
  name: described(
    'Unique on the whole server. A file changes only apps that it declared, and none that another merchant has installed.',
    Type.String({ minLength: 1, maxLength: 100 }),
  ),
  description: optional('One line below the name, on the page of consent.', text(300)),
  redirectUris: described(
    'Where the browser goes in the end, exactly. https, or http on a loopback host.',
    Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), { minItems: 1, maxItems: 20 }),
  ),
  scopes: described(
    'The most it may ask a merchant for.',
    Type.Array(oneOf(scopes), { minItems: 1, uniqueItems: true }),
  ),
  mode: optional('Which kind of installations it gets (default: test).', oneOf(modes)),
  jwks: optional(
    'Its public keys, as a JSON Web Key Set. Without them the app is public.',
    object({
      keys: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), { minItems: 1, maxItems: 10 }),
    }),
  ),
})

const page = Type.String({ pattern: '^https?://', maxLength: 2000 })

export const LegalEntry = object({
  name: described('Of the company or the person.', name),
  address: optional('Lines of the postal address.', Type.Array(name, { minItems: 1, maxItems: 6 })),
  vatId: optional('Number for value added tax.', Type.String({ minLength: 1, maxLength: 40 })),
  registration: optional('Such as court and number of the register.', Type.String({ minLength: 1, maxLength: 200 })),
})

export const MailEntry = object({
  senderName: optional('Whom letters come from (default: the name of the merchant).', nullable(name)),
  replyTo: optional(
    'Where answers of shoppers go (default: supportEmail).',
    nullable(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 254 })),
  ),
  language: optional('Of letters to you (default: en).', oneOf(['en', 'de', 'fr', 'es', 'ja', 'ar'])),
  off: optional(
    'Kinds of letters that are not sent.',
    Type.Array(oneOf(switchableKinds), { maxItems: 20, uniqueItems: true }),
  ),
})

export const MerchantEntry = object({
  slug: described('Its name in addresses and commands, and in every later file.', slug),
  name: described('What shoppers read.', name),
  currency: described('By ISO 4217. It cannot change once there are prices.', Type.String({ pattern: '^[A-Z]{3}$' })),
  country: described('By ISO 3166-1.', country),
  pricesIncludeTax: optional('Whether prices are with tax (default: true).', Type.Boolean()),
  lowStockAt: optional(
    'At or below this many units a SKU says `low_stock` (default: 5).',
    Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  ),
  supportEmail: optional(
    'Shown to shoppers.',
    nullable(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 254 })),
  ),
  logo: optional(
    'Shown instead of the name on the checkout and the order page; draw the name into it.',
    nullable(picture),
  ),
  color: optional(
    'Of buttons on the checkout and the order page, as `#2c4c3e`. Text on it is black or white, whichever can be read.',
    nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
  ),
  links: optional(
    'Pages of yours, linked below the checkout.',
    object({
      terms: Type.Optional(page),
      privacy: Type.Optional(page),
      refunds: Type.Optional(page),
      imprint: Type.Optional(page),
    }),
  ),
  mail: optional('What is written to shoppers, and to you.', MailEntry),
  legal: optional('Who sells, as receipts and packing slips name it.', LegalEntry),
})

export const ShopFile = object({
  merchant: described('Who sells.', MerchantEntry),
  categories: optional('A tree, named by slugs.', Type.Array(CategoryEntry, { maxItems: 2_000 })),
  products: optional(
    'What is sold. A product that the file does not name stays; a SKU that its product no longer names is retired.',
    Type.Array(ProductEntry, { maxItems: 10_000 }),
  ),
  taxes: optional(
    'Rates by country, region and class. The list replaces the one before.',
    Type.Array(TaxEntry, { maxItems: 5_000 }),
  ),
  shipping: optional(
    'Where it goes and what that costs. The list replaces the one before. Without any zone nothing that is shipped can be sold.',
    Type.Array(ShippingZoneEntry, { maxItems: 100 }),
  ),
  promotions: optional('Codes that shoppers type.', Type.Array(PromotionEntry, { maxItems: 50_000 })),
  payments: optional(
    'Ways to pay without a provider. Until a file names them, both are offered in test mode and none in live mode.',
    Type.Array(PaymentMethodEntry, { maxItems: modes.length * manualMethods.length }),
  ),
  installations: optional(
    'Who acts for the shop: a web shop, a till. API keys belong to one.',
    Type.Array(InstallationEntry, { maxItems: 100 }),
  ),
  apps: optional('What merchants of this server can install by OAuth.', Type.Array(AppEntry, { maxItems: 100 })),
})

// For editors: the schema as `apply --schema` prints it. It says what a file must be like; that its parts fit each other,
// `apply --dry-run` says.
export const shopFileSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Cartwright shop file',
  ...ShopFile,
}

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
