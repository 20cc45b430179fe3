// The search index after an upgrade, a copy or an accident: a loop fills in what is missing, `search rebuild` makes it anew, and
// `doctor` counts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cartwright } from '../harness/commandline.ts'
import { type House, openHouse, settingsOf } from '../harness/house.ts'
import { pottery } from '../harness/searchShop.ts'
import { bloom } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { countIndex } from '../src/catalog/indexStore.ts'
import { indexProducts, newWalk, rebuildIndex } from '../src/catalog/reindex.ts'

async function totalOf(house: House, query: string): Promise<number> {
  return (await house.ask('searchCatalogProducts', { query: `?${query}` })).body.meta.total
}

// As a change by a program that knows no index leaves it.
async function outdate(house: House): Promise<void> {
  await house.storage.write(async (tx) => {
    await tx.sql`delete from product_index where product_id in (select id from products where slug = 'stone-mug')`
    await tx.sql`update products set name = 'Renamed', version = version + 1 where slug = 'pitcher'`
    await tx.sql`update merchants set catalog_version = catalog_version + 1`
  })
}

eachEngine('the search index', (given) => {
  test('is brought up to date by a walk through all products, a few at a time', async () => {
    const house = await openHouse(given, { shops: [pottery, bloom] })
    await outdate(house)
    assert.deepEqual(await house.storage.read(countIndex), { missing: 2, rows: 12, documents: 13 })
    const [walk, turns] = [newWalk(), [] as number[]]
    for (let looked = 4; looked === 4; turns.push(looked))
      looked = await indexProducts(house.storage, walk, { now: house.clock.now, limit: 4 })
    assert.deepEqual(turns, [4, 4, 4, 2])
    assert.equal((await house.storage.read(countIndex)).missing, 0)
    assert.equal(await totalOf(house, 'q=speckled'), 1)
    assert.equal(await totalOf(house, 'q=renamed'), 1)
    assert.equal(await totalOf(house, 'q=tall'), 0)
    // The next walk finds nothing to do.
    assert.equal(await indexProducts(house.storage, walk, { now: house.clock.now, limit: 100 }), 14)
  })

  test('is made anew by a rebuild, which also forgets words that no product has', async () => {
    const house = await openHouse(given, { shops: [pottery, bloom] })
    await outdate(house)
    assert.equal(await rebuildIndex(house.storage, { now: house.clock.now, limit: 3 }), 14)
    assert.deepEqual(await house.storage.read(countIndex), { missing: 0, rows: 13, documents: 13 })
    assert.equal(await totalOf(house, 'q=speckled'), 1)
    assert.equal(await totalOf(house, 'q=roses&inStock=true'), 0, 'of another shop')
    const words = await house.storage.read((db) => db.sql`select 1 from product_words where word = 'tall'`)
    assert.deepEqual(words, [])
  })

  test('search rebuild and doctor', async () => {
    const house = await openHouse(given, { shops: [pottery] })
    await outdate(house)
    const settings = settingsOf(house)
    const warnings = async () => JSON.parse((await cartwright(['doctor', '--json'], settings)).out).warnings as string[]
    const found = (await warnings()).filter((warning) => warning.includes('search index'))
    assert.equal(found.length, 2, found.join('\n'))
    assert.match(found[0] ?? '', /^2 products are missing or outdated in the search index: /)
    const { code, out } = await cartwright(['search', 'rebuild'], settings)
    assert.deepEqual([code, out], [0, 'The search index is rebuilt from 10 products.\n'])
    assert.deepEqual(
      (await warnings()).filter((warning) => warning.includes('search index')),
      [],
    )
  })
})
