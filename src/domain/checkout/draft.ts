// The content of an order as it will be charged, line by line. It contains neither the address nor the customer. Pure.

import { isExchange } from '../carts/pricing.ts'
import type { Quote } from '../carts/view.ts'
import type { NewOrder } from '../orders/place.ts'
import type { ConsentRecord } from '../orders/store.ts'

export type OrderDraft = Pick<
  NewOrder,
  | 'currency'
  | 'lines'
  | 'totals'
  | 'shippingTax'
  | 'shippingTaxRateBps'
  | 'shippingTaxes'
  | 'shipping'
  | 'promotion'
  | 'ownDiscount'
  | 'consents'
>

// Drafts that an earlier release stored have no tax rates, measures, exemptions or consents.
export function parseOrderDraft(text: string): OrderDraft {
  const draft = JSON.parse(text) as OrderDraft
  const { shippingTaxRateBps = null, shippingTaxes = null, consents = [] } = draft
  return {
    ...draft,
    shippingTaxRateBps,
    shippingTaxes,
    consents,
    lines: draft.lines.map((line) => ({
      ...line,
      taxRateBps: line.taxRateBps ?? null,
      measure: line.measure ?? null,
      withdrawalExempt: line.withdrawalExempt ?? null,
    })),
  }
}

export function buildOrderDraft(quote: Quote, consents: readonly ConsentRecord[] = []): OrderDraft {
  const { cart, lines, promotion } = quote
  const change = cart.terms?.change
  // An exchange charges the price of its order minus the credit.
  const pricing = change && isExchange(change) ? change.placed : quote.pricing
  const isAgreed = consents.some(({ kind }) => kind === 'digital_content')
  const chosen = pricing.shipping.options.find(({ id }) => id === pricing.shipping.optionId)
  const isApplied = promotion !== null && pricing.promotion.state === 'applied'
  return {
    currency: cart.currency,
    lines: lines.map(({ offer, quantity }, index) => {
      const priced = pricing.lines[index]
      if (priced?.skuId !== offer.skuId) throw new Error('the lines of the cart and their prices differ in order')
      const { unitPrice, subtotal, discount, tax, total, taxRateBps } = priced
      const { skuId, code, productSlug, name, options, image } = offer
      return {
        skuId,
        code,
        productSlug,
        name,
        options: [...options],
        image,
        quantity,
        unitPrice,
        subtotal,
        discount,
        tax,
        total,
        taxRateBps,
        measure: offer.measure,
        withdrawalExempt: offer.withdrawalExempt ?? (offer.digital && isAgreed ? 'digital_content' : null),
      }
    }),
    totals: pricing.totals,
    shippingTax: pricing.shipping.tax,
    shippingTaxRateBps: pricing.shipping.taxRateBps,
    shippingTaxes: pricing.shipping.taxes,
    shipping: chosen
      ? {
          optionId: chosen.id,
          label: chosen.label,
          amount: chosen.amount,
          cheapest: Math.min(...pricing.shipping.options.map(({ amount }) => amount)),
        }
      : null,
    promotion: isApplied
      ? {
          id: promotion.id,
          code: promotion.code,
          name: promotion.name,
          type: promotion.type,
          amount: pricing.promotion.amount,
        }
      : null,
    consents,
    ...(cart.terms && { ownDiscount: pricing.totals.discount }),
  }
}
