// What a balancer and a monitor see of a server: its probes and its metrics.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'

eachEngine('the probes of a server', (given) => {
  test('report 503 as long as the database needs a newer program, but not for a migration that only adds', async () => {
    const testServer = await openTestServer(given)
    const ready = async () => {
      const { status, body } = await testServer.fetch('/readyz')
      return [status, body.status]
    }
    assert.deepEqual(await ready(), [200, 'ready'])
    await testServer.storage.write(
      (tx) => tx.sql`
        insert into schema_migrations (version, name, checksum, applied_at) values (9000, '9000_future', 'x', 1)`,
    )
    assert.deepEqual(await ready(), [200, 'ready'], 'a migration that only adds')
    await testServer.storage.write(
      (tx) => tx.sql`update schema_migrations set name = '9000_needs_8999_future' where version = 9000`,
    )
    assert.deepEqual(await ready(), [503, 'the database is newer than this program'])
    const { text } = await testServer.fetch('/metrics')
    for (const line of [
      'cartwright_database_up 1',
      'cartwright_migrations{state="pending"} 0',
      'cartwright_migrations{state="newer"} 1',
      'cartwright_build_info{version="test"} 1',
    ])
      assert.ok(text.includes(`\n${line}\n`), line)
    assert.match(text, /^cartwright_database_size_bytes [1-9]\d{4,}$/m)
    assert.equal(/^cartwright_database_free_bytes [1-9]\d+$/m.test(text), given.engine === 'sqlite')
    assert.equal(/^cartwright_table_size_bytes\{table="orders"\} [1-9]\d+$/m.test(text), given.engine === 'postgres')
    assert.match(text, /^nodejs_heap_size_used_bytes \d+$/m)
    await testServer.storage.write((tx) => tx.sql`delete from schema_migrations where version = 9000`)
    assert.deepEqual(await ready(), [200, 'ready'])
  })

  test('report that the database does not respond', async () => {
    const testServer = await openTestServer(given)
    const { storage } = testServer
    const [read, space] = [storage.read, storage.space]
    Object.assign(storage, {
      read: () => Promise.reject(new Error('gone')),
      space: () => Promise.reject(new Error('gone')),
    })
    try {
      assert.equal((await testServer.fetch('/readyz')).status, 503)
      const { text } = await testServer.fetch('/metrics')
      assert.match(text, /^cartwright_database_up 0$/m)
      assert.doesNotMatch(text, /^cartwright_(database_size_bytes|migrations\{)/m)
    } finally {
      Object.assign(storage, { read, space })
    }
  })
})
