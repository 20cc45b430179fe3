import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TaxRelief } from '../../contract/words.ts'
import { computeTax, convertPriceTax, type TaxedSale, taxRatesAt, taxReliefFor } from './tax.ts'

const rate = (country: string, region: string, taxClass: string, rateBps: number) => ({
  country,
  region,
  taxClass,
  rateBps,
})

const rates = [
  rate('DE', '', 'standard', 1900),
  rate('DE', '', 'reduced', 700),
  rate('CA', '', 'standard', 500),
  rate('CA', '', 'food', 0),
  rate('CA', 'QC', 'standard', 1498),
  rate('CA', 'NB', 'books', 500),
  rate('CA', 'ON', 'food', 1300),
  rate('FR', '', 'reduced', 550),
  rate('FR', '', 'shipping', 2000),
]

// biome-ignore format: a table is read by its rows
const places: [country: string, region: string | null, taxClass: string, rateBps: number, why: string][] = [
  ['DE', null,    'standard', 1900, 'the country'],
  ['DE', null,    'reduced',   700, 'the class'],
  ['DE', null,    'voucher',  1900, 'an unknown class pays the standard rate'],
  ['DE', 'BE',    'reduced',   700, 'a region without rates is the country'],
  ['CA', 'QC',    'standard', 1498, 'the region'],
  ['CA', 'qc',    'standard', 1498, 'letter case does not matter'],
  ['CA', ' QC ',  'standard', 1498, 'nor does space around it'],
  ['CA', 'CA-QC', 'standard', 1498, 'nor the country before it'],
  ['CA', 'ca-qc', 'standard', 1498, 'in either case'],
  ['CA', 'QC',    'food',        0, 'a class of the country comes before the standard rate of the region'],
  ['CA', 'QC',    'books',    1498, 'a class that only another region names pays the standard rate'],
  ['CA', 'QC',    'voucher',  1498, 'an unknown class pays the standard rate of the region'],
  ['CA', 'NB',    'books',     500, 'a class of the region'],
  ['CA', 'NB',    'food',        0, 'a class that the region does not name is left to the country'],
  ['CA', 'NB',    'standard',  500, 'and so is the standard rate'],
  ['CA', 'ON',    'food',     1300, 'a class of the region comes before the class of the country'],
  ['CA', '',      'standard',  500, 'an empty region is none'],
  ['CA', null,    'food',        0, 'a rate of 0 is a rate'],
  ['FR', null,    'reduced',   550, 'a class without a standard beside it'],
  ['FR', null,    'standard',    0, 'no standard rate: nothing'],
  ['FR', null,    'shipping', 2000, 'a class for shipping'],
  ['US', 'CA',    'standard',    0, 'a country without rates; the code of a region is not that of a country'],
]

test('the rate depends on country, region and tax class', () => {
  for (const [country, region, taxClass, rateBps, why] of places) {
    assert.equal(
      taxRatesAt(rates, { country, region }).rateFor(taxClass),
      rateBps,
      `${country} ${region} ${taxClass}: ${why}`,
    )
  }
})

test('a region may be stored in lower case', () => {
  assert.equal(
    taxRatesAt([rate('US', 'ca', 'standard', 725)], { country: 'US', region: 'CA' }).rateFor('standard'),
    725,
  )
})

// An included tax is amount × rate / (10000 + rate), an excluded one amount × rate / 10000.
// biome-ignore format: a table is read by its rows
const taxes: [amount: number, rateBps: number, included: number, excluded: number][] = [
  [6300,  1900, 1006, 1197], // 1005.88 and 1197
  [490,   1900,   78,   93], //   78.24 and   93.1
  [0,     1900,    0,    0],
  [6300,     0,    0,    0],
  [99,    2000,   17,   20], //   16.5: the half goes up; 19.8
  [33,    2000,    6,    7], //    5.5 and    6.6
  [2331,  2000,  389,  466], //  388.5 and  466.2
  [3,     2000,    1,    1], //    0.5 and    0.6
  [14,    1200,    2,    2], //    1.5 and    1.68
  [1,    10000,    1,    1], //    0.5 and    1
  [3,    10000,    2,    3], //    1.5 and    3
  [50,    1900,    8,   10], //    7.98 and   9.5
  [250,   1900,   40,   48], //   39.92 and  47.5
  [10,     500,    0,    1], //    0.48 and   0.5
  [21,     500,    1,    1], //    1    and   1.05
  [1,        1,    0,    0],
]

test('the tax on an amount is rounded once, half up', () => {
  for (const [amount, rateBps, included, excluded] of taxes) {
    assert.equal(computeTax(amount, rateBps, 'included'), included, `${amount} at ${rateBps} included`)
    assert.equal(computeTax(amount, rateBps, 'excluded'), excluded, `${amount} at ${rateBps} excluded`)
  }
})

const amount = fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 10_000_000 }), fc.nat({ max: Number.MAX_SAFE_INTEGER }))
const rateBps = fc.oneof(fc.constantFrom(0, 1, 700, 1900, 9999, 10_000), fc.nat({ max: 10_000 }))

test('a tax is at most half a unit from the exact tax, and never exceeds its base amount', () => {
  fc.assert(
    fc.property(amount, rateBps, (on, bps) => {
      const [whole, rate] = [BigInt(on), BigInt(bps)]
      const excluded = computeTax(on, bps, 'excluded')
      const offExcluded = 2n * (BigInt(excluded) * 10_000n - whole * rate)
      assert.ok(-10_000n < offExcluded && offExcluded <= 10_000n)

      const included = computeTax(on, bps, 'included')
      const offIncluded = 2n * (BigInt(included) * (10_000n + rate) - whole * rate)
      assert.ok(-(10_000n + rate) < offIncluded && offIncluded <= 10_000n + rate)

      for (const tax of [included, excluded]) assert.ok(tax >= 0 && tax <= on)
      assert.ok(included <= excluded)
    }),
    { numRuns: 2000 },
  )
})

test('a larger amount never has less tax, and each further unit adds at most one unit of tax', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: Number.MAX_SAFE_INTEGER - 1 }),
      rateBps,
      fc.constantFrom('included', 'excluded'),
      (on, bps, mode) => {
        const step = computeTax(on + 1, bps, mode) - computeTax(on, bps, mode)
        assert.ok(step === 0 || step === 1)
      },
    ),
    { numRuns: 2000 },
  )
})

test('the tax included in a net amount plus its tax equals the tax that was added', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1_000_000_000 }), rateBps, (net, bps) => {
      const tax = computeTax(net, bps, 'excluded')
      assert.equal(computeTax(net + tax, bps, 'included'), tax)
    }),
    { numRuns: 2000 },
  )
})

test('a price is converted between including and excluding tax', () => {
  const of = (price: number, priceTax: 'included' | 'excluded') => ({ price, rateBps: 700, priceTax })
  assert.deepEqual(
    [convertPriceTax('included', of(2995, 'excluded')), convertPriceTax('excluded', of(2995, 'included'))],
    [3205, 2799],
  )
  assert.deepEqual(
    [convertPriceTax('included', of(2995, 'included')), convertPriceTax('excluded', of(2995, 'excluded'))],
    [2995, 2995],
  )
})

test('the reason for not charging tax depends on seller, buyer and destination', () => {
  const sale: TaxedSale = {
    sellerCountry: 'DE',
    isSmallBusiness: false,
    isVatRegistered: true,
    buyerVatCountry: 'FR',
    place: { country: 'FR', region: null },
    isTaxedThere: true,
    isShipped: true,
  }
  const at = (country: string) => ({ place: { country, region: null } })
  const cases: [Partial<TaxedSale>, TaxRelief | null][] = [
    [{}, 'intra_community'],
    [{ isShipped: false }, 'reverse_charge'],
    // The same if the seller has no rates for that country.
    [{ isTaxedThere: false }, 'intra_community'],
    [at('AT'), 'intra_community'],
    [{ buyerVatCountry: null }, null],
    [{ isVatRegistered: false }, null],
    // No reason if the delivery is in the seller's country, or if the buyer is registered there.
    [at('DE'), null],
    [{ buyerVatCountry: 'DE' }, null],
    [{ place: null }, null],
    // Monaco counts as a part of France.
    [{ sellerCountry: 'FR', buyerVatCountry: 'DE', ...at('MC') }, null],
    [at('MC'), 'intra_community'],
    [{ ...at('CH'), isTaxedThere: false }, 'export'],
    [{ ...at('CH'), isTaxedThere: false, buyerVatCountry: null, isVatRegistered: false }, 'export'],
    // The seller has rates for that country too.
    [{ ...at('CH'), isTaxedThere: true }, null],
    [{ sellerCountry: 'US', ...at('FR') }, null],
    [{ sellerCountry: 'US', ...at('CA'), isTaxedThere: false }, null],
    [{ isSmallBusiness: true }, 'small_business'],
    [{ isSmallBusiness: true, ...at('DE'), buyerVatCountry: null }, 'small_business'],
  ]
  for (const [changes, expected] of cases)
    assert.equal(taxReliefFor({ ...sale, ...changes }), expected, JSON.stringify(changes))
})
