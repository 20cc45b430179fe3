import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../platform/log/log.ts'
import { createDiscards } from './discards.ts'

test('discarded e-mails make at most two log lines a minute per merchant', () => {
  const lines: { message: string; merchantId: string; count?: number }[] = []
  const write = (text: string) => {
    for (const line of text.trim().split('\n')) lines.push(JSON.parse(line))
    return true
  }
  const discards = createDiscards(createLog({ level: 'info', pretty: false, write }))
  const email = (merchantId: string, n: number) => ({
    ...{ merchantId, emailId: `eml_${n}`, kind: 'order_received', code: 'too_many' },
  })
  for (let n = 0; n < 500; n += 1) discards.note(email('mer_1', n), 100 * n)
  discards.note(email('mer_2', 0), 50_000)
  discards.tell(59_999)
  const told = () => lines.map(({ message, merchantId, count }) => [message, merchantId, count])
  assert.deepEqual(told(), [
    ['e-mail was not sent', 'mer_1', undefined],
    ['e-mail was not sent', 'mer_2', undefined],
  ])
  discards.tell(60_000)
  discards.tell(200_000)
  assert.deepEqual(told().slice(2), [['further e-mails were not sent', 'mer_1', 499]])
  discards.note(email('mer_1', 0), 200_000)
  assert.deepEqual(told().slice(3), [['e-mail was not sent', 'mer_1', undefined]])
})
