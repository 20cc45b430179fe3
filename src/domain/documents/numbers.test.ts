import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberText, periodFor } from './numbers.ts'

test('a document number has the chosen format, and that of a test document begins with T-', () => {
  const facts = { mode: 'live', year: '2026', number: 42 } as const
  const rows = [
    ['{year}-{number:6}', '2026-000042', '2026'],
    ['R{number}', 'R42', ''],
  ] as const
  assert.equal(numberText(rows[0][0], facts), rows[0][1])
  assert.equal(numberText(rows[1][0], facts), rows[1][1])
  assert.equal(numberText('{number:2}', { ...facts, number: 1_234 }), '1234')
  assert.equal(numberText('{number:2}', { ...facts, mode: 'test', number: 7 }), 'T-07')
  for (const [format, , period] of rows) assert.equal(periodFor(format, '2026'), period)
})
