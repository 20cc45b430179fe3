import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ReturnReason } from '../../contract/words.ts'
import type { OrderLine, RefundedLine } from '../orders/store.ts'
import { type ReturnRefundInput, returnRefundFor } from './amounts.ts'
import { returnableUnits } from './units.ts'

const line = (skuId: string, quantity: number, total: number, tax = 0): OrderLine => ({
  ...{ skuId, code: skuId, productSlug: 'p', name: skuId, options: [], image: null, quantity, fulfilled: quantity },
  ...{
    unitPrice: 0,
    subtotal: total,
    discount: 0,
    tax,
    total,
    taxRateBps: 1900,
    measure: null,
    withdrawalExempt: null,
  },
})
const express = { optionId: 'express', label: 'Express', amount: 990, cheapest: 490 }

function input(change: Partial<ReturnRefundInput> & { total?: number }): ReturnRefundInput {
  const lines = change.lines ?? [line('a', 3, 1000, 160), line('b', 1, 500, 80)]
  const sum = lines.reduce((all, { total }) => all + total, 0)
  return {
    order: { total: change.total ?? sum + 990, refunded: 0, shippingChoice: express },
    lines,
    before: [],
    items: [],
    reason: 'changed_mind',
    shipping: undefined,
    deduction: 0,
    ...change,
  }
}

describe('the refund of a return', () => {
  test('three thirds of 10.00 are 3.33, 3.33 and 3.34, each with its tax', () => {
    const before: RefundedLine[] = []
    const parts = [1, 2, 3].map(() => {
      const { amount, items } = returnRefundFor(input({ before, items: [{ skuId: 'a', quantity: 1 }] }))
      before.push({ skuId: 'a', quantity: 1, amount })
      return [amount, items[0]?.tax]
    })
    assert.deepEqual(parts, [
      [333, 53],
      [333, 53],
      [334, 54],
    ])
  })

  const all = [
    { skuId: 'a', quantity: 3 },
    { skuId: 'b', quantity: 1 },
  ]

  test('the withdrawal of the whole order refunds the cheapest delivery that was offered, not the express one', () => {
    assert.deepEqual(
      [returnRefundFor(input({ items: all })).shipping, returnRefundFor(input({ items: all })).amount],
      [490, 1990],
    )
  })

  test('a return of faulty or wrong goods refunds all of the delivery, and a partial return none of it unless requested', () => {
    const faults: ReturnReason[] = ['damaged', 'wrong_item', 'not_as_described']
    for (const reason of faults) assert.equal(returnRefundFor(input({ items: all, reason })).shipping, 990)
    const part = all.slice(0, 1)
    assert.equal(returnRefundFor(input({ items: part })).shipping, 0)
    assert.equal(returnRefundFor(input({ items: part, shipping: true })).shipping, 490)
    assert.equal(returnRefundFor(input({ items: all, shipping: false })).shipping, 0)
  })

  test('delivery is refunded once, and completely for an order whose offers were not stored', () => {
    const before = [{ skuId: '', quantity: 1, amount: 490 }]
    assert.equal(returnRefundFor(input({ items: all, before })).shipping, 0)
    const { cheapest: _, ...old } = express
    const order = { total: 2490, refunded: 0, shippingChoice: old }
    assert.equal(returnRefundFor(input({ items: all, order })).shipping, 990)
  })

  test('a deduction is distributed over the lines, which add up to the refund', () => {
    const { amount, items, shipping, deduction } = returnRefundFor(input({ items: all, deduction: 101 }))
    assert.deepEqual([amount, deduction, shipping], [1889, 101, 490])
    assert.equal(items.reduce((sum, one) => sum + one.amount, 0) + shipping, amount)
  })

  test('amounts that were refunded before are not refunded again', () => {
    const order = { total: 2490, refunded: 2000, shippingChoice: express }
    const { amount, capped, items, shipping } = returnRefundFor(input({ items: all, order }))
    assert.deepEqual([amount, capped, shipping], [490, 1500, 490])
    assert.deepEqual(
      items.map((one) => one.amount),
      [0, 0],
    )
  })

  test('in any order of refunds, no line is refunded more than was paid for it, and the order not more than its total', () => {
    let seed = 20_261_118
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    for (let round = 0; round < 400; round += 1) {
      const lines = Array.from({ length: 1 + random(4) }, (_, at) => {
        const total = random(10_000)
        return line(`s${at}`, 1 + random(7), total, Math.floor(total / 6))
      })
      const paidShipping = random(3) === 0 ? 0 : random(1500)
      const total = lines.reduce((sum, one) => sum + one.total, 0) + paidShipping
      const choice = { ...express, amount: paidShipping, cheapest: random(paidShipping + 1) }
      const before: RefundedLine[] = []
      let refunded = random(4) === 0 ? random(total + 1) : 0
      for (let step = 0; step < 12; step += 1) {
        const items = lines.flatMap(({ skuId, quantity }) => {
          const left = quantity - before.reduce((sum, one) => (one.skuId === skuId ? sum + one.quantity : sum), 0)
          const wanted = random(left + 1)
          return wanted > 0 ? [{ skuId, quantity: wanted }] : []
        })
        const order = { total, refunded, shippingChoice: choice }
        const deduction = random(3) === 0 ? random(500) : 0
        const refund = returnRefundFor({ ...input({ lines, before, items, deduction }), order })
        const sum = refund.items.reduce((all, one) => all + one.amount, 0) + refund.shipping
        assert.equal(sum, refund.amount, `round ${round}, step ${step}: lines and shipping are the refund`)
        assert.ok(refund.items.every(({ amount, tax }) => amount >= 0 && tax >= 0 && tax <= amount))
        for (const { skuId, quantity, amount } of refund.items) before.push({ skuId, quantity, amount })
        if (refund.shipping > 0) before.push({ skuId: '', quantity: 1, amount: refund.shipping })
        refunded += refund.amount
        assert.ok(refunded <= total)
      }
      for (const { skuId, total: paid } of lines)
        assert.ok(before.reduce((sum, one) => (one.skuId === skuId ? sum + one.amount : sum), 0) <= paid)
    }
  })
})

describe('the units of a line that can be returned', () => {
  const sent = { skuId: 'a', quantity: 3, fulfilled: 2 }
  const returned = (status: 'requested' | 'closed' | 'refused', quantity: number, received: number) => ({
    status,
    lines: [{ skuId: 'a', quantity, received }],
  })

  test('are only those that were shipped', () => {
    assert.equal(returnableUnits(sent, [], []), 2)
    assert.equal(returnableUnits({ ...sent, fulfilled: 0 }, [], []), 0)
  })

  test('exclude refunded units, and refunds count first for units that were not shipped', () => {
    assert.equal(returnableUnits(sent, [{ skuId: 'a', quantity: 1, amount: 1 }], []), 2)
    assert.equal(returnableUnits(sent, [{ skuId: 'a', quantity: 2, amount: 1 }], []), 1)
    assert.equal(returnableUnits(sent, [{ skuId: 'a', quantity: 3, amount: 1 }], []), 0)
  })

  test('are not those in an open return, and not those received in a closed one', () => {
    assert.equal(returnableUnits(sent, [], [returned('requested', 2, 0)]), 0)
    assert.equal(returnableUnits(sent, [], [returned('closed', 2, 1)]), 1)
    assert.equal(returnableUnits(sent, [], [returned('refused', 2, 0)]), 2)
  })

  test('are reduced once by units that were both returned and refunded', () => {
    const whole = { ...sent, fulfilled: 3 }
    assert.equal(returnableUnits(whole, [{ skuId: 'a', quantity: 1, amount: 1 }], [returned('closed', 1, 1)]), 2)
  })
})
