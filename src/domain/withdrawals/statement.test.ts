import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modeOfOrder, parseOrderNumber, refundDueAt, statementIssues, withoutLinks } from './statement.ts'

test('the number of an order is found in typed text', () => {
  const typed = ['1001', ' #1001', 'T-1001', 't 1001', 'No. T-7', 'Bestellung 1001', '１００１', 'order12', '']
  const numbers = ['1001', '1001', 'T-1001', 'T-1001', 'T-7', '1001', '1001', '12', null]
  assert.deepEqual(typed.map(parseOrderNumber), numbers)
  assert.deepEqual(['1001 and 1002', 'the vase', '1'.repeat(21)].map(parseOrderNumber), [null, null, null])
  assert.deepEqual(['T-1001', '1001', null].map(modeOfOrder), ['test', 'live', 'live'])
})

test('name, order and e-mail address are required, and items are not', () => {
  const whole = { name: 'Ada', order: '1001', email: 'ada@example.com', items: '' }
  assert.deepEqual(statementIssues(whole), [])
  const paths = (given: Partial<typeof whole>) => statementIssues({ ...whole, ...given }).map(({ path }) => path)
  assert.deepEqual(paths({ name: '', order: '', email: '' }), ['/name', '/order', '/email'])
  assert.deepEqual(paths({ email: 'ada' }), ['/email'])
})

test('the refund is due 14 days after the statement was received', () => {
  assert.equal(refundDueAt(Date.UTC(2026, 5, 19)), Date.UTC(2026, 6, 3))
})

test('typed text never becomes a link', () => {
  const typed = 'See https://evil.example/win, www.evil.example or me@evil.example. Bye.'
  const shown = withoutLinks(typed)
  assert.doesNotMatch(shown, /\w\.\w|:\/|@\w/)
  assert.equal(shown.replaceAll('\u2060', ''), typed)
})
