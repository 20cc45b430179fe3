// Order edits: the merchant changes the items of an order that are not sent yet.

import { amountSchema } from '../entries.ts'
import { limits } from '../limits.ts'
import { Address } from '../open/carts.ts'
import { OrderRefund } from '../open/orders.ts'
import { Amount, DraftId, ExpectedVersion, IdempotencyKey, OptionValue, SkuId, Totals } from '../parts.ts'
import { nullable, object, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { draftDays, draftDaysMax } from './drafts.ts'
import { DryRun } from './dryrun.ts'
import { AdminOrder } from './orders.ts'
import { type AdminOperationRows, adminRow } from './row.ts'

// Per order.
export const orderEditsMax = 100

export const AdminOrderEditItem = object({
  skuId: SkuId,
  code: Type.String(),
  name: Type.String(),
  options: Type.Array(OptionValue),
  before: Type.Integer({ description: 'Units before the edit. 0: the item is new.' }),
  quantity: Type.Integer({ description: 'Units after it. 0: the item is removed.' }),
  unitPrice: Amount,
  total: withDescription('After the edit, with discount and tax.', Amount),
})

export const AdminOrderEditRequest = object(
  {
    idempotencyKey: Type.Optional(IdempotencyKey),
    expectedVersion: Type.Optional(ExpectedVersion),
    items: Type.Optional(
      Type.Array(
        object({
          skuId: SkuId,
          quantity: Type.Integer({
            minimum: 0,
            maximum: limits.quantityMax,
            description: 'Of the whole order after the edit. Units that were sent count too. 0 removes the item.',
          }),
          unitPrice: Type.Optional(
            withDescription(
              'Of a new item. Without it, the price of the catalog. More units of an item cost what its units cost.',
              amountSchema,
            ),
          ),
        }),
        { minItems: 1, maxItems: limits.cartLinesMax, description: 'Items that change. Others stay as they are.' },
      ),
    ),
    shipping: Type.Optional(
      withDescription('Delivery costs after the edit. Without it, they stay as they are.', amountSchema),
    ),
    address: Type.Optional(
      withDescription('Within the country and region of the order. Taxes and delivery depend on these.', Address),
    ),
    expectedTotal: Type.Optional(
      withDescription('What the caller was shown. Another total is refused with 409 total_changed.', Amount),
    ),
    differenceReceived: Type.Optional(
      Type.Boolean({
        description: 'What a paid order would cost more has come by bank transfer or cash. It is a payment of its own.',
      }),
    ),
    payByLink: Type.Optional(
      Type.Boolean({
        description:
          'The shopper pays by the link of a draft what added items cost. For a paid order. Until then it stays as it is, and stock is held. Not with differenceReceived or an address.',
      }),
    ),
    linkDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: draftDaysMax,
        description: `How long the link can be paid (default: ${draftDays}).`,
      }),
    ),
    dryRun: Type.Optional(DryRun),
  },
  {
    description: `At least one of items, shipping and address. What leaves the order as it is is answered, and no edit is made. An order has at most ${orderEditsMax} edits.`,
  },
)

export const AdminOrderEditResponse = object({
  data: object({
    items: Type.Array(AdminOrderEditItem, { description: 'All items, in the order of the order.' }),
    totals: Totals,
    difference: Type.Integer({
      description:
        'The total after the edit without the one before. Below zero: it goes back to the shopper. Above zero: the shopper pays it.',
    }),
    refund: nullable(OrderRefund, { description: 'null with dryRun, and where nothing goes back.' }),
    draftId: nullable(DraftId, {
      description:
        'The draft whose link pays the difference. null with dryRun, and where the order was edited at once.',
    }),
    order: AdminOrder,
  }),
})

// biome-ignore format: a row reads best as a few lines
export const editOperationRows = {
  editAdminOrder: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/orders/{orderId}/edits',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Edit an order',
    description: 'Adds or removes items that were not sent, or corrects delivery costs or address. What was paid above the new total goes back; what is missing comes by a link or by hand.',
    body: AdminOrderEditRequest, reply: okReply(AdminOrderEditResponse),
    refusals: [
      'order_not_found', 'version_conflict', 'order_not_editable', 'order_edit_not_possible', 'total_changed',
      'item_unavailable', 'insufficient_stock', 'quantity_limit_exceeded', 'refund_amount_not_payable',
      'money_not_recordable', 'installation_not_found',
    ],
  },
} as const satisfies AdminOperationRows

export type AdminOrderEditItem = Static<typeof AdminOrderEditItem>
export type AdminOrderEditRequest = Static<typeof AdminOrderEditRequest>
export type AdminOrderEditResponse = Static<typeof AdminOrderEditResponse>
