// What only PostgreSQL promises: few round trips, retries of lost races, and a pool that survives a restart of the server.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { createCallCounter } from '../../../../harness/callcounter.ts'
import { givenOthers } from '../../../../harness/other.ts'
import { command, freshDatabase, startCluster } from '../../../../harness/postgres.ts'
import { givenEngine } from '../../../../harness/storage.ts'
import { ticked } from '../../../../harness/timed.ts'
import {
  type Storage,
  type StorageOptions,
  StorageOutage,
  StorageRefused,
  StorageUnavailable,
  type Tx,
} from '../storage.ts'
import { DEFAULTS, silenceMs } from './bounds.ts'

interface Thing {
  id: string
  n: number
}

describe('postgres', () => {
  const given = givenEngine('postgres')
  const start = givenOthers()
  const bare = { withMigrations: false }

  async function openThings(options: StorageOptions = {}, url?: string): Promise<{ url: string; storage: Storage }> {
    const store = url ?? (await given.freshUrl())
    const storage = await given.open({ url: store, withMigrations: false, ...options })
    await storage.write(async (tx) => {
      await tx.sql`create table things (id text not null primary key, n bigint not null)`
      await tx.sql`insert into things (id, n) values ('a', 0), ('b', 0)`
    })
    return { url: store, storage }
  }

  const increase = (tx: Tx, id: string) => tx.sql<Thing>`update things set n = n + 1 where id = ${id} returning id, n`
  const listThings = (storage: Storage) => storage.read((db) => db.sql<Thing>`select id, n from things order by id`)

  // A log that collects its messages without their fields.
  function openLines(): { lines: string[]; log: NonNullable<StorageOptions['log']> } {
    const lines: string[] = []
    return { lines, log: (line) => void lines.push(line) }
  }

  test('retries a deadlock until both transactions succeed', async () => {
    const { storage } = await openThings()
    const holding = { a: signal(), b: signal() }
    const crosswise = (first: 'a' | 'b', second: 'a' | 'b') =>
      storage.write(async (tx) => {
        await increase(tx, first)
        holding[first].raise()
        await holding[second].raised
        await increase(tx, second)
      })
    await Promise.all([crosswise('a', 'b'), crosswise('b', 'a')])
    assert.deepEqual(await listThings(storage), [
      { id: 'a', n: 2 },
      { id: 'b', n: 2 },
    ])
    assert(storage.stats().writes.retries >= 1)
  })

  test('gives up after five tries of a serialization failure', async () => {
    const { storage } = await openThings()
    let tries = 0
    const losing = storage.write(async (tx) => {
      tries += 1
      await increase(tx, 'a')
      await tx.sql`do $$ begin raise exception using errcode = '40001'; end $$`
    })
    await assert.rejects(losing, { name: StorageUnavailable.name, message: 'gave up after 5 tries' })
    assert.equal(tries, 5)
    assert.equal(storage.stats().writes.retries, 4)
    assert.deepEqual((await listThings(storage))[0], { id: 'a', n: 0 })
  })

  test('limits the time of a statement and the wait for a lock', async () => {
    const { url, storage } = await openThings()
    const hasty = await given.open({ url, withMigrations: false, statementMsMax: 1_000 })
    await assert.rejects(
      hasty.read((db) => db.sql`select pg_sleep(10)`),
      StorageUnavailable,
    )
    const impatient = await given.open({ url, withMigrations: false, lockMsMax: 100 })
    await storage.write(async (tx) => {
      await increase(tx, 'a')
      await assert.rejects(
        impatient.write((other) => increase(other, 'a')),
        StorageUnavailable,
      )
    })
    await impatient.write((tx) => increase(tx, 'a'))
    assert.deepEqual((await listThings(storage))[0], { id: 'a', n: 2 })
  })

  test('limits the wait for a connection and the number of waiting callers', async () => {
    const { storage } = await openThings({ connectionsMax: 1, stallMsMax: 100, queueMax: 2 })
    await storage.read(async (db) => {
      await db.sql`select 1`
      const outcomes = await Promise.allSettled(Array.from({ length: 3 }, () => storage.read(async () => {})))
      for (const outcome of outcomes)
        assert(outcome.status === 'rejected' && outcome.reason instanceof StorageUnavailable)
      assert.match(String(outcomes[2]?.status === 'rejected' && outcomes[2].reason), /too many/)
    })
    assert.equal((await listThings(storage)).length, 2)
  })

  test('serves many concurrent callers in turn without a timeout, as long as connections are released', async () => {
    const { storage } = await openThings({ connectionsMax: 2, connectMsMax: 1_000, stallMsMax: 5_000 })
    await Promise.all([listThings(storage), listThings(storage)])
    const works = Array.from({ length: 60 }, () => storage.write((tx) => tx.sql`select pg_sleep(0.03)`))
    assert.equal((await Promise.all(works)).length, 60)
    assert.equal(storage.stats().connections.waiting, 0)
  })

  test('releases every connection, whatever the work does', async () => {
    const { storage } = await openThings({ connectionsMax: 2 })
    for (let i = 0; i < 10; i++) {
      await storage.write(async () => {})
      await assert.rejects(storage.write((tx) => tx.sql`select nonsense`))
      await assert.rejects(
        storage.write(async (tx) => {
          await increase(tx, 'a')
          throw new Error('no')
        }),
      )
      await assert.rejects(storage.write((tx) => tx.sql`select ${undefined as never}`))
      await storage.read((db) => Promise.all([db.sql`select 1`, db.sql`select 2`]))
    }
    await until(() => storage.stats().connections.idle === storage.stats().connections.open)
    assert(storage.stats().connections.open <= 2)
  })

  test('works with fewer connections than are configured', async () => {
    const url = await given.freshUrl()
    const role = `few_${randomBytes(6).toString('hex')}`
    await command(url, `create role ${role} login password 'few' connection limit 3`)
    given.later(() => command(url, `drop owned by ${role}; drop role ${role}`))
    await command(url, `grant all on schema public to ${role}`)
    const limited = new URL(url)
    limited.username = role
    limited.password = 'few'
    const { storage } = await openThings({ connectionsMax: 16 }, limited.href)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, () => storage.write((tx) => increase(tx, 'a'))),
    )
    assert.deepEqual(
      outcomes.filter(({ status }) => status === 'rejected'),
      [],
    )
    assert.equal((await listThings(storage))[0]?.n, 60)
    assert.ok(storage.stats().connections.open <= 3)
    await storage.close()
  })

  test('is unavailable while the primary is a standby, and finds the new primary without a restart', async () => {
    const { lines, log } = openLines()
    const { url, storage } = await openThings({ log })
    const database = new URL(url).pathname.slice(1)
    const elsewhere = new URL(url)
    elsewhere.pathname = '/postgres'
    const become = (state: 'on' | 'off') =>
      command(elsewhere.href, `alter database ${database} set default_transaction_read_only = ${state}`)
    await storage.checkWrites()
    await become('on')
    await command(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await assert.rejects(
      storage.write((tx) => increase(tx, 'a')),
      StorageUnavailable,
    )
    await assert.rejects(storage.checkWrites(), StorageUnavailable)
    assert.equal((await listThings(storage))[0]?.n, 0)
    await assert.rejects(
      storage.write((tx) => increase(tx, 'a')),
      StorageOutage,
    )
    assert.deepEqual(lines, ['the database is unavailable'])
    // Existing connections stay open, as when a server is demoted while they are idle.
    await Promise.all(Array.from({ length: 5 }, () => listThings(storage)))
    await become('off')
    await storage.write((tx) => increase(tx, 'a'))
    await storage.checkWrites()
    assert.equal((await listThings(storage))[0]?.n, 1)
    assert.deepEqual(lines, ['the database is unavailable', 'the database is back'])
  })

  test('reports a write in a read transaction as an error, not as an outage', async () => {
    const { storage } = await openThings()
    await assert.rejects(
      storage.read((db) => db.sql`update things set n = 1`),
      { code: '25006' },
    )
  })

  test('names a prepared statement by its text, equally in every process', async () => {
    const { url, storage } = await openThings({ connectionsMax: 1 })
    const other = await given.open({ url, withMigrations: false, connectionsMax: 1 })
    const namesIn = (of: Storage) =>
      of.read(async (db) => {
        await db.sql`select n from things where id = ${'a'}`
        return db.sql<{ name: string }>`
          select name from pg_prepared_statements where statement = 'select n from things where id = $1'`
      })
    await storage.read((db) => db.sql`select 'a statement that only this one knows'`)
    const [here, there] = [await namesIn(storage), await namesIn(other)]
    assert.match(here[0]?.name ?? '', /^cartwright_[\w-]{22}$/)
    assert.deepEqual(here, there)
  })

  test('is refused behind a pooler that loses prepared statements', async () => {
    const pooler = await startPooler(await given.freshUrl())
    await assert.rejects(given.open({ url: pooler, withMigrations: false }), {
      name: StorageRefused.name,
      message: /forgets prepared statements/,
    })
  })

  test('fails all callers quickly while the server is unreachable', async () => {
    const cluster = await startCluster()
    after(() => cluster.stop())
    const { url } = await freshDatabase({ cluster: cluster.url })
    const { storage } = await openThings({ connectMsMax: 2_000 }, url)
    await cluster.halt()
    const { value: outcomes, ms } = await ticked(() =>
      Promise.allSettled(Array.from({ length: 40 }, () => listThings(storage))),
    )
    assert.ok(outcomes.every(({ status }) => status === 'rejected'))
    // One after the other, they would take 80 s.
    assert.ok(ms < 20_000)
    await cluster.resume()
    await storage.close()
  })

  test('logs the beginning of an outage in one line, and its end in another', async () => {
    const cluster = await startCluster()
    after(() => cluster.stop())
    const { url } = await freshDatabase({ cluster: cluster.url })
    const { lines, log } = openLines()
    const { storage } = await openThings({ connectMsMax: 2_000, log }, url)
    const calls = createCallCounter()
    storage.listen('credentials', calls.call)
    await calls.times(1)
    await Promise.all(Array.from({ length: 8 }, () => listThings(storage)))
    await cluster.halt()
    for (let round = 0; round < 3; round++) {
      const outcomes = await Promise.allSettled([
        ...Array.from({ length: 10 }, () => listThings(storage)),
        ...Array.from({ length: 10 }, () => storage.write((tx) => increase(tx, 'a'))),
        storage.checkWrites(),
      ])
      for (const outcome of outcomes) assert(outcome.status === 'rejected' && outcome.reason instanceof StorageOutage)
    }
    assert.deepEqual(lines, ['the database is unavailable'])
    await cluster.resume()
    await listThings(storage)
    await Promise.all(Array.from({ length: 8 }, () => listThings(storage)))
    assert.deepEqual(lines, ['the database is unavailable', 'the database is back'])
    await storage.close()
  })

  test('does not report a busy database as an outage', async () => {
    const { lines, log } = openLines()
    const { storage } = await openThings({ connectionsMax: 1, stallMsMax: 100, log })
    await storage.read(async (db) => {
      await db.sql`select 1`
      const waiting = storage.read(async () => {})
      await assert.rejects(waiting, (error) => error instanceof StorageUnavailable && !(error instanceof StorageOutage))
    })
    assert.deepEqual(lines, [])
  })

  test('warns if time limits are off, and says how to set them', async () => {
    const warnings: unknown[] = []
    const url = await given.freshUrl()
    const log = (line: string, fields?: object) => void warnings.push([line, fields])
    // A time limit of 0 is not sent, so the server lacks it, as if a pooler had dropped it.
    await given.open({ url, withMigrations: false, statementMsMax: 0, log })
    assert.deepEqual(warnings, [
      [
        'time limits are off, because a connection pooler drops them: set them on the role and reconnect',
        { set: [`alter role "postgres" set statement_timeout = '9s'`] },
      ],
    ])
  })

  test('warns once if signals do not arrive', async () => {
    const url = await given.freshUrl()
    const { lines, log } = openLines()
    const pooler = await startPooler(url, { isDeaf: true })
    const storage = await given.open({ url: pooler, withMigrations: false, signalMsMax: 50, log })
    storage.listen('credentials', () => {})
    await until(() => lines.length > 0)
    assert.match(
      lines[0] ?? '',
      /^not receiving signals of other nodes, because a connection pooler in transaction mode/,
    )
    assert.equal(lines.length, 1)
  })

  test('logs nothing if signals arrive', async () => {
    const url = await given.freshUrl()
    const { lines, log } = openLines()
    const storage = await given.open({ url, withMigrations: false, signalMsMax: 2_000, log })
    const calls = createCallCounter()
    storage.listen('credentials', calls.call)
    await calls.times(1)
    // Signals on the same connections arrive after the probe, so the probe has arrived too.
    calls.reset()
    const other = await given.open({ url, withMigrations: false })
    await other.write(async (tx) => tx.signal('credentials'))
    await calls.times(1)
    assert.deepEqual(lines, [])
  })

  test('delivers signals only to servers that use the same schema of a database', async () => {
    const url = await given.freshUrl()
    const names = ['cell_a', `Cell "b" ${'x'.repeat(40)}`]
    const opened = await Promise.all(
      names.map(async (name) => {
        await command(url, `create schema "${name.replaceAll('"', '""')}"`)
        const inside = new URL(url)
        const path = `"${name.replaceAll('"', '""')}"`.replaceAll(' ', '\\ ')
        inside.searchParams.set('options', `-c search_path=${path}`)
        const here = await given.open({ url: inside.href })
        const there = await given.open({ url: inside.href, ...bare })
        const calls = createCallCounter()
        there.listen('credentials', calls.call)
        await calls.times(1)
        return { here, calls }
      }),
    )
    const [one, other] = opened
    assert(one && other)
    for (const { calls } of opened) calls.reset()
    await one.here.write(async (tx) => tx.signal('credentials'))
    await one.calls.times(1)
    await other.here.write(async (tx) => tx.signal('credentials'))
    await other.calls.times(1)
    assert.deepEqual([one.calls.count(), other.calls.count()], [1, 1])
  })

  test('is refused if its search path leads to the tables of another schema', async () => {
    const url = await given.freshUrl()
    await given.open({ url })
    await command(url, 'create schema cell')
    const within = (path: string) => given.open({ url: `${url}?options=-c%20search_path%3D${path}`, ...bare })
    await assert.rejects(within('cell,public'), {
      name: StorageRefused.name,
      message: /contains the schema public .* set the search path to one schema$/,
    })
    await within('cell')
    await within('public,cell')
  })

  test('survives the termination of its connections', async () => {
    const { url, storage } = await openThings()
    const terminate =
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()'
    let tries = 0
    const inFlight = storage.write(async (tx) => {
      tries += 1
      await increase(tx, 'a')
      await command(url, terminate)
      await increase(tx, 'b')
    })
    await assert.rejects(inFlight, StorageUnavailable)
    assert.equal(tries, 1)

    // A terminated idle connection is only noticed when it is used. Nothing was answered on it, so the work is retried.
    await Promise.all(Array.from({ length: 8 }, () => listThings(storage)))
    await command(url, terminate)
    await Promise.all(Array.from({ length: 8 }, () => storage.write((tx) => increase(tx, 'a'))))
    assert.deepEqual(await listThings(storage), [
      { id: 'a', n: 8 },
      { id: 'b', n: 0 },
    ])
  })

  test('survives a restart of the server', async () => {
    const cluster = await startCluster()
    after(() => cluster.stop())
    const { url } = await freshDatabase({ cluster: cluster.url })
    const { storage } = await openThings({}, url)
    await Promise.all(Array.from({ length: 4 }, () => listThings(storage)))
    const inFlight = storage.write(async (tx) => {
      await increase(tx, 'a')
      await cluster.halt()
      await increase(tx, 'a')
    })
    await assert.rejects(inFlight, StorageUnavailable)
    await assert.rejects(
      storage.write((tx) => increase(tx, 'a')),
      StorageUnavailable,
    )
    await assert.rejects(listThings(storage), StorageUnavailable)
    await cluster.resume()
    await storage.write((tx) => increase(tx, 'a'))
    assert.deepEqual((await listThings(storage))[0], { id: 'a', n: 1 })
    await storage.close()
  })

  test('sends independent statements together, with the begin of the transaction', async () => {
    const { url, storage } = await openThings()
    await storage.close()
    // Responses are held back until everything is sent: waiting for a response between two statements would never end.
    const proxy = await startProxy(url, (kinds) => kinds.filter((kind) => kind === 'E').length >= 3)
    const through = await given.open({ url: proxy.url, withMigrations: false })
    await through.write((tx) => tx.sql`select 1`)
    proxy.watch()
    await through.write((tx) => Promise.all([increase(tx, 'a'), increase(tx, 'b'), increase(tx, 'a')]))
    // Q: begin, as a simple query. P, B, D, E, S: parse (the first time only), bind, describe, execute, sync.
    assert.deepEqual(proxy.sent().slice(0, 14).join(''), 'QPBDESBDESBDES')
    assert.deepEqual((await listThings(through))[0], { id: 'a', n: 2 })
  })

  test('does not repeat a commit whose response was lost', async () => {
    const { url, storage } = await openThings()
    const proxy = await startProxy(url, () => true)
    const through = await given.open({ url: proxy.url, withMigrations: false })
    let tries = 0
    const lost = through.write(async (tx) => {
      tries += 1
      await increase(tx, 'a')
      // The next message is the commit. It reaches the server, but its response does not reach the client.
      proxy.cutAfterNext()
    })
    await assert.rejects(lost, { name: StorageUnavailable.name, message: /outcome is unknown/ })
    assert.equal(tries, 1)
    await until(async () => (await listThings(storage))[0]?.n === 1)
    await through.write((tx) => increase(tx, 'a'))
    assert.deepEqual((await listThings(storage))[0], { id: 'a', n: 2 })
  })

  test('gives up a server that no longer responds', async () => {
    const { url, storage } = await openThings()
    const proxy = await startProxy(url, () => false)
    const through = await given.open({ url: proxy.url, withMigrations: false, workMsMax: 1_500 })
    await through.write((tx) => increase(tx, 'a'))
    proxy.watch()
    await assert.rejects(
      through.write((tx) => increase(tx, 'a')),
      StorageUnavailable,
    )
    assert.deepEqual((await listThings(storage))[0], { id: 'a', n: 1 })
  })

  test('waits for a response no longer than the server may take for the statement', async () => {
    const { url, storage } = await openThings()
    const proxy = await startProxy(url, () => false)
    const through = await given.open({ url: proxy.url, withMigrations: false, statementMsMax: 500 })
    // Three statements are sent at once. Together they take longer than the limit, but each of them is answered in time.
    await through.write((tx) => Promise.all([1, 2, 3].map(() => tx.sql`select pg_sleep(0.4)`)))
    proxy.watch()
    const refused = () =>
      assert.rejects(
        through.write((tx) => increase(tx, 'a')),
        { message: 'PostgreSQL did not answer within 1000 ms' },
      )
    assert.ok((await ticked(refused)).ms < 5_000)
    assert.deepEqual((await listThings(storage))[0], { id: 'a', n: 0 })
  })

  test('has time limits that end every request within ten seconds', () => {
    assert.ok(DEFAULTS.statementMsMax + silenceMs < 10_000)
    assert.ok(DEFAULTS.stallMsMax + DEFAULTS.connectMsMax <= 10_000)
  })

  const signalDeliveries = (storage: Storage) => storage.write(async (tx) => tx.signal('deliveries'))
  const countListening = async (storage: Storage) => {
    const [row] = await storage.read(
      (db) => db.sql<{ count: number }>`
        select count(*) as "count" from pg_stat_activity
        where datname = current_database() and application_name = 'cartwright_signals'`,
    )
    return row?.count
  }

  test('sends a signal to other nodes over one connection, which is opened with the first listener', async () => {
    const url = await given.freshUrl()
    const [here, there] = [await given.open({ url, ...bare }), await given.open({ url, ...bare })]
    await signalDeliveries(here)
    assert.equal(await countListening(here), 0)
    const [deliveries, credentials] = [createCallCounter(), createCallCounter()]
    there.listen('deliveries', deliveries.call)
    there.listen('credentials', credentials.call)
    await Promise.all([deliveries.times(1), credentials.times(1)])
    assert.equal(await countListening(here), 1)
    credentials.reset()
    // A signal that only a newer release knows.
    await command(url, "select pg_notify('cartwright_signals', 'novelties')")
    await here.write(async (tx) => tx.signal('credentials'))
    await credentials.times(1)
    await there.close()
    await until(async () => (await countListening(here)) === 0)
  })

  test('does not wake other nodes for deliveries that it makes itself', async () => {
    const url = await given.freshUrl()
    const [here, there] = [await given.open({ url, ...bare }), await given.open({ url, ...bare })]
    const [own, deliveries, credentials] = [createCallCounter(), createCallCounter(), createCallCounter()]
    there.listen('deliveries', deliveries.call)
    there.listen('credentials', credentials.call)
    here.listen('deliveries', own.call)
    await Promise.all([deliveries.times(1), credentials.times(1), own.times(1)])
    for (const calls of [deliveries, credentials, own]) calls.reset()
    await signalDeliveries(here)
    await here.write(async (tx) => tx.signal('credentials'))
    await Promise.all([own.times(1), credentials.times(1)])
    assert.equal(deliveries.count(), 0)
  })

  test('combines signals of one moment into few notifications', async () => {
    const url = await given.freshUrl()
    const [here, there] = [await given.open({ url, ...bare }), await given.open({ url, ...bare })]
    const [deliveries, credentials] = [createCallCounter(), createCallCounter()]
    there.listen('deliveries', deliveries.call)
    there.listen('credentials', credentials.call)
    await credentials.times(1)
    deliveries.reset()
    credentials.reset()
    const startedAt = performance.now()
    for (let i = 0; i < 150; i++) {
      await here.write(async (tx) => {
        await tx.sql`select 1`
        tx.signal('deliveries')
      })
    }
    await here.write(async (tx) => tx.signal('credentials'))
    await credentials.times(1)
    // Timers are accurate to about a millisecond, so 18 ms are assumed for the interval of 20 ms.
    const most = Math.ceil((performance.now() - startedAt) / 18) + 1
    assert(deliveries.count() >= 1 && deliveries.count() <= most, `${deliveries.count()} of at most ${most}`)
  })

  test('listens again after its connection was lost, and calls the listeners for signals that it may have missed', async () => {
    const url = await given.freshUrl()
    const [here, there] = [await given.open({ url, ...bare }), await given.open({ url, ...bare })]
    const [deliveries, credentials] = [createCallCounter(), createCallCounter()]
    there.listen('deliveries', deliveries.call)
    there.listen('credentials', credentials.call)
    await credentials.times(1)
    for (let round = 0; round < 2; round++) {
      deliveries.reset()
      credentials.reset()
      await command(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'cartwright_signals'`,
      )
      await Promise.all([deliveries.times(1), credentials.times(1)])
      await signalDeliveries(here)
      await deliveries.times(2)
    }
  })

  test('sends pending signals when it is closed', async () => {
    const url = await given.freshUrl()
    const [here, there] = [await given.open({ url, ...bare }), await given.open({ url, ...bare })]
    const credentials = createCallCounter()
    there.listen('credentials', credentials.call)
    await credentials.times(1)
    credentials.reset()
    await signalDeliveries(here)
    const last = here.write(async (tx) => tx.signal('credentials'))
    await Promise.all([last, here.close()])
    await credentials.times(1)
  })

  test('closes immediately, even while it connects and while the server does not respond', async () => {
    const url = await given.freshUrl()
    const storage = await given.open({ url, ...bare })
    storage.listen('deliveries', () => {})
    await storage.close()

    const proxy = await startProxy(url, () => false)
    const through = await given.open({ url: proxy.url, ...bare })
    proxy.watch()
    through.listen('deliveries', () => {})
    await until(() => proxy.sent().length > 0)
    const { ms } = await ticked(() => through.close())
    // Waiting for a response would take ten seconds.
    assert(ms < 4_000)
  })

  test('receives signals of another process, and does not keep its own process from ending', async () => {
    const { url, storage } = await openThings()
    const other = start('hear', url)
    assert.equal(await other.line(), 'heard')
    await signalDeliveries(storage)
    assert.equal(await other.line(), 'heard')
    assert.equal(await other.finish(), 0)
  })

  test('prepares statements again after a migration', async () => {
    const { storage } = await openThings({ connectionsMax: 1 })
    const everything = () => storage.read((db) => db.sql`select * from things where id = ${'a'}`)
    assert.deepEqual(await everything(), [{ id: 'a', n: 0 }])
    await storage.write((tx) => tx.sql`alter table things add column more text`)
    assert.deepEqual(await everything(), [{ id: 'a', n: 0, more: null }])
    assert.equal(storage.stats().writes.retries, 1)
  })

  test('prepares statements again that a proxy has lost, also statements that are not awaited', async () => {
    const { storage } = await openThings({ connectionsMax: 1 })
    const add = (id: string, isAwaited: boolean) =>
      storage.write(async (tx) => {
        const adding = tx.sql`insert into things (id, n) values (${id}, ${1})`
        if (isAwaited) await adding
      })
    await add('c', true)
    await storage.write((tx) => tx.sql`deallocate all`)
    await add('d', false)
    const things = await storage.read((db) => db.sql<Thing>`select id from things order by id`)
    assert.deepEqual(
      things.map(({ id }) => id),
      ['a', 'b', 'c', 'd'],
    )
  })

  test('refuses to read a number that is not a safe integer', async () => {
    const { storage } = await openThings()
    await assert.rejects(
      storage.read((db) => db.sql`select 9007199254740993 as "n"`),
      /must be a safe integer/,
    )
    await assert.rejects(
      storage.read((db) => db.sql`select avg(n) + 0.5 as "n" from things`),
      /must be a safe integer/,
    )
  })
})

function signal(): { raise: () => void; raised: Promise<void> } {
  let raise = () => {}
  const raised = new Promise<void>((resolve) => {
    raise = resolve
  })
  return { raise: () => raise(), raised }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!(await condition())) {
    assert(performance.now() < deadline, 'it did not come true in twenty seconds')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

// A proxy between a pool and the server. From `watch()` on it records the types of the messages that are sent, and holds back responses
// until `mayAnswer` returns true.
async function startProxy(target: string, mayAnswer: (kinds: string[]) => boolean) {
  const { port, hostname } = new URL(target)
  const sockets = new Set<Socket>()
  let kinds: string[] | undefined
  let cutting = false

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => {}))
      socket.on('close', () => (socket === client ? upstream : client).destroy())
    }
    let held: Buffer[] = []
    client.on('data', (chunk) => {
      kinds?.push(...kindsOf(chunk))
      upstream.write(chunk)
      if (cutting) {
        cutting = false
        // Otherwise the connection to the server would be closed before the server has read the commit.
        upstream.end()
        client.destroy()
      }
    })
    upstream.on('data', (chunk) => {
      held.push(chunk)
      if (kinds && !mayAnswer(kinds)) return
      for (const answer of held) client.write(answer)
      held = []
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  assert(address && typeof address === 'object')
  const url = new URL(target)
  url.port = String(address.port)
  return {
    url: url.href,
    sent: () => kinds ?? [],
    watch() {
      kinds = []
    },
    cutAfterNext() {
      cutting = true
    },
  }
}

// A message is a letter and a length that includes itself. In these tests messages are small and never split.
function kindsOf(chunk: Buffer): string[] {
  const kinds: string[] = []
  for (let at = 0; at < chunk.length; at += 1 + chunk.readInt32BE(at + 1))
    kinds.push(String.fromCharCode(chunk[at] as number))
  return kinds
}

// A pooler that gives each transaction any connection: in the next transaction, earlier prepared statements are gone. If `isDeaf`, it
// drops notifications instead.
async function startPooler(target: string, { isDeaf = false } = {}): Promise<string> {
  const { port, hostname } = new URL(target)
  const sockets = new Set<Socket>()
  const text = Buffer.from('deallocate all\0')
  const forget = Buffer.concat([Buffer.from('Q'), lengthOf(text.length + 4), text])

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => {}))
      socket.on('close', () => (socket === client ? upstream : client).destroy())
    }
    let isIdle = false
    let isForgetting = false
    let pending = Buffer.alloc(0)
    client.on('data', (chunk) => {
      if (isIdle && !isDeaf) {
        isIdle = false
        isForgetting = true
        upstream.write(forget)
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk])
      while (pending.length >= 5 && pending.length > pending.readUInt32BE(1)) {
        const end = pending.readUInt32BE(1) + 1
        const [message, rest] = [pending.subarray(0, end), pending.subarray(end)]
        pending = rest
        const kind = message.toString('latin1', 0, 1)
        const isReady = kind === 'Z'
        if (!isForgetting && !(isDeaf && kind === 'A')) client.write(message)
        // The transaction status of an idle connection.
        if (isReady && !isForgetting) isIdle = message.toString('latin1', 5, 6) === 'I'
        if (isReady) isForgetting = false
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  assert(address && typeof address === 'object')
  const url = new URL(target)
  url.port = String(address.port)
  return url.href
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  return bytes
}
