import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStockroom, refreshAll, type Stockroom, start } from '../../../harness/stock.ts'
import { eachEngine } from '../../../harness/storage.ts'
import { openTestServer } from '../../../harness/testServer.ts'
import { releaseHolds, replaceHolds, sweepHolds } from '../inventory/holds.ts'
import { setOnHand } from '../inventory/levels.ts'
import { sellStock } from '../inventory/sales.ts'
import { planProducts, writeProducts } from './change.ts'
import { isStale, refreshStaleProducts, renderCurrentAnswers } from './refresh.ts'
import { findCatalogVersion, findDetails, findListing, findSeller } from './store.ts'

const minute = 60_000
const now = start
const expiresAt = now + 15 * minute
const at = { now, expiresAt, cause: null }

const two = { A: { product: 'one', stock: 20 }, C: { product: 'two', stock: 20 } } as const

// The quantities that a read returns, and whether the read had to render the response.
async function seen(room: Stockroom, slug: string, when = now): Promise<{ quantities: number[]; stale: boolean }> {
  return room.storage.read(async (db) => {
    const kept = await findListing(db, room.seller, slug)
    assert.ok(kept)
    const stale = isStale(kept, new Date(when))
    const { detail } = stale ? await renderCurrentAnswers(db, kept, new Date(when)) : await findDetails(db, kept)
    const { data } = JSON.parse(detail) as { data: { skus: { availableQuantity: number }[] } }
    return { quantities: data.skus.map((sku) => sku.availableQuantity), stale }
  })
}

const version = (room: Stockroom) => room.storage.read((db) => findCatalogVersion(db, room.merchantId))

eachEngine('stock in the catalog', (given) => {
  test('a product shows a change immediately, with a new ETag, and a list shows it after the loop has run', async () => {
    const testServer = await openTestServer(given)
    const path = { slug: 'red-roses' }
    const product = async () => (await testServer.ask('getApiKeyCatalogProduct', { path })).body.data
    const open = () =>
      testServer.ask('getPublicMerchantProduct', {
        path: { merchantSlug: 'bloom', productSlug: 'red-roses' },
        key: null,
      })
    const listed = async () => {
      const { body } = await testServer.ask('listApiKeyCatalogProducts')
      return body.data.find((row: { slug: string }) => row.slug === 'red-roses').availability
    }
    const quantities = async () =>
      (await product()).skus.map((sku: { availableQuantity: number }) => sku.availableQuantity)
    const before = { text: (await open()).text, etag: (await open()).headers.get('etag') }
    const [twelve, twentyFour] = (await product()).skus
    assert.equal(await listed(), 'in_stock')

    const lines = [
      { skuId: twelve.id, quantity: 36 },
      { skuId: twentyFour.id, quantity: 3 },
    ]
    const moment = { now: testServer.clock.now, expiresAt: testServer.clock.now + 15 * minute, cause: null }
    assert.deepEqual(
      await testServer.storage.write((tx) => replaceHolds(tx, testServer.seller, 'one', lines, moment)),
      [],
    )
    assert.deepEqual(await quantities(), [4, 0])
    const held = await open()
    assert.equal(held.body.data.availability, 'low_stock')
    assert.deepEqual(
      held.body.data.skus.map((sku: { availability: string }) => sku.availability),
      ['low_stock', 'out_of_stock'],
    )
    assert.notEqual(held.headers.get('etag'), before.etag)
    assert.equal(await listed(), 'in_stock')

    assert.equal(await refreshStaleProducts(testServer.storage, testServer.clock.now, 10), 1)
    assert.equal(await listed(), 'low_stock')
    const rendered = await open()
    assert.deepEqual([rendered.text, rendered.headers.get('etag')], [held.text, held.headers.get('etag')])

    // The hold expires although no sweep has deleted it.
    testServer.clock.now = moment.expiresAt
    assert.deepEqual(await quantities(), [40, 3])
    const over = await open()
    assert.deepEqual([over.text, over.headers.get('etag')], [before.text, before.etag])
  })

  test('the catalog version is raised exactly when the shown availability of a product or SKU changes', async () => {
    const room = await openStockroom(given, two)
    const first = await version(room)
    await room.write((tx) => replaceHolds(tx, room.seller, 'one', room.lines({ A: 1, C: 1 }), at))
    assert.equal(await refreshStaleProducts(room.storage, now, 10), 2)
    assert.equal(await version(room), first)
    await room.write((tx) => replaceHolds(tx, room.seller, 'one', room.lines({ A: 15, C: 15 }), at))
    assert.equal(await refreshStaleProducts(room.storage, now, 1), 1)
    assert.equal(await refreshStaleProducts(room.storage, now, 1), 1)
    assert.equal(await refreshStaleProducts(room.storage, now, 1), 0)
    assert.equal(await version(room), first + 2)
    assert.deepEqual(await seen(room, 'one'), { quantities: [5], stale: false })
    // One of several SKUs of a product sells out, which no list shows.
    const both = await openStockroom(given, { A: two.A, B: { product: 'one', stock: 6 } })
    const before = await version(both)
    await both.write((tx) => replaceHolds(tx, both.seller, 'one', both.lines({ B: 6 }), at))
    assert.equal(await refreshStaleProducts(both.storage, now, 10), 1)
    assert.equal(await version(both), before + 1)
  })

  test('responses are valid until exactly the end of the next hold', async () => {
    const room = await openStockroom(given, two)
    await room.write((tx) => replaceHolds(tx, room.seller, 'one', room.lines({ A: 3 }), at))
    await room.write((tx) =>
      replaceHolds(tx, room.seller, 'two', room.lines({ A: 4 }), { ...at, expiresAt: expiresAt + minute }),
    )
    await refreshAll(room, now)
    assert.deepEqual(await seen(room, 'one', expiresAt - 1), { quantities: [13], stale: false })
    assert.deepEqual(await seen(room, 'one', expiresAt), { quantities: [16], stale: true })
    await refreshAll(room, expiresAt)
    assert.deepEqual(await seen(room, 'one', expiresAt), { quantities: [16], stale: false })
    assert.deepEqual(await seen(room, 'one', expiresAt + minute), { quantities: [20], stale: true })
    await sweepHolds(room.storage, expiresAt + minute, 10)
    await refreshAll(room, expiresAt + minute)
    assert.deepEqual(await seen(room, 'one', expiresAt + 100 * minute), { quantities: [20], stale: false })
  })

  test('stock below the held quantity is shown as 0, not as a negative number', async () => {
    const room = await openStockroom(given, two)
    await room.write((tx) => replaceHolds(tx, room.seller, 'one', room.lines({ A: 9 }), at))
    await room.write((tx) => setOnHand(tx, room.seller, [{ skuId: room.skuId('A'), onHand: 4 }], at))
    assert.deepEqual(await seen(room, 'one'), { quantities: [0], stale: true })
    await refreshAll(room, now)
    assert.deepEqual(await seen(room, 'one'), { quantities: [0], stale: false })
  })

  test('a change while the loop renders a product is not lost', async () => {
    const url = await given.migratedUrl()
    const room = await openStockroom(given, two, await given.open({ url }))
    const other = await given.open({ url, withMigrations: false })
    await room.write((tx) => replaceHolds(tx, room.seller, 'one', room.lines({ A: 1 }), at))
    let changed = () => {}
    const hasChanged = new Promise<void>((resolve) => {
      changed = resolve
    })
    // The sale finds the product stale already, so it does not mark it again. The sale ends only after the refresh has begun.
    const sale = room.write(async (tx) => {
      await sellStock(tx, room.seller, 'two', room.lines({ A: 6 }), { ...at, soldTo: 'order' })
      changed()
      await new Promise((resolve) => setTimeout(resolve, 100))
    })
    await hasChanged
    await Promise.all([refreshStaleProducts(other, now, 10), sale])
    await refreshAll(room, now)
    assert.deepEqual(await seen(room, 'one'), { quantities: [13], stale: false })
  })

  test('two refresh loops running beside many buyers leave correct responses', async () => {
    const url = await given.migratedUrl()
    const room = await openStockroom(given, two, await given.open({ url }))
    const other = await given.open({ url, withMigrations: false })
    let buying = true
    const loop = async (storage: typeof other) => {
      while (buying) {
        await refreshStaleProducts(storage, now, 1)
        await new Promise(setImmediate)
      }
    }
    const loops = [loop(room.storage), loop(other)]
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const lines = room.lines(i % 2 === 0 ? { A: 1, C: 1 } : { C: 1, A: 1 })
        const owner = `owner ${i}`
        const short = await room.write((tx) => replaceHolds(tx, room.seller, owner, lines, at))
        if (short.length > 0) return
        if (i % 3 === 0)
          await room.write((tx) => sellStock(tx, room.seller, owner, lines, { ...at, soldTo: `order ${i}` }))
        else await room.write((tx) => releaseHolds(tx, room.seller, owner, at))
      }),
    )
    buying = false
    await Promise.all(loops)
    const { skus } = await room.world()
    const truth = (code: string) => [(skus[code]?.[0] ?? 0) - (skus[code]?.[1] ?? 0)]
    assert.deepEqual((await seen(room, 'one')).quantities, truth('A'))
    assert.deepEqual((await seen(room, 'two')).quantities, truth('C'))
    await refreshAll(room, now)
    assert.deepEqual(await seen(room, 'one'), { quantities: truth('A'), stale: false })
    assert.deepEqual(await seen(room, 'two'), { quantities: truth('C'), stale: false })
  })

  test('a sale between the read and the write of provisioning is not lost', async () => {
    const url = await given.migratedUrl()
    const room = await openStockroom(given, two, await given.open({ url }))
    const other = await given.open({ url, withMigrations: false })
    const seller = await room.storage.read((db) => findSeller(db, room.merchantId))
    assert.ok(seller)
    for (const [i, published] of [true, false, true].entries()) {
      const entry = { slug: 'one', name: `One, ${published}`, published, skus: [{ code: 'A', price: 120, stock: 20 }] }
      const sale = () =>
        other.write((tx) => sellStock(tx, room.seller, 'one', room.lines({ A: 1 }), { ...at, soldTo: 'order' }))
      // SQLite has one writer, so the sale comes first there.
      if (given.engine === 'sqlite') await sale()
      await room.write(async (tx) => {
        const { plans } = await planProducts(tx, seller, [entry], { now: now + 1, stock: false })
        if (given.engine === 'postgres') await sale()
        await writeProducts(tx, seller, plans, new Map(), 0)
      })
      if (published) assert.deepEqual((await seen(room, 'one', now + minute)).quantities, [19 - i])
    }
    await refreshAll(room, now + minute)
    assert.deepEqual(await seen(room, 'one', now + minute), { quantities: [17], stale: false })
  })

  test('a new product is not stale, and an unlisted product is not rendered', async () => {
    const room = await openStockroom(given, two)
    assert.deepEqual(await seen(room, 'one'), { quantities: [20], stale: false })
    await room.write((tx) => replaceHolds(tx, room.seller, 'one', room.lines({ A: 1 }), at))
    await room.apply((file) => ({
      ...file,
      products: (file.products ?? []).map((product) => ({ ...product, published: product.slug !== 'one' })),
    }))
    assert.equal(await refreshStaleProducts(room.storage, now, 10), 0)
  })
})
