import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../kit/refuse.ts'
import { createBodyLimiter, createReceiveBody } from './limiter.ts'
import { createPressure } from './pressure.ts'

test('bodies that are still being received count against their sender, and received ones do not', async () => {
  const pressure = createPressure()
  const limiter = createBodyLimiter(10)
  const receive = createReceiveBody(limiter, pressure)
  const limit = { key: 'one', most: 2 }
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<string>()
  const awaited = [1, 2].map(() => receive({ complete: false }, limit, () => arrived))
  assert.equal(limiter.waiting, 2)
  await assert.rejects(
    receive({ complete: false }, limit, async () => 'late'),
    (error) => error instanceof Refusal && error.code === 'unavailable',
  )
  assert.equal(await receive({ complete: true }, limit, async () => 'here'), 'here')
  assert.equal(await receive({ complete: false }, { key: 'other', most: 2 }, async () => 'of another'), 'of another')
  arrive('now')
  assert.deepEqual(await Promise.all(awaited), ['now', 'now'])
  assert.equal(limiter.waiting, 0)
  pressure.close()
})
