import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitLinesToStock } from './replace.ts'
import type { Offer } from './store.ts'

const offer = (skuId: string, more: Partial<Offer> = {}): Offer => ({
  skuId,
  code: skuId.toUpperCase(),
  productId: 'prd',
  productSlug: 'product',
  name: skuId,
  options: [],
  image: null,
  price: 100,
  available: 5,
  whenSoldOut: 'refuse',
  maxPerOrder: 10,
  delivery: 'shipped',
  weightGrams: null,
  measure: null,
  withdrawalExempt: null,
  digital: false,
  taxClass: 'standard',
  isSold: true,
  ...more,
})

test('a cart gets as many units of each item as can be sold, with a note for each difference', () => {
  const few = offer('few')
  const offers = new Map([
    ['few', few],
    ['FEW', few],
    ['later', offer('later', { available: 0, whenSoldOut: 'backorder' })],
    ['none', offer('none', { available: 0 })],
    ['gone', offer('gone', { isSold: false })],
  ])
  const wanted = [
    { item: 'few', quantity: 3 },
    { item: 'FEW', quantity: 4 },
    { item: 'later', quantity: 11 },
    { item: 'none', quantity: 1 },
    { item: 'gone', quantity: 1 },
    { item: 'unknown', quantity: 1 },
  ]
  const { lines, notes } = fitLinesToStock(wanted, offers)
  assert.deepEqual(
    lines.map(({ offer: { skuId }, quantity }) => [skuId, quantity]),
    [
      ['few', 5],
      ['later', 10],
    ],
  )
  assert.deepEqual(notes, [
    { kind: 'left_out', item: 'unknown', name: null, reason: 'not_found', asked: 1 },
    { kind: 'adjusted', skuId: 'few', name: 'few', asked: 7, got: 5 },
    { kind: 'adjusted', skuId: 'later', name: 'later', asked: 11, got: 10 },
    { kind: 'left_out', item: 'none', name: 'none', reason: 'out_of_stock', asked: 1 },
    { kind: 'left_out', item: 'gone', name: 'gone', reason: 'item_unavailable', asked: 1 },
  ])
})
