// A database of a released version, with a past in both modes, keeps its live numbers, and what belongs to test
// installations moves to test mode.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { cpuOf } from '../harness/cpu.ts'
import { openModesOn } from '../harness/modes.ts'
import { copyReleased, fillAsReleased } from '../harness/released.ts'
import { eachEngine } from '../harness/storage.ts'
import { fillFoldedTexts } from '../src/domain/catalog/fold.ts'
import { refreshStaleProducts } from '../src/domain/catalog/refresh.ts'
import { fillIndex } from '../src/domain/catalog/reindex.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import type { Reader } from '../src/platform/storage/storage.ts'

// The slowest takes 0.5 s on SQLite and 2 s on PostgreSQL; one whose time is quadratic in the products took 18 s.
const cpuMsMax = 8_000

async function stockIn(db: Reader, mode: string): Promise<Record<string, number[]>> {
  const rows = await db.sql<{ code: string; onHand: number; held: number; version: number }>`
    select s.code, t.on_hand as "onHand", t.held, t.version from stock t
    join skus s on s.merchant_id = t.merchant_id and s.id = t.sku_id
    join merchants m on m.id = t.merchant_id
    where m.slug = 'bloom' and t.mode = ${mode}`
  return Object.fromEntries(rows.map(({ code, onHand, held, version }) => [code, [onHand, held, version]]))
}

eachEngine('a database of an earlier release', (given) => {
  async function migrated() {
    const url = await given.freshUrl()
    const storage = await given.open({ url, withMigrations: false })
    const { now } = await fillAsReleased(storage)
    assert.ok((await migrate(storage, { now: new Date() })).some((name) => name.endsWith('_modes')))
    return { url, storage, now }
  }

  test('keeps its live stock, and gets a test mode with the same stock', async () => {
    const { storage } = await migrated()
    await storage.read(async (db) => {
      assert.deepEqual(await findViolations(db), [])
      const kept = { VASE: [0, 0, 0], PEONY: [0, 0, 0], TULIP: [9, 0, 0], COURSE: [43, 0, 0] }
      const { VASE, ...others } = kept
      const same = { ...others, 'VASE-1': VASE, 'ROSE-24': [0, 0, 1] }
      assert.deepEqual(await stockIn(db, 'live'), {
        ...same,
        'ROSE-12': [35, 0, 0],
        BOOK: [60, 0, 0],
        CARD: [968, 1, 0],
      })
      assert.deepEqual(await stockIn(db, 'test'), {
        ...same,
        'ROSE-12': [35, 2, 0],
        BOOK: [60, 2, 0],
        CARD: [968, 3, 0],
      })
      const orders = await db.sql<{
        number: string
        mode: string
      }>`select number, mode from orders order by placed_at, id`
      assert.deepEqual(
        orders.map(({ number, mode }) => `${number} ${mode}`),
        ['1001 live', 'T-1002 test', 'T-1003 test', 'T-1004 test', '1005 live', 'T-1006 test'],
      )
      const used = await db.sql<{ code: string; used: number; test: number }>`
        select code, used, test_used as "test" from promotions where used + test_used > 0 order by code`
      assert.deepEqual(used, [
        { code: 'HALF', used: 1, test: 1 },
        { code: 'LAST', used: 0, test: 1 },
      ])
    })
  })

  test('is migrated with 5,000 products and 3,750 orders in at most a few seconds of CPU per migration', async () => {
    const url = await given.freshUrl()
    const filled = await given.open({ url, withMigrations: false })
    await copyReleased(filled, await fillAsReleased(filled), 624)
    await filled.close()
    const storage = await given.open({ url, withMigrations: false })
    const spentMs = cpuOf(given.engine, url)
    let before = spentMs()
    const slow: string[] = []
    const onStep = (step: string) => {
      const now = spentMs()
      if (step.endsWith(':run') && now - before > cpuMsMax) slow.push(`${step} ${now - before} ms`)
      if (step.endsWith(':committed')) before = now
    }
    await migrate(storage, { now: new Date(), onStep })
    assert.deepEqual(slow, [])
    const [counted] = await storage.read(
      (db) => db.sql`select (select count(*) from products) as "products", (select count(*) from orders) as "orders"`,
    )
    assert.deepEqual(counted, { products: 5_000, orders: 3_750 })
  })

  test('gets its brands from the vendor in the metadata, and finds products by brand', async () => {
    const url = await given.freshUrl()
    const storage = await given.open({ url, withMigrations: false })
    const { now } = await fillAsReleased(storage)
    const written = { card: ' Paper \t\nMill ', peonies: ' ', book: '\ud83d', course: undefined }
    await storage.write(async (tx) => {
      for (const [slug, vendor] of Object.entries(written))
        await tx.sql`update products set metadata = ${JSON.stringify({ a: '"', vendor })} where slug = ${slug}`
    })
    await migrate(storage, { now: new Date() })
    const { live } = await openModesOn(given, url, now)
    const product = async (slug: string) =>
      (await live.ask('getApiKeyCatalogProduct', { path: { slug } })).body.data as Record<string, unknown>
    const { brand, metadata } = await product('card')
    assert.deepEqual([brand, metadata], ['Paper   Mill', { a: '"', vendor: written.card }], 'before any loop')
    for (const slug of ['peonies', 'course']) assert.equal((await product(slug)).brand, null, slug)
    await refreshStaleProducts(live.storage, now, 1_000)
    await fillIndex(live.storage, { now, limit: 100 })
    await fillFoldedTexts(live.storage, 1_000)
    const { body: list } = await live.ask('listApiKeyCatalogProducts')
    assert.ok(list.data.every((row: object) => 'brand' in row))
    const { body: found } = await live.ask('searchCatalogProducts', { query: '?q=papre%20mill' })
    assert.deepEqual(
      found.data.map((row: { slug: string }) => row.slug),
      ['card'],
    )
    const { body: heads } = await live.askAdmin('listAdminProducts', { query: '?q=mill' })
    assert.deepEqual(
      heads.data.map((row: { slug: string }) => row.slug),
      ['card'],
    )
    assert.deepEqual(await live.storage.read(findViolations), [])
  })

  test('sells in both modes, and cancelling an earlier test order restocks test mode', async () => {
    const { url, now } = await migrated()
    const { test: trial, live } = await openModesOn(given, url, now)
    assert.deepEqual([await trial.available('card', 'CARD'), await live.available('card', 'CARD')], [968 - 3, 968 - 1])
    assert.equal((await trial.buy({ CARD: 1 }, { promotionCode: 'HALF' })).number, 'T-1007')
    assert.equal((await live.buy({ CARD: 1 }, { promotionCode: 'LAST' })).number, '1007')
    const [old] = (await trial.ask('listStorefrontOrders')).body.data.orders.filter(
      (order: { number: string }) => order.number === 'T-1004',
    )
    const answer = await trial.ask('cancelStorefrontOrder', {
      path: { orderId: old.id },
      body: { idempotencyKey: randomUUID() },
    })
    assert.equal(answer.status, 200, answer.text)
    const stock = (mode: string) => trial.storage.read((db) => stockIn(db, mode))
    assert.deepEqual((await stock('test'))['ROSE-24'], [3, 0, 2])
    assert.deepEqual((await stock('live'))['ROSE-24'], [0, 0, 1])
    assert.deepEqual(await trial.storage.read(findViolations), [])
  })
})
