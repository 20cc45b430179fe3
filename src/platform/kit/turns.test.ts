import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLoopTurns } from './turns.ts'

// With a clock that stands still, no task counts as waiting for long.
const standing = () => 0

// The other work of the event loop: one name per turn.
async function inEachTurn(order: string[], names: readonly string[]): Promise<void> {
  for (const name of names) {
    await nextTurn()
    order.push(name)
  }
}

test('each waiting task gets its own turn of the event loop, in order, with other work in between', async () => {
  const { take: takeTurn } = createLoopTurns(standing)
  const order: string[] = []
  const slow = ['one', 'two', 'three'].map((name) => takeTurn().then(() => order.push(name)))
  const others = inEachTurn(order, ['a', 'b'])
  await Promise.all([...slow, others])
  assert.deepEqual(order, ['one', 'a', 'two', 'b', 'three'])
})

test('a task that arrives during a turn comes after the waiting ones, and a task that arrives after all are done is run', async () => {
  const { take: takeTurn } = createLoopTurns(standing)
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

test('tasks that wait long get as much time together as all other work took', async () => {
  let now = 0
  const { take: takeTurn } = createLoopTurns(() => now)
  const order: string[] = []
  const slow = Array.from({ length: 8 }, async () => {
    await takeTurn()
    // Each task has several steps, and the next task begins after the last step.
    for (let step = 0; step < 5; step += 1) {
      now += 2
      await Promise.resolve()
    }
    order.push('slow')
  })
  const others = (async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      await nextTurn()
      now += 60
      order.push('others')
    }
  })()
  await Promise.all([...slow, others])
  assert.deepEqual(order, ['slow', 'others', ...Array<string>(6).fill('slow'), 'others', 'slow'])
})

test('a task that arrives at the end of the last turn does not start a second queue', async () => {
  const { take: takeTurn } = createLoopTurns(standing)
  const order: string[] = []
  await takeTurn()
  const slow = ['one', 'two', 'three'].map((name) => takeTurn().then(() => order.push(name)))
  const others = inEachTurn(order, ['a', 'b'])
  await Promise.all([...slow, others])
  assert.deepEqual(order, ['a', 'one', 'b', 'two', 'three'])
})
