import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { takeStalls } from '../../../harness/stalls.ts'
import {
  asOwnWork,
  endTurn,
  type LoopStall,
  listenForStalls,
  pauseWork,
  renameWork,
  resumeWork,
  runWork,
  setWorkClock,
} from './work.ts'

describe('the work that is blamed for blocking the event loop', () => {
  let now = 0
  let stalls: LoopStall[] = []
  let stop = () => {}
  let clock = () => performance.now()
  beforeEach(() => {
    now = 0
    stalls = []
    clock = setWorkClock(() => now)
    stop = listenForStalls((stall) => stalls.push(stall))
  })
  afterEach(() => {
    stop()
    setWorkClock(clock)
    // The stalls of these tests must not count as stalls of the test process.
    takeStalls()
  })

  const held = () => stalls.splice(0).map(({ work, ms }) => `${work} ${ms}`)

  test('is the work that ran until it waited or ended', () => {
    runWork({ name: 'a' }, () => {
      now += 150
      pauseWork()
      now += 99
      resumeWork()
      now += 99
      pauseWork()
    })
    assert.deepEqual(held(), ['a 150'])
  })

  test('is the work that started, if its end is not reported', () => {
    runWork({ name: 'a' }, () => {
      now += 200
    })
    runWork({ name: 'b' }, () => {
      now += 300
    })
    endTurn()
    now += 400
    endTurn()
    assert.deepEqual(held(), ['a 200', 'b 300', 'other 400'])
  })

  test('is still known after it waited, by its current name', async () => {
    const one = runWork({ name: 'a' }, async () => {
      pauseWork()
      await turn()
      resumeWork()
      renameWork('c')
      now += 100
      pauseWork()
    })
    const other = runWork({ name: 'b' }, async () => {
      pauseWork()
      await turn()
      now += 120
      pauseWork()
    })
    await Promise.all([one, other])
    assert.deepEqual(held(), ['c 100', 'b 120'])
  })

  test('is the work that requested a transaction, wherever the transaction runs', async () => {
    const transactions: (() => Promise<void>)[] = []
    const busy = async () => {
      now += 100
    }
    for (const name of ['a', 'b']) runWork({ name }, () => transactions.push(asOwnWork(busy)))
    await runWork({ name: 'c' }, async () => {
      for (const transaction of transactions) await transaction()
      pauseWork()
    })
    assert.deepEqual(held(), ['a 100', 'b 100'])
  })
})
