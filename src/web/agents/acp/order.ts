// An order in the form of the Agentic Commerce Protocol. Pure. The destination is omitted: the buyer knows the address, and the platform
// may not be allowed to see it.

import { type OrderFacts, orderTotals } from '../../../domain/orders/view.ts'
import { toInstant } from '../../../platform/kit/instant.ts'
import { agentWordsFor } from '../ucp/messages.ts'
import { type OrderHistory, refundsShown, shownLines } from '../ucp/order.ts'
import { totalsView } from '../ucp/view.ts'
import { acpTotals, lineTotals } from './view.ts'

export interface AcpOrderContext {
  permalinkUrl: string
  tag: (id: string) => string
}

export function acpOrder(facts: OrderHistory, { permalinkUrl, tag }: AcpOrderContext): object {
  const { order, lines, refunds } = facts
  const { refunded, refundPending: _, ...totals } = orderTotals(order, refunds)
  const words = agentWordsFor(order.locale, undefined)
  const label = order.shippingChoice?.label ?? words.say('total.shipping')
  return {
    type: 'order',
    id: tag(order.id),
    checkout_session_id: tag(order.checkoutSessionId),
    order_number: order.number,
    permalink_url: permalinkUrl,
    status: orderStatus(facts),
    line_items: shownLines(facts).map(({ skuId, title, unitPrice, subtotal, discount, quantity, status }) => ({
      id: skuId,
      title,
      // A line that was added after the order has an original quantity of 0, which the protocol does not allow.
      quantity: {
        ordered: quantity.original || Math.max(1, quantity.total),
        current: quantity.total,
        fulfilled: quantity.fulfilled,
      },
      unit_price: unitPrice,
      subtotal,
      totals: lineTotals(subtotal, discount, words),
      status,
    })),
    fulfillments: fulfillmentViews(facts),
    adjustments: adjustmentViews(facts),
    totals: [
      ...acpTotals(totalsView(lines, totals, label, words), words),
      ...(refunded > 0
        ? [{ type: 'amount_refunded', display_text: words.say('total.refunded'), amount: refunded }]
        : []),
    ],
  }
}

// The protocol's `completed` means delivered. This server does not track delivery, so a completed order with shipping is `shipped`.
function orderStatus({ order }: OrderFacts): string {
  if (order.status === 'cancelled') return 'canceled'
  if (order.status === 'completed') return order.shippingChoice ? 'shipped' : 'completed'
  if (order.status === 'processing') return 'processing'
  return order.paymentStatus === 'pending' ? 'created' : 'confirmed'
}

function fulfillmentViews({ order, fulfillments }: OrderFacts): object[] {
  return fulfillments.map(({ id, at, items, carrier, trackingNumber, trackingUrl }) => ({
    id,
    type: order.shippingChoice ? 'shipping' : 'digital',
    status: 'shipped',
    line_items: items.map(({ skuId, quantity }) => ({ id: skuId, quantity })),
    ...(carrier !== null && { carrier }),
    ...(trackingNumber !== null && { tracking_number: trackingNumber }),
    ...(trackingUrl !== null && { tracking_url: trackingUrl }),
    events: [{ id: `${id}_shipped`, type: 'shipped', occurred_at: toInstant(at) }],
  }))
}

function adjustmentViews(facts: OrderFacts): object[] {
  const { cancellation, currency } = facts.order
  const back = refundsShown(facts).map(({ refund, amount }) => ({
    ...refund,
    amount,
    currency: currency.toLowerCase(),
  }))
  if (!cancellation) return back
  const cancelled = {
    id: cancellation.id,
    type: 'cancellation',
    occurred_at: toInstant(cancellation.createdAt),
    status: 'completed',
    line_items: facts.lines.map(({ skuId, quantity }) => ({ id: skuId, quantity })),
  }
  return [...back, cancelled]
}
