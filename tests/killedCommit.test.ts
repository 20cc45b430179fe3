// Aging the data of a killed server (`letTimePass`) when SQLite had written a commit to its log, but not yet to the index of the log.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { givenEngine } from '../harness/storage.ts'
import { agedMs, letTimePass } from '../proof/oracles.ts'
import { sqlitePath } from '../src/platform/storage/file.ts'
import { openStorage } from '../src/platform/storage/open.ts'

const given = givenEngine('sqlite')
const retryAt = agedMs + 1_000

// Commits a row and ends as if it had been killed before it wrote the index.
const writer = `
  import { openSync, readFileSync, writeSync } from 'node:fs'
  import { DatabaseSync } from 'node:sqlite'
  const file = process.argv[1]
  const db = new DatabaseSync(file)
  db.exec('select count(*) from merchants')
  const index = readFileSync(file + '-shm')
  db.exec("insert into deferred_rows values ('payments', 'ins_1', 'pay_1', 1, 1, ${retryAt}, 0, 'x')")
  writeSync(openSync(file + '-shm', 'r+'), index)
  process.kill(process.pid, 'SIGKILL')`

// Reads until its input ends, as the process does that checks the file beside a server. Meanwhile SQLite does not repair the index.
const reader = `
  import { DatabaseSync } from 'node:sqlite'
  const db = new DatabaseSync(process.argv[1], { readOnly: true })
  db.exec('begin; select count(*) from merchants')
  process.stdout.write('reading')
  process.stdin.on('end', () => process.exit()).resume()`

test('a commit that a kill interrupted is aged with the others, or never appears', async (t) => {
  const url = await given.migratedUrl()
  const start = (script: string) =>
    spawn(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      script,
      sqlitePath(url),
    ])
  // A reader of an empty log would not keep it.
  const first = await openStorage(url)
  await first.write((tx) => tx.sql`update schema_migrations set applied_at = applied_at + 1 where version = 1`)
  const beside = start(reader)
  t.after(() => beside.kill('SIGKILL'))
  await once(beside.stdout, 'data')
  await once(start(writer), 'close')
  await first.close()

  const storage = await openStorage(url)
  await letTimePass(storage)
  await storage.close()
  beside.stdin.end()
  await once(beside, 'close')

  const again = await openStorage(url)
  const rows = await again.read((db) => db.sql<{ retryAt: number }>`select retry_at as "retryAt" from deferred_rows`)
  await again.close()
  assert.ok(
    rows.every((row) => row.retryAt === retryAt - agedMs),
    JSON.stringify(rows),
  )
})
