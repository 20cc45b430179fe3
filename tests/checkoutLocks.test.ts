// A change of a checkout locks its cart and then its session, and reads both, in one statement.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { cartsOf, market } from '../harness/carts.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { type Checkout, lockSessionWithCart, type SessionKey } from '../src/domain/checkout/store.ts'
import { insertPayment } from '../src/domain/payments/store.ts'

eachEngine('the locks of a checkout', (given) => {
  let testServer: TestServer
  let skuId: string

  before(async () => {
    testServer = await openTestServer(given, { shops: [market] })
    skuId = (await cartsOf(testServer)).sku('BOOK')
  })

  async function openSession(): Promise<SessionKey> {
    const answer = await fetch(`${testServer.origin}/api/v1/open/hosted/checkout/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testServer.keys.full}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        idempotencyKey: randomUUID(),
        items: [{ skuId, quantity: 1 }],
        successUrl: 'http://localhost:9/thanks',
      }),
    })
    const { data } = (await answer.json()) as { data: { id: string } }
    const [row] = await testServer.storage.read(
      (db) => db.sql<SessionKey>`
        select installation_id as "installationId", id as "sessionId" from checkout_sessions where id = ${data.id}`,
    )
    assert.ok(row)
    return row
  }

  function lock(key: SessionKey): Promise<Checkout | undefined> {
    return testServer.storage.write((tx) => lockSessionWithCart(tx, key))
  }

  // SQLite has one writer at a time.
  async function untilOneWaits(): Promise<void> {
    if (given.engine === 'sqlite') return
    await until(async () => {
      const waiting = await testServer.storage.read(
        (db) => db.sql`
          select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%secret_sealed%'`,
      )
      return waiting.length > 0
    }, 'the lock that waits')
  }

  test('locking a session waits for another transaction, and then returns what that wrote, also in other tables', async () => {
    const key = await openSession()
    const free = await lock(key)
    assert.equal(free?.hasPayments, false)
    const { merchantId, mode } = free.session
    const asked = {
      ...{ installationId: key.installationId, id: `pay_${randomUUID()}`, merchantId, mode, provider: 'test' },
      ...{ checkoutSessionId: key.sessionId, method: 'card', amount: 1, currency: 'EUR', checkAt: null },
    }
    let waiting: ReturnType<typeof lock> | undefined
    await testServer.storage.write(async (tx) => {
      await lockSessionWithCart(tx, key)
      insertPayment(tx, asked, testServer.clock.now)
      await tx.sql`update checkout_sessions set client_reference_id = 'moved' where id = ${key.sessionId}`
      waiting = lock(key)
      await untilOneWaits()
    })
    const seen = await waiting
    assert.equal(seen?.hasPayments, true)
    assert.equal(seen.session.clientReferenceId, 'moved')
    await testServer.storage.write((tx) => tx.sql`delete from payments where id = ${asked.id}`)
  })

  test('the cart is locked before the session', async () => {
    if (given.engine === 'sqlite') return
    const key = await openSession()
    const { storage } = testServer
    let waiting: ReturnType<typeof lock> | undefined
    await storage.write(async (tx) => {
      await tx.lockRow`select id from checkout_sessions where id = ${key.sessionId}`
      waiting = lock(key)
      await untilOneWaits()
      const free = await storage.write(
        (other) => other.sql`
          select id from carts where checkout_session_id = ${key.sessionId} ${other.skipLocked}`,
      )
      assert.deepEqual(free, [])
    })
    assert.equal((await waiting)?.session.id, key.sessionId)
  })
})
