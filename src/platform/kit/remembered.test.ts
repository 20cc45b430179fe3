import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reader } from '../storage/storage.ts'
import { rememberReads } from './remembered.ts'

const bounds = { keptBytesMax: 2_000, foundBytes: 500 }

function storageWith(state: { reads: number }) {
  return {
    read: <T>(work: (db: Reader) => Promise<T>): Promise<T> => {
      state.reads += 1
      return work({} as Reader)
    },
  }
}

test('a read value is reused for its key until the next commit', async () => {
  const state = { reads: 0 }
  const remembered = rememberReads<string>(storageWith(state), bounds)
  const read = (key: string, mark: number) => remembered(key, mark, async () => `${key} ${mark}`)
  assert.deepEqual([await read('a', 1), await read('a', 1), await read('b', 1), state.reads], ['a 1', 'a 1', 'b 1', 2])
  assert.deepEqual([await read('a', 2), await read('a', 2), state.reads], ['a 2', 'a 2', 3])
})

test('without a commit mark every call reads, and only few values are stored', async () => {
  const state = { reads: 0 }
  const remembered = rememberReads<number>(storageWith(state), bounds)
  for (const mark of [undefined, undefined]) await remembered('a', mark, async () => 1)
  assert.equal(state.reads, 2)
  for (const key of ['a', 'b', 'c', 'a']) await remembered(key, 1, async () => 1)
  assert.equal(state.reads, 6)
})
