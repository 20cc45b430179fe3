// A row that cannot be handled: all others are handled, and its delay grows each time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachEngine } from '../../../harness/storage.ts'
import { type Storage, StorageRefused, StorageUnavailable } from '../storage/storage.ts'
import { handleRows, type LoopRound, RowsFailed, sweepDeferred } from './rows.ts'
import { isNotDeferred, listDeferred, makeDeferredDue } from './store.ts'

const start = Date.parse('2026-06-01T12:00:00.000Z')
const minute = 60_000
const hour = 60 * minute

interface Note {
  owner: string
  id: string
}

const keyOf = ({ owner, id }: Note) => ({ tenantId: owner, rowId: id })

// Handles all rows that are not deferred as one group. Returns what was handled and what failed.
async function roundOf(storage: Storage, notes: readonly Note[], isBad: (note: Note) => unknown, now = start) {
  const handled: string[] = []
  let calls = 0
  const due = await storage.read(async (db) => {
    const left: Note[] = []
    for (const note of notes) {
      const rows = await db.sql`
        select n.id from (select ${note.owner} as owner, ${note.id} as id) n
        where ${isNotDeferred('carts', 'n.owner', 'n.id', now)}`
      if (rows.length > 0) left.push(note)
    }
    return left
  })
  const failed = await handleRows({ storage, loop: 'carts', now }, [due], keyOf, async (group) => {
    calls += 1
    for (const note of group) {
      const error = isBad(note)
      if (error) throw error
    }
    handled.push(...group.map(({ id }) => id))
    return group.length
  }).then(
    (count) => {
      assert.equal(count, handled.length)
      return []
    },
    (error: unknown) => {
      if (!(error instanceof RowsFailed)) throw error
      assert.equal(error.rows, due.length)
      assert.deepEqual(
        error.errors,
        error.failures.map((failure) => failure.error),
      )
      return error.failures
    },
  )
  return { handled, calls, failed }
}

eachEngine('rows of a loop', (given) => {
  const notes = Array.from({ length: 10 }, (_, i) => ({ owner: i % 2 === 0 ? 'mer_a' : 'mer_b', id: `note_${i}` }))
  const ids = notes.map(({ id }) => id)

  test('are handled together if none fails, without any further write', async () => {
    const storage = await given.open()
    const before = storage.stats().writes.works
    assert.deepEqual(await roundOf(storage, notes, () => false), { handled: ids, calls: 1, failed: [] })
    assert.deepEqual(await sweepDeferred(storage, start), new Map())
    assert.equal(storage.stats().writes.works, before)
  })

  test('are handled except the failing ones, which are deferred longer each time', async () => {
    const storage = await given.open()
    const isBad = ({ id }: Note) => (id === 'note_3' || id === 'note_4') && new RangeError(`${id} is too large`)
    let now = start
    const first = await roundOf(storage, notes, isBad, now)
    assert.deepEqual(
      first.handled,
      ids.filter((id) => id !== 'note_3' && id !== 'note_4'),
    )
    assert.deepEqual(
      first.failed.map(({ error, ...row }) => [row, (error as Error).message]),
      [
        ['mer_b', 'note_3'],
        ['mer_a', 'note_4'],
      ].map(([tenantId, rowId]) => [
        { loop: 'carts', tenantId, rowId, failures: 1, retryAt: now + minute, failedAt: now, errorCode: 'RangeError' },
        `${rowId} is too large`,
      ]),
    )
    const next = await roundOf(storage, notes, isBad, now + minute - 1)
    assert.deepEqual([next.calls, next.handled.length, next.failed], [1, 8, []])

    const waits: number[] = []
    for (let failures = 2; failures <= 12; failures += 1) {
      now = (await storage.read((db) => listDeferred(db, now, 1)))[0]?.retryAt ?? 0
      const { failed } = await roundOf(storage, notes, isBad, now)
      assert.deepEqual(
        failed.map((row) => row.failures),
        [failures, failures],
      )
      waits.push((failed[0]?.retryAt ?? 0) - now)
    }
    assert.deepEqual(
      waits.map((ms) => ms / minute),
      [2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360],
    )
    assert.deepEqual(await sweepDeferred(storage, now), new Map([['carts', 2]]))
  })

  test('are deferred only in their own loop and for their own tenant', async () => {
    const storage = await given.open()
    const one = [{ owner: 'mer_a', id: 'x' }]
    const other = [{ owner: 'mer_b', id: 'x' }]
    assert.equal((await roundOf(storage, one, () => new Error('bad'))).failed.length, 1)
    assert.deepEqual((await roundOf(storage, one, () => false)).handled, [])
    assert.deepEqual((await roundOf(storage, other, () => false)).handled, ['x'])
    const named = await storage.read(
      (db) => db.sql`select 1 as n from (select 'mer_a' as o) t where ${isNotDeferred('holds', 't.o', "'x'", start)}`,
    )
    assert.equal(named.length, 1)
  })

  test('that succeed again are no longer listed an hour after they were due', async () => {
    const storage = await given.open()
    await roundOf(storage, notes, ({ id }) => id === 'note_1' && new Error('bad'))
    const retryAt = start + minute
    assert.deepEqual(await sweepDeferred(storage, retryAt), new Map())
    assert.deepEqual((await roundOf(storage, notes, () => false, retryAt)).handled, ids)
    await sweepDeferred(storage, retryAt + hour - 1)
    const rows = () => storage.read((db) => db.sql`select row_id from deferred_rows`)
    assert.equal((await rows()).length, 1)
    await sweepDeferred(storage, retryAt + hour)
    assert.deepEqual(await rows(), [])
  })

  test('that failed are tried again at every start', async () => {
    const storage = await given.open()
    await roundOf(storage, notes, ({ id }) => id === 'note_1' && new Error('bad'))
    assert.equal((await roundOf(storage, notes, () => false, start + 1)).handled.length, 9)
    await storage.write((tx) => makeDeferredDue(tx, start + 1))
    assert.equal((await roundOf(storage, notes, () => false, start + 1)).handled.length, 10)
  })

  test('are deferred if they exceed a time limit of the storage; if the storage is unavailable the round ends', async () => {
    const storage = await given.open()
    const locked = new StorageUnavailable('the row is locked')
    const { handled, failed } = await roundOf(storage, notes, ({ id }) => id === 'note_0' && locked)
    assert.equal(handled.length, 9)
    assert.deepEqual(
      failed.map(({ rowId, errorCode }) => [rowId, errorCode]),
      [['note_0', 'StorageUnavailable']],
    )
    const gone: Storage = { ...storage, write: () => Promise.reject(new StorageUnavailable('gone')) }
    const round: LoopRound = { storage: gone, loop: 'carts', now: start }
    await assert.rejects(
      handleRows(round, [notes], keyOf, () => Promise.reject(locked)),
      { name: 'StorageUnavailable', message: 'gone' },
    )
    const damaged = new StorageRefused('damaged')
    await assert.rejects(
      handleRows({ ...round, storage }, [notes], keyOf, () => Promise.reject(damaged)),
      damaged,
    )
  })
})
