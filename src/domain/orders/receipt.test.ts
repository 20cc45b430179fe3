import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type PricingFacts, priceCart } from '../carts/pricing.ts'
import { buildReceipt } from './receipt.ts'
import type { OrderLine } from './store.ts'

const line = (name: string, changes: Partial<OrderLine>): OrderLine => ({
  skuId: name,
  code: name,
  productSlug: name,
  name,
  options: [],
  image: null,
  quantity: 1,
  fulfilled: 0,
  unitPrice: 0,
  subtotal: 0,
  discount: 0,
  tax: 0,
  total: 0,
  taxRateBps: 0,
  measure: null,
  withdrawalExempt: null,
  ...changes,
})

const order = {
  shipping: 490,
  shippingTax: 78,
  shippingTaxRateBps: 1900,
  shippingTaxes: null,
  shippingChoice: { optionId: 'standard', label: 'Post', amount: 490 },
  discount: 0,
  tax: 78,
  total: 490,
  priceTax: 'included' as const,
}

describe('a receipt', () => {
  test('sums up lines and shipping by tax rate, the highest first', () => {
    const sold = [
      line('book', { total: 1_070, tax: 70, taxRateBps: 700 }),
      line('mug', { total: 1_190, tax: 190, taxRateBps: 1900 }),
      line('stamp', { total: 100, taxRateBps: 0 }),
    ]
    const receipt = buildReceipt({ ...order, tax: 338, total: 2_850 }, sold)
    assert.deepEqual(receipt.rates, [
      { taxRateBps: 1900, net: 1_412, tax: 268, gross: 1_680 },
      { taxRateBps: 700, net: 1_000, tax: 70, gross: 1_070 },
      { taxRateBps: 0, net: 100, tax: 0, gross: 100 },
    ])
    assert.deepEqual(receipt.total, { net: 2_512, taxRateBps: null, tax: 338, gross: 2_850 })
  })

  test('has no sums by rate for an order from before tax rates were stored', () => {
    assert.equal(buildReceipt(order, [line('mug', { taxRateBps: null })]).rates, null)
    assert.equal(buildReceipt({ ...order, shippingTaxRateBps: null }, [line('mug', {})]).rates, null)
  })

  test('has a line for each tax rate of the shipping costs, which are included in the sums by rate', () => {
    const shippingTaxes = [
      { rateBps: 1900, amount: 300, tax: 48 },
      { rateBps: 700, amount: 190, tax: 12 },
    ]
    const sold = [line('book', { total: 1_070, tax: 70, taxRateBps: 700 })]
    const parts = { ...order, shippingTax: 60, shippingTaxRateBps: null, shippingTaxes, tax: 130, total: 1_560 }
    const { shipping, rates } = buildReceipt(parts, sold)
    assert.deepEqual(
      shipping.map(({ label, taxRateBps, gross }) => [label, taxRateBps, gross]),
      [
        ['Post', 1900, 300],
        ['Post', 700, 190],
      ],
    )
    assert.deepEqual(rates, [
      { taxRateBps: 1900, net: 252, tax: 48, gross: 300 },
      { taxRateBps: 700, net: 1_178, tax: 82, gross: 1_260 },
    ])
  })

  test('has no shipping line for an order without shipping, even if the tax rate of shipping is unknown', () => {
    const unshipped = { ...order, shipping: 0, shippingTax: 0, shippingTaxRateBps: null, shippingChoice: null }
    const { shipping, rates } = buildReceipt(unshipped, [line('song', { total: 119, tax: 19, taxRateBps: 1900 })])
    assert.deepEqual(shipping, [])
    assert.deepEqual(rates, [{ taxRateBps: 1900, net: 100, tax: 19, gross: 119 }])
  })

  for (const priceTax of ['included', 'excluded'] as const)
    test(`has sums by rate that add up to the total, with paid and with free shipping, tax ${priceTax}`, () => {
      const facts: PricingFacts = {
        currency: 'EUR',
        priceTax,
        merchantCountry: 'DE',
        lines: [
          {
            skuId: 'mug',
            code: 'mug',
            unitPrice: 999,
            quantity: 3,
            taxClass: 'standard',
            weightGrams: null,
            delivery: 'shipped',
            categories: [],
          },
        ],
        promotion: null,
        destination: { country: 'DE', region: null },
        taxRates: [{ country: 'DE', region: '', taxClass: 'standard', rateBps: 1900 }],
        zones: [
          {
            zone: 'germany',
            countries: ['DE'],
            options: [{ id: 'post', label: 'Post', amount: 490, freeFrom: null, weightSteps: [] }],
          },
        ],
        shippingOptionId: null,
        now: 0,
      }
      const priced = priceCart(facts)
      const { totals, shipping } = priced
      const sold = priced.lines.map((one) => line(one.skuId, { ...one, quantity: 3, unitPrice: 999 }))
      const given = {
        shipping: totals.shipping,
        shippingTax: shipping.tax,
        shippingTaxRateBps: shipping.taxRateBps,
        shippingTaxes: shipping.taxes,
        shippingChoice: { optionId: 'post', label: 'Post', amount: shipping.amount },
        discount: totals.discount,
        tax: totals.tax,
        total: totals.total,
        priceTax,
      }
      const receipt = buildReceipt(given, sold)
      const sum = (member: 'net' | 'tax' | 'gross') => receipt.rates?.reduce((all, rate) => all + rate[member], 0)
      assert.deepEqual([sum('gross'), sum('tax')], [totals.total, totals.tax])
      assert.equal(receipt.shipping[0]?.gross, priceTax === 'included' ? 490 : 583)
      const free = buildReceipt(
        {
          ...given,
          discount: 490,
          shippingTax: 0,
          tax: totals.tax - shipping.tax,
          total: totals.total - (receipt.shipping[0]?.gross ?? 0),
        },
        sold,
      )
      assert.deepEqual(free.shipping, [{ label: 'Post', net: 0, taxRateBps: 1900, tax: 0, gross: 0 }])
      assert.equal(
        free.rates?.reduce((all, { gross }) => all + gross, 0),
        totals.total - (receipt.shipping[0]?.gross ?? 0),
      )
    })
})
