// The comparison with earlier results: what is dearer is told, and what is noise or another machine is not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dearer } from './compare.ts'
import type { Report } from './report.ts'
import type { Findings, Ratio } from './row.ts'

function report(findings: Partial<Findings>, name = 'purchase'): Report {
  const whole: Findings = { sides: [], ratios: [], notes: [], ...findings }
  return {
    startedAt: '',
    tookSeconds: 0,
    commit: '',
    machine: {},
    method: {},
    rows: [{ name, question: '', findings: whole }],
  }
}
const ratio = (value: number, more: Partial<Ratio> = {}): Ratio => ({
  what: 'CPU',
  value,
  bar: null,
  unit: '×',
  ...more,
})
const counts = (statements: number, cpu: number) => ({
  tables: [{ title: 'SQLite', columns: ['CPU µs', 'statements'], rows: [['session', cpu, statements] as const] }],
})

test('a ratio that got 1.3 times worse is reported; its limit says which direction is worse', () => {
  const change = (before: Ratio, now: Ratio) => dearer(report({ ratios: [now] }), [report({ ratios: [before] })])
  assert.deepEqual(change(ratio(10), ratio(12.9)), [])
  assert.deepEqual(change(ratio(10), ratio(13.1)), [{ row: 'purchase', what: 'CPU', before: 10, now: 13.1 }])
  assert.deepEqual(change(ratio(10), ratio(5)), [])
  const bar = { sense: 'at least', limit: 1 } as const
  assert.deepEqual(change(ratio(1, { bar }), ratio(2, { bar })), [])
  assert.deepEqual(change(ratio(1, { bar }), ratio(0.7, { bar })), [
    { row: 'purchase', what: 'CPU', before: 1, now: 0.7 },
  ])
  assert.deepEqual(
    change(ratio(100, { unit: 'ms' }), ratio(900, { unit: 'ms' })),
    [],
    'times are those of another machine',
  )
})

test('one more statement is reported, and more CPU time is not', () => {
  const more = dearer(report(counts(9, 900)), [report(counts(8, 100))])
  assert.deepEqual(more, [{ row: 'purchase', what: 'SQLite, session: statements', before: 8, now: 9 }])
  assert.deepEqual(dearer(report(counts(8, 900)), [report(counts(8, 100))]), [])
})

test('results are compared with the newest earlier results that have the same row', () => {
  const [other, newer, older] = [report(counts(1, 1), 'start'), report(counts(9, 1)), report(counts(1, 1))]
  assert.deepEqual(dearer(report(counts(9, 1)), [other, newer, older]), [])
  assert.deepEqual(dearer(report(counts(9, 1)), [other]), [])
})
