import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTurns } from './turns.ts'

test('gives each a turn of the event loop to itself, in order, and others run in between', async () => {
  const takeTurn = createTurns()
  const order: string[] = []
  const slow = ['one', 'two', 'three'].map((name) => takeTurn().then(() => order.push(name)))
  const others = (async () => {
    for (const name of ['a', 'b']) {
      await nextTurn()
      order.push(name)
    }
  })()
  await Promise.all([...slow, others])
  assert.deepEqual(order, ['one', 'a', 'two', 'b', 'three'])
})

test('who comes while another has its turn is next, and after all are done a new one is not forgotten', async () => {
  const takeTurn = createTurns()
  const order: string[] = []
  const first = takeTurn().then(async () => {
    order.push('one')
    await takeTurn()
    order.push('three')
  })
  const second = takeTurn().then(() => order.push('two'))
  await Promise.all([first, second])
  await takeTurn()
  assert.deepEqual(order, ['one', 'two', 'three'])
})
