// Events as webhook endpoints receive them: one envelope, and the data of each kind of event.

import {
  Amount,
  CheckoutSessionId,
  Count,
  Currency,
  DocumentId,
  DraftId,
  EventId,
  EventType,
  InstallationId,
  Instant,
  MerchantId,
  Mode,
  OrderId,
  ProductId,
  PromotionId,
  RequestId,
  SkuId,
  Slug,
  Version,
  WebhookEndpointId,
  WithdrawalId,
} from '../parts.ts'
import { nullable, object, oneOf, type Static, type TSchema, Type, withDescription } from '../schema.ts'
import {
  documentKinds,
  draftStatuses,
  type EventKind,
  type EventSubject,
  endpointDisabledReasons,
  endpointStatuses,
  eventKinds,
  eventSubjects,
  promotionTypes,
} from '../words.ts'
import { Cart } from './carts.ts'
import { CheckoutSession } from './checkout.ts'
import { App } from './identity.ts'
import { Order } from './orders.ts'
import { Return } from './returns.ts'
import { WebhookDelivery } from './webhooks.ts'

export const CartEventData = object({ cart: Cart })

export const CheckoutSessionEventData = object({ checkoutSession: CheckoutSession })

export const OrderEventData = object({ order: Order })

export const DraftEventData = object({
  draft: object({
    id: DraftId,
    version: Version,
    status: oneOf(draftStatuses),
    currency: Currency,
    total: withDescription('With tax.', Amount),
    checkoutSessionId: CheckoutSessionId,
    orderId: nullable(OrderId, { description: 'null until the shopper has ordered it.' }),
    createdAt: Instant,
    expiresAt: Instant,
  }),
})

export const DocumentEventData = object({
  document: object({
    id: DocumentId,
    kind: oneOf(documentKinds),
    number: Type.String(),
    orderId: OrderId,
    day: Type.String({ description: 'Its date in the time zone of the shop, such as `2026-06-01`.' }),
    currency: Currency,
    net: Amount,
    tax: Amount,
    total: Amount,
  }),
})
export const ReturnEventData = object({ return: Return })

export const InventoryEventData = object({
  sku: object({
    id: SkuId,
    code: Type.String(),
    productSlug: Slug,
    name: Type.String(),
    availableQuantity: withDescription('Units that can be bought now.', Count),
    lowStockAt: withDescription('At or below this quantity the stock is low.', Count),
  }),
})

export const PromotionEventData = object({
  promotion: object({
    id: PromotionId,
    code: Type.String(),
    name: Type.String(),
    type: oneOf(promotionTypes),
    usageLimit: Count,
    usageCount: Count,
  }),
})

export const AppEventData = object({
  installation: object({ id: InstallationId, name: Type.String() }),
  app: App,
})

export const ProductChangeEventData = object({ product: object({ id: ProductId, slug: Slug, version: Version }) })

export const PromotionChangeEventData = object({
  promotion: object({ id: PromotionId, code: Type.String(), version: Version }),
})

export const ShopChangeEventData = object({ shop: object({ id: MerchantId, slug: Slug, version: Version }) })

export const WithdrawalEventData = object({
  withdrawal: object({
    id: WithdrawalId,
    orderNumber: nullable(Type.String(), {
      description: 'The number of an order as the shopper gave it. It may be wrong, or of another shopper.',
    }),
    receivedAt: Instant,
    refundDueAt: withDescription('The money has to be back by then: 14 days after it was received.', Instant),
  }),
})

export const EndpointDisabledEventData = object({
  endpoint: object({
    id: WebhookEndpointId,
    url: Type.String({ description: 'Credentials in the address are masked.' }),
    description: Type.String(),
    status: oneOf(endpointStatuses),
  }),
  reason: oneOf(endpointDisabledReasons),
})

export const DeliveryFailedEventData = object({ endpointId: WebhookEndpointId, delivery: WebhookDelivery })

export const EndpointMessageEventData = object({ endpointId: WebhookEndpointId, message: Type.String() })

export const TruncatedEventData = object(
  { id: Type.String({ description: 'Id of the subject: read it from the API.' }), truncated: Type.Literal(true) },
  { description: 'Stands in for data that would make the event larger than 64 KiB.' },
)

// The subject and the data of each kind of event. An inventory event is about a SKU.
// biome-ignore format: a table reads best with one row a line
export const eventDefinitions = {
  'cart.created':                    { subject: 'cart',             data: CartEventData,             says: 'A cart was made.' },
  'cart.updated':                    { subject: 'cart',             data: CartEventData,             says: 'A cart changed.' },
  'cart.converted':                  { subject: 'cart',             data: CartEventData,             says: 'A cart became an order.' },
  'cart.expired':                    { subject: 'cart',             data: CartEventData,             says: 'A cart was idle for too long.' },
  'checkout_session.created':        { subject: 'checkout_session', data: CheckoutSessionEventData,  says: 'A checkout session was opened.' },
  'checkout_session.completed':      { subject: 'checkout_session', data: CheckoutSessionEventData,  says: 'A checkout session was completed by an order.' },
  'checkout_session.payment_failed': { subject: 'checkout_session', data: CheckoutSessionEventData,  says: 'A payment was declined; the session is open again.' },
  'checkout_session.cancelled':      { subject: 'checkout_session', data: CheckoutSessionEventData,  says: 'A checkout session was cancelled.' },
  'checkout_session.expired':        { subject: 'checkout_session', data: CheckoutSessionEventData,  says: 'A checkout session ran out of time.' },
  'order.placed':                    { subject: 'order',            data: OrderEventData,            says: 'An order was placed.' },
  'order.paid':                      { subject: 'order',            data: OrderEventData,            says: 'The money for an order has come.' },
  'order.processing':                { subject: 'order',            data: OrderEventData,            says: 'The merchant started on an order.' },
  'order.fulfilled':                 { subject: 'order',            data: OrderEventData,            says: 'Everything in an order was sent.' },
  'order.completed':                 { subject: 'order',            data: OrderEventData,            says: 'An order is done.' },
  'order.cancelled':                 { subject: 'order',            data: OrderEventData,            says: 'An order was cancelled.' },
  'order.refunded':                  { subject: 'order',            data: OrderEventData,            says: 'Money of an order was paid back.' },
  'order.refund_failed':             { subject: 'order',            data: OrderEventData,            says: 'Money of an order could not be paid back.' },
  'order.returned':                  { subject: 'order',            data: OrderEventData,            says: 'An order that was sent came back unpaid.' },
  'draft.created':                   { subject: 'draft',            data: DraftEventData,            says: 'The merchant made a draft for a shopper.' },
  'draft.updated':                   { subject: 'draft',            data: DraftEventData,            says: 'The merchant changed a draft.' },
  'draft.completed':                 { subject: 'draft',            data: DraftEventData,            says: 'A draft became an order.' },
  'draft.cancelled':                 { subject: 'draft',            data: DraftEventData,            says: 'A draft was cancelled.' },
  'draft.expired':                   { subject: 'draft',            data: DraftEventData,            says: 'The link of a draft ran out of time.' },
  'order.edited':                    { subject: 'order',            data: OrderEventData,            says: 'The merchant changed what was ordered, or the address.' },
  'document.issued':                 { subject: 'document',         data: DocumentEventData,         says: 'An invoice or a credit note was made.' },
  'return.requested':               { subject: 'return',           data: ReturnEventData,           says: 'A shopper asked to return items.' },
  'return.approved':                { subject: 'return',           data: ReturnEventData,           says: 'The items of a return may be sent.' },
  'return.refused':                 { subject: 'return',           data: ReturnEventData,           says: 'A return was refused.' },
  'return.received':                { subject: 'return',           data: ReturnEventData,           says: 'Items of a return came.' },
  'return.exchanged':               { subject: 'return',           data: ReturnEventData,           says: 'Items of a return were exchanged: a new order was placed for them.' },
  'return.closed':                  { subject: 'return',           data: ReturnEventData,           says: 'A return is over.' },
  'withdrawal.received':             { subject: 'withdrawal',       data: WithdrawalEventData,       says: 'A shopper withdrew from a contract. Every installation of the merchant gets it; admin operations show who it was.' },
  'inventory.low':                   { subject: 'sku',              data: InventoryEventData,        says: 'The stock of a SKU became low.' },
  'inventory.depleted':              { subject: 'sku',              data: InventoryEventData,        says: 'The stock of a SKU ran out.' },
  'inventory.replenished':           { subject: 'sku',              data: InventoryEventData,        says: 'A SKU is in stock again.' },
  'promotion.exhausted':             { subject: 'promotion',        data: PromotionEventData,        says: 'A promotion reached its usage limit.' },
  'app.installed':                   { subject: 'installation',     data: AppEventData,              says: 'An app was installed on the merchant’s shop.' },
  'app.uninstalled':                 { subject: 'installation',     data: AppEventData,              says: 'An app was removed from the merchant’s shop.' },
  'product.created':                 { subject: 'product',          data: ProductChangeEventData,    says: 'A product was made in the back office.' },
  'product.updated':                 { subject: 'product',          data: ProductChangeEventData,    says: 'A product, its prices or its SKUs changed.' },
  'product.unpublished':             { subject: 'product',          data: ProductChangeEventData,    says: 'A product left the catalog.' },
  'promotion.created':               { subject: 'promotion',        data: PromotionChangeEventData,  says: 'A promotion was made.' },
  'promotion.updated':               { subject: 'promotion',        data: PromotionChangeEventData,  says: 'A promotion changed.' },
  'shop.updated':                    { subject: 'merchant',         data: ShopChangeEventData,       says: 'The shop, its taxes, shipping or payment methods changed.' },
  'webhook.endpoint_disabled':       { subject: 'webhook_endpoint', data: EndpointDisabledEventData, says: 'Another endpoint was disabled.' },
  'webhook.delivery_failed':         { subject: 'webhook_delivery', data: DeliveryFailedEventData,   says: 'A delivery to another endpoint failed for good.' },
  'webhook.ping':                    { subject: 'webhook_endpoint', data: EndpointMessageEventData,  says: 'A test call, sent on request.' },
  'webhook.fixture':                 { subject: 'webhook_endpoint', data: EndpointMessageEventData,  says: 'The message of a signature fixture. Never sent.' },
} as const satisfies Record<EventKind, { subject: EventSubject; data: TSchema; says: string }>

export const EventCause = object(
  { operationId: nullable(Type.String()), requestId: RequestId },
  { description: 'The request that caused it. operationId is null where a page did.' },
)

// The envelope of an event whose kind is not known yet.
export const Event = envelope(
  EventId,
  EventType,
  oneOf(eventSubjects),
  Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
)
export type Event = Static<typeof Event>
export type EventDataOf<Kind extends EventKind> = Static<(typeof eventDefinitions)[Kind]['data']>

// The envelope of each kind, with the data that belongs to it.
export const eventSchemas: ReadonlyMap<EventKind, TSchema> = new Map(
  eventKinds.map((kind) => {
    const { subject, data } = eventDefinitions[kind]
    // Ids of the fixture have another form, so no receiver takes the fixture for a real event.
    const id = kind === 'webhook.fixture' ? Type.String() : EventId
    return [kind, envelope(id, Type.Literal(kind), Type.Literal(subject), Type.Union([data, TruncatedEventData]))]
  }),
)

// Returns the name of the kind's schema: `CheckoutSessionCompletedEvent` for `checkout_session.completed`.
export function eventSchemaName(kind: EventKind): string {
  const words = kind.split(/[._]/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

function envelope<Id extends TSchema, Kind extends TSchema, Subject extends TSchema, Data extends TSchema>(
  id: Id,
  type: Kind,
  subject: Subject,
  data: Data,
) {
  return object({
    id,
    type,
    apiVersion: Type.Literal('v1'),
    timestamp: withDescription('When it happened, not when it was sent.', Instant),
    installationId: InstallationId,
    mode: Mode,
    subject: object({ type: subject, id: Type.String() }),
    sequence: withDescription('The version of the subject: orders its events and shows gaps.', Version),
    cause: nullable(EventCause, { description: 'null where time, a provider or an operator caused it.' }),
    data,
  })
}
