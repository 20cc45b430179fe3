// The search index after an upgrade, a copy or an accident: a loop fills in what is missing, `search rebuild` makes it anew, and
// `doctor` counts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cartwright } from '../harness/commandline.ts'
import { pottery } from '../harness/searchShop.ts'
import { bloom } from '../harness/shops.ts'
import { eachEngine, givenEngine } from '../harness/storage.ts'
import { openTestServer, settingsOf, type TestServer } from '../harness/testServer.ts'
import { type ColumnsCache, createColumnsCache } from '../src/domain/catalog/columns.ts'
import { countIndex, findShopFacts } from '../src/domain/catalog/indexstore.ts'
import { createIndexWalk, indexProducts, rebuildIndex } from '../src/domain/catalog/reindex.ts'
import { fullTextFor } from '../src/domain/search/engines.ts'
import { exactTerm, termsForMerchant } from '../src/domain/search/terms.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'

async function totalOf(testServer: TestServer, query: string): Promise<number> {
  return (await testServer.ask('searchCatalogProducts', { query: `?${query}` })).body.meta.total
}

// As a change by a program that knows no index leaves it.
async function outdate(testServer: TestServer): Promise<void> {
  await testServer.storage.write(async (tx) => {
    await tx.sql`delete from product_index where product_id in (select id from products where slug = 'stone-mug')`
    await tx.sql`update products set name = 'Renamed', version = version + 1 where slug = 'pitcher'`
    await tx.sql`update merchants set catalog_version = catalog_version + 1`
  })
}

async function segmentsOf(testServer: TestServer): Promise<number> {
  const [row] = await testServer.storage.read(
    (db) => db.sql<{ count: number }>`select count(distinct segid) as "count" from product_index_words_idx`,
  )
  return row?.count ?? 0
}

type Skus = NonNullable<ShopFile['products']>[number]['skus']

function priced(skus: Skus, price: number): Skus {
  return skus.map((sku) => ({ ...sku, price }))
}

eachEngine('the search index', (given) => {
  const other = givenEngine(given.engine === 'sqlite' ? 'postgres' : 'sqlite')

  // From PostgreSQL, the server would have to be closed first.
  if (given.engine === 'sqlite')
    test('is filled if the data is moved to the other engine', async () => {
      const testServer = await openTestServer(given, { shops: [pottery] })
      const url = await other.freshUrl()
      const { code, out, err } = await cartwright(['migrate', '--to', url], settingsOf(testServer))
      assert.equal(code, 0, out + err)
      const moved = await other.open({ url })
      assert.deepEqual(await moved.read(countIndex), { missing: 0, rows: 10, documents: 10 })
    })

  test('is updated in batches over all products', async () => {
    const testServer = await openTestServer(given, { shops: [pottery, bloom] })
    await outdate(testServer)
    assert.deepEqual(await testServer.storage.read(countIndex), { missing: 2, rows: 12, documents: 13 })
    const [walk, turns] = [createIndexWalk(), [] as number[]]
    for (let looked = 4; looked === 4; turns.push(looked))
      looked = await indexProducts(testServer.storage, walk, { now: testServer.clock.now, limit: 4 })
    assert.deepEqual(turns, [4, 4, 4, 2])
    assert.equal((await testServer.storage.read(countIndex)).missing, 0)
    assert.equal(await totalOf(testServer, 'q=speckled'), 1)
    assert.equal(await totalOf(testServer, 'q=renamed'), 1)
    assert.equal(await totalOf(testServer, 'q=tall'), 0)
    // The next walk finds nothing to do.
    assert.equal(await indexProducts(testServer.storage, walk, { now: testServer.clock.now, limit: 100 }), 14)
  })

  test('is rebuilt, which also removes words that no product has any more', async () => {
    const testServer = await openTestServer(given, { shops: [pottery, bloom] })
    await outdate(testServer)
    assert.equal(await rebuildIndex(testServer.storage, { now: testServer.clock.now, limit: 3 }), 14)
    assert.deepEqual(await testServer.storage.read(countIndex), { missing: 0, rows: 13, documents: 13 })
    assert.equal(await totalOf(testServer, 'q=speckled'), 1)
    assert.equal(await totalOf(testServer, 'q=roses&inStock=true'), 0, 'of another shop')
    const words = await testServer.storage.read((db) => db.sql`select 1 from product_words where word = 'tall'`)
    assert.deepEqual(words, [])
  })

  test('is followed by the in-memory columns of every server', async () => {
    const testServer = await openTestServer(given, { shops: [pottery, bloom] })
    const [mug, bowl] = pottery.products ?? []
    assert.ok(mug && bowl)
    const merchantId = testServer.merchantId
    const seenBy = (server: ColumnsCache) =>
      testServer.storage.read(async (db) => {
        const facts = await findShopFacts(db, merchantId)
        const columns = await server.columnsOf(db, merchantId, facts?.version ?? 0)
        const keys = await fullTextFor(db).findKeys(db, merchantId, [
          exactTerm(termsForMerchant(merchantId)('any', '')),
        ])
        return Array.from(columns.placesOf(keys), (at) => [
          ...[columns.id[at], columns.priceMin[at], columns.priceMax[at], columns.publishedAt[at], columns.nameKey[at]],
          ...[columns.facetTexts[columns.facets[at] ?? -1], columns.fields[at], columns.inStock.test[at]],
        ]).sort()
      })
    const server = createColumnsCache(3)
    const [first, again] = await Promise.all([seenBy(server), seenBy(server)])
    assert.deepEqual(first, again)
    assert.equal(first.length, pottery.products?.length)
    const changes = [
      () => testServer.apply({ ...pottery, products: [{ ...mug, name: 'Beaker', skus: mug.skus.slice(0, 1) }] }),
      () => testServer.apply({ ...pottery, products: [{ ...bowl, published: false }] }),
      () => testServer.apply({ ...pottery, products: [{ ...bowl, published: true }] }),
      () => rebuildIndex(testServer.storage, { now: testServer.clock.now, limit: 3 }),
    ]
    for (const [step, change] of changes.entries()) {
      await change()
      assert.deepEqual(await seenBy(server), await seenBy(createColumnsCache()), `after change ${step}`)
    }
    assert.equal((await seenBy(server)).length, pottery.products?.length)
    // Of a large result the last places are ranked: they are those of the newest products, whichever was changed last.
    await testServer.apply({ ...pottery, products: [{ ...mug, name: 'Tankard' }] })
    const { id } = await testServer.storage.read((db) => createColumnsCache(3).columnsOf(db, merchantId, 0))
    assert.deepEqual(id, id.toSorted())
  })

  test('has no outdated cached results after any kind of change', async () => {
    const testServer = await openTestServer(given, { shops: [pottery, bloom] })
    const [mug, bowl] = pottery.products ?? []
    assert.ok(mug && bowl)
    const first = await totalOf(testServer, 'q=speckled')
    const change = (products: NonNullable<ShopFile['products']>) => testServer.apply({ ...pottery, products })
    const steps: [string, () => Promise<unknown>, number][] = [
      ['another product', () => change([{ ...bowl, summary: 'Made by hand.' }]), first],
      ['one gets the word', () => change([{ ...bowl, description: 'Speckled.' }]), first + 1],
      ['a new price', () => change([{ ...bowl, description: 'Speckled.', skus: priced(bowl.skus, 7) }]), first + 1],
      ['one leaves', () => change([{ ...bowl, published: false }]), first],
      ['and comes back', () => change([{ ...bowl, description: 'Speckled.', published: true }]), first + 1],
      ['one loses the word', () => change([bowl]), first],
      ['all anew', () => rebuildIndex(testServer.storage, { now: testServer.clock.now, limit: 3 }), first],
    ]
    for (const [step, make, total] of steps) {
      await make()
      const [one, other] = await Promise.all([
        totalOf(testServer, 'q=speckled'),
        totalOf(testServer, 'q=speckled&limit=3'),
      ])
      assert.deepEqual([one, other], [total, total], step)
    }
  })

  test('does not rewrite its words if only prices change', async () => {
    const testServer = await openTestServer(given, { shops: [pottery] })
    const [mug] = pottery.products ?? []
    assert.ok(mug)
    const dear = { ...mug, skus: priced(mug.skus, 123_456) }
    await testServer.storage.write(async (tx) => {
      const [row] = await tx.sql<{ id: string }>`select id from products where slug = 'stone-mug'`
      fullTextFor(tx).remove(tx, testServer.merchantId, [row?.id ?? ''])
    })
    await testServer.apply({ ...pottery, products: [dear] })
    assert.equal(await totalOf(testServer, 'q=speckled'), 0, 'no words were written')
    assert.deepEqual(await testServer.storage.read(countIndex), { missing: 0, rows: 10, documents: 9 })
    await testServer.apply({ ...pottery, products: [{ ...dear, summary: 'Made by hand.' }] })
    assert.equal(await totalOf(testServer, 'q=speckled&minPrice=123456'), 1)
  })

  test('is written for hundreds of products at once', async () => {
    const testServer = await openTestServer(given, { shops: [pottery] })
    const products = Array.from({ length: 300 }, (_, index) => ({
      slug: `mosaic-${index}`,
      name: `Mosaic ${index}`,
      skus: [{ code: `MOSAIC-${index}`, price: 100 + index }],
    }))
    await testServer.apply({ ...pottery, products })
    const found = async () => [
      await totalOf(testServer, 'q=mosaic'),
      await totalOf(testServer, 'q=mosaic&minPrice=350'),
    ]
    assert.deepEqual(await found(), [300, 50])
    assert.equal(await totalOf(testServer, 'q=mosiac'), 300, 'their words are known too')
    // Each segment is a search of its own until it is merged.
    if (given.engine === 'sqlite') assert.ok((await segmentsOf(testServer)) < 10)
    await testServer.apply({ ...pottery, products: products.map((one) => ({ ...one, skus: priced(one.skus, 400) })) })
    assert.deepEqual(await found(), [300, 300])
    await testServer.apply({ ...pottery, products: products.slice(100).map((one) => ({ ...one, published: false })) })
    assert.deepEqual(await found(), [100, 100])
    await testServer.apply({ ...pottery, products })
    assert.equal(await rebuildIndex(testServer.storage, { now: testServer.clock.now, limit: 400 }), 310)
    assert.deepEqual(await found(), [300, 50])
    assert.deepEqual(await testServer.storage.read(countIndex), { missing: 0, rows: 310, documents: 310 })
  })

  test('is reported as outdated by doctor, and repaired by search rebuild', async () => {
    const testServer = await openTestServer(given, { shops: [pottery] })
    await outdate(testServer)
    const settings = settingsOf(testServer)
    const warnings = async () => JSON.parse((await cartwright(['doctor', '--json'], settings)).out).warnings as string[]
    const found = (await warnings()).filter((warning) => warning.includes('search index'))
    assert.equal(found.length, 2, found.join('\n'))
    assert.match(found[0] ?? '', /^2 products are missing or outdated in the search index: /)
    const { code, out } = await cartwright(['search', 'rebuild'], settings)
    assert.deepEqual([code, out], [0, 'The search index was rebuilt from 10 products.\n'])
    assert.deepEqual(
      (await warnings()).filter((warning) => warning.includes('search index')),
      [],
    )
  })
})
