import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  allocate,
  currencyCodes,
  currencyExponent,
  formatAmount,
  parseDecimal,
  roundHalfUpDivide,
  unitPriceOf,
} from './money.ts'

const amount = fc.nat({ max: Number.MAX_SAFE_INTEGER })

test('the decimals of currencies are those of ISO 4217', () => {
  const expected = {
    ...{ EUR: 2, USD: 2, GBP: 2, HUF: 2, IDR: 2, PKR: 2, AFN: 2, LBP: 2, MGA: 2, MRU: 2, IRR: 2, KPW: 2, XCG: 2 },
    ...{ JPY: 0, KRW: 0, ISK: 0, VND: 0, UYI: 0, XAF: 0, BHD: 3, IQD: 3, KWD: 3, TND: 3, CLF: 4, UYW: 4 },
  }
  for (const [code, exponent] of Object.entries(expected)) assert.equal(currencyExponent(code), exponent, code)
  for (const code of ['', 'eur', 'XXX', 'XAU', 'XDR', 'DEM', 'HRK', 'constructor']) {
    assert.equal(currencyExponent(code), undefined, code)
  }
})

test('the table has each currency once, and only known currencies', () => {
  const known = new Set(Intl.supportedValuesOf('currency'))
  // Codes of ISO 4217 that Intl does not list: units of account, and two new currencies.
  for (const code of 'BOV CHE CHW CLF COU MXV USN UYI UYW VED XAD'.split(' ')) known.add(code)
  assert.equal(new Set(currencyCodes).size, currencyCodes.length)
  assert.deepEqual(
    currencyCodes.filter((code) => !known.has(code)),
    [],
  )
})

test('amounts are formatted exactly, with the decimals of ISO 4217', () => {
  assert.equal(formatAmount(1999, 'EUR', 'en'), '€19.99')
  assert.equal(formatAmount(1999, 'EUR', 'de'), '19,99\u00a0€')
  assert.equal(formatAmount(5, 'HUF', 'en'), 'HUF\u00a00.05')
  assert.equal(formatAmount(1999, 'JPY', 'en'), '¥1,999')
  assert.equal(formatAmount(1, 'BHD', 'en'), 'BHD\u00a00.001')
  assert.equal(formatAmount(0, 'CLF', 'en'), 'CLF\u00a00.0000')
  assert.equal(formatAmount(-1999, 'USD', 'en'), '-$19.99')
  assert.equal(formatAmount(Number.MAX_SAFE_INTEGER, 'USD', 'en'), '$90,071,992,547,409.91')
  assert.equal(formatAmount(100, 'USD', 'not a locale'), '$1.00')
  assert.throws(() => formatAmount(1.5, 'USD', 'en'), RangeError)
  assert.throws(() => formatAmount(1, 'XXX', 'en'), RangeError)
})

test('a formatted amount is parsed to the same amount', () => {
  fc.assert(
    fc.property(amount, fc.constantFrom(...currencyCodes), (minor, currency) => {
      const digits = formatAmount(minor, currency, 'en').replace(/[^0-9.]/g, '')
      assert.equal(parseDecimal(digits.replace(/^\./, ''), currency), minor)
    }),
  )
})

test('a decimal number is parsed only if it is unambiguous', () => {
  assert.equal(parseDecimal('19.99', 'EUR'), 1999)
  assert.equal(parseDecimal('19.9', 'EUR'), 1990)
  assert.equal(parseDecimal('19', 'EUR'), 1900)
  assert.equal(parseDecimal('0', 'EUR'), 0)
  assert.equal(parseDecimal('1999', 'JPY'), 1999)
  assert.equal(parseDecimal('1.234', 'KWD'), 1234)
  assert.equal(parseDecimal('90071992547409.91', 'EUR'), Number.MAX_SAFE_INTEGER)
  const refused = [
    '',
    ' ',
    '.5',
    '5.',
    '1.234',
    '1,50',
    '1,000.00',
    '-1',
    '+1',
    '1e3',
    '0x10',
    '01',
    '1.5 ',
    '\n1',
    '1\n',
  ]
  for (const text of [...refused, '٣', '1_000', 'NaN', '90071992547409.92', '9'.repeat(40)]) {
    assert.equal(parseDecimal(text, 'EUR'), undefined, JSON.stringify(text))
  }
  assert.equal(parseDecimal('1.5', 'JPY'), undefined)
  assert.equal(parseDecimal('1', 'XXX'), undefined)
})

test('halves are rounded up, and no result is off by more than a half', () => {
  const cases: [bigint, bigint, bigint][] = [
    [1n, 2n, 1n],
    [-1n, 2n, 0n],
    [-3n, 2n, -1n],
    [3n, 2n, 2n],
    [1n, 3n, 0n],
    [2n, 3n, 1n],
    [-2n, 3n, -1n],
    [0n, 7n, 0n],
  ]
  for (const [numerator, denominator, expected] of cases) {
    assert.equal(roundHalfUpDivide(numerator, denominator), expected, `${numerator}/${denominator}`)
  }
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt({ min: 1n }), (numerator, denominator) => {
      const off = 2n * (roundHalfUpDivide(numerator, denominator) * denominator - numerator)
      assert.ok(-denominator < off && off <= denominator)
    }),
  )
  assert.throws(() => roundHalfUpDivide(1n, 0n), RangeError)
})

test('shares add up, are never negative, are in proportion to the weights, and are 0 for a weight of 0', () => {
  fc.assert(
    fc.property(
      amount,
      fc.array(fc.oneof(amount, fc.nat({ max: 3 })), { minLength: 1, maxLength: 100 }),
      (total, weights) => {
        const sum = weights.reduce((whole, weight) => whole + BigInt(weight), 0n)
        fc.pre(sum > 0n)
        const shares = allocate(total, weights)
        assert.equal(
          shares.reduce((whole, share) => whole + BigInt(share), 0n),
          BigInt(total),
        )
        for (const [i, share] of shares.entries()) {
          const weight = weights[i] as number
          assert.ok(share >= 0)
          if (weight === 0) assert.equal(share, 0)
          const off = BigInt(share) * sum - BigInt(total) * BigInt(weight)
          assert.ok(-sum < off && off < sum)
        }
      },
    ),
  )
})

test('the largest remainders are rounded up first, and equal ones in order', () => {
  assert.deepEqual(allocate(100, [1, 1, 1]), [34, 33, 33])
  assert.deepEqual(allocate(2, [1, 1, 1]), [1, 1, 0])
  assert.deepEqual(allocate(10, [0, 5, 0, 5]), [0, 5, 0, 5])
  assert.deepEqual(allocate(7, [1, 2, 4]), [1, 2, 4])
  assert.deepEqual(allocate(1, [1, 9]), [0, 1])
  assert.deepEqual(allocate(0, [0, 0]), [0, 0])
  assert.deepEqual(allocate(0, []), [])
  assert.throws(() => allocate(1, [0]), RangeError)
  assert.throws(() => allocate(1, []), RangeError)
  assert.throws(() => allocate(-1, [1]), RangeError)
  assert.throws(() => allocate(1, [0.5]), RangeError)
})

test('a unit price times the quantity equals the amount, with no more decimals than needed', () => {
  assert.deepEqual(unitPriceOf(2997, 999), { price: 3, moreDigits: 0 })
  assert.deepEqual(unitPriceOf(2518, 999), { price: 2521, moreDigits: 3 })
  assert.equal(formatAmount(2521, 'EUR', 'de', 3), '0,02521\u00a0€')
  assert.deepEqual(unitPriceOf(Number.MAX_SAFE_INTEGER, 7), { price: 1286742750677284, moreDigits: 0 })
  fc.assert(
    fc.property(fc.nat({ max: 10 ** 12 }), fc.integer({ min: 1, max: 100_000 }), (total, quantity) => {
      const { price, moreDigits } = unitPriceOf(total, quantity)
      const scale = 10n ** BigInt(moreDigits)
      assert.equal(roundHalfUpDivide(BigInt(price) * BigInt(quantity), scale), BigInt(total))
      assert.ok(moreDigits <= String(quantity).length)
      if (moreDigits === 0) return
      const fewer = roundHalfUpDivide((BigInt(total) * scale) / 10n, BigInt(quantity))
      assert.ok(roundHalfUpDivide(fewer * BigInt(quantity), scale / 10n) !== BigInt(total))
    }),
  )
})
