// Random carts as they were bought, priced by the rules of the server: what documents are made from.

import fc from 'fast-check'
import { type Pricing, type PricingFacts, priceCart } from '../src/domain/carts/pricing.ts'
import type { OrderLine } from '../src/domain/orders/store.ts'

const classes = ['standard', 'reduced', 'zero']
const line = fc.record({
  unitPrice: fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 20_000 }), fc.nat({ max: 100_000_000 })),
  quantity: fc.integer({ min: 1, max: 7 }),
  taxClass: fc.constantFrom(...classes),
})
export const bought = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 5 }),
  priceTax: fc.constantFrom('included' as const, 'excluded' as const),
  // With no digits, two, three and four.
  currency: fc.constantFrom(
    ...(['EUR', 'USD', 'GBP', 'CHF', 'PLN', 'SEK', 'HUF', 'JPY', 'KRW', 'ISK', 'KWD', 'BHD', 'CLF'] as const),
  ),
  rates: fc.tuple(fc.nat({ max: 2_700 }), fc.constantFrom<number[]>(0, 550, 700), fc.constant<number>(0)),
  shipping: fc.nat({ max: 2_000 }),
  isShippedAtStandard: fc.boolean(),
  code: fc.option(
    fc.oneof(
      fc.record({ type: fc.constant('percentage' as const), value: fc.integer({ min: 1, max: 10_000 }) }),
      fc.record({ type: fc.constant('fixed_amount' as const), value: fc.integer({ min: 1, max: 5_000 }) }),
      fc.constant({ type: 'free_shipping' as const, value: 0 }),
    ),
  ),
  refunds: fc.array(
    fc.record({
      isByLine: fc.boolean(),
      isLost: fc.boolean(),
      pick: fc.nat(),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 6 },
  ),
})
export interface Sale extends Partial<Pick<PricingFacts, 'destination' | 'isVatRegistered' | 'buyerVatCountry'>> {
  delivery?: 'shipped' | 'digital'
}

export type Bought = typeof bought extends fc.Arbitrary<infer T> ? T : never

// `sale`: what differs of a sale within Germany.
export function priced(
  { lines, priceTax, currency, rates, shipping, isShippedAtStandard, code }: Bought,
  { delivery = 'shipped', ...sale }: Sale = {},
): Pricing {
  return priceCart({
    currency,
    priceTax,
    merchantCountry: 'DE',
    shippingTax: isShippedAtStandard ? 'standard' : null,
    lines: lines.map((one, i) => ({
      ...one,
      skuId: `sku_${i}`,
      code: `C${i}`,
      weightGrams: null,
      delivery,
      categories: [],
    })),
    promotion: code && {
      id: 'prm',
      code: 'X',
      name: 'X',
      type: code.type,
      value: code.value,
      currency: code.type === 'fixed_amount' ? currency : null,
      minimumSubtotal: null,
      startsAt: null,
      endsAt: null,
      usageLimit: null,
      used: 0,
      customerLimit: null,
      categories: [],
      skuCodes: [],
      disabledAt: null,
    },
    destination: { country: 'DE', region: null },
    taxRates: [...classes.map((taxClass, i) => ({ country: 'DE', region: '', taxClass, rateBps: rates[i] ?? 0 }))],
    zones: [
      {
        zone: 'all',
        countries: ['*'],
        options: [{ id: 'post', label: 'Post', amount: shipping, freeFrom: null, weightSteps: [] }],
      },
    ],
    shippingOptionId: null,
    now: 0,
    ...sale,
  })
}

export function ordered(given: Bought, pricing: Pricing) {
  const lines = pricing.lines.map(
    (one, i): OrderLine => ({
      ...one,
      code: `C${i}`,
      productSlug: `p${i}`,
      name: `Product ${i}`,
      options: [],
      image: null,
      quantity: given.lines[i]?.quantity ?? 0,
      fulfilled: 0,
      measure: null,
      withdrawalExempt: null,
    }),
  )
  const { shipping, totals } = pricing
  const order = {
    shipping: totals.shipping,
    shippingTax: shipping.tax,
    shippingTaxRateBps: shipping.taxRateBps,
    shippingTaxes: shipping.taxes,
    shippingChoice: shipping.optionId === null ? null : { optionId: 'post', label: 'Post', amount: shipping.amount },
    discount: totals.discount,
    tax: totals.tax,
    total: totals.total,
    priceTax: totals.taxIncluded ? ('included' as const) : ('excluded' as const),
  }
  return { order, lines }
}
