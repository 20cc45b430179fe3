import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { currencyCodes, currencyExponent, formatAmount } from '../../../../platform/kit/money.ts'
import {
  fromStripeAmount,
  isTakenByStripe,
  stripeCurrencies,
  stripeExponent,
  stripeMinimum,
  toStripeAmount,
} from './amounts.ts'

const currency = fc.constantFrom(...stripeCurrencies)
const amount = fc.oneof(fc.nat({ max: 99_999_999 }), fc.maxSafeNat())

test('amounts are converted as in the examples of Stripe’s page about currencies', () => {
  for (const [ours, code, theirs] of [
    [1000, 'USD', 1000],
    [500, 'JPY', 500],
    [5, 'ISK', 500],
    [5, 'UGX', 500],
    [500, 'MGA', 5],
    [550, 'MGA', undefined],
    [5120, 'KWD', 5120],
    [5124, 'KWD', undefined],
    [1045, 'HUF', 1045],
    [80_045, 'TWD', 80_045],
    [100, 'IQD', undefined],
    [100, 'usd', undefined],
    [-1, 'USD', undefined],
    [0.5, 'USD', undefined],
    [Number.MAX_SAFE_INTEGER, 'ISK', undefined],
  ] as const)
    assert.equal(toStripeAmount(ours, code), theirs, `${ours} ${code}`)
})

test('fractions of a króna or a shilling are refused', () => {
  assert.equal(fromStripeAmount(501, 'ISK'), undefined)
  assert.equal(fromStripeAmount(550, 'UGX'), undefined)
  assert.equal(fromStripeAmount(5, 'MGA'), 500)
  assert.equal(fromStripeAmount(1, 'XXX'), undefined)
})

test('the decimals at Stripe differ from ISO 4217 in exactly three currencies', () => {
  assert.deepEqual(
    stripeCurrencies.filter((code) => stripeExponent(code) !== currencyExponent(code)),
    ['ISK', 'MGA', 'UGX'],
  )
  assert.equal(new Set(stripeCurrencies).size, stripeCurrencies.length)
  assert.deepEqual(
    stripeCurrencies.filter((code) => !currencyCodes.includes(code)),
    [],
  )
})

test("amounts below Stripe's minimum are refused", () => {
  for (const code of stripeCurrencies) {
    const minimum = stripeMinimum(code)
    if (minimum === undefined) continue
    assert.ok(isTakenByStripe(fromStripeAmount(minimum, code) ?? 0, code), code)
    assert.ok(!isTakenByStripe((fromStripeAmount(minimum, code) ?? 0) - 1, code), code)
  }
  assert.deepEqual(
    [isTakenByStripe(0, 'KWD'), isTakenByStripe(10, 'KWD'), stripeMinimum('XXX')],
    [false, true, undefined],
  )
})

test('an amount that is converted for Stripe converts back to the same amount', () => {
  fc.assert(
    fc.property(amount, currency, (ours, code) => {
      const theirs = toStripeAmount(ours, code)
      if (theirs === undefined) return
      assert.ok(Number.isSafeInteger(theirs))
      assert.equal(fromStripeAmount(theirs, code), ours)
    }),
  )
})

test('converted amounts have the same decimal value', () => {
  const decimal = (units: number, digits: number) =>
    `${units}`.padStart(digits + 1, '0').replace(new RegExp(`(\\d{${digits}})$`), '.$1')
  fc.assert(
    fc.property(fc.nat({ max: 99_999_999 }), currency, (ours, code) => {
      const theirs = toStripeAmount(ours, code)
      if (theirs === undefined) return
      const [one, other] = [decimal(ours, currencyExponent(code) ?? 0), decimal(theirs, stripeExponent(code) ?? 0)]
      assert.equal(Number(one), Number(other), `${formatAmount(ours, code, 'en')} and ${other} ${code}`)
    }),
  )
})

test('an amount of whole units can be converted in every currency', () => {
  fc.assert(
    fc.property(fc.nat({ max: 99_999 }), currency, (units, code) => {
      assert.notEqual(toStripeAmount(units * 10 ** (currencyExponent(code) ?? 0), code), undefined)
    }),
  )
})
