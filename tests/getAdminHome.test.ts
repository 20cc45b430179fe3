// Counts of the home page that are partly remembered.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProduct } from '../harness/admin/catalog.ts'
import { orderMarket } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { createLowStockCount } from '../src/domain/catalog/lowstock.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('the home page', (given) => {
  test('200 counts low stock after every change of stock, product and threshold, also where another server has counted before', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const { storage } = testServer
    const [merchant] = await storage.read((db) => db.sql<{ id: string }>`select id from merchants`)
    const at = { merchantId: merchant?.id ?? '', mode: 'test' } as const
    // What another server remembers, which reads two SKUs at once.
    const countElsewhere = createLowStockCount({ rowsMax: 2 })
    const elsewhere = (max: number) => storage.read((db) => countElsewhere(db, at, max))

    let id = ''
    const isOurs = new Set<string>()

    async function listLow(operation: 'listAdminSkus' | 'listAdminProducts', query: string): Promise<string[]> {
      const { status, body, text } = await testServer.askAdmin(operation, { query: `?stock=low&limit=200${query}` })
      assert.equal(status, 200, text)
      return body.data.map((row: { id: string }) => row.id).sort()
    }
    async function lowStock(): Promise<number> {
      const { status, body, text } = await testServer.askAdmin('getAdminHome')
      assert.equal(status, 200, text)
      const { lowStock: count } = body.data.todo
      assert.equal(await elsewhere(1_000), count)
      const listed = await listLow('listAdminSkus', '')
      assert.equal(listed.length, count, 'the list that the count leads to')
      assert.deepEqual(await listLow('listAdminSkus', '&sort=stock'), listed)
      const products = await listLow('listAdminProducts', '')
      assert.equal(
        products.includes(id),
        listed.some((skuId) => isOurs.has(skuId)),
      )
      return count
    }
    async function done(id: AdminOperationId, body: object, path: Readonly<Record<string, string>> = {}) {
      const answer = await testServer.askAdmin(id, { path, body: { idempotencyKey: newId('req'), ...body } })
      assert.equal(answer.status, 200, answer.text)
      return answer.body.data
    }

    const before = await lowStock()
    const values = ['none', 'five', 'six', 'later', 'retired']
    const skus = [0, 5, 6, 0, 1].map((stock, index) => ({
      code: `LOW-${index}`,
      price: 100,
      stock,
      options: { Number: values[index] ?? '' },
      ...(index === 3 && { backorder: true }),
    }))
    const made = await createProduct(testServer, { options: [{ name: 'Number', values }], skus })
    id = made.id
    for (const sku of made.skus) isOurs.add(sku.id)
    const since = async () => (await lowStock()) - before
    assert.equal(await since(), 3, 'up to five pieces, unless it is sold without stock')
    assert.equal(await elsewhere(before + 2), before + 2, 'at most as many as asked for')

    const setStock = (index: number, adjustBy: number) =>
      done('updateAdminSkus', { rows: [{ skuId: made.skus[index].id, adjustBy }] })
    await setStock(2, -1)
    assert.equal(await since(), 4)
    await setStock(0, 9)
    assert.equal(await since(), 3)

    const setStatus = (status: string) => done('updateAdminProducts', { productIds: [id], change: { status } })
    for (const status of ['hidden', 'archived']) {
      await setStatus(status)
      assert.equal(await since(), 0, status)
      await setStatus('published')
      assert.equal(await since(), 3, `${status} before`)
    }

    const { version, product } = (await testServer.askAdmin('getAdminProduct', { path: { productId: id } })).body.data
    const changed = {
      ...product,
      options: [{ name: 'Number', values: values.slice(0, 4) }],
      skus: product.skus.slice(0, 4).map((sku: object, index: number) => ({ ...sku, backorder: index === 1 })),
    }
    await done('replaceAdminProduct', { expectedVersion: version, product: changed }, { productId: id })
    assert.equal(await since(), 2, 'one is retired, one is sold without stock from now on, and one no longer')

    const shop = (await testServer.askAdmin('getAdminShop')).body.data
    await done('updateAdminShop', { expectedVersion: shop.version, lowStockAt: 100_000 })
    const all = await lowStock()
    await setStock(2, 1_000)
    assert.equal(await lowStock(), all)
    await setStock(2, 100_000)
    assert.equal(await lowStock(), all - 1)
  })
})
