// The printed schema equals what the migrations make of an empty database.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { migrate } from './migrate.ts'
import { openStorage } from './open.ts'
import { listThings, readPrinted } from './printed.ts'

const folder = await mkdtemp(join(tmpdir(), 'cartwright-printed-'))
after(() => rm(folder, { recursive: true }))
const now = new Date('2025-01-01T00:00:00Z')

// Includes the number of rows per table: rows that a migration writes into an empty database would have to be printed too.
function contentsOf(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  const names = db.prepare("select name from sqlite_master where type = 'table' order by name").all()
  const counts = names.map(({ name }) => [name, db.prepare(`select count(*) from "${name}"`).all()])
  db.close()
  return Object.fromEntries(counts)
}

test('a new database gets the printed schema, which equals that after running each migration', async () => {
  const [oneByOne, printed] = await Promise.all(
    [true, false].map(async (isOneByOne) => {
      const file = join(folder, `${isOneByOne}.db`)
      const storage = await openStorage(`sqlite:${file}`)
      const applied = await migrate(storage, { now, oneByOne: isOneByOne })
      const things = await storage.read(listThings)
      const migrations = await storage.read(
        (db) => db.sql<{ version: number; checksum: string }>`
          select version, name, checksum, applied_at from schema_migrations order by version`,
      )
      assert.deepEqual(await migrate(storage, { now }), [], 'nothing is left to do')
      await storage.close()
      return { applied, things, migrations, counts: contentsOf(file) }
    }),
  )
  assert.ok(oneByOne && printed)
  assert.ok(await readPrinted(oneByOne.migrations), 'npm run schema:print prints it anew')
  assert.deepEqual(printed, oneByOne)
  const [first, ...others] = oneByOne.migrations
  assert.ok(first)
  assert.equal(await readPrinted([{ ...first, checksum: 'another' }, ...others]), undefined)
  assert.equal(await readPrinted([first]), undefined, 'there are fewer migrations than it was printed from')
})
