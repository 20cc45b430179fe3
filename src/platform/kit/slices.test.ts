import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createEventLoopTurns } from './slices.ts'

test('a slice begins when the event loop has nothing else to do', async () => {
  let events = 0
  const { take } = createEventLoopTurns({ clock: () => 0, eventsSeen: () => events, answersAwaited: () => 0 })
  const order: string[] = []
  const slice = take().then(() => order.push('slice'))
  for (const name of ['one', 'two', 'three']) {
    events += 1
    order.push(name)
    await nextTurn()
  }
  await slice
  assert.deepEqual(order, ['one', 'two', 'three', 'slice'])
})

test('a slice begins after ten milliseconds on a server that is never idle', async () => {
  let [now, events] = [0, 0]
  const { take } = createEventLoopTurns({ clock: () => now, eventsSeen: () => events, answersAwaited: () => 0 })
  let begunAt: number | undefined
  const slice = take().then(() => {
    begunAt = now
  })
  while (begunAt === undefined) {
    events += 1
    now += 2
    await nextTurn()
  }
  await slice
  assert.equal(begunAt, 10)
})

test('a slice waits for responses of the database, at most ten milliseconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let [now, awaited] = [0, 0]
  const { take } = createEventLoopTurns({ clock: () => now, eventsSeen: () => 0, answersAwaited: () => awaited })
  const waitedWhenAnsweredAfter = async (ms: number) => {
    const startedAt = now
    let begunAt: number | undefined
    awaited = 1
    void take().then(() => {
      begunAt = now
    })
    while (begunAt === undefined) {
      now += 1
      if (now - startedAt === ms) awaited = 0
      t.mock.timers.tick(1)
      await nextTurn()
    }
    return begunAt - startedAt
  }
  assert.equal(await waitedWhenAnsweredAfter(4), 4)
  assert.equal(await waitedWhenAnsweredAfter(1_000), 10)
})

test('two computations get one slice each in turn, in different turns of the event loop', async () => {
  const { take } = createEventLoopTurns({ clock: () => 0, eventsSeen: () => 0, answersAwaited: () => 0 })
  const order: string[] = []
  const compute = async (name: string) => {
    for (let slice = 1; slice <= 2; slice += 1) {
      await take()
      order.push(`${name} ${slice}`)
    }
  }
  const others = (async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn()
      order.push('others')
    }
  })()
  await Promise.all([compute('a'), compute('b'), others])
  assert.deepEqual(order, ['others', 'a 1', 'others', 'b 1', 'others', 'a 2', 'b 2'])
})
