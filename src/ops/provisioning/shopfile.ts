// The shop file that `apply` reads: what a merchant sells, to whom, and at which price. Everything is identified by the merchant's words
// (slugs, SKU codes, zone names), never by our ids, so the same file can be applied anywhere.

import { agentLevels, agentPayers } from '../../contract/agents/settings.ts'
import {
  CategoryEntry,
  categoriesMax,
  InvoicesEntry,
  LegalEntry,
  MakerEntry,
  makersMax,
  merchantMembers,
  nameSchema,
  optionalMember,
  PaymentMethodEntry,
  ProductEntry,
  PromotionEntry,
  ShippingZoneEntry,
  TaxEntry,
  TimeZone,
  textSchema,
} from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../../contract/schema.ts'
import { manualMethods, modes, openInterfaceScopes } from '../../contract/words.ts'
import { urlLengthMax } from '../../domain/webhooks/guard.ts'
import { endpointsMax } from '../../domain/webhooks/store.ts'
import { subscriptionsMax } from '../../domain/webhooks/subscription.ts'
import { switchableKinds } from '../../platform/outbox/emails.ts'

// Identified by its URL within the installation. Its secret is created by the server and shown once, so no file contains it.
export const WebhookEntry = object({
  url: withDescription('https; its name in every later file.', Type.String({ minLength: 1, maxLength: urlLengthMax })),
  description: optionalMember('For the operator.', textSchema(200)),
  events: optionalMember(
    'Names of events, `subject.*` or `*` (default: all).',
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: subscriptionsMax,
      uniqueItems: true,
    }),
  ),
  paused: optionalMember('Left out, it stays as the operator has it.', Type.Boolean()),
})

export const InstallationEntry = object({
  name: withDescription('Its name in every later file.', nameSchema),
  mode: withDescription('test: the test cards pay. live: real money. It never changes.', oneOf(modes)),
  redirectHosts: optionalMember(
    'Where a checkout may send shoppers back to: `shop.example.com` for https on port 443, or `shop.example.com:8443`. A loopback host without a port stands for every port, and needs no entry in test mode.',
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 50, uniqueItems: true }),
  ),
  webhooks: optionalMember(
    'Who is told what happens. The secret of a new one is printed once.',
    Type.Array(WebhookEntry, { maxItems: endpointsMax }),
  ),
})

// Identified by its name on the whole server. Its keys are public keys; the app keeps the private ones.
export const AppEntry = object({
  name: withDescription(
    'Unique on the whole server. A file changes only apps that it declared, and none that another merchant has installed.',
    Type.String({ minLength: 1, maxLength: 100 }),
  ),
  description: optionalMember('One line below the name, on the page of consent.', textSchema(300)),
  redirectUris: withDescription(
    'Where the browser goes in the end, exactly. https, or http on a loopback host.',
    Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), { minItems: 1, maxItems: 20 }),
  ),
  scopes: withDescription(
    'The most it may ask a merchant for.',
    Type.Array(oneOf(openInterfaceScopes), { minItems: 1, uniqueItems: true }),
  ),
  mode: optionalMember('Which kind of installations it gets (default: test).', oneOf(modes)),
  jwks: optionalMember(
    'Its public keys, as a JSON Web Key Set. Without them the app is public.',
    object({
      keys: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), { minItems: 1, maxItems: 10 }),
    }),
  ),
})

export const AgentsEntry = object({
  mode: withDescription('Each mode is opened by itself.', oneOf(modes)),
  level: optionalMember('What agents may do: nothing, find and open checkouts, or also pay.', oneOf(agentLevels)),
  who: optionalMember('Who may pay and read its orders. anyone is for test mode.', oneOf(agentPayers)),
  reviewFrom: optionalMember(
    'From this total on, in minor units, the buyer confirms on the page. null: never.',
    nullable(Type.Integer({ minimum: 0, maximum: limits.amountMax })),
  ),
  orderWebhooks: optionalMember('Whether platforms are called when their orders change.', Type.Boolean()),
})

export const MailEntry = object({
  senderName: optionalMember('Whom e-mails come from (default: the name of the merchant).', nullable(nameSchema)),
  replyTo: optionalMember(
    'Where answers of shoppers go (default: supportEmail).',
    nullable(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 254 })),
  ),
  language: optionalMember('Of e-mails to you (default: en).', oneOf(['en', 'de', 'fr', 'es', 'nl', 'ja', 'ar'])),
  off: optionalMember(
    'Kinds of e-mails that are not sent.',
    Type.Array(oneOf(switchableKinds), { maxItems: 20, uniqueItems: true }),
  ),
})

export const MerchantEntry = object({
  ...merchantMembers,
  timeZone: optionalMember(
    'Where the days of its reports and documents begin: an IANA name, such as `Europe/Berlin`. Left out, it stays as it is (at first UTC).',
    TimeZone,
  ),
  mail: optionalMember('What is written to shoppers, and to you.', MailEntry),
  legal: optionalMember('Who sells, as invoices, receipts and packing slips name it.', LegalEntry),
  invoices: optionalMember('Numbers of invoices and credit notes. Left out, they stay as they are.', InvoicesEntry),
})

export const ShopFile = object({
  merchant: withDescription('Who sells.', MerchantEntry),
  categories: optionalMember('A tree, named by slugs.', Type.Array(CategoryEntry, { maxItems: categoriesMax })),
  makers: optionalMember(
    'Who makes the products, named by slugs. One that the file does not name stays.',
    Type.Array(MakerEntry, { maxItems: makersMax }),
  ),
  products: optionalMember(
    'What is sold. A product that the file does not name stays; a SKU that its product no longer names is retired.',
    Type.Array(ProductEntry, { maxItems: 10_000 }),
  ),
  taxes: optionalMember(
    'Rates by country, region and class. The list replaces the one before.',
    Type.Array(TaxEntry, { maxItems: 5_000 }),
  ),
  shipping: optionalMember(
    'Where it goes and what that costs. The list replaces the one before. Without any zone nothing that is shipped can be sold.',
    Type.Array(ShippingZoneEntry, { maxItems: 100 }),
  ),
  promotions: optionalMember('Codes that shoppers type.', Type.Array(PromotionEntry, { maxItems: 50_000 })),
  payments: optionalMember(
    'Ways to pay without a provider. Until a file names them, both are offered in test mode and none in live mode.',
    Type.Array(PaymentMethodEntry, { maxItems: modes.length * manualMethods.length }),
  ),
  installations: optionalMember(
    'Who acts for the shop: a web shop, a till. API keys belong to one.',
    Type.Array(InstallationEntry, { maxItems: 100 }),
  ),
  apps: optionalMember('What merchants of this server can install by OAuth.', Type.Array(AppEntry, { maxItems: 100 })),
  agents: optionalMember(
    'What software that shops for people may do. Members that are left out stay as they are.',
    Type.Array(AgentsEntry, { maxItems: modes.length }),
  ),
})

// The schema for editors, printed by `apply --schema`. Contradictions between parts of a file are only checked by `apply --dry-run`.
export const shopFileSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Cartwright shop file',
  ...ShopFile,
}

export type WebhookEntry = Static<typeof WebhookEntry>
export type InstallationEntry = Static<typeof InstallationEntry>
export type AppEntry = Static<typeof AppEntry>
export type AgentsEntry = Static<typeof AgentsEntry>
export type MerchantEntry = Static<typeof MerchantEntry>
export type ShopFile = Static<typeof ShopFile>
