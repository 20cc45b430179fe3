// Schemas of what a merchant writes: products, categories, promotions, taxes, shipping, payment methods, the shop. Shop files and the
// admin API share them. An entry refers to other entries by names that the merchant chose (slugs, SKU codes, zones), so it can be applied
// to any shop. Responses of the admin API add ids around it.

import { limits } from './limits.ts'
import { patterns } from './patterns.ts'
import { nullable, object, oneOf, type Static, type TSchema, Type, withDescription } from './schema.ts'
import {
  customerNamesRules,
  manualMethods,
  measureBases,
  measureUnits,
  modes,
  promotionTypes,
  shippingTaxRules,
  textLanguages,
  withdrawalExemptions,
} from './words.ts'

export const slugSchema = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', minLength: 1, maxLength: 120 })
const country = Type.String({ pattern: '^[A-Z]{2}$' })
export const amountSchema = Type.Integer({ minimum: 0, maximum: limits.amountMax })
const word = Type.String({ pattern: '^[a-z0-9]+([_-][a-z0-9]+)*$', minLength: 1, maxLength: 40 })
export const textSchema = (maxLength: number) => Type.String({ maxLength })
export const nameSchema = Type.String({ minLength: 1, maxLength: 200 })
const lineOf = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: patterns.line.source })
export const brandSchema = lineOf(limits.brandLengthMax)

// Limits of the whole category tree. Rendering supports a somewhat deeper tree.
export const categoryDepthMax = 8
export const categoriesMax = 2_000
export const makersMax = 2_000
// Per product.
export const skusMax = 2_048
export const skuCodeLengthMax = 255

// An https address, an http address of this machine, or a path under /media/, which this server serves. `domain/catalog/problems.ts`
// checks what a pattern cannot express.
export const pictureSchema = Type.String({
  pattern: '^(https://|http://(localhost|127\\.0\\.0\\.1)(:[0-9]{1,5})?(/|$)|/media/)',
  maxLength: 2000,
})

// A map from names that the merchant chooses to texts.
function texts(bounds: { keyLengthMax: number; textLengthMin: number; textLengthMax: number; entriesMax: number }) {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: bounds.keyLengthMax },
    additionalProperties: { type: 'string', minLength: bounds.textLengthMin, maxLength: bounds.textLengthMax },
    maxProperties: bounds.entriesMax,
  })
}

const metadata = texts({ keyLengthMax: 40, textLengthMin: 0, textLengthMax: 500, entriesMax: 20 })

// The description of a member is shown by `apply --schema` in editors, and printed into docs/shop-file.md and the OpenAPI document.
export function optionalMember<const Schema extends TSchema>(description: string, schema: Schema) {
  return Type.Optional(withDescription(description, schema))
}

export const MeasureEntry = object({
  amount: withDescription('How much is in it.', Type.Integer({ minimum: 1, maximum: limits.measureAmountMax })),
  unit: oneOf(measureUnits),
  per: optionalMember(
    'What the unit price is for; of the same kind as the unit (default: kg, l, m, m2 or piece).',
    oneOf(measureBases),
  ),
})

export const SkuEntry = object({
  code: withDescription(
    'Your own code, unique within the shop. It is the name of the SKU in every later file.',
    Type.String({ minLength: 1, maxLength: skuCodeLengthMax }),
  ),
  name: optionalMember('Without it: the values of its options, or the name of the product.', nameSchema),
  options: optionalMember(
    'Its value for each option of the product: `{ Size: 250 g }`.',
    texts({ keyLengthMax: 100, textLengthMin: 1, textLengthMax: 200, entriesMax: 3 }),
  ),
  price: withDescription('In minor units: 450 is 4.50.', amountSchema),
  compareAtPrice: optionalMember(
    'A former price that is announced; above the price. The shop shows a reduction only as far as the price was higher in the 30 days before.',
    nullable(amountSchema),
  ),
  stock: optionalMember(
    'Opening stock: it counts when the SKU is new. On known SKUs it is set by `apply --stock` only (default: 0).',
    Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  ),
  backorder: optionalMember('Whether it may be sold when there is none left (default: false).', Type.Boolean()),
  counted: optionalMember(
    'false for what has no stock, such as a service: it can always be bought (default: true).',
    Type.Boolean(),
  ),
  maxPerOrder: optionalMember(
    `How many one order may hold (default: ${limits.quantityMax}).`,
    Type.Integer({ minimum: 1, maximum: limits.quantityMax }),
  ),
  requiresShipping: optionalMember('false for what is sent by e-mail or downloaded (default: true).', Type.Boolean()),
  weightGrams: optionalMember(
    'What the weight steps of a shipping option add up.',
    nullable(Type.Integer({ minimum: 0, maximum: limits.weightGramsMax })),
  ),
  measure: optionalMember(
    'What it contains, for the unit price: `{ amount: 250, unit: g, per: 100g }`.',
    nullable(MeasureEntry),
  ),
  taxClass: optionalMember(
    'Which of the tax rates applies; a class without a rate pays the standard one (default: standard).',
    word,
  ),
  image: optionalMember('A picture of this SKU.', nullable(pictureSchema)),
  barcode: optionalMember('GTIN, EAN, UPC or ISBN.', nullable(Type.String({ minLength: 1, maxLength: 64 }))),
})

// Manufacturers and responsible persons are entries of the shop, and any number of products may name the same one. Regulation (EU)
// 2023/988, Art. 19, demands these members.
const partyMembers = {
  name: withDescription('Name, registered trade name or trade mark.', nameSchema),
  address: withDescription('Lines of the postal address.', Type.Array(nameSchema, { minItems: 1, maxItems: 6 })),
  country: withDescription('Where it is established, by ISO 3166-1.', country),
  contact: withDescription(
    'An e-mail address, or a page that begins with https.',
    Type.String({ pattern: patterns.contact.source, maxLength: 254 }),
  ),
}

export const PartyEntry = object(partyMembers)

export const MakerEntry = object({
  slug: withDescription('A word of your choice; its name in every later file.', slugSchema),
  ...partyMembers,
  responsible: optionalMember(
    'The person in the EU who is responsible for its products. A maker outside of the EU needs one for products that are sold there.',
    nullable(PartyEntry),
  ),
})

export const WarningEntry = object({
  language: optionalMember('Of the text (default: any).', nullable(oneOf(textLanguages))),
  text: Type.String({ minLength: 1, maxLength: limits.warningLengthMax }),
})

export const GuaranteeEntry = object({
  years: Type.Integer({ minimum: 3, maximum: limits.guaranteeYearsMax }),
  url: optionalMember(
    'The conditions, on a page that begins with https.',
    nullable(Type.String({ pattern: '^https://[^\\s]+$', maxLength: 500 })),
  ),
})

export const ProductEntry = object({
  slug: withDescription('Its name in addresses, unique within the shop, and in every later file.', slugSchema),
  name: nameSchema,
  brand: optionalMember(
    'Who makes it. Shoppers find it by its brand and can narrow lists to it.',
    nullable(brandSchema),
  ),
  maker: optionalMember('The slug of the maker, who is named to shoppers with addresses.', nullable(slugSchema)),
  warnings: optionalMember(
    'Warnings and safety information.',
    Type.Array(WarningEntry, { maxItems: limits.warningsMax }),
  ),
  withdrawalExempt: optionalMember(
    'Why shoppers cannot withdraw from the contract about it. Sealed goods can be sent back while they are sealed.',
    nullable(oneOf(withdrawalExemptions)),
  ),
  digital: optionalMember(
    'Supplied at once: the checkout asks for the consent that ends the right of withdrawal (default: false).',
    Type.Boolean(),
  ),
  guarantee: optionalMember(
    "The producer's guarantee of durability for the whole product, free of charge, for more than two years.",
    nullable(GuaranteeEntry),
  ),
  summary: optionalMember('One or two sentences for lists.', textSchema(500)),
  seoTitle: optionalMember(
    'The title that search engines show (default: the name). They cut it after about 60 characters.',
    nullable(lineOf(limits.seoTitleLengthMax)),
  ),
  seoDescription: optionalMember(
    'The text below it (default: the summary, or the beginning of the description). They cut it after about 160 characters.',
    nullable(lineOf(limits.seoDescriptionLengthMax)),
  ),
  description: optionalMember(
    'Plain text; paragraphs are separated by an empty line. Without it: the text of `descriptionHtml`.',
    textSchema(limits.descriptionLengthMax),
  ),
  descriptionHtml: optionalMember(
    'The same with formatting: headings, lists, tables, bold, links. Anything else, such as styles, pictures and scripts, is removed. Without it the product has only its plain text.',
    nullable(textSchema(limits.descriptionHtmlLengthMax)),
  ),
  categories: optionalMember(
    'Slugs of categories in this file.',
    Type.Array(slugSchema, { maxItems: 20, uniqueItems: true }),
  ),
  tags: optionalMember(
    'Words of your choice.',
    Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { maxItems: 50, uniqueItems: true }),
  ),
  images: optionalMember(
    'The first one stands for the product.',
    Type.Array(
      object({
        url: pictureSchema,
        alt: optionalMember('What is to be seen, for those who cannot see it.', textSchema(500)),
        width: optionalMember('In pixels.', nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
        height: optionalMember('In pixels.', nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
      }),
      { maxItems: 50 },
    ),
  ),
  options: optionalMember(
    'What the shopper chooses by, such as a size. Each SKU then names a value for each option.',
    Type.Array(
      object({
        name: Type.String({ minLength: 1, maxLength: 100 }),
        values: withDescription(
          'In the order in which they are shown.',
          Type.Array(nameSchema, { minItems: 1, maxItems: skusMax }),
        ),
      }),
      {
        maxItems: 3,
      },
    ),
  ),
  published: optionalMember('false takes it out of the catalog (default: true).', Type.Boolean()),
  publishedAt: optionalMember(
    'Lists show the newest first. Not in the future (default: when it was first applied).',
    Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$' }),
  ),
  metadata: optionalMember('Texts for your own programs; only API keys can read them.', metadata),
  skus: withDescription('What is sold, at least one.', Type.Array(SkuEntry, { minItems: 1, maxItems: skusMax })),
})

export const CategoryEntry = object({
  slug: slugSchema,
  name: nameSchema,
  description: optionalMember('Plain text.', textSchema(5_000)),
  parent: optionalMember(
    `The slug of the category above it, in this file; at most ${categoryDepthMax} levels.`,
    nullable(slugSchema),
  ),
  position: optionalMember(
    'Lower ones come first among those below one parent (default: 0).',
    Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  ),
  image: Type.Optional(nullable(pictureSchema)),
})

export const TaxEntry = object({
  country,
  region: optionalMember(
    'A part of the country by ISO 3166-2, such as CA for California. Without it: the whole country.',
    Type.String({ pattern: '^[A-Z0-9]{1,3}$' }),
  ),
  class: optionalMember('The tax class of the SKUs it is for (default: standard).', word),
  rate: withDescription('Basis points: 1900 is 19 %.', Type.Integer({ minimum: 0, maximum: limits.taxRateBpsMax })),
})

export const ShippingZoneEntry = object({
  zone: withDescription('A word of your choice.', word),
  countries: withDescription(
    '`*` stands for every country that no other zone names.',
    Type.Array(Type.Union([country, Type.Literal('*')]), { minItems: 1, maxItems: 250, uniqueItems: true }),
  ),
  options: withDescription(
    'What the shopper chooses from; the first is taken until they do.',
    Type.Array(
      object({
        id: withDescription('A word of your choice.', word),
        label: withDescription('What the shopper reads.', nameSchema),
        amount: withDescription('In minor units.', amountSchema),
        freeFrom: optionalMember('Free from this subtotal on, before discount.', nullable(amountSchema)),
        weightSteps: optionalMember(
          'Heavier parcels cost more: the first step whose limit is not exceeded names the amount. Above the last, the option is not offered.',
          Type.Array(
            object({ upToGrams: Type.Integer({ minimum: 1, maximum: limits.weightGramsMax }), amount: amountSchema }),
            {
              maxItems: 20,
            },
          ),
        ),
      }),
      { minItems: 1, maxItems: 10 },
    ),
  ),
})

// Must have exactly the member that fits its type: `percentage`, `amount`, or neither for free shipping.
export const PromotionEntry = object({
  code: withDescription('What shoppers type, in any case.', Type.String({ minLength: 1, maxLength: 64 })),
  name: nameSchema,
  type: oneOf(promotionTypes),
  percentage: optionalMember(
    'Basis points: 1000 is 10 %. For the type `percentage`.',
    Type.Integer({ minimum: 1, maximum: 10_000 }),
  ),
  amount: optionalMember(
    'In minor units. For the type `fixed_amount`.',
    Type.Integer({ minimum: 1, maximum: limits.amountMax }),
  ),
  currency: optionalMember(
    "Of its amounts (default: the merchant's).",
    nullable(Type.String({ pattern: '^[A-Z]{3}$' })),
  ),
  minimumSubtotal: optionalMember('The code waits until the cart is worth this much.', nullable(amountSchema)),
  startsAt: optionalMember('Valid from this instant on, in UTC: 2026-12-01T00:00:00Z.', nullable(textSchema(30))),
  endsAt: optionalMember('Valid until before this instant.', nullable(textSchema(30))),
  usageLimit: optionalMember(
    'Uses by everyone together; with 0 the code is known and used up.',
    nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  ),
  customerLimit: optionalMember(
    'Uses by one customer, who is known by their e-mail.',
    nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  ),
  categories: optionalMember(
    'Only for products of these categories and those below them. With `skus`: for either.',
    Type.Array(slugSchema, { maxItems: 50, uniqueItems: true }),
  ),
  skus: optionalMember(
    'Only for these SKU codes.',
    Type.Array(Type.String({ minLength: 1, maxLength: skuCodeLengthMax }), { maxItems: 250, uniqueItems: true }),
  ),
  disabled: optionalMember('Left out, it stays as the operator has it.', Type.Boolean()),
})

// Payments that the merchant collects without a provider, by mode and method. Methods that a file does not name stay unchanged. At first
// both methods are offered in test mode, and none in live mode.
export const PaymentMethodEntry = object({
  mode: oneOf(modes),
  method: oneOf(manualMethods),
  enabled: optionalMember(
    'Left out, a method is offered when a file first names it, and later stays as the operator has it.',
    Type.Boolean(),
  ),
  instructions: optionalMember(
    'What the shopper is told, such as the bank account. A bank transfer in live mode needs it.',
    nullable(Type.String({ minLength: 1, maxLength: limits.instructionsLengthMax })),
  ),
  termDays: optionalMember(
    'An order that is not paid after so many days is cancelled; null: never (default: 14 for a bank transfer, never for cash on delivery).',
    nullable(Type.Integer({ minimum: 1, maximum: limits.termDaysMax })),
  ),
})

const page = Type.String({ pattern: '^https?://', maxLength: 2000 })

export const LegalEntry = object({
  name: withDescription('Of the company or the person.', nameSchema),
  address: optionalMember('Lines of the postal address.', Type.Array(nameSchema, { minItems: 1, maxItems: 6 })),
  vatId: optionalMember('Number for value added tax.', Type.String({ minLength: 1, maxLength: 40 })),
  registration: optionalMember(
    'Such as court and number of the register.',
    Type.String({ minLength: 1, maxLength: 200 }),
  ),
  taxNumber: optionalMember(
    'Number at the tax office, where there is no `vatId`.',
    Type.String({ minLength: 1, maxLength: 40 }),
  ),
  street: optionalMember('Street and number. E-invoices have the address in parts.', nameSchema),
  postalCode: optionalMember('Of the address.', Type.String({ minLength: 1, maxLength: 20 })),
  city: optionalMember('Of the address.', nameSchema),
  phone: optionalMember('For questions about invoices.', Type.String({ minLength: 3, maxLength: 40 })),
})

const numberFormat = Type.String({
  pattern: '^[A-Za-z0-9/-]*(\\{year\\}[A-Za-z0-9/-]*)?\\{number(:[1-9])?\\}[A-Za-z0-9/-]*$',
  maxLength: 40,
})

export const InvoicesEntry = object({
  numberFormat: optionalMember(
    'How invoices are numbered (default: `{year}-{number:6}`). With the year, each year begins with 1.',
    numberFormat,
  ),
  creditNumberFormat: optionalMember('The same for credit notes (default: `C{year}-{number:6}`).', numberFormat),
  smallBusiness: optionalMember(
    'Whether no tax is charged because the business is small. Invoices say so.',
    Type.Boolean(),
  ),
})

export const TimeZone = Type.String({ minLength: 1, maxLength: 64, description: 'IANA name, such as Europe/Berlin.' })

// Settings of a merchant's shop. Shop files add e-mails and the legal name.
export const merchantMembers = {
  slug: withDescription('Its name in addresses and commands, and in every later file.', slugSchema),
  name: withDescription('What shoppers read.', nameSchema),
  currency: withDescription(
    'By ISO 4217. It cannot change once there are prices.',
    Type.String({ pattern: '^[A-Z]{3}$' }),
  ),
  country: withDescription('By ISO 3166-1.', country),
  pricesIncludeTax: optionalMember('Whether prices are with tax (default: true).', Type.Boolean()),
  shippingTax: optionalMember(
    'How shipping is taxed where the rates name no class `shipping`. goods: as the goods that are shipped, in proportion to their prices. standard: at the standard rate. Without it, goods in the EU, the United Kingdom, Norway, Switzerland and Liechtenstein, and standard elsewhere.',
    nullable(oneOf(shippingTaxRules)),
  ),
  customerNames: optionalMember(
    'What lists of orders show to people who may see customers. shown: the name of who ordered. masked: a masked e-mail address, as to everyone else (default: shown).',
    oneOf(customerNamesRules),
  ),
  lowStockAt: optionalMember(
    'At or below this many units a SKU says `low_stock` (default: 5).',
    Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  ),
  supportEmail: optionalMember(
    'Shown to shoppers.',
    nullable(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 254 })),
  ),
  logo: optionalMember(
    'Shown instead of the name on the checkout and the order page; draw the name into it.',
    nullable(pictureSchema),
  ),
  color: optionalMember(
    'Of buttons on the checkout and the order page, as `#2c4c3e`. Text on it is black or white, whichever can be read.',
    nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
  ),
  links: optionalMember(
    'Pages of yours, linked below the checkout.',
    object({
      terms: Type.Optional(page),
      privacy: Type.Optional(page),
      refunds: Type.Optional(page),
      imprint: Type.Optional(page),
    }),
  ),
  synonyms: optionalMember(
    'Groups of words that mean the same in a search, such as `[[sofa, couch], [nightstand, bedside table]]`.',
    Type.Array(
      Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { minItems: 2, maxItems: limits.synonymsPerGroupMax }),
      { maxItems: limits.synonymGroupsMax },
    ),
  ),
} as const

export const ShopEntry = object({
  ...merchantMembers,
  legal: optionalMember('Who sells, as invoices, receipts and packing slips name it.', LegalEntry),
  invoices: optionalMember('Numbers of invoices and credit notes.', InvoicesEntry),
})

export type MeasureEntry = Static<typeof MeasureEntry>
export type SkuEntry = Static<typeof SkuEntry>
export type ProductEntry = Static<typeof ProductEntry>
export type PartyEntry = Static<typeof PartyEntry>
export type MakerEntry = Static<typeof MakerEntry>
export type GuaranteeEntry = Static<typeof GuaranteeEntry>
export type WarningEntry = Static<typeof WarningEntry>
export type CategoryEntry = Static<typeof CategoryEntry>
export type TaxEntry = Static<typeof TaxEntry>
export type ShippingZoneEntry = Static<typeof ShippingZoneEntry>
export type PromotionEntry = Static<typeof PromotionEntry>
export type PaymentMethodEntry = Static<typeof PaymentMethodEntry>
export type InvoicesEntry = Static<typeof InvoicesEntry>
export type LegalEntry = Static<typeof LegalEntry>
export type ShopEntry = Static<typeof ShopEntry>
