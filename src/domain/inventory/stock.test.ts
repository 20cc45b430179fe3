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
    // on hand, held, own, own lapsed, lapsed, usable
    [10, 0, 0, 0, 0, 10, 'all of what nobody holds'],
    [10, 4, 0, 0, 0,  6, 'what others do not hold'],
    [10, 4, 4, 0, 0, 10, 'its own and the rest'],
    [10, 9, 4, 0, 0,  5, 'its own and what others do not hold'],
    [10, 9, 0, 4, 0,  5, 'its own that is over, as anybody could'],
    [10, 9, 0, 0, 4,  5, 'what others held too long'],
    [ 2, 4, 2, 0, 0,  2, 'what was promised to it, where too much was promised'],
    [ 2, 4, 0, 0, 0,  0, 'nothing where too much was promised to others'],
    [ 1, 4, 2, 0, 0,  1, 'no more than there is'],
    [ 0, 0, 0, 0, 0,  0, 'nothing of nothing'],
  ] as const
  for (const [onHand, held, own, ownLapsed, lapsed, usable, sentence] of rows) {
    test(sentence, () => assert.equal(usableQuantity(stockRow(onHand, held), { own, ownLapsed, lapsed }), usable))
  }
  test('an owner without a claim can use the same units', () =>
    assert.equal(usableQuantity(stockRow(7, 3), noClaims), 4))
})

test('an event is announced exactly when a threshold is crossed', () => {
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

test('lines of one SKU are merged, and a line has at least one unit', () => {
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
