// A database that tests use one after the other is as new for each of them, or is not used again.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import pg from 'pg'
import { market } from '../harness/carts.ts'
import { type Content, type Lease, lease } from '../harness/leases.ts'
import { allowSharing, canShare, endShared } from '../harness/shared.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { shareTemplates } from '../harness/templates.ts'
import { fillIndex } from '../src/domain/catalog/reindex.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { Fragment, type Storage, type StorageOptions, StorageUnavailable } from '../src/platform/storage/storage.ts'

const now = Date.parse('2026-06-01T12:00:00.000Z')
// Nothing else uses a database with these options.
let made = 0
const ownOptions = (): StorageOptions => ({ queueMax: 9_000 + made++ })

if (!canShare()) {
  allowSharing()
  after(endShared)
}

const run = (storage: Storage, text: string) => storage.write((tx) => tx.sql`${new Fragment(text)}`)
const fileOf = ({ url }: Pick<Lease, 'url'>) => url.slice('sqlite:'.length)

// Without the statistics, after which a database is not used again.
async function fill({ storage: { ...storage } }: Pick<Lease, 'storage'>): Promise<void> {
  storage.afterBulkLoad = async () => {}
  const { refused } = await applyShop(storage, market, { now, stock: true, dryRun: false })
  assert.deepEqual(refused, [])
  await fillIndex(storage, { now, limit: 100 })
}

// Every row of every table, with those behind the full-text index.
async function contentOf(storage: Storage): Promise<Record<string, unknown[]>> {
  const tables =
    storage.engine === 'sqlite'
      ? `select name from sqlite_schema where type = 'table' and rootpage > 0 order by name`
      : `select tablename as name from pg_tables where schemaname = 'public' order by tablename`
  return storage.read(async (db) => {
    const content: Record<string, unknown[]> = {}
    for (const { name } of await db.sql<{ name: string }>`${new Fragment(tables)}`)
      content[name] = await db.sql`${new Fragment(`select * from ${name}`)}`
    return content
  })
}

async function contentOfNew(given: Given): Promise<Record<string, unknown[]>> {
  const storage = await given.open({ url: await given.migratedUrl(), withMigrations: false })
  return contentOf(storage)
}

type Leave = (left: Lease, later: Given['later']) => Promise<unknown>

const text =
  (sql: string): Leave =>
  ({ storage }) =>
    run(storage, sql)

const leftEverywhere: Record<string, Leave> = {
  'a table': text('create table things (id text)'),
  'a temporary table': text('create temporary table things (id text)'),
  'an index less': text('drop index listed_products_newest'),
  'a closed storage': ({ storage }) => storage.close(),
  'a storage that failed': ({ storage }) =>
    assert.rejects(storage.read(() => Promise.reject(new StorageUnavailable('as on a full disk')))),
}

const leftInSqlite: Record<string, Leave> = {
  ...leftEverywhere,
  'a limit of the writer': text('pragma max_page_count = 1000'),
  'a setting of the reader': ({ storage }) => storage.read((db) => db.sql`${new Fragment('pragma cache_size = 10')}`),
  'a mark in the header of the file': text('pragma user_version = 7'),
  'a large file': text(`insert into product_words values ('m', 'w', zeroblob(10000000), '')`),
  'a file beside it': async (left) => writeFileSync(`${fileOf(left)}.backup`, ''),
  'another file in its place': async (left) => {
    copyFileSync(fileOf(left), `${fileOf(left)}.copy`)
    renameSync(`${fileOf(left)}.copy`, fileOf(left))
  },
  'no file': async (left) => rmSync(fileOf(left)),
  'a transaction that writes': async (left, later) => {
    const db = new DatabaseSync(fileOf(left))
    later(async () => db.close())
    db.exec('begin immediate')
  },
}

const leftInPostgres: Record<string, Leave> = {
  ...leftEverywhere,
  'a function': text(`create function things() returns int language sql as 'select 1'`),
  'a schema': text('create schema things'),
  statistics: text('analyze merchants'),
  'a transaction with a lock': async ({ url }, later) => {
    const client = new pg.Client(url)
    // The database is dropped.
    client.on('error', () => {})
    later(() => client.end())
    await client.connect()
    await client.query('begin; lock table merchants')
  },
}

eachEngine('a database that is used again', (given) => {
  const { engine } = given

  // It ends with the test, if not before.
  async function take(options: StorageOptions, content?: Content): Promise<Lease> {
    const leased = await lease(engine, options, content)
    let ending: Promise<void> | undefined
    const end = () => (ending ??= leased.end())
    given.later(end)
    return { ...leased, end }
  }

  test('contains what a new one does, whoever wrote to it', async () => {
    const options = ownOptions()
    const first = await take(options)
    await fill(first)
    await run(first.storage, `update schema_migrations set applied_at = 1 where version < 5`)
    await run(first.storage, `delete from schema_migrations where version > 100`)
    const other = await given.open({ url: first.url, withMigrations: false })
    await other.write((tx) => tx.sql`update merchants set name = 'another'`)
    await other.close()
    await first.end()
    const second = await take(options)
    assert.equal(second.url, first.url)
    assert.deepEqual(await contentOf(second.storage), await contentOfNew(given))
    if (engine === 'sqlite') assertSound(fileOf(second))
  })

  test('contains what was read from another one, and nothing more', async () => {
    const options = ownOptions()
    const [first, used] = [await take(options), await take(options)]
    await fill(first)
    const content = await first.read()
    const expected = await contentOf(first.storage)
    await run(used.storage, `insert into product_words (merchant_id, word, head, tail) values ('mer', 'w', 'w', 'w')`)
    await run(used.storage, `update schema_migrations set applied_at = 1`)
    await used.end()
    const [again, fresh] = [await take(options, content), await take(options, content)]
    assert.equal(again.url, used.url)
    for (const loaded of [again, fresh]) {
      assert.deepEqual(await contentOf(loaded.storage), expected)
      if (engine === 'sqlite') assertSound(fileOf(loaded))
      // Its index of words works.
      await fill(loaded)
      if (engine === 'sqlite') assertSound(fileOf(loaded))
    }
  })

  test('refuses what the former user still asks of it', async () => {
    const options = ownOptions()
    const first = await take(options)
    let calls = 0
    first.storage.listen('deliveries', () => {
      calls += 1
    })
    await first.end()
    const second = await take(options)
    assert.equal(second.url, first.url)
    await assert.rejects(run(first.storage, 'delete from schema_migrations'), StorageUnavailable)
    await second.storage.write(async (tx) => tx.signal('deliveries'))
    assert.equal(calls, 0)
  })

  const leftovers = engine === 'sqlite' ? leftInSqlite : leftInPostgres
  for (const [what, leave] of Object.entries(leftovers))
    test(`is not used after a test left ${what}`, async () => {
      const options = ownOptions()
      const first = await take(options)
      await leave(first, given.later)
      await first.end()
      const second = await take(options)
      assert.notEqual(second.url, first.url)
      if (engine === 'sqlite') assert.equal(existsSync(fileOf(first)), false)
    })
})

// The indexes fit their tables too, and that of words what it was made from.
function assertSound(file: string): void {
  const db = new DatabaseSync(file)
  try {
    assert.deepEqual(db.prepare('pragma integrity_check').get(), { __proto__: null, integrity_check: 'ok' })
    assert.deepEqual(db.prepare('pragma foreign_key_check').all(), [])
  } finally {
    db.close()
  }
}

test('a process that ends leaves no files of its databases', async () => {
  await shareTemplates()
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-'))
  const script = `
    import { lease } from ${JSON.stringify(join(import.meta.dirname, '..', 'harness', 'leases.ts'))}
    import { allowSharing } from ${JSON.stringify(join(import.meta.dirname, '..', 'harness', 'shared.ts'))}
    allowSharing()
    const [first, second] = [await lease('sqlite'), await lease('sqlite')]
    await first.end()
    console.log(second.url)
    throw new Error('of the process')`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, TMPDIR: folder },
    encoding: 'utf8',
  })
  assert.deepEqual([status, stdout.includes(folder)], [1, true], stderr)
  assert.match(stderr, /Error: of the process/)
  assert.deepEqual(await readdir(folder), [])
  await rm(folder, { recursive: true })
})
