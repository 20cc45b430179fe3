import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPressure, lagAfter } from './pressure.ts'

const after = (...latesMs: readonly number[]) => latesMs.reduce((lagMs, lateMs) => lagAfter(lagMs, lateMs, 1_000), 0)

test('a single stall of the event loop refuses no requests, however long it was', () => {
  for (const lateMs of [0, 900, 2_001, 60_000, 3_600_000]) {
    assert.ok(after(lateMs) <= 1_000, `${lateMs}`)
    assert.ok(after(lateMs, 0) <= 1_000, `${lateMs} and none`)
  }
  assert.equal(after(-5), 0)
})

test('an event loop that is late repeatedly refuses requests, until it is on time again', () => {
  assert.ok(after(1_500, 1_500) > 1_000)
  assert.ok(after(60_000, 60_000) > 1_000)
  assert.ok(after(1_100, 1_100, 1_100, 1_100) > 1_000)
  assert.ok(after(999, 999, 999, 999, 999, 999) < 1_000)
  assert.ok(after(60_000, 60_000, 60_000, 0) <= 1_000)
})

test('concurrent requests above the limit are refused and counted, until one of the others finishes', () => {
  const pressure = createPressure({ inFlightMax: 2 })
  assert.deepEqual([pressure.enter(), pressure.enter(), pressure.enter()], [true, true, false])
  assert.deepEqual([pressure.inFlight, pressure.shed], [2, 1])
  pressure.leave()
  assert.ok(pressure.enter())
  pressure.close()
})
