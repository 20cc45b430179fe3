import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsAfterPress } from './storerows.ts'

test('a row can be moved up, down and removed, but not out of the list', () => {
  const rows = ['a', 'b', 'c']
  assert.deepEqual(rowsAfterPress(rows, 'up 2'), ['a', 'c', 'b'])
  assert.deepEqual(rowsAfterPress(rows, 'down 0'), ['b', 'a', 'c'])
  assert.deepEqual(rowsAfterPress(rows, 'remove 1'), ['a', 'c'])
  for (const pressed of ['up 0', 'down 2', 'remove 3', 'up -1', 'up x', 'drop 1', ''])
    assert.equal(rowsAfterPress(rows, pressed), undefined, pressed)
  assert.deepEqual(rows, ['a', 'b', 'c'])
})
