// An order, as the protocol shows it. Pure. Where it goes is shown down to the town only.

import { type OrderFacts, orderTotals } from '../../../domain/orders/view.ts'
import { toInstant } from '../../../platform/kit/instant.ts'
import { envelopeOf, titleOf, totalsView, type ViewContext } from './view.ts'

export interface OrderLinks {
  permalinkUrl: string
  // Country alone where nothing else is known.
  destination: Readonly<Record<string, string>>
}

export function orderDocument(
  facts: OrderFacts,
  { permalinkUrl, destination }: OrderLinks,
  context: ViewContext,
): object {
  const { order, lines, fulfillments, refunds } = facts
  const { refunded: _, refundPending: __, ...totals } = orderTotals(order, refunds)
  const label = order.shippingChoice?.label ?? 'Shipping'
  const isCancelled = order.status === 'cancelled'
  return {
    ucp: envelopeOf(context),
    id: context.tag(order.id),
    label: order.number,
    checkout_id: context.tag(order.checkoutSessionId),
    permalink_url: permalinkUrl,
    currency: order.currency,
    line_items: lines.map((line) => ({
      id: line.skuId,
      item: { id: line.skuId, title: titleOf(line.name, line.options), price: line.unitPrice },
      quantity: { original: line.quantity, total: isCancelled ? 0 : line.quantity, fulfilled: line.fulfilled },
      totals: [
        { type: 'subtotal', amount: line.subtotal },
        ...(line.discount > 0 ? [{ type: 'items_discount', amount: -line.discount }] : []),
        { type: 'total', amount: line.subtotal - line.discount },
      ],
      status: lineStatus(line, isCancelled),
    })),
    fulfillment: {
      expectations: [
        {
          id: 'exp_1',
          line_items: lines.map(({ skuId, quantity }) => ({ id: skuId, quantity })),
          method_type: order.shippingChoice ? 'shipping' : 'digital',
          destination,
          ...(order.shippingChoice && { description: label }),
        },
      ],
      events: fulfillments.map(({ id, at, items, carrier, trackingNumber, trackingUrl }) => ({
        id,
        occurred_at: toInstant(at),
        type: 'shipped',
        line_items: items.map(({ skuId, quantity }) => ({ id: skuId, quantity })),
        ...(trackingNumber !== null && { tracking_number: trackingNumber }),
        ...(trackingUrl !== null && { tracking_url: trackingUrl }),
        ...(carrier !== null && { carrier }),
      })),
    },
    adjustments: [...refundViews(facts), ...cancellationViews(facts)],
    totals: totalsView(lines, totals, label),
  }
}

export function lineStatus({ quantity, fulfilled }: OrderFacts['lines'][number], isCancelled: boolean): string {
  if (isCancelled) return 'removed'
  if (fulfilled === 0) return 'processing'
  return fulfilled < quantity ? 'partial' : 'fulfilled'
}

const adjustmentStatuses = { pending: 'pending', succeeded: 'completed', failed: 'failed' } as const

// What both protocols say of a refund.
export function refundsShown({ refunds }: OrderFacts): { refund: object; amount: number }[] {
  return refunds
    .filter(({ kind }) => kind === 'refund')
    .map(({ id, createdAt, status, amount }) => ({
      refund: { id, type: 'refund', occurred_at: toInstant(createdAt), status: adjustmentStatuses[status] },
      amount,
    }))
}

function refundViews(facts: OrderFacts): object[] {
  return refundsShown(facts).map(({ refund, amount }) => ({ ...refund, totals: [{ type: 'total', amount: -amount }] }))
}

function cancellationViews({ order: { cancellation }, lines }: OrderFacts): object[] {
  if (!cancellation) return []
  return [
    {
      id: cancellation.id,
      type: 'cancellation',
      occurred_at: toInstant(cancellation.createdAt),
      status: 'completed',
      line_items: lines.map(({ skuId, quantity }) => ({ id: skuId, quantity: -quantity })),
    },
  ]
}
