// Orders as the merchant sees them: schemas and operations. Only getAdminOrderCustomer answers with addresses and e-mails, and each such access
// is recorded in the list of changes.

import { platformProofs } from '../agents/settings.ts'
import { limits } from '../limits.ts'
import { Address } from '../open/carts.ts'
import {
  Fulfillment,
  OrderCancellation,
  OrderItem,
  OrderRefund,
  OrderSummary,
  orderMembers,
  Payment,
} from '../open/orders.ts'
import {
  Amount,
  Country,
  Currency,
  CustomerId,
  DisputeId,
  DraftId,
  ExpectedVersion,
  IdempotencyKey,
  InstallationId,
  Instant,
  ItemQuantity,
  lineSchema,
  OrderId,
  PaymentId,
  paragraphSchema,
  Quantity,
  RefundId,
  ReturnId,
  SkuId,
} from '../parts.ts'
import { idPattern } from '../patterns.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import {
  carrierNames,
  disputeStatuses,
  fulfillmentStatuses,
  idPrefixes,
  orderCancellationReasons,
  orderPaymentStatuses,
  orderStatuses,
  vatNameMatches,
  vatStatuses,
} from '../words.ts'
import { BulkResponse } from './bulk.ts'
import { AdminActor, AdminChange } from './changes.ts'
import { DryRun } from './dryrun.ts'
import { type AdminOperationRows, adminRow, bulkListLimit, listOf } from './row.ts'

export const FulfillmentId = Type.String({
  pattern: idPattern(idPrefixes.fulfillment).source,
  description: 'Id of a fulfillment: one parcel.',
})

export const OrderInstallation = object(
  { id: InstallationId, name: Type.String() },
  { description: 'The installation that sold it.' },
)

const placed = {
  city: nullable(Type.String()),
  country: nullable(Type.String()),
  installation: OrderInstallation,
}

const agentMembers = {
  platformId: withDescription('plt_none: a caller without a profile, such as a chat program.', Type.String()),
  host: nullable(Type.String(), { description: 'Of its profile. null: it has none, or is forgotten.' }),
  protocol: Type.String({ description: 'ucp, acp or mcp.' }),
}
const agentNote = { description: 'The agent that made the order. null: none did.' }

export const AdminOrderSummary = object({
  ...OrderSummary.properties,
  ...placed,
  agent: nullable(object(agentMembers), agentNote),
  refunded: withDescription('Money that went back or is on its way.', Amount),
})

export const AdminFulfillment = object({ id: FulfillmentId, ...Fulfillment.properties })

export const orderNotesMax = 100

export const OrderNoteId = Type.String({
  pattern: idPattern(idPrefixes.orderNote).source,
  description: 'Id of a note.',
})

export const AdminOrderNote = object(
  { id: OrderNoteId, text: Type.String(), actor: AdminActor, at: Instant },
  { description: 'What the people of the shop wrote for themselves.' },
)

const providerPage = nullable(Type.String(), {
  description: 'Its page in the dashboard of the provider, for people of the shop; null where there is none.',
})

export const AdminPayment = object({
  ...Payment.properties,
  instrument: nullable(Type.String(), {
    description:
      'What it was really paid with, in the word of the provider, such as sepa_debit or apple_pay; null where method says all.',
  }),
  reference: nullable(Type.String(), { description: 'The name that the provider gave it.' }),
  providerUrl: providerPage,
})

export const AdminDispute = object(
  {
    id: DisputeId,
    paymentId: PaymentId,
    reference: Type.String({ description: 'The name that the provider gave it.' }),
    providerUrl: providerPage,
    amount: withDescription('What the bank asks back, in minor units. Once the dispute is lost it is gone.', Amount),
    currency: Currency,
    status: oneOf(disputeStatuses),
    reason: nullable(Type.String(), { description: 'In the word of the provider, such as fraudulent.' }),
    dueAt: nullable(Instant, { description: 'Until when the merchant may answer with evidence.' }),
    createdAt: Instant,
    decidedAt: nullable(Instant, { description: 'When it was known to be won or lost.' }),
  },
  {
    description:
      'A shopper asked their bank for the money back. It is answered at the provider, and does not change the order.',
  },
)

export const AdminOrderRefund = object({
  ...OrderRefund.properties,
  paymentId: withDescription('The payment that gives it back.', PaymentId),
  partOf: nullable(RefundId, {
    description:
      'The first refund of the same amount, where several payments give it back. null in that one, and where one payment does.',
  }),
  items: Type.Array(ItemQuantity, {
    maxItems: limits.cartLinesMax,
    description: 'The units that it was made for. Empty where it was made by amount, or for the shipping.',
  }),
  shipping: Type.Boolean({ description: 'true: it was made for the shipping, alone or with items.' }),
  exchanged: Type.Boolean({ description: 'true: it was not paid out. It paid the new order of an exchange.' }),
  tax: nullable(Type.Integer(), {
    description:
      'The tax in the amount, as its credit note has it: the sum of that of the lines. null where there is none: the money has not gone back, went back a moment ago, or belongs to an order from before there were invoices.',
  }),
  lines: Type.Array(
    object({
      skuId: nullable(SkuId, { description: 'null: the shipping.' }),
      rate: Type.Integer({ description: 'In basis points: 1900 is 19 %.' }),
      net: Type.Integer(),
      tax: Type.Integer(),
      total: Type.Integer(),
    }),
    {
      description:
        'What went back of each line of the invoice; a refund by amount is a part of all of them. Below zero: what an edit of the order added. Empty where the tax is null.',
    },
  ),
})

export const moneyEntriesMax = 100

export const AdminMoneyReceived = object(
  {
    entries: Type.Array(
      object({
        id: Type.String({ pattern: idPattern(idPrefixes.moneyEntry).source }),
        amount: Type.Integer({ description: 'In minor units. Below zero: it was given back.' }),
        at: Instant,
      }),
      { maxItems: moneyEntriesMax, description: 'Oldest first.' },
    ),
    sum: withDescription('What came, without what was given back.', Amount),
    due: withDescription('What is still to come.', Amount),
    excess: withDescription(
      'What came beyond the total, or for an order that is cancelled. It is given back by hand, and recorded by recordAdminMoney.',
      Amount,
    ),
  },
  { description: 'Money of a bank transfer or in cash, as people recorded it.' },
)

// Operations that the order's present state allows, for callers with the required scope.
export const orderActions = [
  'payAdminOrder',
  'recordAdminMoney',
  'fulfilAdminOrder',
  'returnAdminOrder',
  'cancelAdminOrder',
  'refundAdminOrder',
  'editAdminOrder',
] as const

export const AdminBuyerVat = object({
  country: withDescription('Of the VAT number.', Country),
  status: oneOf(vatStatuses),
  checkedAt: Instant,
  consultationNumber: nullable(Type.String(), { description: 'By which VIES proves its answer.' }),
  nameMatch: oneOf(vatNameMatches, { description: 'Whether the register has the firm by the name that was given.' }),
})

export const AdminOrderItem = object({
  ...OrderItem.properties,
  image: nullable(Type.String(), {
    description: 'The picture when it was ordered: an address, or the path of an uploaded one (`/media/…`).',
  }),
})

export const OpenChange = object({
  draftId: DraftId,
  total: withDescription('The difference that the shopper is asked for.', Amount),
  expiresAt: Instant,
})

export const AdminOrder = object({
  ...orderMembers,
  items: Type.Array(AdminOrderItem, { maxItems: limits.cartLinesMax }),
  ...placed,
  customerId: nullable(CustomerId, {
    description: 'null a moment after it was placed, without an e-mail address, and once the person is erased.',
  }),
  exchangeOf: nullable(object({ returnId: ReturnId, orderId: OrderId, orderNumber: Type.String() }), {
    description: 'The return whose items it was exchanged for, and the order of that; null for other orders.',
  }),
  agent: nullable(
    object({
      ...agentMembers,
      version: Type.String(),
      proof: nullable(oneOf(platformProofs), { description: 'How the platform proved who it is. null: not at all.' }),
    }),
    agentNote,
  ),
  vat: nullable(AdminBuyerVat, { description: 'Of the VAT number of the buyer. null: none was given.' }),
  payments: Type.Array(AdminPayment),
  refunds: Type.Array(AdminOrderRefund, { description: 'Oldest first.' }),
  disputes: Type.Array(AdminDispute, { description: 'Oldest first.' }),
  moneyReceived: nullable(AdminMoneyReceived, { description: 'null where no payment is recorded by hand.' }),
  fulfillments: Type.Array(AdminFulfillment),
  openChange: nullable(OpenChange, {
    description: 'An edit or an exchange that waits for its payment by the link of a draft.',
  }),
  notes: Type.Array(AdminOrderNote, { maxItems: orderNotesMax, description: 'Oldest first.' }),
  allowed: Type.Array(oneOf(orderActions), {
    description: 'The operations that the order would accept now, as far as its state says.',
  }),
  changes: Type.Array(AdminChange, { maxItems: limits.adminListRowsMax, description: 'Who did what, newest first.' }),
})

export const orderSorts = ['newest', 'oldest'] as const
export type OrderSort = (typeof orderSorts)[number]
// Problems of an order that a person must look at.
export const orderAttentions = ['refund_failed', 'dispute_open', 'dispute_lost'] as const
export type OrderAttention = (typeof orderAttentions)[number]

export const orderChannels = ['agents'] as const
export type OrderChannel = (typeof orderChannels)[number]

export const AdminOrderListQuery = object({
  q: Type.Optional(
    withDescription(
      'The number of an order or of a parcel, or the code of an item. With admin:customers also beginnings of words of name, e-mail, city and postal code. The newest 200 that match are listed.',
      lineSchema(1, 100),
    ),
  ),
  status: Type.Optional(oneOf(orderStatuses, { description: 'By status.' })),
  payment: Type.Optional(oneOf(orderPaymentStatuses, { description: 'By paymentStatus.' })),
  fulfillment: Type.Optional(oneOf(fulfillmentStatuses, { description: 'By fulfillmentStatus.' })),
  toSend: Type.Optional(Type.Boolean({ description: 'true: something can be sent now.' })),
  attention: Type.Optional(
    oneOf(orderAttentions, {
      description:
        'refund_failed: with a refund that failed and was not made again. dispute_open: only disputed ones. dispute_lost: only those of which a bank took money back.',
    }),
  ),
  channel: Type.Optional(oneOf(orderChannels, { description: 'agents: made by agents.' })),
  from: Type.Optional(withDescription('Placed then or later.', Instant)),
  to: Type.Optional(withDescription('Placed before.', Instant)),
  installationId: Type.Optional(withDescription('Sold by this installation.', InstallationId)),
  customerId: Type.Optional(withDescription('Placed by this customer.', CustomerId)),
  sort: Type.Optional(
    oneOf(orderSorts, { description: 'By when they were placed. Without it the newest come first.' }),
  ),
  limit: bulkListLimit('fulfilAdminOrders'),
})

export const AdminOrderListResponse = listOf(
  AdminOrderSummary,
  'Newest first, unless sort says otherwise.',
  limits.bulkItemsMax,
)
export const AdminOrderResponse = object({ data: AdminOrder })

// biome-ignore format: it reads best as one line
const addressMembers = ['name', 'company', 'line1', 'line2', 'city', 'region', 'postalCode', 'country', 'phone'] as const satisfies readonly (keyof Static<typeof Address>)[]

export const AdminCustomer = object({
  name: nullable(Type.String()),
  email: nullable(Type.String()),
  phone: nullable(Type.String()),
  vatId: nullable(Type.String()),
  address: nullable(Address, { description: 'null where nothing is sent, and once it is erased.' }),
  label: Type.Array(Type.String(), { description: 'The address as lines to print, in the order of its country.' }),
  addressFields: Type.Array(object({ name: oneOf(addressMembers), required: Type.Boolean() }), {
    description:
      'Members of an address of its country, in the order in which it is written there. Empty without an address.',
  }),
})
export const AdminCustomerResponse = object({ data: AdminCustomer })

const orderId = idPattern(idPrefixes.order).source.slice(1, -1)
const orderIdLength = 30

export const AdminOrderNamesQuery = object({
  orderIds: Type.String({
    minLength: 1,
    maxLength: limits.bulkItemsMax * (orderIdLength + 1) - 1,
    pattern: `^${orderId}(,${orderId})*$`,
    description: `Ids of orders, with commas between: at most ${limits.bulkItemsMax}. Others than those of the merchant in the mode of the caller are left out.`,
  }),
})
export const AdminOrderNamesResponse = object({
  data: Type.Array(object({ orderId: OrderId, name: Type.String() }), {
    maxItems: limits.bulkItemsMax,
    description:
      'Orders without a name, or whose shopper was erased, are left out; so are all where `customerNames` of the shop is masked.',
  }),
})

const parcelMembers = {
  carrier: Type.Optional(
    nullable(lineSchema(1, 100), {
      description: `Any name. Parcels of ${carrierNames.join(', ')} have a link by their number. A new parcel without it gets the carrier whose numbers look so, if there is only one.`,
    }),
  ),
  trackingNumber: Type.Optional(nullable(lineSchema(1, 100))),
  trackingUrl: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 2000, pattern: '^https?://[^\\s]+$' }), {
      description: 'Where the parcel can be followed. Not needed for a carrier that has a link by its number.',
    }),
  ),
}

export const AdminFulfillmentRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
  items: Type.Optional(
    Type.Array(object({ skuId: SkuId, quantity: Quantity }), {
      minItems: 1,
      maxItems: limits.cartLinesMax,
      description: 'What is in the parcel. Without it, all that was not sent yet.',
    }),
  ),
  ...parcelMembers,
})

export const AdminFulfillmentResponse = object({ data: object({ order: AdminOrder, fulfillment: AdminFulfillment }) })

export const AdminFulfillmentUpdateRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  ...parcelMembers,
})
export const AdminFulfillmentUpdateResponse = object({ data: AdminFulfillment })

export const AdminBulkFulfillmentRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  rows: Type.Array(object({ orderId: OrderId, expectedVersion: Type.Optional(ExpectedVersion), ...parcelMembers }), {
    minItems: 1,
    maxItems: limits.bulkItemsMax,
    description: 'One parcel each, of all that was not sent yet.',
  }),
  dryRun: Type.Optional(DryRun),
})

export const AdminOrderPaymentRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
})

export const AdminMoneyRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
  amount: Type.Integer({
    minimum: -Number.MAX_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'What came, in minor units. Below zero: what was given back. Not zero.',
  }),
  settles: Type.Optional(
    Type.Boolean({ description: 'true: the order counts as paid, although less than its total has come.' }),
  ),
})

export const AdminUndeliveredRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
  restock: Type.Optional(Type.Boolean({ description: 'true: what came back goes into stock.' })),
})

export const AdminOrderCancellationRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
  reason: Type.Optional(oneOf(orderCancellationReasons)),
  note: Type.Optional(paragraphSchema(1, 500, 'The customer may read it.')),
  restock: Type.Optional(Type.Boolean({ description: 'Whether the items go back into stock. Without it they do.' })),
})
export const AdminOrderCancellationResponse = object({
  data: object({ cancellation: OrderCancellation, order: AdminOrder }),
})

export const AdminOrderNoteRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  text: paragraphSchema(1, 2000, 'For the people of the shop. It is stored as it is: not the place for addresses.'),
})
export const AdminOrderNoteResponse = object({ data: AdminOrderNote })

export const AdminRefundRequest = object(
  {
    idempotencyKey: Type.Optional(IdempotencyKey),
    expectedVersion: Type.Optional(ExpectedVersion),
    expectedRefunded: Type.Optional(
      withDescription(
        'What the caller has seen as refunded and on its way back, in minor units: `totals.refunded` and `totals.refundPending`. ' +
          'Another sum is refused with 409 version_conflict. A refund that is on its way leaves the version as it is.',
        Amount,
      ),
    ),
    amount: Type.Optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'In minor units.' }),
    ),
    items: Type.Optional(
      Type.Array(ItemQuantity, {
        minItems: 1,
        maxItems: limits.cartLinesMax,
        description: 'Units that are refunded at what was paid for them, tax and discount included.',
      }),
    ),
    shipping: Type.Optional(Type.Boolean({ description: 'true: also what was paid for the shipping.' })),
    restock: Type.Optional(Type.Boolean({ description: 'true: the items go back into stock.' })),
    reason: Type.Optional(paragraphSchema(1, 500)),
    byHand: Type.Optional(
      Type.Boolean({
        description:
          'true: the money was given back already, outside of the provider. It is recorded, and the provider is not asked.',
      }),
    ),
    dryRun: Type.Optional(DryRun),
  },
  {
    description:
      'By amount, or by items and shipping. Without any of them: what failed to be refunded before, or else all that is left.',
  },
)
export const AdminRefundResponse = object({
  data: object({
    amount: withDescription('What goes back; with dryRun, what would.', Amount),
    refund: nullable(OrderRefund, { description: 'null with dryRun.' }),
    restocked: Type.Array(ItemQuantity),
    order: AdminOrder,
  }),
})

// biome-ignore format: a row reads best as a few lines
export const orderOperationRows = {
  listAdminOrders: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/orders',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Orders', paged: true,
    summary: 'List orders',
    description: 'Orders of the merchant in the mode of the caller.',
    query: AdminOrderListQuery, body: null, reply: okReply(AdminOrderListResponse),
    refusals: [],
  },
  getAdminOrder: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/orders/{orderId}',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Orders',
    summary: 'Get an order',
    description: 'The order in full, what may be done with it now, and who did what.',
    body: null, reply: okReply(AdminOrderResponse),
    refusals: ['order_not_found'],
  },
  getAdminOrderCustomer: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/orders/{orderId}/customer',
    scope: 'admin:customers', idempotency: 'none', audit: 'look', tag: 'Orders',
    summary: 'Get the customer of an order',
    description: 'Name, e-mail, phone and address of who ordered. Each look is an entry in the list of changes.',
    body: null, reply: okReply(AdminCustomerResponse),
    refusals: ['order_not_found'],
  },
  getAdminOrderNames: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/orders/names',
    scope: 'admin:customers', idempotency: 'none', audit: 'lookOnce', tag: 'Orders',
    summary: 'Get the names of a list of orders',
    description: 'Who ordered, by name alone. The list is one entry in the list of changes; the same one again within ten minutes is none.',
    query: AdminOrderNamesQuery, body: null, reply: okReply(AdminOrderNamesResponse),
    refusals: [],
  },
  fulfilAdminOrder: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/orders/{orderId}/fulfillments',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Send a parcel',
    description: 'Records a parcel of an order. With the last one the order is completed.',
    body: AdminFulfillmentRequest, reply: okReply(AdminFulfillmentResponse),
    refusals: ['order_not_found', 'version_conflict', 'order_not_fulfillable', 'order_not_paid', 'fulfillment_not_possible'],
  },
  payAdminOrder: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/orders/{orderId}/payments',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Record a payment',
    description: 'The money of a bank transfer or a cash payment has come.',
    body: AdminOrderPaymentRequest, reply: okReply(AdminOrderResponse),
    refusals: ['order_not_found', 'version_conflict', 'payment_not_awaited'],
  },
  recordAdminMoney: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/orders/{orderId}/money',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Record money of any amount',
    description: 'Money of a bank transfer or in cash that came in part, twice or too much, or was given back. Once the total has come, the order is paid.',
    body: AdminMoneyRequest, reply: okReply(AdminOrderResponse),
    refusals: ['order_not_found', 'version_conflict', 'payment_not_awaited', 'money_not_recordable'],
  },
  returnAdminOrder: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/orders/{orderId}/undelivered',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Record that an unpaid order came back',
    description: 'What was sent and not paid, such as a parcel that is paid on delivery and was refused at the door, came back. No money is awaited any more.',
    body: AdminUndeliveredRequest, reply: okReply(AdminOrderResponse),
    refusals: ['order_not_found', 'version_conflict', 'order_not_sent', 'payment_not_awaited'],
  },
  updateAdminFulfillment: {
    ...adminRow, method: 'PATCH', path: '/api/v1/admin/orders/{orderId}/fulfillments/{fulfillmentId}',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Correct a parcel',
    description: 'Changes the carrier or the tracking of a parcel. Members that are left out stay; null removes.',
    body: AdminFulfillmentUpdateRequest, reply: okReply(AdminFulfillmentUpdateResponse),
    refusals: ['fulfillment_not_found'],
  },
  fulfilAdminOrders: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/fulfillments',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Send many parcels',
    description: 'One parcel for each of these orders. Each has an outcome of its own; what is refused is left as it was.',
    body: AdminBulkFulfillmentRequest, bodyBytesMax: 524_288, reply: okReply(BulkResponse),
    refusals: [],
  },
  cancelAdminOrder: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/orders/{orderId}/cancellations',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Cancel an order',
    description: 'Possible until something was sent. What was paid is refunded.',
    body: AdminOrderCancellationRequest, reply: okReply(AdminOrderCancellationResponse),
    refusals: ['order_not_found', 'version_conflict', 'order_not_cancellable'],
  },
  addAdminOrderNote: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/orders/{orderId}/notes',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Add a note',
    description: 'A note for the people of the shop. No shopper and no app sees it.',
    body: AdminOrderNoteRequest, reply: okReply(AdminOrderNoteResponse),
    refusals: ['order_not_found', 'note_limit'],
  },
  refundAdminOrder: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/orders/{orderId}/refunds',
    scope: 'admin:refunds', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Refund an order',
    description: 'Money goes back the way it came, a moment later. By items, with or without putting them back into stock, or by amount.',
    body: AdminRefundRequest, reply: okReply(AdminRefundResponse),
    refusals: [
      'order_not_found', 'version_conflict', 'nothing_to_refund', 'refund_not_possible', 'refund_pending',
      'refund_amount_too_high', 'refund_amount_too_low', 'refund_amount_not_payable',
    ],
  },
} as const satisfies AdminOperationRows

export type AdminOrderSummary = Static<typeof AdminOrderSummary>
export type AdminPayment = Static<typeof AdminPayment>
export type AdminOrderRefund = Static<typeof AdminOrderRefund>
export type AdminMoneyReceived = Static<typeof AdminMoneyReceived>
export type AdminDispute = Static<typeof AdminDispute>
export type AdminFulfillment = Static<typeof AdminFulfillment>
export type AdminOrderNote = Static<typeof AdminOrderNote>
export type AdminOrder = Static<typeof AdminOrder>
export type AdminOrderListQuery = Static<typeof AdminOrderListQuery>
export type AdminCustomer = Static<typeof AdminCustomer>
