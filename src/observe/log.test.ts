import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'

function logTo(write: (lines: string) => unknown) {
  return createLog({ level: 'info', pretty: false, write })
}

const parsed = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('lines are gathered, and warnings take along what came before them', () => {
  const writes: string[] = []
  const log = logTo((lines) => writes.push(lines))
  log.debug('too quiet')
  log.info('one')
  log.info('two')
  assert.deepEqual(writes, [])
  log.warn('three')
  assert.deepEqual(
    writes.map((lines) => parsed(lines).map(({ message }) => message)),
    [['one', 'two', 'three']],
  )
})

test('lines that nobody can take are dropped, counted, and told in a later line', () => {
  let isFull = true
  let taken = ''
  const log = logTo((lines) => {
    if (isFull) return false
    taken += lines
    return true
  })
  log.info('one')
  log.warn('two')
  log.flush()
  assert.deepEqual([log.dropped, taken], [2, ''])
  isFull = false
  log.warn('three')
  assert.deepEqual(
    parsed(taken).map(({ level, message, lines }) => [level, message, lines]),
    [
      ['warn', 'log lines were dropped', 2],
      ['warn', 'three', undefined],
    ],
  )
  log.warn('four')
  assert.equal(parsed(taken).length, 3)
  assert.equal(log.dropped, 2)
})

test('what was dropped is told at the end, if nothing came after it', () => {
  let isFull = true
  let taken = ''
  const log = logTo((lines) => {
    if (!isFull) taken += lines
    return !isFull
  })
  log.warn('lost')
  isFull = false
  log.flush()
  assert.deepEqual(
    parsed(taken).map(({ lines }) => lines),
    [1],
  )
})
