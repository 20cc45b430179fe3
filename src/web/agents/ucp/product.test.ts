import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productSample } from '../../../contract/open/samples.ts'
import { detailView, ucpProductView } from './product.ts'

test('the measure and the reference of a unit price have the same unit', () => {
  const price = { amount: 1_299, currency: 'EUR' }
  const unitPriceOf = (measure: object | null) => {
    const skus = productSample.skus.map((sku) => ({ ...sku, price, measure: measure as typeof sku.measure & null }))
    const { variants } = ucpProductView({ ...productSample, skus }, { url: undefined }) as { variants: object[] }
    return (variants[0] as { unit_price?: object }).unit_price
  }
  const at = (amount: number) => ({ price: { amount, currency: 'EUR' } })
  assert.deepEqual(unitPriceOf({ amount: 75, unit: 'cl', per: 'l', ...at(1_732) }), {
    ...{ amount: 1_732, currency: 'EUR' },
    measure: { value: 75, unit: 'cl' },
    reference: { value: 100, unit: 'cl' },
  })
  assert.deepEqual(unitPriceOf({ amount: 2, unit: 'kg', per: '100g', ...at(65) }), {
    ...{ amount: 65, currency: 'EUR' },
    measure: { value: 2_000, unit: 'g' },
    reference: { value: 100, unit: 'g' },
  })
  assert.equal(unitPriceOf(null), undefined)
})

test('the view of a single product contains only variants with the selected options, as far as such variants exist', () => {
  const [first] = productSample.skus
  assert.ok(first)
  const skuOf = (id: string, size: string, color: string, availability: typeof first.availability = 'in_stock') => ({
    ...{ ...first, id, availability },
    options: [
      { name: 'Size', value: size },
      { name: 'Color', value: color },
    ],
  })
  const skus = [skuOf('a', 'S', 'red', 'out_of_stock'), skuOf('b', 'S', 'blue'), skuOf('c', 'L', 'red')]
  const options = [
    { name: 'Size', values: ['S', 'L'] },
    { name: 'Color', values: ['red', 'blue'] },
  ]
  const shown = (selected: { name: string; label: string }[], preferences: string[] = []) => {
    const view = detailView({ ...productSample, skus, options }, { selected, preferences }, { url: undefined })
    const { variants, selected: effective } = view as { variants: { id: string }[]; selected: { label: string }[] }
    return [variants.map(({ id }) => id), effective.map(({ label }) => label)]
  }
  const size = (label: string) => ({ name: 'Size', label })
  const color = (label: string) => ({ name: 'Color', label })
  // Variants that can be bought come first.
  assert.deepEqual(shown([]), [
    ['b', 'c', 'a'],
    ['S', 'blue'],
  ])
  assert.deepEqual(shown([size('S')]), [['b', 'a'], ['S']])
  assert.deepEqual(shown([size('S'), color('red')]), [['a'], ['S', 'red']])
  assert.deepEqual(shown([size('L'), color('blue')], ['Color', 'Size']), [['b'], ['blue']])
})
