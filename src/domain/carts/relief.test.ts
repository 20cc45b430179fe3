// Prices of carts on which no tax is charged, to the cent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Bought, bought } from '../../../harness/bought.ts'
import { isWide } from '../../../harness/wide.ts'
import { type PricingFacts, priceCart } from './pricing.ts'
import { deductTax } from './tax.ts'

const classes = ['standard', 'reduced', 'zero']

function factsOf({ lines, priceTax, currency, rates, shipping, code }: Bought): PricingFacts {
  return {
    currency,
    priceTax,
    merchantCountry: 'DE',
    lines: lines.map((one, i) => ({
      ...one,
      ...{ skuId: `sku_${i}`, code: `C${i}`, weightGrams: null, delivery: 'shipped', categories: [] },
    })),
    promotion: code && {
      ...{ id: 'prm', code: 'X', name: 'X', type: code.type, value: code.value },
      currency: code.type === 'fixed_amount' ? currency : null,
      ...{ minimumSubtotal: null, startsAt: null, endsAt: null, usageLimit: null, used: 0, customerLimit: null },
      ...{ categories: [], skuCodes: [], disabledAt: null },
    },
    destination: { country: 'FR', region: null },
    taxRates: ['DE', 'FR'].flatMap((country) =>
      classes.map((taxClass, i) => ({ country, region: '', taxClass, rateBps: rates[i] ?? 0 })),
    ),
    zones: [
      {
        zone: 'all',
        countries: ['*'],
        options: [{ id: 'post', label: 'Post', amount: shipping, freeFrom: null, weightSteps: [] }],
      },
    ],
    shippingOptionId: null,
    now: 0,
  }
}

const reverse = { isVatRegistered: true, buyerVatCountry: 'FR' }
const cart: Bought = {
  lines: [
    { unitPrice: 11_900, quantity: 1, taxClass: 'standard' },
    { unitPrice: 999, quantity: 3, taxClass: 'reduced' },
  ],
  priceTax: 'included',
  currency: 'EUR',
  rates: [1_900, 700, 0],
  shipping: 490,
  isShippedAtStandard: false,
  code: null,
  refunds: [],
}

test('if no tax is charged, prices that include tax are reduced by it, and the tax is rounded once per line', () => {
  const { lines, shipping, totals } = priceCart({ ...factsOf(cart), ...reverse })
  assert.deepEqual(
    lines.map(({ unitPrice, subtotal, tax, total, taxRateBps }) => [unitPrice, subtotal, tax, total, taxRateBps]),
    [
      [10_000, 10_000, 0, 10_000, 0],
      // The tax is subtracted from the whole line: 28.01, not three times 9.34.
      [934, 2_801, 0, 2_801, 0],
    ],
  )
  // 391 at 19 % and 99 at 7 %, in proportion to the goods: 62 and 6 of tax.
  assert.deepEqual(shipping.options, [{ id: 'post', label: 'Post', amount: 422 }])
  assert.deepEqual(totals, {
    ...{ subtotal: 12_801, discount: 0, shipping: 422, tax: 0, taxIncluded: false, total: 13_223 },
    taxReason: 'intra_community',
  })
})

test('if no tax is charged, prices that exclude tax stay unchanged', () => {
  const facts = factsOf({ ...cart, priceTax: 'excluded' })
  const charged = priceCart(facts)
  const { totals } = priceCart({ ...facts, ...reverse })
  assert.equal(totals.total, charged.totals.total - charged.totals.tax)
  assert.deepEqual([totals.tax, totals.taxReason, totals.taxIncluded], [0, 'intra_community', false])
})

test('a small business charges its prices without tax, even if tax rates are set', () => {
  for (const priceTax of ['included', 'excluded'] as const) {
    const { lines, totals } = priceCart({ ...factsOf({ ...cart, priceTax }), isSmallBusiness: true })
    assert.deepEqual([totals.total, totals.tax, totals.taxReason], [15_387, 0, 'small_business'])
    assert.ok(lines.every(({ taxRateBps }) => taxRateBps === 0))
  }
})

test("if the seller has no rates for the destination, prices are reduced by the tax of the seller's country", () => {
  const facts = { ...factsOf(cart), ...reverse }
  const taxRates = facts.taxRates.filter(({ country }) => country === 'DE')
  const { totals } = priceCart({ ...facts, taxRates })
  assert.deepEqual(totals, priceCart(facts).totals)
  const exported = priceCart({ ...facts, taxRates, destination: { country: 'CH', region: null } })
  assert.deepEqual(exported.totals, { ...totals, taxReason: 'export' })
  // Prices of a tax class for which the destination has a rate are reduced by that rate, even if it is zero.
  const free = { country: 'FR', region: '', taxClass: 'reduced', rateBps: 0 }
  const mixed = priceCart({ ...facts, taxRates: [...taxRates, free] })
  assert.deepEqual(
    mixed.lines.map(({ total }) => total),
    [10_000, 2_997],
  )
  const none = priceCart({ ...facts, taxRates: [] })
  assert.deepEqual([none.totals.total, none.totals.tax], [15_387, 0])
})

test('the tax is subtracted from the whole line, not from each of a thousand small units', () => {
  const lines = [{ unitPrice: 3, quantity: 1_000, taxClass: 'standard' }]
  const facts = factsOf({ ...cart, lines, shipping: 0, rates: [2_000, 0, 0] })
  const [line] = priceCart({ ...facts, ...reverse }).lines
  assert.deepEqual([line?.unitPrice, line?.subtotal, line?.total], [2, 2_500, 2_500])
})

test('an export is not taxed and shows this reason, unless the seller has tax rates for the country', () => {
  const facts = { ...factsOf(cart), destination: { country: 'CH', region: null } }
  assert.equal(priceCart(facts).totals.taxReason, 'export')
  const taxRates = [...facts.taxRates, { country: 'CH', region: '', taxClass: 'standard', rateBps: 810 }]
  const { totals } = priceCart({ ...facts, taxRates })
  assert.equal(totals.taxReason, undefined)
  assert.ok(totals.tax > 0)
})

test('digital items are supplied in the country where the buyer is registered', () => {
  const facts = { ...factsOf({ ...cart, shipping: 0 }), destination: null }
  const digital = { ...facts, lines: facts.lines.map((line) => ({ ...line, delivery: 'digital' as const })) }
  assert.equal(priceCart({ ...digital, ...reverse }).totals.taxReason, 'reverse_charge')
  // If a cart has items of both kinds, the reason is that of the shipped goods.
  const both = digital.lines.map((line, i) => (i === 0 ? line : { ...line, delivery: 'shipped' as const }))
  const sent = priceCart({ ...digital, lines: both, ...reverse, destination: { country: 'FR', region: null } })
  assert.equal(sent.totals.taxReason, 'intra_community')
  // As long as shipped items have no address, there is no reason.
  assert.equal(priceCart({ ...facts, ...reverse }).totals.taxReason, undefined)
})

test('a buyer who owes the tax never pays more, sums add up, and free items stay free', () => {
  fc.assert(
    fc.property(bought, (given) => {
      const facts = factsOf(given)
      const charged = priceCart(facts)
      const { lines, shipping, totals, promotion } = priceCart({ ...facts, ...reverse })
      const sum = (of: (line: (typeof lines)[number]) => number) => lines.reduce((whole, line) => whole + of(line), 0)
      assert.equal(totals.tax, 0)
      assert.equal(
        totals.subtotal,
        sum((line) => line.subtotal),
      )
      assert.equal(totals.discount, sum((line) => line.discount) + shipping.discount)
      assert.equal(totals.total, totals.subtotal - totals.discount + totals.shipping)
      assert.equal(promotion.state, charged.promotion.state)
      if (promotion.state === 'applied') assert.equal(promotion.amount, totals.discount)
      for (const [i, line] of lines.entries()) {
        const { quantity = 0, unitPrice = 0, taxClass = '' } = facts.lines[i] ?? {}
        const rate = given.rates[classes.indexOf(taxClass)] ?? 0
        const net = (amount: number) => (given.priceTax === 'included' ? deductTax(amount, rate) : amount)
        assert.deepEqual([line.unitPrice, line.subtotal], [net(unitPrice), net(unitPrice * quantity)])
        assert.ok(2 * Math.abs(line.subtotal - line.unitPrice * quantity) <= quantity)
        assert.equal(line.total, line.subtotal - line.discount)
        assert.ok(line.total >= 0 && line.discount >= 0)
        if (charged.lines[i]?.discount === 0) assert.equal(line.discount, 0)
        if (charged.lines[i]?.total === 0) assert.equal(line.total, 0)
      }
      assert.equal(totals.total, charged.totals.total - charged.totals.tax)
    }),
    { numRuns: isWide ? 5_000 : 300 },
  )
})
