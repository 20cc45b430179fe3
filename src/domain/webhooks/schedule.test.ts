import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aheadMaxFor,
  attemptsMax,
  breakerPauseMs,
  deliveryWaitsMs,
  inFlightMaxFor,
  isGivenUp,
  parseRetryAfter,
  waitMsAfter,
} from './schedule.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

test('the schedule of attempts is the documented one', () => {
  // biome-ignore format: a table reads best in one line
  const documented = [0, 5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day, day]
  assert.deepEqual([...deliveryWaitsMs], documented)
  assert.equal(attemptsMax, 12)
})

const ids = Array.from({ length: 200 }, (_, number) => `whd_${number}`)

test('jitter makes a wait longer by at most a fifth, and is the same for the same attempt', () => {
  for (let attempts = 1; attempts < attemptsMax; attempts += 1) {
    const base = deliveryWaitsMs[attempts] as number
    const waits = ids.map((id) => waitMsAfter(id, attempts, null) as number)
    assert.ok(
      waits.every((wait) => wait >= base && wait <= base * 1.2),
      `attempt ${attempts}`,
    )
    assert.ok(Math.max(...waits) > base * 1.15 && Math.min(...waits) < base * 1.05, 'it is spread')
    assert.deepEqual(
      waits,
      ids.map((id) => waitMsAfter(id, attempts, null)),
    )
  }
  assert.notEqual(waitMsAfter('whd_1', 10, null), waitMsAfter('whd_1', 11, null), 'the attempts of one differ')
})

test('there is no wait after the last attempt', () => {
  assert.equal(waitMsAfter('whd_1', attemptsMax, null), undefined)
  assert.equal(waitMsAfter('whd_1', attemptsMax, hour), undefined)
})

test('a receiver can request a longer wait, up to an hour, but not a shorter one', () => {
  const plain = waitMsAfter('whd_1', 1, null) as number
  for (const [asked, wait] of [
    [0, plain],
    [second, plain],
    [minute, minute],
    [hour, hour],
    [day, hour],
  ] as const)
    assert.equal(waitMsAfter('whd_1', 1, asked), wait, `asked for ${asked} ms`)
  assert.ok((waitMsAfter('whd_1', 10, hour) as number) >= day)
})

// After ten failures in a row the endpoint rests; each failed probe doubles the rest.
const rests: [failures: number, askedMs: number | null, restMs: number][] = [
  [0, null, 0],
  [9, null, 0],
  [9, 10 * second, 10 * second],
  [9, day, hour],
  [10, null, 30 * second],
  [11, null, minute],
  [12, null, 2 * minute],
  [13, null, 4 * minute],
  [14, null, 8 * minute],
  [15, null, 15 * minute],
  [1_000_000, null, 15 * minute],
  [10, 10 * second, 30 * second],
  [10, 20 * minute, 20 * minute],
  [1_000, day, hour],
]
for (const [failures, asked, rest] of rests)
  test(`after ${failures} failures and a requested wait of ${asked} ms the endpoint rests for ${rest} ms`, () =>
    assert.equal(breakerPauseMs(failures, asked), rest))

test('the limit of concurrent calls falls with failures, down to one probe', () => {
  assert.deepEqual([0, 1, 2, 6, 7, 8, 100].map(inFlightMaxFor), [8, 7, 6, 2, 1, 1, 1])
})

test('as many deliveries are claimed in advance as the endpoint handles in a quarter of a second, at most 120', () => {
  assert.deepEqual(
    [0, 1, 10, 16, 17, 100, 1_000, 2_000, 2_001, 60_000].map(aheadMaxFor),
    [120, 120, 120, 120, 117, 20, 2, 1, 0, 0],
  )
})

const givenUp: [failures: number, days: number, isOver: boolean][] = [
  [11, 30, false],
  [12, 4.99, false],
  [12, 5, true],
  [500, 4.99, false],
  [500, 5, true],
]
for (const [failures, days, isOver] of givenUp)
  test(`an endpoint with ${failures} failures over ${days} days is ${isOver ? 'given up' : 'not given up'}`, () =>
    assert.equal(isGivenUp(failures, 1_000, 1_000 + days * day), isOver))

const now = Date.UTC(2026, 10, 16, 12, 0, 0)
const asked: [text: string | null, ms: number | null][] = [
  [null, null],
  ['0', 0],
  ['120', 120 * second],
  ['999999999', 999_999_999 * second],
  ['9999999999', null],
  ['-1', null],
  ['1.5', null],
  ['', null],
  ['soon', null],
  ['Mon, 16 Nov 2026 12:01:00 GMT', minute],
  ['Mon, 16 Nov 2026 11:00:00 GMT', 0],
  ['2026-11-16T12:01:00Z', null],
  ['Nov 32', null],
]
for (const [text, ms] of asked)
  test(`Retry-After: ${text} ${ms === null ? 'is ignored' : `means ${ms} ms`}`, () =>
    assert.equal(parseRetryAfter(text, now), ms))
