// What may happen to an order, on its three axes: the order itself, its money, its parcels. A pair of verb and status without
// a row is refused.

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
  // A parcel that is not the last one has no event kind of its own, and a change without an event would leave a gap.
  ['go_on',    'processing', 'processing', 'order.processing', null        ],
  ['fulfil',   'processing', 'processing', 'order.fulfilled',  null        ],
  ['complete', 'processing', 'completed',  'order.completed',  null        ],
  ['cancel',   'placed',     'cancelled',  'order.cancelled',  'money_back'],
  ['cancel',   'processing', 'cancelled',  'order.cancelled',  'money_back'],
  // What was ordered, not how far it is.
  ['edit',     'placed',     'placed',     'order.edited',     null        ],
  ['edit',     'processing', 'processing', 'order.edited',     null        ],
  // What was sent came back unpaid. An order that was done stays done: a receiver has heard of its end.
  ['return',   'processing', 'cancelled',  'order.cancelled',  'money_back'],
  ['return',   'completed',  'completed',  'order.returned',   'money_back'],
] as const satisfies readonly (readonly [string, OrderStatus | null, OrderStatus, EventKind, 'money_back' | null])[]

// Money on its way back is not announced; that it arrived, or could not be paid, is.
// biome-ignore format: one row is one move
export const orderPaymentLifecycle = [
  // verb          from                  to                    announces
  ['await',       null,                 'pending',            null                 ],
  ['pay',         'pending',            'paid',               'order.paid'         ],
  // A bank transfer may arrive after the order was given up. If the order is cancelled, it must be refunded.
  ['pay',         'voided',             'paid',               'order.paid'         ],
  ['void',        'pending',            'voided',             null                 ],
  ['queue',       'paid',               'refunding',          null                 ],
  ['queue',       'partially_refunded', 'refunding',          null                 ],
  ['queue',       'refunding',          'refunding',          null                 ],
  ['refund_some', 'refunding',          'refunding',          'order.refunded'     ],
  ['refund_part', 'refunding',          'partially_refunded', 'order.refunded'     ],
  ['refund_rest', 'refunding',          'refunded',           'order.refunded'     ],
  // Made at the provider, without being owed here first.
  ['refund_part', 'paid',               'partially_refunded', 'order.refunded'     ],
  ['refund_part', 'partially_refunded', 'partially_refunded', 'order.refunded'     ],
  ['refund_rest', 'paid',               'refunded',           'order.refunded'     ],
  ['refund_rest', 'partially_refunded', 'refunded',           'order.refunded'     ],
  // One failed: others are on their way, or some went back before, or nothing did.
  ['fail_some',   'refunding',          'refunding',          'order.refund_failed'],
  ['fail_part',   'refunding',          'partially_refunded', 'order.refund_failed'],
  ['fail_all',    'refunding',          'paid',               'order.refund_failed'],
  // After it had succeeded.
  ['fail_part',   'partially_refunded', 'partially_refunded', 'order.refund_failed'],
  ['fail_part',   'refunded',           'partially_refunded', 'order.refund_failed'],
  ['fail_all',    'partially_refunded', 'paid',               'order.refund_failed'],
  ['fail_all',    'refunded',           'paid',               'order.refund_failed'],
] as const satisfies readonly (readonly [string, OrderPaymentStatus | null, OrderPaymentStatus, EventKind | null])[]

type RefundVerb = Extract<(typeof orderPaymentLifecycle)[number][0], `refund_${string}` | `fail_${string}`>

// What a refund that has ended makes of the money. `back` and `pending` are the sums of the refunds that arrived and of those
// on their way, without the one that failed.
export function refundVerb(
  outcome: 'succeeded' | 'failed',
  { total, back, pending }: { total: number; back: number; pending: number },
): RefundVerb {
  if (pending > 0) return outcome === 'failed' ? 'fail_some' : 'refund_some'
  if (outcome === 'failed') return back > 0 ? 'fail_part' : 'fail_all'
  return back >= total ? 'refund_rest' : 'refund_part'
}

// How far the money of a cancelled order is. Nothing is owed where nothing came; what came after the cancellation is to go
// back, and nobody has tried to yet. `failed` is the sum of the refunds that failed.
export function cancellationStatusFor(
  paymentStatus: OrderPaymentStatus,
  { total, back, pending, failed }: { total: number; back: number; pending: number; failed: number },
): CancellationStatus {
  if (pending > 0) return 'refund_pending'
  if (paymentStatus === 'voided' || paymentStatus === 'pending' || back >= total) return 'completed'
  return failed > 0 ? 'refund_failed' : 'refund_pending'
}

// When the tracking of a parcel is corrected, the event of the order's fulfillment is announced again.
export const correctionEvents = {
  unfulfilled: 'order.processing',
  partially_fulfilled: 'order.processing',
  fulfilled: 'order.fulfilled',
} as const satisfies Record<FulfillmentStatus, EventKind>

// What was paid above the total of an edited order went back, or could not.
export const editRefundEvents = {
  succeeded: 'order.refunded',
  failed: 'order.refund_failed',
} as const satisfies Record<'succeeded' | 'failed', EventKind>

// Not stored: it is counted from the lines.
export function fulfillmentStatusFor(lines: readonly { quantity: number; fulfilled: number }[]): FulfillmentStatus {
  if (lines.every(({ fulfilled }) => fulfilled === 0)) return 'unfulfilled'
  return lines.every(({ quantity, fulfilled }) => fulfilled === quantity) ? 'fulfilled' : 'partially_fulfilled'
}

export type CancelObstacle = 'already_cancelled' | 'already_completed' | 'already_processing' | 'already_fulfilled'

// Why an order cannot be cancelled on request; undefined when it can.
export function cancelObstacle({
  status,
  fulfillmentStatus,
}: {
  status: OrderStatus
  fulfillmentStatus: FulfillmentStatus
}): CancelObstacle | undefined {
  if (status === 'cancelled') return 'already_cancelled'
  if (status === 'completed') return 'already_completed'
  // What was sent cannot be called back.
  if (fulfillmentStatus !== 'unfulfilled') return 'already_fulfilled'
  return status === 'placed' ? undefined : 'already_processing'
}

// Why what was ordered cannot be changed; undefined when it can. An awaited payment can only be changed where people move the money.
export function editObstacle(
  { status, paymentStatus }: { status: OrderStatus; paymentStatus: OrderPaymentStatus },
  { isPaidByHand }: { isPaidByHand: boolean },
): 'ended' | 'payment_pending' | 'refunding' | undefined {
  if (!moveFor(orderLifecycle, 'edit', status)) return 'ended'
  if (paymentStatus === 'pending') return isPaidByHand ? undefined : 'payment_pending'
  return paymentStatus === 'paid' || paymentStatus === 'partially_refunded' ? undefined : 'refunding'
}

// Why an order cannot have come back unpaid; undefined when it can.
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

// Whether the money of an order did not come in time. What was sent already is not called back.
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

// Why an order is not to be sent yet, or any more; undefined when it is. What came back on purpose may still be sent, so
// this can be overruled.
export function sendObstacle(
  paymentStatus: OrderPaymentStatus,
  awaited: { isPaidOnDelivery: boolean } | undefined,
): 'not_paid' | 'paid_back' | undefined {
  if (paymentStatus === 'pending') return awaited?.isPaidOnDelivery ? undefined : 'not_paid'
  return paymentStatus === 'refunding' || paymentStatus === 'refunded' ? 'paid_back' : undefined
}
