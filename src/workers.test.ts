import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from './observe/log.ts'
import { StorageUnavailable } from './storage/storage.ts'
import { catchUp, startWorkers } from './workers.ts'

// What a loop tells of each of its failures, and that it goes on after them.
async function toldOf(failures: readonly Error[]): Promise<unknown[]> {
  const told: unknown[] = []
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: (message, fields) => told.push(['warn', message, fields]),
    error: (message, error, fields) => told.push(['error', message, error, fields]),
    flush: () => {},
    dropped: 0,
  }
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const left = [...failures]
  async function work(): Promise<void> {
    const failure = left.shift()
    if (failure) throw failure
    resolve()
  }
  // A loop alone keeps no process running.
  const awake = setInterval(() => {}, 1_000)
  const workers = startWorkers([{ name: 'sweep', everyMs: 1, work }], log)
  await done
  await workers.drain()
  clearInterval(awake)
  return told
}

test('a loop that cannot reach the storage says so in one warning, and goes on', async () => {
  const gone = new StorageUnavailable('the connection was lost', new Error('ECONNRESET'))
  assert.deepEqual(await toldOf([gone, gone]), [
    ['warn', 'storage unavailable', { loop: 'sweep', reason: 'the connection was lost' }],
    ['warn', 'storage unavailable', { loop: 'sweep', reason: 'the connection was lost' }],
  ])
})

test('any other failure of a loop is a defect, and it goes on all the same', async () => {
  const defect = new TypeError('x is undefined')
  assert.deepEqual(await toldOf([defect]), [['error', 'a loop failed and will try again', defect, { loop: 'sweep' }]])
})

test('a loop catches up while its rounds are full, and not for ever', async () => {
  const waiting = [3, 3, 2, 3]
  const never = () => false
  await catchUp(3, never, async () => waiting.shift() ?? 0)
  assert.deepEqual(waiting, [3])
  let rounds = 0
  const full = async () => {
    rounds += 1
    return 3
  }
  await catchUp(3, never, full)
  assert.equal(rounds, 20)
  await catchUp(3, () => rounds >= 22, full)
  assert.equal(rounds, 22)
})
