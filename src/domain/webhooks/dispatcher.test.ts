// What the dispatcher logs while its storage is unavailable or busy. What it sends is tested in `tests/`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testSecret } from '../../../harness/testServer.ts'
import type { Log } from '../../platform/log/log.ts'
import { type Storage, StorageOutage, StorageUnavailable } from '../../platform/storage/storage.ts'
import { Dispatcher } from './dispatcher.ts'
import type { Sender } from './sender.ts'

// Returns what the dispatcher logs if the first five calls of the storage fail in this way.
async function linesOf(failure: Error): Promise<unknown[]> {
  const lines: unknown[] = []
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: (message, fields) => lines.push(['warn', message, fields]),
    error: (message, error) => lines.push(['error', message, error]),
    flush: () => {},
    dropped: 0,
  }
  let failures = 5
  const fail = async () => {
    if (failures-- > 0) throw failure
    return []
  }
  // The dispatcher uses no other members while there is nothing to send.
  const storage = { engine: 'postgres', read: fail, write: fail, rolledBack: async () => {} } as unknown as Storage
  const sender = { close: async () => {} } as unknown as Sender
  const dispatcher = new Dispatcher({
    storage,
    sender,
    rootSecret: testSecret,
    clock: () => new Date(),
    log,
    version: '',
  })
  await dispatcher.dispatchDue()
  await dispatcher.drain()
  return lines
}

test('a storage outage is not logged again by the dispatcher', async () => {
  assert.deepEqual(await linesOf(new StorageOutage('gone')), [])
})

test('a busy storage is logged as a warning, once for each kind of work', async () => {
  assert.deepEqual(await linesOf(new StorageUnavailable('busy')), [
    ['warn', 'webhook leases could not be released; retrying', { reason: 'busy' }],
    ['warn', 'webhook dispatch failed; retrying', { reason: 'busy' }],
  ])
})

test('any other failure is logged as an error, each time', async () => {
  const defect = new TypeError('x is undefined')
  const lines = await linesOf(defect)
  assert.deepEqual(lines.at(-1), ['error', 'webhook dispatch failed; retrying', defect])
  assert.ok(lines.length > 2)
})
