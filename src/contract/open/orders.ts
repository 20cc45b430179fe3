// Orders as a storefront sees them: list rows, one order in full, and its cancellation.

import { limits } from '../limits.ts'
import {
  AddressToken,
  Amount,
  CancellationId,
  CartId,
  CheckoutSessionId,
  Count,
  Currency,
  Customer,
  ExpectedVersion,
  IdempotencyKey,
  Instant,
  ItemQuantity,
  Metadata,
  Mode,
  OptionValue,
  OrderId,
  PaymentId,
  paragraphSchema,
  Quantity,
  RefundId,
  SkuId,
  Slug,
  Totals,
  Version,
} from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import {
  cancellationStatuses,
  consentKinds,
  fulfillmentStatuses,
  itemExemptions,
  orderCancellationReasons,
  orderCancellers,
  orderPaymentStatuses,
  orderStatuses,
  orderTimelineTypes,
  paymentStatuses,
  promotionTypes,
  refundStatuses,
  textLanguages,
} from '../words.ts'
import { LineMeasure } from './catalog.ts'

const orderRow = {
  id: OrderId,
  number: Type.String({
    minLength: 1,
    maxLength: 40,
    description: 'The number people use, such as 1001. That of a test order begins with T-.',
  }),
  mode: Mode,
  status: oneOf(orderStatuses),
  paymentStatus: oneOf(orderPaymentStatuses),
  fulfillmentStatus: oneOf(fulfillmentStatuses),
  currency: Currency,
  total: Amount,
  itemCount: withDescription('Sum of the quantities.', Count),
  checkoutSessionId: CheckoutSessionId,
  cartId: CartId,
  clientReferenceId: nullable(Type.String()),
  customer: Customer,
  version: Version,
  placedAt: Instant,
  updatedAt: Instant,
}

export const OrderSummary = object(orderRow)

export const OrderItem = object({
  skuId: SkuId,
  code: Type.String(),
  productSlug: Slug,
  name: Type.String(),
  options: Type.Array(OptionValue),
  quantity: Quantity,
  fulfilled: withDescription('Units sent so far.', Count),
  unitPrice: Amount,
  measure: Type.Optional(nullable(LineMeasure)),
  withdrawalExempt: Type.Optional(
    nullable(oneOf(itemExemptions), {
      description: 'Why the shopper cannot withdraw from the contract about it. null: they can.',
    }),
  ),
  subtotal: Amount,
  discount: Amount,
  tax: Amount,
  total: Amount,
})

export const OrderConsent = object({
  kind: oneOf(consentKinds, {
    description:
      'digital_content: digital content is supplied before the time to withdraw is over, and the right to withdraw ends with it.',
  }),
  at: Instant,
  textVersion: Type.String({ description: 'Of the text that was agreed to.' }),
  language: oneOf(textLanguages),
})

export const OrderTotals = object({
  ...Totals.properties,
  refunded: withDescription('Money that went back.', Amount),
  refundPending: withDescription('Money on its way back. What fails on the way leaves it again.', Amount),
})

export const OrderPromotion = object({
  code: Type.String(),
  name: Type.String(),
  type: oneOf(promotionTypes),
  amount: Amount,
})

export const OrderShippingAddress = object(
  { token: AddressToken, summary: Type.String({ description: 'City and country.' }) },
  { description: 'The address itself is shown to the merchant only.' },
)

export const OrderShipping = object({ optionId: Type.String(), label: Type.String(), amount: Amount })

export const Payment = object({
  id: PaymentId,
  provider: Type.String(),
  method: Type.String({ description: 'Such as card or bank_transfer.' }),
  brand: nullable(Type.String()),
  last4: nullable(Type.String()),
  amount: Amount,
  status: oneOf(paymentStatuses),
  createdAt: Instant,
})

export const Refund = object({
  id: RefundId,
  amount: Amount,
  currency: Currency,
  status: oneOf(refundStatuses),
})

export const OrderRefund = object({ ...Refund.properties, createdAt: Instant })

export const Fulfillment = object({
  carrier: nullable(Type.String()),
  trackingNumber: nullable(Type.String()),
  trackingUrl: nullable(Type.String(), {
    description:
      'Where the parcel can be followed: the link of the merchant, or that of a known carrier. null: none is known.',
  }),
  items: Type.Array(ItemQuantity),
  at: Instant,
})

export const OrderCancellation = object({
  id: CancellationId,
  orderId: OrderId,
  status: oneOf(cancellationStatuses, {
    description:
      'refund_pending: money is on its way back. refund_failed: money is owed that could not be paid back; the merchant must see to it.',
  }),
  reason: nullable(oneOf(orderCancellationReasons)),
  note: nullable(Type.String()),
  restocked: Type.Array(ItemQuantity, { description: 'What went back into stock.' }),
  refund: nullable(Refund, { description: 'null where nothing had been paid.' }),
  createdAt: Instant,
})

export const TimelineEntry = object({
  at: Instant,
  type: oneOf(orderTimelineTypes),
  cancelledBy: nullable(oneOf(orderCancellers), {
    description: 'Who cancelled the order; system: the money did not come in time. null for all other types.',
  }),
})

// Members of an order that everyone who may see the order gets.
export const orderMembers = {
  ...orderRow,
  items: Type.Array(OrderItem, { maxItems: limits.cartLinesMax }),
  totals: OrderTotals,
  promotion: nullable(OrderPromotion),
  shippingAddress: nullable(OrderShippingAddress),
  shipping: nullable(OrderShipping, { description: 'null where nothing is sent.' }),
  payments: Type.Array(Payment),
  paymentDueAt: nullable(Instant, {
    description:
      'While the money is awaited: the order is cancelled if it has not come by then. null without a payment term.',
  }),
  refunds: Type.Array(OrderRefund),
  fulfillments: Type.Array(Fulfillment),
  cancellation: nullable(OrderCancellation),
  timeline: Type.Array(TimelineEntry, { description: 'Oldest first.' }),
  consents: Type.Optional(Type.Array(OrderConsent, { description: 'What the shopper agreed to at the checkout.' })),
  cancellable: Type.Boolean({ description: 'Whether a cancellation would be accepted now.' }),
  metadata: Metadata,
}

export const Order = object({
  ...orderMembers,
  statusUrl: nullable(Type.String(), {
    description: 'The page on which the shopper follows the order. Whoever has it can see the page; null in events.',
  }),
  withdrawalUrl: nullable(Type.String(), {
    description:
      'The page to withdraw from the contract, with the order filled in. null where no country that the shop sells to demands one, and in events.',
  }),
})

export const StorefrontOrderListResponse = object({
  data: object({
    orders: Type.Array(OrderSummary, { maxItems: limits.listRowsMax, description: 'Newest first.' }),
    next: nullable(Type.String(), { description: 'Link to older orders, relative to the server. Follow it as it is.' }),
  }),
})

export const StorefrontOrderDetailResponse = object({ data: Order })

export const StorefrontOrderTransitionRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Optional(ExpectedVersion),
  reason: Type.Optional(oneOf(orderCancellationReasons)),
  note: Type.Optional(paragraphSchema(1, 500, 'For your records.')),
  restock: Type.Optional(Type.Boolean({ description: 'Whether the items go back into stock. Without it they do.' })),
})

export const StorefrontOrderCancellationResponse = object({
  data: object({ cancellation: OrderCancellation, order: OrderSummary }),
})

export type OrderSummary = Static<typeof OrderSummary>
export type OrderItem = Static<typeof OrderItem>
export type OrderConsent = Static<typeof OrderConsent>
export type OrderTotals = Static<typeof OrderTotals>
export type OrderPromotion = Static<typeof OrderPromotion>
export type Payment = Static<typeof Payment>
export type Refund = Static<typeof Refund>
export type OrderRefund = Static<typeof OrderRefund>
export type Fulfillment = Static<typeof Fulfillment>
export type OrderCancellation = Static<typeof OrderCancellation>
export type TimelineEntry = Static<typeof TimelineEntry>
export type Order = Static<typeof Order>
export type StorefrontOrderListResponse = Static<typeof StorefrontOrderListResponse>
export type StorefrontOrderDetailResponse = Static<typeof StorefrontOrderDetailResponse>
export type StorefrontOrderTransitionRequest = Static<typeof StorefrontOrderTransitionRequest>
export type StorefrontOrderCancellationResponse = Static<typeof StorefrontOrderCancellationResponse>
