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

test('a command reports why a refund was not paid or is still pending', () => {
  assert.deepEqual(tell({ answer: 'succeeded', outcome: 'succeeded' }), { said: '', code: undefined })
  assert.deepEqual(tell({ answer: 'pending', outcome: 'later' }), {
    said: 'the refund is pending at the payment provider; a running server looks up its outcome',
    code: undefined,
  })
  const code = 'refund_not_paid'
  assert.deepEqual(tell({ answer: 'unknown', outcome: 'later' }), {
    said: 'the payment provider did not answer; a running server retries',
    code,
  })
  assert.deepEqual(tell({ answer: 'failed', outcome: 'later' }), {
    said: 'the payment provider refused the refund; a running server retries',
    code,
  })
  assert.deepEqual(tell({ answer: 'refused', outcome: 'failed' }), {
    said: 'the payment provider refused the refund permanently; pay the amount another way, and record the payment with --by-hand',
    code,
  })
})
