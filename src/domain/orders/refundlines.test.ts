import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { amountOfUnits } from './refundlines.ts'

test('the parts of a line add up to the line in any division, and are never negative', () => {
  const line = fc.integer({ min: 1, max: 50 }).chain((quantity) =>
    fc.record({
      quantity: fc.constant(quantity),
      total: fc.integer({ min: 0, max: 45_000_000_000 * 99 }),
      cuts: fc.array(fc.integer({ min: 1, max: quantity }), { maxLength: 10 }),
    }),
  )
  fc.assert(
    fc.property(line, ({ quantity, total, cuts }) => {
      const ends = [...new Set([...cuts, quantity])].sort((a, b) => a - b)
      const parts = ends.map((end, i) => amountOfUnits({ total, quantity }, ends[i - 1] ?? 0, end - (ends[i - 1] ?? 0)))
      assert.ok(parts.every((part) => part >= 0))
      assert.equal(
        parts.reduce((sum, part) => sum + part, 0),
        total,
      )
    }),
  )
})
