import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../../../harness/carts.ts'
import { eachEngine } from '../../../harness/storage.ts'
import { applyShop } from '../../ops/provisioning/apply.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { findCatalogVersion } from '../catalog/store.ts'
import { raiseCatalogVersion } from '../merchants/store.ts'
import { createPricebooks } from './pricebook.ts'

eachEngine('price books', (given) => {
  test('do not contain anything from a transaction that was rolled back', async () => {
    const storage = await given.open()
    const { merchantId } = await applyShop(storage, market, { now: 1_000, stock: false, dryRun: false })
    const pricebooks = createPricebooks()
    const setRates = async (tx: Tx, rateBps: number) => {
      await tx.sql`update tax_rates set rate_bps = ${rateBps} where merchant_id = ${merchantId}`
      await raiseCatalogVersion(tx, merchantId)
      return findCatalogVersion(tx, merchantId)
    }
    const undone = storage.write(async (tx) => {
      const version = await setRates(tx, 7)
      const { taxRates } = await pricebooks.find(tx, merchantId, version)
      assert.ok(taxRates.every(({ rateBps }) => rateBps === 7))
      const [sku] = await tx.sql<{ id: string }>`select id from skus where merchant_id = ${merchantId} limit 1`
      await tx.sql`update skus set code = 'UNDONE' where merchant_id = ${merchantId} and id = ${sku?.id ?? ''}`
      const ask = { merchantId, mode: 'test', catalogVersion: version, skuIds: [sku?.id ?? ''], now: 1_000 } as const
      assert.equal((await pricebooks.offersOf(tx, ask))[0]?.code, 'UNDONE')
      throw new Error(`undone ${version}`)
    })
    const told = await undone.then(String, (error: Error) => error.message)
    const version = await storage.write((tx) => setRates(tx, 9))
    assert.equal(told, `undone ${version}`)
    await storage.read(async (db) => {
      const { taxRates } = await pricebooks.find(db, merchantId, version)
      assert.ok(taxRates.length > 0 && taxRates.every(({ rateBps }) => rateBps === 9))
      const skus = await db.sql<{ id: string }>`select id from skus where merchant_id = ${merchantId}`
      const skuIds = skus.map(({ id }) => id)
      const offers = await pricebooks.offersOf(db, {
        merchantId,
        mode: 'test',
        catalogVersion: version,
        skuIds,
        now: 1_000,
      })
      assert.ok(offers.every(({ code }) => code !== 'UNDONE'))
    })
  })

  test('return every requested SKU, however many others were requested before', async () => {
    const storage = await given.open()
    const { merchantId } = await applyShop(storage, market, { now: 1_000, stock: false, dryRun: false })
    const pricebooks = createPricebooks({ keptOffersMax: 3 })
    const skuIds = (
      await storage.read(
        (db) => db.sql<{ id: string }>`select id from skus where merchant_id = ${merchantId} order by id`,
      )
    ).map(({ id }) => id)
    assert.ok(skuIds.length > 4)
    const offersOf = (ids: readonly string[]) =>
      storage.read((db) =>
        pricebooks.offersOf(db, { merchantId, mode: 'test', catalogVersion: 1, skuIds: ids, now: 1_000 }),
      )
    for (const ids of [skuIds.slice(0, 3), [skuIds[0], skuIds[4]] as string[], skuIds, skuIds.toReversed()])
      assert.deepEqual(
        (await offersOf(ids)).map(({ skuId }) => skuId),
        ids,
      )
  })
})
