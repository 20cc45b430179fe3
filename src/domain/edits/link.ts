// An edit that costs more and is paid by a link: the price that the shopper is shown, and planning the same edit again when the money has
// arrived. Pure.

import { Refusal } from '../../platform/kit/refuse.ts'
import type { EditChange, Pricing } from '../carts/pricing.ts'
import { editObstacle } from '../orders/lifecycle.ts'
import { isPaidByHand } from '../orders/money.ts'
import type { OrderRow, RefundedLine } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import { type EditInput, type EditPlan, isOfSku, planEdit } from './plan.ts'

// An edit as it is stored, with the prices that were agreed on.
export type StoredEdit = Pick<EditInput, 'newItems' | 'shipping'> & {
  id: string
  quantities: readonly (readonly [string, number])[]
  difference: number
}

export function orderChangeFor(
  order: OrderRow,
  plan: EditPlan,
  asked: Pick<EditInput, 'quantities' | 'newItems' | 'shipping'>,
  id: string,
): EditChange {
  const { newItems, shipping } = asked
  const edit: StoredEdit = { id, newItems, shipping, quantities: [...asked.quantities], difference: plan.difference }
  return { orderId: order.id, number: order.number, pricing: pricingFor(order, plan), edit }
}

// Returns undefined if the order has changed since the edit was agreed on: the money is then returned.
export function planAgreedEdit(facts: OrderFacts, refunded: readonly RefundedLine[], change: EditChange) {
  // The cast holds because the stored value was written by the function above.
  const { id, newItems, shipping, quantities, difference } = change.edit as StoredEdit
  const { order, lines } = facts
  if (order.paymentStatus === 'pending' || editObstacle(order, { isPaidByHand: isPaidByHand(facts) })) return undefined
  try {
    const plan = planEdit({ order, lines, refunded, quantities: new Map(quantities), newItems, shipping })
    return plan.difference === difference && plan.order.total > order.refunded ? { id, plan } : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

// The price of the added parts, with the removed parts deducted as a discount, so the total is the difference.
function pricingFor({ priceTax, taxRelief }: OrderRow, { parts, difference: total }: EditPlan): Pricing {
  const isIncluded = priceTax === 'included'
  const costOf = (part: { total: number; tax: number }) => (isIncluded ? part.total : part.total - part.tax)
  const goods = parts.added.filter(isOfSku)
  const shipping = parts.added.filter((part) => !isOfSku(part)).reduce((sum, part) => sum + costOf(part), 0)
  const subtotal = goods.reduce((sum, part) => sum + costOf(part), 0)
  const tax = parts.added.reduce((sum, part) => sum + part.tax, 0)
  const discount = subtotal + shipping + (isIncluded ? 0 : tax) - total
  return {
    lines: goods.map(({ skuId, unitPrice, tax: own, total: gross, rateBps }) => ({
      ...{ skuId, unitPrice, subtotal: costOf({ total: gross, tax: own }), discount: 0 },
      ...{ tax: own, total: gross, taxRateBps: rateBps },
    })),
    promotion: { state: 'none', reason: null, amount: 0, allocations: [] },
    shipping: { optionId: null, options: [], amount: shipping, discount: 0, tax: 0, taxRateBps: null, taxes: null },
    totals: {
      ...{ subtotal, discount, shipping, tax, taxIncluded: isIncluded, total },
      ...(taxRelief !== null && { taxReason: taxRelief }),
    },
  }
}
