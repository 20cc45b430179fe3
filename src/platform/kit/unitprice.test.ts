import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { measureBases, measureUnits } from '../../contract/words.ts'
import { completeMeasure, isBaseOf, pricedMeasure, unitPriceFor } from './unitprice.ts'

test('a unit price is rounded half up in minor units', () => {
  const cases = [
    [{ amount: 250, unit: 'g', per: 'kg' }, 595, 2380],
    [{ amount: 250, unit: 'g', per: '100g' }, 595, 238],
    [{ amount: 75, unit: 'cl', per: 'l' }, 899, 1199],
    [{ amount: 750, unit: 'ml', per: '100ml' }, 899, 120],
    [{ amount: 3, unit: 'piece', per: 'piece' }, 100, 33],
    [{ amount: 8, unit: 'piece', per: 'piece' }, 100, 13],
    [{ amount: 200, unit: 'piece', per: 'piece' }, 99, 0],
    [{ amount: 53_300, unit: 'cm2', per: 'm2' }, 2999, 563],
    [{ amount: 50, unit: 'l', per: 'm3' }, 499, 9980],
    [{ amount: 1500, unit: 'mm', per: 'm' }, 450, 300],
  ] as const
  for (const [measure, price, expected] of cases) assert.equal(unitPriceFor(measure, price), expected)
})

test('a unit price is missing without a measure, or if it exceeds the largest safe integer', () => {
  assert.equal(pricedMeasure({ amount: 1, unit: 'mg', per: 'kg' }, 45_000_000_000), null)
  assert.equal(pricedMeasure(null, 100), null)
})

test('a measure has the usual base of its unit, and no base of another kind', () => {
  const usual = measureUnits.map((unit) => completeMeasure({ amount: 1, unit }).per)
  assert.deepEqual(usual, ['kg', 'kg', 'kg', 'l', 'l', 'l', 'l', 'm', 'm', 'm', 'm2', 'm2', 'piece'])
  assert.equal(isBaseOf({ amount: 1, unit: 'g', per: 'l' }), false)
  assert.equal(isBaseOf({ amount: 1, unit: 'm', per: 'm2' }), false)
  assert.equal(isBaseOf({ amount: 1, unit: 'l', per: 'm3' }), true)
})

test('a unit price is never more than half a minor unit from the exact quotient', () => {
  const measure = fc
    .record({
      amount: fc.integer({ min: 1, max: 1_000_000_000 }),
      unit: fc.constantFrom(...measureUnits),
      per: fc.constantFrom(...measureBases),
    })
    .filter(isBaseOf)
  const milli = { mg: 1, g: 1e3, kg: 1e6, ml: 1, cl: 10, l: 1e3, m3: 1e6, mm: 1, cm: 10, m: 1e3, cm2: 1, m2: 1e4 }
  const size = { ...milli, piece: 1, '100g': 1e5, '100ml': 100 }
  fc.assert(
    fc.property(measure, fc.integer({ min: 0, max: 45_000_000_000 }), (given, price) => {
      const found = unitPriceFor(given, price)
      if (found === undefined) return
      const whole = BigInt(given.amount) * BigInt(size[given.unit])
      const doubled = 2n * (BigInt(found) * whole - BigInt(price) * BigInt(size[given.per]))
      assert.ok(doubled > -whole && doubled <= whole)
    }),
  )
})
