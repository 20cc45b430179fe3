// What only SQLite promises: groups of writes, one server per file, and a file that survives failures.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createCallCounter } from '../../../harness/callcounter.ts'
import { givenOthers, type Other } from '../../../harness/other.ts'
import { pausesOf } from '../../../harness/pauses.ts'
import { givenEngine, type OpenOptions } from '../../../harness/storage.ts'
import { checkBeside } from './check.ts'
import { openStorage } from './open.ts'
import { Fragment, type Storage, type StorageOptions, StorageRefused, StorageUnavailable } from './storage.ts'

describe('sqlite', () => {
  const given = givenEngine('sqlite')
  const start = givenOthers()

  async function openThings(options: OpenOptions = {}): Promise<{ url: string; file: string; storage: Storage }> {
    const url = await given.freshUrl()
    const storage = await given.open({ url, withMigrations: false, ...options })
    await storage.write(
      (tx) => tx.sql`create table things (id text not null primary key, n bigint not null check (n >= 0))`,
    )
    return { url, file: url.slice('sqlite:'.length), storage }
  }

  const insert = (storage: Storage, id: string) =>
    storage.write((tx) => tx.sql`insert into things (id, n) values (${id}, ${1})`)
  const countOf = async (storage: Storage) => {
    const [row] = await storage.read((db) => db.sql<{ count: number }>`select count(*) as "count" from things`)
    return row?.count
  }

  async function firstAcknowledged(writer: Other): Promise<string> {
    for (;;) {
      const line = await writer.line()
      assert(line !== undefined, 'the writer ended by itself')
      if (line.startsWith('c')) return line
    }
  }

  // Resolves with the finding of the check that runs beside a server.
  function listenForCheck(): { checked: Promise<string>; log: NonNullable<StorageOptions['log']> } {
    const { promise, resolve } = Promise.withResolvers<string>()
    const log = (line: string, fields: { finding?: string } = {}) => {
      if (line === 'the database file was checked') resolve(String(fields.finding))
    }
    return { checked: promise, log }
  }

  test('logs once that writes fail, at the first failure, and once more when a write succeeds again', async () => {
    const url = await given.freshUrl()
    const lines: string[] = []
    const storage = await given.open({ url, busyMsMax: 50, log: (line) => void lines.push(line) })
    const write = () => storage.write((tx) => tx.sql`delete from merchants`)
    await storage.checkWrites()
    const other = new DatabaseSync(url.slice('sqlite:'.length))
    other.exec('begin immediate')
    await assert.rejects(write(), StorageUnavailable)
    await assert.rejects(storage.checkWrites(), StorageUnavailable)
    other.exec('rollback')
    other.close()
    await storage.checkWrites()
    await write()
    assert.deepEqual(lines, ['the database is unavailable', 'the database is back'])
  })

  test('logs that it is back only after a write of usual size succeeds, not after small writes', async () => {
    const lines: string[] = []
    let isFull = true
    const tryRoom = async () => {
      if (isFull) throw new Error('ENOSPC: no space left on device')
    }
    const { storage } = await openThings({ withMigrations: true, tryRoom, log: (line) => void lines.push(line) })
    const fill = () =>
      storage.write((tx) => tx.sql`insert into things (id, n) values (${'x'.repeat(500_000) + Math.random()}, 1)`)
    const [size] = await storage.read(
      (db) => db.sql<{ pages: number }>`select page_count as "pages" from pragma_page_count`,
    )
    const limit = new Fragment(`pragma max_page_count = ${(size?.pages ?? 0) + 10}`)
    await storage.write((tx) => tx.sql`${limit}`)
    for (let round = 0; round < 3; round += 1) {
      await assert.rejects(fill(), StorageUnavailable)
      await insert(storage, `small ${round}`)
      await assert.rejects(storage.checkWrites(), /ENOSPC/)
    }
    assert.deepEqual(lines, ['the database is unavailable'])
    const free = new Fragment('pragma max_page_count = 1000000')
    await storage.write((tx) => tx.sql`${free}`)
    isFull = false
    await storage.checkWrites()
    await fill()
    await storage.checkWrites()
    assert.deepEqual(lines, ['the database is unavailable', 'the database is back'])
  })

  test('becomes available again through a test write of its own', async () => {
    const { promise: back, resolve } = Promise.withResolvers<void>()
    const { storage, file } = await openThings({
      withMigrations: true,
      log: (line) => void (line === 'the database is back' && resolve()),
    })
    const none = new Fragment('pragma max_page_count = 1')
    const all = new Fragment('pragma max_page_count = 1000000')
    await storage.write((tx) => tx.sql`${none}`)
    await assert.rejects(
      storage.write((tx) => tx.sql`insert into things (id, n) values (${'x'.repeat(500_000)}, 1)`),
      StorageUnavailable,
    )
    await storage.write((tx) => tx.sql`${all}`)
    await back
    const { bytes, freeBytes } = await storage.space()
    assert.ok(bytes > 4_096 && (freeBytes ?? 0) > 4_096)
    assert.deepEqual(
      (await readdir(dirname(file))).filter((name) => name.endsWith('-room')),
      [],
    )
  })

  test('has another commit mark after each commit, also of another connection, but not after a read', async () => {
    const { storage, file } = await openThings()
    const first = storage.commitMark()
    assert.equal(await countOf(storage), 0)
    const marks = [first, storage.commitMark()]
    await insert(storage, 'one')
    marks.push(storage.commitMark())
    const other = new DatabaseSync(file)
    other.exec("insert into things (id, n) values ('two', 1)")
    other.close()
    marks.push(storage.commitMark())
    assert.equal(marks[1], first)
    assert.equal(new Set(marks).size, 3)
    assert.ok(!marks.includes(undefined))
  })

  test('commits concurrent transactions in groups', async () => {
    const { storage } = await openThings({ groupWorksMax: 10, groupMsMax: 60_000 })
    const before = storage.stats().writes
    await Promise.all(Array.from({ length: 95 }, (_, i) => insert(storage, `${i}`)))
    const after = storage.stats().writes
    assert.deepEqual([after.works - before.works, after.commits - before.commits], [95, 10])
    await insert(storage, 'alone')
    assert.equal(storage.stats().writes.commits, after.commits + 1)
  })

  test('calls a listener once per group, however many of its transactions sent a signal', async () => {
    const { storage } = await openThings({ groupWorksMax: 10, groupMsMax: 60_000 })
    const calls = createCallCounter()
    storage.listen('deliveries', calls.call)
    await Promise.all(Array.from({ length: 95 }, () => storage.write(async (tx) => tx.signal('deliveries'))))
    assert.equal(calls.count(), 10)
  })

  test('returns no result of a group before its commit, not even a refusal', async () => {
    const { storage } = await openThings({ groupWorksMax: 100, groupMsMax: 60_000 })
    const order: string[] = []
    const refused = storage.write(async () => {
      throw new Error('refused')
    })
    const works = [
      refused.catch(() => order.push('told the refusal')),
      storage.write(async () => order.push('second ran')).then(() => order.push('told the second')),
      storage.write(async () => order.push('third ran')).then(() => order.push('told the third')),
    ]
    await Promise.all(works)
    assert.deepEqual(order.slice(0, 2), ['second ran', 'third ran'])
    assert.deepEqual(order.slice(2).sort(), ['told the refusal', 'told the second', 'told the third'])
  })

  test('rolls back only the failed transactions of a group, also when it repeats the others', async () => {
    const { storage } = await openThings({ groupWorksMax: 100, groupMsMax: 60_000 })
    for (const round of ['first', 'cautious']) {
      const calls = createCallCounter()
      const stop = storage.listen('deliveries', calls.call)
      const committed: string[] = []
      const before = storage.stats().writes
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) =>
          storage.write(async (tx) => {
            const seen = await tx.sql<{ count: number }>`
              select count(*) as "count" from things where id like ${`${round}%`}`
            await tx.sql`insert into things (id, n) values (${`${round} ${i}`}, ${seen[0]?.count ?? -1})`
            tx.afterCommit(() => committed.push(`${i}`))
            tx.signal('deliveries')
            if (i % 4 === 2) throw new Error(`refused ${i}`)
            return seen[0]?.count
          }),
        ),
      )
      const told = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message))
      assert.deepEqual(told, [0, 1, 'refused 2', 2, 3, 4, 'refused 6', 5, 6, 7, 'refused 10', 8])
      assert.deepEqual(committed, ['0', '1', '3', '4', '5', '7', '8', '9', '11'])
      const rows = await storage.read(
        (db) => db.sql<{ n: number }>`select n from things where id like ${`${round}%`} order by n`,
      )
      assert.deepEqual(
        rows.map(({ n }) => n),
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
      )
      const after = storage.stats().writes
      assert.deepEqual([after.works - before.works, after.commits - before.commits, calls.count()], [12, 1, 1])
      stop()
    }
  })

  test('runs a transaction that takes too long only once, and still commits the others of its group', async () => {
    const { storage } = await openThings({ groupWorksMax: 10, groupMsMax: 60_000, workMsMax: 40 })
    let runs = 0
    const outcomes = await Promise.allSettled([
      insert(storage, 'before'),
      storage.write(async () => {
        runs += 1
        await new Promise(() => {})
      }),
      insert(storage, 'after'),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual([runs, await countOf(storage)], [1, 2])
  })

  test('limits its queue', async () => {
    const { storage } = await openThings({ queueMax: 5 })
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, i) => insert(storage, `${i}`)))
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason instanceof StorageUnavailable),
      [false, false, false, false, false, true, true, true],
    )
    assert.equal(await countOf(storage), 5)
  })

  test('waits for a read connection if all are in use', async () => {
    const { storage } = await openThings()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = Array.from({ length: 4 }, () => storage.read(() => released))
    const waiting = countOf(storage)
    assert.deepEqual(storage.stats().connections, { open: 5, idle: 0, waiting: 1 })
    release()
    await Promise.all(slow)
    assert.equal(await waiting, 0)
  })

  test('aborts a read that waits for something outside the database', async () => {
    const { storage } = await openThings({ workMsMax: 50 })
    const reading = storage.read(async (db) => {
      await pause(200)
      return db.sql`select 1`
    })
    await assert.rejects(reading, /has ended/)
    assert.deepEqual(storage.stats().connections, { open: 2, idle: 1, waiting: 0 })
  })

  test('aborts a transaction that waits for another write, without blocking the queue', async () => {
    const { storage } = await openThings({ workMsMax: 100 })
    let inner: Promise<unknown> | undefined
    const outer = storage.write(async () => {
      inner = insert(storage, 'inner')
      await inner
    })
    await assert.rejects(outer, StorageUnavailable)
    await inner
    assert.equal(await countOf(storage), 1)
  })

  test('survives a full disk: what the group has written so far is refused, and later writes succeed', async () => {
    const { storage } = await openThings({ groupWorksMax: 100, groupMsMax: 60_000 })
    const limit = (pages: number) => storage.write((tx) => tx.sql([`pragma max_page_count = ${pages}`] as never))
    await limit(20)
    const outcomes = await Promise.allSettled([
      insert(storage, 'before'),
      storage.write(async (tx) => {
        await tx.sql`insert into things (id, n) values (${'x'.repeat(500_000)}, ${1})`.catch(() => {})
        // Outside the lost transaction, this statement would be committed by itself.
        await tx.sql`insert into things (id, n) values (${'stray'}, ${1})`.catch(() => {})
      }),
      insert(storage, 'after'),
    ])
    const unavailable = outcomes.map((o) => o.status === 'rejected' && o.reason instanceof StorageUnavailable)
    assert.deepEqual(unavailable, [true, true, false])
    await limit(100_000)
    await insert(storage, 'later')
    assert.deepEqual(await storage.read((db) => db.sql`select id from things order by id`), [
      { id: 'after' },
      { id: 'later' },
    ])
  })

  test('keeps every acknowledged write after kill -9, and checks the file each time', async (t) => {
    const pauseMs = pausesOf(t)
    const { url, storage } = await openThings()
    await storage.close()
    const acknowledged: string[] = []
    const waits: number[] = []
    for (let cycle = 0; cycle < 6; cycle++) {
      const writer = start('write', url, `c${cycle}`)
      assert.equal(await writer.line(), 'the last shutdown was not clean; checking the database file')
      assert.equal(await writer.line(), 'open')
      // Even on a slow disk, at least one write must be acknowledged before the kill.
      if (cycle === 0) acknowledged.push(await firstAcknowledged(writer))
      const waitMs = pauseMs(150)
      waits.push(waitMs)
      await pause(waitMs)
      const killed = writer.kill()
      acknowledged.push(...(await writer.rest()).filter((line) => line.startsWith('c')))
      await killed
    }
    const { checked, log } = listenForCheck()
    const reopened = await given.open({ url, withMigrations: false, server: true, log })
    assert.equal(await checked, 'ok')
    const kept = new Set(
      (await reopened.read((db) => db.sql<{ id: string }>`select id from things`)).map((row) => row.id),
    )
    const lost = acknowledged.filter((id) => !kept.has(id))
    assert.deepEqual(lost, [], `killed after ${waits} ms`)
    assert(acknowledged.length > 0)
  })

  test('allows one server per file, and the command line can write beside it', async () => {
    const { url, file, storage } = await openThings({ server: true })
    await assert.rejects(openStorage(url, { server: true }), (error) => {
      assert(error instanceof StorageRefused)
      assert.match(error.message, /^another Cartwright server has the database .* open: /)
      return true
    })
    const second = start('serve', url)
    assert.match(String(await second.line()), /^StorageRefused: another Cartwright server has the database .* open: /)

    const shell = start('insert', url, 'shell', '40')
    const writing = { on: true }
    const ended = shell.finish().finally(() => (writing.on = false))
    let mine = 0
    while (writing.on) await Promise.all(Array.from({ length: 5 }, () => insert(storage, `server-${mine++}`)))
    assert.equal(await ended, 0)
    assert.equal(await countOf(storage), mine + 40)

    // After a clean shutdown the file is not checked, and the next server can open it immediately.
    await storage.close()
    const checks: string[] = []
    const next = await given.open({ url, withMigrations: false, server: true, log: (line) => checks.push(line) })
    assert.deepEqual(checks, [])
    await next.close()
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(`${file}.lock`).mode & 0o777, 0o600)
  })

  test('waits for another process that writes, without blocking the event loop', async () => {
    const { file, storage } = await openThings({ busyMsMax: 60_000 })
    const other = start('hold', file)
    assert.equal(await other.line(), 'held')
    const before = performance.eventLoopUtilization()
    const waiting = insert(storage, 'patient')
    await pause(300)
    // Measured by utilization and not by the clock: on a busy machine, this process may wait for its turn.
    const { active, utilization } = performance.eventLoopUtilization(before)
    assert(utilization < 0.75, `the event loop stood still for ${Math.round(active)} ms`)
    assert.equal(await countOf(storage), 0)
    // Reached only if the event loop is not blocked.
    assert.equal(await other.finish(), 0)
    await waiting
    assert.equal(await countOf(storage), 1)
  })

  test('stops waiting for another process that writes endlessly, and still reads', async () => {
    const { file, storage } = await openThings({ busyMsMax: 200 })
    const other = start('hold', file)
    assert.equal(await other.line(), 'held')
    const outcomes = await Promise.allSettled([insert(storage, 'a'), insert(storage, 'b')])
    for (const outcome of outcomes)
      assert(outcome.status === 'rejected' && outcome.reason instanceof StorageUnavailable)
    assert.equal(await countOf(storage), 0)
    await other.finish()
    await insert(storage, 'c')
    assert.equal(await countOf(storage), 1)
  })

  test('refuses a file that is not a database', async () => {
    const url = await given.freshUrl()
    writeFileSync(url.slice('sqlite:'.length), 'this is not a database, and long enough to be read as one'.repeat(100))
    await assert.rejects(
      openStorage(url, { server: true }),
      /^StorageRefused: the storage file cannot be opened: .*not a database/,
    )
  })

  async function manyThings(): Promise<{ url: string; file: string }> {
    const { url, file, storage } = await openThings()
    for (let i = 0; i < 300; i++) await insert(storage, `${i}`.padStart(400, 'x'))
    await storage.close()
    return { url, file }
  }

  test('refuses a truncated file', async () => {
    const { url, file } = await manyThings()
    truncateSync(file, statSync(file).size - 3 * 4096)
    for (let attempt = 0; attempt < 2; attempt++)
      await assert.rejects(openStorage(url, { server: true }), /^StorageRefused: .*malformed/)
  })

  // Damages a page in the middle of the file, which opening the file does not read.
  async function damagedThings(): Promise<{ url: string; file: string; whole: Buffer }> {
    const { url, file } = await manyThings()
    const whole = readFileSync(file)
    writeFileSync(file, Buffer.from(whole).fill('x', 20 * 4096, 21 * 4096))
    return { url, file, whole }
  }

  test('checks the file before its use after an unclean shutdown, if that is requested', async () => {
    const { url, file, whole } = await damagedThings()
    const damaged = /^StorageRefused: the database file .* is damaged/
    await assert.rejects(openStorage(url, { server: true, checksFirst: true }), damaged)
    writeFileSync(file, whole)
    const storage = await openStorage(url, { server: true, checksFirst: true })
    await storage.close()
    // The last server shut down cleanly and its check found no damage, so nothing is logged.
    const lines: string[] = []
    await (await openStorage(url, { server: true, log: (line) => lines.push(line) })).close()
    assert.deepEqual(lines, [])
  })

  test('finds a damaged file while it serves after an unclean shutdown, and then refuses all use', async () => {
    const { url, file, whole } = await damagedThings()
    const { promise: damaged, resolve: onDamage } = Promise.withResolvers<StorageRefused>()
    const storage = await openStorage(url, { server: true, onDamage })
    const damage = await damaged
    assert.match(String(damage), /^StorageRefused: the database file .* is damaged: restore a backup /)
    const told = (error: unknown) => error instanceof StorageUnavailable && error.message === damage.message
    await assert.rejects(insert(storage, 'late'), told)
    await assert.rejects(countOf(storage), told)
    await storage.close()

    // From now on the file is checked before it is used, at every start.
    for (let attempt = 0; attempt < 2; attempt++)
      await assert.rejects(openStorage(url, { server: true }), /^StorageRefused: the database file .* is damaged/)

    // After a repair, the file is served immediately and the damage is forgotten.
    writeFileSync(file, whole)
    const lines: string[] = []
    const log = (line: string) => lines.push(line)
    const mended = await openStorage(url, { server: true, log })
    assert.deepEqual(lines, ['the database file was checked before use'])
    assert.equal(await countOf(mended), 300)
    await mended.close()
    await (await openStorage(url, { server: true, log })).close()
    assert.equal(lines.length, 1)
  })

  test('logs how long a check took, without the time in which its server was busy', async () => {
    const { url, file, whole } = await damagedThings()
    writeFileSync(file, whole)
    const { promise: tookMs, resolve } = Promise.withResolvers<number>()
    const log = (line: string, fields: { tookMs?: number } = {}) => {
      if (line === 'the database file was checked') resolve(fields.tookMs ?? Number.NaN)
    }
    const storage = await openStorage(url, { server: true, log })
    // Blocks the thread, like a long migration.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000)
    assert.ok((await tookMs) < 3_000, `${await tookMs} ms`)
    await storage.close()
  })

  test('checks again at the next start if it was closed before the check had ended', async () => {
    const { url } = await damagedThings()
    const lines: string[] = []
    for (let time = 0; time < 2; time++) {
      const storage = await openStorage(url, { server: true, log: (line) => lines.push(line) })
      await storage.close()
    }
    assert.deepEqual(lines, Array(2).fill('the last shutdown was not clean; checking the database file'))
  })

  test('ends a check together with its server, even during a blocked read', async () => {
    const { file } = await openThings()
    // Opening a named pipe blocks until another process writes to it.
    const endless = `${file}.pipe`
    execFileSync('mkfifo', [endless])
    const check = spawn(process.execPath, [join(import.meta.dirname, 'check.js'), endless], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    const closed = once(check, 'close')
    check.stdin.end()
    assert.deepEqual(await closed, [null, 'SIGKILL'])
  })

  test('aborts a check that keeps the write-ahead log from being truncated during many writes', async () => {
    const { file, storage } = await openThings()
    const endless = `${file}.check`
    writeFileSync(endless, '#!/bin/sh\nexec sleep 60\n', { mode: 0o700 })
    const { execPath } = process
    const { promise: told, resolve } = Promise.withResolvers<object | undefined>()
    const log = (line: string, fields?: object) => line === 'the database file could not be checked' && resolve(fields)
    process.execPath = endless
    try {
      checkBeside(file, log, assert.fail, { logBytesMax: 200_000, lookMs: 1 })
    } finally {
      process.execPath = execPath
    }
    for (let i = 0; i < 100; i++) await insert(storage, `${i}`.padStart(4_000, 'x'))
    assert.match(JSON.stringify(await told), /the write-ahead log grew too large/)
    await insert(storage, 'after')
  })

  test('works if a check was impossible, and repeats the check at the next start', async () => {
    const { url, file, storage } = await openThings()
    await storage.close()
    const { execPath } = process
    const { promise: told, resolve } = Promise.withResolvers<object | undefined>()
    process.execPath = `${file}.no-such-program`
    const open = openStorage(url, {
      server: true,
      log: (line, fields) => line === 'the database file could not be checked' && resolve(fields),
    })
    const unchecked = await open.finally(() => {
      process.execPath = execPath
    })
    assert.match(JSON.stringify(await told), /ENOENT/)
    await insert(unchecked, 'a')
    await unchecked.close()
    const { checked, log } = listenForCheck()
    await given.open({ url, withMigrations: false, server: true, log })
    assert.equal(await checked, 'ok')
  })
})
