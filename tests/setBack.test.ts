// The clock is set back while the server runs. What waits for an instant that was written by the clock of before waits as long
// as it was meant to, and not until the clock is there again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, testSecret } from '../harness/testServer.ts'
import { listUnannouncedCarts } from '../src/domain/carts/store.ts'
import { countCodes, insertCode, lockCodeOfBrowser } from '../src/domain/customers/store.ts'
import { listDueLabels, queueLabel } from '../src/domain/payments/labels.ts'
import { leaseMs as paymentLeaseMs } from '../src/domain/payments/schedule.ts'
import { listPaymentsToCheck, listRefundsToPay } from '../src/domain/payments/store.ts'
import { insertHost, listDueHosts } from '../src/domain/sites/hoststore.ts'
import { claimDeliveries, listDueEndpoints, releaseLeases } from '../src/domain/webhooks/claim.ts'
import { addEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { deliveryLeaseMs } from '../src/domain/webhooks/schedule.ts'
import { loopsFor } from '../src/ops/cli/loops.ts'
import { hasDueImports, runMs } from '../src/ops/imports/store.ts'
import { deferRow, listDeferred } from '../src/platform/jobs/store.ts'
import { retentionDefaultsMs } from '../src/platform/kit/retention.ts'

const minute = 60_000
const hour = 60 * minute

eachEngine('setting the clock back', (given) => {
  test('stops no loop', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { storage, app, clock, installationId } = testServer
    const tools = { rootSecret: testSecret, allowPrivate: true }
    const input = { url: 'http://127.0.0.1:9999/', description: '', events: ['cart.created', 'order.placed'] }
    await storage.write((tx) => addEndpoint(tx, installationId, input, tools, clock.now))
    const checkout = await checkoutOf(testServer)
    const { secret, view } = await checkout.ready({ CARD: 1 })
    const { view: paid } = await checkout.pay(secret, view)
    const path = { orderId: paid?.session.orderId ?? '' }
    await testServer.ask('cancelStorefrontOrder', { path, body: { idempotencyKey: 'cancel' } })
    const start = clock.now
    const { carts } = checkout
    const cartId = await carts.create({ CARD: 1 })
    await storage.write(async (tx) => {
      await tx.sql`update payments set check_at = ${start + minute}`
      queueLabel(tx, { installationId, id: 'pay_1' }, start)
      await tx.sql`update webhook_endpoints set consecutive_failures = 3, failing_since = ${start}, last_failure_at = ${start}`
      await tx.sql`update carts set untold_since = ${start} where id = ${cartId}`
      await deferRow(tx, 'holds', { tenantId: 'mer_1', rowId: 'x' }, { errorCode: 'x', now: start })
    })
    // With a fraction that a double cannot hold exactly, like that of performance.now().
    let counted = 5_431.123_456_7
    const parts = { storage, app, retentionMs: retentionDefaultsMs, clock: () => clock.now, monotonic: () => counted }
    const loop = loopsFor(parts).find(({ name }) => name === 'clock')
    assert.ok(loop)
    const turn = () => loop.work(() => false)
    const due = (at: number) =>
      storage.read(async (db) => ({
        endpoints: (await listDueEndpoints(db, '', at)).length,
        refunds: (await listRefundsToPay(db, at, 10)).length,
        payments: (await listPaymentsToCheck(db, at, 10)).length,
        labels: (await listDueLabels(db, at, 10)).length,
        unannounced: (await listUnannouncedCarts(db, at, at, 10)).length,
        deferred: (await listDeferred(db, at, 10)).length,
      }))
    // One delivery is being sent by somebody who will not tell.
    const endpoints = await storage.read((db) => listDueEndpoints(db, '', clock.now))
    const { claimed } = await storage.write((tx) =>
      claimDeliveries(tx, endpoints, { limit: 1, leaseMs: deliveryLeaseMs, now: clock.now }),
    )
    assert.equal(claimed.length, 1)

    // A clock that goes as it should moves nothing.
    clock.now += 5_000
    counted += 5_000.3
    await turn()
    assert.deepEqual(await due(clock.now), {
      endpoints: 1,
      refunds: 1,
      payments: 0,
      labels: 1,
      unannounced: 1,
      deferred: 1,
    })

    clock.now -= hour
    assert.deepEqual(await due(clock.now), {
      endpoints: 0,
      refunds: 0,
      payments: 0,
      labels: 0,
      unannounced: 0,
      deferred: 1,
    })
    await turn()
    assert.deepEqual(await due(clock.now), {
      endpoints: 1,
      refunds: 0,
      payments: 0,
      labels: 0,
      unannounced: 1,
      deferred: 0,
    })
    // Somebody may be asking the provider now, under the lease that all of them have.
    const { refunds, labels } = await due(clock.now + paymentLeaseMs)
    assert.deepEqual([refunds, labels], [1, 1])
    assert.equal((await due(clock.now + minute)).payments, 1, 'as late as it was meant to be, and no later')
    assert.equal(await releaseLeases(storage, clock.now + deliveryLeaseMs - 1, { all: false }), 0)
    assert.equal(await releaseLeases(storage, clock.now + deliveryLeaseMs, { all: false }), 1)

    // A call that is made now and succeeds ends the failures of before.
    const [endpoint] = await storage.read(
      (db) => db.sql<{ failedAt: number }>`select last_failure_at as "failedAt" from webhook_endpoints`,
    )
    assert.equal(endpoint?.failedAt, clock.now)

    // Once: what waits is not brought forward again.
    await storage.write((tx) => tx.sql`update payments set check_at = ${clock.now + hour}`)
    await turn()
    assert.equal((await due(clock.now + hour - 1)).payments, 0)
    await storage.write((tx) => tx.sql`update carts set untold_since = null`)
  })

  test('delays no check of a host, no import of a dead process and no sign-in code of a shopper', async () => {
    const { storage, app, clock, merchantId } = await openTestServer(given)
    const start = clock.now
    const code = (id: string, createdAt: number) => ({
      ...{ merchantId, id, mode: 'live' as const, mailboxHash: 'm', networkHash: 'n', emailSealed: '', codeHash: '' },
      ...{ linkHash: '', browserHash: 'b', tries: 0, createdAt, expiresAt: createdAt + 10 * minute, usedAt: null },
      ...{ isKnown: 0 as const },
    })
    await storage.write(async (tx) => {
      for (const [host, checkAt] of [
        ['soon.example', start + minute],
        ['later.example', start + 50 * minute],
      ] as const) {
        const row = { merchantId, host, proof: host, isMain: false, provedAt: null, checkedAt: null, problem: null }
        await insertHost(tx, { ...row, checkAt, createdAt: start })
      }
      await tx.sql`
        insert into transfers (merchant_id, id, mode, kind, name, state, pieces, received, run, run_until, created, changed,
          unchanged, refused, changes_count, changes, refusals, notes, position, written, created_at, updated_at)
        values (${merchantId}, 'trf_1', 'live', 'products', 'a.csv', 'planning', 1, 1, 'req_1', ${start + runMs}, 0, 0,
          0, 0, 0, '[]', '[]', '[]', 0, 0, ${start}, ${start})`
      for (let at = 0; at < 3; at += 1) insertCode(tx, code(`cod_${at}`, start - at))
    })
    let counted = 0.5
    const parts = { storage, app, retentionMs: retentionDefaultsMs, clock: () => clock.now, monotonic: () => counted }
    const loop = loopsFor(parts).find(({ name }) => name === 'clock')
    counted += 1_000
    clock.now = start + 1_000 - 5 * hour
    await loop?.work(() => false)
    const hosts = (at: number) => storage.read(async (db) => (await listDueHosts(db, at, 10)).map(({ host }) => host))
    assert.deepEqual(await hosts(clock.now + minute), ['soon.example'])
    assert.deepEqual(await hosts(clock.now + 50 * minute), ['soon.example', 'later.example'])
    const imports = (at: number) => storage.read((db) => hasDueImports(db, at))
    assert.deepEqual([await imports(clock.now + runMs - 1), await imports(clock.now + runMs)], [false, true])
    await storage.write(async (tx) => insertCode(tx, code('cod_new', clock.now)))
    const newest = await storage.write((tx) => lockCodeOfBrowser(tx, { merchantId, mode: 'live' }, 'b'))
    assert.equal(newest?.id, 'cod_new')
    const { shopHour } = await storage.read((db) => countCodes(db, code('', 0), clock.now + hour))
    assert.equal(Number(shopHour), 0)
  })
})
