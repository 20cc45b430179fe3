// Drafts: orders that the merchant makes for a shopper, at catalog prices or at prices set by hand. The shopper pays by a link to the
// hosted checkout. Until payment the stock is held, and the merchant may change the draft behind the same link.

import { amountSchema } from '../entries.ts'
import { limits } from '../limits.ts'
import { Address } from '../open/carts.ts'
import { CheckoutCustomerInput } from '../open/checkout.ts'
import {
  Amount,
  Currency,
  DraftId,
  ExpectedVersion,
  IdempotencyKey,
  InstallationId,
  Instant,
  lineSchema,
  Mode,
  OptionValue,
  OrderId,
  paragraphSchema,
  Quantity,
  SkuId,
  Totals,
  Version,
} from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { draftStatuses, textLanguages } from '../words.ts'
import { AdminChange } from './changes.ts'
import { DryRun } from './dryrun.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

export const draftDaysMax = 30
const draftDaysDefault = 7
// Maximum number of times that the link of one draft is sent by e-mail.
export const draftEmailsMax = 5

const summary = {
  id: DraftId,
  version: Version,
  mode: Mode,
  status: oneOf(draftStatuses, {
    description: 'open: the link can be paid. paying: a payment is under way. paid: there is an order.',
  }),
  emailMasked: nullable(Type.String()),
  currency: Currency,
  total: withDescription(
    'With tax, when it was last priced. Of an open draft without an address, an estimate.',
    Amount,
  ),
  order: nullable(object({ id: OrderId, number: Type.String() }), { description: 'null until it is paid.' }),
  ofOrder: nullable(object({ id: OrderId, number: Type.String() }), {
    description:
      'The order that is changed when the draft is paid (`editAdminOrder` with payByLink): no order is made then, and the total is the difference.',
  }),
  createdAt: Instant,
  expiresAt: withDescription('Until then the link can be paid, and the stock is held.', Instant),
}

export const DraftSummary = object(summary)

const Delivery = object({ label: lineSchema(1, 100), amount: amountSchema })
const Language = oneOf(textLanguages, { description: 'Of the page and the e-mail for the shopper.' })

export const DraftItem = object({
  skuId: SkuId,
  code: Type.String(),
  name: Type.String(),
  options: Type.Array(OptionValue),
  quantity: Quantity,
  unitPrice: Amount,
  total: withDescription('With its part of the discount, and with tax.', Amount),
})

const priced = {
  items: Type.Array(DraftItem, { maxItems: limits.cartLinesMax }),
  totals: Totals,
  shipping: nullable(object({ label: Type.String(), amount: Amount }), {
    description: 'null where nothing is sent, and while there is no address.',
  }),
}

export const Draft = object({
  ...summary,
  ...priced,
  terms: object(
    { discount: Amount, shipping: nullable(object({ label: Type.String(), amount: Amount })) },
    { description: 'What was set by hand. shipping is null where the shop offers it for the address.' },
  ),
  note: nullable(Type.String(), { description: 'For the people of the shop.' }),
  locale: Type.String({ description: 'Language of the page. auto follows the browser.' }),
  emailedAt: nullable(Instant, { description: 'When the link was last sent to the shopper by e-mail.' }),
  url: nullable(Type.String(), {
    description:
      'The link for the shopper. Who has it can see the page and pay. null when the draft is no longer open.',
  }),
  changes: Type.Array(AdminChange, { maxItems: limits.adminListRowsMax, description: 'Who did what, newest first.' }),
})

export const DraftListResponse = listOf(DraftSummary, 'Newest first.')
export const DraftResponse = object({ data: Draft })

const Items = Type.Array(
  object({
    skuId: SkuId,
    quantity: Quantity,
    unitPrice: Type.Optional(withDescription('In place of the price of the catalog. 0 is a gift.', amountSchema)),
  }),
  { minItems: 1, maxItems: limits.cartLinesMax },
)
const Discount = withDescription('Taken off the items, and no more than they cost.', amountSchema)
const Shipping = nullable(Delivery, {
  description: 'Delivery by hand. null: what the shop offers for the address.',
})
const Days = Type.Integer({ minimum: 1, maximum: draftDaysMax })
const ShownTotal = withDescription(
  'What the caller was shown. Another total is refused with 409 total_changed.',
  Amount,
)

export const CreateDraftRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  items: Items,
  discount: Type.Optional(Discount),
  shipping: Type.Optional(Shipping),
  customer: Type.Optional(CheckoutCustomerInput),
  address: Type.Optional(withDescription('Without it, the shopper types it.', Address)),
  note: Type.Optional(paragraphSchema(1, 2000)),
  locale: Type.Optional(Language),
  days: Type.Optional(withDescription(`How long the link can be paid (default: ${draftDaysDefault}).`, Days)),
  installationId: Type.Optional(
    withDescription('Which installation sells it (default: the oldest that is active).', InstallationId),
  ),
  expectedTotal: Type.Optional(ShownTotal),
  dryRun: Type.Optional(DryRun),
})

export const UpdateDraftRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
  items: Type.Optional(
    withDescription(
      'All items. One without unitPrice keeps what was agreed, or is new at the price of the catalog.',
      Items,
    ),
  ),
  discount: Type.Optional(Discount),
  shipping: Type.Optional(Shipping),
  customer: Type.Optional(CheckoutCustomerInput),
  address: Type.Optional(Address),
  note: Type.Optional(nullable(paragraphSchema(1, 2000))),
  locale: Type.Optional(Language),
  days: Type.Optional(withDescription('How long the link can be paid, from now.', Days)),
  expectedTotal: Type.Optional(ShownTotal),
  dryRun: Type.Optional(DryRun),
})

export const SendDraftRequest = object({ idempotencyKey: Type.Optional(IdempotencyKey) })

export const CreateDraftResponse = object({
  data: object({ ...priced, draft: nullable(Draft, { description: 'null with dryRun.' }) }),
})

export const CancelDraftRequest = object({ idempotencyKey: Type.Optional(IdempotencyKey) })

// biome-ignore format: a row reads best as a few lines
export const draftOperationRows = {
  listAdminDrafts: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/drafts',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Drafts', paged: true,
    summary: 'List drafts',
    description: 'Drafts of the merchant in the mode of the caller, without their links.',
    body: null, reply: okReply(DraftListResponse),
    refusals: [],
  },
  getAdminDraft: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/drafts/{draftId}',
    scope: 'admin:orders', idempotency: 'none', audit: 'none', tag: 'Drafts',
    summary: 'Get a draft',
    description: 'The draft with its lines, its totals and the link for the shopper.',
    body: null, reply: okReply(DraftResponse),
    refusals: ['draft_not_found'],
  },
  createAdminDraft: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/drafts',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Drafts',
    summary: 'Make a draft',
    description: 'Makes an order for a shopper, holds its stock and answers with the link at which it is paid. With dryRun it says what it would cost, to the cent.',
    body: CreateDraftRequest, reply: { ...okReply(CreateDraftResponse), isSecret: true },
    refusals: [
      'installation_not_found', 'item_unavailable', 'insufficient_stock', 'quantity_limit_exceeded', 'address_undeliverable',
      'total_changed',
    ],
  },
  updateAdminDraft: {
    ...adminRow, method: 'PATCH', path: '/api/v1/admin/drafts/{draftId}',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Drafts',
    summary: 'Change a draft',
    description: 'Members that are left out stay. The link stays the same, and the stock follows the items. With dryRun it says what it would cost.',
    body: UpdateDraftRequest, reply: { ...okReply(CreateDraftResponse), isSecret: true },
    refusals: [
      'draft_not_found', 'draft_not_open', 'payment_in_progress', 'version_conflict', 'item_unavailable', 'insufficient_stock',
      'quantity_limit_exceeded', 'address_undeliverable', 'total_changed',
    ],
  },
  sendAdminDraft: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/drafts/{draftId}/emails',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Drafts',
    summary: 'Send the link of a draft',
    description: `Sends the link to the e-mail address of the draft, at most ${draftEmailsMax} times.`,
    body: SendDraftRequest, reply: { ...okReply(DraftResponse), isSecret: true },
    refusals: [
      'draft_not_found', 'draft_not_open', 'payment_in_progress', 'draft_without_email', 'draft_email_limit', 'mail_off',
    ],
  },
  cancelAdminDraft: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/drafts/{draftId}/cancellations',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Drafts',
    summary: 'Cancel a draft',
    description: 'The link ends, and the stock is free again. Refused while a payment is under way.',
    body: CancelDraftRequest, reply: okReply(DraftResponse),
    refusals: ['draft_not_found', 'draft_not_open', 'payment_in_progress'],
  },
} as const satisfies AdminOperationRows

export const draftDays = draftDaysDefault
export type Draft = Static<typeof Draft>
export type DraftSummary = Static<typeof DraftSummary>
export type DraftItem = Static<typeof DraftItem>
export type CreateDraftRequest = Static<typeof CreateDraftRequest>
export type UpdateDraftRequest = Static<typeof UpdateDraftRequest>
export type CreateDraftResponse = Static<typeof CreateDraftResponse>
