// The merchant, taxes, shipping and payment methods: schemas and operations.

import {
  InvoicesEntry,
  LegalEntry,
  merchantMembers,
  ShippingZoneEntry,
  ShopEntry,
  TaxEntry,
  TimeZone,
} from '../entries.ts'
import { limits } from '../limits.ts'
import { ExpectedVersion, IdempotencyKey, MerchantId, Version } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { manualMethods } from '../words.ts'
import { AdminSubjectChange } from './changes.ts'
import { DryRun } from './dryrun.ts'
import { AdminPaymentAccount } from './payments.ts'
import { type AdminOperationRows, adminRow } from './row.ts'

const tablesBytesMax = 512 * 1024

const Taxes = Type.Array(TaxEntry, { maxItems: 5_000 })
const Shipping = Type.Array(ShippingZoneEntry, { maxItems: 100 })

export const AdminPaymentMethod = object({
  provider: oneOf(manualMethods, { description: 'A way to pay without a payment provider.' }),
  enabled: Type.Boolean({ description: 'Whether it is offered to shoppers, in the mode of the caller.' }),
  instructions: nullable(Type.String(), { description: 'What the shopper is told, such as the bank account.' }),
  termDays: nullable(Type.Integer(), { description: 'An order that is not paid after so many days is cancelled.' }),
})

export const AdminShop = object({
  id: MerchantId,
  version: withDescription('Of all that this answer shows.', Version),
  shop: ShopEntry,
  timeZone: TimeZone,
  taxes: Taxes,
  shipping: Shipping,
  paymentMethods: Type.Array(AdminPaymentMethod),
  paymentAccounts: Type.Array(AdminPaymentAccount, {
    description: 'Accounts that take payments, in the mode of the caller.',
  }),
})

export const AdminShopResponse = object({ data: AdminShop })
export const AdminShopChangeResponse = object({
  data: AdminShop,
  changes: Type.Array(AdminSubjectChange, { description: 'What changed, or with dryRun would change.' }),
})

const changing = { idempotencyKey: Type.Optional(IdempotencyKey), expectedVersion: ExpectedVersion }
const {
  name,
  currency,
  country,
  pricesIncludeTax,
  shippingTax,
  customerNames,
  lowStockAt,
  supportEmail,
  logo,
  color,
  links,
  synonyms,
} = merchantMembers

// Members that are left out stay unchanged.
export const UpdateAdminShopRequest = object({
  ...changing,
  name: Type.Optional(name),
  currency: Type.Optional(currency),
  country: Type.Optional(country),
  pricesIncludeTax,
  shippingTax,
  customerNames,
  lowStockAt,
  supportEmail,
  logo,
  color,
  links,
  synonyms,
  legal: Type.Optional(nullable(LegalEntry)),
  invoices: Type.Optional(InvoicesEntry),
  timeZone: Type.Optional(TimeZone),
})

export const ReplaceAdminTaxesRequest = object({ ...changing, taxes: Taxes, dryRun: Type.Optional(DryRun) })
export const ReplaceAdminShippingRequest = object({ ...changing, shipping: Shipping, dryRun: Type.Optional(DryRun) })

// The provider in the path is the name of a manual method, such as `bank_transfer`: no payment provider is called for it.
export const UpdateAdminPaymentProviderRequest = object({
  ...changing,
  enabled: Type.Boolean(),
  instructions: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: limits.instructionsLengthMax }))),
  termDays: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: limits.termDaysMax }))),
})

// biome-ignore format: a row reads best as a few lines
export const shopOperationRows = {
  getAdminShop: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/shop',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Shop',
    summary: 'Get the shop',
    description: 'The merchant with taxes, shipping and payment methods.',
    body: null, reply: okReply(AdminShopResponse),
    refusals: [],
  },
  updateAdminShop: {
    ...adminRow, method: 'PATCH', path: '/api/v1/admin/shop',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Change the shop',
    description: 'What is left out stays as it is. The currency can change only while there is no product. The slug stays.',
    body: UpdateAdminShopRequest, reply: okReply(AdminShopChangeResponse),
    refusals: ['version_conflict', 'currency_not_changeable'],
  },
  replaceAdminTaxes: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/shop/taxes',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Replace the tax rates',
    description: 'The list replaces the one before. Open carts are priced with the new rates.',
    body: ReplaceAdminTaxesRequest, bodyBytesMax: tablesBytesMax, reply: okReply(AdminShopChangeResponse),
    refusals: ['version_conflict'],
  },
  replaceAdminShipping: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/shop/shipping',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Replace the shipping zones',
    description: 'The list replaces the one before. Without a zone nothing that is shipped can be sold.',
    body: ReplaceAdminShippingRequest, bodyBytesMax: tablesBytesMax, reply: okReply(AdminShopChangeResponse),
    refusals: ['version_conflict'],
  },
  updateAdminPaymentProvider: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/shop/providers/{provider}',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Change a payment method',
    description: 'A way to pay without a payment provider, in the mode of the caller.',
    body: UpdateAdminPaymentProviderRequest, reply: okReply(AdminShopChangeResponse),
    refusals: ['payment_provider_not_found', 'version_conflict'],
  },
} as const satisfies AdminOperationRows

export type AdminShop = Static<typeof AdminShop>
