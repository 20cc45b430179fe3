// kill -9 amid a bulk change and amid its undo: all of it or nothing, its entry in the list of changes included.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { bloom } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecretText } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import { type AdminOperationId, adminOperations } from '../src/contract/admin/operations.ts'
import type { Engine } from '../src/platform/storage/storage.ts'

eachEngine('a server killed during admin changes', (given) => {
  let testServer: TestServer
  before(async () => {
    testServer = await openTestServer(given, { shops: [bloom] })
  })

  // A bulk change dies on SQLite and its undo on PostgreSQL, or both on both. Where nothing dies, it is only made.
  const diesOn = (engine: Engine) => isWide || given.engine === engine

  async function die(at: string, id: AdminOperationId, path: string, body: object): Promise<void> {
    const script = join(import.meta.dirname, '..', 'harness', 'crasher.ts')
    const flags = [
      '--disable-warning=ExperimentalWarning',
      script,
      testServer.url,
      testSecretText,
      String(testServer.clock.now),
      at,
    ]
    const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
    const closed = once(child, 'close')
    const [port] = (await once(child.stdout, 'data')) as [Buffer]
    const init = {
      method: adminOperations[id].method,
      headers: { authorization: `Bearer ${testServer.keys.admin}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    await assert.rejects(fetch(`http://127.0.0.1:${String(port).trim()}${path}`, init))
    const [, signal] = (await closed) as [number | null, string | null]
    assert.equal(signal, 'SIGKILL')
  }

  async function state() {
    const products = (await testServer.ask('listApiKeyCatalogProducts')).text
    const versions = (await testServer.askAdmin('listAdminProducts')).body.data.map(
      ({ version }: { version: number }) => version,
    )
    const changes = (await testServer.askAdmin('listAdminChanges')).body.data
    const [{ events }] = (await testServer.storage.read((db) => db.sql`select count(*) as "events" from events`)) as [
      { events: number },
    ]
    return { products, versions, changes, events }
  }

  test('has stored nothing of a change when it dies before the commit, and all of it when it dies after the commit', async () => {
    const { data } = (await testServer.askAdmin('listAdminProducts')).body
    const productIds = data.map(({ id }: { id: string }) => id)
    const first = await state()
    const bulk = { idempotencyKey: 'bulk', productIds, change: { pricePercentage: 500 } }
    if (diesOn('sqlite')) {
      await die('before commit', 'updateAdminProducts', '/api/v1/admin/products', bulk)
      assert.deepEqual(await state(), first)
      await die('after commit', 'updateAdminProducts', '/api/v1/admin/products', bulk)
    } else await testServer.askAdmin('updateAdminProducts', { body: bulk })
    const second = await state()
    const again = await testServer.askAdmin('updateAdminProducts', { body: bulk })
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [200, 'true'])
    assert.deepEqual(await state(), second)
    assert.deepEqual([second.changes.length, second.changes[0].changesCount], [1, 5])
    assert.equal(second.events, first.events + productIds.length)
    assert.notEqual(second.products, first.products)

    const changeId = second.changes[0].id
    const undo = { idempotencyKey: 'undo' }
    if (diesOn('postgres')) {
      await die('before commit', 'undoAdminChange', `/api/v1/admin/changes/${changeId}/undo`, undo)
      assert.deepEqual(await state(), second)
      await die('after commit', 'undoAdminChange', `/api/v1/admin/changes/${changeId}/undo`, undo)
    } else await testServer.askAdmin('undoAdminChange', { path: { changeId }, body: undo })
    const third = await state()
    assert.deepEqual([third.products, third.changes.length, third.changes[0].undoes], [first.products, 2, changeId])
    const repeated = await testServer.askAdmin('undoAdminChange', { path: { changeId }, body: undo })
    assert.deepEqual([repeated.status, repeated.headers.get('idempotency-replayed')], [200, 'true'])
    assert.deepEqual(await state(), third)
  })
})
