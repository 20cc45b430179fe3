// Every cart that shop files and the contract allow can be priced exactly: the bounds of amounts, rates, weights, lines and
// quantities were chosen for that.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { limits } from '../../contract/limits.ts'
import { readShopFile } from '../../ops/provisioning/read.ts'
import type { ShopFile } from '../../ops/provisioning/shopfile.ts'
import { type PricingFacts, priceCart } from './pricing.ts'

const { amountMax, taxRateBpsMax, weightGramsMax, cartLinesMax, quantityMax } = limits
const now = Date.parse('2026-06-01T12:00:00.000Z')

// A number up to the maximum, often the maximum itself.
const upTo = (max: number) => fc.oneof(fc.constant(max), fc.integer({ min: 0, max }))

const line = fc.record({
  unitPrice: upTo(amountMax),
  quantity: fc.oneof(fc.constant(quantityMax), fc.integer({ min: 1, max: quantityMax })),
  weightGrams: upTo(weightGramsMax),
  delivery: fc.constantFrom('shipped' as const, 'digital' as const),
})

const promotion = fc.record({
  type: fc.constantFrom('percentage' as const, 'fixed_amount' as const, 'free_shipping' as const),
  share: fc.integer({ min: 1, max: 10_000 }),
  amount: upTo(amountMax).map((amount) => Math.max(1, amount)),
  minimumSubtotal: fc.option(upTo(amountMax)),
})

const facts = fc
  .record({
    lines: fc.array(line, { minLength: 1, maxLength: cartLinesMax, size: 'max' }),
    rateBps: upTo(taxRateBpsMax),
    shipping: upTo(amountMax),
    freeFrom: fc.option(upTo(amountMax)),
    priceTax: fc.constantFrom('included' as const, 'excluded' as const),
    promotion: fc.option(promotion),
  })
  .map(
    (given): PricingFacts => ({
      currency: 'EUR',
      priceTax: given.priceTax,
      merchantCountry: 'DE',
      lines: given.lines.map((each, i) => ({
        ...each,
        skuId: `sku_${i}`,
        code: `C${i}`,
        taxClass: 'standard',
        categories: [],
      })),
      promotion: given.promotion && {
        id: 'prm_1',
        code: 'CODE',
        name: 'Code',
        type: given.promotion.type,
        value: given.promotion.type === 'percentage' ? given.promotion.share : given.promotion.amount,
        currency: 'EUR',
        minimumSubtotal: given.promotion.minimumSubtotal,
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
      taxRates: [{ country: 'DE', region: '', taxClass: 'standard', rateBps: given.rateBps }],
      zones: [
        {
          zone: 'all',
          countries: ['*'],
          options: [
            { id: 'post', label: 'Post', amount: given.shipping, freeFrom: given.freeFrom, weightSteps: [] },
            {
              id: 'steps',
              label: 'Steps',
              amount: 0,
              freeFrom: null,
              weightSteps: [{ upToGrams: weightGramsMax, amount: given.shipping }],
            },
          ],
        },
      ],
      shippingOptionId: null,
      now,
    }),
  )

test('the price of the largest possible cart is exact', () => {
  const [whole] = fc.sample(facts, 1)
  assert.ok(whole)
  const dear = {
    unitPrice: amountMax,
    quantity: quantityMax,
    weightGrams: weightGramsMax,
    delivery: 'shipped',
  } as const
  const { totals } = priceCart({
    ...whole,
    priceTax: 'excluded',
    promotion: null,
    lines: Array.from({ length: cartLinesMax }, (_, i) => ({
      ...dear,
      skuId: `sku_${i}`,
      code: `C${i}`,
      taxClass: 'standard',
      categories: [],
    })),
    taxRates: [{ country: 'DE', region: '', taxClass: 'standard', rateBps: taxRateBpsMax }],
    zones: [
      {
        zone: 'all',
        countries: ['*'],
        options: [{ id: 'post', label: 'Post', amount: amountMax, freeFrom: null, weightSteps: [] }],
      },
    ],
  })
  const net = BigInt(cartLinesMax) * BigInt(quantityMax) * BigInt(amountMax) + BigInt(amountMax)
  assert.equal(BigInt(totals.total), 2n * net)
  assert.ok(Number.isSafeInteger(totals.total))
})

test('the price of any cart within the limits is exact', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { totals, lines, shipping } = priceCart(given)
      const sum = (amounts: readonly number[]) => amounts.reduce((whole, amount) => whole + BigInt(amount), 0n)
      assert.equal(
        sum(given.lines.map(({ unitPrice, quantity }) => unitPrice * quantity)),
        BigInt(totals.subtotal),
        'the subtotal is the sum of the lines',
      )
      assert.equal(sum([...lines.map(({ tax }) => tax), shipping.tax]), BigInt(totals.tax))
      const due = BigInt(totals.subtotal) - BigInt(totals.discount) + BigInt(totals.shipping)
      assert.equal(BigInt(totals.total), totals.taxIncluded ? due : due + BigInt(totals.tax))
      for (const amount of Object.values(totals))
        if (typeof amount === 'number') assert.ok(Number.isSafeInteger(amount))
    }),
    { numRuns: 200 },
  )
})

const shop = {
  merchant: { slug: 'shop', name: 'Shop', currency: 'EUR', country: 'DE' },
  products: [{ slug: 'mug', name: 'Mug', skus: [{ code: 'MUG', price: amountMax - 1, compareAtPrice: amountMax }] }],
  taxes: [{ country: 'DE', rate: taxRateBpsMax }],
  shipping: [
    {
      zone: 'all',
      countries: ['*'],
      options: [
        {
          id: 'post',
          label: 'Post',
          amount: amountMax,
          freeFrom: amountMax,
          weightSteps: [{ upToGrams: weightGramsMax, amount: amountMax }],
        },
      ],
    },
  ],
  promotions: [{ code: 'X', name: 'X', type: 'fixed_amount', amount: amountMax, minimumSubtotal: amountMax }],
} satisfies ShopFile

// biome-ignore format: a table is read by its rows
const beyond: readonly [path: string, bound: number][] = [
  ['/products/0/skus/0/price',                              amountMax],
  ['/products/0/skus/0/compareAtPrice',                     amountMax],
  ['/products/0/skus/0/weightGrams',                        weightGramsMax],
  ['/taxes/0/rate',                                         taxRateBpsMax],
  ['/shipping/0/options/0/amount',                          amountMax],
  ['/shipping/0/options/0/freeFrom',                        amountMax],
  ['/shipping/0/options/0/weightSteps/0/amount',            amountMax],
  ['/shipping/0/options/0/weightSteps/0/upToGrams',         weightGramsMax],
  ['/promotions/0/amount',                                  amountMax],
  ['/promotions/0/minimumSubtotal',                         amountMax],
]

test('a shop file may contain values up to their limits', () => {
  assert.ok('file' in readShopFile(JSON.stringify(shop), now))
})

for (const [path, bound] of beyond) {
  test(`a shop file with a value above its limit is refused at ${path}`, () => {
    const file = structuredClone(shop)
    const steps = path.slice(1).split('/')
    const last = steps.pop() as string
    const place = steps.reduce((value, step) => (value as Record<string, object>)[step] as object, file as object)
    Object.assign(place, { [last]: bound + 1 })
    const read = readShopFile(JSON.stringify(file), now)
    assert.ok('problems' in read)
    assert.deepEqual(
      read.problems.map((problem) => problem.path),
      [path],
    )
    assert.match(read.problems[0]?.message ?? '', new RegExp(`^must be an integer from [01] to ${bound}( or null)?$`))
  })
}
