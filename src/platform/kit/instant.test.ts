import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromInstant, toInstant } from './instant.ts'

test('an instant is formatted as RFC 3339 in UTC with milliseconds', () => {
  assert.equal(toInstant(0), '1970-01-01T00:00:00.000Z')
  assert.equal(toInstant(1_767_225_600_001), '2026-01-01T00:00:00.001Z')
  assert.throws(() => toInstant(Number.NaN), RangeError)
})

test('an instant is parsed with or without milliseconds, and an impossible date is refused', () => {
  assert.equal(fromInstant('2026-01-01T00:00:00.001Z'), 1_767_225_600_001)
  assert.equal(fromInstant('2026-01-01T00:00:00Z'), 1_767_225_600_000)
  assert.equal(fromInstant('2024-02-29T23:59:59.9Z'), Date.UTC(2024, 1, 29, 23, 59, 59, 900))
  for (const text of [
    '',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00+02:00',
    ' 2026-01-01T00:00:00Z',
    'tomorrow',
  ])
    assert.equal(fromInstant(text), undefined, text)
})
