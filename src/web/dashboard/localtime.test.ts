import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayBegin, fromLocalTime, toLocalTime } from './localtime.ts'

test('local times are in the shop’s time zone, in summer, in winter and when the clocks change', () => {
  const berlin = 'Europe/Berlin'
  for (const [local, instant] of [
    ['2026-07-01T00:00', '2026-06-30T22:00:00.000Z'],
    ['2026-12-01T08:30', '2026-12-01T07:30:00.000Z'],
    ['2026-03-29T03:30', '2026-03-29T01:30:00.000Z'],
  ] as const) {
    assert.equal(fromLocalTime(local, berlin), instant)
    assert.equal(toLocalTime(instant, berlin), local)
  }
  assert.equal(fromLocalTime('2026-03-29T02:30', berlin), '2026-03-29T01:30:00.000Z', 'a skipped time')
  assert.equal(fromLocalTime('2026-03-08T02:30', 'America/New_York'), '2026-03-08T07:30:00.000Z', 'a skipped time')
  assert.equal(fromLocalTime('2026-12-01T08:30', 'Asia/Kolkata'), '2026-12-01T03:00:00.000Z')
  for (const text of ['', 'tomorrow', '2026-13-01T00:00', '2026-12-01'])
    assert.equal(fromLocalTime(text, berlin), undefined)
})

test('a day begins at midnight in the shop’s time zone', () => {
  assert.equal(dayBegin('2026-11-17', 'Pacific/Auckland'), '2026-11-16T11:00:00.000Z')
  assert.equal(dayBegin('2026-03-29', 'Europe/Berlin', 1), '2026-03-29T22:00:00.000Z')
  // The clocks go from midnight to one.
  assert.equal(dayBegin('2026-09-06', 'America/Santiago'), '2026-09-06T04:00:00.000Z')
  assert.equal(dayBegin('2026-09-05', 'America/Santiago', 1), '2026-09-06T04:00:00.000Z')
  for (const text of ['', null, undefined, '2026-13-01', '17 November', '2026-11-17T00:00'])
    assert.equal(dayBegin(text, 'UTC'), undefined)
})
