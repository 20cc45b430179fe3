import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveFor, onlyMove } from './lifecycle.ts'

const doorLifecycle = [
  ['build', null, 'open', 'door.built', null],
  ['shut', 'open', 'shut', null, null],
  ['lock', 'shut', 'locked', 'door.locked', 'key'],
  ['lock', 'open', 'locked', 'door.locked', 'key'],
] as const

test('moveFor returns the row of a verb and a status, and undefined for any other pair', () => {
  assert.deepEqual(moveFor(doorLifecycle, 'lock', 'open'), {
    from: 'open',
    to: 'locked',
    announces: 'door.locked',
    due: 'key',
  })
  assert.equal(moveFor(doorLifecycle, 'build', null)?.to, 'open')
  assert.equal(moveFor(doorLifecycle, 'build', 'open'), undefined)
  assert.equal(moveFor(doorLifecycle, 'shut', 'locked'), undefined)
})

test('the result has the type of the rows of its verb', () => {
  const event: 'door.locked' | undefined = moveFor(doorLifecycle, 'lock', 'shut')?.announces
  const debt: null = onlyMove(doorLifecycle, 'shut').due
  assert.deepEqual([event, debt], ['door.locked', null])
})

test('only a verb with exactly one row has a move that needs no status', () => {
  assert.deepEqual(onlyMove(doorLifecycle, 'shut'), { from: 'open', to: 'shut', announces: null, due: null })
  assert.throws(
    () => onlyMove(doorLifecycle, 'lock'),
    /the lifecycle table must have exactly one row for the verb lock/,
  )
})
