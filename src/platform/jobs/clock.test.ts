import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClockJumped, createClockGuard, createSetBackWatch } from './clock.ts'

const hour = 3_600_000
const day = 24 * hour

test('a clock that jumps ahead by more than a day is refused until it is corrected', () => {
  const start = Date.parse('2026-06-01T12:00:00.000Z')
  let [wall, counted] = [start, 5_000]
  const check = createClockGuard(
    () => wall,
    () => counted,
  )
  const pass = (ms: number) => {
    wall += ms
    counted += ms
  }
  check()
  pass(400 * day)
  check()
  wall += day
  check()
  wall += 1
  assert.throws(check, ClockJumped)
  pass(10 * day)
  assert.throws(check, ClockJumped)
  wall += 13 * 365 * day
  assert.throws(check, /ahead by about 4746 days .* restart the server if the clock is right$/)
  wall -= 13 * 365 * day + day
  check()
  // A clock that was set back is harmless: nothing is deleted too early.
  wall -= 100 * day
  check()
})

test('how far the real clock was set back is reported in whole milliseconds', () => {
  let shiftMs = 0
  const watch = createSetBackWatch(() => Date.now() + shiftMs)
  shiftMs = -hour
  const backMs = watch.look()?.backMs
  assert.ok(Number.isSafeInteger(backMs), String(backMs))
})

test('how far the clock was set back is reported until that was handled', () => {
  let [wall, counted] = [100 * day, 0]
  const watch = createSetBackWatch(
    () => wall,
    () => counted,
  )
  counted += day
  wall += day - 59_000
  assert.equal(watch.look(), undefined, 'an ordinary clock correction')
  wall += 59_000 - hour
  for (let looks = 0; looks < 2; looks += 1) assert.deepEqual(watch.look(), { now: wall, backMs: hour })
  watch.dealtWith()
  assert.equal(watch.look(), undefined)
  wall += 3 * hour
  assert.equal(watch.look(), undefined)
  wall -= 3 * hour
  assert.deepEqual(watch.look(), { now: wall, backMs: 3 * hour })
})
