import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toInstant } from './instant.ts'

test('an instant is RFC 3339 in UTC with milliseconds', () => {
  assert.equal(toInstant(0), '1970-01-01T00:00:00.000Z')
  assert.equal(toInstant(1_767_225_600_001), '2026-01-01T00:00:00.001Z')
  assert.throws(() => toInstant(Number.NaN), RangeError)
})
