// What may happen to an order, its payment status and its parcels. A combination of verb and status without a row is refused.

import type {
  CancellationStatus,
  EventKind,
  FulfillmentStatus,
  OrderPaymentStatus,
  OrderStatus,
} from '../../contract/words.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'

// biome-ignore format: one row is one move
export const orderLifecycle = [
  // verb       from          to            announces           due
  ['place',    null,         'placed',     'order.placed',     null        ],
  ['start',    'placed',     'processing', 'order.processing', null        ],
  // A parcel that is not the last one has no kind of event of its own. It is announced by this event, because a change without an event
  // would leave a gap in the versions.
  ['go_on',    'processing', 'processing', 'order.processing', null        ],
  ['fulfil',   'processing', 'processing', 'order.fulfilled',  null        ],
  ['complete', 'processing', 'completed',  'order.completed',  null        ],
  ['cancel',   'placed',     'cancelled',  'order.cancelled',  'money_back'],
  ['cancel',   'processing', 'cancelled',  'order.cancelled',  'money_back'],
  // An edit changes the ordered items, but not the status.
  ['edit',     'placed',     'placed',     'order.edited',     null        ],
  ['edit',     'processing', 'processing', 'order.edited',     null        ],
  // The parcel came back unpaid. A completed order stays completed, because its completion was already announced.
  ['return',   'processing', 'cancelled',  'order.cancelled',  'money_back'],
  ['return',   'completed',  'completed',  'order.returned',   'money_back'],
] as const satisfies readonly (readonly [string, OrderStatus | null, OrderStatus, EventKind, 'money_back' | null])[]

// A queued refund is not announced; its success or failure is.
// biome-ignore format: one row is one move
export const orderPaymentLifecycle = [
  // verb          from                  to                    announces
  ['await',       null,                 'pending',            null                 ],
  ['pay',         'pending',            'paid',               'order.paid'         ],
  // A bank transfer may arrive after the payment was voided. If the order was cancelled, the money must be refunded.
  ['pay',         'voided',             'paid',               'order.paid'         ],
  ['void',        'pending',            'voided',             null                 ],
  ['queue',       'paid',               'refunding',          null                 ],
  ['queue',       'partially_refunded', 'refunding',          null                 ],
  ['queue',       'refunding',          'refunding',          null                 ],
  ['refund_some', 'refunding',          'refunding',          'order.refunded'     ],
  ['refund_part', 'refunding',          'partially_refunded', 'order.refunded'     ],
  ['refund_rest', 'refunding',          'refunded',           'order.refunded'     ],
  // The refund was made at the provider, and was not queued here.
  ['refund_part', 'paid',               'partially_refunded', 'order.refunded'     ],
  ['refund_part', 'partially_refunded', 'partially_refunded', 'order.refunded'     ],
  ['refund_rest', 'paid',               'refunded',           'order.refunded'     ],
  ['refund_rest', 'partially_refunded', 'refunded',           'order.refunded'     ],
  // A refund failed: other refunds are pending (`fail_some`), others succeeded (`fail_part`), or there are no others (`fail_all`).
  ['fail_some',   'refunding',          'refunding',          'order.refund_failed'],
  ['fail_part',   'refunding',          'partially_refunded', 'order.refund_failed'],
  ['fail_all',    'refunding',          'paid',               'order.refund_failed'],
  // The refund failed after the provider had reported success.
  ['fail_part',   'partially_refunded', 'partially_refunded', 'order.refund_failed'],
  ['fail_part',   'refunded',           'partially_refunded', 'order.refund_failed'],
  ['fail_all',    'partially_refunded', 'paid',               'order.refund_failed'],
  ['fail_all',    'refunded',           'paid',               'order.refund_failed'],
] as const satisfies readonly (readonly [string, OrderPaymentStatus | null, OrderPaymentStatus, EventKind | null])[]

type RefundVerb = Extract<(typeof orderPaymentLifecycle)[number][0], `refund_${string}` | `fail_${string}`>

// Returns the move of the payment status after a refund has ended. `back` and `pending`: sums of the refunds that succeeded and that are
// pending, without the refund that failed.
export function refundVerb(
  outcome: 'succeeded' | 'failed',
  { total, back, pending }: { total: number; back: number; pending: number },
): RefundVerb {
  if (pending > 0) return outcome === 'failed' ? 'fail_some' : 'refund_some'
  if (outcome === 'failed') return back > 0 ? 'fail_part' : 'fail_all'
  return back >= total ? 'refund_rest' : 'refund_part'
}

// Returns the refund status of a cancelled order. It is `completed` if nothing was paid or everything was refunded. Money that arrived
// after the cancellation counts as `refund_pending` even before a refund is queued. `failed`: sum of the failed refunds.
export function cancellationStatusFor(
  paymentStatus: OrderPaymentStatus,
  { total, back, pending, failed }: { total: number; back: number; pending: number; failed: number },
): CancellationStatus {
  if (pending > 0) return 'refund_pending'
  if (paymentStatus === 'voided' || paymentStatus === 'pending' || back >= total) return 'completed'
  return failed > 0 ? 'refund_failed' : 'refund_pending'
}

// The event that announces corrected tracking of a parcel: the event of the order's fulfillment status is sent again.
export const correctionEvents = {
  unfulfilled: 'order.processing',
  partially_fulfilled: 'order.processing',
  fulfilled: 'order.fulfilled',
} as const satisfies Record<FulfillmentStatus, EventKind>

// The events for refunds of what was paid above the total of an edited order.
export const editRefundEvents = {
  succeeded: 'order.refunded',
  failed: 'order.refund_failed',
} as const satisfies Record<'succeeded' | 'failed', EventKind>

// Computes the fulfillment status of an order, which is not stored.
export function fulfillmentStatusFor(lines: readonly { quantity: number; fulfilled: number }[]): FulfillmentStatus {
  if (lines.every(({ fulfilled }) => fulfilled === 0)) return 'unfulfilled'
  return lines.every(({ quantity, fulfilled }) => fulfilled === quantity) ? 'fulfilled' : 'partially_fulfilled'
}

export type CancelObstacle = 'already_cancelled' | 'already_completed' | 'already_processing' | 'already_fulfilled'

// Returns why an order cannot be cancelled on request; undefined if it can.
export function cancelObstacle({
  status,
  fulfillmentStatus,
}: {
  status: OrderStatus
  fulfillmentStatus: FulfillmentStatus
}): CancelObstacle | undefined {
  if (status === 'cancelled') return 'already_cancelled'
  if (status === 'completed') return 'already_completed'
  // Sent items cannot be called back.
  if (fulfillmentStatus !== 'unfulfilled') return 'already_fulfilled'
  return status === 'placed' ? undefined : 'already_processing'
}

// Returns why the ordered items cannot be changed; undefined if they can. While the payment is pending, they can be changed only if it is
// a manual payment.
export function editObstacle(
  { status, paymentStatus }: { status: OrderStatus; paymentStatus: OrderPaymentStatus },
  { isPaidByHand }: { isPaidByHand: boolean },
): 'ended' | 'payment_pending' | 'refunding' | undefined {
  if (!moveFor(orderLifecycle, 'edit', status)) return 'ended'
  if (paymentStatus === 'pending') return isPaidByHand ? undefined : 'payment_pending'
  return paymentStatus === 'paid' || paymentStatus === 'partially_refunded' ? undefined : 'refunding'
}

// Returns why it cannot be recorded that an order came back unpaid; undefined if it can.
export function returnObstacle({
  paymentStatus,
  fulfillmentStatus,
}: {
  paymentStatus: OrderPaymentStatus
  fulfillmentStatus: FulfillmentStatus
}): 'not_awaited' | 'not_sent' | undefined {
  if (!moveFor(orderPaymentLifecycle, 'void', paymentStatus)) return 'not_awaited'
  return fulfillmentStatus === 'unfulfilled' ? 'not_sent' : undefined
}

// Whether the money of an order has not arrived in time. An order that is being processed or was sent is never overdue.
export function isOverdue(
  order: {
    status: OrderStatus
    paymentStatus: OrderPaymentStatus
    fulfillmentStatus: FulfillmentStatus
    paymentDueAt: number | null
  },
  now: number,
): boolean {
  const { paymentStatus, paymentDueAt } = order
  if (paymentStatus !== 'pending' || paymentDueAt === null || paymentDueAt > now) return false
  return cancelObstacle(order) === undefined
}

// Returns why an order must not be sent yet, or must not be sent any more; undefined if it may be sent. The caller may ignore this: a
// refunded order is sometimes sent on purpose.
export function sendObstacle(
  paymentStatus: OrderPaymentStatus,
  awaited: { isPaidOnDelivery: boolean } | undefined,
): 'not_paid' | 'paid_back' | undefined {
  if (paymentStatus === 'pending') return awaited?.isPaidOnDelivery ? undefined : 'not_paid'
  return paymentStatus === 'refunding' || paymentStatus === 'refunded' ? 'paid_back' : undefined
}
