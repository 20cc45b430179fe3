import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { createLog } from './log.ts'

function logTo(write: (lines: string) => unknown) {
  return createLog({ level: 'info', pretty: false, write })
}

const parsed = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('a pretty-printed line of a request contains its caller', () => {
  const writes: string[] = []
  const log = createLog({ level: 'info', pretty: true, write: (lines) => writes.push(lines) })
  log.info('request', {
    requestId: 'req_1',
    callerId: 'key_1',
    operation: 'getPublicCart',
    method: 'GET',
    status: 404,
    code: 'cart_not_found',
    durationMs: 1.5,
  })
  log.flush()
  const [line = ''] = stripVTControlCharacters(writes.join('')).split('\n')
  assert.equal(line.slice('12:00:00.000 '.length), 'info  404 GET    getPublicCart cart_not_found 1.5 ms req_1 key_1')
})

test('lines are buffered, and a warning also writes the lines before it', () => {
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

test('lines that cannot be written are dropped, counted, and reported in a later line', () => {
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

test('dropped lines are reported at the end if no line came after them', () => {
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

test('an error is logged with its causes and its aggregated errors, and without other members', () => {
  let taken = ''
  const log = logTo((lines) => {
    taken += lines
  })
  const refused = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (email)=(ada@example.com)' })
  const nested = new AggregateError([new Error('deepest')], 'inner')
  const many = Array.from({ length: 12 }, (_, i) => new Error(`number ${i}`))
  log.error('failed', new AggregateError([new Error('outer', { cause: refused }), nested, 'text'], 'not all'))
  log.error('failed', new AggregateError(many, 'far too many'))
  // biome-ignore lint/suspicious/noExplicitAny: looked into as it was logged
  const [line, crowded] = parsed(taken) as any[]
  assert.equal(line.error.message, 'not all')
  const [first, second, third] = line.error.errors
  assert.deepEqual([first.message, first.cause.message, first.cause.code], ['outer', 'duplicate key', '23505'])
  assert.match(first.stack, /log\.test\.ts/)
  assert.deepEqual([second.message, second.errors[0].message, third], ['inner', 'deepest', "'text'"])
  assert.deepEqual([crowded.error.errors.length, crowded.error.moreErrors], [10, 2])
  assert.doesNotMatch(taken, /ada@example\.com/)
})
