import assert from 'node:assert/strict'
import { test } from 'node:test'
import { product } from '../../../contract/open/samples.ts'
import { ucpProductView } from './product.ts'

test('a unit price has content and reference in one unit, from which its amount follows', () => {
  const price = { amount: 1_299, currency: 'EUR' }
  const unitPriceOf = (measure: object | null) => {
    const skus = product.skus.map((sku) => ({ ...sku, price, measure: measure as typeof sku.measure & null }))
    const { variants } = ucpProductView({ ...product, skus }, { url: undefined }) as { variants: object[] }
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
