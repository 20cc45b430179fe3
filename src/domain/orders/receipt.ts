// The content of a receipt: each line of the order with net amount, tax rate and tax, and the sums by rate. Pure.

import type { OrderLine, OrderRow } from './store.ts'

// Amounts in minor units.
export interface TaxedAmount {
  net: number
  // Tax rate in basis points; null if the rate was not stored.
  taxRateBps: number | null
  tax: number
  gross: number
}

export interface ReceiptLine extends TaxedAmount {
  name: string
  options: readonly { name: string; value: string }[]
  quantity: number
}

export interface Receipt {
  lines: readonly ReceiptLine[]
  // One entry per tax rate; empty if nothing was shipped.
  shipping: readonly (TaxedAmount & { label: string })[]
  // Sums by tax rate, the highest rate first. Null for an order that was placed before rates were stored.
  rates: readonly (TaxedAmount & { taxRateBps: number })[] | null
  total: TaxedAmount
}

export type ReceiptOrder = Pick<
  OrderRow,
  | 'shipping'
  | 'shippingTax'
  | 'shippingTaxRateBps'
  | 'shippingTaxes'
  | 'shippingChoice'
  | 'discount'
  | 'tax'
  | 'total'
  | 'priceTax'
>

export function buildReceipt(order: ReceiptOrder, sold: readonly OrderLine[]): Receipt {
  const lines = sold.map(({ name, options, quantity, tax, total, taxRateBps }) => ({
    name,
    options,
    quantity,
    ...taxed(total, tax, taxRateBps),
  }))
  const shipping = shippingOf(order, sold)
  return {
    lines,
    shipping,
    rates: sumsByRate([...lines, ...shipping]),
    total: taxed(order.total, order.tax, null),
  }
}

// A promotion's discount on shipping is part of the discount of the order, but of no line.
function shippingOf(order: ReceiptOrder, sold: readonly OrderLine[]): Receipt['shipping'] {
  if (!order.shippingChoice) return []
  const { label } = order.shippingChoice
  const itemDiscount = sold.reduce((sum, { discount }) => sum + discount, 0)
  const amount = order.shipping - (order.discount - itemDiscount)
  const parts = order.shippingTaxes ?? [{ amount, tax: order.shippingTax, rateBps: order.shippingTaxRateBps }]
  return parts.map(({ amount, tax, rateBps }) => {
    const gross = order.priceTax === 'included' ? amount : amount + tax
    return { label, ...taxed(gross, tax, rateBps) }
  })
}

function sumsByRate(amounts: readonly TaxedAmount[]): Receipt['rates'] {
  const sums = new Map<number, { gross: number; tax: number }>()
  for (const { taxRateBps, gross, tax } of amounts) {
    if (taxRateBps === null) return null
    const sum = sums.get(taxRateBps) ?? { gross: 0, tax: 0 }
    sums.set(taxRateBps, { gross: sum.gross + gross, tax: sum.tax + tax })
  }
  return [...sums]
    .sort(([one], [other]) => other - one)
    .map(([taxRateBps, { gross, tax }]) => ({ ...taxed(gross, tax, taxRateBps), taxRateBps }))
}

function taxed(gross: number, tax: number, taxRateBps: number | null): TaxedAmount {
  return { net: gross - tax, taxRateBps, tax, gross }
}
