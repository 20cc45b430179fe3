// An order in the form of UCP. Pure. The destination contains at most the town and the country.

import { isOfSku } from '../../../domain/edits/plan.ts'
import type { OrderEditRow } from '../../../domain/edits/store.ts'
import { type OrderFacts, orderTotals } from '../../../domain/orders/view.ts'
import type { ReturnFacts } from '../../../domain/returns/store.ts'
import { toInstant } from '../../../platform/kit/instant.ts'
import { agentWordsFor } from './messages.ts'
import { totalsView, ucpEnvelope, type ViewContext, variantTitle } from './view.ts'

// An order with its later edits and its returns.
export interface OrderHistory extends OrderFacts {
  edits: readonly OrderEditRow[]
  returns: readonly ReturnFacts[]
}

export interface OrderLinks {
  permalinkUrl: string
  // Only the country, if nothing else is known.
  destination: Readonly<Record<string, string>>
}

export function orderDocument(
  facts: OrderHistory,
  { permalinkUrl, destination }: OrderLinks,
  context: ViewContext,
): object {
  const { order, lines, fulfillments, refunds } = facts
  const { refunded: _, refundPending: __, ...totals } = orderTotals(order, refunds)
  const words = agentWordsFor(order.locale, context.accepted)
  const label = order.shippingChoice?.label ?? words.say('total.shipping')
  return {
    ucp: ucpEnvelope(context),
    id: context.tag(order.id),
    label: order.number,
    checkout_id: context.tag(order.checkoutSessionId),
    permalink_url: permalinkUrl,
    currency: order.currency,
    line_items: shownLines(facts).map(({ skuId, title, unitPrice, subtotal, discount, quantity, status }) => ({
      id: skuId,
      item: { id: skuId, title, price: unitPrice },
      quantity,
      totals: [
        { type: 'subtotal', amount: subtotal },
        ...(discount > 0 ? [{ type: 'items_discount', amount: -discount }] : []),
        { type: 'total', amount: subtotal - discount },
      ],
      status,
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
    adjustments: [...editViews(facts), ...returnViews(facts), ...refundViews(facts), ...cancellationViews(facts)],
    totals: totalsView(lines, totals, label, words),
  }
}

export interface ShownLine {
  skuId: string
  title: string
  unitPrice: number
  subtotal: number
  discount: number
  // Units bought at the checkout, units that the order still has after edits and returns, and units sent.
  quantity: { original: number; total: number; fulfilled: number }
  status: 'processing' | 'partial' | 'fulfilled' | 'removed'
}

// Returns all lines that the order ever had: a line that an edit removed has a total quantity of 0.
export function shownLines({ order, lines, edits, returns }: OrderHistory): ShownLine[] {
  const added = unitsOf(edits.flatMap(({ parts }) => parts.added))
  const removed = unitsOf(edits.flatMap(({ parts }) => parts.removed))
  const back = unitsOf(
    returns.flatMap((one) => one.lines.map(({ skuId, received }) => ({ skuId, quantity: received }))),
  )
  const gone = edits
    .flatMap(({ parts }) => parts.removed)
    .filter((part, at, all) => isOfSku(part) && all.findIndex(({ skuId }) => skuId === part.skuId) === at)
    .filter(({ skuId }) => !lines.some((line) => line.skuId === skuId))
    .map((part) => ({ ...part, quantity: 0, fulfilled: 0, subtotal: 0, discount: 0 }))
  return [...lines, ...gone].map((line) => {
    const { skuId, name, options, unitPrice, subtotal, discount, quantity: ordered, fulfilled } = line
    const total = order.status === 'cancelled' ? 0 : Math.max(0, ordered - (back.get(skuId) ?? 0))
    const original = ordered + (removed.get(skuId) ?? 0) - (added.get(skuId) ?? 0)
    const quantity = { original, total, fulfilled }
    return {
      ...{ skuId, title: variantTitle(name, options), unitPrice, subtotal, discount, quantity },
      status: lineStatus(quantity),
    }
  })
}

function unitsOf(parts: readonly { skuId: string; quantity: number }[]): ReadonlyMap<string, number> {
  const units = new Map<string, number>()
  for (const { skuId, quantity } of parts) units.set(skuId, (units.get(skuId) ?? 0) + quantity)
  return units
}

function lineStatus({ total, fulfilled }: ShownLine['quantity']): ShownLine['status'] {
  if (total === 0) return 'removed'
  if (fulfilled === 0) return 'processing'
  return fulfilled < total ? 'partial' : 'fulfilled'
}

// Removed units have a negative quantity.
function editViews({ edits }: OrderHistory): object[] {
  return edits.map(({ id, createdAt, parts: { added, removed } }) => {
    const taken = removed.map(({ skuId, quantity }) => ({ skuId, quantity: -quantity }))
    const items = [...taken, ...added].filter(isOfSku).map(({ skuId, quantity }) => ({ id: skuId, quantity }))
    return {
      ...{ id, type: 'edit', occurred_at: toInstant(createdAt), status: 'completed' },
      ...(items.length > 0 && { line_items: items }),
    }
  })
}

// Counts received units. An announced return does not change anything yet.
function returnViews({ returns }: OrderHistory): object[] {
  return returns.flatMap(({ row: { id, updatedAt }, lines }) => {
    const items = lines.flatMap(({ skuId, received }) => (received > 0 ? [{ id: skuId, quantity: -received }] : []))
    if (items.length === 0) return []
    return [{ id, type: 'return', occurred_at: toInstant(updatedAt), status: 'completed', line_items: items }]
  })
}

const adjustmentStatuses = { pending: 'pending', succeeded: 'completed', failed: 'failed' } as const

// The members of a refund that both UCP and ACP show.
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
