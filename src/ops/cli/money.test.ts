import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PaidRefund } from '../../domain/payments/refunds.ts'
import { printUnpaidRefunds } from './money.ts'

function tell(paid: Pick<PaidRefund, 'answer' | 'outcome'>) {
  let said = ''
  const terminal = {
    err: (text: string) => {
      said += text
    },
  }
  const refund = {} as PaidRefund['refund']
  const error = printUnpaidRefunds(terminal as Parameters<typeof printUnpaidRefunds>[0], 'order 1001', [
    { error: null, refund, ...paid },
  ])
  return { said: said.replace('cartwright: order 1001: ', '').trimEnd(), code: error?.code }
}

test('a command reports the result of a refund', () => {
  assert.deepEqual(tell({ answer: 'succeeded', outcome: 'succeeded' }), { said: '', code: undefined })
  assert.deepEqual(tell({ answer: 'pending', outcome: 'later' }), {
    said: 'the refund is pending at the provider; a running server follows it',
    code: undefined,
  })
  const code = 'refund_not_paid'
  assert.deepEqual(tell({ answer: 'unknown', outcome: 'later' }), {
    said: 'the provider gave no answer; a running server tries again',
    code,
  })
  assert.deepEqual(tell({ answer: 'failed', outcome: 'later' }), {
    said: 'the provider refused the refund; a running server tries again',
    code,
  })
  assert.deepEqual(tell({ answer: 'refused', outcome: 'failed' }), {
    said: 'the provider refused the refund for good; pay it another way, and record it with --by-hand',
    code,
  })
})
