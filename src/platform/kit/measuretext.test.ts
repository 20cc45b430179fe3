import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureText, measureTexts, readMeasure, typedMeasure } from './measuretext.ts'

test('typed measures are parsed, with the usual base quantity or another one', () => {
  const cases = [
    ['250 g', { amount: 250, unit: 'g', per: 'kg' }],
    ['250g/100g', { amount: 250, unit: 'g', per: '100g' }],
    ['0,75 l', { amount: 75, unit: 'cl', per: 'l' }],
    ['0.755 L / 100 ml', { amount: 755, unit: 'ml', per: '100ml' }],
    ['5.33 m²', { amount: 53_300, unit: 'cm2', per: 'm2' }],
    ['12 Stück', { amount: 12, unit: 'piece', per: 'piece' }],
    ['40 l / m³', { amount: 40, unit: 'l', per: 'm3' }],
  ] as const
  for (const [text, measure] of cases) {
    assert.deepEqual(typedMeasure(text), measure)
    assert.deepEqual(typedMeasure(measureText(measure)), measure)
  }
})

test('a text that is not a measure is refused', () => {
  for (const text of [
    'g',
    '0 g',
    '12',
    '-5 g',
    '250 g / l',
    '250 g / 30 g',
    '8 oz',
    '0.5 piece',
    '1 g / 1 g / 1 g',
    '9999999999 g',
  ])
    assert.equal(typedMeasure(text), undefined, text)
})

test('a measure is written in the units of Shopify and of Google, and read back as the same', () => {
  const area = { amount: 53_300, unit: 'cm2', per: 'm2' } as const
  assert.deepEqual(measureTexts(area, 'google'), { amount: '5.33', unit: 'sqm', baseAmount: '1', baseUnit: 'sqm' })
  assert.deepEqual(measureTexts(area, 'shopify'), { amount: '5.33', unit: 'm2', baseAmount: '1', baseUnit: 'm2' })
  assert.deepEqual(readMeasure(measureTexts(area, 'google'))?.measure, area)
  assert.deepEqual(readMeasure({ amount: '500', unit: 'ml', baseAmount: '1000', baseUnit: 'ml' }), {
    measure: { amount: 500, unit: 'ml', per: 'l' },
    hasOtherBase: false,
  })
  assert.deepEqual(readMeasure({ amount: '500', unit: 'ml', baseAmount: '75', baseUnit: 'cl' }), {
    measure: { amount: 500, unit: 'ml', per: 'l' },
    hasOtherBase: true,
  })
})
