// Drafts: orders that the merchant makes for a shopper, at prices of the catalog or by hand. The shopper pays by a link to the hosted
// checkout; until then the stock is held.

import { amount } from '../entries.ts'
import { limits } from '../limits.ts'
import { Address } from '../open/carts.ts'
import { CheckoutCustomerInput } from '../open/checkout.ts'
import {
  Amount,
  Currency,
  DraftId,
  IdempotencyKey,
  InstallationId,
  Instant,
  line,
  Mode,
  OptionValue,
  OrderId,
  paragraph,
  Quantity,
  SkuId,
  Totals,
} from '../parts.ts'
import { described, nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { ok } from '../surface.ts'
import { draftStatuses } from '../words.ts'
import { AdminChange } from './changes.ts'
import { DryRun } from './dryrun.ts'
import { type AdminRows, adminRow, listOf } from './row.ts'

export const draftDaysMax = 30
const draftDaysDefault = 7

const summary = {
  id: DraftId,
  mode: Mode,
  status: oneOf(draftStatuses, {
    description: 'open: the link can be paid. paying: a payment is under way. paid: there is an order.',
  }),
  emailMasked: nullable(Type.String()),
  currency: Currency,
  total: described('With tax. Of an open draft without an address, an estimate.', Amount),
  order: nullable(object({ id: OrderId, number: Type.String() }), { description: 'null until it is paid.' }),
  createdAt: Instant,
  expiresAt: described('Until then the link can be paid, and the stock is held.', Instant),
}

export const DraftSummary = object(summary)

export const DraftItem = object({
  skuId: SkuId,
  code: Type.String(),
  name: Type.String(),
  options: Type.Array(OptionValue),
  quantity: Quantity,
  unitPrice: Amount,
  total: described('With its part of the discount, and with tax.', Amount),
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
  note: nullable(Type.String(), { description: 'For the people of the shop.' }),
  url: nullable(Type.String(), {
    description:
      'The link for the shopper. Who has it can see the page and pay. null when the draft is no longer open.',
  }),
  changes: Type.Array(AdminChange, { maxItems: limits.adminListRowsMax, description: 'Who did what, newest first.' }),
})

export const DraftListResponse = listOf(DraftSummary, 'Newest first.')
export const DraftResponse = object({ data: Draft })

export const CreateDraftRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  items: Type.Array(
    object({
      skuId: SkuId,
      quantity: Quantity,
      unitPrice: Type.Optional(described('In place of the price of the catalog. 0 is a gift.', amount)),
    }),
    { minItems: 1, maxItems: limits.cartLinesMax },
  ),
  discount: Type.Optional(described('Taken off the items, and no more than they cost.', amount)),
  shipping: Type.Optional(
    nullable(object({ label: line(1, 100), amount }), {
      description: 'Delivery by hand. Without it, what the shop offers for the address.',
    }),
  ),
  customer: Type.Optional(CheckoutCustomerInput),
  address: Type.Optional(described('Without it, the shopper types it.', Address)),
  note: Type.Optional(paragraph(1, 2000)),
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: draftDaysMax,
      description: `How long the link can be paid (default: ${draftDaysDefault}).`,
    }),
  ),
  installationId: Type.Optional(
    described('Which installation sells it (default: the oldest that is active).', InstallationId),
  ),
  expectedTotal: Type.Optional(
    described('What the caller was shown. Another total is refused with 409 total_changed.', Amount),
  ),
  dryRun: Type.Optional(DryRun),
})

export const CreateDraftResponse = object({
  data: object({ ...priced, draft: nullable(Draft, { description: 'null with dryRun.' }) }),
})

export const CancelDraftRequest = object({ idempotencyKey: Type.Optional(IdempotencyKey) })

// biome-ignore format: a row reads best as a few lines
export const draftRows = {
  listAdminDrafts: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/drafts',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Drafts', paged: true,
    summary: 'List drafts',
    description: 'Drafts of the merchant in the mode of the caller, without their links.',
    body: null, reply: ok(DraftListResponse),
    refusals: [],
  },
  getAdminDraft: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/drafts/{draftId}',
    scope: 'admin:orders', idempotency: 'none', audit: 'none', tag: 'Drafts',
    summary: 'Get a draft',
    description: 'The draft with its lines, its totals and the link for the shopper.',
    body: null, reply: ok(DraftResponse),
    refusals: ['draft_not_found'],
  },
  createAdminDraft: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/drafts',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Drafts',
    summary: 'Make a draft',
    description: 'Makes an order for a shopper, holds its stock and answers with the link at which it is paid. With dryRun it says what it would cost, to the cent.',
    body: CreateDraftRequest, reply: { ...ok(CreateDraftResponse), isSecret: true },
    refusals: [
      'installation_not_found', 'item_unavailable', 'insufficient_stock', 'quantity_limit_exceeded', 'address_undeliverable',
      'total_changed',
    ],
  },
  cancelAdminDraft: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/drafts/{draftId}/cancellations',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Drafts',
    summary: 'Cancel a draft',
    description: 'The link ends, and the stock is free again. Refused while a payment is under way.',
    body: CancelDraftRequest, reply: ok(DraftResponse),
    refusals: ['draft_not_found', 'draft_not_open', 'payment_in_progress'],
  },
} as const satisfies AdminRows

export const draftDays = draftDaysDefault
export type Draft = Static<typeof Draft>
export type DraftSummary = Static<typeof DraftSummary>
export type DraftItem = Static<typeof DraftItem>
export type CreateDraftRequest = Static<typeof CreateDraftRequest>
export type CreateDraftResponse = Static<typeof CreateDraftResponse>
