import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, canonicalPieces } from './canonical.ts'

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  )
}

test('the order of the members does not matter, and everything else does', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = canonicalJson(value)
      assert.equal(canonicalJson(shuffled(value)), text)
      assert.equal([...canonicalPieces(shuffled(value))].join(''), text)
      assert.equal(canonicalJson(JSON.parse(text)), text)
    }),
  )
  assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]))
  assert.notEqual(canonicalJson({ a: null }), canonicalJson({}))
  assert.notEqual(canonicalJson('1'), canonicalJson(1))
})

test('the example of RFC 8785 gives the result in the RFC', () => {
  const value = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
      '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  )
  assert.equal(
    canonicalJson(value),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
  assert.equal(
    canonicalJson({ '\u20ac': 1, '\r': 2, '1': 3, '\u{1f600}': 4, ö: 5 }),
    '{"\\r":2,"1":3,"ö":5,"€":1,"😀":4}',
  )
})

test('a missing member equals an undefined one, and zero has no sign', () => {
  assert.equal(canonicalJson({ b: undefined, a: 1 }), '{"a":1}')
  assert.equal(canonicalJson(-0), '0')
})

test('values that JSON cannot represent throw', () => {
  for (const value of [undefined, 1n, Number.NaN, Number.POSITIVE_INFINITY, Symbol('s'), () => 1, [undefined]]) {
    assert.throws(() => canonicalJson(value), TypeError)
  }
  let deep: unknown = 1
  for (let i = 0; i < 33; i++) deep = [deep]
  assert.throws(() => canonicalJson(deep), RangeError)
})

test('the pieces of a long text add up to the whole, wherever it has surrogate pairs', () => {
  for (const before of [65_534, 65_535, 65_536]) {
    const value = {
      b: ['x'.repeat(before), `${'\n'.repeat(before)}\u{1f600}`, `${'é'.repeat(before)}\u{1f600}y`],
      a: undefined,
    }
    assert.equal([...canonicalPieces(value)].join(''), canonicalJson(value))
  }
})
