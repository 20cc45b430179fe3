import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cardBrandOf, cardDigits, cardMethod, cardProblems, cardTexts, expiryEnd } from './card.ts'

const now = Date.parse('2026-06-15T12:00:00.000Z')
const good = { number: '4242 4242 4242 4242', expiry: '06/26', cvc: '123', name: 'Ada Lovelace' }
const pathsOf = (details: Record<string, string>) => cardProblems(details, now).map(({ path }) => path)

test('a card number may contain spaces, and must have a valid check digit', () => {
  for (const typed of ['4242424242424242', '4242 4242 4242 4242', '4242-4242-4242-4242'])
    assert.equal(cardDigits(typed), '4242424242424242', typed)
  assert.equal(cardDigits('378282246310005'), '378282246310005')
  for (const typed of [
    '',
    '4242424242424241',
    '4242',
    '0'.repeat(20),
    '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢',
    '4242424242424242x',
    '4242\n424242424242',
  ])
    assert.equal(cardDigits(typed), undefined, JSON.stringify(typed))
})

test('one wrong digit is always detected', () => {
  fc.assert(
    fc.property(fc.nat({ max: 15 }), fc.integer({ min: 1, max: 9 }), (at, by) => {
      const digits = '4242424242424242'
      const wrong = digits.slice(0, at) + ((Number(digits[at]) + by) % 10) + digits.slice(at + 1)
      assert.equal(cardDigits(wrong), undefined)
    }),
  )
})

test('brands are recognized by their first digits', () => {
  const expected = { 4: 'visa', 51: 'mastercard', 55: 'mastercard', 2221: 'mastercard', 2720: 'mastercard' }
  for (const [digits, brand] of Object.entries({
    ...expected,
    34: 'amex',
    37: 'amex',
    6011: 'discover',
    65: 'discover',
  }))
    assert.equal(cardBrandOf(digits.padEnd(16, '0')), brand, digits)
  for (const digits of ['50', '56', '2220', '2721', '35', '9'])
    assert.equal(cardBrandOf(digits.padEnd(16, '0')), null, digits)
})

test('a card is valid until the end of its month in every time zone', () => {
  const end = Date.parse('2026-07-01T12:00:00.000Z')
  for (const typed of ['06/26', '6/26', '06 / 26', '06-26', '06/2026', '0626', ' 06/26 '])
    assert.equal(expiryEnd(typed), end, typed)
  assert.equal(expiryEnd('12/29'), Date.parse('2030-01-01T12:00:00.000Z'))
  for (const typed of ['', '00/26', '13/26', '06/1926', '06/126', '626', '26', '06.26', 'ab/cd', '06/26/01'])
    assert.equal(expiryEnd(typed), undefined, typed)
  assert.deepEqual(pathsOf({ ...good, expiry: '06/26' }), [])
  assert.deepEqual(cardProblems({ ...good, expiry: '05/26' }, now), [
    { path: '/expiry', messageKey: 'card.expiry.over' },
  ])
  assert.deepEqual(cardProblems(good, end - 1), [])
  assert.equal(cardProblems(good, end).length, 1)
})

test('each field has its own problems', () => {
  assert.deepEqual(pathsOf(good), [])
  assert.deepEqual(pathsOf({}), ['/number', '/expiry', '/cvc', '/name'])
  for (const cvc of ['12', '1234', '12a', '', '١٢٣']) assert.deepEqual(pathsOf({ ...good, cvc }), ['/cvc'], cvc)
  const amex = { ...good, number: '378282246310005' }
  assert.deepEqual(pathsOf(amex), ['/cvc'])
  assert.deepEqual(pathsOf({ ...amex, cvc: '1234' }), [])
  for (const name of ['', '  ', 'a\u0000b', 'x'.repeat(101)]) assert.deepEqual(pathsOf({ ...good, name }), ['/name'])
  for (const name of ['Ω', "O'Brien-Łukasz", '李']) assert.deepEqual(pathsOf({ ...good, name }), [])
})

test('problems have known messages, and never contain typed text', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...cardMethod.fields.map(({ name }) => name)), fc.string()),
      (details) => {
        for (const { path, messageKey } of cardProblems(details, now)) {
          assert.ok(Object.hasOwn(cardTexts.en, messageKey))
          assert.ok(cardMethod.fields.some(({ name }) => path === `/${name}`))
        }
      },
    ),
  )
})
