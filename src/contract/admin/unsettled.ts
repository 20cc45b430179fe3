// Payments whose provider does not report an outcome: schemas and operations.

import { limits } from '../limits.ts'
import { Amount, Currency, IdempotencyKey, OrderId } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { closedOutcomes } from '../words.ts'
import { AdminPayment } from './orders.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

export const AdminSinglePayment = object({
  ...AdminPayment.properties,
  currency: Currency,
  collected: withDescription(
    'What the provider says that it took. Another amount than was asked for is not booked.',
    Amount,
  ),
  order: nullable(object({ id: OrderId, number: Type.String() }), {
    description: 'null where none was placed: the shopper is still at the checkout, or has left it.',
  }),
  closable: Type.Boolean({
    description:
      'Whether closeAdminPayment would be accepted now: the outcome is not known, and the payment began more than an hour ago.',
  }),
})

export const AdminUnsettledPaymentsResponse = listOf(AdminSinglePayment, 'Oldest first.', limits.adminListRowsMax)
export const AdminPaymentResponse = object({ data: AdminSinglePayment })

export const AdminPaymentClosureRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  outcome: oneOf(closedOutcomes, {
    description:
      'What you saw at the provider. succeeded: the order is placed or paid, or the money goes back where no order is possible any more. declined: nothing was charged; an authorization that is still open is to be cancelled there.',
  }),
})

// biome-ignore format: a row reads best as a few lines
export const unsettledOperationRows = {
  listAdminUnsettledPayments: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/payments',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Orders', paged: true,
    summary: 'List payments that need a person',
    description: 'Payments whose provider has not reported an outcome for more than a day (for a bank debit: two weeks), or took another amount.',
    body: null, reply: okReply(AdminUnsettledPaymentsResponse),
    refusals: [],
  },
  getAdminPayment: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/payments/{paymentId}',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Orders',
    summary: 'Get a payment',
    description: 'One payment, with its order and whether it can be closed.',
    body: null, reply: okReply(AdminPaymentResponse),
    refusals: ['payment_not_found'],
  },
  closeAdminPayment: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/payments/{paymentId}/closures',
    scope: 'admin:orders', idempotency: 'required', audit: 'change', tag: 'Orders',
    summary: 'Close a payment by hand',
    description: 'Ends a payment by the outcome that you saw at the provider. What follows is what would have followed from its own answer; it is not asked any more.',
    body: AdminPaymentClosureRequest, reply: okReply(AdminPaymentResponse),
    refusals: ['payment_not_found', 'payment_not_closable'],
  },
} as const satisfies AdminOperationRows

export type AdminSinglePayment = Static<typeof AdminSinglePayment>
