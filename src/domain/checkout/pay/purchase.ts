// The purchase as it is sent to providers: buyer, delivery address and lines. It is not stored.

import type { Address } from '../../../contract/open/carts.ts'
import type { Quote } from '../../carts/view.ts'
import { type Customer, emptyCustomer } from '../../orders/customer.ts'
import type { Purchase, PurchaseLine } from '../../payments/port.ts'
import { buildOrderDraft } from '../draft.ts'

export function buildPurchase(
  quote: Quote,
  { customer, address }: { customer: Customer | undefined; address: Address | undefined },
): Purchase {
  const { email, name, phone } = customer ?? emptyCustomer
  return { shopper: { email, name, phone }, delivery: address ?? null, lines: linesOf(quote) }
}

// Returns lines whose totals add up to the charged amount.
function linesOf(quote: Quote): PurchaseLine[] {
  const { cart, pricing } = quote
  // For a change of an order the session charges the difference, which is not the sum of the lines, so it is sent as one line.
  if (cart.terms?.change) {
    const { total } = pricing.totals
    const amounts = { quantity: 1, unitPrice: total, discount: 0, total, taxRateBps: null }
    return [{ kind: 'physical', name: cart.terms.change.number, code: null, ...amounts }]
  }
  const { lines, totals, shipping, shippingTax, shippingTaxRateBps, shippingTaxes } = buildOrderDraft(quote)
  const { amount: shippingAmount, discount: shippingDiscount } = quote.pricing.shipping
  const goods = lines.map((line, index): PurchaseLine => {
    const kind = quote.lines[index]?.offer.delivery === 'digital' ? 'digital' : 'physical'
    const { name, options, code, quantity, unitPrice, discount, total, taxRateBps } = line
    const chosen = options.map(({ value }) => value).join(', ')
    return { kind, name: chosen ? `${name} (${chosen})` : name, code, quantity, unitPrice, discount, total, taxRateBps }
  })
  if (!shipping || shippingAmount === 0) return goods
  const sent = { kind: 'shipping', name: shipping.label, code: null, quantity: 1 } as const
  const charged = ({ amount, tax }: { amount: number; tax: number }) => (totals.taxIncluded ? amount : amount + tax)
  if (shippingTaxes)
    return [
      ...goods,
      ...shippingTaxes.map((share) => ({
        ...sent,
        unitPrice: share.amount,
        discount: 0,
        total: charged(share),
        taxRateBps: share.rateBps,
      })),
    ]
  return [
    ...goods,
    {
      ...sent,
      unitPrice: shippingAmount,
      discount: shippingDiscount,
      total: charged({ amount: shippingAmount - shippingDiscount, tax: shippingTax }),
      taxRateBps: shippingTaxRateBps,
    },
  ]
}
