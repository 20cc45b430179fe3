import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBase62, randomBase62, toBase62 } from './base62.ts'

test('numbers are written with a fixed width', () => {
  assert.equal(toBase62(0, 6), '000000')
  assert.equal(toBase62(61, 2), '0z')
  assert.equal(toBase62(62, 2), '10')
  assert.equal(toBase62(2 ** 32 - 1, 6), '4gfFC3')
  assert.throws(() => toBase62(62 ** 2, 2), RangeError)
  assert.throws(() => toBase62(-1, 2), RangeError)
  assert.throws(() => toBase62(1.5, 2), RangeError)
})

test('each character of random texts is about equally frequent', () => {
  const text = randomBase62(62_000)
  assert.equal(text.length, 62_000)
  assert.equal(isBase62(text), true)
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  assert.equal(counts.size, 62)
  // 1000 are expected, with a standard deviation of 31. A deviation of eight times as much practically never happens.
  for (const [character, count] of counts) assert.ok(count > 750 && count < 1250, `${character}: ${count}`)
})

test('only digits and letters are accepted as base62', () => {
  assert.equal(isBase62('azAZ09'), true)
  for (const text of ['', '-', '_', 'a b', 'a\n', 'é']) assert.equal(isBase62(text), false, JSON.stringify(text))
})
