// Orders as the merchant sees them: schemas and rows. No address and no e-mail is in an answer except that of
// getAdminOrderCustomer, which is written down.

import { limits } from '../limits.ts'
import { Address } from '../open/carts.ts'
import { Fulfillment, Order, OrderSummary } from '../open/orders.ts'
import { Amount, ExpectedVersion, IdempotencyKey, InstallationId, Instant, line, Quantity, SkuId } from '../parts.ts'
import { idPattern } from '../patterns.ts'
import { described, nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { ok } from '../surface.ts'
import { fulfillmentStatuses, idPrefixes, orderPaymentStatuses, orderStatuses } from '../words.ts'
import { AdminChange } from './changes.ts'
import { type AdminRows, adminRow, listOf } from './row.ts'

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

export const AdminOrderSummary = object({
  ...OrderSummary.properties,
  ...placed,
  refunded: described('Money that went back or is on its way.', Amount),
})

export const AdminFulfillment = object({
  id: FulfillmentId,
  ...Fulfillment.properties,
  trackingUrl: nullable(Type.String(), { description: 'Where the parcel can be followed.' }),
})

// What may be done with an order now, by whoever has the scope.
export const orderActions = ['fulfilAdminOrder'] as const

export const AdminOrder = object({
  ...Order.properties,
  ...placed,
  fulfillments: Type.Array(AdminFulfillment),
  allowed: Type.Array(oneOf(orderActions), {
    description: 'The operations that the order would accept now, as far as its state says.',
  }),
  changes: Type.Array(AdminChange, { maxItems: limits.adminListRowsMax, description: 'Who did what, newest first.' }),
})

export const orderSorts = ['newest', 'oldest'] as const
export type OrderSort = (typeof orderSorts)[number]

export const AdminOrderListQuery = object({
  status: Type.Optional(oneOf(orderStatuses, { description: 'Only orders of this status.' })),
  payment: Type.Optional(oneOf(orderPaymentStatuses, { description: 'Only orders of this paymentStatus.' })),
  fulfillment: Type.Optional(oneOf(fulfillmentStatuses, { description: 'Only orders of this fulfillmentStatus.' })),
  toSend: Type.Optional(Type.Boolean({ description: 'true: only orders of which something can be sent now.' })),
  from: Type.Optional(described('Only orders placed then or later.', Instant)),
  to: Type.Optional(described('Only orders placed before.', Instant)),
  installationId: Type.Optional(described('Only orders that this installation sold.', InstallationId)),
  sort: Type.Optional(
    oneOf(orderSorts, { description: 'By when they were placed. Without it the newest come first.' }),
  ),
})

export const AdminOrderListResponse = listOf(AdminOrderSummary, 'Newest first, unless sort says otherwise.')
export const AdminOrderResponse = object({ data: AdminOrder })

export const AdminCustomer = object({
  name: nullable(Type.String()),
  email: nullable(Type.String()),
  phone: nullable(Type.String()),
  address: nullable(Address, { description: 'null where nothing is sent, and once it is erased.' }),
  label: Type.Array(Type.String(), { description: 'The address as lines to print.' }),
})
export const AdminCustomerResponse = object({ data: AdminCustomer })

const parcelMembers = {
  carrier: Type.Optional(nullable(line(1, 100))),
  trackingNumber: Type.Optional(nullable(line(1, 100))),
  trackingUrl: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 2000, pattern: '^https?://[^\\s]+$' }), {
      description: 'Where the parcel can be followed.',
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

// biome-ignore format: a row reads best as a few lines
export const orderRows = {
  listAdminOrders: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/orders',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Orders', paged: true,
    summary: 'List orders',
    description: 'Orders of the merchant in the mode of the caller.',
    query: AdminOrderListQuery, body: null, reply: ok(AdminOrderListResponse),
    refusals: [],
  },
  getAdminOrder: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/orders/{orderId}',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Orders',
    summary: 'Get an order',
    description: 'The order in full, what may be done with it now, and who did what.',
    body: null, reply: ok(AdminOrderResponse),
    refusals: ['order_not_found'],
  },
  getAdminOrderCustomer: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/orders/{orderId}/customer',
    scope: 'admin:customers', idempotency: 'none', audit: 'look', tag: 'Orders',
    summary: 'Get the customer of an order',
    description: 'Name, e-mail, phone and address of who ordered. Each look is an entry in the list of changes.',
    body: null, reply: ok(AdminCustomerResponse),
    refusals: ['order_not_found'],
  },
  fulfilAdminOrder: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/orders/{orderId}/fulfillments',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Send a parcel',
    description: 'Records a parcel of an order. With the last one the order is completed.',
    body: AdminFulfillmentRequest, reply: ok(AdminFulfillmentResponse),
    refusals: ['order_not_found', 'version_conflict', 'order_not_fulfillable', 'order_not_paid', 'fulfillment_not_possible'],
  },
} as const satisfies AdminRows

export type AdminOrderSummary = Static<typeof AdminOrderSummary>
export type AdminFulfillment = Static<typeof AdminFulfillment>
export type AdminOrder = Static<typeof AdminOrder>
export type AdminOrderListQuery = Static<typeof AdminOrderListQuery>
export type AdminCustomer = Static<typeof AdminCustomer>
