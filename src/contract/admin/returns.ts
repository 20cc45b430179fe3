// Returns of goods: schemas and operations.

import { amountSchema } from '../entries.ts'
import { limits } from '../limits.ts'
import { OrderRefund } from '../open/orders.ts'
import { Return } from '../open/returns.ts'
import {
  Amount,
  Currency,
  CustomerId,
  DraftId,
  ExpectedVersion,
  IdempotencyKey,
  Instant,
  ItemQuantity,
  OrderId,
  paragraphSchema,
  Quantity,
  SkuId,
  Totals,
} from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { returnReasons, returnStatuses, returnWishes } from '../words.ts'
import { AdminChange } from './changes.ts'
import { DraftItem, draftDays, draftDaysMax } from './drafts.ts'
import { DryRun } from './dryrun.ts'
import { OpenChange } from './orders.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

// Operations that the return's present state allows, for callers with the required scope.
export const returnActions = [
  'approveAdminReturn',
  'refuseAdminReturn',
  'receiveAdminReturn',
  'refundAdminReturn',
  'exchangeAdminReturn',
  'closeAdminReturn',
] as const

export const AdminReturn = object({
  ...Return.properties,
  currency: Currency,
  note: nullable(Type.String(), {
    description: 'What the shopper wrote. null without the scope admin:orders, and once the shopper is erased.',
  }),
  refunds: Type.Array(OrderRefund, {
    description: 'Refunds that were made for it, the oldest first. What was exchanged is in exchanges.',
  }),
  refunded: withDescription('What went back for it, or is on its way.', Amount),
  openExchange: nullable(OpenChange, {
    description: 'An exchange that waits for its payment by the link of a draft.',
  }),
  allowed: Type.Array(oneOf(returnActions), {
    description: 'The operations that the return would accept now, as far as its state says.',
  }),
  changes: Type.Array(AdminChange, { maxItems: limits.adminListRowsMax, description: 'Who did what, newest first.' }),
})

export const AdminReturnSummary = object({ ...Return.properties, currency: Currency })

export const AdminReturnListQuery = object({
  status: Type.Optional(oneOf(returnStatuses, { description: 'Only returns of this status.' })),
  open: Type.Optional(
    Type.Boolean({ description: 'true: only returns that are not over. false: only those that are.' }),
  ),
  orderId: Type.Optional(withDescription('Only returns of this order.', OrderId)),
  customerId: Type.Optional(withDescription('Only returns of this customer.', CustomerId)),
  from: Type.Optional(withDescription('Only returns requested then or later.', Instant)),
  to: Type.Optional(withDescription('Only returns requested before.', Instant)),
})

export const AdminReturnListResponse = listOf(AdminReturnSummary, 'Newest first.')
export const AdminReturnResponse = object({ data: AdminReturn })

const items = (description: string) =>
  Type.Array(ItemQuantity, { minItems: 1, maxItems: limits.cartLinesMax, description })

const changing = {
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
}

const Instructions = paragraphSchema(
  1,
  2000,
  'How to send the items. The shopper reads it on the page of the order and by e-mail.',
)
const LabelUrl = nullable(Type.String({ minLength: 1, maxLength: 2000, pattern: '^https://[^\\s]+$' }), {
  description: 'Where the shopper finds the label for the parcel.',
})

export const CreateAdminReturnRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(withDescription('The version of the order.', ExpectedVersion)),
  items: items('What is to come back: units that were sent and were not refunded or returned before.'),
  reason: oneOf(returnReasons),
  wish: Type.Optional(oneOf(returnWishes, { description: 'Without it a refund.' })),
  instructions: Type.Optional(Instructions),
  labelUrl: Type.Optional(LabelUrl),
})

export const ApproveAdminReturnRequest = object({
  ...changing,
  instructions: Type.Optional(Instructions),
  labelUrl: Type.Optional(LabelUrl),
})

export const RefuseAdminReturnRequest = object({
  ...changing,
  text: paragraphSchema(1, 2000, 'Why. The shopper reads it on the page of the order and by e-mail.'),
})

export const ReceiveAdminReturnRequest = object({
  ...changing,
  items: Type.Optional(
    Type.Array(
      object({
        skuId: SkuId,
        quantity: Quantity,
        restock: Type.Optional(
          Type.Boolean({ description: 'Whether these units go back into stock. Without it they do.' }),
        ),
      }),
      {
        minItems: 1,
        maxItems: limits.cartLinesMax * 2,
        description: 'What came. Without it, everything that has not come yet, and all of it goes back into stock.',
      },
    ),
  ),
})

export const RefundAdminReturnRequest = object({
  ...changing,
  expectedAmount: Type.Optional(
    withDescription(
      'What the caller was shown, in minor units. Another amount is refused with 409 version_conflict.',
      Amount,
    ),
  ),
  items: Type.Optional(
    items('Units that are refunded. Without it, all that came; before anything came, all that is to come.'),
  ),
  shipping: Type.Optional(
    Type.Boolean({
      description:
        'Whether the delivery costs go back too. Without it they do when nothing of the order is left. Unless the items were at fault, no more goes back than the cheapest delivery that was offered.',
    }),
  ),
  deduction: Type.Optional(withDescription('What is kept, for goods that came back used.', Amount)),
  reason: Type.Optional(paragraphSchema(1, 500)),
  close: Type.Optional(Type.Boolean({ description: 'true: the return is closed too.' })),
  dryRun: Type.Optional(DryRun),
})

export const RefundedItem = object({
  skuId: SkuId,
  quantity: Quantity,
  amount: withDescription('What goes back for these units, tax included.', Amount),
  tax: withDescription('The tax in the amount, at the rate of the order.', Amount),
})

export const RefundAdminReturnResponse = object({
  data: object({
    amount: withDescription('What goes back; with dryRun, what would.', Amount),
    items: Type.Array(RefundedItem),
    shipping: withDescription('The part that is for the delivery.', Amount),
    deduction: withDescription('What is kept of the price of the items.', Amount),
    capped: withDescription('What does not go back because it went back before, by amount.', Amount),
    refund: nullable(OrderRefund, { description: 'null with dryRun.' }),
    return: AdminReturn,
  }),
})

export const ExchangeAdminReturnRequest = object({
  ...changing,
  newItems: Type.Array(
    object({
      skuId: SkuId,
      quantity: Quantity,
      unitPrice: Type.Optional(withDescription('In place of the price of the catalog.', amountSchema)),
    }),
    { minItems: 1, maxItems: limits.cartLinesMax, description: 'What the shopper gets, each SKU once.' },
  ),
  items: Type.Optional(
    items('Units that are exchanged. Without it, all that came; before anything came, all that is to come.'),
  ),
  deduction: Type.Optional(withDescription('What is kept, for goods that came back used.', Amount)),
  expectedCredit: Type.Optional(
    withDescription('What the caller was shown. Another credit is refused with 409 version_conflict.', Amount),
  ),
  expectedTotal: Type.Optional(
    withDescription('What the caller was shown. Another total is refused with 409 total_changed.', Amount),
  ),
  payByLink: Type.Optional(
    Type.Boolean({
      description:
        'The shopper pays by the link of a draft what the new items cost more. The new order is placed then; until then its stock is held.',
    }),
  ),
  linkDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: draftDaysMax,
      description: `How long the link can be paid (default: ${draftDays}).`,
    }),
  ),
  close: Type.Optional(Type.Boolean({ description: 'true: the return is closed too, with the exchange.' })),
  dryRun: Type.Optional(DryRun),
})

export const ExchangeAdminReturnResponse = object({
  data: object({
    credit: withDescription('What was paid for the items, and counts for the new order.', Amount),
    items: Type.Array(RefundedItem),
    deduction: withDescription('What is kept of the price of the items.', Amount),
    capped: withDescription('What does not count because it went back before, by amount.', Amount),
    newItems: Type.Array(DraftItem),
    totals: withDescription('Of the new order. Its delivery is free.', Totals),
    moneyBack: withDescription('What of the credit goes back, because the new order costs less.', Amount),
    difference: withDescription('What the shopper pays, because the new order costs more.', Amount),
    order: nullable(object({ id: OrderId, number: Type.String() }), {
      description: 'The new order. null with dryRun, and where it is placed when a link is paid.',
    }),
    draftId: nullable(DraftId, {
      description:
        'The draft whose link pays the difference. null with dryRun, and where the order was placed at once.',
    }),
    refund: nullable(OrderRefund, { description: 'Of the new order. null with dryRun, and where nothing goes back.' }),
    return: AdminReturn,
  }),
})

export const CloseAdminReturnRequest = object(changing)

const answer = { body: null, reply: okReply(AdminReturnResponse) } as const

// biome-ignore format: a row reads best as a few lines
export const returnOperationRows = {
  listAdminReturns: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/returns',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Returns', paged: true,
    summary: 'List returns',
    description: 'Returns of the merchant in the mode of the caller.',
    query: AdminReturnListQuery, body: null, reply: okReply(AdminReturnListResponse),
    refusals: [],
  },
  getAdminReturn: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/returns/{returnId}',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Returns',
    summary: 'Get a return',
    description: 'The return in full, what may be done with it now, and who did what.',
    ...answer,
    refusals: ['return_not_found'],
  },
  createAdminReturn: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/orders/{orderId}/returns',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Returns',
    summary: 'Open a return',
    description: 'For a shopper who asked in another way. It is approved at once, and the shopper gets an e-mail.',
    body: CreateAdminReturnRequest, reply: okReply(AdminReturnResponse),
    refusals: ['order_not_found', 'version_conflict', 'return_not_possible', 'return_already_open'],
  },
  approveAdminReturn: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/returns/{returnId}/approvals',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Returns',
    summary: 'Approve a return',
    description: 'The shopper may send the items, and is told how by e-mail and on the page of the order.',
    body: ApproveAdminReturnRequest, reply: okReply(AdminReturnResponse),
    refusals: ['return_not_found', 'version_conflict', 'return_not_changeable'],
  },
  refuseAdminReturn: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/returns/{returnId}/refusals',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Returns',
    summary: 'Refuse a return',
    description: 'The shopper reads why by e-mail and on the page of the order.',
    body: RefuseAdminReturnRequest, reply: okReply(AdminReturnResponse),
    refusals: ['return_not_found', 'version_conflict', 'return_not_changeable'],
  },
  receiveAdminReturn: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/returns/{returnId}/receipts',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Returns',
    summary: 'Receive items',
    description: 'Items of a return came. What is fit for sale goes back into stock. Possible more than once, until all came.',
    body: ReceiveAdminReturnRequest, reply: okReply(AdminReturnResponse),
    refusals: ['return_not_found', 'version_conflict', 'return_not_changeable', 'return_not_possible'],
  },
  refundAdminReturn: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/returns/{returnId}/refunds',
    scope: 'admin:refunds', idempotency: 'required', audit: 'change', tag: 'Returns',
    summary: 'Refund a return',
    description: 'Gives back what was paid for the items, at the rates of the order. With dryRun it says what would go back, to the cent.',
    body: RefundAdminReturnRequest, reply: okReply(RefundAdminReturnResponse),
    refusals: [
      'return_not_found', 'version_conflict', 'return_not_changeable', 'nothing_to_refund', 'refund_not_possible',
      'refund_amount_too_high', 'refund_amount_not_payable',
    ],
  },
  exchangeAdminReturn: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/returns/{returnId}/exchanges',
    scope: 'admin:refunds', idempotency: 'required', audit: 'change', tag: 'Returns',
    summary: 'Exchange items',
    description: 'Places a new order for the shopper, paid by what was paid for the returned items. What is left of that goes back; what is missing is paid by a link, or refused.',
    body: ExchangeAdminReturnRequest, reply: okReply(ExchangeAdminReturnResponse),
    refusals: [
      'return_not_found', 'version_conflict', 'return_not_changeable', 'nothing_to_refund', 'refund_not_possible',
      'refund_amount_too_high', 'refund_amount_not_payable', 'exchange_not_possible', 'total_changed',
      'item_unavailable', 'insufficient_stock', 'quantity_limit_exceeded',
    ],
  },
  closeAdminReturn: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/returns/{returnId}/closings',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Returns',
    summary: 'Close a return',
    description: 'Nothing more is expected. The order can have another return then.',
    body: CloseAdminReturnRequest, reply: okReply(AdminReturnResponse),
    refusals: ['return_not_found', 'version_conflict', 'return_not_changeable'],
  },
} as const satisfies AdminOperationRows

export type ExchangeAdminReturnResponse = Static<typeof ExchangeAdminReturnResponse>
export type ExchangeAdminReturnRequest = Static<typeof ExchangeAdminReturnRequest>
export type AdminReturn = Static<typeof AdminReturn>
export type AdminReturnSummary = Static<typeof AdminReturnSummary>
