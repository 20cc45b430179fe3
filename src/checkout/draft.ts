// What is charged, line by line, in the form in which an order takes it. It contains no address and no person. Pure.

import type { Quote } from '../carts/view.ts'
import type { NewOrder } from '../orders/place.ts'

export type Draft = Pick<NewOrder, 'currency' | 'lines' | 'totals' | 'shippingTax' | 'shipping' | 'promotion'>

export function draftFrom(text: string): Draft {
  return JSON.parse(text) as Draft
}

export function draftFor({ cart, lines, promotion, pricing }: Quote): Draft {
  const chosen = pricing.shipping.options.find(({ id }) => id === pricing.shipping.optionId)
  const isApplied = promotion !== null && pricing.promotion.state === 'applied'
  return {
    currency: cart.currency,
    lines: lines.map(({ offer, quantity }, index) => {
      const priced = pricing.lines[index]
      if (priced?.skuId !== offer.skuId) throw new Error('lines and prices are out of step')
      const { subtotal, discount, tax, total } = priced
      const { skuId, code, productSlug, name, options, image, price } = offer
      return {
        skuId,
        code,
        productSlug,
        name,
        options: [...options],
        image,
        quantity,
        unitPrice: price,
        subtotal,
        discount,
        tax,
        total,
      }
    }),
    totals: pricing.totals,
    shippingTax: pricing.shipping.tax,
    shipping: chosen ? { optionId: chosen.id, label: chosen.label, amount: chosen.amount } : null,
    promotion: isApplied
      ? {
          id: promotion.id,
          code: promotion.code,
          name: promotion.name,
          type: promotion.type,
          amount: pricing.promotion.amount,
        }
      : null,
  }
}
