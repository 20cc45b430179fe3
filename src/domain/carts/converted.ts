// Prices of a cart that became an order: the amounts of the order, not those by the present catalog, promotion and tax rates.

import type { Reader } from '../../platform/storage/storage.ts'
import { findOrder, listOrderLines, type OrderLine, type OrderRow } from '../orders/store.ts'
import type { Pricing } from './pricing.ts'
import type { CartLine } from './store.ts'

export async function findPricingOfOrder(
  db: Reader,
  key: { installationId: string; orderId: string },
  lines: readonly CartLine[],
): Promise<Pricing> {
  const [order, sold] = await Promise.all([findOrder(db, key), listOrderLines(db, key)])
  if (!order) throw new Error(`order ${key.orderId} of a converted cart does not exist`)
  return pricingFromOrder(order, sold, lines)
}

// `lines`: the lines of the cart, whose order is also that of the returned lines.
export function pricingFromOrder(order: OrderRow, sold: readonly OrderLine[], lines: readonly CartLine[]): Pricing {
  const bySku = new Map(sold.map((line) => [line.skuId, line]))
  const priced = lines.map(({ offer: { skuId } }) => {
    // The SKU is missing if an edit of the order removed it.
    const none = { unitPrice: 0, subtotal: 0, discount: 0, tax: 0, total: 0, taxRateBps: null }
    const { unitPrice, subtotal, discount, tax, total, taxRateBps } = bySku.get(skuId) ?? none
    return { skuId, unitPrice, subtotal, discount, tax, total, taxRateBps }
  })
  const { subtotal, discount, shipping, tax, total, shippingTax, shippingChoice } = order
  const itemDiscount = priced.reduce((sum, line) => sum + line.discount, 0)
  return {
    lines: priced,
    promotion: {
      state: order.promotion ? 'applied' : 'none',
      reason: null,
      amount: discount,
      allocations: priced
        .filter((line) => line.discount > 0)
        .map((line) => ({ skuId: line.skuId, amount: line.discount })),
    },
    shipping: {
      optionId: shippingChoice?.optionId ?? null,
      options: shippingChoice ? [{ id: shippingChoice.optionId, label: shippingChoice.label, amount: shipping }] : [],
      amount: shipping,
      discount: discount - itemDiscount,
      tax: shippingTax,
      taxRateBps: order.shippingTaxRateBps,
      taxes: order.shippingTaxes,
    },
    totals: {
      ...{ subtotal, discount, shipping, tax, taxIncluded: order.priceTax === 'included', total },
      ...(order.taxRelief !== null && { taxReason: order.taxRelief }),
    },
  }
}
