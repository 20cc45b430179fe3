// Migrations run once, in order, and completely or not at all, even if several processes start at the same time or are killed.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { givenOthers } from '../../../harness/other.ts'
import { eachEngine } from '../../../harness/storage.ts'
import { migrate, refuseOtherSchema, schemaGap } from './migrate.ts'
import { type Storage, StorageRefused } from './storage.ts'

const now = new Date('2025-01-01T00:00:00Z')
const FIRST = 'create table first (id bigint not null primary key);\ncreate index first_id on first (id);\n'
const SECOND = "insert into first (id) values (1); -- a ; in a comment\ncreate table second (name text default ';');\n"

eachEngine('migrations', (given) => {
  const start = givenOthers()
  const folders: string[] = []
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

  async function folderOf(files: Record<string, string>): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'cartwright-migrations-'))
    folders.push(folder)
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return folder
  }

  const open = (url?: string) => given.open({ withMigrations: false, ...(url && { url }) })
  const countOf = async (storage: Storage) => {
    const [row] = await storage.read((db) => db.sql<{ count: number }>`select count(*) as "count" from first`)
    return row?.count
  }

  test('are applied in order, once', async () => {
    const storage = await open()
    const directory = await folderOf({ '0001_first.sql': FIRST, '0002_second.sql': SECOND })
    assert.deepEqual(await schemaGap(storage, directory), { pending: 2, newer: 0, isTooNew: false })
    assert.deepEqual(await migrate(storage, { now, directory }), ['0001_first', '0002_second'])
    assert.deepEqual(await schemaGap(storage, directory), { pending: 0, newer: 0, isTooNew: false })
    assert.deepEqual(await migrate(storage, { now, directory }), [])
    await writeFile(join(directory, '0003_third.sql'), 'create table third (id bigint)')
    assert.deepEqual(await schemaGap(storage, directory), { pending: 1, newer: 0, isTooNew: false })
    assert.deepEqual(await migrate(storage, { now, directory }), ['0003_third'])
    const rows = await storage.read(
      (db) => db.sql`select version, name, applied_at as "appliedAt" from schema_migrations`,
    )
    assert.deepEqual(rows, [
      { version: 1, name: '0001_first', appliedAt: now.getTime() },
      { version: 2, name: '0002_second', appliedAt: now.getTime() },
      { version: 3, name: '0003_third', appliedAt: now.getTime() },
    ])
  })

  test('are announced before they run, unless the database is new', async () => {
    const storage = await open()
    const directory = await folderOf({ '0001_first.sql': FIRST })
    const begun: unknown[] = []
    const onStep = (step: string) => begun.push(step)
    const onBegin = async (migration: unknown) => {
      begun.push(migration)
    }
    await migrate(storage, { now, directory, onBegin })
    assert.equal(begun.length, 0)
    await writeFile(join(directory, '0002_second.sql'), SECOND)
    await writeFile(join(directory, '0003_third.sql'), 'create table third (id bigint)')
    await migrate(storage, { now, directory, onBegin, onStep })
    assert.deepEqual(begun.slice(0, 2), [{ migration: '0002_second', number: 1, of: 2 }, '0002_second:recorded'])
    assert.deepEqual(begun[4], { migration: '0003_third', number: 2, of: 2 })
  })

  test('all apply to an empty database', async () => {
    const storage = await given.open()
    assert.deepEqual(await schemaGap(storage), { pending: 0, newer: 0, isTooNew: false })
  })

  test('keep their checksum if they were replaced by faster commands', async () => {
    const storage = await given.open()
    const [row] = await storage.read(
      (db) => db.sql<{ checksum: string }>`select checksum from schema_migrations where name = '0015_modes'`,
    )
    assert.equal(row?.checksum, '1ce10a28d28921fd5ef085eab12b455218d7b710f867fe3d91488c1e6b5e49c2')
  })

  test('are applied once by several processes that start concurrently', async () => {
    const url = await given.freshUrl()
    const directory = await folderOf({ '0001_first.sql': FIRST, '0002_second.sql': SECOND })
    const others = Array.from({ length: 3 }, () => start('migrate', url, directory))
    for (const other of others) assert.equal(await other.line(), 'open')
    const storages = await Promise.all([open(url), open(url)])
    const [codes, ...names] = await Promise.all([
      Promise.all(others.map((other) => other.finish())),
      ...storages.map((storage) => migrate(storage, { now, directory })),
    ])
    assert.deepEqual(codes, [0, 0, 0])
    const theirs = await Promise.all(others.map((other) => other.line()))
    const all = [...names.flat(), ...theirs.flatMap((line) => line?.split(' ').filter(Boolean) ?? [])]
    assert.deepEqual(all.sort(), ['0001_first', '0002_second'])
    assert.equal(await countOf(storages[0] as Storage), 1)
  })

  test('are refused if one was changed after it was applied, except in its line ends', async () => {
    const storage = await open()
    const directory = await folderOf({ '0001_first.sql': FIRST })
    await migrate(storage, { now, directory })
    await writeFile(join(directory, '0001_first.sql'), FIRST.replaceAll('\n', '\r\n'))
    assert.deepEqual(await migrate(storage, { now, directory }), [])
    await writeFile(join(directory, '0001_first.sql'), `${FIRST} `)
    const message = /^StorageRefused: migration 0001_first was changed after it was applied$/
    await assert.rejects(migrate(storage, { now, directory }), message)
  })

  test('of a newer release that only add to the schema do not stop an earlier release', async () => {
    const storage = await open()
    const directory = await folderOf({
      '0001_first.sql': FIRST,
      '0002_second.sql': SECOND,
      '0003_needs_0001_first.sql': 'drop index first_id',
    })
    await migrate(storage, { now, directory })
    for (const name of ['0003_needs_0001_first.sql', '0002_second.sql']) await rm(join(directory, name))
    assert.deepEqual(await schemaGap(storage, directory), { pending: 0, newer: 2, isTooNew: false })
    assert.deepEqual(await migrate(storage, { now, directory }), [])
    await refuseOtherSchema(storage, directory)
  })

  test('of a newer release that remove what an earlier release needs stop that release', async () => {
    const storage = await open()
    const files = {
      '0001_first.sql': FIRST,
      '0002_second.sql': SECOND,
      '0003_needs_0002_first.sql': 'drop table first',
    }
    const directory = await folderOf(files)
    await migrate(storage, { now, directory })
    for (const name of ['0003_needs_0002_first.sql', '0002_second.sql']) await rm(join(directory, name))
    assert.deepEqual(await schemaGap(storage, directory), { pending: 0, newer: 2, isTooNew: true })
    const message =
      /^the database is newer than this program: it has migration 0003_needs_0002_first, which this program does not know; start the version that migrated the database, or restore/
    await assert.rejects(migrate(storage, { now, directory }), { name: StorageRefused.name, message })
  })

  test('leave nothing behind if one fails, and can be run again', async () => {
    const storage = await open()
    const broken = `${SECOND}\ninsert into nowhere (id) values (1);`
    const directory = await folderOf({ '0001_first.sql': FIRST, '0002_second.sql': broken })
    await assert.rejects(migrate(storage, { now, directory }), /nowhere/)
    assert.equal(await countOf(storage), 0)
    assert.deepEqual(await schemaGap(storage, directory), { pending: 1, newer: 0, isTooNew: false })
    await writeFile(join(directory, '0002_second.sql'), SECOND)
    assert.deepEqual(await migrate(storage, { now, directory }), ['0002_second'])
    assert.equal(await countOf(storage), 1)
  })

  for (const step of ['0001_first:recorded', '0001_first:run', '0001_first:committed', '0002_second:run']) {
    test(`continue after kill -9 at ${step}`, async () => {
      const url = await given.freshUrl()
      const directory = await folderOf({ '0001_first.sql': FIRST, '0002_second.sql': SECOND })
      const other = start('migrate', url, directory, step)
      assert.equal(await other.line(), 'open')
      assert.equal(await other.line(), undefined)
      const storage = await open(url)
      const left = step === '0001_first:committed' || step === '0002_second:run' ? 1 : 2
      assert.equal((await migrate(storage, { now, directory })).length, left)
      assert.equal(await countOf(storage), 1)
    })
  }

  test('must be named 0001_name and numbered without gaps', async () => {
    const storage = await open()
    for (const name of ['0002_second.sql', '1_first.sql', '0001-first.sql']) {
      await assert.rejects(
        migrate(storage, { now, directory: await folderOf({ [name]: FIRST }) }),
        /migrations must be named 0001_name/,
      )
    }
  })
})
