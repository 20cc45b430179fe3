import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inWeights, splitIntoGroups } from './groups.ts'

test('parts of a list hold every item once, in its order', () => {
  assert.deepEqual([...splitIntoGroups([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]])
  assert.deepEqual([...splitIntoGroups([], 2)], [])
})

test('parts by weight are as long as they may be, and an item that is too heavy stands alone', () => {
  const parts = (weights: readonly number[]) => [...inWeights(weights, 5, (weight) => weight)]
  assert.deepEqual(parts([2, 3, 1, 4, 1]), [[2, 3], [1, 4], [1]])
  assert.deepEqual(parts([9, 1, 9, 9]), [[9], [1], [9], [9]])
  assert.deepEqual(parts([]), [])
})
