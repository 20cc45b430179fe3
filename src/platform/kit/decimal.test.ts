import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isExactDecimal } from './decimal.ts'

test('a decimal is exact if a double restores its digits', () => {
  for (const [text, isExact] of [
    ['0.1', true],
    ['1.50', true],
    ['-0.0', true],
    ['1e-400', false],
    ['0.12345678901234', true],
    ['0.99999999999999999999', false],
    ['9007199254740992', true],
    ['9007199254740993', false],
    ['9.007199254740993e15', false],
  ] as const)
    assert.equal(isExactDecimal(text, Number(text)), isExact, text)
})
