// A merchant is moved from one cell to another. `npm run proof -- move-merchant` does it while shoppers buy.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { givenEngine } from '../harness/storage.ts'
import { until } from '../harness/until.ts'
import { createCaller } from '../proof/caller.ts'
import { makeShop, standOf } from '../proof/shop.ts'
import { openingOf, sessionFrom } from '../proof/shopper.ts'
import { shoppingShop } from '../proof/shopping.ts'
import { listDueEmails } from '../src/domain/emails/store.ts'
import { listDueEndpoints } from '../src/domain/webhooks/claim.ts'
import { moveTools } from '../src/ops/cli/merchants.ts'
import { listTables } from '../src/platform/storage/catalogue.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { moveMerchant, selectMerchantPart } from '../src/platform/storage/moving.ts'
import { Fragment, type Reader } from '../src/platform/storage/storage.ts'

const given = givenEngine('postgres')

// Rows that name the merchant or its installation, by table.
async function listRowsOf(db: Reader, ids: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const { name, columns } of await listTables(db))
    for (const column of columns.filter(({ name }) => /^(merchant_id|installation_id|tenant_id)$/.test(name)))
      for (const id of ids) {
        const rows = await db.sql`
          select 1 from ${new Fragment(`"${name}"`)} where ${new Fragment(column.name)} = ${id} limit 1`
        if (rows.length > 0) found.push(name)
      }
  return [...new Set(found)].sort()
}

const openAt = (url: string) => given.open({ url, withMigrations: false })

describe('a merchant that is moved', () => {
  test('answers as before at the new database, leaves nothing behind, and can be moved back', async () => {
    const shop = await makeShop(given, [shoppingShop('moving'), shoppingShop('staying')])
    const stand = standOf(shop)
    const { key, merchantId, installationId } = stand
    const here = { CARTWRIGHT_DATABASE_URL: shop.url, CARTWRIGHT_SECRET: shop.rootSecretText }
    const there = { ...here, CARTWRIGHT_DATABASE_URL: await given.freshUrl() }
    const [from, to] = await Promise.all(
      [here, there].map(({ CARTWRIGHT_DATABASE_URL: url }) => given.open({ url, withMigrations: false })),
    )
    assert.ok(from && to)
    const old = await serveHere(here)
    // As `cells add --like` does.
    await migrate(to, { now: new Date() })
    for (const row of await from.read(
      (db) => db.sql<{ name: string; sealed: string }>`select name, sealed from database_keys`,
    ))
      await to.write(
        (tx) => tx.sql`insert into database_keys (name, sealed, created_at) values (${row.name}, ${row.sealed}, 1)`,
      )
    const next = await serveHere(there)
    const caller = createCaller(4)
    given.later(async () => caller.close())

    const body = openingOf({ items: [{ skuId: shop.sku('DIGITAL'), quantity: 1 }] })
    const opened = await caller.ask(old.origin, 'createHostedCheckoutSession', { key, body })
    assert.equal(opened.status, 200, opened.text)
    const path = `/c/${sessionFrom(opened).secret}`
    const look = (origin: string) => caller.call(origin, { method: 'GET', path })
    const list = (origin: string) => caller.ask(origin, 'listApiKeyCatalogProducts', { key })

    // The source fails after the target was committed: there the merchant is not open yet.
    const toNext = { ...moveTools(from, 'moving', 0), origin: next.origin }
    let drops = 0
    const dropIndex: typeof toNext.dropIndex = async (tx, id) => {
      drops += 1
      if (drops === 2) throw new Error('the source is lost')
      await toNext.dropIndex(tx, id)
    }
    await assert.rejects(moveMerchant(from, to, 'moving', { ...toNext, dropIndex }), /the source is lost/)
    for (const { origin } of [old, next]) {
      await until(async () => (await list(origin)).status === 503)
      assert.equal((await look(origin)).status, 200)
    }

    const { rows } = await moveMerchant(from, to, 'moving', toNext)
    assert.ok(rows > 20)
    const repeated = await caller.ask(next.origin, 'createHostedCheckoutSession', { key, body })
    assert.deepEqual([repeated.status, repeated.text], [200, opened.text])
    assert.equal(repeated.headers['idempotency-replayed'], 'true')
    await until(async () => (await list(next.origin)).status === 200)
    await until(async () => (await list(old.origin)).status === 421)
    assert.deepEqual(JSON.parse((await list(old.origin)).text).error.current, { origin: next.origin })
    const sent = await look(old.origin)
    assert.deepEqual([sent.status, sent.headers.location], [303, `${next.origin}${path}`])
    assert.equal((await look(next.origin)).status, 200)
    assert.deepEqual(await from.read((db) => listRowsOf(db, [merchantId, installationId])), [
      'merchant_moves',
      'moved_names',
    ])
    const other = await caller.ask(old.origin, 'listApiKeyCatalogProducts', { key: standOf(shop, 1).key })
    assert.equal(other.status, 200)

    await moveMerchant(to, from, 'moving', { ...moveTools(to, 'moving', 0), origin: old.origin })
    await until(async () => (await list(old.origin)).status === 200)
    assert.equal((await caller.ask(old.origin, 'createHostedCheckoutSession', { key, body })).text, opened.text)
    assert.deepEqual(await from.read((db) => db.sql`select merchant_id from merchant_moves`), [])
    assert.equal((await cartwright(['doctor'], here)).code, 0)

    await assert.rejects(moveMerchant(from, to, 'nobody', toNext), /there is no merchant nobody/)
  })

  test('is copied only after transactions that have locked its rows end, and has due work at the new database only after it left the old one', async () => {
    const shop = await makeShop(given, [shoppingShop('moving')], { webhookUrl: 'http://127.0.0.1:9999/' })
    const [from, other] = [await openAt(shop.url), await openAt(shop.url)]
    const to = await openAt(await given.freshUrl())
    await migrate(to, { now: new Date() })
    const { merchantId, installationId } = standOf(shop)
    await from.write(async (tx) => {
      await tx.sql`
        insert into emails (installation_id, id, merchant_id, kind, subject_id, facts, status, attempts, due_at, created_at)
        values (${installationId}, 'eml_1', ${merchantId}, 'order_placed', 'ord_1', '{}', 'pending', 0, 1, 1)`
      const [endpoint] = await tx.sql<{ id: string }>`
        select id from webhook_endpoints where installation_id = ${installationId}`
      await tx.sql`
        insert into events (installation_id, id, type, subject_type, subject_id, sequence, body, occurred_at)
        values (${installationId}, 'evt_1', 'order.paid', 'order', 'ord_1', 1, '{}', 1)`
      await tx.sql`
        insert into webhook_deliveries (installation_id, id, endpoint_id, event_id, event_type, subject_id, sequence, status, attempts,
          due_at, created_at)
        values (${installationId}, 'whd_1', ${endpoint?.id ?? ''}, 'evt_1', 'order.paid', 'ord_1', 1, 'pending', 0, 1, 1)`
    })
    const order: string[] = []
    const isLocked = Promise.withResolvers<void>()
    // The move waits for the lock, or did not have to.
    let isSeen = false
    const lockFirst = () =>
      other.write(async (tx) => {
        await tx.sql`select id from skus where merchant_id = ${merchantId} ${tx.forUpdate}`
        isLocked.resolve()
        // The database ends a transaction that does nothing for some seconds.
        await until(async () => {
          await tx.sql`select 1`
          return isSeen
        })
        await tx.sql`update products set updated_at = updated_at where merchant_id = ${merchantId}`
        order.push('a transaction of before')
      })
    let working: Promise<void> | undefined
    const tools = {
      ...moveTools(from, 'moving', 0),
      origin: 'https://b.example.com',
      // As late as can be: a transaction that does nothing is ended after some seconds.
      async closed() {
        working ??= lockFirst()
        await isLocked.promise
      },
    }
    let isLost = true
    const moving = () =>
      moveMerchant(from, to, 'moving', {
        ...tools,
        onProgress({ doing }) {
          if (order.at(-1) !== doing) order.push(doing)
          isSeen = true
        },
        async dropIndex(tx, id) {
          await tools.dropIndex(tx, id)
          if (tx.engine === 'postgres' && order.includes('copying') && isLost) throw new Error('the source is lost')
        },
      })
    const lost = assert.rejects(moving(), /the source is lost/)
    await until(async () => {
      const waiting = await to.read(
        (db) => db.sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'lock table%'`,
      )
      return waiting.length > 0 || order.length > 0
    })
    isSeen = true
    await Promise.all([working, lost])
    assert.equal(order[0], 'a transaction of before')

    const whatIsDue = async () => [
      (await to.read((db) => listDueEndpoints(db, '', Date.now()))).length,
      (await to.read((db) => listDueEmails(db, Date.now(), 10))).length,
    ]
    const [copied] = await to.read(
      (db) => db.sql<{ count: number }>`select count(*) as "count" from webhook_deliveries`,
    )
    assert.equal(copied?.count, 1, 'the copy at the target is whole')
    assert.deepEqual(await whatIsDue(), [0, 0])
    isLost = false
    await moving()
    assert.deepEqual(await whatIsDue(), [1, 1])
  })

  test('is refused if the two databases have different keys', async () => {
    const shop = await makeShop(given, [shoppingShop('moving')])
    const here = { CARTWRIGHT_DATABASE_URL: shop.url, CARTWRIGHT_SECRET: shop.rootSecretText }
    const to = await given.freshUrl()
    for (const url of [shop.url, to])
      await (await serveHere({ ...here, CARTWRIGHT_DATABASE_URL: url }, ['--no-demo'])).stop()
    const move = ['merchants', 'move', 'moving', '--to', to, '--origin', 'https://b.example']
    const { code, err } = await cartwright(move, here)
    assert.equal(code, 1)
    assert.match(
      err,
      /different keys for recognizing customers: create the target cell with `cells add NAME --like CELL`/,
    )
    assert.equal((await cartwright([...move.slice(0, -1), 'https://b.example/shop'], here)).code, 1)
  })

  test('has a rule for the rows of every table, and a table without a rule is an error', async () => {
    const storage = await given.open()
    for (const table of await storage.read(listTables))
      assert.doesNotThrow(() => selectMerchantPart(table, 'mer_1'), table.name)
    assert.throws(
      () => selectMerchantPart({ name: 'weather', columns: [], key: [], references: [] }, 'mer_1'),
      /the table weather has no condition/,
    )
  })
})
