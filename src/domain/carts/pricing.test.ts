import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isWide } from '../../../harness/wide.ts'
import { limits } from '../../contract/limits.ts'
import { promotionTypes } from '../../contract/words.ts'
import type { Zone, ZoneOption } from '../../platform/kit/shipping.ts'
import { type PricedLineFacts, type Pricing, type PricingFacts, priceCart } from './pricing.ts'
import type { PromotionFacts } from './promotion.ts'

const now = Date.parse('2026-03-01T12:00:00.000Z')

function line(
  skuId: string,
  unitPrice: number,
  quantity: number,
  rest: Partial<PricedLineFacts> = {},
): PricedLineFacts {
  return {
    skuId,
    code: skuId.toUpperCase(),
    unitPrice,
    quantity,
    taxClass: 'standard',
    weightGrams: 500,
    delivery: 'shipped',
    categories: [],
    ...rest,
  }
}

function promotion(type: PromotionFacts['type'], value: number, rest: Partial<PromotionFacts> = {}): PromotionFacts {
  return {
    id: 'prm_1',
    code: 'CODE',
    name: 'A code',
    type,
    value,
    currency: null,
    minimumSubtotal: null,
    startsAt: null,
    endsAt: null,
    usageLimit: null,
    used: 0,
    customerLimit: null,
    categories: [],
    skuCodes: [],
    disabledAt: null,
    ...rest,
  }
}

function option(id: string, amount: number, rest: Partial<ZoneOption> = {}): ZoneOption {
  return { id, label: id, amount, freeFrom: null, weightSteps: [], ...rest }
}

const zone = (...options: ZoneOption[]): Zone => ({ zone: 'germany', countries: ['DE'], options })

const shop: PricingFacts = {
  currency: 'EUR',
  priceTax: 'included',
  merchantCountry: 'DE',
  lines: [],
  promotion: null,
  destination: { country: 'DE', region: null },
  taxRates: [
    { country: 'DE', region: '', taxClass: 'standard', rateBps: 1900 },
    { country: 'DE', region: '', taxClass: 'reduced', rateBps: 700 },
    { country: 'DE', region: '', taxClass: 'voucher', rateBps: 0 },
  ],
  zones: [zone(option('standard', 490), option('express', 990))],
  shippingOptionId: null,
  now,
}

// A cart in brief: lines as [subtotal, discount, tax, total], totals as [subtotal, discount, shipping, tax, total].
function brief({ lines, promotion, shipping, totals }: Pricing) {
  return {
    lines: lines.map((each) => [each.subtotal, each.discount, each.tax, each.total]),
    totals: [totals.subtotal, totals.discount, totals.shipping, totals.tax, totals.total],
    shipping: [shipping.optionId, shipping.amount, shipping.discount, shipping.tax],
    promotion: promotion.reason ?? promotion.state,
  }
}

describe('hand-calculated examples', () => {
  test('the example of the contract has the calculated amounts', () => {
    const facts = { ...shop, lines: [line('rose', 3500, 2)], promotion: promotion('percentage', 1000) }
    // 2 × 3500 = 7000; 10 % of it is 700. 6300 contains 6300 − 63000000/11900 (5294.12) = 1006 of tax, 490 contains 490 − 4900000/11900
    // (411.76 → 412) = 78; 1006 + 78 = 1084. 7000 − 700 + 490 = 6790.
    assert.deepEqual(priceCart(facts), {
      lines: [
        { skuId: 'rose', unitPrice: 3500, subtotal: 7000, discount: 700, tax: 1006, total: 6300, taxRateBps: 1900 },
      ],
      promotion: { state: 'applied', reason: null, amount: 700, allocations: [{ skuId: 'rose', amount: 700 }] },
      shipping: {
        optionId: 'standard',
        options: [
          { id: 'standard', label: 'standard', amount: 490 },
          { id: 'express', label: 'express', amount: 990 },
        ],
        amount: 490,
        discount: 0,
        tax: 78,
        taxRateBps: 1900,
        taxes: null,
      },
      totals: { subtotal: 7000, discount: 700, shipping: 490, tax: 1084, taxIncluded: true, total: 6790 },
    } satisfies Pricing)
  })

  test('the example of the contract has the calculated amounts if prices exclude tax', () => {
    const lines = [line('rose', 3500, 2)]
    const priced = priceCart({ ...shop, priceTax: 'excluded', lines, promotion: promotion('percentage', 1000) })
    // 6300 × 0.19 = 1197; 490 × 0.19 = 93.1 → 93; 6300 + 490 + 1290 = 8080.
    assert.deepEqual(brief(priced), {
      lines: [[7000, 700, 1197, 7497]],
      totals: [7000, 700, 490, 1290, 8080],
      shipping: ['standard', 490, 0, 93],
      promotion: 'applied',
    })
    assert.equal(priced.totals.taxIncluded, false)
  })

  test('amounts in yen have no minor units', () => {
    const facts: PricingFacts = {
      ...shop,
      currency: 'JPY',
      taxRates: [{ country: 'DE', region: '', taxClass: 'standard', rateBps: 1000 }],
      zones: [zone(option('standard', 600))],
      lines: [line('cup', 333, 3)],
      promotion: promotion('percentage', 1000),
    }
    // 999; 10 % is 99.9 → 100. Included: 899 − 8990000/11000 (817.27 → 817) = 82; 600 − 545.45 → 545 = 55.
    assert.deepEqual(brief(priceCart(facts)), {
      lines: [[999, 100, 82, 899]],
      totals: [999, 100, 600, 137, 1499],
      shipping: ['standard', 600, 0, 55],
      promotion: 'applied',
    })
    // Excluded: 89.9 → 90 and 60; 899 + 600 + 150.
    assert.deepEqual(brief(priceCart({ ...facts, priceTax: 'excluded' })), {
      lines: [[999, 100, 90, 989]],
      totals: [999, 100, 600, 150, 1649],
      shipping: ['standard', 600, 0, 60],
      promotion: 'applied',
    })
  })

  test('amounts in Bahraini dinars have three decimals', () => {
    const facts: PricingFacts = {
      ...shop,
      currency: 'BHD',
      taxRates: [{ country: 'DE', region: '', taxClass: 'standard', rateBps: 1000 }],
      zones: [zone(option('standard', 1000))],
      lines: [line('oud', 1250, 3), line('tea', 995, 1)],
      promotion: promotion('percentage', 1500),
    }
    // 3750 + 995 = 4745; 15 % is 711.75 → 712, of which 562.70 and 149.30: the remaining unit goes to the first line, so 563 and 149.
    // Included: 3187 − 2897.27 → 290; 846 − 769.09 → 77; 1000 − 909.09 → 91.
    assert.deepEqual(brief(priceCart(facts)), {
      lines: [
        [3750, 563, 290, 3187],
        [995, 149, 77, 846],
      ],
      totals: [4745, 712, 1000, 458, 5033],
      shipping: ['standard', 1000, 0, 91],
      promotion: 'applied',
    })
    // Excluded: 318.7 → 319; 84.6 → 85; 100.
    assert.deepEqual(brief(priceCart({ ...facts, priceTax: 'excluded' })), {
      lines: [
        [3750, 563, 319, 3506],
        [995, 149, 85, 931],
      ],
      totals: [4745, 712, 1000, 504, 5537],
      shipping: ['standard', 1000, 0, 100],
      promotion: 'applied',
    })
  })

  test('amounts in unidades de fomento have four decimals', () => {
    const facts: PricingFacts = {
      ...shop,
      currency: 'CLF',
      zones: [zone(option('standard', 250))],
      lines: [line('desk', 12_345, 1), line('nail', 1, 7)],
      promotion: promotion('fixed_amount', 5000, { currency: 'CLF' }),
    }
    // 12352; 5000 is distributed as 4997.17 and 2.83: the remaining unit goes to the second line, so 4997 and 3. Included: 7348 − 6174.79
    // → 1173; 4 − 3.36 → 1; 250 − 210.08 → 40.
    assert.deepEqual(brief(priceCart(facts)), {
      lines: [
        [12_345, 4997, 1173, 7348],
        [7, 3, 1, 4],
      ],
      totals: [12_352, 5000, 250, 1214, 7602],
      shipping: ['standard', 250, 0, 40],
      promotion: 'applied',
    })
    // Excluded: 1396.12 → 1396; 0.76 → 1; 47.5 → 48.
    assert.deepEqual(brief(priceCart({ ...facts, priceTax: 'excluded' })), {
      lines: [
        [12_345, 4997, 1396, 8744],
        [7, 3, 1, 5],
      ],
      totals: [12_352, 5000, 250, 1445, 9047],
      shipping: ['standard', 250, 0, 48],
      promotion: 'applied',
    })
  })

  test('each line is taxed by its own tax class', () => {
    const lines = [
      line('vase', 1999, 1),
      line('book', 1299, 2, { taxClass: 'reduced' }),
      line('gift', 2500, 1, { taxClass: 'voucher', delivery: 'digital' }),
      line('rare', 100, 1, { taxClass: 'luxury' }),
    ]
    // 1999 − 1679.83 → 319; 2598 − 2428.04 → 170; 0; 100 − 84.03 → 16 (an unknown class is standard).
    // Shipping by the goods that are sent: 490 × 2099 / 4697 = 218.97 → 219, of which 35; 271, of which 18.
    assert.deepEqual(brief(priceCart({ ...shop, lines })), {
      lines: [
        [1999, 0, 319, 1999],
        [2598, 0, 170, 2598],
        [2500, 0, 0, 2500],
        [100, 0, 16, 100],
      ],
      totals: [7197, 0, 490, 558, 7687],
      shipping: ['standard', 490, 0, 53],
      promotion: 'none',
    })
  })

  test('shipping has a tax class of its own if the destination sets one', () => {
    const taxRates = [...shop.taxRates, { country: 'DE', region: '', taxClass: 'shipping', rateBps: 700 }]
    // 490 − 4900000/10700 (457.94 → 458) = 32.
    assert.equal(priceCart({ ...shop, taxRates, lines: [line('rose', 3500, 1)] }).shipping.tax, 32)
  })

  test("the tax depends on the region, and without a destination on the merchant's country", () => {
    const facts: PricingFacts = {
      ...shop,
      currency: 'CAD',
      priceTax: 'excluded',
      merchantCountry: 'CA',
      lines: [line('sirup', 1000, 1, { delivery: 'digital' })],
      taxRates: [
        { country: 'CA', region: '', taxClass: 'standard', rateBps: 500 },
        { country: 'CA', region: 'QC', taxClass: 'standard', rateBps: 1498 },
      ],
    }
    const taxAt = (destination: PricingFacts['destination']) => priceCart({ ...facts, destination }).totals.tax
    assert.equal(taxAt({ country: 'CA', region: 'qc' }), 150) // 149.8
    assert.equal(taxAt({ country: 'CA', region: 'AB' }), 50)
    assert.equal(taxAt({ country: 'CA', region: null }), 50)
    assert.equal(taxAt({ country: 'FR', region: null }), 0)
    assert.equal(taxAt(null), 50)
  })

  test('a cart without a destination has no shipping costs yet', () => {
    assert.deepEqual(brief(priceCart({ ...shop, destination: null, lines: [line('rose', 3500, 2)] })), {
      lines: [[7000, 0, 1118, 7000]], // 7000 − 5882.35 → 1118
      totals: [7000, 0, 0, 1118, 7000],
      shipping: [null, 0, 0, 0],
      promotion: 'none',
    })
  })

  test('a cart for a country that is not served has no shipping options', () => {
    const priced = priceCart({ ...shop, destination: { country: 'JP', region: null }, lines: [line('rose', 3500, 1)] })
    assert.deepEqual(priced.shipping, {
      optionId: null,
      options: [],
      amount: 0,
      discount: 0,
      tax: 0,
      taxRateBps: null,
      taxes: null,
    })
  })

  test('a cart of digital items has no shipping options', () => {
    const lines = [line('gift', 2500, 1, { delivery: 'digital' })]
    const priced = priceCart({ ...shop, lines, shippingOptionId: 'standard' })
    assert.deepEqual(priced.shipping, {
      optionId: null,
      options: [],
      amount: 0,
      discount: 0,
      tax: 0,
      taxRateBps: null,
      taxes: null,
    })
    assert.equal(priced.totals.total, 2500)
  })

  test('an empty cart costs nothing', () => {
    assert.deepEqual(priceCart(shop), {
      lines: [],
      promotion: { state: 'none', reason: null, amount: 0, allocations: [] },
      shipping: { optionId: null, options: [], amount: 0, discount: 0, tax: 0, taxRateBps: null, taxes: null },
      totals: { subtotal: 0, discount: 0, shipping: 0, tax: 0, taxIncluded: true, total: 0 },
    })
  })

  test('a discount of the whole price, by percentage or amount, leaves a total of 0', () => {
    const lines = [line('gift', 2500, 1, { delivery: 'digital' }), line('card', 333, 3, { delivery: 'digital' })]
    for (const priceTax of ['included', 'excluded'] as const) {
      for (const code of [
        promotion('percentage', 10_000),
        promotion('fixed_amount', 3499, { currency: 'EUR' }),
        promotion('fixed_amount', 1_000_000, { currency: 'EUR' }),
      ]) {
        assert.deepEqual(brief(priceCart({ ...shop, priceTax, lines, promotion: code })), {
          lines: [
            [2500, 2500, 0, 0],
            [999, 999, 0, 0],
          ],
          totals: [3499, 3499, 0, 0, 0],
          shipping: [null, 0, 0, 0],
          promotion: 'applied',
        })
      }
    }
  })

  test('a line with price 0 gets no share of a discount, and a cart with total 0 no discount', () => {
    const lines = [line('sample', 0, 5), line('rose', 3500, 1)]
    const priced = priceCart({ ...shop, lines, promotion: promotion('percentage', 1000) })
    assert.deepEqual(brief(priced).lines, [
      [0, 0, 0, 0],
      [3500, 350, 503, 3150], // 3150 − 2647.06 → 503
    ])
    assert.deepEqual(priced.promotion.allocations, [{ skuId: 'rose', amount: 350 }])

    const free = priceCart({ ...shop, lines: lines.slice(0, 1), promotion: promotion('percentage', 1000) })
    assert.deepEqual(free.promotion, { state: 'applied', reason: null, amount: 0, allocations: [] })
  })

  test('if the remainders of lines are equal, the first lines get the remaining minor units', () => {
    const lines = [line('a', 100, 1), line('b', 100, 1), line('c', 100, 1)]
    const priced = priceCart({ ...shop, lines, promotion: promotion('fixed_amount', 100, { currency: 'EUR' }) })
    assert.deepEqual(
      priced.promotion.allocations.map(({ amount }) => amount),
      [34, 33, 33],
    )
  })
})

describe('promotions in a cart', () => {
  const lines = [
    line('rose', 3500, 2, { categories: ['roses', 'bouquets'] }),
    line('vase', 1999, 1, { code: 'VASE-1', categories: ['pottery'] }),
  ]
  const price = (code: PromotionFacts, rest: Partial<PricingFacts> = {}) =>
    priceCart({ ...shop, lines, promotion: code, ...rest })

  test('only eligible lines are discounted, and a fixed amount is limited to their price', () => {
    const byCategory = price(promotion('percentage', 1000, { categories: ['bouquets'] }))
    assert.deepEqual(byCategory.promotion.allocations, [{ skuId: 'rose', amount: 700 }])
    const byCode = price(promotion('fixed_amount', 5000, { currency: 'EUR', skuCodes: ['VASE-1'] }))
    assert.deepEqual(byCode.promotion.allocations, [{ skuId: 'vase', amount: 1999 }])
    const byEither = price(promotion('percentage', 1000, { categories: ['bouquets'], skuCodes: ['VASE-1'] }))
    assert.equal(byEither.promotion.amount, 900) // 899.9
  })

  test('free shipping subtracts the chosen option and its tax from the total, and still shows the amount of the option', () => {
    for (const [priceTax, total] of [
      ['included', 8999],
      ['excluded', 10_709], // 8999 + 1330 + 379.81 → 380
    ] as const) {
      const priced = price(promotion('free_shipping', 0), { shippingOptionId: 'express', priceTax })
      assert.deepEqual(priced.promotion, { state: 'applied', reason: null, amount: 990, allocations: [] })
      assert.deepEqual(brief(priced).shipping, ['express', 990, 990, 0])
      assert.deepEqual([priced.totals.shipping, priced.totals.discount, priced.totals.total], [990, 990, total])
    }
  })

  test('free shipping is pending while there are no shipping costs', () => {
    const code = promotion('free_shipping', 0)
    const free = [zone(option('standard', 490, { freeFrom: 8999 }))]
    const digital = lines.map((each) => ({ ...each, delivery: 'digital' as const }))
    for (const rest of [
      { destination: null },
      { destination: { country: 'JP', region: null } },
      { lines: digital },
      { zones: free },
    ]) {
      const priced = price(code, rest)
      assert.deepEqual(priced.promotion, {
        state: 'pending',
        reason: 'no_shipping_to_discount',
        amount: 0,
        allocations: [],
      })
      assert.deepEqual(priced.totals, price(code, { ...rest, promotion: null }).totals)
    }
  })

  // biome-ignore format: a table is read by its rows
  const refused: [reason: string, code: PromotionFacts, rest?: Partial<PricingFacts>][] = [
    ['disabled',               promotion('percentage', 1000, { disabledAt: now })],
    ['not_started',            promotion('percentage', 1000, { startsAt: now + 1 })],
    ['expired',                promotion('percentage', 1000, { endsAt: now })],
    ['usage_limit_reached',    promotion('percentage', 1000, { usageLimit: 5, used: 5 })],
    ['customer_limit_reached', promotion('percentage', 1000, { customerLimit: 1 }), { customerUses: 1 }],
    ['currency_mismatch',      promotion('fixed_amount', 1000, { currency: 'JPY' })],
    ['no_eligible_items',      promotion('percentage', 1000, { categories: ['plants'] })],
    ['no_eligible_items',      promotion('percentage', 1000), { lines: [] }],
    ['no_eligible_items',      promotion('free_shipping', 0, { skuCodes: ['OTHER'] })],
    ['minimum_not_met',        promotion('percentage', 1000, { minimumSubtotal: 9000 })],
  ]

  test('a code that does not apply changes nothing, and has a reason', () => {
    for (const [reason, code, rest] of refused) {
      const { promotion: told, ...money } = price(code, rest)
      assert.equal(told.reason, reason)
      assert.deepEqual([told.amount, told.allocations], [0, []], reason)
      const { promotion: none, ...bare } = price(code, { ...rest, promotion: null })
      assert.equal(none.state, 'none')
      assert.deepEqual(money, bare, reason)
    }
  })

  test('the minimum applies to the whole cart before the discount', () => {
    const code = promotion('percentage', 5000, { minimumSubtotal: 8999, categories: ['bouquets'] })
    assert.equal(price(code).promotion.state, 'applied')
  })

  test('a customer who is not known yet has not reached a limit', () => {
    assert.equal(price(promotion('percentage', 1000, { customerLimit: 1 })).promotion.state, 'applied')
  })
})

describe('shipping in a cart', () => {
  const stepped = option('standard', 490, {
    weightSteps: [
      { upToGrams: 1_000, amount: 490 },
      { upToGrams: 2_000, amount: 790 },
    ],
  })
  const weigh = (lines: PricedLineFacts[], ...options: ZoneOption[]) =>
    priceCart({ ...shop, lines, zones: [zone(...options)] }).shipping

  test('the weight is the sum of all shipped units', () => {
    const light = line('card', 100, 2, { weightGrams: 500 })
    assert.equal(weigh([light], stepped).amount, 490)
    assert.equal(weigh([light, line('dot', 1, 1, { weightGrams: 1 })], stepped).amount, 790)
    assert.equal(weigh([light, line('dot', 1, 9, { weightGrams: null })], stepped).amount, 490)
    assert.equal(weigh([light, line('file', 1, 9, { weightGrams: 900, delivery: 'digital' })], stepped).amount, 490)
  })

  test('a cart that is too heavy for the chosen option gets the first option that can carry it', () => {
    const heavy = [line('pot', 5000, 5)] // 2500 g
    const priced = priceCart({
      ...shop,
      lines: heavy,
      zones: [zone(stepped, option('freight', 4900))],
      shippingOptionId: 'standard',
    })
    assert.deepEqual(priced.shipping.options, [{ id: 'freight', label: 'freight', amount: 4900 }])
    assert.equal(priced.shipping.optionId, 'freight')
    assert.deepEqual(weigh(heavy, stepped), {
      optionId: null,
      options: [],
      amount: 0,
      discount: 0,
      tax: 0,
      taxRateBps: null,
      taxes: null,
    })
  })

  test('shipping that is free from a subtotal on uses the subtotal before any discount', () => {
    const zones = [zone(option('standard', 500, { freeFrom: 1000 }))]
    const facts: PricingFacts = { ...shop, zones, priceTax: 'excluded', lines: [line('rose', 1000, 1)] }
    const withCode = (code: PromotionFacts | null) => {
      const { amount } = priceCart({ ...facts, promotion: code }).shipping
      return [amount, priceCart({ ...facts, promotion: code }).totals.total]
    }
    assert.deepEqual(withCode(null), [0, 1190])
    assert.deepEqual(withCode(promotion('fixed_amount', 1, { currency: 'EUR' })), [0, 1189]) // 999 + 189.81 → 190
    assert.deepEqual(withCode(promotion('percentage', 5000)), [0, 595])
    const below = { ...facts, lines: [line('rose', 999, 1)], promotion: promotion('percentage', 5000) }
    assert.equal(priceCart(below).shipping.amount, 500)
  })
})

describe('amounts beyond the exact range', () => {
  const max = Number.MAX_SAFE_INTEGER

  test('the largest exact amount is calculated correctly', () => {
    const lines = [line('gold', max, 1, { delivery: 'digital' })]
    const priced = priceCart({ ...shop, lines, promotion: promotion('percentage', 1) })
    // 2^53 − 1 over 10000 is 900719925474.0991.
    assert.equal(priced.totals.total, max - 900_719_925_474)
  })

  test('a larger, fractional or negative amount throws an error', () => {
    const digital = { delivery: 'digital' } as const
    const beyond: Partial<PricingFacts>[] = [
      { lines: [line('gold', max, 2, digital)] },
      { lines: [line('gold', max, 1, digital), line('dust', 1, 1, digital)] },
      { lines: [line('gold', max, 1, digital), line('dust', 1, 1, digital), line('more', max, 1, digital)] },
      { lines: [line('gold', max, 1)] }, // and shipping
      { lines: [line('gold', max, 1, digital)], priceTax: 'excluded' }, // and tax
      { lines: [line('lead', 1, 2, { weightGrams: max })] },
      { lines: [line('half', 0.5, 1)] },
      { lines: [line('debt', -1, 1)] },
    ]
    for (const facts of beyond) assert.throws(() => priceCart({ ...shop, ...facts }), RangeError)
  })
})

// The tests from here on use random carts.

const runs = { numRuns: isWide ? 1_000 : 300 }
const manyRuns = { numRuns: isWide ? 5_000 : 1_500 }
const taxClasses = ['standard', 'reduced', 'zero', 'unnamed']
const categories = ['roses', 'bouquets', 'plants']
const small = fc.nat({ max: 20 })
const unitPrice = fc.oneof(small, fc.nat({ max: 20_000 }), fc.nat({ max: 10_000_000_000 }))

const lineOf = (price: fc.Arbitrary<number>) =>
  fc.record({
    unitPrice: price,
    quantity: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: limits.quantityMax })),
    taxClass: fc.constantFrom(...taxClasses),
    weightGrams: fc.option(fc.nat({ max: 50_000 })),
    delivery: fc.constantFrom('shipped', 'digital'),
    categories: fc.subarray(categories),
  })

const linesOf = (price: fc.Arbitrary<number>, minLength = 0): fc.Arbitrary<PricedLineFacts[]> =>
  fc
    .oneof(
      fc.array(lineOf(price), { minLength, maxLength: 8 }),
      fc.array(lineOf(price), { minLength, maxLength: limits.cartLinesMax }),
    )
    .map((lines) => lines.map((each, i) => ({ ...each, skuId: `sku_${i}`, code: `CODE-${i}` })))

const anyPromotion: fc.Arbitrary<PromotionFacts> = fc.record({
  id: fc.constant('prm_1'),
  code: fc.constant('CODE'),
  name: fc.constant('A code'),
  type: fc.constantFrom(...promotionTypes),
  value: fc.oneof(fc.nat({ max: 10_000 }), fc.nat({ max: 50 }), fc.nat({ max: 1_000_000_000 })),
  currency: fc.constantFrom('EUR', 'EUR', 'EUR', null, 'JPY'),
  minimumSubtotal: fc.option(fc.oneof(fc.nat({ max: 50_000 }), fc.nat({ max: 10_000_000_000 }))),
  startsAt: fc.option(fc.integer({ min: now - 3, max: now + 1 })),
  endsAt: fc.option(fc.integer({ min: now, max: now + 3 })),
  usageLimit: fc.option(fc.integer({ min: 2, max: 4 })),
  used: fc.nat({ max: 3 }),
  customerLimit: fc.constant(null),
  categories: fc.oneof(fc.constant([]), fc.subarray(categories)),
  skuCodes: fc.oneof(fc.constant([]), fc.subarray(['CODE-0', 'CODE-1', 'CODE-9'])),
  disabledAt: fc.constantFrom(null, null, null, now),
})

// A discount on items that applies to every random cart.
const holdingPromotion: fc.Arbitrary<PromotionFacts> = fc
  .oneof(
    fc.record({ type: fc.constant('percentage' as const), value: fc.nat({ max: 10_000 }) }),
    fc.record({
      type: fc.constant('fixed_amount' as const),
      value: fc.oneof(small, fc.nat({ max: 100_000 }), fc.nat({ max: 100_000_000_000 })),
    }),
  )
  .map(({ type, value }) => promotion(type, value, { currency: 'EUR' }))

// Later steps have higher limits and, as in real price lists, are never cheaper.
const risingSteps = fc
  .array(fc.record({ grams: fc.integer({ min: 1, max: 20_000 }), more: fc.nat({ max: 2_000 }) }), { maxLength: 4 })
  .map((steps) => {
    let [upToGrams, amount] = [0, 300]
    return steps.map(({ grams, more }) => {
      upToGrams += grams
      amount += more
      return { upToGrams, amount }
    })
  })

const shippingOption = (id: string): fc.Arbitrary<ZoneOption> =>
  fc.record({
    id: fc.constant(id),
    label: fc.constant(id),
    amount: fc.oneof(fc.constant(0), fc.nat({ max: 5_000 })),
    freeFrom: fc.option(fc.nat({ max: 50_000 })),
    weightSteps: risingSteps,
  })

const zones = fc
  .tuple(shippingOption('standard'), shippingOption('express'))
  .map((options): Zone[] => [zone(...options)])

const taxRates = fc
  .tuple(fc.nat({ max: 10_000 }), fc.nat({ max: 10_000 }), fc.option(fc.nat({ max: 10_000 })))
  .map(([standard, reduced, shipping]) => [
    { country: 'DE', region: '', taxClass: 'standard', rateBps: standard },
    { country: 'DE', region: 'BE', taxClass: 'reduced', rateBps: reduced },
    { country: 'DE', region: '', taxClass: 'reduced', rateBps: reduced },
    { country: 'DE', region: '', taxClass: 'zero', rateBps: 0 },
    ...(shipping === null ? [] : [{ country: 'DE', region: '', taxClass: 'shipping', rateBps: shipping }]),
  ])

const factsWith = (lines: fc.Arbitrary<PricedLineFacts[]>): fc.Arbitrary<PricingFacts> =>
  fc.record({
    currency: fc.constant('EUR'),
    priceTax: fc.constantFrom('included', 'excluded'),
    merchantCountry: fc.constant('DE'),
    lines,
    promotion: fc.option(fc.oneof(anyPromotion, holdingPromotion, fc.constant(promotion('free_shipping', 0)))),
    destination: fc.constantFrom(null, { country: 'DE', region: null }, { country: 'DE', region: 'be' }),
    taxRates,
    zones,
    shippingOptionId: fc.constantFrom(null, 'standard', 'express', 'gone'),
    now: fc.constant(now),
  })

const facts = factsWith(linesOf(unitPrice))

const total = (amounts: readonly number[]) => amounts.reduce((whole, amount) => whole + BigInt(amount), 0n)

// Every rule about sums, computed in BigInt, so the check itself is exact.
function assertSums({ lines, promotion, shipping, totals }: Pricing, from: PricingFacts): void {
  const big = (amount: number) => BigInt(amount)
  for (const [i, each] of lines.entries()) {
    const { unitPrice, quantity, skuId } = from.lines[i] as PricedLineFacts
    assert.equal(each.skuId, skuId)
    assert.equal(big(each.subtotal), big(unitPrice) * big(quantity))
    const added = totals.taxIncluded ? 0n : big(each.tax)
    assert.equal(big(each.total), big(each.subtotal) - big(each.discount) + added)
  }
  assert.equal(lines.length, from.lines.length)
  assert.equal(big(totals.subtotal), total(lines.map(({ subtotal }) => subtotal)))
  assert.equal(big(totals.discount), total([...lines.map(({ discount }) => discount), shipping.discount]))
  assert.equal(promotion.amount, totals.discount)
  assert.equal(totals.shipping, shipping.amount)
  assert.equal(big(totals.tax), total([...lines.map(({ tax }) => tax), shipping.tax]))
  assert.equal(totals.taxIncluded, from.priceTax === 'included')
  assert.equal(
    big(totals.total),
    big(totals.subtotal) - big(totals.discount) + big(totals.shipping) + (totals.taxIncluded ? 0n : big(totals.tax)),
  )
  // The total is exactly the sum of the lines and the shipping.
  const shippingTotal = big(shipping.amount) - big(shipping.discount) + (totals.taxIncluded ? 0n : big(shipping.tax))
  assert.equal(big(totals.total), total(lines.map((each) => each.total)) + shippingTotal)
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(numbersIn)
}

describe('invariants of every cart', () => {
  test('the random carts of these tests include every state and kind of shipping, and every reason except the limit per customer', () => {
    const seen = new Map<string, number>()
    for (const each of fc.sample(facts, { numRuns: 2000, seed: 1 })) {
      const { promotion: told, shipping } = priceCart(each)
      for (const mark of [
        told.reason ?? `${told.state} ${each.promotion?.type ?? ''}`,
        `${shipping.options.length} options`,
        shipping.amount > 0 ? 'paid shipping' : 'no shipping',
      ]) {
        seen.set(mark, (seen.get(mark) ?? 0) + 1)
      }
    }
    for (const mark of [
      ...['applied percentage', 'applied fixed_amount', 'applied free_shipping', 'none ', 'disabled', 'not_started'],
      ...['expired', 'usage_limit_reached', 'currency_mismatch', 'no_eligible_items', 'minimum_not_met'],
      ...['no_shipping_to_discount', '0 options', '1 options', '2 options', 'paid shipping', 'no shipping'],
    ]) {
      assert.ok((seen.get(mark) ?? 0) >= 10, `${mark}: ${seen.get(mark) ?? 0} of 2000`)
    }
  })

  test('the sums add up', () => {
    fc.assert(
      fc.property(facts, (each) => assertSums(priceCart(each), each)),
      runs,
    )
  })

  test('for any prices the sums add up or a RangeError is thrown', () => {
    const huge = fc.oneof(fc.nat({ max: Number.MAX_SAFE_INTEGER }), fc.nat({ max: 2 ** 46 }), unitPrice)
    const carts = factsWith(linesOf(huge, 1))
    const isExact = (each: PricingFacts) => {
      let priced: Pricing
      try {
        priced = priceCart(each)
      } catch (error) {
        assert.ok(error instanceof RangeError)
        return false
      }
      assertSums(priced, each)
      return true
    }
    fc.assert(
      fc.property(carts, (each) => {
        isExact(each)
      }),
      runs,
    )
    // A sample that is the same in every run shows that both happen.
    const sample = fc.sample(carts, { numRuns: 300, seed: 1 })
    const exact = sample.filter(isExact).length
    assert.ok(exact > 30 && exact < 270, `${exact} exact of ${sample.length}`)
  })

  test('every amount is a safe non-negative integer', () => {
    fc.assert(
      fc.property(facts, (each) => {
        for (const number of numbersIn(priceCart(each))) assert.ok(Number.isSafeInteger(number) && number >= 0)
      }),
      runs,
    )
  })

  test('allocations contain each discounted line once, in order, and never exceed the line', () => {
    fc.assert(
      fc.property(facts, (each) => {
        const { lines, promotion, shipping } = priceCart(each)
        assert.equal(
          total(promotion.allocations.map(({ amount }) => amount)),
          BigInt(promotion.amount) - BigInt(shipping.discount),
        )
        assert.deepEqual(
          promotion.allocations,
          lines.filter(({ discount }) => discount > 0).map(({ skuId, discount }) => ({ skuId, amount: discount })),
        )
        for (const { discount, subtotal } of lines) assert.ok(discount <= subtotal)
        if (promotion.state !== 'applied') assert.equal(promotion.amount, 0)
      }),
      runs,
    )
  })

  test('each allocation is within one unit of its exact share, and the largest remainders are rounded up', () => {
    fc.assert(
      fc.property(factsWith(linesOf(unitPrice, 1)), holdingPromotion, (each, code) => {
        const { lines } = priceCart({ ...each, promotion: code })
        const whole = total(lines.map(({ subtotal }) => subtotal))
        const discount = total(lines.map((priced) => priced.discount))
        fc.pre(whole > 0n)
        const shares = lines.map((priced) => {
          const exactShare = discount * BigInt(priced.subtotal)
          return { up: BigInt(priced.discount) - exactShare / whole, remainder: exactShare % whole }
        })
        for (const { up } of shares) assert.ok(up === 0n || up === 1n)
        // If the shares are sorted by remainder, those that were rounded up come first.
        const ranked = shares.toSorted((a, b) => (a.remainder === b.remainder ? 0 : a.remainder < b.remainder ? 1 : -1))
        const firstDown = ranked.findIndex(({ up }) => up === 0n)
        if (firstDown >= 0) assert.ok(ranked.slice(firstDown).every(({ up }) => up === 0n))
      }),
      runs,
    )
  })

  test('a tax never exceeds its base amount', () => {
    fc.assert(
      fc.property(facts, (each) => {
        const { lines, shipping } = priceCart(each)
        for (const { subtotal, discount, tax } of lines) assert.ok(tax <= subtotal - discount)
        assert.ok(shipping.tax <= shipping.amount - shipping.discount)
      }),
      runs,
    )
  })

  test('a code that was removed or does not apply leaves the price of the cart unchanged', () => {
    fc.assert(
      fc.property(facts, anyPromotion, (each, code) => {
        const bare = deepFreeze({ ...each, promotion: null })
        const before = priceCart(bare)
        const { promotion: told, ...money } = priceCart(deepFreeze({ ...bare, promotion: code }))
        assert.deepEqual(priceCart(bare), before)
        const { promotion: none, ...moneyBefore } = before
        assert.deepEqual(none, { state: 'none', reason: null, amount: 0, allocations: [] })
        if (told.state !== 'applied') assert.deepEqual(money, moneyBefore)
      }),
      runs,
    )
  })

  test('a code never raises the total or the tax, and never changes the shipping options or their costs', () => {
    let discounted = 0
    fc.assert(
      fc.property(facts, anyPromotion, (each, code) => {
        const [bare, coded] = [priceCart({ ...each, promotion: null }), priceCart({ ...each, promotion: code })]
        assert.ok(coded.totals.total <= bare.totals.total)
        assert.ok(coded.totals.tax <= bare.totals.tax)
        assert.deepEqual(coded.shipping.options, bare.shipping.options)
        assert.equal(coded.totals.shipping, bare.totals.shipping)
        if (coded.totals.total < bare.totals.total) discounted++
      }),
      manyRuns,
    )
    assert.ok(discounted > manyRuns.numRuns / 10, `${discounted} of ${manyRuns.numRuns} carts were discounted`)
  })

  test('a code never discounts more than the items cost, and discounts either all of the shipping costs or none', () => {
    fc.assert(
      fc.property(facts, anyPromotion, (each, code) => {
        const { shipping, totals } = priceCart({ ...each, promotion: code })
        assert.ok(totals.discount - shipping.discount <= totals.subtotal)
        assert.ok(shipping.discount === 0 || shipping.discount === shipping.amount)
      }),
      runs,
    )
  })

  test('the chosen option is an offered one with its amount, or none if none is offered', () => {
    fc.assert(
      fc.property(facts, (each) => {
        const { shipping } = priceCart(each)
        const wanted = shipping.options.find(({ id }) => id === each.shippingOptionId)
        const expected = wanted ?? shipping.options[0]
        assert.equal(shipping.optionId, expected?.id ?? null)
        assert.equal(shipping.amount, expected?.amount ?? 0)
      }),
      runs,
    )
  })
})

// A discount is distributed by the largest remainder, and among equal remainders by the order of the lines. Another order may therefore
// change which line gets a remaining unit, and the rounding of its tax, but nothing else.
describe('reordering the lines', () => {
  const shuffled = facts.chain((each) =>
    fc
      .shuffledSubarray([...each.lines], { minLength: each.lines.length })
      .map((lines): [PricingFacts, PricingFacts] => [each, { ...each, lines }]),
  )

  test('changes nothing in a cart without a discount on items', () => {
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        for (const code of [null, promotion('free_shipping', 0)]) {
          const [a, b] = [priceCart({ ...one, promotion: code }), priceCart({ ...other, promotion: code })]
          assert.deepEqual([a.totals, a.shipping, a.promotion], [b.totals, b.shipping, b.promotion])
        }
      }),
      runs,
    )
  })

  test('never changes subtotal, discount or shipping costs, nor the total if prices include tax', () => {
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        const [a, b] = [priceCart(one), priceCart(other)]
        assert.deepEqual(a.shipping, b.shipping)
        assert.equal(a.totals.subtotal, b.totals.subtotal)
        assert.equal(a.totals.discount, b.totals.discount)
        assert.equal(a.totals.total - b.totals.total, a.totals.taxIncluded ? 0 : a.totals.tax - b.totals.tax)
      }),
      runs,
    )
  })

  test('changes the tax by at most one unit for each line whose share of the discount changes', () => {
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        const [a, b] = [priceCart(one), priceCart(other)]
        const shares = new Map(b.lines.map(({ skuId, discount }) => [skuId, discount]))
        const moved = a.lines.filter(({ skuId, discount }) => shares.get(skuId) !== discount)
        assert.ok(Math.abs(a.totals.tax - b.totals.tax) <= moved.length)
      }),
      runs,
    )
  })
})

describe('more units of a line', () => {
  // The same cart with more units of one of its lines.
  const grown = (from: fc.Arbitrary<PricingFacts>) =>
    fc.tuple(from, fc.nat(), fc.integer({ min: 1, max: 50 })).map(([each, at, more]): [PricingFacts, PricingFacts] => {
      const index = at % each.lines.length
      const lines = each.lines.map((one, i) => (i === index ? { ...one, quantity: one.quantity + more } : one))
      return [each, { ...each, lines }]
    })
  const filled = factsWith(linesOf(unitPrice, 1))
  // Without free shipping above a threshold, and with options that carry any weight: then more units never lower the shipping costs.
  const plain = filled.map((each) => ({
    ...each,
    zones: each.zones.map((one) => ({ ...one, options: one.options.map(carriesAll) })),
  }))

  function carriesAll(each: ZoneOption): ZoneOption {
    const last = each.weightSteps.at(-1)
    if (!last) return { ...each, freeFrom: null }
    return { ...each, freeFrom: null, weightSteps: [...each.weightSteps, { ...last, upToGrams: 1_000_000_000_000 }] }
  }

  test('never lower the subtotal', () => {
    fc.assert(
      fc.property(grown(filled), ([less, more]) => {
        assert.ok(priceCart(more).totals.subtotal >= priceCart(less).totals.subtotal)
      }),
      runs,
    )
  })

  test('never lower shipping costs, tax or total if there is no promotion and no threshold, and shipping has the standard rate', () => {
    fc.assert(
      fc.property(grown(plain), ([less, more]) => {
        // The standard rate is used for shipping: if shipping were taxed like the goods, more goods with a low rate could lower its tax.
        const [a, b] = [less, more].map((each) => priceCart({ ...each, shippingTax: 'standard', promotion: null }))
        assert.ok(a && b)
        assert.ok(b.totals.shipping >= a.totals.shipping)
        assert.ok(b.totals.tax >= a.totals.tax)
        assert.ok(b.totals.total >= a.totals.total)
      }),
      runs,
    )
  })

  test('never lower a discount on items, nor the total if prices include tax', () => {
    fc.assert(
      fc.property(grown(plain), holdingPromotion, ([less, more], code) => {
        const [a, b] = [less, more].map((each) => priceCart({ ...each, priceTax: 'included', promotion: code }))
        assert.ok(a && b && b.totals.discount >= a.totals.discount)
        assert.ok(b.totals.total >= a.totals.total)
      }),
      runs,
    )
  })

  // The discount is distributed and rounded again, which can move two units to a line, and each line rounds its tax separately. The tax
  // on shipping depends on the goods, and can fall if more of them have a low rate.
  test('lower a discounted total, apart from the tax of shipping, by at most two minor units per line if prices exclude tax', () => {
    const besideShipping = ({ totals, shipping }: Pricing) => totals.total - shipping.tax
    fc.assert(
      fc.property(grown(plain), holdingPromotion, ([less, more], code) => {
        const [a, b] = [less, more].map((each) => priceCart({ ...each, priceTax: 'excluded', promotion: code }))
        assert.ok(a && b && besideShipping(b) >= besideShipping(a) - 2 * less.lines.length)
      }),
      runs,
    )
  })
})

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}

describe('discount and delivery that the merchant sets', () => {
  const rose = line('rose', 3333, 3)
  const card = line('card', 100, 1, { taxClass: 'reduced' })

  test('a manual discount is distributed exactly over all lines, before tax, and is not a promotion', () => {
    const terms = { discount: 1001, shipping: { label: 'Courier', amount: 690 } }
    const priced = priceCart({ ...shop, lines: [rose, card], terms })
    assert.deepEqual(brief(priced), {
      lines: [
        [9999, 991, 1438, 9008],
        [100, 10, 6, 90],
      ],
      // Shipping: 690 × 9999 / 10099 = 683.17 → 683, of which 109.05 → 109; 7 × 7 / 107 = 0.46 → 0.
      totals: [10_099, 1001, 690, 1553, 9788],
      shipping: ['own', 690, 0, 109],
      promotion: 'none',
    })
    assert.deepEqual([priced.promotion.amount, priced.promotion.allocations], [0, []])
  })

  test('a manual discount is at most the price of the items, and delivery is still charged', () => {
    const { totals } = priceCart({ ...shop, lines: [card], terms: { discount: 5000, shipping: null } })
    assert.deepEqual([totals.discount, totals.shipping, totals.total], [100, 490, 490])
  })

  test('a manual delivery price needs no zone, and is not charged if nothing is shipped', () => {
    const terms = { discount: 0, shipping: { label: 'Courier', amount: 690 } }
    const abroad = { country: 'NZ', region: null }
    // 6.90 contains 1.10 of German tax, which is not charged on an export.
    assert.equal(priceCart({ ...shop, lines: [rose], destination: abroad, terms }).totals.shipping, 580)
    const digital = line('song', 100, 1, { delivery: 'digital' })
    assert.equal(priceCart({ ...shop, lines: [digital], terms }).totals.shipping, 0)
  })
})
