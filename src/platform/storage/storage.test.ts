// What both engines promise, with the same results and messages.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type CallCounter, createCallCounter } from '../../../harness/callcounter.ts'
import { eachEngine } from '../../../harness/storage.ts'
import { expectStatus, expectVersion, RowMoved } from './guard.ts'
import { openStorage } from './open.ts'
import { listFragment, type SqlValue, type Storage, StorageRefused, StorageUnavailable, type Tx } from './storage.ts'

interface Thing {
  id: string
  name: string | null
  n: number
}

eachEngine('storage', (given) => {
  let storage: Storage
  before(async () => {
    storage = await given.open({ withMigrations: false })
    await storage.write(
      (tx) => tx.sql`create table things (id text not null primary key, name text, n bigint not null check (n >= 0))`,
    )
  })

  const insert = (tx: Tx, id: string, n: number, name: string | null = null) =>
    tx.sql<Thing>`insert into things (id, name, n) values (${id}, ${name}, ${n}) returning id, name, n`
  const find = async (id: string) => {
    const [thing] = await storage.read((db) => db.sql<Thing>`select id, name, n from things where id = ${id}`)
    return thing
  }

  test('stores text, integers and null unchanged', async () => {
    const names = [
      '',
      ' ',
      "it's",
      '$1 ?1 %',
      'naïve',
      '日本語',
      '👩‍👩‍👧‍👦',
      'e\u0301',
      '\u202Eright',
      '\uFFFD',
      '\n\t\\',
      null,
    ]
    const numbers = [0, 1, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER]
    for (const [i, name] of names.entries()) {
      const thing = { id: `kept-${i}`, name, n: numbers[i % numbers.length] as number }
      assert.deepEqual(await storage.write((tx) => insert(tx, thing.id, thing.n, thing.name)), [thing])
      assert.deepEqual(await find(thing.id), thing)
    }
  })

  test('lets one transaction at a time change a locked row', async () => {
    await storage.write((tx) => insert(tx, 'taken in turns', 0))
    await Promise.all(
      Array.from({ length: 20 }, () =>
        storage.write(async (tx) => {
          await tx.lockRow`select id from things where id = ${'taken in turns'}`
          const [thing] = await tx.sql<Thing>`select n from things where id = 'taken in turns'`
          assert.ok(thing)
          // Gives the other transactions time to read the row that this one is about to change.
          await tx.sql`select count(*) from things`
          tx.send`update things set n = ${thing.n + 1} where id = 'taken in turns'`
        }),
      ),
    )
    assert.equal((await find('taken in turns'))?.n, 20)
  })

  test('refuses a guarded update of a row whose version or status has moved, and reports what was expected', async () => {
    await storage.write(async (tx) => {
      await tx.sql`create table guarded (id text not null primary key, version bigint not null, status text not null, note text not null)`
      await tx.sql`insert into guarded (id, version, status, note) values ('one', 3, 'open', '')`
    })
    const look = () => storage.read((db) => db.sql`select version, status, note from guarded`)
    const change = (before: number) => (tx: Tx) =>
      tx.send`update guarded set ${expectVersion(before, before + 1)}, note = 'changed' where id = 'one'`
    const write = (work: (tx: Tx) => void) => storage.write(async (tx) => work(tx))

    await assert.rejects(write(change(2)), (error) => {
      assert.ok(error instanceof RowMoved)
      assert.equal(error.message, 'version moved: a row of guarded was expected at version 2')
      return error.cause instanceof Error
    })
    await assert.rejects(
      write((tx) => tx.send`update guarded set ${expectStatus('locked', 'open')} where id = 'one'`),
      /status moved: a row of guarded was expected at status locked/,
    )
    assert.deepEqual(await look(), [{ version: 3, status: 'open', note: '' }])
    // A violated `not null` constraint of another column is not the guard's failure.
    await assert.rejects(
      write((tx) => tx.send`update guarded set ${expectVersion(3, 4)}, note = ${null} where id = 'one'`),
      (error) => !(error instanceof RowMoved),
    )

    await write(change(3))
    await write((tx) => tx.send`update guarded set ${expectStatus('open', 'locked')} where id = 'one'`)
    assert.deepEqual(await look(), [{ version: 4, status: 'locked', note: 'changed' }])
  })

  test('accepts rows as a table of parameters, and updates the matching rows', async () => {
    const names = ['', 'NULL', '{a,"b"}', '\\', '"', '\\"', "it's, so", '\n', '日本語', null, '$1 ?1']
    await storage.write((tx) => Promise.all(names.map((_, i) => insert(tx, `many-${i}`, i))))
    const rows = names.map((name, i) => [`many-${i}`, name, i + 100])
    const changed = await storage.write(
      (tx) => tx.sql<Thing>`
        with given (id, name, n) as (${tx.rows([...rows, ['many-none', 'x', 1]], ['text', 'text', 'bigint'])})
        update things set name = given.name, n = given.n from given where things.id = given.id
        returning things.id, things.name, things.n`,
    )
    const byNumber = changed.toSorted((one, other) => one.n - other.n)
    assert.deepEqual(
      byNumber,
      names.map((name, i) => ({ id: `many-${i}`, name, n: i + 100 })),
    )
  })

  test('reads sums and booleans as numbers, and divides integers as integers', async () => {
    const [row] = await storage.write(async (tx) => {
      await insert(tx, 'sum-1', 7)
      await insert(tx, 'sum-2', 8)
      return tx.sql`
        select sum(n) as "sum", count(*) as "count", max(n) = 8 as "yes", max(n) = 9 as "no", max(n) / ${3} as "third"
        from things where id in (${'sum-1'}, ${'sum-2'})`
    })
    assert.deepEqual(row, { sum: 15, count: 2, yes: 1, no: 0, third: 2 })
  })

  test('finds rows by a list of any length', async () => {
    const ids = Array.from({ length: 21 }, (_, i) => `list-${i}`)
    await storage.write(async (tx) => {
      for (const [i, id] of ids.entries()) await insert(tx, id, i)
    })
    for (const count of [1, 2, 3, 5, 8, 21]) {
      const rows = await storage.read(
        (db) => db.sql<Thing>`
          select id from things where n >= ${0} and id in (${listFragment(ids.slice(0, count))}) and n < ${100} order by n`,
      )
      assert.deepEqual(
        rows.map((row) => row.id),
        ids.slice(0, count),
      )
    }
    assert.throws(() => listFragment([]), /list\(\) must have at least one value/)
    assert.throws(() => listFragment(Array.from({ length: 10_000 }, () => 1)), /list\(\) must have at most/)
  })

  test('refuses a value that the engines would store differently', async () => {
    for (const value of [undefined, true, Number.NaN, Infinity, 0.5, 2 ** 53, -(2 ** 53), 1n, {}, new Date(), 'a\0b']) {
      await assert.rejects(
        storage.read((db) => db.sql`select id from things where id = ${value as string}`),
        /^Error: a SQL (value|number|text) must/,
      )
    }
    await assert.rejects(
      storage.read((db) => db.sql`select id from things where n in (${listFragment([1, 1.5])})`),
      /safe integer/,
    )
  })

  test('rolls back everything of a transaction that throws, and nothing of concurrent ones', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 9 }, (_, i) =>
        storage.write(async (tx) => {
          await insert(tx, `neighbour-${i}`, i)
          await insert(tx, `neighbour-${i}-too`, i)
          if (i % 3 === 1) throw new Error(`no ${i}`)
          if (i % 3 === 2) await insert(tx, `neighbour-${i}`, i)
          return i
        }),
      ),
    )
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.status)),
      [0, 'rejected', 'rejected', 3, 'rejected', 'rejected', 6, 'rejected', 'rejected'],
    )
    const rows = await storage.read(
      (db) => db.sql<Thing>`select id from things where id like 'neighbour-%' order by n, id`,
    )
    assert.deepEqual(
      rows.map((row) => row.id),
      [0, 3, 6].flatMap((i) => [`neighbour-${i}`, `neighbour-${i}-too`]),
    )
  })

  test('throws the error of the transaction itself', async () => {
    const refusal = new Error('out of stock')
    const throwing = (at: (work: (tx: Tx) => Promise<void>) => Promise<void>) =>
      at(async (tx) => {
        await tx.sql`select 1`
        throw refusal
      })
    await assert.rejects(throwing(storage.write), refusal)
    await assert.rejects(throwing(storage.read as typeof storage.write), refusal)
    await assert.rejects(
      storage.write(() => {
        throw refusal
      }),
      refusal,
    )
  })

  test('reports the first error, and does not commit a transaction that caught it', async () => {
    await storage.write((tx) => insert(tx, 'taken', 1))
    const swallowed = storage.write(async (tx) => {
      await insert(tx, 'swallowed', 1)
      await insert(tx, 'taken', 1).catch(() => {})
      await insert(tx, 'swallowed-too', 1).catch(() => {})
    })
    await assert.rejects(swallowed, /unique/i)
    const unawaited = storage.write(async (tx) => {
      insert(tx, 'unawaited', 1)
      insert(tx, 'taken', 1)
    })
    await assert.rejects(unawaited, /unique/i)
    const together = storage.write((tx) =>
      Promise.all([insert(tx, 'together', 1), insert(tx, 'taken', 1), tx.sql`select nonsense from things`]),
    )
    await assert.rejects(together, /unique/i)
    for (const id of ['swallowed', 'swallowed-too', 'unawaited', 'together']) assert.equal(await find(id), undefined)
  })

  test('does not commit a transaction with an invalid statement, even if that was not awaited', async () => {
    for (const bad of [undefined, 1.5, 'a\0b', {}] as unknown as SqlValue[]) {
      const unsaid = storage.write(async (tx) => {
        await insert(tx, 'before', 1)
        tx.sql`insert into things (id, n) values (${bad}, 1)`
        return 'answered'
      })
      await assert.rejects(unsaid, /^Error: a SQL (value|number|text) must/)
      const first = storage.write(async (tx) => {
        tx.sql`insert into things (id, n) values (${bad}, 1)`
        await insert(tx, 'after', 1).catch(() => {})
      })
      await assert.rejects(first, /^Error: a SQL (value|number|text) must/)
    }
    for (const id of ['before', 'after']) assert.equal(await find(id), undefined)
    await storage.write((tx) => insert(tx, 'well', 1))
    assert.ok(await find('well'))
  })

  test('refuses to write in a read transaction', async () => {
    await assert.rejects(
      storage.read((db) => db.sql`insert into things (id, n) values (${'sneaked'}, ${1})`),
      /read-?only/i,
    )
    assert.equal(await find('sneaked'), undefined)
  })

  test('runs afterCommit after the commit, and never without one', async () => {
    const told: string[] = []
    const answer = storage.write(async (tx) => {
      tx.afterCommit(() => told.push('first'))
      tx.afterCommit(() => {
        throw new Error('a listener that fails harms nobody')
      })
      tx.afterCommit(() => told.push('second'))
      await insert(tx, 'told', 1)
      assert.deepEqual(told, [])
    })
    await answer
    assert.deepEqual(told, ['first', 'second'])
    const refused = storage.write(async (tx) => {
      tx.afterCommit(() => told.push('never'))
      await insert(tx, 'told', 1)
    })
    await assert.rejects(refused)
    assert.deepEqual(told, ['first', 'second'])
  })

  // With PostgreSQL, a node that starts listening calls its listeners once, for signals that it may have missed.
  async function listenWell(storage: Storage, calls: CallCounter): Promise<() => void> {
    const stop = storage.listen('deliveries', calls.call)
    if (given.engine === 'postgres') await calls.times(1)
    calls.reset()
    return stop
  }

  test('calls listeners once the commit that sent the signal can be read', async () => {
    const storage = await given.open({ withMigrations: false })
    await storage.write((tx) => tx.sql`create table news (id text not null primary key)`)
    const news = () => storage.read((db) => db.sql`select id from news`)
    const calls = createCallCounter()
    await listenWell(storage, calls)
    const seen = new Promise((resolve, reject) => storage.listen('deliveries', () => news().then(resolve, reject)))
    await storage.write(async (tx) => {
      for (let i = 0; i < 3; i++) tx.signal('deliveries')
      await tx.sql`insert into news (id) values ('first')`
      tx.signal('deliveries')
      assert.equal(calls.count(), 0)
    })
    assert.equal(calls.count(), 1)
    assert.deepEqual(await seen, [{ id: 'first' }])
  })

  test('sends the signal of a statement that is not awaited only if the statement returned rows', async () => {
    const storage = await given.open({ withMigrations: false })
    await storage.write((tx) => tx.sql`create table news (id text not null primary key)`)
    const calls = createCallCounter()
    await listenWell(storage, calls)
    // The promise may be wrapped any number of times.
    const handed = async (rows: Promise<unknown[]>) => rows
    const insertOnce = (tx: Tx) =>
      tx.signal(
        'deliveries',
        handed(handed(tx.sql`insert into news (id) values ('one') on conflict do nothing returning id`)),
      )
    await storage.write(async (tx) => insertOnce(tx))
    assert.equal(calls.count(), 1)
    await storage.write(async (tx) => insertOnce(tx))
    const failed = storage.write(async (tx) => {
      tx.signal('deliveries', tx.sql`insert into news (id) values ('one') returning id`)
    })
    await assert.rejects(failed, /unique/i)
    const refused = storage.write(async (tx) => {
      tx.signal('deliveries', tx.sql`insert into news (id) values ('two') returning id`)
      throw new Error('no')
    })
    await assert.rejects(refused, /no/)
    const other = createCallCounter()
    storage.listen('credentials', other.call)
    await storage.write(async (tx) => tx.signal('credentials'))
    await other.times(given.engine === 'postgres' ? 2 : 1)
    assert.equal(calls.count(), 1)
  })

  test('does not throw for a signal after a failed statement, so other statements can still be awaited', async () => {
    const storage = await given.open({ withMigrations: false })
    await storage.write((tx) => tx.sql`create table news (id text not null primary key)`)
    const steps: string[] = []
    const failed = storage.write(async (tx) => {
      const others = [1, 2].map(async () => tx.sql`insert into news (id) values (null)`)
      tx.signal('deliveries', tx.sql`insert into news (id) values ('one') returning id`)
      tx.signal('deliveries')
      steps.push('signalled')
      await Promise.all(others)
    })
    await assert.rejects(failed, /null/i)
    assert.deepEqual(steps, ['signalled'])
  })

  test('sends no signals of a rolled-back transaction, and none that were not requested', async () => {
    const storage = await given.open({ withMigrations: false })
    const calls = createCallCounter()
    await listenWell(storage, calls)
    const other = createCallCounter()
    storage.listen('credentials', other.call)
    const refusal = new Error('no')
    const refused = storage.write(async (tx) => {
      tx.signal('deliveries')
      throw refusal
    })
    const swallowed = storage.write(async (tx) => {
      tx.signal('deliveries')
      await tx.sql`select nonsense`.catch(() => {})
    })
    await assert.rejects(refused, refusal)
    await assert.rejects(swallowed)
    await storage.write((tx) => tx.sql`select 1`)
    await storage.write(async (tx) => tx.signal('credentials'))
    // PostgreSQL also sends the signal back to this node, after all earlier signals.
    await other.times(given.engine === 'postgres' ? 2 : 1)
    assert.equal(calls.count(), 0)
  })

  test('no longer calls a listener that stopped', async () => {
    const storage = await given.open({ withMigrations: false })
    const [stopped, stoppedByAnother, stays] = [createCallCounter(), createCallCounter(), createCallCounter()]
    const stop = await listenWell(storage, stopped)
    let stopAnother = () => {}
    storage.listen('deliveries', () => stopAnother())
    stopAnother = storage.listen('deliveries', stoppedByAnother.call)
    storage.listen('deliveries', stays.call)
    stop()
    stop()
    await storage.write(async (tx) => tx.signal('deliveries'))
    assert.deepEqual([stopped.count(), stoppedByAnother.count(), stays.count()], [0, 0, 1])
  })

  test('reports a listener that throws, and calls the others', async () => {
    const lines: { line: string; error: string }[] = []
    const log = (line: string, fields: object = {}) => void lines.push({ line, ...(fields as { error: string }) })
    const storage = await given.open({ withMigrations: false, log })
    const calls = createCallCounter()
    storage.listen('deliveries', () => {
      throw new Error('at once')
    })
    storage.listen('deliveries', async () => {
      throw new Error('a little later')
    })
    await listenWell(storage, calls)
    await storage.write(async (tx) => tx.signal('deliveries'))
    assert.equal(calls.count(), 1)
    await turn()
    const told = lines.filter(({ line }) => line === 'a signal listener threw').map(({ error }) => error)
    assert(told.some((error) => error.includes('at once')) && told.some((error) => error.includes('a little later')))
  })

  test('limits the number of listeners', async () => {
    const storage = await given.open({ withMigrations: false })
    const stops = Array.from({ length: 100 }, () => storage.listen('credentials', () => {}))
    assert.throws(() => storage.listen('credentials', () => {}), /at most 100 signal listeners/)
    stops[0]?.()
    storage.listen('credentials', () => {})
  })

  test('gives a read one snapshot while a write commits, and the next read sees the write', async () => {
    await storage.write((tx) => insert(tx, 'watched', 1))
    const watched = async (db: Pick<Tx, 'sql'>) =>
      (await db.sql<Thing>`select n from things where id = ${'watched'}`)[0]?.n
    const seen = await storage.read(async (db) => {
      const first = await watched(db)
      await storage.write((tx) => tx.sql`update things set n = 2 where id = 'watched'`)
      const beside = await storage.read(watched)
      return [first, beside, await watched(db)]
    })
    assert.deepEqual(seen, [1, 2, 1])
    assert.equal(await storage.read(watched), 2)
  })

  test('lets every read see what was committed before', async () => {
    await storage.write((tx) => insert(tx, 'counter', 0))
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let i = 0; i < 5; i++) {
          const [mine] = await storage.write(
            (tx) => tx.sql<Thing>`update things set n = n + 1 where id = 'counter' returning n`,
          )
          const seen = await find('counter')
          assert(mine && seen && seen.n >= mine.n, `wrote ${mine?.n}, saw ${seen?.n}`)
        }
      }),
    )
    assert.equal((await find('counter'))?.n, 100)
  })

  test('never sells more than the stock under concurrent writes', async () => {
    await storage.write((tx) => insert(tx, 'stock', 50))
    const sold = await Promise.all(
      Array.from({ length: 200 }, () =>
        storage.write(async (tx) => {
          const rows = await tx.sql`update things set n = n - 1 where id = 'stock' and n > 0 returning n`
          return rows.length
        }),
      ),
    )
    assert.equal(
      sold.reduce((sum, n) => sum + n, 0),
      50,
    )
    assert.equal((await find('stock'))?.n, 0)
    await assert.rejects(
      storage.write((tx) => tx.sql`update things set n = n - 1 where id = 'stock'`),
      /check/i,
    )
  })

  test('locks a row that is read for update', async () => {
    await storage.write((tx) => insert(tx, 'locked', 0))
    await Promise.all(
      Array.from({ length: 20 }, () =>
        storage.write(async (tx) => {
          const [row] = await tx.sql<Thing>`select n from things where id = ${'locked'} ${tx.forUpdate}`
          await tx.sql`update things set n = ${(row?.n ?? 0) + 1} where id = ${'locked'}`
        }),
      ),
    )
    assert.equal((await find('locked'))?.n, 20)
    const claimed = await storage.write(
      (tx) => tx.sql<Thing>`select id from things where id = ${'locked'} order by id limit ${1} ${tx.skipLocked}`,
    )
    assert.deepEqual(claimed, [{ id: 'locked' }])
  })

  test('releases the rows of a failed transaction once that is rolled back', async () => {
    await storage.write((tx) => insert(tx, 'let-go', 1))
    const lock = (tx: Tx) => tx.sql`select id from things where id = 'let-go' ${tx.skipLocked}`
    for (let round = 0; round < 20; round += 1) {
      const failing = storage.write(async (tx) => {
        await lock(tx)
        throw new Error('no')
      })
      await assert.rejects(failing, /^Error: no$/)
      await storage.rolledBack()
      assert.equal((await storage.write(lock)).length, 1)
    }
  })

  test('ends a Reader and a Tx together with their transaction', async () => {
    const tx = await storage.write(async (tx) => tx)
    const db = await storage.read(async (db) => db)
    const fled = await storage
      .write(async (tx) => {
        await insert(tx, 'fled', 1)
        throw Object.assign(new Error('fled'), { tx })
      })
      .catch((error: { tx: Tx }) => error.tx)
    for (const handle of [tx, db, fled]) await assert.rejects(handle.sql`select 1`, /has ended/)
    assert.throws(() => tx.afterCommit(() => {}), /has ended/)
    assert.throws(() => tx.signal('deliveries'), /has ended/)
  })

  test('aborts a transaction that waits for something outside the database, and continues', async () => {
    const storage = await given.open({ withMigrations: false, workMsMax: 1_500 })
    await storage.write((tx) => tx.sql`create table slow (id bigint not null primary key)`)
    const { promise: world, resolve: turnWorld } = Promise.withResolvers<void>()
    const { promise: isLate, resolve: beLate } = Promise.withResolvers<{ insert: Promise<unknown> }>()
    const forEver = storage.write(async (tx) => {
      await tx.sql`insert into slow (id) values (1)`
      await world
      const insert = tx.sql`insert into slow (id) values (2)`
      beLate({ insert })
      await insert
    })
    const next = storage.write((tx) => tx.sql`insert into slow (id) values (3)`)
    await assert.rejects(forEver, StorageUnavailable)
    await next
    turnWorld()
    await assert.rejects((await isLate).insert, /has ended/)
    assert.deepEqual(await storage.read((db) => db.sql`select id from slow`), [{ id: 3 }])
  })

  test('finishes transactions in progress when it is closed, and refuses others', async () => {
    const url = await given.freshUrl()
    const first = await given.open({ url, withMigrations: false })
    await first.write((tx) => tx.sql`create table kept (id bigint not null primary key)`)
    const writes = Array.from({ length: 300 }, (_, i) =>
      first.write((tx) => tx.sql`insert into kept (id) values (${i})`),
    )
    const reading = first.read(async (db) => {
      await turn()
      return db.sql`select 1 as "one"`
    })
    first.listen('deliveries', () => {})
    const closing = [first.close(), first.close()]
    assert.throws(() => first.listen('deliveries', () => {}), StorageUnavailable)
    await assert.rejects(
      first.write(async () => 1),
      StorageUnavailable,
    )
    await assert.rejects(
      first.read(async () => 1),
      StorageUnavailable,
    )
    await Promise.all([...writes, ...closing])
    assert.deepEqual(await reading, [{ one: 1 }])
    const second = await given.open({ url, withMigrations: false })
    assert.deepEqual(await second.read((db) => db.sql`select count(*) as "count" from kept`), [{ count: 300 }])
  })

  test('counts its transactions', async () => {
    const before = storage.stats()
    await storage.write((tx) => tx.sql`select 1`)
    const after = storage.stats()
    assert.equal(after.engine, given.engine)
    assert.equal(after.writes.commits, before.writes.commits + 1)
    assert.equal(after.writes.works, before.writes.works + 1)
    assert(after.connections.open >= 1)
  })
})

test('opening a storage refuses an invalid URL without repeating it', async () => {
  const urls = ['', 'mysql://root:secret@host/db', 'sqlite:', 'sqlite::memory:', 'sqlite://data.db', 'secret.db']
  for (const url of urls) {
    await assert.rejects(openStorage(url), (error: Error) => {
      assert(error instanceof StorageRefused)
      assert(!error.message.includes('secret') && !error.message.includes('\n'))
      return true
    })
  }
})

test('opening a storage refuses an unusable file or server without showing the password', async () => {
  const urls = [
    'sqlite:/dev',
    'sqlite:/dev/null/x.db',
    'postgres://u:secret@127.0.0.1:1/db',
    'postgres://u:secret@:bad:/x',
  ]
  for (const url of urls) {
    await assert.rejects(openStorage(url), (error: Error) => {
      assert(error instanceof StorageRefused)
      assert(!JSON.stringify([error.message, String(error.cause)]).includes('secret') && !error.message.includes('\n'))
      return true
    })
  }
})
