import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrderLine, OrderRow } from '../orders/store.ts'
import { type NewItem, planEdit } from './plan.ts'

// Only what a plan reads.
const order = {
  ...{
    priceTax: 'excluded',
    taxRelief: 'reverse_charge',
    subtotal: 100,
    discount: 0,
    shipping: 0,
    shippingTax: 0,
    tax: 0,
  },
  ...{ total: 100, itemCount: 1, shippingTaxes: null, shippingChoice: null, promotion: null },
} as unknown as OrderRow

const item = {
  skuId: 'sku_1',
  code: 'CARD',
  productSlug: 'card',
  name: 'Card',
  options: [],
  image: null,
  measure: null,
}
const line: OrderLine = {
  ...{ ...item, withdrawalExempt: null, quantity: 1, fulfilled: 0, unitPrice: 100, subtotal: 100, discount: 0 },
  ...{ tax: 0, total: 100, taxRateBps: 0 },
}

test('tax is taken out of all units of a new item at once', () => {
  const pin: NewItem = { ...item, skuId: 'sku_2', withdrawalExempt: null, price: 3, rateBps: 0, containedBps: 2000 }
  const plan = planEdit({
    ...{ order, lines: [line], refunded: [], shipping: undefined },
    ...{ quantities: new Map([['sku_2', 1000]]), newItems: [pin] },
  })
  const [, added] = plan.lines
  assert.deepEqual([added?.unitPrice, added?.subtotal, added?.total], [2, 2500, 2500])
  assert.deepEqual([plan.order.total, plan.difference], [2600, 2500])
})
