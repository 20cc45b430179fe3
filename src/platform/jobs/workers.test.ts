import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ticked } from '../../../harness/timed.ts'
import type { Log } from '../log/log.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { StorageOutage, StorageUnavailable } from '../storage/storage.ts'
import { ClockJumped } from './clock.ts'
import { type RowFailure, RowsFailed } from './rows.ts'
import { type CatchUpPart, catchUp, catchUpAll, registerLoopMetrics, startWorkers, type Workers } from './workers.ts'

// Returns what a loop logs about its failures. Fails unless the loop continues after them.
async function toldOf(failures: readonly Error[]): Promise<unknown[]> {
  return (await workedOff(failures)).told
}

async function workedOff(failures: readonly Error[]): Promise<{ told: unknown[]; workers: Workers }> {
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
  async function work(): Promise<boolean> {
    const failure = left.shift()
    if (failure) throw failure
    resolve()
    return false
  }
  // A loop does not keep the process running.
  const awake = setInterval(() => {}, 1_000)
  const workers = startWorkers([{ name: 'carts', everyMs: 1, work }], log)
  await done
  await workers.drain()
  clearInterval(awake)
  return { told, workers }
}

test('a loop that cannot reach the storage logs one warning each time, and continues', async () => {
  const gone = new StorageUnavailable('the connection was lost', new Error('ECONNRESET'))
  assert.deepEqual(await toldOf([gone, gone]), [
    ['warn', 'storage unavailable', { loop: 'carts', reason: 'the connection was lost' }],
    ['warn', 'storage unavailable', { loop: 'carts', reason: 'the connection was lost' }],
  ])
})

test('a loop does not log a storage outage, even if several of its parts meet it', async () => {
  const gone = new StorageOutage('the connection was lost')
  assert.deepEqual(await toldOf([gone, gone]), [])
  const failing = { full: 1, round: () => Promise.reject(gone) }
  await assert.rejects(
    catchUpAll([failing, failing], () => false),
    gone,
  )
})

test('a loop that is paused by a wrong clock logs that once', async () => {
  const jumped = new ClockJumped(86_400_000 * 13)
  assert.deepEqual(await toldOf([jumped, jumped, jumped]), [
    ['error', 'sweep paused because the clock jumped', jumped, { loop: 'carts' }],
  ])
})

test('any other failure of a loop is logged as an error, and the loop continues', async () => {
  const defect = new TypeError('x is undefined')
  assert.deepEqual(await toldOf([defect]), [['error', 'background loop failed; retrying', defect, { loop: 'carts' }]])
})

test('a loop does more rounds while they are full, up to a time limit', async () => {
  const waiting = [3, 3, 2, 3]
  const never = () => false
  assert.equal(await catchUp(3, never, async () => waiting.shift() ?? 0), false)
  assert.deepEqual(waiting, [3])
  let rounds = 0
  const full = async () => {
    rounds += 1
    return 3
  }
  assert.equal(await catchUp(3, never, full, 0), true, 'the time of a turn is over')
  assert.equal(rounds, 1)
  assert.equal(await catchUp(3, () => rounds >= 22, full), true, 'the loop is to end')
  assert.equal(rounds, 22)
})

test('a turn that left work is followed by the next one immediately', async () => {
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let turns = 0
  async function work(): Promise<boolean> {
    turns += 1
    if (turns === 5) resolve()
    return turns < 5
  }
  const log: Log = { debug() {}, info() {}, warn() {}, error() {}, flush() {}, dropped: 0 }
  const awake = setInterval(() => {}, 1_000)
  // If a turn did not follow immediately, the five turns would take forty seconds.
  const workers = startWorkers([{ name: 'carts', everyMs: 10_000, work }], log)
  const { ms } = await ticked(() => done)
  assert.ok(ms < 20_000, `${ms} ms`)
  await workers.drain()
  clearInterval(awake)
  assert.equal(turns, 5)
})

test('the first turn begins soon after the start, however long the interval is', async () => {
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const log: Log = { debug() {}, info() {}, warn() {}, error() {}, flush() {}, dropped: 0 }
  const awake = setInterval(() => {}, 1_000)
  let turns = 0
  async function work(): Promise<boolean> {
    turns += 1
    resolve()
    return false
  }
  const workers = startWorkers([{ name: 'retention', everyMs: 3_600_000, work }], log, { firstMs: 1 })
  await done
  await workers.drain()
  clearInterval(awake)
  assert.equal(turns, 1)
})

test('the parts of a loop run one after the other, even if one of them fails', async () => {
  const done: string[] = []
  const part = (name: string, rows: number[], failure?: Error): CatchUpPart => ({
    full: 3,
    round: async () => {
      done.push(name)
      if (failure) throw failure
      return rows.shift() ?? 0
    },
  })
  const never = () => false
  assert.equal(await catchUpAll([part('a', [3, 1]), part('b', [0])], never), false)
  assert.deepEqual(done.splice(0), ['a', 'a', 'b'])
  const defect = new TypeError('x is undefined')
  await assert.rejects(catchUpAll([part('a', [], defect), part('b', [3, 0])], never), defect)
  assert.deepEqual(done.splice(0), ['a', 'b', 'b'])
  const failed = failureOf('cart_1')
  await assert.rejects(
    catchUpAll([part('a', [], new RowsFailed([failed], 0)), part('b', [0])], never),
    (error) => error instanceof RowsFailed && error.failures[0] === failed,
  )
  assert.deepEqual(done.splice(0), ['a', 'b'])
  await assert.rejects(
    catchUpAll([part('a', [], new RowsFailed([failed], 0)), part('b', [], defect)], never),
    (error) => error instanceof AggregateError && error.errors.length === 2,
  )
})

function failureOf(rowId: string): RowFailure {
  const retryAt = Date.parse('2026-06-01T12:00:00.000Z')
  const error = new RangeError(`${rowId} is too large`)
  return { loop: 'carts', tenantId: 'ins_1', rowId, failures: 3, retryAt, failedAt: 0, errorCode: 'RangeError', error }
}

test('a row that fails is logged with its error; of many rows a few are logged, and the number of the others', async () => {
  const one = failureOf('cart_0')
  const many = Array.from({ length: 30 }, (_, i) => failureOf(`cart_${i + 1}`))
  const { told, workers } = await workedOff([new RowsFailed([one], 5), new RowsFailed(many, 0)])
  assert.deepEqual(told[0], [
    'error',
    'row could not be processed; retrying later',
    one.error,
    { loop: 'carts', tenantId: 'ins_1', rowId: 'cart_0', failures: 3, retryAt: '2026-06-01T12:00:00.000Z' },
  ])
  assert.equal(told.length, 10)
  const { lastSuccessAt, ...counts } = workers.stats().carts ?? {}
  assert.deepEqual(counts, { behindSince: null, failures: 0, rowFailures: 31 })
  assert.ok(lastSuccessAt)
})

test('the metrics have the last success, the failures and the failed rows of each loop', async () => {
  const { workers } = await workedOff([new TypeError('x is undefined'), new RowsFailed([failureOf('cart_0')], 1)])
  const metrics = createMetrics()
  registerLoopMetrics(metrics, workers.stats, () => new Map([['carts', 4]]))
  const text = metrics.render()
  metrics.close()
  assert.match(text, /^cartwright_loop_last_success_timestamp_seconds\{loop="carts"\} 1\d{9}(\.\d+)?$/m)
  assert.match(text, /^cartwright_loop_failures_total\{loop="carts"\} 1$/m)
  assert.match(text, /^cartwright_loop_row_failures_total\{loop="carts"\} 1$/m)
  assert.match(text, /^cartwright_loop_rows_deferred\{loop="carts"\} 4$/m)
  assert.match(text, /^cartwright_loop_behind_seconds\{loop="carts"\} 0$/m)
})

test('the metrics have the time for which a loop has been behind', () => {
  const metrics = createMetrics()
  const behindSince = Date.now() - 90_000
  registerLoopMetrics(
    metrics,
    () => ({ carts: { lastSuccessAt: 1, behindSince, failures: 0, rowFailures: 0 } }),
    () => new Map(),
  )
  const [, seconds] = /^cartwright_loop_behind_seconds\{loop="carts"\} ([\d.]+)$/m.exec(metrics.render()) ?? []
  metrics.close()
  assert.ok(Number(seconds) >= 90 && Number(seconds) < 120, seconds)
})

test('failed rows do not stop further rounds, and are reported at the end', async () => {
  const [one, two] = [failureOf('cart_1'), failureOf('cart_2')]
  const rounds = [
    () => Promise.reject(new RowsFailed([one], 2)),
    () => Promise.resolve(3),
    () => Promise.reject(new RowsFailed([two], 0)),
  ]
  await assert.rejects(
    catchUp(
      3,
      () => false,
      () => (rounds.shift() ?? (() => Promise.resolve(0)))(),
    ),
    (error) => error instanceof RowsFailed && error.failures[0] === one && error.failures[1] === two,
  )
  assert.deepEqual(rounds, [])
})

test('a loop that is woken starts a turn immediately, or one more turn after the running one', async () => {
  const log: Log = { debug() {}, info() {}, warn() {}, error() {}, flush() {}, dropped: 0 }
  const turns: PromiseWithResolvers<boolean>[] = []
  const begun: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()]
  function work(): Promise<boolean> {
    turns.push(Promise.withResolvers())
    begun[turns.length - 1]?.resolve()
    return turns.at(-1)?.promise ?? Promise.resolve(false)
  }
  const awake = setInterval(() => {}, 1_000)
  const hour = 3_600_000
  const workers = startWorkers([{ name: 'payments', everyMs: hour, work }], log, { firstMs: hour })
  workers.wake('payments')
  await begun[0]?.promise
  workers.wake('payments')
  workers.wake('payments')
  assert.equal(turns.length, 1, 'one turn at a time')
  turns[0]?.resolve(false)
  await begun[1]?.promise
  turns[1]?.resolve(false)
  await workers.drain()
  workers.wake('payments')
  assert.equal(turns.length, 2)
  clearInterval(awake)
})
