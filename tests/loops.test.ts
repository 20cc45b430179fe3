// A loop survives its worst row. In every table that a loop reads stands a row that cannot be handled, and before it in its
// turn: all others, of that merchant and of another, are handled in the same round, and the row is passed over after that.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { expireCarts } from '../src/carts/sweep.ts'
import { refreshStaleProducts } from '../src/catalog/refresh.ts'
import { expireSessions } from '../src/checkout/sweep.ts'
import { sweepHolds } from '../src/inventory/holds.ts'
import { newId } from '../src/kit/ids.ts'
import type { LoopName } from '../src/loops/names.ts'
import { RowsFailed } from '../src/loops/rows.ts'
import { sweepArtifacts } from '../src/oauth/sweep.ts'
import { list } from '../src/storage/storage.ts'
import { market } from './support/carts.ts'
import { type Checkout, checkoutOf } from './support/checkout.ts'
import { type House, openHouse } from './support/house.ts'
import { poison } from './support/poison.ts'
import { rival } from './support/shops.ts'
import { eachEngine } from './support/storage.ts'

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

eachEngine('a loop survives its worst row', (given) => {
  let house: House
  let checkout: Checkout

  before(async () => {
    house = await openHouse(given, { shops: [market, rival] })
    checkout = await checkoutOf(house)
  })

  const rivalCart = async (): Promise<string> => {
    const answer = await house.ask('createPublicCart', {
      key: house.keys.rival,
      body: { idempotencyKey: randomUUID(), items: [] },
    })
    return answer.body.data.id
  }

  async function statusOf(table: 'carts' | 'checkout_sessions', id: string): Promise<string | undefined> {
    const rows = await house.storage.read((db) =>
      table === 'carts'
        ? db.sql<{ status: string }>`select status from carts where id = ${id}`
        : db.sql<{ status: string }>`select status from checkout_sessions where id = ${id}`,
    )
    return rows[0]?.status
  }

  test('products that are stale', async () => {
    const { storage, clock } = house
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
    await storage.write((tx) => tx.sql`update listed_products set stale_at = 0 where product_id in (${list(badIds)})`)
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

  test('a shop file is applied beside a stale product that cannot be rendered', async () => {
    const { storage, clock } = house
    const [row] = await storage.read(
      (db) => db.sql<{ id: string }>`select product_id as "id" from listed_products where slug = 'rival-only'`,
    )
    await storage.write((tx) => tx.sql`update listed_products set stale_at = 0`)
    const cure = await poison(storage, 'listed_products', `old.product_id = '${row?.id}'`)
    const card = { slug: 'postcard', name: 'Postcard', skus: [{ code: 'POST', price: 100, stock: 1 }] }
    await house.apply({ ...market, products: [...(market.products ?? []), card] })
    const stale = await storage.read(
      (db) => db.sql<{ slug: string }>`select slug from listed_products where stale_at is not null`,
    )
    assert.deepEqual(stale, [{ slug: 'rival-only' }, { slug: 'rival-only' }])
    await cure()
    assert.equal(await refreshStaleProducts(storage, clock.now + 60_000, 100), 2)
  })

  test('holds that ended', async () => {
    const { storage, clock } = house
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
    assert.equal(await expireSessions(storage, house.app.payTools, until), 3)
  })

  test('codes and tokens that ended, and approvals that nobody redeemed', async () => {
    const { storage, clock, merchantId } = house
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

  test('the last use of keys', async () => {
    const { storage, app, clock, keys } = house
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

  test('sessions that expire', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i += 1)
      ids.push((await checkout.open({ CARD: 1 }, { expiresInSeconds: 300 + i })).body.data.id)
    const [bad = '', ...good] = ids
    const cure = await poison(house.storage, 'checkout_sessions', `old.id = '${bad}'`)
    const now = house.clock.now + 400_000
    const round = (at: number) => failedOf('sessions', expireSessions(house.storage, house.app.payTools, at))
    assert.deepEqual(await round(now), [bad])
    assert.equal(await statusOf('checkout_sessions', bad), 'open')
    for (const id of good) assert.equal(await statusOf('checkout_sessions', id), 'expired')
    assert.deepEqual(await round(now + 1_000), [], 'it is passed over')
    assert.deepEqual(await round(now + 60_000), [bad], 'and tried again')
    await cure()
    assert.deepEqual(await round(now + 180_000), [])
    assert.equal(await statusOf('checkout_sessions', bad), 'expired')
  })

  test('carts that expire', async () => {
    const bad = await checkout.carts.create({ CARD: 1 })
    house.clock.now += 1_000
    const good = [await checkout.carts.create({ CARD: 2 }), await rivalCart()]
    const cure = await poison(house.storage, 'carts', `old.id = '${bad}'`)
    const now = house.clock.now + 400 * 24 * 3_600_000
    const round = (at: number) => failedOf('carts', expireCarts(house.storage, house.app.cartTools, at))
    assert.deepEqual(await round(now), [bad])
    for (const id of good) assert.equal(await statusOf('carts', id), 'expired')
    assert.deepEqual(await round(now + 1_000), [])
    await cure()
    assert.deepEqual(await round(now + 60_000), [])
    assert.equal(await statusOf('carts', bad), 'expired')
  })
})
