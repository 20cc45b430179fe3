import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencyExponent, parseDecimal } from '../../../../platform/kit/money.ts'
import { mollieExponents, toMollieAmount } from './amounts.ts'

test('amounts are written with the decimals of Mollie’s list of currencies', () => {
  for (const [ours, code, theirs] of [
    [1_999, 'EUR', '19.99'],
    [5, 'EUR', '0.05'],
    [100_000, 'EUR', '1000.00'],
    [500, 'JPY', '500'],
    [5, 'ISK', '5'],
    [1_045, 'HUF', '10.45'],
    [80_045, 'TWD', '800.45'],
    [0, 'EUR', undefined],
    [-1, 'EUR', undefined],
    [0.5, 'EUR', undefined],
    [100, 'KWD', undefined],
    [100, 'XXX', undefined],
    [100, 'eur', undefined],
  ] as const)
    assert.equal(toMollieAmount(ours, code)?.value, theirs, `${ours} ${code}`)
})

test('the decimals at Mollie are those of ISO 4217, and written amounts can be parsed again', () => {
  for (const [code, exponent] of mollieExponents) {
    assert.equal(exponent, currencyExponent(code), code)
    for (const amount of [1, 10, 99, 100, 123_456, Number.MAX_SAFE_INTEGER])
      assert.equal(parseDecimal(toMollieAmount(amount, code)?.value ?? '', code), amount, code)
  }
})
