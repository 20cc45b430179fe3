import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWaitQueue, WaitTimeout } from './waitqueue.ts'

function someOf(count: number, bounds: { stallMsMax: number; waitMsMax: number }) {
  let free = count
  let taken = 0
  const turns = createWaitQueue({
    ...bounds,
    isFree: () => free > 0,
    take: async () => {
      free -= 1
      taken += 1
      return taken
    },
  })
  const giveBack = () => {
    free += 1
    turns.pump()
  }
  return { turns, giveBack }
}

test('free items are given immediately, and later ones in the order of the requests', async () => {
  const { turns, giveBack } = someOf(1, { stallMsMax: 10_000, waitMsMax: 10_000 })
  assert.equal(await turns.take(), 1)
  const waiting = [turns.take(), turns.take()]
  assert.equal(turns.waiting, 2)
  giveBack()
  assert.equal(await waiting[0], 2)
  giveBack()
  assert.equal(await waiting[1], 3)
  assert.equal(turns.waiting, 0)
})

test('waiting callers are refused once nothing is released for too long, and keep waiting as long as items are released', async () => {
  const { turns, giveBack } = someOf(1, { stallMsMax: 60, waitMsMax: 10_000 })
  await turns.take()
  await assert.rejects(turns.take(), WaitTimeout)
  const order: number[] = []
  const waiting = Array.from({ length: 6 }, async () => order.push(await turns.take()))
  // Each release comes in time, although all of them together take longer than a stall.
  for (const _ of waiting) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    giveBack()
  }
  await Promise.all(waiting)
  assert.deepEqual(order, [2, 3, 4, 5, 6, 7])
})

test('no caller waits longer than the maximum, whatever is released', async () => {
  const { turns, giveBack } = someOf(1, { stallMsMax: 1_000, waitMsMax: 50 })
  await turns.take()
  const asked = Array.from({ length: 100 }, () => turns.take())
  const outcomes = Promise.allSettled(asked)
  giveBack()
  const [first, ...others] = await outcomes
  assert.equal(first?.status, 'fulfilled')
  for (const outcome of others) assert(outcome.status === 'rejected' && outcome.reason instanceof WaitTimeout)
})
