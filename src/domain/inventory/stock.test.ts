import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mergeStockLines, noClaims, type StockRow, stockEventFor, usableQuantity } from './stock.ts'

const stockRow = (onHand: number, held: number): StockRow => ({
  merchantId: 'mer_1',
  skuId: 'sku_1',
  productId: 'prd_1',
  onHand,
  held,
  mode: 'live',
  whenSoldOut: 'refuse',
  retiredAt: null,
  stockVersion: 0,
  lowStockAt: 5,
})

describe('the units that an owner can use', () => {
  // biome-ignore format: a table reads best with one row a line
  const rows = [
    // Columns: on hand, held, own, own lapsed, lapsed, usable.
    [10, 0, 0, 0, 0, 10, 'are all units if none is held'],
    [10, 4, 0, 0, 0,  6, 'exclude the units that others hold'],
    [10, 4, 4, 0, 0, 10, 'are those of its own hold and all free units'],
    [10, 9, 4, 0, 0,  5, 'are those of its own hold and those that others do not hold'],
    [10, 9, 0, 4, 0,  5, 'include the units of its own expired hold, which count as free'],
    [10, 9, 0, 0, 4,  5, 'include the units of expired holds of others'],
    [ 2, 4, 2, 0, 0,  2, 'are those of its own hold, even if more units are held than exist'],
    [ 2, 4, 0, 0, 0,  0, 'are none if others hold more units than exist'],
    [ 1, 4, 2, 0, 0,  1, 'are at most the stock, even if its own hold is larger'],
    [ 0, 0, 0, 0, 0,  0, 'are none without stock'],
  ] as const
  for (const [onHand, held, own, ownLapsed, lapsed, usable, sentence] of rows) {
    test(sentence, () => assert.equal(usableQuantity(stockRow(onHand, held), { own, ownLapsed, lapsed }), usable))
  }
  test('are the free units for an owner without a hold', () =>
    assert.equal(usableQuantity(stockRow(7, 3), noClaims), 4))
})

test('an event is announced when stock becomes low, depleted or replenished, and at no other change', () => {
  const quantities = [-2, 0, 1, 5, 6, 9]
  const announced = quantities.flatMap((before) =>
    quantities.flatMap((after) => {
      const kind = stockEventFor(before, after, 5)
      return kind ? [`${before} → ${after} ${kind.slice('inventory.'.length)}`] : []
    }),
  )
  assert.deepEqual(announced, [
    '-2 → 1 replenished',
    '-2 → 5 replenished',
    '-2 → 6 replenished',
    '-2 → 9 replenished',
    '0 → 1 replenished',
    '0 → 5 replenished',
    '0 → 6 replenished',
    '0 → 9 replenished',
    '1 → -2 depleted',
    '1 → 0 depleted',
    '5 → -2 depleted',
    '5 → 0 depleted',
    '6 → -2 depleted',
    '6 → 0 depleted',
    '6 → 1 low',
    '6 → 5 low',
    '9 → -2 depleted',
    '9 → 0 depleted',
    '9 → 1 low',
    '9 → 5 low',
  ])
  assert.equal(stockEventFor(1, 0, 0), 'inventory.depleted')
  assert.equal(stockEventFor(2, 1, 0), undefined)
})

test('lines with the same SKU are merged, and a line has at least one unit', () => {
  assert.deepEqual(
    mergeStockLines([
      { skuId: 'a', quantity: 1 },
      { skuId: 'b', quantity: 2 },
      { skuId: 'a', quantity: 3 },
    ]),
    [
      { skuId: 'a', quantity: 4 },
      { skuId: 'b', quantity: 2 },
    ],
  )
  for (const quantity of [0, -1, 1.5, Number.NaN]) assert.throws(() => mergeStockLines([{ skuId: 'a', quantity }]))
})
