// Converts the stored facts of an order to the order of the contract. Contains neither the address nor the e-mail address. Pure.

import type {
  Fulfillment,
  Order,
  OrderCancellation,
  OrderItem,
  OrderRefund,
  OrderSummary,
  OrderTotals,
  Payment,
} from '../../contract/open/orders.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { pricedMeasure } from '../../platform/kit/unitprice.ts'
import { shownStatus } from '../payments/lifecycle.ts'
import type { PaymentRow, RefundRow } from '../payments/store.ts'
import { trackingLink } from './carriers.ts'
import { cancellationStatusFor, cancelObstacle } from './lifecycle.ts'
import type { FulfillmentRow, OrderHead, OrderLine, OrderRow, TimelineRow } from './store.ts'

export interface OrderFacts {
  order: OrderRow
  lines: readonly OrderLine[]
  timeline: readonly TimelineRow[]
  fulfillments: readonly FulfillmentRow[]
  payments: readonly PaymentRow[]
  refunds: readonly RefundRow[]
}

// Returns the sums of an order's refunds: succeeded, pending and failed. Leaves out voids, and refunds of what was paid above the total
// of an edited order.
export function refundSums(refunds: readonly RefundRow[]): { back: number; pending: number; failed: number } {
  const sums = { back: 0, pending: 0, failed: 0 }
  for (const { kind, status, amount, editId } of refunds) {
    if (kind === 'refund' && editId === null) sums[status === 'succeeded' ? 'back' : status] += amount
  }
  return sums
}

export function orderTotals(order: OrderRow, refunds: readonly RefundRow[]): OrderTotals {
  const { back, pending } = refundSums(refunds)
  return {
    subtotal: order.subtotal,
    discount: order.discount,
    shipping: order.shipping,
    tax: order.tax,
    taxIncluded: order.priceTax === 'included',
    total: order.total,
    ...(order.taxRelief !== null && { taxReason: order.taxRelief }),
    refunded: back,
    refundPending: pending,
  }
}

export function orderView({
  order,
  lines,
  timeline,
  fulfillments,
  payments,
  refunds,
}: OrderFacts): Omit<Order, 'statusUrl' | 'withdrawalUrl'> {
  return {
    ...orderSummary(order),
    items: lines.map(itemView),
    totals: orderTotals(order, refunds),
    promotion: order.promotion,
    shippingAddress: order.address,
    shipping: shippingView(order.shippingChoice),
    payments: payments.map(paymentView),
    paymentDueAt:
      order.paymentDueAt !== null && order.paymentStatus === 'pending' ? toInstant(order.paymentDueAt) : null,
    refunds: refunds.filter(({ kind }) => kind === 'refund').map(refundView),
    fulfillments: fulfillments.map(fulfillmentView),
    cancellation: cancellationView(order, refunds),
    timeline: timeline.map(({ at, type }) => ({
      at: toInstant(at),
      type,
      cancelledBy: type === 'cancelled' ? (order.cancellation?.by ?? 'api') : null,
    })),
    consents: order.consents.map(({ at, ...consent }) => ({ ...consent, at: toInstant(at) })),
    cancellable: cancelObstacle(order) === undefined,
    metadata: order.metadata,
  }
}

function shippingView(choice: OrderRow['shippingChoice']): Order['shipping'] {
  return choice && { optionId: choice.optionId, label: choice.label, amount: choice.amount }
}

export function orderSummary(order: OrderHead): OrderSummary {
  return {
    id: order.id,
    number: order.number,
    mode: order.mode,
    status: order.status,
    paymentStatus: order.paymentStatus,
    fulfillmentStatus: order.fulfillmentStatus,
    currency: order.currency,
    total: order.total,
    itemCount: order.itemCount,
    checkoutSessionId: order.checkoutSessionId,
    cartId: order.cartId,
    clientReferenceId: order.clientReferenceId,
    customer: { emailMasked: order.emailMasked },
    version: order.version,
    placedAt: toInstant(order.placedAt),
    updatedAt: toInstant(order.updatedAt),
  }
}

// The status of `refund` is that of the refund itself or, if it failed and was replaced, of its replacement.
export function cancellationView(
  { id, currency, total, paymentStatus, cancellation }: OrderRow,
  refunds: readonly RefundRow[],
): OrderCancellation | null {
  if (!cancellation) return null
  const refund = refunds.find((kept) => kept.id === cancellation.refundId)
  const parts = refunds.filter(({ id: refundId, partOf }) => refund && (refundId === refund.id || partOf === refund.id))
  return {
    id: cancellation.id,
    orderId: id,
    status: cancellationStatusFor(paymentStatus, { total, ...refundSums(refunds) }),
    reason: cancellation.reason,
    note: cancellation.note,
    restocked: cancellation.restocked.map(({ skuId, quantity }) => ({ skuId, quantity })),
    refund: refund
      ? { id: refund.id, amount: sumOfAmounts(parts), currency, status: statusOfParts(parts, refunds) }
      : null,
    createdAt: toInstant(cancellation.createdAt),
  }
}

function sumOfAmounts(refunds: readonly RefundRow[]): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0)
}

// Returns the status of an amount that is refunded to several payments. If a failed refund was replaced, the status of its replacement
// counts.
function statusOfParts(parts: readonly RefundRow[], refunds: readonly RefundRow[]): RefundRow['status'] {
  const statuses = parts.map((part) => lastOf(part, refunds).status)
  return (['pending', 'failed'] as const).find((status) => statuses.includes(status)) ?? 'succeeded'
}

// Follows replacements: a replacement may itself have failed and been replaced.
function lastOf(refund: RefundRow, refunds: readonly RefundRow[]): RefundRow {
  const next = refunds.find(({ id }) => id === refund.replacedBy)
  return next ? lastOf(next, refunds) : refund
}

export function itemView(line: OrderLine): OrderItem {
  return {
    skuId: line.skuId,
    code: line.code,
    productSlug: line.productSlug,
    name: line.name,
    options: line.options.map(({ name, value }) => ({ name, value })),
    quantity: line.quantity,
    fulfilled: line.fulfilled,
    unitPrice: line.unitPrice,
    measure: pricedMeasure(line.measure, line.unitPrice),
    withdrawalExempt: line.withdrawalExempt,
    subtotal: line.subtotal,
    discount: line.discount,
    tax: line.tax,
    total: line.total,
  }
}

export function paymentView({ id, provider, method, brand, last4, amount, status, createdAt }: PaymentRow): Payment {
  return {
    id,
    provider,
    method,
    brand,
    last4,
    amount,

    status: shownStatus(status),
    createdAt: toInstant(createdAt),
  }
}

export function refundView({ id, amount, currency, status, createdAt }: RefundRow): OrderRefund {
  return { id, amount, currency, status, createdAt: toInstant(createdAt) }
}

export function fulfillmentView(row: FulfillmentRow): Fulfillment {
  const { carrier, trackingNumber, items, at } = row
  return {
    carrier,
    trackingNumber,
    trackingUrl: trackingUrlOf(row),
    items: items.map(({ skuId, quantity }) => ({ skuId, quantity })),
    at: toInstant(at),
  }
}

// Returns the URL that the merchant entered, or else the link of the carrier for the present tracking number.
export function trackingUrlOf({ carrier, trackingNumber, trackingUrl }: FulfillmentRow): string | null {
  return trackingUrl ?? trackingLink(carrier, trackingNumber)
}
