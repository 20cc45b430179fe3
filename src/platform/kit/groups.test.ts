import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inWeights, splitIntoGroups } from './groups.ts'

test('groups of a list contain every item once, in its order', () => {
  assert.deepEqual([...splitIntoGroups([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]])
  assert.deepEqual([...splitIntoGroups([], 2)], [])
})

test('groups by weight are as long as possible, and an item that is too heavy is a group of its own', () => {
  const parts = (weights: readonly number[]) => [...inWeights(weights, 5, (weight) => weight)]
  assert.deepEqual(parts([2, 3, 1, 4, 1]), [[2, 3], [1, 4], [1]])
  assert.deepEqual(parts([9, 1, 9, 9]), [[9], [1], [9], [9]])
  assert.deepEqual(parts([]), [])
})
