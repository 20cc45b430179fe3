// A loop survives its worst row. In every table that a loop reads stands a row that cannot be handled, and before it in its
// turn: all others, of that merchant and of another, are handled in the same round, and the row is passed over after that.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { berlin, market } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { poison } from '../harness/poison.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { sweepAddresses } from '../src/domain/addresses/vault.ts'
import { deleteCarts } from '../src/domain/carts/retention.ts'
import { expireCarts } from '../src/domain/carts/sweep.ts'
import { announceCarts } from '../src/domain/carts/unannounced.ts'
import { refreshStaleProducts } from '../src/domain/catalog/refresh.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { deleteSessions, eraseCustomers } from '../src/domain/checkout/retention.ts'
import { endSessionsOfEnded, expireSessions } from '../src/domain/checkout/sweep.ts'
import { sweepHolds } from '../src/domain/inventory/holds.ts'
import { sweepArtifacts } from '../src/domain/oauth/sweep.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { payDueRefunds } from '../src/domain/payments/refunds.ts'
import { addEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { sweepWebhooks } from '../src/domain/webhooks/sweep.ts'
import { deleteDeadKeys } from '../src/platform/access/retention.ts'
import { sweepIdempotencyKeys } from '../src/platform/idempotency/once.ts'
import type { LoopName } from '../src/platform/jobs/names.ts'
import { RowsFailed } from '../src/platform/jobs/rows.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import { listFragment } from '../src/platform/storage/storage.ts'

// It is approved and nobody hears the answer.
const lostAnswer = '4000000000000259'

// The rows that a round could not handle, by id. Everything else that a round throws is a failure of the test.
async function failedOf(loop: LoopName, round: Promise<unknown>): Promise<string[]> {
  const failed = await round.then(
    () => [],
    (error: unknown) => {
      if (error instanceof RowsFailed) return error.failures
      throw error
    },
  )
  assert.ok(failed.every((failure) => failure.loop === loop))
  return failed.map(({ rowId }) => rowId)
}

eachEngine('a loop continues after a row that fails', (given) => {
  let testServer: TestServer
  let checkout: Checkout

  before(async () => {
    testServer = await openTestServer(given, { shops: [market, rival] })
    checkout = await checkoutOf(testServer)
  })

  const rivalCart = async (): Promise<string> => {
    const answer = await testServer.ask('createPublicCart', {
      key: testServer.keys.rival,
      body: { idempotencyKey: randomUUID(), items: [] },
    })
    return answer.body.data.id
  }

  async function statusOf(table: 'carts' | 'checkout_sessions', id: string): Promise<string | undefined> {
    const rows = await testServer.storage.read((db) =>
      table === 'carts'
        ? db.sql<{ status: string }>`select status from carts where id = ${id}`
        : db.sql<{ status: string }>`select status from checkout_sessions where id = ${id}`,
    )
    return rows[0]?.status
  }

  test('among stale products', async () => {
    const { storage, clock } = testServer
    const slugsOf = (rows: readonly { slug: string }[]) => rows.map(({ slug }) => slug).sort()
    const listed = await storage.read(
      (db) => db.sql<{ id: string; slug: string }>`select product_id as "id", slug from listed_products`,
    )
    const badIds = ['card', 'book'].map((slug) => listed.find((row) => row.slug === slug)?.id ?? '')
    const [unwritable = '', unreadable = ''] = badIds
    const [options] = await storage.read(
      (db) => db.sql<{ options: string }>`select options from products where id = ${unreadable}`,
    )
    const setOptions = (text: string) =>
      storage.write((tx) => tx.sql`update products set options = ${text} where id = ${unreadable}`)
    await setOptions('not JSON')
    // The bad ones have waited longest.
    await storage.write((tx) => tx.sql`update listed_products set stale_at = ${clock.now - 1_000}`)
    await storage.write(
      (tx) => tx.sql`update listed_products set stale_at = 0 where product_id in (${listFragment(badIds)})`,
    )
    const cure = await poison(storage, 'listed_products', `old.product_id = '${unwritable}'`)
    const stale = () =>
      storage.read((db) => db.sql<{ slug: string }>`select slug from listed_products where stale_at is not null`)
    const round = (at: number) => failedOf('stale_products', refreshStaleProducts(storage, at, 100))
    const badRows = badIds.flatMap((id) => [`live ${id}`, `test ${id}`])
    assert.deepEqual((await round(clock.now)).sort(), badRows.sort())
    assert.deepEqual(slugsOf(await stale()), ['book', 'book', 'card', 'card'])
    assert.deepEqual(await round(clock.now + 1_000), [])
    await cure()
    await setOptions(options?.options ?? '')
    clock.now += 60_000
    assert.deepEqual(await round(clock.now), [])
    assert.deepEqual(await stale(), [])
  })

  test('a shop file is applied although a stale product cannot be refreshed', async () => {
    const { storage, clock } = testServer
    const [row] = await storage.read(
      (db) => db.sql<{ id: string }>`select product_id as "id" from listed_products where slug = 'rival-only'`,
    )
    await storage.write((tx) => tx.sql`update listed_products set stale_at = 0`)
    const cure = await poison(storage, 'listed_products', `old.product_id = '${row?.id}'`)
    const card = { slug: 'postcard', name: 'Postcard', skus: [{ code: 'POST', price: 100, stock: 1 }] }
    await testServer.apply({ ...market, products: [...(market.products ?? []), card] })
    const stale = await storage.read(
      (db) => db.sql<{ slug: string }>`select slug from listed_products where stale_at is not null`,
    )
    assert.deepEqual(stale, [{ slug: 'rival-only' }, { slug: 'rival-only' }])
    await cure()
    assert.equal(await refreshStaleProducts(storage, clock.now + 60_000, 100), 2)
  })

  test('among expired holds', async () => {
    const { storage, clock } = testServer
    const until = clock.now + 300_000
    for (const items of [{ BOOK: 1 }, { CARD: 2, BOOK: 2 }, { COURSE: 1 }])
      await checkout.open(items, { expiresInSeconds: 300 })
    const bad = checkout.carts.sku('BOOK')
    const cure = await poison(storage, 'stock', `old.sku_id = '${bad}'`)
    const held = async () =>
      Object.fromEntries(
        (
          await storage.read(
            (db) => db.sql<{ code: string; held: number }>`
              select s.code, t.held from stock t join skus s on s.merchant_id = t.merchant_id and s.id = t.sku_id
              where t.held > 0 order by s.code`,
          )
        ).map(({ code, held }) => [code, held]),
      )
    assert.deepEqual(await held(), { BOOK: 3, CARD: 2, COURSE: 1 })
    const round = (at: number) => failedOf('holds', sweepHolds(storage, at, 500))
    assert.deepEqual(await round(until), [`test ${bad}`])
    assert.deepEqual(await held(), { BOOK: 3 })
    assert.deepEqual(await round(until + 1_000), [])
    await cure()
    assert.deepEqual(await round(until + 60_000), [])
    assert.deepEqual(await held(), {})
    assert.equal(await expireSessions(storage, testServer.app.payTools, until), 3)
  })

  test('among expired codes and tokens, and unused approvals', async () => {
    const { storage, clock, merchantId } = testServer
    for (const [i, id] of ['bad', 'good', 'better'].entries())
      await storage.write(
        (tx) => tx.sql`
          insert into oauth_artifacts (kind, id, sealed, expires_at, created_at)
          values ('AccessToken', ${id}, '', ${i + 1}, 0)`,
      )
    const installations = [newId('ins'), newId('ins')]
    for (const [i, id] of installations.entries())
      await storage.write(
        (tx) => tx.sql`
          insert into installations (id, merchant_id, name, mode, redirect_hosts, grant_id, created_at)
          values (${id}, ${merchantId}, ${`App ${i}`}, 'test', '[]', ${`grant ${i}`}, 0)`,
      )
    const [badInstallation = ''] = installations
    const cures = [
      await poison(storage, 'oauth_artifacts', "old.id = 'bad'"),
      await poison(storage, 'installations', `old.id = '${badInstallation}'`),
    ]
    const left = () =>
      storage.read(
        (db) => db.sql<{ id: string }>`
          select id from oauth_artifacts union all
          select id from installations where grant_id is not null and ended_at is null`,
      )
    const round = (at: number) => failedOf('oauth', sweepArtifacts(storage, at))
    assert.deepEqual(await round(clock.now), ['bad', badInstallation])
    assert.deepEqual(await left(), [{ id: 'bad' }, { id: badInstallation }])
    assert.deepEqual(await round(clock.now + 1_000), [])
    for (const cure of cures) await cure()
    assert.deepEqual(await round(clock.now + 60_000), [])
    assert.deepEqual(await left(), [])
  })

  test('among last uses of keys', async () => {
    const { storage, app, clock, keys } = testServer
    const names = ['full', 'catalog', 'rival'] as const
    for (const name of names) await app.identify.identify(`Bearer ${keys[name]}`, clock.now)
    const used = () =>
      storage.read(
        (db) => db.sql<{ id: string; name: string }>`
          select id, name from credentials where last_used_at = ${clock.now} order by name`,
      )
    const [bad] = await storage.read((db) => db.sql<{ id: string }>`select id from credentials where name = 'catalog'`)
    const cure = await poison(storage, 'credentials', `old.id = '${bad?.id}'`)
    const round = (at: number) => failedOf('last_use', app.identify.flushLastUse(at))
    assert.deepEqual(await round(clock.now), [bad?.id])
    assert.deepEqual(
      (await used()).map(({ name }) => name),
      ['full', 'rival'],
    )
    assert.deepEqual(await round(clock.now + 59_000), [])
    await cure()
    assert.deepEqual(await round(clock.now + 60_000), [])
    assert.equal((await used()).length, 3)
  })

  test('among payments without an outcome', async () => {
    const { storage, clock, app } = testServer
    const sessions: string[] = []
    for (let i = 0; i < 4; i += 1) {
      const { sessionId, secret, view } = await checkout.ready({ CARD: 1 })
      await checkout.pay(secret, view, lostAnswer)
      sessions.push(sessionId)
    }
    const [unclaimable = '', unrecordable = '', ...good] = sessions
    const paymentOf = async (id: string) => {
      const [row] = await storage.read(
        (db) =>
          db.sql<{ id: string; status: string }>`select id, status from payments where checkout_session_id = ${id}`,
      )
      return row
    }
    const bad = [(await paymentOf(unclaimable))?.id, (await paymentOf(unrecordable))?.id]
    const cures = [
      await poison(storage, 'payments', `old.id = '${bad[0]}'`),
      await poison(storage, 'checkout_sessions', `old.id = '${unrecordable}'`),
    ]
    const round = () => failedOf('payments', recoverPayments(app.payTools, 20))
    clock.now += 60_000
    assert.deepEqual(await round(), bad)
    for (const id of good) assert.equal((await paymentOf(id))?.status, 'succeeded')
    for (const id of [unclaimable, unrecordable]) assert.equal((await paymentOf(id))?.status, 'processing')
    clock.now += 1_000
    assert.deepEqual(await round(), [])
    for (const cure of cures) await cure()
    clock.now += 59_000
    assert.deepEqual(await round(), [])
    for (const id of sessions) assert.equal((await paymentOf(id))?.status, 'succeeded')
  })

  test('among pending refunds', async () => {
    const { storage, clock, app } = testServer
    const orders: string[] = []
    for (let i = 0; i < 4; i += 1) {
      const { sessionId, secret, view } = await checkout.ready({ CARD: 1 })
      await checkout.pay(secret, view)
      const orderId: string = (await checkout.read(sessionId)).body.data.orderId
      const cancelled = await testServer.ask('cancelStorefrontOrder', {
        path: { orderId },
        body: { idempotencyKey: randomUUID() },
      })
      assert.equal(cancelled.status, 200, cancelled.text)
      orders.push(orderId)
    }
    const [unclaimable = '', unrecordable = '', ...good] = orders
    const refundOf = async (id: string) => {
      const [row] = await storage.read(
        (db) => db.sql<{ id: string; status: string }>`select id, status from refunds where order_id = ${id}`,
      )
      return row
    }
    const bad = [(await refundOf(unclaimable))?.id, (await refundOf(unrecordable))?.id]
    const cures = [
      await poison(storage, 'refunds', `old.id = '${bad[0]}'`),
      await poison(storage, 'orders', `old.id = '${unrecordable}'`),
    ]
    const round = () => failedOf('refunds', payDueRefunds({ ...app.payTools, onPaid: recordRefundEnd }, clock.now, 20))
    assert.deepEqual(await round(), bad)
    for (const id of good) assert.equal((await refundOf(id))?.status, 'succeeded')
    for (const id of [unclaimable, unrecordable]) assert.equal((await refundOf(id))?.status, 'pending')
    clock.now += 1_000
    assert.deepEqual(await round(), [])
    for (const cure of cures) await cure()
    clock.now += 60_000
    assert.deepEqual(await round(), [])
    for (const id of orders) assert.equal((await refundOf(id))?.status, 'succeeded')
  })

  test('among expired addresses and idempotency keys', async () => {
    const { storage, clock } = testServer
    const cartIds = [await checkout.carts.create({ CARD: 1 }), await checkout.carts.create({ CARD: 1 })]
    for (const id of cartIds) assert.equal((await checkout.carts.address(id, berlin)).status, 200)
    const addresses = () =>
      storage.read(
        (db) => db.sql<{ id: string }>`
          select id from addresses where row_key is not null and owner_id in (${listFragment(cartIds)}) order by id`,
      )
    const [badAddress] = await addresses()
    const keys = () =>
      storage.read((db) => db.sql<{ key: string }>`select key from idempotency_keys order by created_at, key`)
    const [badKey] = await keys()
    assert.ok(badAddress && badKey && (await keys()).length > 10)
    const cures = [
      await poison(storage, 'addresses', `old.id = '${badAddress.id}'`),
      await poison(storage, 'idempotency_keys', `old.key = '${badKey.key}'`),
    ]
    const now = clock.now + 100 * 24 * 3_600_000
    const erase = (at: number) => failedOf('addresses', sweepAddresses(storage, at, 500))
    const drop = (at: number) => failedOf('idempotency_keys', sweepIdempotencyKeys(storage, at))
    assert.deepEqual(await erase(now), [badAddress.id])
    assert.deepEqual(await addresses(), [badAddress])
    assert.deepEqual(await drop(now), [badKey.key])
    assert.deepEqual(await keys(), [badKey])
    assert.deepEqual([await erase(now + 1), await drop(now + 1)], [[], []])
    for (const cure of cures) await cure()
    assert.deepEqual([await erase(now + 60_000), await drop(now + 60_000)], [[], []])
    assert.deepEqual([await addresses(), await keys()], [[], []])
  })

  test('among ended installations', async () => {
    const { storage, clock, app, merchantId } = testServer
    const ids = [newId('ins'), newId('ins'), newId('ins')]
    for (const [i, id] of ids.entries())
      await storage.write(
        (tx) => tx.sql`
          insert into installations (id, merchant_id, name, mode, redirect_hosts, disabled_at, ended_at, sessions_end_at,
            created_at)
          values (${id}, ${merchantId}, ${`Ended ${i}`}, 'test', '[]', 1, 1, ${i + 1}, 0)`,
      )
    const [bad = ''] = ids
    const cure = await poison(storage, 'installations', `old.id = '${bad}'`)
    const left = () =>
      storage.read((db) => db.sql<{ id: string }>`select id from installations where sessions_end_at is not null`)
    const round = (at: number) => failedOf('ended_installations', endSessionsOfEnded(storage, app.payTools, at))
    assert.deepEqual(await round(clock.now), [bad])
    assert.deepEqual(await left(), [{ id: bad }])
    assert.deepEqual(await round(clock.now + 1_000), [])
    await cure()
    assert.deepEqual(await round(clock.now + 60_000), [])
    assert.deepEqual(await left(), [])
  })

  test('among expired secrets, payloads and logs of webhooks', async () => {
    const { storage, clock, installationId } = testServer
    const tools = { rootSecret: testSecret, allowPrivate: true }
    const endpoints: string[] = []
    for (let i = 0; i < 2; i += 1) {
      const wanted = { url: `http://127.0.0.1:9999/${i}`, events: ['cart.created'], description: '' }
      const made = await storage.write((tx) => addEndpoint(tx, installationId, wanted, tools, clock.now))
      endpoints.push(made.endpoint.id)
    }
    const cartIds = [await checkout.carts.create(), await checkout.carts.create(), await checkout.carts.create()]
    const eventOf = async (subject: string) => {
      const [row] = await storage.read(
        (db) => db.sql<{ id: string; body: string }>`
          select id, body from events where subject_id = ${subject} and type = 'cart.created'`,
      )
      return row
    }
    const badEvent = (await eventOf(cartIds[0] ?? ''))?.id ?? ''
    const deliveries = () => storage.read((db) => db.sql<{ id: string }>`select id from webhook_deliveries order by id`)
    await storage.write(
      (tx) => tx.sql`update webhook_deliveries set status = 'succeeded', due_at = null, finished_at = ${clock.now}`,
    )
    await storage.write(
      (tx) => tx.sql`update webhook_endpoints set previous_sealed = 'x', previous_expires_at = ${clock.now}`,
    )
    const [badDelivery] = await deliveries()
    assert.ok(badDelivery)
    const [badEndpoint = ''] = endpoints.sort()
    const cures = [
      await poison(storage, 'webhook_endpoints', `old.id = '${badEndpoint}'`),
      await poison(storage, 'events', `old.id = '${badEvent}'`),
      await poison(storage, 'webhook_deliveries', `old.id = '${badDelivery.id}'`),
    ]
    const now = clock.now + 80 * 24 * 3_600_000
    const retentionMs = { ...retentionDefaultsMs, log: 60 * 24 * 3_600_000 }
    const round = async (at: number) => (await failedOf('webhooks', sweepWebhooks(storage, at, { retentionMs }))).sort()
    const secrets = () =>
      storage.read((db) => db.sql<{ id: string }>`select id from webhook_endpoints where previous_sealed is not null`)
    assert.deepEqual(await round(now), [badEndpoint, badEvent, badDelivery.id].sort())
    assert.deepEqual(await secrets(), [{ id: badEndpoint }])
    assert.deepEqual(await deliveries(), [badDelivery])
    assert.notEqual((await eventOf(cartIds[0] ?? ''))?.body, '')
    for (const id of cartIds.slice(1)) assert.equal((await eventOf(id))?.body ?? '', '')
    assert.deepEqual(await round(now + 1_000), [])
    for (const cure of cures) await cure()
    assert.deepEqual(await round(now + 60_000), [])
    assert.deepEqual([await secrets(), await deliveries()], [[], []])
    assert.equal((await eventOf(cartIds[0] ?? ''))?.body ?? '', '')
  })

  test('among expiring sessions', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i += 1)
      ids.push((await checkout.open({ CARD: 1 }, { expiresInSeconds: 300 + i })).body.data.id)
    const [bad = '', ...good] = ids
    const cure = await poison(testServer.storage, 'checkout_sessions', `old.id = '${bad}'`)
    const now = testServer.clock.now + 400_000
    const round = (at: number) => failedOf('sessions', expireSessions(testServer.storage, testServer.app.payTools, at))
    assert.deepEqual(await round(now), [bad])
    assert.equal(await statusOf('checkout_sessions', bad), 'open')
    for (const id of good) assert.equal(await statusOf('checkout_sessions', id), 'expired')
    assert.deepEqual(await round(now + 1_000), [], 'it is passed over')
    assert.deepEqual(await round(now + 60_000), [bad], 'and tried again')
    await cure()
    assert.deepEqual(await round(now + 180_000), [])
    assert.equal(await statusOf('checkout_sessions', bad), 'expired')
  })

  test('among expiring carts', async () => {
    const bad = await checkout.carts.create({ CARD: 1 })
    testServer.clock.now += 1_000
    const good = [await checkout.carts.create({ CARD: 2 }), await rivalCart()]
    const cure = await poison(testServer.storage, 'carts', `old.id = '${bad}'`)
    const now = testServer.clock.now + 400 * 24 * 3_600_000
    const round = (at: number) => failedOf('carts', expireCarts(testServer.storage, testServer.app.cartTools, at))
    assert.deepEqual(await round(now), [bad])
    for (const id of good) assert.equal(await statusOf('carts', id), 'expired')
    assert.deepEqual(await round(now + 1_000), [])
    await cure()
    assert.deepEqual(await round(now + 60_000), [])
    assert.equal(await statusOf('carts', bad), 'expired')
  })

  test('among carts that were changed on the checkout page', async () => {
    const { storage, clock } = testServer
    const { view: bad } = await checkout.ready({ COURSE: 1 })
    const { view: good } = await checkout.ready({ COURSE: 1 })
    const badId = bad.session.cartId
    const unannounced = async () =>
      (await storage.read((db) => db.sql<{ id: string }>`select id from carts where untold_since is not null`))
        .map(({ id }) => id)
        .filter((id) => id === badId || id === good.session.cartId)
    assert.equal((await unannounced()).length, 2)
    const cure = await poison(storage, 'carts', `old.id = '${badId}'`)
    const round = (at: number) => failedOf('untold_carts', announceCarts(storage, testServer.app.cartTools, at))
    assert.deepEqual(await round(clock.now + 5_000), [badId])
    assert.deepEqual(await unannounced(), [badId])
    assert.deepEqual(await round(clock.now + 6_000), [])
    await cure()
    assert.deepEqual(await round(clock.now + 66_000), [])
    assert.deepEqual(await unannounced(), [])
  })

  test('among rows that are due for deletion', async () => {
    const { storage, clock } = testServer
    const sessions = [await checkout.ready({ CARD: 1 }), await checkout.ready({ CARD: 1 })].map(
      (ready) => ready.sessionId,
    )
    for (const sessionId of sessions)
      await testServer.ask('cancelHostedCheckoutSession', {
        path: { sessionId },
        body: { idempotencyKey: randomUUID() },
      })
    const keys = [await testServer.newKey([]), await testServer.newKey([])]
    await storage.write(
      (tx) =>
        tx.sql`update credentials set revoked_at = ${clock.now} where id in (${listFragment(keys.map(({ id }) => id))})`,
    )
    const now = clock.now + 400 * 24 * 3_600_000
    await expireCarts(storage, testServer.app.cartTools, now)
    const carts = await storage.read(
      (db) => db.sql<{ id: string }>`
        select id from carts c where status = 'expired' and updated_at <= ${now} and not exists (
          select 1 from checkout_sessions s where s.cart_id = c.id) order by updated_at, id`,
    )
    const ended = { endedBy: now, now }
    const [badSession = '', badCart = '', badKey = ''] = [sessions[0], carts[0]?.id, keys[0]?.id]
    const cures = [
      await poison(storage, 'checkout_sessions', `old.id = '${badSession}'`),
      await poison(storage, 'carts', `old.id = '${badCart}'`),
      await poison(storage, 'credentials', `old.id = '${badKey}'`),
    ]
    const left = async () => ({
      customers: await storage.read(
        (db) => db.sql<{ id: string }>`
          select id from checkout_sessions where customer_sealed is not null and id in (${listFragment(sessions)})`,
      ),
      sessions: await storage.read(
        (db) => db.sql<{ id: string }>`select id from checkout_sessions where id in (${listFragment(sessions)})`,
      ),
      carts: await storage.read(
        (db) => db.sql<{ id: string }>`select id from carts where id in (${listFragment(carts.map(({ id }) => id))})`,
      ),
      keys: await storage.read(
        (db) =>
          db.sql<{ id: string }>`select id from credentials where id in (${listFragment(keys.map(({ id }) => id))})`,
      ),
    })
    const erased = await failedOf('retention', eraseCustomers(storage, ended))
    assert.deepEqual(erased, [badSession])
    assert.deepEqual((await left()).customers, [{ id: badSession }])
    // A minute later, because the session is deferred by now.
    const later = { endedBy: now, now: now + 60_000 }
    assert.deepEqual(await failedOf('retention', deleteSessions(storage, 'without order', later)), [badSession])
    assert.deepEqual(await failedOf('retention', deleteCarts(storage, 'expired', later)), [badCart])
    assert.deepEqual(await failedOf('retention', deleteDeadKeys(storage, later)), [badKey])
    const bad = (id: string) => [{ id }]
    const worst = { customers: bad(badSession), sessions: bad(badSession), carts: bad(badCart), keys: bad(badKey) }
    assert.deepEqual(await left(), worst)
    for (const cure of cures) await cure()
    const last = { endedBy: now, now: now + 3_600_000 }
    await deleteSessions(storage, 'without order', last)
    await deleteCarts(storage, 'expired', last)
    await deleteDeadKeys(storage, last)
    assert.deepEqual(await left(), { customers: [], sessions: [], carts: [], keys: [] })
  })
})
